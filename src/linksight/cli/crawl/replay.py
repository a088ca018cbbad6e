"""``linksight crawl replay``: compare strategies on a stored web, without a network."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linksight.cli import completion
from linksight.cli.crawl.report import FOLDER, text_or_json

if TYPE_CHECKING:
    from linksight.lab.simulation.strategy_comparison import Comparison

_COUNT, _NATURAL = click.IntRange(min=1), click.IntRange(min=0)


@click.command()
@click.argument("warcs", nargs=-1, type=click.Path(path_type=Path, exists=True), metavar="[WARC|DIR...]")
@click.option(
    "--language",
    "-l",
    default="nl",
    show_default=True,
    shell_complete=completion.languages,
    help="The language to look for.",
)
@click.option(
    "--strategies",
    "-s",
    default="adaptive,breadth-first,random,cctld,classifier,filter",
    show_default=True,
    shell_complete=completion.comma_list(completion.strategies),
    help="The strategies to compare, by name.",
)
@click.option("--data", type=click.Path(path_type=Path, exists=True, file_okay=False), envvar="LINKSIGHT_DATA",
              help="Folder of labelled URLs and pages. [env: LINKSIGHT_DATA]")  # fmt: skip
@click.option("--pages", default=100_000, show_default=True, type=_COUNT, help="Pages of the built web.")
@click.option(
    "--share",
    default=0.02,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Share of the language in it.",
)
@click.option(
    "--urls", default="train", show_default=True, help="Which table of labelled URLs to build it from."
)
@click.option(
    "--budget",
    default=0,
    type=_NATURAL,
    help="Downloads of each strategy. [default: the pages of the language]",
)
@click.option(
    "--seeds",
    "n_seeds",
    default=2,
    show_default=True,
    type=_COUNT,
    help="Seeds in the language.",
)
@click.option(
    "--others", "n_others", default=8, show_default=True, type=_NATURAL, help="Seeds in other languages."
)
@click.option("--repeat", default=1, show_default=True, type=_COUNT, help="Draw that many sets of seeds.")
@click.option("--seed", default=1, show_default=True, help="The seed of every draw.")
@click.option(
    "--max-pages-per-host",
    default=0,
    show_default=True,
    type=_NATURAL,
    help="The paper's cap was 10; 0: no cap.",
)
@click.option(
    "--model",
    default="",
    shell_complete=completion.files,
    help="URL model file, bundled, or cctld. [default: bundled; on a web built from URLs that it was trained on, one trained on other sites]",
)
@click.option("--measure", is_flag=True, help="Measure the language locality from the pages first.")
@click.option("--out", "-o", "out", type=FOLDER, help="Write replay.html and replay.json here.")
@text_or_json
@click.option("--quiet", "-q", is_flag=True, help="No progress bar.")
def replay(**options: Any) -> None:
    """Try strategies on a stored web, without any network.

    The web is that of WARC files (of `crawl run` or any other tool), or one built from labelled
    URLs: real URLs, real pages of their language, links as local as real ones.

    \b
    linksight crawl replay --language nl --out replay/
    linksight crawl replay dutch/warc/ --language nl -s adaptive,filter,mine.py:Homepages
    linksight crawl replay --language fr --repeat 10 -s adaptive
    """
    from linksight.lab.simulation.experiment import compare

    out, kind = options.pop("out"), options.pop("kind")
    comparison = compare(show_progress=not options.pop("quiet") and sys.stderr.isatty(), **options)
    if out is not None:
        page, figures = comparison.write(out)
        click.echo(f"written: {page} and {figures}", err=True)
    if kind == "json":
        click.echo(json.dumps(comparison.as_dict(), indent=1, ensure_ascii=False))
    else:
        _show(comparison)


def _show(comparison: Comparison) -> None:
    """Print the table, the ratios and the coverage of the intervals."""
    from rich.console import Console
    from rich.table import Table

    head = ["strategy", "downloads", "found", "precision", "hosts", "no label", "missed (95 %)", "truth"]
    table = Table(*head, box=None)
    for row in comparison.rows():
        table.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row))
    console = Console(width=110)
    console.print(table)
    for name, ratio in comparison.ratios().items():
        span = f" (95 %: {ratio.low:.2f} to {ratio.high:.2f})" if ratio.low and ratio.high else ""
        console.print(f"{name}: {ratio.value:.3f}{span}")
    for name, runs in comparison.runs.items():
        n_covered, n_runs = comparison.covered(name)
        if len(runs) > 1 and n_runs:
            coverage = f"covers the truth in {n_covered} of {n_runs} runs"
            console.print(f"{name}: the interval for the missed share {coverage}")

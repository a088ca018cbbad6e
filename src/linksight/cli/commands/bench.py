"""``linksight bench``: compare quality and speed with installed peers."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linksight.cli import options
from linksight.cli.formats import named_format_option
from linksight.cli.options import FOLDER, NATURAL, PATH, given_options
from linksight.errors import BadConfig
from linksight.system.plural import counted

if TYPE_CHECKING:
    from linksight.lab.compare.benchmark import Contest
    from linksight.lab.compare.peers import Peer
    from linksight.lab.evaluation.labelled_urls import LabelledUrls

TASKS = ("urls", "page-urls", "pages", "encodings")
#: Options of a measurement, which do not apply to existing figures.
_MEASUREMENT_OPTIONS = ("folder", "url_data", "urls", "pages", "train", "seed", "memory")


# fmt: off
@click.command()
@click.argument("tasks", nargs=-1, type=click.Choice(TASKS), metavar="[urls|page-urls|pages|encodings]...")
@click.option("--data", "folder", type=FOLDER, envvar="LINKSIGHT_DATA",
              help="The folder of labelled data (also the variable LINKSIGHT_DATA).")
@click.option("--url-data", type=click.Path(path_type=Path, exists=True),
              help="Your own labelled URLs, a table with columns url and language.")
@click.option("--urls", default=1000, show_default=True, type=NATURAL, help="URLs to ask about; 0: all.")
@click.option("--pages", default=100, show_default=True, type=NATURAL, help="Pages to ask about; 0: all.")
@click.option("--train", default=12_000, show_default=True, type=NATURAL,
              help="URLs to train scikit-learn on (fastText: a million); 0: skip both.")
@click.option("--seed", default=0, show_default=True, help="Which rows are drawn.")
@named_format_option("table", "json", "markdown")
@click.option("-o", "--output", type=PATH, help="Write to this file, not to stdout.")
@options.json_figures
@click.option("--plot", "plot_path", type=PATH, help="Draw quality against speed, as SVG.")
@click.option("--docs", "docs_path", type=FOLDER, help="Folder for comparison.md, comparison.json and the picture.")
@click.option("--memory/--no-memory", default=True, show_default=True, help="Measure memory, in a process for each system.")
@click.option("--figures", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="Measure nothing: show the figures in this JSON file of an earlier run.")
@options.quiet
def bench(
    tasks: tuple[str, ...], folder: Path | None, url_data: Path | None, urls: int, pages: int, train: int, seed: int,
    form: str, output: Path | None, json_path: Path | None, plot_path: Path | None, docs_path: Path | None,
    memory: bool, figures: Path | None, quiet: bool,
) -> None:
    # fmt: on
    """Quality, speed and memory of linksight and installed peers, on the same rows.

    Missing peers are named. The JSON and Markdown output describe the rules and the input of each
    system. The default is all tasks; urls needs --url-data or --data, the others --data.

    \b
    linksight bench urls --url-data labelled.csv
    linksight bench --figures docs/comparison.json --docs docs
    """
    from linksight.lab.compare import comparison_tables
    from linksight.lab.compare.quality_plot import as_plot
    from linksight.system.atomic_write import check_place, write_whole

    for path in (output, json_path, plot_path):
        if path is not None:
            check_place(path, (url_data,))
    if figures is not None:
        _check_options()
        contests, about = _load_figures(figures, tasks)
    else:
        sizes = {"urls": urls, "pages": pages, "train": train, "seed": seed}
        contests = _contests(tasks or TASKS, folder, url_data, sizes, memory, quiet)
        about = _about(tasks, sizes, url_data)
    if docs_path is not None:
        _write_docs(docs_path, contests, about)
    if json_path is not None:
        write_whole(json_path, comparison_tables.as_json(contests, about))
    if plot_path is not None:
        write_whole(plot_path, as_plot(contests))
    if output is not None:
        picture = os.path.relpath(plot_path, output.parent) if plot_path else ""
        write_whole(output, _formatted(form, contests, about, picture))
    elif docs_path is None or form != "table":
        click.echo(_formatted(form, contests, about), nl=False)


def _check_options() -> None:
    """Raise an error for options that would have no effect."""
    for name, flag in given_options().items():
        if name in _MEASUREMENT_OPTIONS:
            raise click.UsageError(f"{flag} does not go with --figures, which measures nothing")


def _load_figures(figures: Path, tasks: tuple[str, ...]) -> tuple[list[Contest], dict[str, Any]]:
    """Load the figures of an earlier run, for the given tasks or for all."""
    from linksight.lab.compare.comparison_tables import from_json

    contests, about = from_json(options.text_of(figures), str(figures))
    available = {contest.task for contest in contests}
    if lacking := [task for task in tasks if task not in available]:
        raise BadConfig(f"{figures}: no figures of {lacking[0]}; there are: {', '.join(sorted(available))}")
    return [contest for contest in contests if not tasks or contest.task in tasks], about


def _contests(
    tasks: tuple[str, ...], folder: Path | None, url_data: Path | None, sizes: dict[str, int], memory: bool, quiet: bool
) -> list[Contest]:  # fmt: skip
    """Run the comparison of each task."""
    from linksight.cli.progress import working

    @cache
    def training() -> tuple[LabelledUrls, tuple[Peer, ...]]:
        from linksight.lab.compare.sample_rows import draw_training
        from linksight.lab.compare.trained_baselines import baselines

        train = folder / "urls/train.parquet" if folder else None
        rows = draw_training(train, sizes["train"])
        return rows, baselines(rows, train)

    with working("reading", quiet) as say:
        return [_contest(task, folder, url_data, sizes, training, say, memory, quiet) for task in dict.fromkeys(tasks)]


def _write_docs(folder: Path, contests: list[Contest], about: dict[str, Any]) -> None:
    """Write comparison.md, comparison.json and the picture."""
    from linksight.lab.compare import comparison_tables
    from linksight.lab.compare.quality_plot import as_plot
    from linksight.system.atomic_write import write_whole

    picture = "pictures/comparison.svg"
    (folder / "pictures").mkdir(exist_ok=True)
    write_whole(folder / "comparison.json", comparison_tables.as_json(contests, about))
    write_whole(folder / picture, as_plot(contests))
    write_whole(folder / "comparison.md", comparison_tables.as_page(contests, about, picture))


def _formatted(form: str, contests: list[Contest], about: dict[str, Any], picture: str = "") -> str:
    """Format the figures as JSON, Markdown or tables."""
    from linksight.lab.compare import comparison_tables

    if form == "json":
        return comparison_tables.as_json(contests, about)
    if form == "markdown":
        return comparison_tables.as_page(contests, about, picture)
    return "\n".join(
        f"{contest.task}: {counted(contest.rows, 'row')}\n\n{comparison_tables.as_table(contest)}"
        for contest in contests
    )


def _contest(
    task: str, folder: Path | None, url_data: Path | None, sizes: dict[str, int],
    training: Callable[[], tuple[LabelledUrls, tuple[Peer, ...]]], say: Callable[[str], None], memory: bool, quiet: bool,
) -> Contest:  # fmt: skip
    """Run the comparison of one task."""
    from linksight.lab.compare.benchmark import bench_encodings, bench_pages, bench_urls
    from linksight.lab.compare.sample_rows import draw_page_urls, draw_pages, draw_urls

    say(f"{task}: reading")
    source = url_data if task == "urls" and url_data else folder
    if source is None:
        flags = "--url-data or --data" if task == "urls" else "--data"
        raise BadConfig(f"bench {task} needs labelled rows: {flags}, or the variable LINKSIGHT_DATA")
    if task == "urls":
        drawn = draw_urls(url_data or source / "urls/dev.parquet", sizes["urls"], sizes["seed"])
        if drawn.dropped and not quiet:
            listed = ", ".join(f"{n:,} {reason}" for reason, n in drawn.dropped.most_common())
            click.echo(f"{source}: rows left out: {listed}", err=True)
        train, trained = training()
        return bench_urls(drawn, train, say, memory, trained=trained)
    if task == "page-urls":
        train, trained = training()
        drawn = draw_page_urls(source / "urls/pages_dev.parquet", sizes["urls"], sizes["seed"])
        return bench_urls(drawn, train, say, task=task, trained=trained)
    file = source / "pages/dev.parquet"
    if task == "pages":
        return bench_pages(draw_pages(file, sizes["pages"], ("web",), sizes["seed"]), say, memory)
    sections = ("web", "docs", "encodings")
    return bench_encodings(draw_pages(file, sizes["pages"], sections, sizes["seed"], "encoding"), say, memory)


def _about(tasks: tuple[str, ...], sizes: dict[str, int], url_data: Path | None) -> dict[str, Any]:
    """Return the conditions of the measurement: command, versions and machine."""
    import platform

    from linksight import __version__

    url_option = [f"--url-data {url_data.name}"] if url_data else []
    size_options = [f"--{name} {size}" for name, size in sizes.items()]
    command = " ".join(["linksight bench", *tasks, *url_option, *size_options])
    python = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    return {"command": command, "linksight": __version__, "python": python, "cores": os.cpu_count()}

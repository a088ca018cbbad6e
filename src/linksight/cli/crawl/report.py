"""``linksight crawl report``, ``why``, ``labels`` and ``check``: results of a crawl."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linksight.cli.options import or_stdout
from linksight.system.plural import counted

if TYPE_CHECKING:
    from linksight.crawl.archive.rewrite import Mended
    from linksight.crawl.archive.verify import Findings

FOLDER = click.Path(path_type=Path, file_okay=False)
text_or_json = click.option(
    "--format",
    "kind",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people, or for programs.",
)


@click.command()
@click.argument("folder", type=FOLDER)
@text_or_json
def report(folder: Path, kind: str) -> None:
    """Write FOLDER/report.html and report.json, and the CDXJ index; print the main figures.

    \b
    linksight crawl report dutch/
    linksight crawl report dutch/ --format json | jq .missed
    """
    from linksight.crawl.archive.cdxj import write_index
    from linksight.crawl.report.crawl_queries import Ledger
    from linksight.crawl.report.html_report import write_report
    from linksight.languages import registry

    with Ledger.open(folder) as ledger:
        figures = ledger.as_dict()
        html_path, json_path = write_report(ledger, folder)
        write_index(ledger.engine, folder)
    if kind == "json":
        click.echo(json.dumps(figures, indent=1, ensure_ascii=False))
        return
    totals, missed = figures["totals"], figures["missed"]
    name = registry.name(figures["language"])
    click.echo(
        f"{counted(totals['pages'], 'page')} of {counted(totals['hosts'], 'host')}, {totals['hits']:,} in {name} ({totals['harvest']:.1%})"
    )
    if missed["sample"]:
        click.echo(
            f"{counted(missed['population'], 'URL')} rejected; {missed['value']:.2%} of them in {name} "
            f"(95 %: {missed['low']:.2%} to {missed['high']:.2%}, from {missed['sample']} sampled)"
        )
    if figures["savings"]:
        click.echo(
            f"about {counted(round(figures['savings']['requests_saved']), 'request')} saved against breadth-first"
        )
    click.echo(f"written: {html_path} and {json_path}", err=True)


@click.command()
@click.argument("folder", type=FOLDER)
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@text_or_json
def why(folder: Path, urls: tuple[str, ...], kind: str) -> None:
    """Explain why URLs were fetched, are queued, or were rejected.

    \b
    linksight crawl why dutch/ https://example.com/page
    """
    from linksight.crawl.report.crawl_queries import Ledger
    from linksight.crawl.report.explain import why as explain_url
    from linksight.errors import BadUrl

    status = 0
    with Ledger.open(folder) as ledger:
        for url in urls:
            try:
                explanation = explain_url(ledger, url)
            except BadUrl as error:
                if len(urls) == 1:
                    raise
                # One invalid URL of many does not stop the others.
                click.echo(f"Error: {error}", err=True)
                status = 1
                continue
            if kind == "json":
                click.echo(json.dumps(explanation, ensure_ascii=False))
            else:
                _show_why(explanation)
    sys.exit(status)


def _show_why(explanation: dict[str, Any]) -> None:
    """Print the explanation of a URL as text: the answer, the evidence terms, and the page that links to it."""
    from linksight.crawl.report.explain import VOICES

    click.echo(f"{explanation['url']}\n  {explanation['answer']}")
    # Only evidence that changes the printed sum.
    terms = {
        name: explanation["evidence"][name]
        for name in VOICES
        if abs(explanation["evidence"].get(name, 0.0)) >= 0.005
    }
    for name, value in sorted(terms.items(), key=lambda item: -abs(item[1])):
        click.echo(f"  {name:<10} {value:+.2f}  {VOICES[name]}")
    if terms:
        click.echo("  (log-odds, added up: above 0 favours the language, below 0 another)")
    if explanation.get("found_on"):
        click.echo(f"  found on   {explanation['found_on']}")
    if explanation.get("leads_to"):
        click.echo(f"  leads to   {explanation['leads_to']}")
    if explanation.get("problem"):
        click.echo(f"  problem    {explanation['problem']}")


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--output", "-o", type=click.Path(path_type=Path, dir_okay=False), callback=or_stdout,
              help="A .parquet, .csv, .tsv or .jsonl file. [default: stdout]")  # fmt: skip
@click.option(
    "--format", "kind", type=click.Choice(["jsonl", "csv", "tsv"]), help="On stdout. [default: jsonl]"
)
@click.option(
    "--per-site", default=5, show_default=True, type=click.IntRange(min=1), help="URLs of one site at most."
)
@click.option(
    "--confidence",
    default=0.8,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Leave out pages read with less.",
)
def labels(folder: Path, output: Path | None, kind: str | None, per_site: int, confidence: float) -> None:
    """Write the URLs of the crawl with the languages of their pages, ready for training.

    \b
    linksight crawl labels dutch/ --format csv
    linksight crawl labels dutch/ -o labels.parquet
    linksight train labels.parquet --extend -o better.linksight
    linksight crawl run https://www.nu.nl/ -l nl -o again/ --model better.linksight
    """
    from linksight.crawl.report.crawl_queries import Ledger
    from linksight.crawl.report.training_data import label_rows, print_labels, write_labels

    if output is not None and kind is not None:
        raise click.UsageError("--format is for stdout; the name given with -o decides the format of a file")
    with Ledger.open(folder) as ledger:
        rows = label_rows(ledger.engine, per_site, confidence)
        count = write_labels(rows, output) if output else print_labels(rows, sys.stdout, kind or "jsonl")
        n_all = sum(1 for _ in label_rows(ledger.engine, sys.maxsize, confidence=0.0))
    left_out = (
        f" of {n_all:,}; at most {per_site} a site (--per-site), {confidence:g} sure or more (--confidence)"
        if count < n_all
        else ""
    )
    where = f": {output}" if output else ""
    click.echo(f"{counted(count, 'labelled URL')}{left_out}{where}", err=True)


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--mend", "mending", is_flag=True, help="Take broken records out and queue their pages again.")
@text_or_json
@click.option("--quiet", "-q", is_flag=True, help="No progress bar.")
def check(folder: Path, mending: bool, kind: str, quiet: bool) -> None:
    """Verify every record of the crawl's WARC files against digests and database.

    Lists each broken record with its file, offset and page. The exit status is 1 if a record is broken
    or a file is missing. --mend rewrites such files without their broken records and keeps the old ones
    in FOLDER/damaged; `linksight crawl resume` then fetches the pages again.

    \b
    linksight crawl check dutch/
    linksight crawl check dutch/ --mend && linksight crawl resume dutch/
    """
    from linksight.crawl.run.api import check_crawl

    with _bar(folder, quiet) as advance:
        findings, repaired = check_crawl(folder, mending=mending, on_record=advance)
    if kind == "json":
        counts = {"pages_queued": repaired.pages, "files_moved": repaired.files} if repaired else None
        click.echo(json.dumps(findings.as_dict() | {"mended": counts}, indent=1, ensure_ascii=False))
    else:
        for broken in findings.broken:
            click.echo(f"{broken.file}, at byte {broken.offset:,}: {broken.problem}  {broken.url}".rstrip())
        for name in findings.absent:
            click.echo(f"{name}: not in {folder / 'warc'}")
        n_wrong = len(findings.broken) + len(findings.absent)
        click.echo(
            f"{counted(findings.files, 'file')}, {counted(findings.bytes, 'byte')}, {counted(findings.records, 'record')}, "
            f"{counted(findings.pages, 'intact page')}: "
            + ("all as they should be" if findings.is_whole else f"{n_wrong:,} broken")
        )
    _print_next_steps(folder, findings, repaired)
    sys.exit(0 if findings.is_whole or (repaired and not findings.absent) else 1)


def _print_next_steps(folder: Path, findings: Findings, repaired: Mended | None) -> None:
    """Print the commands that repair the crawl."""
    if repaired:
        pages = counted(repaired.pages, "page is", "pages are")
        click.echo(f"{pages} fetched again by: linksight crawl resume {folder}", err=True)
    elif findings.broken:
        click.echo(
            "take what is broken out and fetch its pages again with: "
            f"linksight crawl check {folder} --mend && linksight crawl resume {folder}",
            err=True,
        )
    if findings.elsewhere:
        files = counted(len(findings.elsewhere), "file")
        click.echo(f"{files} of workers in other folders: check them there", err=True)
    if findings.absent:
        click.echo(
            f"put back into {folder / 'warc'} what was moved away: {', '.join(findings.absent)}", err=True
        )


@contextmanager
def _bar(folder: Path, quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """Show progress over the bytes of the WARC files, on terminals only."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    total = sum(path.stat().st_size for path in (folder / "warc").glob("*.warc.gz*"))
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("check", total=total)
        yield lambda size: bar.advance(task, size)

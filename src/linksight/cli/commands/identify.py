"""``linksight identify``: detect language, script and encoding of pages."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from linksight.cli import completion
from linksight.cli.options import POSITIVE, or_stdout, quiet
from linksight.cli.terminal_text import harmless
from linksight.results import UND, ZXX
from linksight.system.plural import counted

if TYPE_CHECKING:
    from linksight.pages.input.sources import Page
    from linksight.results import PageLabel

#: List fields of a label, which only JSON output contains.
_LIST_FIELDS = ("candidates", "encoding_candidates", "spans", "declared")


# fmt: off
@click.command()
@click.argument("pages", nargs=-1, required=True, metavar="FILE|FOLDER|WARC|URL|-...", shell_complete=completion.files)
@click.option("--method", type=click.Choice(["default", "chew2011", "suzuki2002"]), default="default", show_default=True,
              help="linksight's own method, or one of the papers'.")
@click.option("--content-type", help="The HTTP header Content-Type that the pages came with.")
@click.option("--url", help="The address that the page came from.")
@click.option("--format", "form", type=click.Choice(["table", "jsonl", "csv", "parquet"]),
              help="Output format  [default: by the name of -o; table on a terminal, else jsonl]")
@click.option("-o", "--output", "--out", "output", type=click.Path(dir_okay=False, path_type=Path), callback=or_stdout,
              help="Output file; replaces an existing file; .csv, .jsonl or .parquet.")
@click.option("--into", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Folder for one Parquet file of labels per WARC file; resumable.")
@click.option("--processes", type=POSITIVE, help="With --into: files at a time  [default: cores]")
@quiet
def identify(
    pages: tuple[str, ...], method: str, content_type: str | None, url: str | None, form: str | None,
    output: Path | None, into: Path | None, processes: int | None, quiet: bool,
) -> None:
    # fmt: on
    """Language, script and encoding of pages, from their raw bytes.

    A page can be a file, every file of a folder or zip, every page of a WARC, WET, WACZ or ARC file, an address
    to fetch, or "-" for standard input. jsonl includes candidates, spans in several languages, and
    declarations with whether the bytes agree. Unreadable input gives a row with the reason, and exit
    status 1.

    \b
    linksight identify page.html
    linksight identify crawl.warc.gz --format csv -o languages.csv
    curl -s https://example.org/ | linksight identify - --format jsonl
    linksight identify warcs/*.warc.gz --into labels/ --processes 8
    """
    if into is not None:
        _refuse_with_into(output, form, url, content_type)
        _label_archives(pages, into, processes, method, quiet)
        return
    if processes is not None:
        raise click.UsageError("--processes is for many WARC files at a time: give --into as well")
    form = form or _form(output)
    if form == "parquet" and output is None:
        raise click.UsageError("parquet is binary: name a file with -o")
    counts: Counter[str] = Counter()
    if output is None:
        rows = _label_pages(pages, method, content_type, url, counts, quiet, sys.stdout.isatty())
        _write(sys.stdout, form, rows)
    else:
        from linksight.system.atomic_write import check_place, whole_file

        check_place(output, pages)
        with whole_file(output, "wb" if form == "parquet" else "w") as stream:
            _write(stream, form, _label_pages(pages, method, content_type, url, counts, quiet))
    if not quiet and not counts:
        click.echo(
            "no page in these files: records of type response, resource and conversion have one", err=True
        )
    if not quiet and counts.total() > 1:
        click.echo(_listed(counts), err=True)
    if counts["unreadable"]:  # all other rows are written
        sys.exit(1)


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.most_common(12))


def _form(output: Path | None) -> str:
    """Return the format of the output by its file extension; JSON lines without one, such as for a device."""
    if output is None:
        return "table" if sys.stdout.isatty() else "jsonl"
    from linksight.bulk.sources import PACKERS, kind_of

    kind = kind_of(output.name) if output.suffix else "jsonl"
    if kind not in ("jsonl", "csv", "parquet") or output.suffix.lower() in PACKERS:
        raise click.UsageError(
            f"{output}: the name gives no format; use .jsonl, .ndjson, .json, .csv or .parquet, or give --format"
        )
    return kind


def _hint(page: Page, label: PageLabel) -> str:
    """Suggest ``linksight detect`` for a file that may be a list of URLs."""
    if label.language != ZXX or page.url is not None:
        return ""
    from linksight.bulk.sources import kind_of

    hint = f"{page.name}: if it is a list of URLs, detect their languages with: linksight detect -i {page.name}"
    return hint if kind_of(page.name) else ""


def _refuse_with_into(output: Path | None, form: str | None, url: str | None, content_type: str | None) -> None:
    """Raise an error for options that have no effect with --into."""
    values = {"--output": output, "--format": form, "--url": url, "--content-type": content_type}
    for name, value in values.items():
        if value is not None:
            raise click.UsageError(
                f"{name} cannot be given with --into, which writes a Parquet file for each file"
            )


def _label_archives(pages: tuple[str, ...], into: Path, processes: int | None, method: str, quiet: bool) -> None:
    """Label files in parallel processes."""
    from linksight.cli.progress import working
    from linksight.pages.input.batch import UNREADABLE, label_files

    files = [str(path) for page in pages for path in _files(Path(page))]
    counts: Counter[str] = Counter()
    n_done = n_before = 0
    with working(f"0 of {counted(len(files), 'file')}", quiet) as step:
        for report in label_files(files, into, n_processes=processes, method=method):
            n_done, n_before = n_done + 1, n_before + report.was_done
            counts += report.languages
            step(f"{n_done:,} of {counted(len(files), 'file')}, {counted(counts.total(), 'page')}")
    if not quiet:
        earlier = f", {n_before:,} of them by an earlier run" if n_before else ""
        click.echo(f"files: {n_done:,}{earlier}; pages labelled: {counts.total():,}", err=True)
        if counts:
            click.echo(_listed(counts), err=True)
    if UNREADABLE in counts:
        raise SystemExit(1)


def _files(path: Path) -> list[Path]:
    """Return a file, or the archives in a folder."""
    if path.is_dir():
        found = [child for child in sorted(path.rglob("*")) if child.is_file() and _holds_records(child.name)]
        if not found:
            raise click.ClickException(f"{path}: no WARC file in this folder")
        return found
    if not path.exists():
        raise click.ClickException(f"{path}: no such file or folder")
    return [path]


def _holds_records(name: str) -> bool:
    """Whether a file name is that of a web archive.

    >>> [_holds_records(name) for name in ("a.warc.gz", "a.wacz", "a.arc", "a.warc.gz.parquet", "march.html")]
    [True, True, True, False, False]
    """
    # The labels may be in the same folder, with the name of the archive and .parquet.
    return not name.endswith(".parquet") and (".warc" in name or name.endswith((".wacz", ".arc", ".arc.gz")))


def _label_pages(
    pages: tuple[str, ...], method: str, content_type: str | None, url: str | None, counts: Counter[str], quiet: bool,
    is_terminal: bool = False,
) -> Iterator[tuple[Page, PageLabel | None]]:  # fmt: skip
    """Yield each page with its label, or None if it is unreadable; no progress bar if rows go to a terminal."""
    from linksight.cli.progress import working
    from linksight.pages import identify as label_of
    from linksight.pages.input.sources import find

    has_hint = False  # print one hint a run
    with working("reading", quiet or is_terminal) as step:
        for where in pages:
            for page in _read(find(where), where, is_only=len(pages) == 1):
                if page.problem:
                    counts["unreadable"] += 1
                    yield page, None
                    continue
                label = label_of(page.body, page.content_type or content_type, page.url or url, method=method)
                counts[label.language] += 1
                if not (quiet or has_hint) and page.name == where and (hint := _hint(page, label)):
                    click.echo(hint, err=True)
                    has_hint = True
                step(counted(counts.total(), "page"))
                yield page, label


def _read(pages: Iterator[Page], where: str, *, is_only: bool) -> Iterator[Page]:
    """Yield the pages of an argument; a missing file is a row, but an error if it is the only argument."""
    from linksight.errors import BadData
    from linksight.pages.input.sources import Page

    try:
        yield from pages
    except BadData as error:
        if is_only:
            raise
        yield Page(where, b"", problem=str(error).removeprefix(f"{where}: "))


def _write(stream: IO[Any], form: str, rows: Iterator[tuple[Page, PageLabel | None]]) -> None:
    """Write rows as Parquet, CSV, JSON lines or text."""
    from linksight.pages.input.batch import COLUMNS, row_of, write_parquet

    if form == "parquet":
        write_parquet(stream, (row_of(page, label) for page, label in rows))
    elif form == "csv":
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(row_of(page, label) for page, label in rows)
    elif form == "jsonl":
        for page, label in rows:
            nested = (
                {name: value for name, value in label.as_dict().items() if name in _LIST_FIELDS} if label else {}
            )
            stream.write(json.dumps(row_of(page, label) | nested, ensure_ascii=False) + "\n")
    elif stream.isatty():
        _write_for_terminal(stream, rows)
    else:
        for page, label in rows:
            name, language, script, encoding, confidence, reason = _row(page, label)
            line = f"{language:<5} {script:<5} {encoding:<13} {confidence:<6} {harmless(name)}{_why(reason)}"
            stream.write(line + "\n")


def _write_for_terminal(stream: IO[str], rows: Iterator[tuple[Page, PageLabel | None]]) -> None:
    """Write rows for a terminal, with heading, names and percentages as in ``detect``."""
    from linksight.languages.registry import name
    from linksight.languages.scripts import script_name

    for n, (page, label) in enumerate(rows):
        if n == 0:
            heading = f"{'language':<24}  {'script':<10}  {'encoding':<13}  {'sure':>6}  page"
            stream.write(click.style(heading, bold=True) + "\n")
        language = label.language if label else "-"
        known = label is not None and language not in (UND, ZXX)
        words = name(language) if known else {ZXX: "no language"}.get(language, "")
        script = script_name(label.script) if label else "-"
        stream.write(
            f"{click.style(f'{language:<5}', fg='green' if known else 'yellow')} {words:<18.18}  {script:<10.10}  "
            f"{label.encoding if label else '-':<13}  {f'{label.confidence:.1%}' if label and known else '-':>6}  "
            f"{harmless(page.name)}{_why((label.reason if label else page.problem) or '')}\n"
        )


def _why(reason: str) -> str:
    return f"  ({reason})" if reason else ""


def _row(page: Page, label: PageLabel | None) -> tuple[str, ...]:
    """Return the columns of the text output."""
    if label is None:
        return page.name, "-", "-", "-", "-", page.problem or ""
    confidence = "-" if label.language in (UND, ZXX) else f"{label.confidence:.3f}"
    return page.name, label.language, label.script, label.encoding, confidence, label.reason or ""

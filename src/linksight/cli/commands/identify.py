"""``linksight identify``: language, script and encoding of pages."""

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

#: Fields of a label that are lists, in JSON alone.
_NESTED = ("candidates", "encoding_candidates", "spans", "declared")


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
        _many(pages, into, processes, method, quiet)
        return
    if processes is not None:
        raise click.UsageError("--processes is for many WARC files at a time: give --into as well")
    form = form or _form(output)
    if form == "parquet" and output is None:
        raise click.UsageError("parquet is binary: name a file with -o")
    counts: Counter[str] = Counter()
    if output is None:
        rows = _labelled(pages, method, content_type, url, counts, quiet, sys.stdout.isatty())
        _write(sys.stdout, form, rows)
    else:
        from linksight.system.atomic_write import check_place, whole_file

        check_place(output, pages)
        with whole_file(output, "wb" if form == "parquet" else "w") as stream:
            _write(stream, form, _labelled(pages, method, content_type, url, counts, quiet))
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
    """By the name of the output, as ``detect`` does; one without an ending, such as a device, gets JSON lines."""
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
    """Name the other command for a file that may be a list of URLs."""
    if label.language != ZXX or page.url is not None:
        return ""
    from linksight.bulk.sources import kind_of

    hint = f"{page.name}: if it is a list of URLs, detect their languages with: linksight detect -i {page.name}"
    return hint if kind_of(page.name) else ""


def _refuse_with_into(output: Path | None, form: str | None, url: str | None, content_type: str | None) -> None:
    """Refuse options that --into would ignore."""
    given = {"--output": output, "--format": form, "--url": url, "--content-type": content_type}
    for name, value in given.items():
        if value is not None:
            raise click.UsageError(
                f"{name} cannot be given with --into, which writes a Parquet file for each file"
            )


def _many(pages: tuple[str, ...], into: Path, processes: int | None, method: str, quiet: bool) -> None:
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
    if path.is_dir():
        found = [child for child in sorted(path.rglob("*")) if child.is_file() and _holds_records(child.name)]
        if not found:
            raise click.ClickException(f"{path}: no WARC file in this folder")
        return found
    if not path.exists():
        raise click.ClickException(f"{path}: no such file or folder")
    return [path]


def _holds_records(name: str) -> bool:
    """Whether a file of such a name is one of an archive.

    >>> [_holds_records(name) for name in ("a.warc.gz", "a.wacz", "a.arc", "a.warc.gz.parquet", "march.html")]
    [True, True, True, False, False]
    """
    # The labels may be written into the same folder, under the names of their files.
    return not name.endswith(".parquet") and (".warc" in name or name.endswith((".wacz", ".arc", ".arc.gz")))


def _labelled(
    pages: tuple[str, ...], method: str, content_type: str | None, url: str | None, counts: Counter[str], quiet: bool,
    shown: bool = False,
) -> Iterator[tuple[Page, PageLabel | None]]:  # fmt: skip
    """Each page with its label, or None if it could not be read; no bar where rows are ``shown`` on a terminal."""
    from linksight.cli.progress import working
    from linksight.pages import identify as label_of
    from linksight.pages.input.sources import find

    hinted = False  # one hint a run
    with working("reading", quiet or shown) as step:
        for where in pages:
            for page in _found(find(where), where, one=len(pages) == 1):
                if page.problem:
                    counts["unreadable"] += 1
                    yield page, None
                    continue
                label = label_of(page.body, page.content_type or content_type, page.url or url, method=method)
                counts[label.language] += 1
                if not (quiet or hinted) and page.name == where and (hint := _hint(page, label)):
                    click.echo(hint, err=True)
                    hinted = True
                step(counted(counts.total(), "page"))
                yield page, label


def _found(pages: Iterator[Page], where: str, *, one: bool) -> Iterator[Page]:
    """The pages of one argument; a missing file is a row unless the argument is the only ``one``."""
    from linksight.errors import BadData
    from linksight.pages.input.sources import Page

    try:
        yield from pages
    except BadData as error:
        if one:
            raise
        yield Page(where, b"", problem=str(error).removeprefix(f"{where}: "))


def _write(stream: IO[Any], form: str, rows: Iterator[tuple[Page, PageLabel | None]]) -> None:
    from linksight.pages.input.batch import COLUMNS, row_of, write_parquet

    if form == "parquet":
        write_parquet(stream, (row_of(page, label) for page, label in rows))
    elif form == "csv":
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(row_of(page, label) for page, label in rows)
    elif form == "jsonl":
        for page, label in rows:
            more = (
                {name: value for name, value in label.as_dict().items() if name in _NESTED} if label else {}
            )
            stream.write(json.dumps(row_of(page, label) | more, ensure_ascii=False) + "\n")
    elif stream.isatty():
        _write_for_people(stream, rows)
    else:
        for page, label in rows:
            name, language, script, encoding, confidence, reason = _row(page, label)
            shown = f"{language:<5} {script:<5} {encoding:<13} {confidence:<6} {harmless(name)}{_why(reason)}"
            stream.write(shown + "\n")


def _write_for_people(stream: IO[str], rows: Iterator[tuple[Page, PageLabel | None]]) -> None:
    """With a heading, names and percentages, as the table of ``detect`` has them."""
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
    if label is None:
        return page.name, "-", "-", "-", "-", page.problem or ""
    confidence = "-" if label.language in (UND, ZXX) else f"{label.confidence:.3f}"
    return page.name, label.language, label.script, label.encoding, confidence, label.reason or ""

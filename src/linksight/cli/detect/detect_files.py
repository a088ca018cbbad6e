"""``linksight detect -i FILE``: label tables of URLs, into a file, files by language, or standard output."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from linksight.cli.detect.detect_urls import reasons
from linksight.errors import BadConfig, BadData, LinksightError
from linksight.system.plural import counted

if TYPE_CHECKING:
    from linksight.bulk.annotate import Labels, Summary
    from linksight.bulk.job import Job
    from linksight.bulk.readers import Reader
    from linksight.bulk.sources import Source
    from linksight.url_model.model import UrlLanguageModel

_MAX_LISTED_FILES = 5  #: files without a URL that the report lists
FORMATS = ("table", "jsonl", "csv", "parquet", "arrow")
#: Hint for input read as a list: it may be tab-separated text from a spreadsheet.
_TABLE_HINT = "if it is a table, say so: --from csv"
_FILE_NAMES_HINT = (
    ".jsonl, .ndjson, .json, .csv, .parquet or .arrow, the first four also with .gz, .zst or .bz2"
)


def label_files(
    scorer: UrlLanguageModel, urls: tuple[str, ...], inputs: tuple[str, ...], options: dict[str, Any]
) -> None:
    """Label files, or URLs of the command line that go into a file."""
    from linksight.bulk.annotate import Labels
    from linksight.bulk.formats.text_encoding import known_encoding
    from linksight.bulk.job import check_apart
    from linksight.bulk.readers import Reader
    from linksight.bulk.sources import find_sources, given_urls

    sources = [given_urls(urls)] if urls else find_sources(inputs, options["kind"])
    if options["column"] not in (None, "url"):
        _check_tables(sources, options["column"])
    encoding = known_encoding(options["encoding"]) if options["encoding"] else None
    sources = [replace(source, encoding=encoding) for source in sources]
    reader = Reader(sources, has_header=not options["no_header"], delimiter=_delimiter(options["delimiter"]))
    labels = Labels(
        scorer=scorer, column=options["column"], languages=options["languages"], prefix=options["prefix"], top=options["top"],
        explain=options["explain"], folders=reader.folders(),
    )  # fmt: skip
    form = _form(options)
    if options["top"] > 1 and (options["folder"] or form == "table"):
        raise click.UsageError(
            "--top goes with --format jsonl, csv or parquet, and not with --split-by-language"
        )
    if options["explain"] and form in ("csv", "parquet", "arrow"):
        raise click.UsageError("--explain goes with --format table or jsonl")
    if (target := options["output"] or options["folder"]) is not None:
        check_apart(
            target, sources
        )  # first: an input that is also the output would fail with a misleading error about columns
    if form in ("csv", "parquet", "arrow"):
        reader.check_columns()
    if options["output"] is None and options["folder"] is None:
        with checked_output():
            summary = _to_stdout(reader, labels, form, options)
        _report(summary, reader, options)
        return
    if options["output"] is not None and options["folder"] is not None:
        raise click.UsageError("-o or --split-by-language, not both")
    if options["resume"] and any(source.stream for source in sources):
        raise click.UsageError("--resume needs files as input, which can be read again")
    summary_of_files = _to_files(reader, labels, form, options)
    if summary_of_files is not None:
        _report(summary_of_files, reader, options)
    elif not options["quiet"]:
        where = options["folder"] or options["output"]
        click.echo(f"{where}: finished by an earlier run; --overwrite replaces it", err=True)


def _check_tables(sources: list[Source], column: str) -> None:
    """Raise an error if --column is given for a list of URLs."""
    for source in sources:
        if source.kind == "text":
            raise BadData(f"{source.name}: one URL a line, so there is no column {column!r}; {_TABLE_HINT}")


def _delimiter(text: str | None) -> str | None:
    """Parse the delimiter: one character, or ``tab``."""
    delimiter = {"\\t": "\t", "tab": "\t"}.get(text or "", text)
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n'):
        raise click.UsageError(f"--delimiter is one character, such as ';' or tab, not {text!r}")
    return delimiter


def _form(options: dict[str, Any]) -> str:
    """Return the output format: from --format, the name of the output, or the kind of standard output."""
    from linksight.bulk.sources import kind_of
    from linksight.bulk.writers import packer_of

    if options["form"]:
        if options["form"] == "table" and (options["output"] or options["folder"]):
            raise click.UsageError("a file is written as jsonl, csv or parquet")
        if (
            options["form"] in ("parquet", "arrow")
            and options["output"]
            and packer_of(options["output"].name)
        ):
            raise click.UsageError(
                f"{options['output']}: Parquet is already compressed; give a name without that ending"
            )
        return str(options["form"])
    if options["folder"]:
        return "parquet"
    if options["output"] is None:
        return "table" if sys.stdout.isatty() else "jsonl"
    if options["output"].is_dir():
        raise click.UsageError(f"{options['output']}: a folder; to write into one give --split-by-language")
    kind = kind_of(options["output"].name)
    if kind not in FORMATS or (kind in ("parquet", "arrow") and packer_of(options["output"].name)):
        raise click.UsageError(
            f"{options['output']}: the name gives no format; use one of {_FILE_NAMES_HINT}; or give --format"
        )
    return kind


def _to_files(reader: Reader, labels: Labels, form: str, options: dict[str, Any]) -> Summary | None:
    """Write files; return None if --resume is given and an earlier run finished them."""
    from linksight.bulk.job import Job
    from linksight.bulk.remote_files import upload
    from linksight.cli.progress import measured

    if url := _remote_output(options["output"]):
        if options["resume"]:
            raise click.UsageError("--resume needs a local output")
        with TemporaryDirectory(prefix="linksight-") as folder:
            local = Path(folder) / options["output"].name
            summary = _to_files(reader, labels, form, options | {"output": local})
            upload(local, url)
        return summary
    job = Job(
        reader=reader, labels=labels, form=form, output=options["folder"] or options["output"],
        by_language=options["folder"] is not None,
    )  # fmt: skip
    if options["resume"] and not options["overwrite"] and job.is_finished:
        return None
    try:
        with measured(reader.total_bytes, options["quiet"]) as update:
            job.on_rows = lambda n_rows: update(reader.done_bytes, n_rows)
            return job.run(resume=options["resume"], overwrite=options["overwrite"])
    except KeyboardInterrupt:
        raise click.ClickException(f"stopped{_resumable(job)}") from None
    except SystemExit:  # SIGTERM, such as from a batch system at its time limit
        if not options["quiet"]:
            click.echo(f"stopped{_resumable(job)}", err=True)
        raise
    except OSError as error:
        raise click.ClickException(
            f"{job.output}: {_reason(error)}; nothing was written there{_resumable(job)}"
        ) from error
    except BadConfig:  # its message covers earlier runs
        raise
    except LinksightError as error:
        raise click.ClickException(f"{error}{_resumable(job)}") from error


def _remote_output(path: Path | None) -> str | None:
    """Restore the URL of a remote output from a path, which has collapsed its two slashes."""
    scheme, slash, rest = str(path or "").partition(":/")
    return f"{scheme}://{rest}" if slash and len(scheme) > 1 and scheme.isalnum() else None


def _resumable(job: Job) -> str:
    """Describe the finished rows that --resume can reuse."""
    n_rows = job.finished_rows()
    return (
        f"; {counted(n_rows, 'row is', 'rows are')} done and kept in {job.parts}: go on with --resume"
        if n_rows
        else ""
    )


def _to_stdout(reader: Reader, labels: Labels, form: str, options: dict[str, Any]) -> Summary:
    from linksight.bulk.job import label_stream
    from linksight.bulk.writers import make_writer
    from linksight.cli.progress import measured

    if form in ("parquet", "arrow") and sys.stdout.isatty():
        raise click.UsageError(f"{form} is not for a terminal; give -o FILE")
    if form == "table":
        from linksight.cli.detect.terminal_table import TableRows

        return label_stream(reader, labels, TableRows(labels), lambda _: None)
    writer = make_writer(form, sys.stdout.buffer, None, first=True, schema=None)
    with measured(reader.total_bytes, options["quiet"] or sys.stdout.isatty()) as update:
        return label_stream(reader, labels, writer, lambda n_rows: update(reader.done_bytes, n_rows))


@contextmanager
def checked_output() -> Iterator[None]:
    """Report a write error of standard output in one line; the caller handles a closed pipe."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        with suppress(OSError, ValueError):  # flushing the buffer at exit must not fail again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.ClickException(f"standard output: {_reason(error)}; the output is incomplete") from error


def _reason(error: OSError) -> str:
    return "disk full" if error.errno == errno.ENOSPC else error.strerror or str(error)


def _report(summary: Summary, reader: Reader, options: dict[str, Any]) -> None:
    """Print the counts; exit with 1 if rows have a problem."""
    if not options["quiet"]:
        _print_report(summary, reader)
    if summary.problems:
        sys.exit(1)


def _print_report(summary: Summary, reader: Reader) -> None:
    top = ", ".join(f"{language} {n:,}" for language, n in summary.languages.most_common(8))
    listed = f": {top}{', …' if len(summary.languages) > 8 else ''}" if top else ""
    click.echo(f"{counted(summary.n_rows, 'row')}{listed}", err=True)
    if summary.problems:
        click.echo(reasons(summary.problems), err=True)
    if len(reader.sources) > 1:
        _report_unused(summary.unused)
    elif summary.unused and reader.sources[0].kind == "text" and reader.sources[0].size:
        click.echo(f"{summary.unused[0]}: {_TABLE_HINT}", err=True)
    for name, encoding in reader.encodings.items():
        click.echo(f"{name}: read as {encoding}; --encoding overrides it", err=True)
    for name in sorted(reader.damaged):
        click.echo(f"{name}: some bytes could not be decoded; give the encoding with --encoding", err=True)


def _report_unused(names: list[str]) -> None:
    """List the files without a URL, such as a README in a folder of lists."""
    for name in names[:_MAX_LISTED_FILES]:
        click.echo(
            f"{name}: not one URL in it; if it is no list of URLs, give the others by name or pattern",
            err=True,
        )
    if len(names) > _MAX_LISTED_FILES:
        click.echo(f"and {counted(len(names) - _MAX_LISTED_FILES, 'file')} more without a URL", err=True)

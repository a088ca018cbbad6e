"""``linksight detect``: the language of pages, from their URLs alone."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linksight import languages
from linksight.cli import completion
from linksight.cli.detect_few import reasons, show_few
from linksight.cli.labelled import once
from linksight.counts import counted
from linksight.errors import LinksightError

if TYPE_CHECKING:
    from linksight.scorer import Scorer
    from linksight.tabular.jobs import Job
    from linksight.tabular.labels import Labels, Summary
    from linksight.tabular.readers import Reader

FORMATS = ("table", "jsonl", "csv", "parquet")
_NAMES = ".jsonl, .ndjson, .json, .csv or .parquet, the first four also with .gz, .zst or .bz2"
_OF_FILES = {
    "column": "column", "kind": "from", "no_header": "no-header", "delimiter": "delimiter", "prefix": "prefix",
}  # fmt: skip


@click.command()
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option("-i", "--input", "inputs", multiple=True, metavar="FILE|FOLDER|GLOB|-", shell_complete=completion.files,
              help="URLs in files: text, CSV, JSON lines or Parquet, plain, .gz or .zst. May be given again.")  # fmt: skip
@click.option("--from", "kind", type=click.Choice(["text", "csv", "tsv", "jsonl", "parquet"]),
              help="Kind of the input, where its name does not tell.")  # fmt: skip
@click.option("--column", metavar="NAME", multiple=True, callback=once,
              help="Column of the URLs  [default: url, or the only one]")  # fmt: skip
@click.option(
    "--no-header", is_flag=True, help="CSV without names: they become column_1, column_2 and so on."
)
@click.option("--delimiter", metavar="CHARACTER",
              help="Between the fields of CSV  [default: told by the header: comma, semicolon, tab or |]")  # fmt: skip
@click.option("--format", "form", type=click.Choice(FORMATS),
              help="Of the output  [default: by the name of -o; table on a terminal, else jsonl]")  # fmt: skip
@click.option("-o", "--output", "--out", "output", type=click.Path(path_type=Path), metavar="FILE",
              help="Write here: whole, or not at all.")  # fmt: skip
@click.option("--split-by-language", "folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Write one file a language into this folder, as Parquet unless --format says otherwise.")  # fmt: skip
@click.option(
    "--languages",
    metavar="LIST",
    shell_complete=completion.comma_list(completion.languages),
    help="Only these, such as nl,fy: codes, ISO 639-3 or names.",
)
@click.option("--priors", metavar="LIST", help="Base rates in your collection, such as nl=0.018,fy=0.0002.")
@click.option("--min-probability", type=click.FloatRange(0, 1), metavar="P",
              help="Below this the language is und  [default: the model's own]")  # fmt: skip
@click.option("--explain", is_flag=True, help="Say which parts of the URL spoke for which language.")
@click.option("--prefix", default="", metavar="TEXT", help="Before the names of the columns that are added.")
@click.option(
    "--model", type=click.Path(), metavar="FILE", help="A model of your own instead of the bundled one."
)
@click.option("--resume", is_flag=True, help="Go on with a run that was killed, behind what it finished.")
@click.option(
    "--overwrite", is_flag=True, help="Replace an output that is there, or start a killed run again."
)
@click.option(
    "--stream", is_flag=True, help="A filter: URL or JSON lines on stdin, JSON lines on stdout, at once."
)
@click.option("-q", "--quiet", is_flag=True, help="No progress, no summary.")
def detect(urls: tuple[str, ...], inputs: tuple[str, ...], **options: Any) -> None:
    """The language of pages, from their URLs alone.

    Columns of a file are kept; language, probability and problem are added. A URL that cannot be
    used is und in a file, with the reason, and reasons are counted on stderr.

    \b
    linksight detect https://www.lemonde.fr/economie/
    linksight detect --explain --languages nl,fy https://www.grien.frl/
    linksight detect -i urls.txt.gz --format csv > languages.csv
    linksight detect -i crawl/ --column target_uri -o languages.parquet --resume
    linksight detect -i big.parquet --split-by-language by-language/
    tail -f outlinks.txt | linksight detect --stream | jq --unbuffered -r 'select(.language == "nl").url'
    """
    if sum((bool(urls), bool(inputs), options["stream"])) != 1:
        raise click.UsageError("give URLs, or -i FILE, or --stream: one of them")
    _check_heeded(bool(urls), options)
    _warn_of_one_language(options)
    scorer = _scorer(options["model"], options["priors"], options["min_probability"])
    if options["stream"]:
        _stream(scorer, options)
    elif urls and options["output"] is None and options["folder"] is None and options["form"] != "parquet":
        show_few(scorer, urls, options)
    else:
        _many(scorer, urls, inputs, options)


def _check_heeded(few: bool, options: dict[str, Any]) -> None:
    """Refuse options that would be ignored: whoever gives one means something by it."""
    to_file = options["output"] is not None or options["folder"] is not None
    for name in ("resume", "overwrite"):
        if options[name] and not to_file and not options["stream"]:
            raise click.UsageError(
                f"--{name} goes with -o or --split-by-language: there is nothing to {name}"
            )
    for name, flag in _OF_FILES.items():
        if few and options[name]:
            raise click.UsageError(f"--{flag} is for files, given with -i; URLs need none")


def _warn_of_one_language(options: dict[str, Any]) -> None:
    """Among one language every URL is of it: hardly what was asked for."""
    only = languages.find_all(options["languages"] or ())
    if len(only) == 1 and not options["quiet"]:
        click.echo(
            f"only {only[0]} is considered, so every URL is {only[0]}; to find the URLs that are, leave"
            " --languages out and look at language and probability",
            err=True,
        )


def _scorer(path: str | None, priors: str | None, least: float | None) -> Scorer:
    import linksight

    scorer = linksight.load(path)
    if priors:
        scorer = scorer.with_priors(languages.rates(priors))
    return scorer if least is None else replace(scorer, calibration=replace(scorer.calibration, doubt=least))


# --- files --------------------------------------------------------------------------------------


def _many(scorer: Scorer, urls: tuple[str, ...], inputs: tuple[str, ...], options: dict[str, Any]) -> None:
    from linksight.tabular.labels import Labels
    from linksight.tabular.readers import Reader
    from linksight.tabular.sources import find_sources, given_urls

    sources = [given_urls(urls)] if urls else find_sources(inputs, options["kind"])
    reader = Reader(sources, has_header=not options["no_header"], delimiter=_delimiter(options["delimiter"]))
    labels = Labels(
        scorer=scorer, column=options["column"], languages=options["languages"], prefix=options["prefix"],
        explain=options["explain"],
    )  # fmt: skip
    form = _form(options)
    if options["explain"] and form in ("csv", "parquet"):
        raise click.UsageError("--explain goes with --format table or jsonl")
    if form in ("csv", "parquet"):
        reader.check_columns()
    if options["output"] is None and options["folder"] is None:
        with _whole_output():
            summary = _to_stdout(reader, labels, form, options)
        _report(summary, reader, options)
        return
    if options["output"] is not None and options["folder"] is not None:
        raise click.UsageError("-o or --split-by-language, not both")
    if options["resume"] and any(source.stream for source in sources):
        raise click.UsageError("--resume needs files as input, which can be read again")
    written = _to_files(reader, labels, form, options)
    if written is not None:
        _report(written, reader, options)
    elif not options["quiet"]:
        where = options["folder"] or options["output"]
        click.echo(f"{where}: finished by an earlier run; --overwrite makes it anew", err=True)


def _delimiter(given: str | None) -> str | None:
    """One character; a tab may be written as people write it."""
    delimiter = {"\\t": "\t", "tab": "\t"}.get(given or "", given)
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n'):
        raise click.UsageError(f"--delimiter is one character, such as ';' or tab, not {given!r}")
    return delimiter


def _form(options: dict[str, Any]) -> str:
    from linksight.tabular.sources import kind_of

    if options["form"]:
        if options["form"] == "table" and (options["output"] or options["folder"]):
            raise click.UsageError("a file is written as jsonl, csv or parquet")
        return str(options["form"])
    if options["folder"]:
        return "parquet"
    if options["output"] is None:
        return "table" if sys.stdout.isatty() else "jsonl"
    if options["output"].is_dir():
        raise click.UsageError(f"{options['output']}: a folder; to write into one give --split-by-language")
    kind = kind_of(options["output"].name)
    if kind not in FORMATS:
        raise click.UsageError(
            f"{options['output']}: cannot tell the format by the name, which is one of {_NAMES}; or give --format"
        )
    return kind


def _to_files(reader: Reader, labels: Labels, form: str, options: dict[str, Any]) -> Summary | None:
    """Write them; None where an earlier run has, and this one shall only go on."""
    from linksight.cli.progress import measured
    from linksight.tabular.jobs import Job

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
        raise click.ClickException(f"stopped{_kept(job)}") from None
    except OSError as error:
        raise click.ClickException(
            f"{job.output}: {_reason(error)}; nothing was written there{_kept(job)}"
        ) from error
    except LinksightError as error:
        raise click.ClickException(f"{error}{_kept(job)}") from error


def _kept(job: Job) -> str:
    n_rows = job.finished_rows()
    return (
        f"; {counted(n_rows, 'row is', 'rows are')} done and kept in {job.parts}: go on with --resume"
        if n_rows
        else ""
    )


def _to_stdout(reader: Reader, labels: Labels, form: str, options: dict[str, Any]) -> Summary:
    from linksight.cli.progress import measured
    from linksight.tabular.jobs import label_stream
    from linksight.tabular.writers import make_writer

    if form == "parquet" and sys.stdout.isatty():
        raise click.UsageError("Parquet is not for a terminal; give -o FILE")
    if form == "table":
        from linksight.cli.detections import TableRows

        return label_stream(reader, labels, TableRows(labels), lambda _: None)
    writer = make_writer(form, sys.stdout.buffer, None, first=True, schema=None)
    with measured(reader.total_bytes, options["quiet"] or sys.stdout.isatty()) as update:
        return label_stream(reader, labels, writer, lambda n_rows: update(reader.done_bytes, n_rows))


@contextmanager
def _whole_output() -> Iterator[None]:
    """Standard output that takes no more is an error of one line; a closed pipe is none of ours."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        with suppress(OSError, ValueError):  # what is left in the buffer must not fail once more at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.ClickException(
            f"standard output: {_reason(error)}; what is there is not whole"
        ) from error


def _reason(error: OSError) -> str:
    return "disk full" if error.errno == errno.ENOSPC else error.strerror or str(error)


def _report(summary: Summary, reader: Reader, options: dict[str, Any]) -> None:
    if options["quiet"]:
        return
    top = ", ".join(f"{language} {n:,}" for language, n in summary.languages.most_common(8))
    listed = f": {top}{', …' if len(summary.languages) > 8 else ''}" if top else ""
    click.echo(f"{counted(summary.n_rows, 'row')}{listed}", err=True)
    if summary.problems:
        click.echo(reasons(summary.problems), err=True)
    for name in sorted(reader.foreign):
        click.echo(
            f"{name}: not all of it is UTF-8, and what could not be read became \ufffd; make it UTF-8 first, such as"
            f" with: iconv -f latin1 -t utf8 {name}",
            err=True,
        )


# --- the pipe -----------------------------------------------------------------------------------


def _stream(scorer: Scorer, options: dict[str, Any]) -> None:
    from linksight.tabular.filters import run_filter

    unfit = [
        name
        for name in ("output", "folder", "resume", "overwrite", "kind", "no_header", "delimiter")
        if options[name]
    ]
    if unfit or options["form"] not in (None, "jsonl"):
        raise click.UsageError(
            "--stream reads stdin and writes JSON lines to stdout; it takes no files or formats"
        )
    with _whole_output():
        problems = run_filter(
            scorer, sys.stdin.buffer, sys.stdout.buffer, languages=options["languages"],
            column=options["column"] or "url", explain=options["explain"],
        )  # fmt: skip
    if problems and not options["quiet"]:
        click.echo(reasons(problems), err=True)

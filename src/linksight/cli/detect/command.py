"""``linksight detect``: predict the language of pages from their URLs."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linksight.cli import completion
from linksight.cli.detect.detect_files import FORMATS, checked_output, label_files
from linksight.cli.detect.detect_urls import report_problems, show_few
from linksight.cli.options import joined, once, or_stdout
from linksight.languages import registry

if TYPE_CHECKING:
    from linksight.url_model.model import UrlLanguageModel

_FILE_OPTIONS = {
    "column": "column", "kind": "from", "no_header": "no-header", "delimiter": "delimiter", "encoding": "encoding",
    "prefix": "prefix",
}  # fmt: skip


@click.command()
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option("-i", "--input", "inputs", multiple=True, metavar="FILE|FOLDER|GLOB|-", shell_complete=completion.files,
              help="Files or URLs: text, CSV, JSON lines, Parquet, Arrow; repeatable.")  # fmt: skip
@click.option("--from", "kind", type=click.Choice(["text", "csv", "tsv", "jsonl", "parquet", "arrow"]),
              help="Kind of the input, if its name does not show it.")  # fmt: skip
@click.option("--column", metavar="NAME", multiple=True, callback=once,
              help="Column of the URLs; page.url is a field of one  [default: url, or the only one]")  # fmt: skip
@click.option(
    "--no-header", is_flag=True, help="CSV has no header; columns become column_1, column_2 and so on."
)
@click.option("--delimiter", metavar="CHARACTER",
              help="Delimiter of CSV fields  [default: by the header: comma, semicolon, tab or |]")  # fmt: skip
@click.option("--encoding", metavar="NAME",
              help="Encoding of text, such as windows-1252  [default: detected]")  # fmt: skip
@click.option("--format", "form", type=click.Choice(FORMATS),
              help="Output format  [default: by the name of -o; table on a terminal, else jsonl]")  # fmt: skip
@click.option("-o", "--output", "--out", "output", type=click.Path(path_type=Path), metavar="FILE",
              callback=or_stdout, help="Output file, written atomically.")  # fmt: skip
@click.option("--split-by-language", "folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Write one file per language into this folder (Parquet by default).")  # fmt: skip
@click.option(
    "--languages",
    multiple=True,
    callback=joined,
    metavar="LIST",
    shell_complete=completion.comma_list(completion.languages),
    help="Restrict the answer to these languages, such as nl,fy.",
)
@click.option(
    "--priors",
    metavar="LIST",
    multiple=True,
    callback=joined,
    help="Base rates in your collection, such as nl=0.018,fy=0.0002.",
)
@click.option("--min-probability", type=click.FloatRange(0, 1), metavar="P",
              help="Answer und below this probability  [default: the model's own]")  # fmt: skip
@click.option("--top", type=click.IntRange(1, 5), default=1, show_default=True, metavar="N",
              help="Candidates per URL; above 1 language and probability are lists.")  # fmt: skip
@click.option("--explain", is_flag=True, help="Show which parts of the URL favour which language.")
@click.option("--prefix", default="", metavar="TEXT", help="Prefix for the names of the added columns.")
@click.option("--model", type=click.Path(), metavar="FILE", help="Use this model instead of the bundled one.")
@click.option("--resume", is_flag=True, help="Resume an interrupted run.")
@click.option("--overwrite", is_flag=True, help="Replace an existing output, or restart an interrupted run.")
@click.option("--stream", is_flag=True, help="Answer each line of stdin at once, as JSON lines.")
@click.option("-q", "--quiet", is_flag=True, help="Hide progress and summary.")
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
        raise click.UsageError("give URLs, or -i FILE, or --stream: one of them; standard input is -i -")
    _check_options(bool(urls), options)
    scorer = _scorer(options["model"], options["priors"], options["min_probability"])
    _warn_of_one_language(scorer, options)
    if options["stream"]:
        _stream(scorer, options)
    elif (
        urls
        and options["output"] is None
        and options["folder"] is None
        and options["form"] not in ("parquet", "arrow")
    ):
        show_few(scorer, urls, options)
    else:
        label_files(scorer, urls, inputs, options)


def _check_options(few: bool, options: dict[str, Any]) -> None:
    """Raise an error for options that would have no effect."""
    to_file = options["output"] is not None or options["folder"] is not None
    for name in ("resume", "overwrite"):
        if options[name] and not to_file and not options["stream"]:
            raise click.UsageError(
                f"--{name} goes with -o or --split-by-language: there is nothing to {name}"
            )
    for name, flag in _FILE_OPTIONS.items():
        if few and options[name]:
            raise click.UsageError(f"--{flag} is for files, given with -i")


def _warn_of_one_language(scorer: UrlLanguageModel, options: dict[str, Any]) -> None:
    """Warn if only one language is a candidate, because every URL then gets it."""
    columns = scorer.class_indices(options["languages"] or None) or ()
    if len(columns) == 1 and not options["quiet"]:
        only = scorer.languages[columns[0]]
        click.echo(
            f"only {only} is considered, so every URL is {only}; to find the URLs that are, leave"
            " --languages out and look at language and probability",
            err=True,
        )


def _scorer(path: str | None, priors: str | None, min_probability: float | None) -> UrlLanguageModel:
    import linksight

    scorer = linksight.load(path)
    if priors:
        scorer = scorer.with_priors(registry.rates(priors))
    if min_probability is None:
        return scorer
    return replace(scorer, calibration=replace(scorer.calibration, reject_threshold=min_probability))


def _stream(scorer: UrlLanguageModel, options: dict[str, Any]) -> None:
    from linksight.bulk.stdin_stream import run_filter

    unsupported = ["top"] * (options["top"] > 1) + [
        name
        for name in ("output", "folder", "resume", "overwrite", "kind", "no_header", "delimiter", "encoding")
        if options[name]
    ]
    if unsupported or options["form"] not in (None, "jsonl"):
        raise click.UsageError(
            "--stream reads stdin and writes JSON lines to stdout; it takes no files or formats"
        )
    with checked_output():
        problems = run_filter(
            scorer, sys.stdin.buffer, sys.stdout.buffer, languages=options["languages"],
            column=options["column"] or "url", prefix=options["prefix"], explain=options["explain"],
        )  # fmt: skip
    report_problems(problems, options["quiet"])

"""``linksight evaluate``: measure a model on labelled URLs."""

from __future__ import annotations

from pathlib import Path

import click

from linksight.cli import options
from linksight.cli.formats import named_format_option
from linksight.cli.options import PATH, or_stdout
from linksight.system.plural import counted


# fmt: off
@click.command()
@click.argument("model", type=PATH)
@click.argument("data", type=click.Path(path_type=Path, allow_dash=True))
@options.languages
@click.option("--least", "min_urls", default=1, show_default=True, type=options.POSITIVE, help="Do not measure languages with fewer URLs.")
@options.labelled
@named_format_option("table", "json", "jsonl", "csv", "parquet")
@click.option("-o", "--output", type=PATH, callback=or_stdout, help="Write to this file, not to stdout; one that is there is replaced.")
@options.json_figures
@options.hosting
@options.quiet
def evaluate(
    model: Path, data: Path, languages: str | None, min_urls: int, url_column: str, language_column: str, kind: str | None,
    form: str, output: Path | None, json_path: Path | None, skip_unknown: bool, hosting: Path | None, quiet: bool,
) -> None:
    # fmt: on
    """Measure MODEL (a file, or "bundled") on DATA, a table with columns url and language, or - for stdin.

    Each language is a yes-or-no question. "P plain" is the precision on these rows; "P bal." is the papers': for as
    many URLs of the language as of others, as are F1 and p(-|-). R is recall. Their means and the confusion of
    languages follow. DATA needs URLs of two languages or more.

    \b
    linksight evaluate model labelled.parquet
    linksight evaluate bundled labelled.csv --languages en,de,fr,es,it --json figures.json
    zcat labelled.jsonl.gz | linksight evaluate model - --from jsonl --format csv
    """
    from linksight.cli.progress import working
    from linksight.lab.evaluation.evaluation_tables import show_evaluation, write_evaluation
    from linksight.lab.evaluation.labelled_urls import load_labelled
    from linksight.lab.evaluation.training import evaluate_model
    from linksight.system.atomic_write import check_place

    for path in (output, json_path):
        if path is not None:
            check_place(path, (model, data))
    with working("reading", quiet):
        classifier = _load(model, hosting)
        rows = load_labelled(
            data, url_column=url_column, language_column=language_column, kind=kind, skip_unknown=skip_unknown
        )
        if languages:
            rows = rows.of_languages(languages.split(","))
        rows = rows.of_addresses()  # models reject text that is not a URL
    with working(f"asking about {counted(len(rows), 'URL')}", quiet):
        evaluation = evaluate_model(classifier, rows, min_urls)
    for reason, n in rows.dropped.items():
        click.echo(f"left out: {reason}: {n:,}", err=True)
    if json_path is not None:
        write_evaluation(evaluation, json_path, "json")
    if form == "table" and output is None:
        click.echo(show_evaluation(evaluation))
    else:
        write_evaluation(evaluation, output, form)


def _load(model: Path, hosting: Path | None) -> object:
    """Load the bundled model or a model file."""
    if str(model) == "bundled":
        from linksight import load

        return load()
    from linksight.errors import ModelFormatError
    from linksight.models import load as load_model

    if not model.exists():
        raise ModelFormatError(model, "no such file")
    return load_model(model, hosting)

"""The option ``--format``, and output formats by file extension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

_FORMAT_OF_EXTENSION = {
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet", ".pq": "parquet",
    ".md": "markdown", ".txt": "regex", ".py": "scrapy", ".xml": "heritrix", ".cxml": "heritrix", ".yaml": "browsertrix",
    ".yml": "browsertrix",
}  # fmt: skip
_COMPRESSED = (".gz", ".zst")


def format_option(*forms: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Option ``--format``, passed as ``form``; the first format is the default."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        default=forms[0],
        show_default=True,
        help="What is written.",
    )


def named_format_option(
    *forms: str, what: str = "What is written"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Option ``--format`` of a command with ``-o``; the default is the format of that file name."""

    def chosen(context: click.Context, _option: click.Parameter, value: str | None) -> str:
        output = context.params.get("output") or context.params.get("out")
        return value or form_of(Path(output) if output else None, forms)

    return click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        callback=chosen,
        help=f"{what}  [default: by the name of -o, else {forms[0]}]",
    )


def form_of(output: Path | None, forms: Sequence[str]) -> str:
    """Return the format of a file name, compressed or not; by default the first format.

    >>> form_of(Path("figures.csv.gz"), ("table", "csv")), form_of(Path("figures.txt"), ("table", "csv"))
    ('csv', 'table')
    """
    if output is None:
        return forms[0]
    inner = output.with_suffix("") if output.suffix.lower() in _COMPRESSED else output
    found = _FORMAT_OF_EXTENSION.get(inner.suffix.lower(), forms[0])
    return found if found in forms else forms[0]

"""The option ``--format``, and output formats by file name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

_ENDINGS = {
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet", ".pq": "parquet",
    ".md": "markdown", ".txt": "regex", ".py": "scrapy", ".xml": "heritrix", ".cxml": "heritrix", ".yaml": "browsertrix",
    ".yml": "browsertrix",
}  # fmt: skip
_PACKED = (".gz", ".zst")


def format_option(*forms: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``--format``, which the command takes as ``form``; the first is the default."""
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
    """``--format`` of a command that has ``-o``, too, whose name is the default."""

    def chosen(context: click.Context, _option: click.Parameter, given: str | None) -> str:
        output = context.params.get("output") or context.params.get("out")
        return given or form_of(Path(output) if output else None, forms)

    return click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        callback=chosen,
        help=f"{what}  [default: by the name of -o, else {forms[0]}]",
    )


def form_of(output: Path | None, forms: Sequence[str]) -> str:
    """The format that the name of a file has, compressed or not; else the first.

    >>> form_of(Path("figures.csv.gz"), ("table", "csv")), form_of(Path("figures.txt"), ("table", "csv"))
    ('csv', 'table')
    """
    if output is None:
        return forms[0]
    inner = output.with_suffix("") if output.suffix.lower() in _PACKED else output
    found = _ENDINGS.get(inner.suffix.lower(), forms[0])
    return found if found in forms else forms[0]

"""The option ``--format`` of commands that always write one of a few."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


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

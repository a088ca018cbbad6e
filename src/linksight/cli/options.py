"""Options that several commands share, and what becomes of the values that are given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

#: Of commands that read a table of labelled URLs.
_LABELLED = (
    click.option(
        "--url-column",
        default="url",
        show_default=True,
        help="The column of the URLs; page.url is a field of one.",
    ),
    click.option(
        "--language-column", default="language", show_default=True, help="The column of their languages."
    ),
    click.option(
        "--from",
        "kind",
        type=click.Choice(["csv", "tsv", "jsonl", "parquet"]),
        help="Kind of DATA, if its name does not show it.",
    ),
    click.option(
        "--skip-unknown", is_flag=True, help="Leave out rows of unknown languages; else they are an error."
    ),
)


def once(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> str | None:
    """The only value of an option that is ``multiple`` so that a second one is no longer lost without a word."""
    if len(values) > 1:
        raise click.BadParameter(f"given {len(values)} times: {', '.join(values)}; one is needed", ctx, param)
    return values[0] if values else None


def joined(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> str | None:
    """A list that may be given in pieces: the first ones are no longer lost without a word."""
    return ",".join(values) if values else None


def or_stdout(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """Where to write; ``-`` is standard output, as it is standard input elsewhere, and no file of that name."""
    return None if path is not None and str(path) in ("-", "/dev/stdout") else path


def given_options() -> dict[str, str]:
    """The options that were given on the command line: the name of each, and how it is written."""
    context = click.get_current_context()
    return {
        parameter.name: max(parameter.opts, key=len)
        for parameter in context.command.params
        if parameter.name and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
    }


def labelled(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a table of labelled URLs to a command."""
    for option in reversed(_LABELLED):
        command = option(command)
    return command

"""Options that several commands share, and their callbacks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from linksight.cli import completion
from linksight.errors import BadData

PATH = click.Path(path_type=Path)
FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
POSITIVE, NATURAL = click.IntRange(min=1), click.IntRange(min=0)


def once(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> str | None:
    """Return the value of an option that may occur once; ``multiple`` makes a second value an error."""
    if len(values) > 1:
        raise click.BadParameter(f"given {len(values)} times: {', '.join(values)}; one is needed", ctx, param)
    return values[0] if values else None


def joined(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> str | None:
    """Join the values of a repeatable list option by commas."""
    return ",".join(values) if values else None


def or_stdout(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """Return the output path, or None for standard output (``-``)."""
    return None if path is not None and str(path) in ("-", "/dev/stdout") else path


def given_options() -> dict[str, str]:
    """Return the options on the command line: parameter name -> flag."""
    context = click.get_current_context()
    return {
        parameter.name: max(parameter.opts, key=len)
        for parameter in context.command.params
        if parameter.name and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
    }


def text_of(path: Path) -> str:
    """Read a UTF-8 text file; invalid UTF-8 is an error."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadData(f"{path}: not a text file in UTF-8; was another file meant?") from None


quiet = click.option("-q", "--quiet", is_flag=True, help="Hide progress and summary.")
languages = click.option(
    "--languages", multiple=True, callback=joined, shell_complete=completion.comma_list(completion.languages),
    help="Use only rows of these languages, such as en,de,fr.",
)  # fmt: skip
hosting = click.option(
    "--hosting", type=PATH, help="Database of hosting countries (.mmdb), for ip and custom features."
)
nameservers = click.option(
    "--nameserver", "nameservers", multiple=True, metavar="ADDRESS",
    help="Ask this name server, such as 9.9.9.9 or 127.0.0.1:5353.",
)  # fmt: skip
json_figures = click.option(
    "--json", "json_path", type=PATH, help="Also write all figures to this JSON file."
)
#: Options of commands that read a table of labelled URLs.
_TABLE_OPTIONS = (
    click.option("--url-column", default="url", show_default=True,
                 help="The column of the URLs; page.url is a field of one."),
    click.option("--language-column", default="language", show_default=True, help="The column of their languages."),
    click.option("--from", "kind", type=click.Choice(["csv", "tsv", "jsonl", "parquet"]),
                 help="Kind of DATA, if its name does not show it."),
    click.option("--skip-unknown", is_flag=True, help="Leave out rows of unknown languages; else they are an error."),
)  # fmt: skip


def labelled(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for a table of labelled URLs to a command."""
    for option in reversed(_TABLE_OPTIONS):
        command = option(command)
    return command

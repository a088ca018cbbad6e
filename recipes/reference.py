"""Writes docs/reference.md from the commands and docstrings: python recipes/reference.py [--check]"""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))
PAGE = ROOT / "docs" / "reference.md"
#: Classes whose methods users call.
CLASSES = (
    "linksight.scorer:Scorer", "linksight.records:Detection", "linksight.records:PageLabel",
    "linksight.sites.patterns:PatternSet", "linksight.sites.patterns:Pattern", "linksight.models.base:UrlClassifier",
)  # fmt: skip
FUNCTIONS = ("linksight.models:make_classifier", "linksight.models:load")


def commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    """A command and all below it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, f"{path} {name}")


def described(path: str, command: click.Command) -> str:
    """A command as its own help shows it."""
    context = click.Context(command, info_name=path, terminal_width=100, help_option_names=["-h", "--help"])
    return f"### {path}\n\n```text\n{command.get_help(context).strip()}\n```\n"


def undocumented(path: str, command: click.Command) -> list[str]:
    """What of a command has no help: itself, or an option whose name does not say it."""
    plain = {
        "--format",
        "-o",
        "--output",
        "--url-column",
        "--language-column",
        "--model",
        "--help",
        "--version",
    }
    lacks = [] if command.help or path == "linksight" else [path]
    for option in command.params:
        if isinstance(option, click.Option) and not option.help and not set(option.opts) & plain:
            lacks.append(f"{path} {option.opts[0]}")
    return lacks


def documented(name: str) -> str:
    """A class with its public methods, or a function, from the docstrings."""
    module, attribute = name.split(":")
    thing = getattr(importlib.import_module(module), attribute)
    lines = [f"### {module}.{attribute}\n", _entry(attribute, thing)]
    if inspect.isclass(thing):
        for own, value in vars(thing).items():
            if not own.startswith("_") and (
                inspect.isfunction(value) or isinstance(value, property | classmethod)
            ):
                lines.append(_entry(own, value))
    return "\n".join(lines) + "\n"


def _entry(name: str, thing: object) -> str:
    what = (
        thing.fget
        if isinstance(thing, property)
        else thing.__func__
        if isinstance(thing, classmethod)
        else thing
    )
    first = (inspect.getdoc(what) or "").split("\n\n")[0].replace("\n", " ")
    if isinstance(thing, property) or inspect.isclass(thing):
        return f"- `{name}`: {first}"
    return f"- `{name}{str(inspect.signature(what)).replace(chr(39), '')}`: {first}"  # type: ignore[arg-type]


def page() -> str:
    """The whole page."""
    import linksight
    from linksight import errors
    from linksight.cli import main

    parts = [
        "# Reference\n",
        "Made by `python recipes/reference.py` from the commands and docstrings.\n",
        "## Commands\n",
    ]
    parts += [described(path, command) for path, command in commands(main, "linksight")]
    parts.append("## Python: `import linksight`\n")
    parts.append(
        "\n".join(
            _entry(name, getattr(linksight, name)) for name in linksight.__all__ if name != "__version__"
        )
        + "\n"
    )
    parts += [documented(name) for name in (*FUNCTIONS, *CLASSES)]
    parts += ["## Errors\n", f"```text\n{inspect.getdoc(errors)}\n```\n"]
    return "\n".join(parts)


def main() -> None:
    """Write the page, or with --check say whether it is up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    text = page()
    if not parser.parse_args().check:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        sys.exit("docs/reference.md is out of date: python recipes/reference.py")


if __name__ == "__main__":
    main()

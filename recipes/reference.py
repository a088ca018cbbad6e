"""Writes the pages of docs/reference from the declarations in the code: python recipes/reference.py [--check]

``commands.md`` holds the help of every command. ``settings.md`` holds environment variables, settings and reasons.
``python.md`` lists the public names, which mkdocstrings documents from their docstrings. A setting without a
description is an error.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))
FOLDER = ROOT / "docs" / "reference"
#: Classes whose methods users call.
CLASSES = (
    "linksight.url_model.model:UrlLanguageModel", "linksight.results:Detection", "linksight.results:PageLabel",
    "linksight.results:Declaration", "linksight.results:Span", "linksight.results:Decision",
    "linksight.sites.patterns.pattern:PatternSet", "linksight.sites.patterns.pattern:Pattern", "linksight.models.estimator:UrlClassifier",
)  # fmt: skip
FUNCTIONS = (
    "linksight.models:make_classifier", "linksight.models:load", "linksight.url_model.add_language:add_language",
    "linksight.crawl.run.api:start_crawl", "linksight.crawl.run.api:resume_crawl",
    "linksight.integrations.spark:detect", "linksight.integrations.spark:identify", "linksight.integrations.spark:evaluate",
)  # fmt: skip


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
    return f"## {path}\n\n```help\n{command.get_help(context).strip()}\n```\n"


def fields_of(kind: type) -> list[tuple[str, str, str]]:
    """(name, default, meaning) of a dataclass's fields; the meaning is its help or the comment beside it."""
    notes = _notes(kind)
    rows = []
    for field in dataclasses.fields(kind):
        if field.name.startswith("_") or not field.init:
            continue
        given = field.default is not dataclasses.MISSING
        default = (
            ""
            if not given
            else repr(field.default)
            if not isinstance(field.default, Path)
            else str(field.default)
        )
        rows.append((field.name, default, field.metadata.get("help") or notes.get(field.name, "")))
    return rows


def _notes(kind: type) -> dict[str, str]:
    """The ``#:`` comment on each field's line."""
    found = {}
    for line in inspect.getsource(kind).splitlines():
        if match := re.match(r"    (\w+): .*?#: (.*)", line):
            found[match[1]] = match[2]
    return found


def settings_table(title: str, about: str, rows: list[tuple[str, str, str]]) -> str:
    """A table of settings; one without a meaning is an error."""
    lacking = [name for name, _, meaning in rows if not meaning]
    if lacking:
        raise SystemExit(f"{title}: no description of {', '.join(lacking)}")
    lines = [
        f"| `{name}` | {f'`{default}`' if default else ''} | {_cell(text)} |" for name, default, text in rows
    ]
    return (
        f"### {title}\n\n{about}\n\n| setting | default | meaning |\n|---|---|---|\n"
        + "\n".join(lines)
        + "\n"
    )


def reasons_table(title: str, about: str, rows: dict[str, str]) -> str:
    """A table of reasons."""
    lines = [f"| `{name}` | {_cell(text)} |" for name, text in rows.items()]
    return f"### {title}\n\n{about}\n\n| reason | meaning |\n|---|---|\n" + "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("``", "`")


def settings() -> list[str]:
    """Everything that can be set other than by an option."""
    from linksight.crawl.run.config import CrawlConfig
    from linksight.sites.evaluation import class_rules
    from linksight.studio.config import Settings
    from linksight.system.environment import OTHERS, VARIABLES

    variables = [(name, "", text) for name, text in {**VARIABLES, **OTHERS}.items()]
    rules = (inspect.getdoc(class_rules) or "").partition("::\n\n")[2].partition("\n\nA table is")[0]
    return [
        "## Settings\n",
        settings_table("Environment", "linksight reads these variables.", variables),
        settings_table(
            "A crawl",
            "Keys of the table `[crawl]` in the TOML file of `linksight crawl run --config`, and of `crawl.json` in a "
            "crawl's folder. Most have an option of the same name, which overrides the file.",
            fields_of(CrawlConfig),
        ),
        "### Classes of a site\n\nThe TOML file of `linksight site evaluate` has two tables. `classes` selects the links of a class by "
        "`regex` (on the URL), `xpath` or `css` (on the page); the first rule that matches counts. "
        f"`patterns` assigns a class to a pattern.\n\n```toml\n# classes.toml\n{textwrap.dedent(rules)}\n```\n\n"
        "```sh\nlinksight site learn https://shop.example/ -o shop.json\n"
        "linksight site evaluate classes.toml --name shop.example\n```\n",
        settings_table(
            "The studio",
            "Fields of `linksight.studio.config.Settings`; `linksight serve` has options for those that matter daily.",
            [row for row in fields_of(Settings) if row[0] != "secret"],
        ),
    ]


def reasons() -> list[str]:
    """Every reason that is counted or shown."""
    from linksight import reasons as declared
    from linksight.crawl.report.explain import REASONS as crawl
    from linksight.sites.gathering.fetch_errors import REASONS as sites

    return [
        "## Reasons\n",
        reasons_table(
            "A URL that cannot be used",
            "The column `problem` of a list, the `reason` of `BadUrl`, and the counts on stderr. `und` without a problem means "
            "that no language reached the model's minimum probability.",
            declared.URLS,
        ),
        reasons_table(
            "A row that cannot be used",
            "Also in `problem`: the row is malformed, whatever its URL. linksight keeps and counts it.",
            declared.ROWS,
        ),
        reasons_table(
            "A page without a language",
            "`reason` of a page's label, where it is `und` or `zxx`.",
            declared.PAGES,
        ),
        reasons_table(
            "A crawl's decision",
            "`linksight crawl why` and the report show them. `status-N` is the HTTP status of the response.",
            crawl,
        ),
        reasons_table(
            "The evidence of a decision",
            "Names in the evidence of a decision, each in log-odds.",
            declared.EVIDENCE,
        ),
        reasons_table(
            "A page of a site that could not be gathered",
            "`linksight site learn` counts them. `http-N` is the HTTP status of the response.",
            sites,
        ),
    ]


def commands_page() -> str:
    """Every command with its help."""
    from linksight.cli import main

    parts = ["# Commands\n", "Written by `python recipes/reference.py` from the commands themselves.\n"]
    return "\n".join([*parts, *(described(path, command) for path, command in commands(main, "linksight"))])


def settings_page() -> str:
    """Settings, reasons and errors."""
    from linksight import errors

    parts = [
        "# Settings, reasons and errors\n",
        "Written by `python recipes/reference.py` from the declarations in the code.\n",
        *settings(),
        *reasons(),
        f"## Errors\n\n```diagram\n{inspect.getdoc(errors)}\n```\n",
    ]
    return "\n".join(parts)


def python_page() -> str:
    """The public names as directives of mkdocstrings."""
    import linksight

    public = [f"::: linksight.{name}\n" for name in linksight.__all__ if name != "__version__"]
    more = [f"::: {name.replace(':', '.')}\n" for name in (*FUNCTIONS, *CLASSES)]
    for name in (*FUNCTIONS, *CLASSES):
        module, attribute = name.split(":")
        if not inspect.getdoc(getattr(importlib.import_module(module), attribute)):
            raise SystemExit(f"{name} has no docstring")
    return "\n".join(
        [
            "# Python API\n",
            "Types and descriptions come from the code.\n",
            "## `import linksight`\n",
            *public,
            "## Classes and functions in modules\n",
            "The modules of `linksight.integrations` are also importable as `linksight.spark`, `linksight.duckdb` and so on.\n",
            *more,
        ]
    )


#: File name -> the function that writes it.
PAGES = {"commands.md": commands_page, "settings.md": settings_page, "python.md": python_page}


def main() -> None:
    """Write the pages, or with --check exit with an error when one is out of date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    for name, write in PAGES.items():
        path, text = FOLDER / name, write()
        if not check:
            path.write_text(text)
        elif not path.is_file() or path.read_text() != text:
            sys.exit(f"docs/reference/{name} is out of date: run python recipes/reference.py")


if __name__ == "__main__":
    main()

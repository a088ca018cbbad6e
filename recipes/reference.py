"""Writes docs/reference.md from the code's own declarations: python recipes/reference.py [--check]

Commands and options come from their help, names from their docstrings, fields from the ``#:`` comments beside
them, settings and reasons from where they are declared. What lacks a word of explanation stops the recipe.
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
PAGE = ROOT / "docs" / "reference.md"
#: Classes whose methods users call.
CLASSES = (
    "linksight.url_model.model:Scorer", "linksight.results:Detection", "linksight.results:PageLabel",
    "linksight.results:Declaration", "linksight.results:Span", "linksight.results:Decision",
    "linksight.sites.patterns.pattern:PatternSet", "linksight.sites.patterns.pattern:Pattern", "linksight.models.estimator:UrlClassifier",
)  # fmt: skip
FUNCTIONS = (
    "linksight.models:make_classifier", "linksight.models:load", "linksight.url_model.add_language:extend",
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
    return f"### {path}\n\n```help\n{command.get_help(context).strip()}\n```\n"


def taught() -> list[str]:
    """``module:name`` of everything that a guide tells to import, in order, but for what is listed anyway."""
    found: dict[str, None] = {}
    for path in sorted(PAGE.parent.glob("*.md")):
        if path == PAGE:
            continue
        for module, names in re.findall(r"from (linksight\.[\w.]+) import ([\w, ]+)", path.read_text()):
            for name in names.split(","):
                found[f"{module}:{name.strip()}"] = None
    return sorted(set(found) - {*FUNCTIONS, *CLASSES})


def documented(name: str) -> str:
    """A class with its public methods, or a function, from the docstrings."""
    module, attribute = name.split(":")
    thing = getattr(importlib.import_module(module), attribute)
    lines = [f"### {module}.{attribute}\n", _entry(attribute, thing)]
    if dataclasses.is_dataclass(thing) and attribute != "Scorer":  # its fields are for the files that make it
        lines += [f"- `{own}`: {_told(name, own, text)}" for own, _, text in fields_of(thing)]  # type: ignore[arg-type]
    if inspect.isclass(thing):
        for own, value in vars(thing).items():
            if not own.startswith("_") and (
                inspect.isfunction(value) or isinstance(value, property | classmethod)
            ):
                lines.append(_entry(own, value))
    return "\n".join(lines) + "\n"


def mentioned(name: str) -> str:
    """One line for a name that a guide uses."""
    module, attribute = name.split(":")
    thing = getattr(importlib.import_module(module), attribute)
    if inspect.ismodule(thing) or not callable(thing):
        return f"- `{module}.{attribute}`: {(inspect.getdoc(thing) or '').splitlines()[0] if inspect.ismodule(thing) else 'a table of names'}"
    return _entry(f"{module}.{attribute}", thing)


def _told(thing: str, name: str, text: str) -> str:
    if not text:
        raise SystemExit(f"{thing}: no word of explanation for {name}")
    return text.replace("``", "`")


def _entry(name: str, thing: object) -> str:
    what = (
        thing.fget
        if isinstance(thing, property)
        else thing.__func__
        if isinstance(thing, classmethod)
        else thing
    )
    told = inspect.getdoc(what)
    if not told:
        raise SystemExit(f"{name}: no docstring, and the reference names it")
    first = told.split("\n\n")[0].replace("\n", " ")
    if isinstance(thing, property) or inspect.isclass(thing):
        return f"- `{name}`: {first}"
    return f"- `{name}{str(inspect.signature(what)).replace(chr(39), '')}`: {first}"  # type: ignore[arg-type]


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
        raise SystemExit(f"{title}: no word of explanation for {', '.join(lacking)}")
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
        settings_table("Environment", "Variables that are read.", variables),
        settings_table(
            "A crawl",
            "Keys of the table `[crawl]` in the TOML file of `linksight crawl run --config`, and of `crawl.json` in a "
            "crawl's folder. Most have an option of the same name, which goes before the file.",
            fields_of(CrawlConfig),
        ),
        "### Classes of a site\n\nThe TOML file of `linksight site evaluate`: the table `classes` says by `regex` (on the "
        "URL), `xpath` or `css` (on the page) which links belong together, the first rule that fits counts; the table "
        f"`patterns` says which class a pattern stands for.\n\n```toml\n# classes.toml\n{textwrap.dedent(rules)}\n```\n\n"
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
            "The column `problem` of a list, the `reason` of `BadUrl`, the counts on stderr. A language that is `und` "
            "without a problem is one of which no candidate reached the model's least probability.",
            declared.URLS,
        ),
        reasons_table(
            "A row that cannot be used",
            "Also in `problem`: the row is none, whatever its address. It is kept and counted.",
            declared.ROWS,
        ),
        reasons_table(
            "A page without a language",
            "`reason` of a page's label, where it is `und` or `zxx`.",
            declared.PAGES,
        ),
        reasons_table(
            "A crawl's decision",
            "`linksight crawl why`, the report and the ledger. `status-N` is the server's answer.",
            crawl,
        ),
        reasons_table(
            "What speaks in a decision",
            "Names in the evidence of a decision, each in log-odds.",
            declared.EVIDENCE,
        ),
        reasons_table(
            "A page of a site that could not be gathered",
            "Counted by `linksight site learn`. `http-N` is the server's answer.",
            sites,
        ),
    ]


def page() -> str:
    """The whole page."""
    import linksight
    from linksight import errors
    from linksight.cli import main

    parts = [
        "# Reference\n",
        "Made by `python recipes/reference.py` from the commands, docstrings and declarations in the code: "
        "[commands](#commands), [names in Python](#python-import-linksight), [settings](#settings), "
        "[reasons](#reasons), [errors](#errors).\n",
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
    parts += ["### More that the guides use\n", "\n".join(map(mentioned, taught())) + "\n"]
    parts += [*settings(), *reasons()]
    parts += ["## Errors\n", f"```diagram\n{inspect.getdoc(errors)}\n```\n"]
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

"""``linksight languages``: list the languages of the bundled models, with their training data."""

from __future__ import annotations

import json
import sys
from collections import Counter
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

import click

from linksight.cli import completion
from linksight.cli.formats import format_option
from linksight.errors import BadLanguage, LinksightError
from linksight.system.plural import counted

_EXTEND_HINT = "teach one with: linksight train --extend (see the how-to)"
#: The message for a language that no model knows.
_UNKNOWN = {
    "all": f"known to no bundled model; {_EXTEND_HINT}",
    "urls": f"not known to the bundled model of URLs; {_EXTEND_HINT}",
    "pages": "not known to the bundled model of pages",
}


_HEADINGS = f"{'code':<5} {'':<2}  {'name':<28} training data"


@click.command()
@click.argument("words", nargs=-1, metavar="[LANGUAGE]...", shell_complete=completion.languages)
@click.option("--model", "which", type=click.Choice(["all", "urls", "pages"]), default="all", show_default=True,
              help="The URL model, the page model, or either.")  # fmt: skip
@format_option("table", "jsonl")
def languages(words: tuple[str, ...], which: str, form: str) -> None:
    """List the languages of the bundled models, with their training data.

    LANGUAGE is a code, a name or a part of a name. U: the URL model knows it; P: the page model knows it. The
    training data are labelled URLs, and characters of each kind of text.

    \b
    linksight languages
    linksight languages frisian ckb
    linksight languages sami
    linksight languages --model pages --format jsonl
    """
    rows = _rows(which)
    unknown: list[str] = []
    if words:
        found = {word: _matching(word, rows) for word in words}
        codes = {row["language"] for matches in found.values() for row in matches}
        rows = [row for row in rows if row["language"] in codes]
        unknown = [word for word, matches in found.items() if not matches]
    if form == "table" and rows and (not words or sys.stdout.isatty()):
        click.echo(_HEADINGS)
    for row in rows:
        click.echo(json.dumps(row, ensure_ascii=False) if form == "jsonl" else _line(row))
    if form == "table":
        known = [sum(bool(row[kind]) for row in rows) for kind in ("urls", "pages")]
        click.echo(
            f"{counted(len(rows), 'language')}: {known[0]} by URL (U), {known[1]} by page (P)", err=True
        )
    for word in unknown:
        click.echo(f"{word}: {_UNKNOWN[which]}", err=True)
    if unknown:
        sys.exit(1)


def _matching(word: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the row of the language with this code or name, else the rows whose names contain the word."""
    from linksight.languages.registry import find

    try:
        code = find(word)
    except BadLanguage:
        matches = [row for row in rows if word.casefold() in row["name"].casefold()]
        if not matches:
            raise
        return matches
    return [row for row in rows if row["language"] == code]


def _line(row: dict[str, Any]) -> str:
    """Format a row of the table; on a terminal, wrap the training data."""
    marks = f"{'U' if row['urls'] else '-'}{'P' if row['pages'] else '-'}"
    head = f"{row['language']:<5} {marks}  {row['name']:<28} "
    if not sys.stdout.isatty():
        return head + str(row["trained_on"])
    # Break lines at commas only.
    texts = str(row["trained_on"]).replace(" ", "\0").replace(",\0", ", ")
    width = max(get_terminal_size().columns, len(head) + 30)
    wrapped = wrap(
        texts, width, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False
    ) or [head]
    return "\n".join(wrapped).replace("\0", " ")


def _rows(which: str) -> list[dict[str, Any]]:
    from linksight.languages.registry import name, scripts

    by_url = _url_languages() if which != "pages" else {}
    by_page = _page_languages() if which != "urls" else {}
    rows = []
    for code in sorted(by_url.keys() | by_page.keys()):
        texts = [f"labelled URLs {by_url[code]}"] if by_url.get(code) else []
        by_size = Counter(by_page.get(code, {})).most_common()
        texts += [f"{source} {size:,}" for source, size in by_size]
        rows.append({
            "language": code, "name": name(code), "scripts": list(scripts(code)), "urls": code in by_url,
            "pages": code in by_page, "trained_on": ", ".join(texts),
        })  # fmt: skip
    return rows


def _url_languages() -> dict[str, str]:
    """Return the languages of the URL model, with the number of training URLs of each."""
    try:
        from linksight.url_model.model import load

        model = load()
    except (LinksightError, ImportError, OSError):  # without a URL model, list only the page model
        return {}
    rows = getattr(model, "about", {}).get("rows", {})
    return {code: f"{rows[code]:,}" if code in rows else "0" for code in model.languages}


def _page_languages() -> dict[str, dict[str, int]]:
    from linksight.pages.langid.model import load

    return load().trained_on

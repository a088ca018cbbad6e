"""``linksight languages``: what the bundled models know, and what each language was trained on."""

from __future__ import annotations

import json
import sys
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

import click

from linksight.cli import completion
from linksight.cli.formats import format_option
from linksight.errors import LinksightError
from linksight.system.plural import counted

_TEACH = "teach one with: linksight train --extend (see the how-to)"
#: What to say of a language that is not among those asked for.
_UNKNOWN = {
    "all": f"known to no bundled model; {_TEACH}",
    "urls": f"not known to the bundled model of URLs; {_TEACH}",
    "pages": "not known to the bundled model of pages",
}


@click.command()
@click.argument("words", nargs=-1, metavar="[LANGUAGE]...", shell_complete=completion.languages)
@click.option(
    "--model",
    "which",
    type=click.Choice(["all", "urls", "pages"]),
    default="all",
    show_default=True,
    help="Those known from URLs, from pages, or from either.",
)
@format_option("table", "jsonl")
def languages(words: tuple[str, ...], which: str, form: str) -> None:
    """The languages of the bundled models, with what each was trained on.

    U: known from URLs, with the number of labelled addresses; P: known from pages, with the characters of each
    kind of text. Languages with few addresses are known by URL from their words and country alone.

    \b
    linksight languages
    linksight languages frisian ckb
    linksight languages --model pages --format jsonl
    """
    rows = _rows(which)
    unknown: list[str] = []
    if words:
        from linksight.languages.registry import find

        wanted = {find(word): word for word in words}
        rows = [row for row in rows if row["language"] in wanted]
        known_codes = {row["language"] for row in rows}
        unknown = [word for code, word in wanted.items() if code not in known_codes]
    for row in rows:
        click.echo(json.dumps(row, ensure_ascii=False) if form == "jsonl" else _line(row))
    if form == "table":
        known = [sum(bool(row[kind]) for row in rows) for kind in ("urls", "pages")]
        click.echo(
            f"{counted(len(rows), 'language')}: {known[0]} by URL (U), {known[1]} by page (P)",
            err=True,
        )
    for word in unknown:
        click.echo(f"{word}: {_UNKNOWN[which]}", err=True)
    if unknown:
        sys.exit(1)


def _line(row: dict[str, Any]) -> str:
    """For people; on a terminal what it was trained on is folded, below itself."""
    marks = f"{'U' if row['urls'] else '-'}{'P' if row['pages'] else '-'}"
    head = f"{row['language']:<5} {marks}  {row['name']:<28} "
    if not sys.stdout.isatty():
        return head + str(row["trained_on"])
    # A size keeps to its name: only the comma between two texts may end a line.
    texts = str(row["trained_on"]).replace(" ", "\0").replace(",\0", ", ")
    width = max(get_terminal_size().columns, len(head) + 30)
    folded = wrap(
        texts, width, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False
    ) or [head]
    return "\n".join(folded).replace("\0", " ")


def _rows(which: str) -> list[dict[str, Any]]:
    from linksight.languages.registry import name, scripts

    by_url = _url_languages() if which != "pages" else {}
    by_page = _page_languages() if which != "urls" else {}
    rows = []
    for code in sorted(by_url.keys() | by_page.keys()):
        texts = [f"labelled URLs {by_url[code]}"] if by_url.get(code) else []
        texts += [
            f"{source} {size:,}"
            for source, size in sorted(by_page.get(code, {}).items(), key=lambda item: -item[1])
        ]
        rows.append(
            {
                "language": code,
                "name": name(code),
                "scripts": list(scripts(code)),
                "urls": code in by_url,
                "pages": code in by_page,
                "trained_on": ", ".join(texts),
            }
        )
    return rows


def _url_languages() -> dict[str, str]:
    """Languages of the URL model with how many labelled URLs each was trained on."""
    try:
        from linksight.url_model.model import load

        model = load()
    except (LinksightError, ImportError, OSError):  # no URL model is there: the page model still is
        return {}
    rows = getattr(model, "about", {}).get("rows", {})
    return {code: f"{rows[code]:,}" if code in rows else "none of its own" for code in model.languages}


def _page_languages() -> dict[str, dict[str, int]]:
    from linksight.pages.langid.model import load

    return load().trained_on

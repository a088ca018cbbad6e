"""Keeps what benchmarks and recipes measure where the documentation has it: figures in docs/PAGE.json, a table in
docs/PAGE.md, between two marks such as ``<!-- figures: FOLDER/NAME.py -->`` and ``<!-- end of figures -->``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"


def keep(page: str, name: str, figures: Any, table: str, *, folder: str = "benchmarks") -> None:
    """Put the figures and the table of one benchmark into a page of the documentation."""
    kept = DOCS / f"{page}.json"
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    kept.write_text(
        json.dumps(known | {name: figures}, indent=1, ensure_ascii=False, sort_keys=True) + "\n",
        encoding="utf-8",
    )
    write_between(
        DOCS / f"{page}.md", (f"<!-- figures: {folder}/{name}.py -->", "<!-- end of figures -->"), table
    )


def write_between(path: Path, marks: tuple[str, str], inside: str) -> None:
    """Write what stands between two marks of a page anew."""
    path.write_text(between(path.read_text(encoding="utf-8"), marks, inside), encoding="utf-8")


def between(text: str, marks: tuple[str, str], inside: str, gap: str = "\n\n") -> str:
    """The text of a page with what stands between two marks written anew.

    >>> between("a <!-- b --> old <!-- c --> d", ("<!-- b -->", "<!-- c -->"), "new", gap=" ")
    'a <!-- b --> new <!-- c --> d'
    """
    head, begins, rest = text.partition(marks[0])
    _, ends, tail = rest.partition(marks[1])
    if not begins or not ends:  # never a page with a part of it gone
        raise SystemExit(f"the page has no place for figures between {marks[0]} and {marks[1]}")
    inside = inside.strip("\n")
    return f"{head}{marks[0]}{gap}{inside}{gap}{marks[1]}{tail}"

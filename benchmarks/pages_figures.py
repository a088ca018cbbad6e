"""Keeps what the benchmarks of pages measure: figures in docs/pages.json, tables in docs/pages.md.

A table stands between ``<!-- figures: benchmarks/NAME.py -->`` and ``<!-- end of figures -->``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def keep(name: str, figures: dict[str, object], table: str) -> None:
    """Puts the figures and the table of one benchmark where the documentation has them."""
    kept = DOCS / "pages.json"
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    kept.write_text(
        json.dumps(known | {name: figures}, indent=1, ensure_ascii=False, sort_keys=True) + "\n",
        encoding="utf-8",
    )
    page = DOCS / "pages.md"
    text = page.read_text(encoding="utf-8")
    begin, end = f"<!-- figures: benchmarks/{name}.py -->", "<!-- end of figures -->"
    found = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if not found.search(text):
        raise SystemExit(f"{page}: no place for the figures of {name}")
    page.write_text(
        found.sub(lambda _: f"{begin}\n\n{table.strip()}\n\n{end}", text, count=1), encoding="utf-8"
    )

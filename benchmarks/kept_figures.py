"""Keeps what a benchmark measures where the documentation has it: figures in docs/PAGE.json, a table in docs/PAGE.md.

The table stands between ``<!-- figures: FOLDER/NAME.py -->`` and ``<!-- end of figures -->``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"


def keep(page: str, name: str, figures: dict[str, Any], table: str, *, folder: str = "benchmarks") -> None:
    """Put the figures and the table of one benchmark into a page of the documentation."""
    kept = DOCS / f"{page}.json"
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    kept.write_text(
        json.dumps(known | {name: figures}, indent=1, ensure_ascii=False, sort_keys=True) + "\n",
        encoding="utf-8",
    )
    path = DOCS / f"{page}.md"
    text = path.read_text(encoding="utf-8")
    begin, end = f"<!-- figures: {folder}/{name}.py -->", "<!-- end of figures -->"
    found = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if not found.search(text):
        raise SystemExit(f"{path}: no place for the figures of {name}")
    path.write_text(
        found.sub(lambda _: f"{begin}\n\n{table.strip()}\n\n{end}", text, count=1), encoding="utf-8"
    )

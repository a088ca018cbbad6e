"""docs/sites.md shows what docs/sites.json holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_of_speed_is_made_from_the_figures(script: Callable[[str], ModuleType]) -> None:
    known = json.loads((DOCS / "sites.json").read_text(encoding="utf-8"))
    table = script("benchmarks/sites_speed.py").table(known["sites_speed"])
    assert table in (DOCS / "sites.md").read_text(encoding="utf-8")

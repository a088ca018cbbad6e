"""docs/sites.md shows what docs/sites.json holds."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_table_of_speed_is_made_from_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    table = importlib.import_module("sites_speed").table
    known = json.loads((ROOT / "docs" / "sites.json").read_text(encoding="utf-8"))
    assert table(known["sites_speed"]) in (ROOT / "docs" / "sites.md").read_text(encoding="utf-8")

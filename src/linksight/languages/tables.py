"""Bundled JSON tables of languages, countries, scripts and top-level domains."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from linksight.system.resources import bytes_of


@cache
def read_table(name: str) -> dict[str, Any]:
    """Read ``data/NAME.json`` once."""
    table: dict[str, Any] = json.loads(bytes_of(f"{name}.json"))
    return table

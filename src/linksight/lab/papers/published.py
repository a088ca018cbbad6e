"""The figures that the papers published, by table (``published.json``)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _tables() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))
    return found


def __getattr__(name: str) -> Any:
    try:
        return _tables()[name]
    except KeyError:
        raise AttributeError(f"no published table {name!r}") from None

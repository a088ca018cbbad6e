"""Every promise of docs/security.md names a test, and every test that it names is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "security.md").read_text()
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_every_promise_names_a_test() -> None:
    promises = TEXT.partition("## Promises")[2].partition("## Not promised")[0]
    lines = [line for line in promises.splitlines() if line.startswith("- ")]
    assert len(lines) > 20
    assert not [line for line in lines if not NAMED.search(line)]


def test_every_test_that_is_named_is_there() -> None:
    lacking = []
    for file, name in NAMED.findall(TEXT):
        path = ROOT / file
        names = {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)} if path.exists() else set()  # fmt: skip
        if name not in names:
            lacking.append(f"{file}::{name}")
    assert not lacking

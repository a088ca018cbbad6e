"""Every promise of docs/security.md names tests, and changes that break it and that those tests notice."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "security.md").read_text()


@pytest.fixture(scope="module")
def recipe(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("recipes/promises.py")


def test_every_promise_names_a_test(recipe: ModuleType) -> None:
    promises = recipe.promises(TEXT)
    assert len(promises) > 50
    assert not [promise for promise, tests in promises.items() if not tests]


def test_every_test_that_is_named_is_there(recipe: ModuleType) -> None:
    lacking = []
    for file, name in recipe.NAMED.findall(TEXT):
        path = ROOT / file
        names = {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)} if path.exists() else set()  # fmt: skip
        if name not in names:
            lacking.append(f"{file}::{name}")
    assert not lacking


def test_every_test_of_every_promise_must_notice_a_change(recipe: ModuleType) -> None:
    tried: dict[str, set[str]] = {promise: set() for promise in recipe.promises(TEXT)}
    for each in recipe.mutations():
        tried[each.promise].update(each.tests)
    for promise, tests in recipe.promises(TEXT).items():
        assert set(tests.values()) == tried[promise], f"{promise}: see tests/security/mutations"


def test_every_change_can_be_made_and_is_one(recipe: ModuleType) -> None:
    """Where the text that it replaces was moved or rewritten, its row in tests/security/mutations must follow."""
    keys = []
    for each in recipe.mutations():
        keys.append(each.key)
        text = each.applied_to(ROOT)
        assert each.new != each.old
        if each.file.endswith(".py"):
            ast.parse(text)
    assert len(keys) == len(set(keys))


def test_every_change_was_tried_and_noticed_and_the_page_says_so(recipe: ModuleType) -> None:
    table = [each.key for each in recipe.mutations()]
    outcome = json.loads((ROOT / "docs" / "promises.json").read_text())
    assert list(outcome) == table, "run python recipes/promises.py WORDS for what is new"
    assert not {key: row["survived"] for key, row in outcome.items() if row["survived"]}
    assert f"**{len(table)} of {len(table)}**" in TEXT


def test_the_recipe_tells_changes_that_are_noticed_from_others(recipe: ModuleType, tmp_path: Path) -> None:
    copy = tmp_path / "tree"
    (copy / "src").mkdir(parents=True)
    (copy / "src" / "toy.py").write_text("def double(n):\n    return 2 * n  # twice\n")
    (copy / "test_toy.py").write_text("import toy\n\n\ndef test_toy():\n    assert toy.double(3) == 6\n")
    for old, new, survived in (("2 * n", "3 * n", []), ("# twice", "# thrice", ["test_toy.py::test_toy"])):
        each = recipe.Mutation("a promise", "what", "src/toy.py", old, new, ("test_toy.py::test_toy",))
        assert recipe._tried(copy, each)["survived"] == survived
        assert "2 * n  # twice" in (copy / "src" / "toy.py").read_text(), "the change is undone"
    with pytest.raises(ValueError, match="occurs 0 times"):
        recipe.Mutation("a promise", "what", "src/toy.py", "nowhere", "", ()).applied_to(copy)

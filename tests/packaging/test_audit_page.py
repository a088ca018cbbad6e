"""What was read about dependencies is held: no lower bound slips below a version that mends a flaw."""

from __future__ import annotations

import doctest
import importlib
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FACTS: dict[str, Any] = json.loads((ROOT / "docs" / "audit.json").read_text())


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "recipes")
    return importlib.import_module("audit_page")


def _bounds(recipe: ModuleType) -> dict[str, str]:
    bounds: dict[str, str] = recipe.lower_bounds((*recipe.USERS, "peers"))
    return bounds


@pytest.mark.parametrize("name", FACTS["packages"])
def test_no_lower_bound_admits_a_flaw_that_was_not_left_with_a_reason(recipe: ModuleType, name: str) -> None:
    bound = _bounds(recipe).get(name)
    for row in FACTS["packages"][name]:
        if recipe.admits(row, bound):
            assert row.get("left"), f"{name}>={bound} admits {row['ids'][0]}, mended in {row.get('fixed')}"


@pytest.mark.parametrize("name", FACTS["packages"])
def test_a_reason_stands_only_where_the_bound_admits_the_flaw(recipe: ModuleType, name: str) -> None:
    bound = _bounds(recipe).get(name)
    for row in FACTS["packages"][name]:
        assert "left" not in row or recipe.admits(row, bound), f"{row['ids'][0]}: the bound is past it"


def test_a_bound_that_slips_back_is_told(recipe: ModuleType) -> None:
    """The two tests above can fail: with the bounds of an older release they would have."""
    rows = FACTS["packages"]["scrapy"]
    assert [row["ids"][0] for row in rows if recipe.admits(row, "2.14")] == [
        "PYSEC-2026-4299",
        "GHSA-76g3-c3x4-crvx",
    ]


def test_the_facts_are_ids_versions_and_dates() -> None:
    for name, rows in FACTS["packages"].items():
        assert re.fullmatch(r"[a-z0-9-]+", name)
        for row in rows:
            assert all(re.fullmatch(r"(PYSEC|CVE)-\d{4}-\d+|GHSA(-[a-z0-9]{4}){3}", id) for id in row["ids"])
            assert re.fullmatch(r"20\d\d(-\d\d){0,2}", row["dated"])
            assert ("fixed" in row) != ("last" in row)


def test_the_page_is_what_the_command_makes_of_the_facts(recipe: ModuleType) -> None:
    assert (ROOT / "docs" / "audit.md").read_text() == recipe.page(FACTS), "run python recipes/audit_page.py"
    assert (ROOT / "docs" / "audit.json").read_text() == recipe.serialize(FACTS)


def test_every_package_that_is_needed_has_a_licence_that_fits(recipe: ModuleType) -> None:
    fits = importlib.import_module("licences").fits
    needed = {
        part["name"]: part["licenses"][0]["license"]["name"]
        for part in recipe.bill_of((*recipe.USERS, "peers"))
    }
    assert not {name: text for name, text in needed.items() if not fits(name, text)}
    assert not {name: text for name, text in FACTS["licences"].items() if not fits(name, text)}
    direct = {name for name in _bounds(recipe) if name in needed}
    assert direct <= set(FACTS["licences"]), "run python recipes/audit_page.py --licences"


@pytest.mark.parametrize(
    ("licence", "kind"),
    [
        ("Apache License, Version 2.0", "permissive"),
        ("MIT OR GPL-3.0-only", "permissive"),
        ("MIT AND GPL-3.0-only", "copyleft"),
        ("(MIT OR GPL-3.0-only) AND LGPL-3.0-only", "weak copyleft"),
        ("AGPL-3.0", "copyleft"),
        ("Other/Proprietary License", "unknown"),
        ("", "unknown"),
    ],
)
def test_licences_are_told_apart(recipe: ModuleType, licence: str, kind: str) -> None:
    assert importlib.import_module("licences").kind(licence) == kind


@pytest.mark.parametrize("name", ["audit_page", "licences"])
def test_their_own_examples_are_true(recipe: ModuleType, name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted
    assert not found.failed

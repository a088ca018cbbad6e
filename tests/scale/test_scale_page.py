"""docs/how-to/scale.md says what docs/scale.json holds, and the arithmetic follows from it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def page(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("benchmarks/scale_page.py")


@pytest.fixture(scope="module")
def known() -> dict[str, Any]:
    return json.loads((ROOT / "docs" / "scale.json").read_text(encoding="utf-8"))


def test_the_page_holds_the_figures_that_were_measured(page, known):
    text = (ROOT / "docs" / "how-to" / "scale.md").read_text(encoding="utf-8")
    price = float(re.search(r"at ([\d.]+) a core-hour", text)[1])
    assert page.rendered(known, price) in text
    assert page.arithmetic(known) in text


def test_the_arithmetic_to_a_billion_pages(page, known):
    text = page.arithmetic(known)
    rate = 1e9 / (30 * 86_400)
    assert f"{rate:.0f} pages/s" in text
    run = known["workers"]["runs"][0]
    assert f"| {rate * run['cpu_s'] / run['pages']:,.0f} cores |" in text
    turn = known["files"][-1]
    assert f"{20e9 * turn['job_cpu_s'] / turn['rows'] / 3600:,.0f} core-hours" in text


def test_every_measurement_has_its_lines_and_its_cost(page, known):
    text = page.rendered(known, 0.04)
    assert {"files", "kinds", "spark", "pages", "workers"} <= known.keys()
    for words in (
        "Parquet to Parquet",
        "jsonl",
        "Spark, local[2]",
        "| workers |",
        "million URLs, file to file",
        "million pages",
    ):
        assert words in text

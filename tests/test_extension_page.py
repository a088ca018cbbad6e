"""docs/classifiers.md says of taught languages what docs/extension.json holds."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_page_holds_the_figures_that_were_measured(script):
    measure = script("benchmarks/extend_quality.py")
    found = json.loads((ROOT / "docs" / "extension.json").read_text(encoding="utf-8"))
    assert measure.rendered(found) in (ROOT / "docs" / "classifiers.md").read_text(encoding="utf-8")
    assert {case["language"] for case in found["cases"]} == {*measure.KNOWN, *measure.UNKNOWN}
    assert min(case["others_change"] for case in found["cases"]) >= -0.004  # what the changelog says

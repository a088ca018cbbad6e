"""docs/how-to/lists-of-urls.md says what docs/url-speed.json holds."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_holds_the_figures_that_were_measured(script):
    page = script("benchmarks/url_speed_page.py")
    found = json.loads((ROOT / "docs" / "url-speed.json").read_text(encoding="utf-8"))
    text = (ROOT / "docs" / "how-to" / "lists-of-urls.md").read_text(encoding="utf-8")
    assert page.rendered(found) in text
    for name in page.SYSTEMS:
        assert isinstance(found[name], str) or found[name]["urls_per_second"] > 0

"""The examples of docs/api.md run as they stand, but for the port."""

from __future__ import annotations

import json
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_every_route_is_in_the_docs(studio):
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    for path in studio.app.openapi()["paths"]:
        assert path in text


def test_every_picture_is_there_and_small():
    names = re.findall(r"\]\((pictures/[\w-]+\.png)\)", (DOCS / "studio.md").read_text(encoding="utf-8"))
    assert names
    for name in names:
        assert 0 < (DOCS / name).stat().st_size < 150_000, name


def test_the_figures_of_the_page_are_those_that_were_measured(script):
    told = json.loads((DOCS / "api.json").read_text(encoding="utf-8"))
    assert script("benchmarks/studio_load.py").section(told) in (DOCS / "api.md").read_text(encoding="utf-8")


def test_an_installation_has_the_model_card():
    from linksight.studio.routes.web.reports import CARDS

    assert CARDS[-1].is_file()
    assert CARDS[-1].is_relative_to(DOCS.parent / "src" / "linksight")

"""The page docs/research/reproduction.md holds the figures of docs/reproduction.json and nothing else."""

import json

import pytest

from linksight.lab.papers.claims import judge
from linksight.lab.papers.report.results import Section


@pytest.fixture(scope="module")
def recipe(script):
    return script("recipes/reproduction.py")


def test_the_page_is_what_the_recipe_writes(recipe):
    kept = json.loads(recipe.KEPT.read_text(encoding="utf-8"))
    page = recipe.PAGE.read_text(encoding="utf-8")
    assert recipe.written(page, recipe.page_of(kept)) == page


def test_tables_and_claims_have_a_row_each_with_the_result(recipe):
    statistics = {"cctld-precision": {"random": 97.25, "site": 91.0}, "cctld-extremes": {"random": 2}}
    verdicts = [one.as_dict() for one in judge([Section("table-v", "t", "p", statistics=statistics)])]
    report = {"about": {"facts": {}}, "sections": [], "verdicts": json.loads(json.dumps(verdicts))}
    page = recipe.page_of(recipe.distilled(report))
    assert "Of 1 tables and figures, 0 are reproduced, 1 partly" in page
    assert "2 of 2 hold on the paper's split and 0 of 1 by domain" in page
    assert "| Table V | country code alone | partly |" in page
    assert (
        "“Not surprisingly precision is always very high” | lowest precision of ccTLD over languages, % | at least 95 | 97.25 ✓ | 91 ✗ |"
        in page
    )


def test_nearness_counts_what_has_a_published_figure(recipe):
    cells = [
        {"value": value, "published": told, "digits": 1}
        for value, told in ((90.0, 91.0), (80.0, 85.0), (70.0, 70.0))
    ]
    section = {
        "key": "t",
        "tables": [{"rows": [["en", *cells, {"value": 1.0, "published": None, "digits": 1}]]}],
    }
    assert recipe.nearness(section) == [["t", 3, -2.0, 2.0, 67]]

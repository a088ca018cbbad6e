"""The page on the classifiers: its first example runs, and its tables name what there is."""

import re
from pathlib import Path

import pytest

from linksight.features import EXAMPLES, parse_features
from linksight.models import ALGORITHMS

PAGE = Path(__file__).parents[2] / "docs" / "classifiers.md"


@pytest.fixture(scope="module")
def page():
    return PAGE.read_text(encoding="utf-8")


def test_every_algorithm_is_described(page):
    described = re.findall(r"^\| `([^`]+)` \|", page.split("## Algorithms")[1], re.MULTILINE)
    assert set(ALGORITHMS) <= set(described)


def test_the_features_described_can_be_parsed(page):
    table = page.split("## Features")[1].split("**Custom")[0]
    for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE):
        for spec in re.findall(r"`([^`]+)`", row):
            assert parse_features(spec).spec == spec
    assert {"words", "custom", "custom-2008", "tld"} <= set(EXAMPLES)


def test_no_figure_is_missing(page):
    assert "@@" not in page

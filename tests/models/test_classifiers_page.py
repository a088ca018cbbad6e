"""The page on the classifiers: its first example runs, and its tables name what there is."""

import re
from pathlib import Path

import pytest

from linksight.features import EXAMPLES, parse_features
from linksight.models import ALGORITHMS, make_classifier

PAGE = Path(__file__).parents[2] / "docs" / "classifiers.md"


@pytest.fixture(scope="module")
def page():
    return PAGE.read_text(encoding="utf-8")


def test_the_example_runs(page):
    names = {}
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], names)
    assert names["clf"].predict(["http://meteo.example/"]).tolist() == ["fr"]


def test_the_example_by_hosting_runs(page, corpus, database, dns_server):
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[1]
    names = {"make_classifier": make_classifier}
    exec(code.replace("countries.mmdb", str(database)).replace("9.9.9.9", dns_server.address), names)
    found = names["clf"].fit(*corpus).predict(["http://nothing.known.es/"])
    assert found.tolist() == ["es"]
    assert names["tree"].get_params()["features"].parts[0].hosting is names["where"]


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

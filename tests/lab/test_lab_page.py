"""The page docs/research/reproduction.md holds the figures of docs/reproduction.json and nothing else."""

import json

import pytest


@pytest.fixture(scope="module")
def recipe(script):
    return script("recipes/reproduction.py")


def test_the_page_is_what_the_recipe_writes(recipe):
    kept = json.loads(recipe.KEPT.read_text(encoding="utf-8"))
    page = recipe.PAGE.read_text(encoding="utf-8")
    assert recipe.written(page, recipe.page_of(kept)) == page


def test_a_finding_that_is_not_shared_comes_with_its_reason_and_others_without(recipe):
    kept = {
        "facts": {"command": "linksight reproduce"},
        "findings": [["table-xii", "the decision tree is the best on custom features", False], ["x", "all is well", True],
                     ["beyond", "ours is above theirs", True]],
        "missing": [["table-vii", "The country of the server", "no network"]],
        "macro": [["table-v", "ccTLD", 61.0, None, 58.6, 62.4]],
        "near": [],
    }  # fmt: skip
    page = recipe.page_of(kept)
    assert "Of 2 findings of the papers that were checked, 1 agree." in page
    assert "(`table-xii`). Likely reason: the strongest feature" in page
    assert "| table-v | ccTLD | 61.0 | – | 58.6 | 62.4 |" in page
    assert "- The country of the server (`table-vii`): no network" in page


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


def test_a_later_bundled_model_changes_its_own_figures_alone(recipe):
    row = ["macro average", "bundled model†", *[{"value": 94.41, "published": None}] * 2]
    report = {
        "about": {"facts": {"command": "linksight reproduce beyond --quick"}},
        "sections": [{"key": "beyond", "tables": [{"columns": ["language", "classifier", "F1", "F1 by domain"], "rows": [row]}]}],
    }  # fmt: skip
    kept = {
        "facts": {"command": "linksight reproduce --full"},
        "macro": [["table-v", "ccTLD", 61.0, 61.0, 58.6, 62.4], ["table-v", "bundled model†", None, None, 90.0, None],
                  ["beyond", "SVM all-grams", None, None, 92.8, None], ["beyond", "bundled model†", None, None, 90.0, None]],
        "findings": [["table-v", "as it was", False], ["beyond", "the bundled model is above", False]],
    }  # fmt: skip
    found = recipe.with_bundled(kept, report)
    assert [row[4] for row in found["macro"]] == [58.6, 94.4, 92.8, 94.4]
    assert [ok for _, _, ok in found["findings"]] == [False, True]
    assert "beyond --quick" in found["facts"]["bundled model"]

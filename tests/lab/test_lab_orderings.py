"""A small rerun on the real data: what the papers found significant is found here too."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.lab.papers.runner import SCALES

pytestmark = pytest.mark.data
TABLES = [
    "table-v",
    "table-vii",
    "table-ix",
    "table-xii",
    "table-xiv",
    "beyond",
    "dutch",
    "2008-content",
]


@pytest.fixture(scope="module")
def report(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("lab") / "report"
    words = ["reproduce", *TABLES, "--quick", "--size", "700", "--folds", "2", "--out", str(out)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SCALES, "quick", replace(SCALES["quick"], n_dutch=6_000))
        result = CliRunner().invoke(main, words, env={"LINKSIGHT_DATA": str(data)})
    assert result.exit_code == 0, result.output
    return {section["key"]: section for section in json.loads((out / "report.json").read_text())["sections"]}


def macro(section, label, column="F1"):
    return by_language(section, label, column)["macro average"]


def by_language(section, label, column):
    table = section["tables"][0]
    at = table["columns"].index(column)
    return {row[0]: row[at]["value"] for row in table["rows"] if row[1] == label}


def test_the_country_code_is_precise_and_finds_little_but_german(report):
    precision, recall = (by_language(report["table-v"], "ccTLD", column) for column in ("P", "R"))
    assert min(precision.values()) > 85
    assert recall["English"] < 40 < recall["German"]
    assert by_language(report["table-v"], "ccTLD+", "R")["English"] > recall["English"] + 30


def test_rank_order_is_the_weakest_on_words(report):
    scores = {name: macro(report["table-ix"], name) for name in ("NB", "ME", "RE", "ROS", "SVM")}
    assert min(scores, key=scores.get) == "ROS"
    assert scores["SVM"] > scores["ROS"] + 2


def test_the_tree_beats_what_counts_on_custom_features(report):
    scores = {name: macro(report["table-xii"], name) for name in ("NB", "ME", "RE", "SVM", "DT")}
    assert scores["DT"] > max(scores["NB"], scores["RE"])


def test_allgrams_beat_words_and_the_country_code_by_far(report):
    allgrams = macro(report["table-xiv"], "SVM all-grams")
    assert allgrams > macro(report["table-ix"], "SVM")
    assert allgrams > macro(report["table-xiv"], "ccTLD") + 10


def test_unseen_domains_are_harder_for_words(report):
    assert macro(report["table-ix"], "SVM", "F1 by domain") < macro(report["table-ix"], "SVM")


def test_the_bundled_model_wins_where_nobody_has_seen_the_domain(report):
    bundled = macro(report["beyond"], "bundled model†")
    assert bundled > 90
    for label in ("SVM all-grams", "DT custom", "RE all-grams", "ccTLD"):
        assert bundled > macro(report["beyond"], label), label


def test_what_needs_name_look_ups_says_so_and_shows_no_number_of_ours(report):
    assert "--hosting" in report["table-vii"]["missing"]
    assert not any(
        isinstance(value, dict)
        for table in report["table-vii"]["tables"]
        for row in table["rows"]
        for value in row
    )
    assert not any(row[1] == "IP" for row in report["table-xiv"]["tables"][0]["rows"])


def test_the_bundled_model_is_never_asked_about_its_own_training(report):
    for key in ("table-v", "table-ix", "table-xii", "table-xiv"):
        for column in ("F1", "F1 by domain", "P", "R"):
            assert set(by_language(report[key], "bundled model†", column).values()) == {None}, key
        assert min(by_language(report[key], "bundled model†", "F1 dev").values()) > 80


def test_the_dutch_classifier_is_as_good_as_published_on_unseen_domains_too(report):
    table = report["dutch"]["tables"][0]
    rows = {row[0]: dict(zip(table["columns"], row, strict=True)) for row in table["rows"]}
    ours = rows["NB words + 3-grams, .nl first"]
    assert min(ours["F1"]["value"], ours["F1 by domain"]["value"]) > 91
    assert ours["F1"]["value"] > rows["ccTLD"]["F1"]["value"]
    bundled = rows["bundled model†"]
    assert bundled["F1"]["value"] is None
    assert bundled["F1 fresh domains"]["value"] > 91


def test_urls_train_better_than_content(report):
    for algorithm, language, urls, text in report["2008-content"]["tables"][0]["rows"]:
        assert urls["value"] > text["value"], (algorithm, language)
        assert urls["sd"] > 0

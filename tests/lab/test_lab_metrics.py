"""Measures as in section 3.3 of the paper."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.errors import BadData
from linksight.lab.evaluation.classification_metrics import (
    Measures,
    bootstrap_intervals,
    evaluate_answers,
    evaluate_binary,
    measure,
)


@pytest.mark.parametrize(
    ("recall", "negative_success", "precision", "f1"),
    [  # rows of Tables V and VII, in percent
        (22.8, 99.2, 96.6, 36.9),
        (85.4, 98.7, 98.5, 91.5),
        (91.1, 63.8, 71.6, 80.2),
        (64.6, 98.4, 97.5, 77.7),
    ],
)
def test_precision_and_f1_are_those_of_the_papers_tables(recall, negative_success, precision, f1):
    found = Measures("en", 1, 1, recall / 100, negative_success / 100)
    assert 100 * found.precision == pytest.approx(precision, abs=0.15)
    assert 100 * found.f1 == pytest.approx(f1, abs=0.15)


def test_always_yes_is_67_and_always_no_is_0():
    labels = ["en"] * 3 + ["de"] * 30
    assert measure("en", [True] * 33, labels).f1 == pytest.approx(2 / 3)
    assert measure("en", [False] * 33, labels).f1 == 0.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["de", "en", "fr"])), min_size=4), st.integers(2, 5))
def test_more_negatives_of_the_same_kind_change_nothing(rows, times):
    rows += [(True, "de"), (False, "en")]
    negatives = [row for row in rows if row[1] != "de"]
    few = measure("de", [yes for yes, _ in rows], [label for _, label in rows])
    rows += negatives * (times - 1)
    many = measure("de", [yes for yes, _ in rows], [label for _, label in rows])
    assert many.f1 == pytest.approx(few.f1)
    assert many.n_negative == times * few.n_negative


def test_several_classifiers_may_say_yes_and_the_confusion_shows_it():
    labels = ["de", "de", "en", "en"]
    found = evaluate_binary({"de": [1, 1, 1, 0], "en": [1, 0, 1, 1]}, labels)
    assert found.rows == found.columns == ("de", "en")
    assert found.confusion.tolist() == [[1.0, 0.5], [0.5, 1.0]]
    assert found.macro("recall") == 1.0
    assert [found.confusion[i, i] for i in range(2)] == [m.recall for m in found.measures]


def test_one_answer_a_url_is_each_language_against_the_rest():
    found = evaluate_answers(["de", "fr", "und", "fr"], ["de", "de", "fr", "fr"], ["de", "fr", "it"])
    assert [m.language for m in found.measures] == ["de", "fr"]
    assert found.accuracy == 0.5
    assert found.as_dict()["macro"]["recall"] == 0.5
    assert np.array(found.as_dict()["confusion"]["share"]).shape == (2, 2)


def test_rows_of_unknown_languages_stay_negatives():
    found = evaluate_answers(["de", "de"], ["de", "pl"], ["de"])
    assert found.measures[0].negative_success == 0.0
    assert found.rows == ("de", "pl")


def test_languages_with_few_urls_are_left_out_of_the_mean():
    answers, labels = ["de"] * 3 + ["fr"] * 3 + ["de"], ["de"] * 3 + ["fr"] * 3 + ["it"]
    assert evaluate_answers(answers, labels, least=2).columns == ("de", "fr")
    assert evaluate_answers(answers, labels).columns == ("de", "fr", "it")
    assert evaluate_answers(answers, labels, least=2).sizes == (3, 3, 1)


def test_intervals_hold_the_measures_and_widen_where_domains_are_few():
    labels = ["de", "fr", "it"] * 60
    answers = ["de" if i // 20 % 3 == 0 else label for i, label in enumerate(labels)]
    found = evaluate_answers(answers, labels)
    widths = []
    for size in (1, 20):
        ends = bootstrap_intervals(answers, labels, found.columns, [i // size for i in range(180)])
        assert ends["f1"][0] < found.macro("f1") < ends["f1"][1]
        assert ends["accuracy"][0] < found.accuracy < ends["accuracy"][1]
        widths.append(ends["f1"][1] - ends["f1"][0])
    assert widths[0] < widths[1]


def test_what_cannot_be_measured_is_an_error():
    with pytest.raises(BadData, match="no URL to measure 'fr'"):
        measure("fr", [True], ["de"])
    with pytest.raises(BadData, match="no URL of another language"):
        measure("de", [True], ["de"])
    with pytest.raises(BadData, match="2 answers for 1 labels"):
        evaluate_answers(["de", "de"], ["de"])
    with pytest.raises(BadData, match="knows no language of these URLs"):
        evaluate_answers(["de"], ["de"], ["fr"])

"""Evaluations shown to people."""

import numpy as np
import pytest

from linksight.errors import BadConfig
from linksight.lab.evaluation.classification_metrics import evaluate_answers
from linksight.lab.evaluation.evaluation_tables import show_evaluation, write_evaluation


def test_few_languages_show_the_whole_matrix():
    shown = show_evaluation(evaluate_answers(["de", "fr", "de"], ["de", "fr", "fr"]))
    assert "de German" in shown
    assert "macro average" in shown
    assert "accuracy 66.7" in shown
    assert shown.splitlines()[-1].split() == ["fr", "50.0", "50.0"]


def test_many_languages_show_the_most_frequent_confusions():
    codes = "ar bg cs da de el en es fi fr hu it nl".split()
    labels = np.repeat(codes, 20)
    answers = labels.copy()
    answers[labels == "nl"] = "de"
    answers[0] = "fr"
    lines = show_evaluation(evaluate_answers(answers, labels)).splitlines()
    start = lines.index("most frequent confusions")
    assert lines[start + 1].split() == "20 URLs: 100.0 % of nl taken for de".split()
    assert lines[start + 2].split() == "1 URL: 5.0 % of ar taken for fr".split()


def test_a_folder_that_is_not_there_is_named(tmp_path):
    found = evaluate_answers(["de", "fr"], ["de", "fr"])
    with pytest.raises(BadConfig, match="no such folder"):
        write_evaluation(found, tmp_path / "no" / "x.json", "json")
    with pytest.raises(BadConfig, match="unknown format"):
        write_evaluation(found, tmp_path / "x.doc", "doc")
    assert list(tmp_path.iterdir()) == []

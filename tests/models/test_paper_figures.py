"""The papers' findings on a sample of the real data: which classifier is above which."""

import numpy as np
import pytest

from linksight.lab.evaluation.classification_metrics import evaluate_binary
from linksight.lab.evaluation.labelled_urls import PAPER_LANGUAGES, dutch_sample, paper_sample
from linksight.models import make_classifier

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def five(data):
    """A smaller sample than the recipe's, split at random as in the paper."""
    rows = paper_sample(data, size=6_000)
    test = rows.random_folds(10) == 0
    return rows.take(~test), rows.take(test)


def macro_f1(algorithm, features, split):
    train, test = split
    taken = {}
    for language in PAPER_LANGUAGES:
        classifier = make_classifier(algorithm, features, language).fit(train.urls, train.languages)
        taken[language] = classifier.predict(test.urls) == language
    return evaluate_binary(taken, test.languages).macro("f1")


def test_the_support_vector_machine_on_allgrams_is_best(five):
    best = macro_f1("svm", "allgrams-from-word", five)
    assert best > 0.93
    for algorithm, features in [
        ("svm", "words"), ("re", "allgrams-from-word"), ("nb", "allgrams-from-word"), ("nb", "words"),
        ("ros", "allgrams-from-word"), ("cctld", "tld"),
    ]:  # fmt: skip
        assert macro_f1(algorithm, features, five) < best, (algorithm, features)


@pytest.mark.parametrize("split", ["random", "site"])
def test_dutch_naive_bayes_beats_the_published_figure(data, split):
    rows = dutch_sample(data)
    rows = rows.take(np.arange(len(rows)) % 3 == 0)
    test = rows.folds(split, 5) == 0
    classifier = make_classifier("nb+cctld", "words+3-grams-from-word", "nl")
    classifier.fit(rows.take(~test).urls, rows.take(~test).languages)
    held_out = rows.take(test)
    found = evaluate_binary({"nl": classifier.predict(held_out.urls) == "nl"}, held_out.languages)
    assert found.macro("f1") > 0.918

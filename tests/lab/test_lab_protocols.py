"""The protocols of the papers: folds, counts, statistics, and features shared by experiments."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.errors import BadConfig, BadData
from linksight.features.custom import CustomFeatures
from linksight.lab.evaluation.cross_validation import Fold, Run, Way, run_fold, thinned
from linksight.lab.evaluation.labelled_urls import LabelledUrls
from linksight.lab.evaluation.significance_tests import Spread, measures_of, p_value, winner
from linksight.lab.papers.custom_features import CustomTable
from linksight.lab.papers.experiment_corpus import Corpus
from linksight.lab.papers.fold_cache import Ledger
from linksight.lab.papers.runner import SCALES, Trials

STEMS = {
    "de": "zeitung wetter schule gesundheit verein kirche werkstatt nachrichten",
    "en": "newspaper weather school health society church workshop business",
    "fr": "journal meteo ecole sante societe eglise atelier entreprise",
}
ENDINGS = {"de": "de", "en": "com", "fr": "fr"}


def urls(n_each=60):
    rows = []
    for language, stems in STEMS.items():
        words = stems.split()
        for i in range(n_each):
            one, other = words[(i // 4) % len(words)], words[(i // 3) % len(words)]
            tld = ENDINGS[language] if i // 4 % 3 else "com"
            rows.append((f"http://www.{one}{i // 4}.{tld}/{other}/{i}.html", language))
    return LabelledUrls.of([url for url, _ in rows], [language for _, language in rows])


@pytest.fixture
def corpus():
    rows = urls()
    media = LabelledUrls.of(["http://wetter.de/karte.pdf", "http://meteo.fr/carte.pdf"], ["de", "fr"])
    return Corpus(rows, {"media": media}, bits=14)


def test_a_task_is_half_of_the_language_and_even_over_the_others(corpus):
    labels, sizes = np.unique(corpus.labels[corpus.task("de")], return_counts=True)
    assert dict(zip(labels.tolist(), sizes.tolist(), strict=True)) == {"de": 60, "en": 30, "fr": 30}


@pytest.mark.parametrize("split", ["random", "site"])
def test_every_row_of_a_task_is_tested_once_and_never_trained_on_then(corpus, split):
    tested = []
    for fold in range(3):
        train, test = corpus.split("de", split, 3, fold)
        assert not set(train) & set(test)
        tested += test.tolist()
    assert sorted(tested) == sorted(corpus.task("de").tolist())


def test_by_site_no_domain_is_on_both_sides_and_at_random_some_are(corpus):
    train, test = corpus.split("de", "site", 3, 0)
    assert not set(corpus.sites[train]) & set(corpus.sites[test])
    assert not corpus.seen_domains(train, test)[0].any()
    train, test = corpus.split("de", "random", 3, 0)
    assert corpus.seen_domains(train, test)[0].mean() > 0.5


def test_custom_features_by_matrices_are_those_of_the_classifier(corpus):
    train, test = corpus.split("de", "random", 3, 0)
    labels = corpus.labels[train]
    both = np.concatenate([train, test])
    table = CustomTable(corpus.urls, corpus.languages)
    plain = CustomFeatures().learnt([corpus.urls[i] for i in train], labels.tolist(), ("de",))
    assert table.columns == plain.columns
    expected = plain.matrix([corpus.urls[i] for i in both])
    assert (
        expected[:, plain.columns.index("trained-host-de")].any()
        or expected[:, plain.columns.index("trained-path-de")].any()
    )
    np.testing.assert_array_equal(table.matrix(train, labels, both), expected)


def test_empty_urls_have_no_word_of_the_training_but_com_and_net():
    rows = LabelledUrls.of(
        [
            "http://zeitung.com/",
            "http://wetter.net/",
            "http://journal.com/",
            "http://zeitung.org/",
            "http://nie.com/",
        ],
        ["de", "de", "fr", "de", "fr"],
    )
    corpus = Corpus(rows, bits=14)
    assert corpus.empty(np.array([0, 1, 2]), np.array([3, 4])).tolist() == [False, True]


@pytest.mark.parametrize(
    ("algorithm", "features"),
    [
        ("svm", "words"),
        ("nb", "words"),
        ("ros", "3-grams-from-word"),
        ("markov", "3-grams-from-word"),
        ("dt", "custom"),
        ("cctld", ""),
    ],
)
def test_a_fold_is_what_the_classifier_alone_says(corpus, algorithm, features):
    from linksight.models import make_classifier

    found = run_fold(corpus, Fold(features, "random", 1.0, 0, 3), [algorithm])[algorithm]
    train, test = corpus.split("de", "random", 3, 0)
    options = {"bits": 14} if features not in ("", "custom") else {}
    alone = make_classifier(algorithm, features or None, "de", **options)
    alone.fit([corpus.urls[i] for i in train], corpus.labels[train].tolist())
    yes = alone.predict([corpus.urls[i] for i in test]) == "de"
    counted = found["outcome"]["de"]["all"]
    for language in corpus.languages:
        mine = corpus.labels[test] == language
        assert counted[language] == [int(mine.sum()), int(yes[mine].sum())]
    assert sum(n for n, _ in found["outcome"]["de"]["media"].values()) == 2


def test_groups_of_a_fold_add_up(corpus):
    outcome = run_fold(corpus, Fold("words", "random", 1.0, 1, 3), ["nb"])["nb"]["outcome"]["en"]
    for parts in (("empty", "filled"), ("seen", "unseen"), ("words 0", "words 3", "words 5", "words 9")):
        total = sum(n for part in parts for n, _ in outcome[part].values())
        assert total == sum(n for n, _ in outcome["all"].values())


@given(st.integers(20, 400), st.floats(0.001, 1.0))
@settings(max_examples=40, deadline=None)
def test_thinned_training_keeps_both_answers_and_ten_rows(n, share):
    rows, positive = np.arange(n), np.arange(n) % 2 == 0
    kept = thinned(rows, positive, share, seed=1)
    assert set(kept) <= set(rows.tolist())
    assert len(kept) >= 10
    assert abs(int(positive[kept].sum()) - int((~positive[kept]).sum())) <= 1


def test_p_values_are_scipys():
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(3)
    one, other = rng.normal(90, 1, 10), rng.normal(89, 1, 10)
    assert p_value(one, other) == pytest.approx(ttest_rel(one, other, alternative="greater").pvalue)


def test_no_winner_where_folds_disagree_and_none_alone():
    assert winner({"a": Spread((90.0, 80.0, 95.0)), "b": Spread((85.0, 88.0, 91.0))}) is None
    assert winner({"a": Spread((90.0, 91.0))}) is None


def test_measures_from_counts_are_balanced():
    found = measures_of("de", {"de": [10, 9], "en": [60, 6], "fr": [40, 4]})
    assert (found.recall, found.negative_success) == (0.9, pytest.approx(0.9))
    assert found.precision == pytest.approx(0.9)
    assert measures_of("de", {"de": [10, 9]}) is None


def test_a_finished_fold_is_not_run_again(corpus, tmp_path, monkeypatch):
    scale = SCALES["quick"]
    run = Run(Way("nb", "words"))
    first = Trials(scale, corpus, Ledger(tmp_path, {"a": 1})).folds(run)
    monkeypatch.setattr("linksight.lab.papers.runner.run_fold", lambda *_: pytest.fail("run again"))
    assert Trials(scale, corpus, Ledger(tmp_path, {"a": 1}, resume=True)).folds(run) == first


def test_an_interrupted_run_goes_on_with_the_folds_that_are_left(corpus, tmp_path, monkeypatch):
    from linksight.lab.papers import runner as module

    ran = []

    def stopping(own, fold, algorithms):
        if len(ran) == 2:
            raise KeyboardInterrupt
        ran.append(fold.number)
        return run_fold(own, fold, algorithms)

    monkeypatch.setattr(module, "run_fold", stopping)
    with pytest.raises(KeyboardInterrupt):
        Trials(SCALES["quick"], corpus, Ledger(tmp_path, {})).folds(Run(Way("nb", "words")))
    trials = Trials(SCALES["quick"], corpus, Ledger(tmp_path, {}, resume=True))
    assert [fold.number for fold, _ in trials.missing([Run(Way("nb", "words"))])] == [2]


def test_the_ledger_refuses_to_mix_runs(tmp_path):
    Ledger(tmp_path, {"size": 1})
    with pytest.raises(BadConfig, match="--resume"):
        Ledger(tmp_path, {"size": 1})
    with pytest.raises(BadConfig, match=r"other settings \(size\)"):
        Ledger(tmp_path, {"size": 2}, resume=True)


def test_a_damaged_fold_is_named(tmp_path):
    ledger = Ledger(tmp_path, {})
    ledger.keep("a", 1)
    next(ledger.folder.glob("a-*.json")).write_text("{", encoding="utf-8")
    with pytest.raises(BadData, match="damaged"):
        Ledger(tmp_path, {}, resume=True).get("a")

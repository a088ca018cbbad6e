"""Each algorithm against its definition, written out the slow way or taken from scikit-learn."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.features import parse_features
from linksight.features.feature_hash import bucket, fnv1a
from linksight.features.hashed_counts import Counts
from linksight.models import make_classifier
from linksight.models.algorithms.linear import inverse_document_frequencies
from linksight.models.algorithms.solvers import fit_softmax, fit_svm
from linksight.models.labels import balanced_rows, even_sample
from linksight.urls.parser import Url

BITS = 18


def names_by_language(corpus, spec):
    """How often each feature is in each language, counted plainly."""
    found = {}
    for url, language in zip(*corpus, strict=True):
        found.setdefault(language, Counter()).update(parse_features(spec).names(Url.parse(url)))
    return found


def test_naive_bayes_is_that_of_scikit_learn(corpus):
    bayes, sparse = (pytest.importorskip(name) for name in ("sklearn.naive_bayes", "scipy.sparse"))
    urls, languages = corpus
    counts = Counts.of(urls, parse_features("3-grams-from-word"), BITS)
    used = np.flatnonzero(counts.frequencies())
    rows = (counts.values, counts.columns, counts.starts)
    matrix = sparse.csr_matrix(rows, shape=(len(counts), counts.n_columns))[:, used]
    peer = bayes.MultinomialNB(alpha=1.0).fit(matrix, languages)
    mine = make_classifier("nb", "3-grams-from-word", bits=BITS).fit(urls, languages)
    np.testing.assert_allclose(mine.decision_function(urls), peer.predict_joint_log_proba(matrix), rtol=1e-5)


def test_relative_entropy_picks_the_language_of_least_divergence(corpus):
    urls, languages = corpus
    classifier = make_classifier("re", "words", smoothing=0.5, bits=BITS).fit(urls, languages)
    seen = names_by_language(corpus, "words")
    vocabulary = set().union(*seen.values())

    def divergence(url, language):
        own = Counter(name for name in parse_features("words").names(Url.parse(url)) if name in vocabulary)
        total = seen[language].total() + 0.5 * len(vocabulary)
        return sum(
            n / own.total() * math.log(n / own.total() / ((seen[language][name] + 0.5) / total))
            for name, n in own.items()
        )

    probes = ["http://zeitung.com/health/", "http://economia.it/", "http://nothing.fr/meteo"]
    for url, found in zip(probes, classifier.predict(probes), strict=True):
        assert found == min(sorted(seen), key=lambda language: divergence(url, language))


def test_markov_sums_the_logarithms_of_what_follows(corpus):
    urls, languages = corpus
    classifier = make_classifier("markov", "3-grams-from-word", language="de", smoothing=0.2, bits=20, seed=0)
    is_german = np.array(languages) == "de"
    rows = balanced_rows(is_german, np.array(languages), "de", 0)
    classifier.fit(urls, languages)
    grams = {True: Counter(), False: Counter()}
    for i in rows:
        grams[languages[i] == "de"].update(
            n[2:] for n in parse_features("3-grams-from-word").names(Url.parse(urls[i]))
        )
    contexts = {own: Counter() for own in grams}
    for own, counted in grams.items():
        for gram, n in counted.items():
            contexts[own][gram[:2]] += n

    def log_likelihood(url, own):
        found = [name[2:] for name in parse_features("3-grams-from-word").names(Url.parse(url))]
        return sum(math.log((grams[own][g] + 0.2) / (contexts[own][g[:2]] + 0.2 * 27)) for g in found)

    for url in ["http://zeitung.de/", "http://school.com/xyzzy", "http://wetter.at/meteo"]:
        expected = log_likelihood(url, False) - log_likelihood(url, True)  # above 0: und
        assert classifier.decision_function([url])[0] == pytest.approx(expected, rel=1e-4)


def test_rank_order_sums_how_far_each_feature_is_out_of_place(corpus):
    urls, languages = corpus
    classifier = make_classifier("ros", "words", n_ranks=6, bits=BITS).fit(urls, languages)
    seen = names_by_language(corpus, "words")

    def distance(url, language):
        column = {name: bucket(fnv1a(name), BITS) for name in seen[language]}
        profile = sorted(seen[language], key=lambda name: (-seen[language][name], column[name]))[:6]
        own = Counter(parse_features("words").names(Url.parse(url)))
        ranks = {name: sum(other > n for other in own.values()) for name, n in own.items()}
        return sum(abs(profile.index(name) - ranks[name]) if name in profile else 6 for name in own)

    probes = ["http://com.de/zeitung/zeitung/wetter", "http://news.com/", "http://salute.it/salute/com"]
    expected = [[-distance(url, language) for language in sorted(seen)] for url in probes]
    np.testing.assert_array_equal(classifier.decision_function(probes), expected)


def test_the_weighting_is_the_papers(corpus):
    counts = Counts.of(corpus[0], parse_features("words"), BITS)
    rarity = inverse_document_frequencies(counts)
    with_com = sum(".com" in url for url in corpus[0])
    expected = math.log(len(corpus[0]) / (with_com + 1))
    assert rarity[bucket(fnv1a("w:com"), BITS)] == pytest.approx(expected)
    assert rarity[bucket(fnv1a("w:neverseen"), BITS)] == 0


def random_problem(n=400, d=60, seed=0):
    rng = np.random.default_rng(seed)
    matrix = (rng.random((n, d)) < 0.15) * rng.integers(1, 4, (n, d)).astype(np.float32)
    truth = rng.normal(size=(d, 3))
    return matrix, (matrix @ truth + rng.normal(size=(n, 3))).argmax(axis=1)


@pytest.mark.parametrize("cost", [0.001, 0.1])
def test_the_svm_solver_finds_liblinears_optimum(cost):
    svm = pytest.importorskip("sklearn.svm")
    matrix, labels = random_problem()
    signs = np.where(labels == 0, 1.0, -1.0)
    peer = svm.LinearSVC(C=cost, tol=1e-8, max_iter=100_000).fit(matrix, signs)
    weights, bias, _ = fit_svm(Counts.of_matrix(matrix), signs, cost, 1e-8, 5_000, 0)
    np.testing.assert_allclose(weights, peer.coef_[0], atol=1e-4)
    assert bias == pytest.approx(peer.intercept_[0], abs=1e-4)


def test_a_weight_of_two_is_a_row_that_occurs_twice():
    matrix, labels = random_problem(n=120)
    signs = np.where(labels == 0, 1.0, -1.0)
    weights = np.where(np.arange(120) < 40, 2.0, np.where(np.arange(120) < 50, 0.0, 1.0))
    rows = np.repeat(np.arange(120), weights.astype(int))
    counts = Counts.of_matrix(matrix)
    weighted, _, _ = fit_svm(counts, signs, 0.1, 1e-8, 5_000, 0, weights)
    repeated, _, _ = fit_svm(counts.take(rows), signs[rows], 0.1, 1e-8, 5_000, 0)
    np.testing.assert_allclose(weighted, repeated, atol=1e-4)
    np.testing.assert_allclose(
        counts.sums(labels, 3, weights), counts.take(rows).sums(labels[rows], 3), rtol=1e-6
    )


def test_the_softmax_solver_comes_near_the_optimum():
    linear = pytest.importorskip("sklearn.linear_model")
    matrix, labels = random_problem()
    peer = linear.LogisticRegression(C=1.0, max_iter=5_000, tol=1e-8).fit(matrix, labels)
    weights, biases = fit_softmax(Counts.of_matrix(matrix), labels, 3, 1.0, 0.1, 200, 0)

    def loss(coefficients, intercepts):
        scores = matrix @ coefficients + intercepts
        scores -= np.log(
            np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)
        ) + scores.max(axis=1, keepdims=True)
        return -scores[np.arange(len(labels)), labels].sum() + 0.5 * np.square(coefficients).sum()

    assert loss(weights, biases) < 1.02 * loss(peer.coef_.T, peer.intercept_)


def test_probabilities_of_maximum_entropy_sum_to_one(corpus):
    urls, languages = corpus
    for language in ("de", None):
        classifier = make_classifier("me", "words", language=language, bits=14).fit(urls, languages)
        shares = classifier.predict_proba(urls)
        assert shares.shape == (len(urls), len(classifier.classes_))
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        assert (classifier.classes_[shares.argmax(axis=1)] == classifier.predict(urls)).all()


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(["de", "en", "fr", "it"]), min_size=2, max_size=80), st.integers(0, 9))
def test_negatives_are_as_many_and_as_even_as_the_data_allow(labels, seed):
    array = np.array([*labels, "de", "en"])
    rows = balanced_rows(array == "de", array, "de", seed)
    assert len(np.unique(rows)) == len(rows)
    n_own, n_others = (array == "de").sum(), (array != "de").sum()
    taken = Counter(array[rows].tolist())
    assert taken["de"] == n_own
    if n_others <= n_own:
        assert len(rows) == len(array)
        return
    assert taken.total() == 2 * n_own
    # A language gives fewer than another only where it has no more to give, but for rounding.
    most = max(n for language, n in taken.items() if language != "de")
    for language in {"en", "fr", "it"} & set(array.tolist()):
        assert taken[language] >= min(most - 1, (array == language).sum())


def test_an_even_sample_hangs_on_the_seed_alone():
    labels = np.array(["en"] * 50 + ["fr"] * 50)
    rows = np.arange(100)
    assert (even_sample(labels, rows, 20, 1) == even_sample(labels, rows, 20, 1)).all()
    assert (even_sample(labels, rows, 20, 1) != even_sample(labels, rows, 20, 2)).any()


@pytest.mark.parametrize(
    ("algorithm", "url", "expected"),
    [
        ("cctld", "http://a.co.uk/", "en"),
        ("cctld", "http://a.com/", "und"),
        ("cctld+", "http://a.com/", "en"),
        ("cctld+", "http://a.org/", "en"),
        ("cctld+", "http://a.net/", "und"),
        ("cctld", "http://a.ch/", "de"),
        ("cctld", "http://a.ca/", "en"),
        ("cctld", "http://a.ve/", "es"),
        ("cctld", "http://a.va/", "it"),
        ("cctld", "http://a.tn/", "fr"),
    ],
)
def test_the_country_code_is_that_of_table_1(algorithm, url, expected):
    assert make_classifier(algorithm).predict([url]).tolist() == [expected]
    if expected != "und":
        assert make_classifier(algorithm, language=expected).predict([url]).tolist() == [expected]


def test_the_country_code_has_the_last_word_before_naive_bayes(corpus):
    classifier = make_classifier("nb+cctld", "words", language="de", bits=14).fit(*corpus)
    assert classifier.predict(["http://news-business-health.at/school/"]).tolist() == ["de"]
    assert classifier.predict(["http://news-business-health.com/school/"]).tolist() == ["und"]
    assert classifier.predict(["http://nachrichten.com/zeitung"]).tolist() == ["de"]

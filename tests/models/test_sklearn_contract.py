"""The contract of scikit-learn: tags, labels, probabilities, sample weights, scoring, folds by domain."""

import warnings

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks as checks

from linksight.features import UrlVectorizer
from linksight.models import ALGORITHMS, classifier_type, make_classifier
from linksight.models.calibration import fit_slope
from linksight.urls.parser import site_of

LEARNERS = ("svm", "nb", "me", "re", "markov", "ros", "dt", "nb+cctld")


def small(algorithm, language=None):
    features = {"markov": "3-grams-from-word", "dt": "custom"}.get(algorithm, "words")
    options = {} if algorithm == "dt" else {"bits": 14}
    return make_classifier(algorithm, features, language, **options)


@pytest.fixture(scope="module")
def rows(corpus):
    """URLs, languages and registered domains."""
    urls, languages = np.array(corpus[0], dtype=object), np.array(corpus[1], dtype=object)
    return urls, languages, np.array([site_of(url) for url in urls])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    "check",
    [
        checks.check_estimator_cloneable, checks.check_estimator_tags_renamed, checks.check_valid_tag_types,
        checks.check_estimator_repr, checks.check_no_attributes_set_in_init, checks.check_get_params_invariance,
        checks.check_set_params, checks.check_parameters_default_constructible,
        checks.check_mixin_order, checks.check_do_not_raise_errors_in_init_or_set_params,
    ],
    ids=lambda check: check.__name__,
)  # fmt: skip
def test_checks_of_scikit_learn_that_need_no_matrix(algorithm, check):
    check(algorithm, classifier_type(algorithm)())


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_classifiers_are_estimators_of_scikit_learn(algorithm):
    kind = classifier_type(algorithm)
    assert issubclass(kind, ClassifierMixin)
    assert issubclass(kind, BaseEstimator)
    assert is_classifier(kind())


@pytest.mark.parametrize("language", ["de", "zh"], ids=["sorts before und", "sorts after und"])
@pytest.mark.parametrize("algorithm", LEARNERS)
def test_yes_or_no_has_sorted_classes_that_scores_and_probabilities_follow(algorithm, language, rows):
    urls, labels = rows[0], np.where(rows[1] == "de", language, "und").astype(object)
    classifier = small(algorithm, language).fit(urls, labels)
    assert classifier.classes_.tolist() == sorted([language, "und"])
    found = classifier.predict(urls)
    assert (found == labels).mean() > 0.9
    assert (classifier.classes_[(classifier.decision_function(urls) > 0).astype(int)] == found).all()
    shares = classifier.predict_proba(urls)
    assert (classifier.classes_[shares.argmax(axis=1)] == found).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_probabilities_of_many_classes_follow_the_answers(algorithm, rows):
    urls, languages, _ = rows
    classifier = small(algorithm).fit(urls, languages)
    shares = classifier.predict_proba(urls)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (classifier.classes_[shares.argmax(axis=1)] == classifier.predict(urls)).all()
    np.testing.assert_allclose(np.exp(classifier.predict_log_proba(urls)), shares, rtol=1e-6)


@pytest.mark.parametrize("labels", ["text", "booleans", "own words"])
@pytest.mark.parametrize("algorithm", ["svm", "nb", "me"])
def test_scoring_by_domain(algorithm, labels, rows):
    urls, languages, domains = rows
    is_german = languages == "de"
    truth = {
        "text": np.where(is_german, "de", "und"), "booleans": is_german, "own words": np.where(is_german, "de", "other"),
    }[labels]  # fmt: skip
    folds = {"groups": domains, "cv": GroupKFold(3), "error_score": "raise"}
    classifier = small(algorithm, "de")
    assert cross_val_score(classifier, urls, truth, scoring="roc_auc", **folds).min() > 0.9
    assert cross_val_score(classifier, urls, truth, scoring="neg_log_loss", **folds).min() > -0.5
    assert cross_val_score(classifier, urls, truth, scoring="accuracy", **folds).min() > 0.85
    many = {"scoring": "roc_auc_ovr", **folds}
    assert cross_val_score(small(algorithm), urls, languages, **many).min() > 0.9
    assert (
        cross_val_score(small(algorithm), urls, languages, **many | {"scoring": "neg_log_loss"}).min() > -1.0
    )


def test_a_few_confident_errors_leave_the_other_probabilities_as_they_are():
    """A country code decides with a weight above all others, and is sometimes wrong."""
    numbers = np.random.default_rng(0)
    margins = numbers.normal(size=1000) * 3
    targets = (numbers.random(1000) < 1 / (1 + np.exp(-margins))).astype(int)
    scores = np.concatenate([margins, np.full(100, 10_000.0)])[:, np.newaxis]
    slope, noise = fit_slope(scores, np.concatenate([targets, np.repeat([0, 1], [10, 90])]))
    assert slope == pytest.approx(1, rel=0.3)
    assert 0.02 < noise < 0.2
    plain = fit_slope(margins[:, np.newaxis], targets)
    assert plain[0] == pytest.approx(1, rel=0.2)
    assert plain[1] < 0.02


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_rows_of_no_weight_are_as_if_they_were_not_there(algorithm, rows):
    urls, languages, _ = rows
    wrong = np.where(languages == "de", "en", languages)
    weights = np.repeat([1.0, 0.0], len(urls))
    both = small(algorithm).fit(np.tile(urls, 2), np.concatenate([languages, wrong]), sample_weight=weights)
    assert both.score(urls, languages) > 0.8
    assert both.score(np.tile(urls, 2), np.concatenate([languages, wrong]), sample_weight=weights) > 0.8


@pytest.mark.parametrize("weights", [[1.0], [-1.0] * 4, [0.0] * 4, [float("nan")] * 4], ids=str)
def test_weights_that_make_no_sense_are_refused(weights):
    urls = ["http://zeitung.de/", "http://journal.fr/", "http://wetter.de/", "http://meteo.fr/"]
    with pytest.raises(ValueError, match="sample_weight"):
        small("nb").fit(urls, ["de", "fr", "de", "fr"], sample_weight=weights)


def test_asking_before_training_raises_scikit_learns_error():
    with pytest.raises(NotFittedError):
        small("nb").predict(["http://a.de/"])


def test_the_country_of_the_server_is_looked_up_in_other_processes(hosting, rows):
    urls, languages, _ = rows
    classifier = make_classifier("svm+ip", "words", "de", hosting=hosting, bits=14)
    truth = np.where(languages == "de", "de", "und")
    found = cross_val_score(classifier, urls[:60], truth[:60], cv=2, n_jobs=2, error_score="raise")
    assert len(found) == 2


@pytest.mark.parametrize("features", ["words", "3-5-grams-from-word+tld", "custom"])
def test_the_vectorizer_feeds_any_estimator(features, rows):
    urls, languages, domains = rows
    vectorizer = UrlVectorizer(features, bits=14)
    matrix = vectorizer.fit_transform(urls, languages)
    assert issparse(matrix)
    assert matrix.shape[0] == len(urls)
    assert (clone(vectorizer).fit(urls, languages).transform(urls) != matrix).nnz == 0
    model = make_pipeline(vectorizer, LogisticRegression(max_iter=500))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cross_val_score(model, urls, languages, groups=domains, cv=GroupKFold(3), error_score="raise")
    assert found.min() > 0.7


def test_custom_features_are_columns_with_names(rows):
    vectorizer = UrlVectorizer("custom").fit(rows[0], rows[1])
    names = vectorizer.get_feature_names_out()
    matrix = vectorizer.transform(["http://www.wetter-x.de/"])
    assert matrix.shape == (1, len(names))
    assert matrix[0, names.tolist().index("tld-de")] == 1


def test_a_label_that_is_hardly_a_language_is_refused_among_languages():
    urls = ["http://zeitung.de/", "http://journal.fr/", "http://shop.com/"]
    with pytest.raises(LookupError, match="xyzzy"):
        small("nb").fit(urls, ["de", "fr", "xyzzy"])
    assert accuracy_score(["a", "b"], ["a", "b"]) == 1

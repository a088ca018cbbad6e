"""Inside scikit-learn's own machinery: what numbers the classes, copies, votes, calibrates and ranks."""

import copy
import pickle

import numpy as np
import pytest

from linksight.errors import BadConfig, BadLanguage
from linksight.models import load, make_classifier

calibration = pytest.importorskip("sklearn.calibration")
ensemble = pytest.importorskip("sklearn.ensemble")
selection = pytest.importorskip("sklearn.model_selection")
multiclass = pytest.importorskip("sklearn.multiclass")

LEARNERS = ("svm", "nb", "me", "re", "ros")


def small(algorithm, language=None, features="words"):
    return make_classifier(algorithm, features, language, bits=14)


@pytest.fixture
def columns(corpus):
    urls, languages = corpus
    return np.array(urls, dtype=object), np.array(languages, dtype=object)


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_numbered_classes_are_learnt_as_the_languages_are(algorithm, columns):
    urls, languages = columns
    names, numbers = np.unique(languages.astype(str), return_inverse=True)
    by_name = small(algorithm).fit(urls, languages)
    by_number = small(algorithm).fit(urls, numbers + 7)
    assert by_number.classes_.tolist() == [7, 8, 9, 10, 11]
    assert (names[by_number.predict(urls) - 7] == by_name.predict(urls)).all()
    assert by_number.score(urls, numbers + 7) == by_name.score(urls, languages)
    assert by_number.predict(["mailto:a@b.de"])[0] in by_number.classes_


@pytest.mark.parametrize(
    "names", [range(5), ["news", "shop", "forum", "blog", "wiki"]], ids=["numbers", "topics"]
)
@pytest.mark.parametrize("algorithm", [*LEARNERS, "markov"])
def test_any_labels_are_learnt_and_saved(algorithm, names, columns, tmp_path):
    urls, languages = columns
    labels = np.array(names)[np.unique(languages.astype(str), return_inverse=True)[1]]
    classifier = make_classifier(algorithm, "3-grams-from-word", bits=14).fit(urls, labels)
    assert classifier.classes_.tolist() == sorted(names)
    assert classifier.score(urls, labels) > 0.9
    if algorithm != "ros":
        with pytest.raises(BadConfig, match="not languages"):
            classifier.compile()
    classifier.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.predict(urls).tolist() == classifier.predict(urls).tolist()
    np.testing.assert_allclose(
        again.predict_proba(urls), classifier.predict_proba(urls), rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize("algorithm", ["cctld", "nb+cctld"])
def test_who_looks_languages_up_needs_their_names(algorithm, columns):
    urls, languages = columns
    with pytest.raises(BadLanguage, match="looks languages up"):
        make_classifier(algorithm).fit(urls, np.unique(languages.astype(str), return_inverse=True)[1])


@pytest.mark.parametrize("algorithm", [*LEARNERS, "cctld", "nb+cctld"])
def test_true_is_the_language_of_a_binary_classifier(algorithm, columns, tmp_path):
    urls, languages = columns
    classifier = make_classifier(algorithm, language="de")
    by_name = copy.deepcopy(classifier).fit(urls, np.where(languages == "de", "de", "und"))
    found = classifier.fit(urls, languages == "de").predict(urls)
    assert classifier.classes_.tolist() == [False, True]
    assert found.dtype == bool
    assert (found == (by_name.predict(urls) == "de")).all()
    assert classifier.score(urls, languages == "de") == by_name.score(urls, languages)
    classifier.save(tmp_path / "model")
    assert set(load(tmp_path / "model").predict(urls.tolist())) == {"de", "und"}


def test_a_third_number_is_no_answer_to_yes_or_no(columns):
    urls, _ = columns
    with pytest.raises(BadLanguage, match="True or False"):
        small("nb", "de").fit(urls, np.arange(len(urls)) % 3)


def test_classifiers_vote(columns):
    urls, languages = columns
    voters = [(name, small(name)) for name in ("svm", "nb", "re")]
    voted = ensemble.VotingClassifier(voters).fit(urls, languages)
    assert (voted.predict(urls) == languages).mean() > 0.9


def test_classifiers_are_stacked_and_taken_one_against_the_rest(columns):
    urls, languages = columns
    stacked = ensemble.StackingClassifier([("svm", small("svm")), ("nb", small("nb"))], cv=3)
    assert (stacked.fit(urls, languages).predict(urls) == languages).mean() > 0.9
    apart = multiclass.OneVsRestClassifier(small("svm", "de")).fit(urls, languages)
    assert (apart.predict(urls) == languages).mean() > 0.9


def test_scores_are_predicted_across_folds(columns):
    urls, languages = columns
    many = selection.cross_val_predict(small("svm"), urls, languages, cv=3, method="decision_function")
    assert many.shape == (len(urls), 5)
    one = selection.cross_val_predict(
        small("svm", "de"), urls, languages == "de", cv=3, method="decision_function"
    )
    assert one[languages == "de"].mean() > one[languages != "de"].mean()


@pytest.mark.parametrize("measure", ["roc_auc", "f1", "average_precision"])
def test_yes_or_no_is_measured_the_right_way_round(columns, measure):
    urls, languages = columns
    found = selection.cross_val_score(
        small("svm", "de"), urls, languages == "de", cv=3, scoring=measure, error_score="raise"
    )
    assert found.mean() > 0.9


def test_yes_or_no_is_calibrated(columns):
    urls, languages = columns
    calibrated = calibration.CalibratedClassifierCV(small("svm", "de"), cv=3).fit(urls, languages == "de")
    chances = calibrated.predict_proba(urls)[:, 1]
    assert chances[languages == "de"].mean() > 0.8 > 0.2 > chances[languages != "de"].mean()


@pytest.mark.parametrize("language", ["de", None])
@pytest.mark.parametrize("algorithm", LEARNERS)
def test_a_trained_classifier_goes_to_another_process(algorithm, language, columns):
    urls, languages = columns
    classifier = small(algorithm, language).fit(urls, languages)
    for twin in (copy.deepcopy(classifier), pickle.loads(pickle.dumps(classifier))):
        assert (twin.predict(urls) == classifier.predict(urls)).all()


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        ("nb", {"smoothing": 0}), ("nb", {"smoothing": -1.0}), ("re", {"smoothing": "much"}),
        ("markov", {"smoothing": float("nan")}), ("svm", {"cost": 0}), ("svm", {"tolerance": -1}),
        ("svm", {"n_epochs": 0}), ("svm", {"n_epochs": 2.5}), ("me", {"variance": 0}), ("me", {"rate": float("inf")}),
        ("me", {"n_epochs": -1}), ("ros", {"n_ranks": 0}), ("nb", {"bits": 99}), ("nb", {"bits": "many"}),
        ("dt", {"min_leaf": 0}), ("dt", {"pruning": -1}), ("dt", {"n_features": 0}), ("svm", {"cost": True}),
    ],
    ids=str,
)  # fmt: skip
def test_a_number_that_makes_no_sense_is_named_before_any_work(algorithm, options):
    (name,) = options
    with pytest.raises(BadConfig, match=f"{algorithm}: {name} "):
        make_classifier(algorithm, **options)
    with pytest.raises(BadConfig, match=f"{algorithm}: {name} "):
        make_classifier(algorithm).set_params(**options).fit(["http://a.de/", "http://b.fr/"], ["de", "fr"])

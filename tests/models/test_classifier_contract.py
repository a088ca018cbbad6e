"""One contract, every algorithm with every feature set that the papers combine it with."""

import warnings

import numpy as np
import pytest

from linksight.errors import BadConfig, BadData, BadLanguage, NotFitted
from linksight.features.hashed_counts import Counts
from linksight.models import ALGORITHMS, classifier_type, load, make_classifier
from linksight.models.additive import AdditiveClassifier
from linksight.url_model.model import UrlLanguageModel

NGRAMS = ["3-grams-from-word", "3-5-grams-from-word", "6-grams-from-url"]
LEARNERS = ["svm", "nb", "me", "re", "ros"]
COMBINATIONS = [
    *[(algorithm, features) for algorithm in LEARNERS for features in ["words", *NGRAMS]],
    *[("markov", features) for features in NGRAMS],
    ("cctld", "tld"),
    ("cctld+", "tld"),
    ("nb+cctld", "words+3-grams-from-word"),
    *[(algorithm, "custom") for algorithm in ("svm", "nb", "me", "re", "dt")],
    ("dt", "custom-2008"),
    ("svm", "allgrams-from-word+custom"),
    ("svm+ip", "allgrams-from-word"),
    ("svm+ip", "words"),
    ("ip", "host"),
]
ADDITIVE = [
    (algorithm, features)
    for algorithm, features in COMBINATIONS
    if algorithm in ("svm", "nb", "me", "re", "markov", "cctld", "cctld+", "nb+cctld")
    and "custom" not in features
]
BINARY_ONLY = ("svm+ip",)
ODD = [
    "", " ", None, 17, b"http://a.de/", "mailto:a@b.de", "javascript:void(0)", "word", "http://[", "http://[::1]:80/",
    "http://u:p@a.de:99999/", "http://a.de/%zz%ff%C3", "http://1.2.3.4/", "\x00\x01", "http://a.de/" + "a" * 100_000,
    "http://a.de/\x00\x1f", "http://täglich.de/%E4",
]  # fmt: skip

N_UNUSABLE = 9  # the first ones are no web addresses at all


@pytest.fixture
def make(hosting):
    """make_classifier with a small table and the made-up web's hosting."""

    def build(algorithm, features, language=None):
        known = classifier_type(algorithm).parameter_names()
        options = {"bits": 14} if "bits" in known else {}
        if "hosting" in known or "custom" in features:
            options["hosting"] = hosting
        return make_classifier(algorithm, None if algorithm == "ip" else features, language, **options)

    return build


@pytest.fixture(params=COMBINATIONS, ids=lambda pair: "-on-".join(pair))
def pair(request):
    return request.param


def test_the_menu_is_covered():
    assert {algorithm for algorithm, _ in COMBINATIONS} == set(ALGORITHMS)


def test_a_binary_classifier_learns_its_language(make, pair, corpus):
    urls, languages = corpus
    classifier = make(*pair, language="German").fit(urls, languages)
    found = classifier.predict(urls)
    assert set(found) <= {"de", "und"}
    assert classifier.classes_.tolist() == ["de", "und"]
    right = (found == "de") == (np.array(languages) == "de")
    # The made-up web hosts all of .com in Germany, so hosting misleads there.
    assert right.mean() > (0.65 if "ip" in pair[0] else 0.84)
    assert ((classifier.decision_function(urls) > 0) == (found == "und")).all()


def test_a_multi_class_classifier_learns_all_languages(make, pair, corpus):
    urls, languages = corpus
    if pair[0] in BINARY_ONLY:
        with pytest.raises(BadConfig, match="binary classifier"):
            make(*pair)
        return
    classifier = make(*pair).fit(urls, languages)
    assert classifier.classes_.tolist() == ["de", "en", "es", "fr", "it"]
    assert classifier.decision_function(urls).shape == (len(urls), 5)
    baseline = pair[0] in ("cctld", "cctld+", "ip")
    assert classifier.score(urls, languages) > (0.6 if baseline else 0.8)


def test_odd_urls_are_undetermined_and_break_nothing(make, pair, corpus):
    classifier = make(*pair, language="de").fit(*corpus)
    found = classifier.predict([*ODD, corpus[0][0]])
    assert len(found) == len(ODD) + 1
    assert (found[:N_UNUSABLE] == "und").all()
    assert np.isfinite(classifier.decision_function(ODD)).all()
    assert classifier.predict([]).shape == (0,)


def test_order_and_repetition_change_nothing(make, pair, corpus):
    urls, languages = corpus
    classifier = make(*pair, language="de" if pair[0] in BINARY_ONLY else None).fit(urls, languages)
    forward = classifier.decision_function(urls)
    np.testing.assert_array_equal(forward, classifier.decision_function(urls[::-1])[::-1])
    again = classifier.fit(urls, languages)
    np.testing.assert_array_equal(forward, again.decision_function(urls))


def test_few_and_many_urls_are_scored_alike(make, pair, corpus):
    """Few go through plain Python, many through the compiled extraction."""
    urls, languages = corpus
    classifier = make(*pair, language="fr").fit(urls, languages)
    many = classifier.decision_function(urls * 2)
    np.testing.assert_allclose(classifier.decision_function(urls[:20]), many[:20], rtol=1e-5, atol=1e-5)


def test_parameters_can_be_read_set_and_cloned(make, pair, corpus):
    sklearn = pytest.importorskip("sklearn.base")
    classifier = make(*pair, language="it")
    parameters = classifier.get_params()
    assert pair[0] == "ip" or str(parameters["features"]) == pair[1]
    twin = sklearn.clone(classifier)
    assert twin is not classifier
    assert twin.get_params() == parameters
    assert twin.set_params(language="es").language == "es"
    assert classifier.language == "it"
    with pytest.raises(ValueError, match="Invalid parameter 'alpha'"):
        classifier.set_params(alpha=1)


def test_asking_before_training_is_an_error(make, pair):
    classifier = make(*pair, language="de")
    if not classifier.needs_training:
        assert classifier.predict(["http://a.de/"]).tolist() == ["de"]
        return
    for ask in (classifier.predict, classifier.decision_function):
        with pytest.raises(NotFitted, match=pair[0].replace("+", r"\+")):
            ask(["http://a.example/"])


@pytest.mark.parametrize("language", ["de", None])
@pytest.mark.parametrize("additive", ADDITIVE, ids="-on-".join)
def test_estimator_and_compiled_table_agree(make, additive, corpus, language):
    urls, languages = corpus
    classifier = make(*additive, language=language).fit(urls, languages)
    scorer = classifier.compile()
    assert isinstance(scorer, UrlLanguageModel)
    np.testing.assert_allclose(scorer.score(urls), classifier._scores(urls), rtol=1e-4, atol=1e-3)
    assert scorer.predict(urls) == classifier.predict(urls).tolist()


_ODD = [
    "http://a.com/%23/wetter",
    "http://a.com/?a=%23wetter",
    "http://[::1]/wetter",
    "http://www.wetter.de/?a%3Fb",
]


@pytest.mark.parametrize("url", _ODD)
@pytest.mark.parametrize("additive", ADDITIVE, ids="-on-".join)
def test_one_url_is_answered_and_explained_as_many_are(make, additive, corpus, url):
    """What stood in codes is no sign of its own any more, and an address in numbers has no brackets."""
    scorer = make(*additive).fit(*corpus).compile()
    found = scorer.detect(url)
    np.testing.assert_allclose(found.probability, scorer.predict_proba([url])[0].max(), rtol=1e-3)
    calibrated = scorer.score([url])[0] * scorer.calibration.slopes[0]
    np.testing.assert_allclose(scorer.explain(url).scores, calibrated, rtol=1e-4, atol=1e-3)


def test_explanations_of_words_tell_them_wherever_they_stand(make, corpus):
    scorer = make("nb", "words").fit(*corpus).compile()
    parts = scorer.explain("http://www.wetter.de/schule/wetter").contributions
    assert [(part.kind, part.value, part.start, part.end) for part in parts] == [
        ("word", "wetter", 4, 10), ("word", "de", 11, 13), ("word", "schule", 14, 20), ("word", "wetter", 21, 27),
    ]  # fmt: skip


@pytest.mark.parametrize("additive", ADDITIVE, ids="-on-".join)
def test_explanations_of_letters_stand_where_the_letters_do(make, additive, corpus):
    explained = make(*additive).fit(*corpus).compile().explain("http://www.hi-fly.de/schule")
    for part in explained.contributions:
        if part.feature[0] in "gxuyt":
            stands = "".join(filter(str.isalpha, explained.text[part.start : part.end]))
            assert stands == part.feature.partition(":")[2].strip("_"), part
        assert "host" not in part.kind


@pytest.mark.parametrize("algorithm", ["nb", "re", "nb+cctld"])
def test_a_saved_yes_or_no_says_no_where_nothing_speaks_for_either(make, algorithm, corpus, tmp_path):
    """Half of the rows each: a URL without a word has a score of exactly nought."""
    classifier = make(algorithm, "words", language="de").fit(*corpus)
    unheard = ["http://1.2.3.4/5"] * 5_000
    assert classifier.decision_function(unheard[:1])[0] == pytest.approx(0.0)
    classifier.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    for urls in (unheard[:1], unheard):  # few in plain Python, many in compiled code
        assert classifier.predict(urls).tolist() == ["und"] * len(urls)
        assert loaded.predict(urls) == ["und"] * len(urls)
        assert loaded.predict_table(urls)["language"].to_pylist() == ["und"] * len(urls)
    assert loaded.detect(unheard[0]).language == "und"


@pytest.mark.parametrize("languages", [("de", "fr"), ("de", "en", "es", "fr", "it")])
def test_a_saved_country_code_says_nothing_of_com(make, languages, tmp_path):
    urls = ["http://a.com/", *(f"http://a.{tld}/" for tld in languages if tld != "en")]
    classifier = make("cctld", "tld").fit(["http://a.com/"] * len(languages), languages)
    classifier.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    found = classifier.predict(urls).tolist()
    assert found[0] == "und"
    assert loaded.predict(urls) == found
    assert loaded.predict_table(urls)["language"].to_pylist() == found
    assert [loaded.detect(url).language for url in urls] == found


@pytest.mark.parametrize("algorithm", ["nb", "svm", "me", "re"])
def test_additive_models_on_custom_features_compile_with_their_word_lists(make, algorithm, corpus, tmp_path):
    urls, languages = corpus
    classifier = make(algorithm, "custom", language="de").fit(urls, languages)
    classifier.compile().save(tmp_path / "table")
    scorer = load(tmp_path / "table")
    assert isinstance(scorer, UrlLanguageModel)
    np.testing.assert_allclose(scorer.score(urls), classifier._scores(urls), rtol=1e-4, atol=1e-3)
    assert (np.array(scorer.predict(urls)) == classifier.predict(urls)).all()


def test_a_saved_model_answers_as_before(make, pair, corpus, tmp_path):
    urls, languages = corpus
    # Custom features take their dictionaries along, half a million words: once will do.
    for language in ("de",) if pair[0] in BINARY_ONLY or "custom" in pair[1] else ("de", None):
        classifier = make(*pair, language=language).fit(urls, languages)
        classifier.save(tmp_path / "model")
        loaded = load(tmp_path / "model")
        if isinstance(classifier, AdditiveClassifier) and pair in ADDITIVE:
            np.testing.assert_allclose(loaded.score(urls), classifier._scores(urls), rtol=1e-2, atol=1e-2)
        else:
            assert loaded.predict(urls).tolist() == classifier.predict(urls).tolist()


@pytest.mark.parametrize("algorithm", LEARNERS)
class TestBadTrainingData:
    def test_no_rows(self, make, algorithm):
        with pytest.raises(BadData, match="no rows"):
            make(algorithm, "words").fit([], [])

    def test_one_class(self, make, algorithm):
        with pytest.raises(BadData, match="all rows are labelled 'de'"):
            make(algorithm, "words").fit(["http://a.de/"] * 3, ["de"] * 3)
        with pytest.raises(BadData, match="a classifier needs a second language"):
            make(algorithm, "words", language="de").fit(["http://a.de/"] * 3, ["de"] * 3)

    def test_the_language_is_missing(self, make, algorithm):
        with pytest.raises(BadData, match=r"no row is labelled 'fr' \(French\)"):
            make(algorithm, "words", language="fr").fit(["http://a.de/", "http://b.nl"], ["de", "nl"])

    def test_unknown_language(self, make, algorithm):
        with pytest.raises(BadLanguage, match="xyzzy"):
            make(algorithm, "words").fit(["http://a.de/", "http://b.nl/"], ["de", "xyzzy"])
        with pytest.raises(BadLanguage, match="not a language"):
            make(algorithm, "words").fit(["http://a.de/", "http://b.nl/"], ["de", None])

    def test_lengths_differ(self, make, algorithm):
        with pytest.raises(BadData, match="2 URLs but 1 languages"):
            make(algorithm, "words").fit(["http://a.de/", "http://b.nl/"], ["de"])

    def test_undetermined_is_no_language(self, make, algorithm):
        with pytest.raises(BadData, match="'und'"):
            make(algorithm, "words").fit(["http://a.de/", "http://b.nl/"], ["de", "und"])
        with pytest.raises(BadLanguage, match="not a language that can be learnt: 'mul'"):
            make(algorithm, "words", language="mul")


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(BadConfig, match="did you mean 'svm'"):
        make_classifier("svn")
    with pytest.raises(BadConfig, match="no option 'alpha'"):
        make_classifier("nb", alpha=1.0)
    with pytest.raises(BadConfig, match="unknown features"):
        make_classifier("nb", features="wrods")
    with pytest.raises(BadLanguage, match="unknown language"):
        make_classifier("nb", language="Klingonish")
    with pytest.raises(BadConfig, match="markov reads n-grams"):
        make_classifier("markov", features="words")


@pytest.mark.parametrize("algorithm", ["svm", "nb", "re"])
def test_scikit_learns_tools_take_our_classifiers(make, algorithm, corpus):
    selection = pytest.importorskip("sklearn.model_selection")
    urls, languages = np.array(corpus[0]), np.array(corpus[1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = selection.cross_val_score(make(algorithm, "words"), urls, languages, cv=3)
        grid = selection.GridSearchCV(
            make(algorithm, "words"), {"features": ["words", "3-grams-from-word"]}, cv=2
        )
        assert grid.fit(urls, languages).best_score_ > 0.5
    assert len(scores) == 3
    assert min(scores) > 0.5


def test_labels_may_be_names_and_columns_of_any_kind(make, corpus):
    pa = pytest.importorskip("pyarrow")
    names = {"de": "German", "en": "eng", "es": "Español", "fr": "fr-FR", "it": "ita"}
    urls, languages = corpus
    classifier = make("nb", "words").fit(pa.array(urls), pa.array([names[code] for code in languages]))
    assert classifier.classes_.tolist() == ["de", "en", "es", "fr", "it"]
    assert classifier.score(np.array(urls), languages) > 0.9


def test_counts_are_made_once_for_a_batch(make, corpus):
    classifier = make("nb", "words", language="de").fit(*corpus)
    counts = Counts.of(corpus[0], classifier.features_, 14)
    np.testing.assert_allclose(
        counts.scores(classifier.table_)[:, 0] + classifier.bias_[0], -classifier.decision_function(corpus[0])
    )

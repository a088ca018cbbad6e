"""The shipped model: probabilities, restriction, base rates, thresholds, reasons, files."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linksight
from linksight.errors import BadConfig, BadData, BadLanguage, BadUrl, ModelFormatError
from linksight.features.feature_hash import bucket, fnv1a
from linksight.languages import registry
from linksight.models.classifier_files import load_classifier
from linksight.url_model.model import UrlLanguageModel

MODEL = linksight.load()
URL = "https://www.lemonde.fr/economie/"


def test_the_hash_is_pinned():
    assert fnv1a("") == 0xCBF29CE484222325
    assert fnv1a("a") == 0xAF63DC4C8601EC8C
    assert fnv1a("foobar") == 0x85944171F73967E8
    assert bucket(fnv1a("w:haus"), 20) == 725631


def test_the_bundled_model_is_small_and_knows_150_languages():
    from importlib.resources import files

    assert len(files("linksight.data").joinpath("urls.linksight").read_bytes()) <= 20_000_000
    assert len(MODEL.languages) >= 150
    assert list(MODEL.languages) == sorted(MODEL.languages)


@pytest.mark.parametrize(
    ("url", "language"),
    [
        ("https://www.lemonde.fr/economie/", "fr"),
        ("http://www.zeitung.de/politik", "de"),
        ("https://persoonlijkrooster.ru.nl/", "nl"),
        ("http://www.goedkopevluchten.com", "nl"),
        ("http://пример.рф/новости", "ru"),
        ("https://example.com/nl-be/over-ons", "nl"),
        ("http://luckyjob.eu/?lang=it", "it"),
        ("http://luckyjob.eu/?lang=fr", "fr"),
        ("https://example.com/fr-be/", "fr"),
        ("http://example.com/?hl=nl", "nl"),
        ("https://www.bbc.co.uk/news", "en"),
    ],
)
def test_examples(url, language):
    assert linksight.detect(url).language == language


def test_a_detection_has_probability_and_candidates():
    found = linksight.detect(URL)
    assert found.probability == found.candidates[0][1]
    chances = [chance for _, chance in found.candidates]
    assert chances == sorted(chances, reverse=True)
    assert 0 < sum(chances) <= 1 + 1e-5


def test_doubt_is_admitted():
    found = linksight.detect("http://zq.com/")
    assert found.language == "und" or found.probability >= MODEL.calibration.reject_threshold


@pytest.mark.parametrize("bad", ["", "mailto:a@b.nl", "javascript:void(0)", "hello", "http://", None])
def test_one_bad_url_is_an_error_that_names_it(bad):
    with pytest.raises(BadUrl, match=r".+"):
        linksight.detect(bad)


def test_restriction_renormalises():
    free = MODEL.predict_proba([URL])[0]
    some = MODEL.predict_proba([URL], languages=["nl", "German", "fra"])[0]
    nl, de, fr = (MODEL.languages.index(code) for code in ("nl", "de", "fr"))
    assert some.sum() == pytest.approx(1, abs=1e-5)
    assert set(np.flatnonzero(some)) <= {nl, de, fr}
    left = free[[nl, de, fr]]
    assert some[[nl, de, fr]] == pytest.approx(left / left.sum(), rel=1e-4)
    assert linksight.detect(URL, languages=["nl", "fy"]).language in ("nl", "fy", "und")


@pytest.mark.parametrize("wrong", ["xx", "tlh-unknown", ""])
def test_unknown_languages_are_named(wrong):
    with pytest.raises(BadLanguage):
        linksight.detect(URL, languages=[wrong] if wrong else [])


def test_base_rates_shift_probabilities_as_bayes_says():
    url = "http://www.example.com/"
    nl, en = MODEL.languages.index("nl"), MODEL.languages.index("en")
    rates = MODEL.calibration.class_priors
    shifted = MODEL.with_priors({"nl": 0.5, "en": 0.2})
    before, after = MODEL.explain(url).scores, shifted.explain(url).scores
    shift = np.log(0.5 / rates[nl]) - np.log(0.2 / rates[en])
    assert (after[nl] - after[en]) - (before[nl] - before[en]) == pytest.approx(shift, rel=1e-3)
    before = MODEL.predict_proba([url])[0]
    after = MODEL.predict_proba([url], priors={"nl": 0.5, "en": 0.2})[0]
    assert after == pytest.approx(_by_bayes(before, rates, shifted.calibration.class_priors), rel=1e-4)


def _by_bayes(chances, old, new):
    told = chances.astype(float) * new / old
    return told / told.sum()


@pytest.mark.parametrize("n", [2, 3000])
def test_every_way_to_ask_follows_bayes(n):
    """Restricted and with base rates of one's own: one URL, few, and many by compiled code."""
    urls, among, priors = (
        [URL, "http://www.nu.nl/", "http://zq.com/"],
        ["nl", "en", "sv"],
        {"nl": 0.018, "sv": 0.3},
    )
    columns = [MODEL.languages.index(code) for code in among]
    shifted = MODEL.with_priors({"nl": 0.2}).with_priors(priors)
    rates = MODEL.with_priors({"nl": 0.2}).with_priors(priors).calibration.class_priors
    told = _by_bayes(MODEL.predict_proba(urls)[0], MODEL.calibration.class_priors, rates)[columns]
    told /= told.sum()
    many = (urls * n)[:n] if n > len(urls) else urls
    assert shifted.predict_proba(many, languages=among)[0][columns] == pytest.approx(told, rel=1e-3)
    table = shifted.predict_table(many, languages=among)
    assert table["probability"][0].as_py() == pytest.approx(told.max(), rel=1e-3)
    assert shifted.predict(many, languages=among)[0] == among[told.argmax()]
    found = shifted.detect(URL, among)
    assert dict(found.candidates)[among[told.argmax()]] == pytest.approx(told.max(), rel=1e-3)
    assert shifted.explain(URL, among).probabilities == pytest.approx(told, rel=1e-3)


def test_a_language_without_a_threshold_has_another_way():
    with pytest.raises(BadLanguage, match=r"priors=\{'et': 0.03\} a probability is the precision"):
        MODEL.threshold("Estonian", base_rate=0.03)


def test_a_model_is_copied_and_sent_to_another_process():
    """As joblib, Spark's own functions and multiprocessing do it, also once the compiled form was made."""
    urls = [URL, "mailto:a@b.nl"] * 1_500
    expected = MODEL.predict_proba(urls)
    for twin in (copy.deepcopy(MODEL), pickle.loads(pickle.dumps(MODEL))):
        np.testing.assert_array_equal(twin.predict_proba(urls), expected)
        assert twin.detect(URL) == MODEL.detect(URL)
        assert twin.threshold("nl") == MODEL.threshold("nl")


def test_base_rates_of_ones_own_are_saved_with_the_model(tmp_path):
    shifted = MODEL.with_priors({"nl": 0.018})
    shifted.save(tmp_path / "own.linksight")
    again = linksight.load(tmp_path / "own.linksight")
    assert again.predict_proba([URL]).tolist() == shifted.predict_proba([URL]).tolist()
    assert again.predict_proba([URL], priors={"nl": 0.5})[0] == pytest.approx(
        MODEL.predict_proba([URL], priors={"nl": 0.5})[0], rel=1e-3
    )


def test_languages_that_no_evidence_speaks_for_share_what_is_left():
    """Far from what a URL says, numbers are tiny but never nothing divided by nothing."""
    bare = replace(MODEL, calibration=replace(MODEL.calibration, label_noise=0.0))
    for model in (MODEL, bare, MODEL.with_priors({"fr": 1 - 1e-9}), bare.with_priors({"fr": 1 - 1e-9})):
        found = model.predict_proba([URL], languages=["yo", "ha"])[0]
        assert np.isfinite(found).all()
        assert found.sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("priors", [{"nl": 2}, {"nl": -0.1}, {"nl": 0.6, "de": 0.6}])
def test_impossible_base_rates_are_refused(priors):
    with pytest.raises(BadConfig):
        MODEL.predict_proba([URL], priors=priors)


def test_base_rates_that_say_two_things_or_nothing_are_refused():
    with pytest.raises(BadConfig, match="two base rates for 'nl', the second as 'Dutch'"):
        MODEL.detect(URL, priors={"nl": 0.1, "Dutch": 0.2})
    with pytest.raises(BadConfig, match=r"two base rates for 'nl', the second in 'nld=0\.2'"):
        registry.rates("nl=0.1,nld=0.2")
    with pytest.raises(BadConfig, match="all 0"):
        MODEL.with_priors(dict.fromkeys(MODEL.languages, 0.0))
    with pytest.raises(BadLanguage, match="languages are a list"):
        MODEL.detect(URL, 5)


@pytest.mark.parametrize("ask", ["detect", "predict", "predict_proba", "predict_table"])
def test_languages_whose_base_rates_are_all_0_leave_nothing_to_answer_with(ask):
    asked = URL if ask == "detect" else [URL]
    with pytest.raises(BadConfig, match="base rates of nl, de are all 0: no language is left"):
        getattr(MODEL, ask)(asked, languages=["Dutch", "de"], priors={"nl": 0, "deu": 0})


def test_threshold_answers_with_what_it_costs():
    loose = MODEL.threshold("nl", precision=0.8, base_rate=0.018)
    strict = MODEL.threshold("Dutch", precision=0.95, base_rate=0.018)
    assert strict.probability >= loose.probability
    assert strict.recall <= loose.recall
    assert strict.precision >= 0.95
    assert 0 < strict.recall < 1
    low, high = strict.recall_interval
    assert low < strict.recall < high < low + 0.1
    assert strict.rows >= 100
    with pytest.raises(BadConfig, match="no threshold"):
        MODEL.threshold("nl", precision=0.9999, base_rate=1e-6)


@pytest.mark.parametrize("rate", [0.0005, 0.018, 0.5])
def test_a_threshold_is_one_of_the_probabilities_that_the_model_gives(rate):
    """With base rates of one's own the line moves with the probabilities: the same addresses are above it."""
    urls = [
        f"http://www.{host}.{tld}/" for host in ("krant", "zeitung", "news") for tld in ("nl", "be", "com")
    ]
    column, wanted = MODEL.languages.index("nl"), {"precision": 0.8, "base_rate": 0.018}
    moved = MODEL.with_priors({"nl": rate})
    line, moved_line = MODEL.threshold("nl", **wanted), moved.threshold("nl", **wanted)
    above = MODEL.predict_proba(urls)[:, column] >= line.probability
    assert 0 < above.sum() < len(urls)
    assert (moved.predict_proba(urls)[:, column] >= moved_line.probability).tolist() == above.tolist()
    assert moved_line.recall == line.recall


def test_a_threshold_is_not_given_where_other_languages_were_moved():
    with pytest.raises(BadConfig, match="without base rates for other languages"):
        MODEL.with_priors({"nl": 0.018, "en": 0.9}).threshold("nl")


@pytest.mark.parametrize("setting", ["precision", "base_rate"])
@pytest.mark.parametrize("value", ["a", None, [0.9], 1j, math.nan, math.inf, -1, 0, 1, 2])
def test_a_threshold_for_what_is_no_share_is_refused_by_name(setting, value):
    with pytest.raises(BadConfig) as told:
        MODEL.threshold("nl", **{setting: value})
    assert str(told.value).startswith(setting.replace("_", " "))
    assert repr(value) in str(told.value)


@given(st.sampled_from([URL, "http://a.nl/b/c?lang=fr", "http://пример.рф/новость", "http://163.com"]))
@settings(deadline=None, max_examples=8)
def test_contributions_add_up_to_the_score(url):
    explanation = MODEL.explain(url)
    total = explanation.base + sum(part.weights for part in explanation.contributions)
    np.testing.assert_allclose(total, explanation.scores, atol=1e-3)
    np.testing.assert_allclose(explanation.probabilities, MODEL.predict_proba([url])[0], atol=1e-4)


def test_reasons_say_which_part_spoke():
    reasons = linksight.detect(URL, explain=True).reasons
    assert any(feature == "t:fr" and language == "fr" and weight > 0 for feature, language, weight in reasons)
    described = MODEL.explain(URL).as_dict()
    json.dumps(described)
    assert len(described["characters"]) == len(described["text"])
    tld = described["text"].index(".fr/") + 1
    assert max(described["characters"]) in described["characters"][tld : tld + 2]


def test_every_feature_that_stands_somewhere_stands_where_it_says():
    coded = [
        f"http://www.example.com/{path}"
        for path in ("%CD%EE%E2%EE%F1%F2%E8", "s%B3u%BFba?q=%25D0%25BD%25D0%25BE")
    ]
    for url in (URL, "http://www.bahn-info.de/de/plan?lang=de", "http://fr.search.yahoo.com/news", *coded):
        explanation = MODEL.explain(url)
        assert explanation.url == url
        assert any(part.end > part.start for part in explanation.contributions if part.feature[0] in "gp")
        for part in explanation.contributions:
            if part.end > part.start and part.feature[0] in "tsbcqewv":
                assert explanation.text[part.start : part.end] == part.feature[2:]
            if part.end > part.start and part.feature[0] in "gp":
                assert explanation.text[part.start : part.end] == part.feature[2:].strip("_")


@pytest.mark.parametrize(
    ("url", "feature", "place"),
    [("http://a.com/index.php?lang=de", "l:de", 21), ("http://a.com/index/de/x", "c:de", 12)],
)
def test_codes_stand_where_they_are_named_and_not_in_words_before(url, feature, place):
    assert [part.start for part in MODEL.explain(url).contributions if part.feature == feature] == [place]


def test_saving_and_loading_changes_nothing(tmp_path):
    MODEL.save(tmp_path / "model")
    again = linksight.load(tmp_path / "model")
    assert again.languages == MODEL.languages
    np.testing.assert_array_equal(again.predict_proba([URL]), MODEL.predict_proba([URL]))
    again.save(tmp_path / "twice")
    assert (tmp_path / "twice").read_bytes() == (tmp_path / "model").read_bytes()


def test_additive_models_are_scorers_too(tmp_path):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(2**10, 3)).astype(np.float32)
    scorer = UrlLanguageModel.from_table(
        "words+3-grams-from-word", table, np.zeros(3, np.float32), ("de", "fr", "nl")
    )
    scorer.save(tmp_path / "small")
    again = linksight.load(tmp_path / "small")
    np.testing.assert_allclose(again.score([URL]), scorer.score([URL]), atol=1e-5)
    explanation = again.explain(URL)
    np.testing.assert_allclose(explanation.scores, scorer.score([URL])[0], atol=1e-4)


def test_a_binary_scorer_says_the_language_or_und():
    table = np.zeros((2**8, 1), np.float32)
    assert UrlLanguageModel.from_table("words", table, np.array([1.0], np.float32), ["nl"]).predict(
        [URL]
    ) == ["nl"]
    assert UrlLanguageModel.from_table("words", table, np.array([-1.0], np.float32), ["nl"]).predict(
        [URL]
    ) == ["und"]


@pytest.mark.parametrize("size", [0, 10, 1000, 100_000])
def test_truncated_files_are_refused(tmp_path, size):
    MODEL.save(tmp_path / "model")
    (tmp_path / "cut").write_bytes((tmp_path / "model").read_bytes()[:size])
    with pytest.raises(ModelFormatError, match="cut"):
        linksight.load(tmp_path / "cut")


def changed(path, target, change) -> None:
    """A copy of a model with its manifest changed."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "manifest.json":
                manifest = json.loads(data)
                change(manifest)
                data = json.dumps(manifest).encode()
            new.writestr(name, data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(version=99), "later linksight"),
        (lambda m: m.update(format="other"), "not a linksight-scorer"),
        (lambda m: m["arrays"]["prints"].update(sha256="0"), "digest"),
        (lambda m: m["arrays"]["prints"].update(type="object"), "not allowed"),
        (lambda m: m["languages"].append("xx"), "do not fit"),
        (lambda m: m.pop("languages"), "inconsistent"),
        (lambda m: m["hash"].__setitem__(2, "7"), "another hash"),
        (lambda m: m.update(table="tree"), "unknown table"),
    ],
)
def test_files_that_do_not_fit_say_why(tmp_path, change, message):
    MODEL.save(tmp_path / "model")
    changed(tmp_path / "model", tmp_path / "odd", change)
    with pytest.raises(ModelFormatError, match=message):
        linksight.load(tmp_path / "odd")


def test_foreign_and_missing_files_are_refused(tmp_path):
    (tmp_path / "text").write_text("hello")
    for name in ("text", "nothing"):
        with pytest.raises(ModelFormatError, match=name):
            linksight.load(tmp_path / name)


def test_a_table_for_a_column_is_refused_with_the_names_of_its_columns():
    import pandas as pd
    import polars
    import pyarrow as pa

    from linksight.models import make_classifier

    table = pa.table({"id": [1], "url": ["https://www.nu.nl/"]})
    for frame in (table, pd.DataFrame({"id": [1], "url": ["https://www.nu.nl/"]}), polars.from_arrow(table)):
        with pytest.raises(BadData, match=r"one column of URLs is needed.*: id, url"):
            MODEL.predict(frame)
        with pytest.raises(BadData, match="id, url"):
            make_classifier("nb", features="words").fit(frame, ["nl"])


def test_an_explanation_is_one_line_at_the_prompt():
    shown = repr(MODEL.explain(URL))
    assert shown.startswith(f"<Explanation of {URL!r}: ")
    assert "\n" not in shown
    assert len(shown) < 300
    assert "array" not in repr(MODEL.explain(URL).contributions[0])


def test_a_path_may_be_bytes_as_everywhere_in_python(tmp_path):
    path = os.fsencode(tmp_path / "modèle")
    MODEL.save(path)
    assert linksight.load(path).languages == MODEL.languages
    assert [found.name for found in tmp_path.iterdir()] == ["modèle"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (3, "not int: 3"),
        (["x"], r"not list: \['x'\]"),
        ("", "empty"),
        ("a\0b", r"null character: 'a\\x00b'"),
    ],
)
def test_what_is_no_path_is_told_so_by_all_that_take_one(path, reason):
    for take in (linksight.load, MODEL.save, linksight.load_patterns, load_classifier):
        with pytest.raises(BadData, match=reason):
            take(path)
    with pytest.raises(BadData, match="not NoneType: None"):
        MODEL.save(None)

"""Names segmented into words: costs and parts, what they add to scores, in explanations, and on disk."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from url_scores import compiled_scores, explained_scores

import linksight
from linksight.errors import ModelFormatError
from linksight.url_model.segmentation import SegmentationCosts, WordList

MODEL = linksight.load()
COSTS = SegmentationCosts()
WORDS = WordList.build(
    ("en", "nl"), {"zon": 2, "zonne": 2, "panelen": 2, "panel": 1, "solar": 1, "kaas": 2, "boer": 2, "one": 1}
)


def test_a_name_is_cut_where_it_costs_least():
    costs, parts = WORDS.segment("zonnepanelen")
    assert parts == ("zonne", "panelen")
    assert costs == [COSTS.word + 7 * COSTS.letter, 2 * COSTS.word]  # of English there is panel alone


def test_letters_that_no_word_covers_are_told_apart():
    assert WORDS.segment("mijnkaas")[1] == ("(mijn)", "kaas")
    assert WORDS.segment("xyz")[1] == ("(xyz)",)
    assert WORDS.segment("xyz")[0] == [3 * COSTS.letter] * 2


def test_what_all_languages_have_alike_says_nothing():
    assert not COSTS.logits(np.array([8, 8, 8])).any()
    assert not COSTS.logits(np.array(WORDS.segment("qqqqqq")[0])).any()


def test_nothing_is_dearer_than_dearest():
    assert COSTS.logits(np.array([0, 4])).tolist() == COSTS.logits(np.array([0, 400])).tolist()


def segmented(text: str, near: float = 0.0) -> str:
    """The names of a text when two languages of the list are that close to each other."""
    logits = np.full(len(MODEL.languages), -20, np.float32)
    logits[[MODEL.languages.index(code) for code in ("nl", "en")]] = 0, -near
    return MODEL.segment(text, logits)[0]


@pytest.mark.parametrize(
    "text", ["zonnepanelen.com/prijs", "zonnepanelen.nl", "zönnepanelen.com", "192.168.1.100", "zonnepanelen"]
)
def test_names_are_not_segmented_where_other_features_tell_more(text):
    assert segmented(text) == ""


@pytest.mark.parametrize(
    "text", ["zonnepanelen.com", "www.zonnepanelen.com/", "zonnepanelen.eu", "zonnepanelen.online"]
)
def test_home_pages_under_a_top_level_domain_of_no_country_are_segmented(text):
    assert segmented(text) in ("zonnepanelen", "zonne+panelen", "zonnepan+elen")


def test_names_count_the_more_the_more_doubt_there_is():
    k = [MODEL.languages.index(code) for code in ("nl", "en")]
    gains = []
    for near in (5, 1.25, 1.0, 0.75, 0):
        logits = np.full(len(MODEL.languages), -20, np.float32)
        logits[k] = 0, -near
        added = MODEL.segment("zonnepanelen.com", logits)[1]
        gains.append(float(added[k[0]] - added[k[1]]))
    assert gains[:2] == [0, 0]
    assert 0 < gains[2] < gains[3]
    assert gains[3] == pytest.approx(gains[4], rel=1e-5)
    assert gains[2] == pytest.approx(gains[3] / 2, rel=1e-4)


def test_a_full_bucket_leaves_words_out_and_not_others(monkeypatch):
    words = {"".join(letters): 1 for letters in product("bcdfgh", "aeiou", "klmnpr", "aeiou")}
    with monkeypatch.context() as patch:
        patch.setattr("linksight.url_model.segmentation.BUCKET", 1)
        few = WordList.build(("en",), words)
    assert (few.bucket_offsets[1:] - few.bucket_offsets[:-1]).max() == 1
    kept = [word for word in words if few.segment(word)[1] == (word,)]
    assert len(words) > len(few.entries) == len(kept) > 0.98 * len(words)


# --- the bundled model ---------------------------------------------------------------------------

HOSTS = [
    "zonnepanelenwinkel", "dekaasboer", "WERKENINDEHAVEN", "my-solar-panel-shop", "boulangerie-dupont", "a", "ab", "www.www",
    "blog.lacasadelmar", "x" * 63, "a-b-c-d-e-f", "12345", "schoenmaker24", "index.html", "hausundgarten.shop", "la-cucina-della-nonna",
]  # fmt: skip
ENDINGS = ["com", "NET", "org", "eu", "info", "nl", "co.uk", "museum", "xn--p1ai", "c"]
FORMS = [
    "http://{}/", "https://www.{}", "HTTP://{}", "http://user@{}/", "http://{}:8080/", "http://{}/?", "http://{}/#top", "{}",
    "http://{}./", "http://{}/index",
]  # fmt: skip


def test_scores_are_those_of_the_explanation():
    urls = [form.format(f"{host}.{ending}") for host in HOSTS for ending in ENDINGS for form in FORMS]
    found, problems = compiled_scores(MODEL, pa.array(urls))
    assert len(urls) - len(problems) > 1000
    segmented_ones = 0
    for row, url in enumerate(urls):
        if row not in problems:
            why = MODEL.explain(url)
            np.testing.assert_allclose(found[row], why.scores, atol=2e-4, err_msg=url)
            segmented_ones += any(part.feature.startswith("a:") for part in why.contributions)
    assert segmented_ones > 40


@given(
    st.lists(st.text("aeilnorstdkm", min_size=3, max_size=24), min_size=1, max_size=4),
    st.sampled_from(ENDINGS[:4]),
)
def test_scores_of_any_name_are_those_of_the_explanation(names, ending):
    url = f"http://{'-'.join(names)}.{ending}/"
    np.testing.assert_allclose(
        compiled_scores(MODEL, pa.array([url]))[0][0], explained_scores(MODEL, url), atol=2e-4
    )


def test_an_explanation_shows_the_words_and_still_adds_up():
    # Of such names that leave doubt the first.
    found = next(
        why
        for name in (
            "zonnehuisje",
            "vinoteca",
            "gartenlaube",
            "fietsvakantie",
            "lavieenrose",
            "dekaasboer",
            "waterwinkel",
        )
        for why in [MODEL.explain(f"http://{name}.com/")]
        if any(part.kind == "name cut into words" for part in why.contributions)
    )
    part = next(part for part in found.contributions if part.feature.startswith("a:"))
    assert part.value.replace("+", "").replace("(", "").replace(")", "") == found.text[part.start : part.end]
    total = found.base + np.sum([each.weights for each in found.contributions], axis=0)
    np.testing.assert_allclose(total, found.scores, atol=1e-4)
    by_table = MODEL.predict_proba([found.url])[0]
    assert {code: by_table[MODEL.languages.index(code)] for code in ("nl", "en")} == pytest.approx(
        {code: found.probabilities[found.languages.index(code)] for code in ("nl", "en")}, abs=1e-5
    )


def test_base_rates_do_not_change_what_names_say():
    text = "dekaasboer.com"
    logits = MODEL.calibration.logits(MODEL.table.scores_of(text)[None], np.array([False]))[0]
    rare = MODEL.with_priors({"nl": 0.001})
    assert rare.calibration.shift is not None
    moved = rare.calibration.logits(rare.table.scores_of(text)[None], np.array([False]))[0]
    np.testing.assert_allclose(rare.segment(text, moved)[1], MODEL.segment(text, logits)[1], atol=1e-5)


def test_a_model_without_words_asks_no_names():
    silent = replace(MODEL, words=None)
    assert silent.segment("dekaasboer.com", np.zeros(len(MODEL.languages), np.float32))[0] == ""
    urls = pa.array(["http://dekaasboer.com/", "http://waterwinkel.com/"] * 2000)
    np.testing.assert_allclose(
        silent.predict_proba(urls)[:2], silent.predict_proba(urls.to_pylist()[:2]), atol=1e-5
    )


def test_words_are_saved_and_read(tmp_path):
    MODEL.save(tmp_path / "a.linksight")
    again = linksight.load(tmp_path / "a.linksight")
    assert again.words.languages == MODEL.words.languages
    assert np.array_equal(again.words.entries, MODEL.words.entries)
    assert np.array_equal(again.words.bucket_offsets, MODEL.words.bucket_offsets)
    again.save(tmp_path / "b.linksight")
    assert (tmp_path / "a.linksight").read_bytes() == (tmp_path / "b.linksight").read_bytes()


def test_an_added_language_keeps_the_words():
    more = MODEL.with_language("frr", words=["frasch", "noordfreesk", "aran", "bütjen", "weer", "hüs"])
    assert more.words is MODEL.words
    url = "http://dekaasboer.com/"
    heard = [
        model.segment("dekaasboer.com", compiled_scores(model, pa.array([url]))[0][0])[0]
        for model in (MODEL, more)
    ]
    assert heard[0] == heard[1]


@pytest.mark.parametrize("languages", [[], ["en", "en"], ["en", "xx"], list("abcdefg")])
def test_word_lists_of_other_languages_are_refused(tmp_path, languages):
    MODEL.save(tmp_path / "good.linksight")
    bad = tmp_path / "bad.linksight"
    with zipfile.ZipFile(tmp_path / "good.linksight") as source, zipfile.ZipFile(bad, "w") as target:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename == "manifest.json":
                content = json.dumps({**json.loads(content), "words": languages}).encode()
            target.writestr(entry, content)
    with pytest.raises(ModelFormatError, match="do not fit together"):
        linksight.load(bad)

"""Names cut into words: by the specification, by compiled code, in what is explained, and on disk."""

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

import linksight
from linksight.errors import ModelFormatError
from linksight.url_model.calibration import is_page
from linksight.url_model.segmentation import LETTER, WORD, WordList, doubt, is_national, told
from linksight.urls.parser import Url

MODEL = linksight.load()
WORDS = WordList.build(
    ("en", "nl"), {"zon": 2, "zonne": 2, "panelen": 2, "panel": 1, "solar": 1, "kaas": 2, "boer": 2, "one": 1}
)


def test_a_name_is_cut_where_it_costs_least():
    cut = WORDS.cut("zonnepanelen")
    assert cut.parts == ("zonne", "panelen")
    assert cut.costs.tolist() == [WORD + 7 * LETTER, 2 * WORD]  # of English there is panel alone


def test_letters_that_no_word_covers_are_told_apart():
    assert WORDS.cut("mijnkaas2"[:-1]).parts == ("(mijn)", "kaas")
    assert WORDS.cut("xyz").parts == ("(xyz)",)
    assert WORDS.cut("xyz").costs.tolist() == [3 * LETTER] * 2


def test_what_all_languages_have_alike_says_nothing():
    assert not told(np.array([8, 8, 8])).any()
    assert not told(WORDS.cut("qqqqqq").costs).any()


def test_nothing_is_dearer_than_dearest():
    assert told(np.array([0, 4])).tolist() == told(np.array([0, 400])).tolist()


@pytest.mark.parametrize(
    "text", ["zonnepanelen.com/prijs", "zonnepanelen.nl", "zönnepanelen.com", "192.168.1.100"]
)
def test_names_are_not_asked_where_others_tell_more(text):
    assert WORDS.cuts(text) == []


@pytest.mark.parametrize(
    "text", ["zonnepanelen.com", "www.zonnepanelen.com/", "zonnepanelen.eu", "zonnepanelen.online"]
)
def test_home_pages_under_endings_of_no_country_are_asked(text):
    assert [cut.parts for cut in WORDS.cuts(text)] == [("zonne", "panelen")]


def test_endings_of_countries():
    assert [ending for ending in ("nl", "eu", "com", "рф", "", "museum") if is_national(ending)] == [
        "nl",
        "рф",
        "",
    ]


def test_names_are_heard_the_more_the_more_doubt_there_is():
    shares = [
        doubt(np.array([5, logit], np.float32), np.array([5, logit], np.float32))
        for logit in (0, 3.75, 4, 4.25, 5)
    ]
    assert shares == [0.0, 0.0, 0.5, 1.0, 1.0]
    third = np.array([5, 5, 0], np.float32)  # the doubt is between a language of the list and another
    assert doubt(third, third[[0, 2]]) == 0


def test_a_full_bucket_leaves_words_out_and_not_others(monkeypatch):
    words = {"".join(letters): 1 for letters in product("bcdfgh", "aeiou", "klmnpr", "aeiou")}
    monkeypatch.setattr("linksight.url_model.segmentation.MOST", 1)
    few = WordList.build(("en",), words)
    assert (few.starts[1:] - few.starts[:-1]).max() == 1
    kept = [word for word in words if few.cut(word).parts == (word,)]
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


def wanted(url: str) -> np.ndarray:
    text = Url.parse(url).text
    logits = MODEL.calibration.logits(MODEL.table.scores_of(text)[None], np.array([is_page(text)]))[0]
    return logits + MODEL.said(text, logits)[1]


def test_compiled_code_cuts_names_as_the_specification_does():
    urls = [form.format(f"{host}.{ending}") for host in HOSTS for ending in ENDINGS for form in FORMS]
    urls = [url for url in urls if linksight.load().predict_table([url])["problem"][0].as_py() is None]
    assert len(urls) > 1000
    found = MODEL.compiled.score(pa.array(urls), 0)[0]
    for url, row in zip(urls, found, strict=True):
        np.testing.assert_allclose(row, wanted(url), atol=2e-4, err_msg=url)
    asked = sum(bool(MODEL.said(Url.parse(url).text, wanted(url))[0]) for url in urls)
    assert asked > 40


@given(
    st.lists(st.text("aeilnorstdkm", min_size=3, max_size=24), min_size=1, max_size=4),
    st.sampled_from(ENDINGS[:4]),
)
def test_compiled_code_cuts_any_name_as_the_specification_does(names, ending):
    url = f"http://{'-'.join(names)}.{ending}/"
    np.testing.assert_allclose(MODEL.compiled.score(pa.array([url]), 0)[0][0], wanted(url), atol=2e-4)


def test_real_names_are_cut_alike_in_plain_and_in_compiled_code(data):
    import pyarrow.parquet as pq

    column = pq.read_table(data / "urls" / "dev.parquet", columns=["url"])["url"].slice(0, 1500)
    plain = MODEL.predict_proba(column)
    compiled = MODEL.predict_proba(pa.chunked_array([*column.chunks, *column.chunks]))[: len(column)]
    np.testing.assert_allclose(plain, compiled, atol=1e-4)


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
    np.testing.assert_allclose(rare.said(text, moved)[1], MODEL.said(text, logits)[1], atol=1e-5)


def test_a_model_without_words_asks_no_names():
    silent = replace(MODEL, words=None)
    assert silent.said("dekaasboer.com", np.zeros(len(MODEL.languages), np.float32))[0] == ""
    urls = pa.array(["http://dekaasboer.com/", "http://waterwinkel.com/"] * 2000)
    np.testing.assert_allclose(
        silent.predict_proba(urls)[:2], silent.predict_proba(urls.to_pylist()[:2]), atol=1e-5
    )


def test_words_are_saved_and_read(tmp_path):
    MODEL.save(tmp_path / "a.linksight")
    again = linksight.load(tmp_path / "a.linksight")
    assert again.words.languages == MODEL.words.languages
    assert np.array_equal(again.words.entries, MODEL.words.entries)
    assert np.array_equal(again.words.starts, MODEL.words.starts)
    again.save(tmp_path / "b.linksight")
    assert (tmp_path / "a.linksight").read_bytes() == (tmp_path / "b.linksight").read_bytes()


def test_an_added_language_keeps_the_words():
    more = MODEL.extended("frr", words=["frasch", "noordfreesk", "aran", "bütjen", "weer", "hüs"])
    assert more.words is MODEL.words
    url = "http://dekaasboer.com/"
    heard = [
        model.said("dekaasboer.com", model.compiled.score(pa.array([url]), 0)[0][0])[0]
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

"""The compiled extraction gives what the specification gives, on any text."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linksight.urls.parser
from linksight.errors import BadData, BadUrl
from linksight.features import parse_features
from linksight.features.feature_hash import bucket, fnv1a
from linksight.features.hashed_counts import Counts, count_names
from linksight.features.url_buffer import as_list
from linksight.native.learning.hashed_extraction import LETTER_RANGES
from linksight.urls.parser import Url

SPECS = [
    "words", "tld", "1-grams-from-word", "3-grams-from-word", "6-grams-from-word", "5-7-contexts-from-word", "allgrams-from-word", "1-2-grams-from-url",
    "allgrams-from-url", "words+3-grams-from-word+tld", "3-contexts-from-word", "2-4-contexts-from-url",
]  # fmt: skip
URLS = [
    "http://www.hi-fly.de", "https://user@www.Ex%C3%A4mple.de:8080/a%20b?q=1#top", "http://127.0.0.1/index.html",
    "http://[2001:db8::1]/x", "http://xn--e1afmkfd.xn--p1ai/%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D1%8C",
    "http://localhost/", "mailto:a@b", "", None, 17, "http://a.nl/" + "x" * 3000, "http://wwwa.nl", "http://www.nl",
    "http://ไทย.th/สวัสดี", "http://a.jp/東京都/𠮷野家", "http://www.www.com/htm/html", "http://WWW.İSTANBUL.tr/I",
    "http://a.b/\ud800", "http://a.de/%ff%fe", "http://a.nl/%F0%9F%98%80-emoji",
]  # fmt: skip


def compiled(spec, urls, bits=20):
    return Counts.of(urls, parse_features(spec), bits)


def expected(spec, url, bits=20):
    """Counts by table row, from the names alone."""
    found = {}
    try:
        names = parse_features(spec).names(Url.parse(url))
    except BadUrl:
        names = []
    for name in names:
        row = bucket(fnv1a(name), bits)
        found[row] = found.get(row, 0) + 1
    return found


def row_of(counts, i):
    part = slice(counts.starts[i], counts.starts[i + 1])
    return dict(zip(counts.columns[part].tolist(), counts.values[part].tolist(), strict=True))


def test_words_too_short_for_an_ngram_are_taken_whole():
    assert parse_features("6-grams-from-word").names(Url.parse("http://nova.de/")) == ["g:_nova_", "g:_de_"]
    assert parse_features("7-contexts-from-word").names(Url.parse("http://nova.de/")) == [
        "x6:_nova",
        "x4:_de",
    ]


@pytest.mark.parametrize("spec", SPECS)
def test_compiled_and_plain_counts_are_the_names_counted(spec):
    fast, plain = compiled(spec, URLS), count_names(URLS, parse_features(spec), 20)
    for i, url in enumerate(URLS):
        assert row_of(fast, i) == expected(spec, url), url
        assert row_of(plain, i) == expected(spec, url), url


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["www", "index", "de", "ß"]
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.builds(lambda host, path: f"http://{host}/{path}", words, words) | words, max_size=6),
    st.sampled_from(SPECS),
    st.integers(8, 22),
)
def test_any_text_gives_the_counts_of_its_names(urls, spec, bits):
    fast = compiled(spec, ["http://warm.up/", *urls], bits)
    for i, url in enumerate(urls):
        assert row_of(fast, i + 1) == expected(spec, url, bits)


def test_letters_are_those_of_the_words():
    letters = re.compile(linksight.urls.parser._LETTERS.pattern)
    firsts, lasts = LETTER_RANGES[::2], LETTER_RANGES[1::2]
    wrong = [
        point
        for point in [*range(0x80, 0x3100), *range(0xD000, 0x20100), *range(0x3FF00, 0x40100), 0x10FFFF]
        if not 0xD800 <= point < 0xE000
        and bool(letters.fullmatch(chr(point))) != bool(((firsts <= point) & (point <= lasts)).any())
    ]
    assert not wrong


def test_many_urls_in_chunks_are_counted_as_one_by_one():
    urls = [f"http://host{chr(97 + i % 26)}.nl/pad{chr(97 + i % 7)}" for i in range(20_000)]
    counts = Counts.of(urls, parse_features("words"), 18)
    assert len(counts) == len(urls)
    for i in (0, 1, 8191, 8192, 16_384, 19_999):
        assert row_of(counts, i) == expected("words", urls[i], 18)


def test_columns_of_every_kind_are_taken():
    pa, pd, pl = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))
    urls = ["http://a.nl/", "http://b.de/"]
    for column in (urls, tuple(urls), iter(urls), np.array(urls), pd.Series(urls), pl.Series(urls), pa.array(urls),
                   pa.chunked_array([urls]), pa.array(urls).dictionary_encode()):  # fmt: skip
        assert as_list(column) == urls
    with pytest.raises(BadData, match="one text"):
        as_list("http://a.nl/")


def test_the_hash_is_pinned():
    counts = Counts.of(["http://haus.de/"], parse_features("words"), 20)
    assert 725631 in counts.columns.tolist()

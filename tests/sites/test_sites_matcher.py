"""The automaton and its compiled twin: the most specific pattern, whatever the URLs and patterns."""

from __future__ import annotations

import random
import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.errors import BadData, BadUrl
from linksight.sites.matching import columns
from linksight.sites.patterns.pattern import PatternSet

TOKEN = st.sampled_from(["a", "b", "item", "17", "*", "ü", "x-1", "item17", "item0", "item*", "x-*"])
RUN = st.sampled_from(["/", "?", "&", "=", "#", ":", "//", "/?", "=&", "#/"])
URLS = st.builds(
    lambda scheme, host, parts, tail: scheme + host + "".join(run + token for run, token in parts) + tail,
    st.sampled_from(["http://", "https://", "HTTP://", "//", "", " http://", "ftp://"]),
    st.sampled_from(["a.org", "A.org", "b.org", "a.org:80", "a.org:81", "u@a.org", "[::1]", "", "a"]),
    st.lists(st.tuples(RUN, TOKEN), max_size=5),
    st.sampled_from(["", "/", "=", "?", "#", "/?#&", "&=", "\n"]),
)
TEXTS = st.builds(
    lambda host, parts: (
        "http://"
        + host
        + "".join(("/" if not i and run[0] in "&=:" else run) + t for i, (run, t) in enumerate(parts))
    ),
    st.sampled_from(["a.org", "b.org", "*", "a.org:81"]),
    st.lists(st.tuples(RUN, TOKEN), max_size=4),
)


def found_by_regex(patterns: PatternSet, url: str) -> int:
    """The most specific pattern by regular expressions alone; those that ask for the fragment go before all."""
    fits = [
        ("#" in str(p.forms[0]), *_specific(p.forms[0]), -i)
        for i, p in enumerate(patterns)
        if re.search(p.regex, url)
    ]
    return -max(fits)[3] if fits else -1


def _specific(form):
    return form.rank[1:]


@given(st.lists(TEXTS, min_size=1, max_size=12, unique=True), st.lists(URLS, max_size=30))
@settings(deadline=None, max_examples=150)
def test_a_column_gives_what_single_urls_give(texts, urls):
    patterns = PatternSet.from_texts(texts)
    expected = [found_one(patterns, url) for url in urls]
    found = columns.match_column(patterns.automaton, pa.array(["skipped", *urls], pa.string())[1:])
    assert found.tolist() == expected


def found_one(patterns, url):
    try:
        return patterns.automaton.find(url)
    except BadUrl:
        return -2


@given(st.lists(TEXTS, min_size=1, max_size=12, unique=True), st.lists(TEXTS, max_size=30))
@settings(deadline=None, max_examples=150)
def test_the_automaton_finds_what_the_regular_expressions_find(texts, urls):
    patterns = PatternSet.from_texts(texts)
    for url in urls:
        assert patterns.automaton.find(url) == found_by_regex(patterns, url)


def test_the_most_specific_pattern_wins():
    patterns = PatternSet.from_texts(
        ["http://a.org/*/*", "http://a.org/p/*", "http://a.org/*/edit", "http://*/p/edit"]
    )
    assert patterns.match("http://a.org/p/17").id == 1
    assert patterns.match("http://a.org/q/edit").id == 2
    # As specific as the third; the literal comes earlier.
    assert patterns.match("http://a.org/p/edit").id == 1
    assert patterns.match("http://b.org/p/edit").id == 3


@pytest.mark.parametrize(
    "url",
    [
        "https://a.org/p/1",
        "http://A.ORG/p/1",
        "http://a.org:80/p/1/",
        "http://me@a.org/p/1#top",
        "a.org/p/1?",
    ],
)
def test_differences_that_servers_ignore_are_ignored(url):
    assert PatternSet.from_texts(["http://a.org/p/*"]).match(url) is not None


def test_a_fragment_that_a_pattern_asks_for_counts():
    patterns = PatternSet.from_texts(["http://a.org/*", "http://a.org/*#!/*"])
    assert patterns.match("http://a.org/x#!/y").id == 1
    assert patterns.match("http://a.org/x#y").id == 0


@pytest.mark.parametrize("fragment", ["#", "#=", "/#=", "#:", "?#==", "#=/", "#=x", "#a="])
def test_a_fragment_of_separators_is_a_place_on_the_page_too(fragment):
    """The exports took such URLs, and the matcher did not."""
    patterns = PatternSet.from_texts(["http://a.org/*", "http://a.org/*?q="])
    for url in (f"http://a.org/x{fragment}", f"http://a.org/x?q={fragment.lstrip('/?')}"):
        expected = found_by_regex(patterns, url)
        assert expected >= 0
        assert patterns.automaton.find(url) == expected
        assert patterns.match_indices([url] * 1000).tolist() == [expected] * 1000


def test_a_fragment_of_separators_that_a_pattern_asks_for_counts():
    patterns = PatternSet.from_texts(["http://a.org/*", "http://a.org/*#="])
    assert patterns.match("http://a.org/x#=").id == 1
    assert patterns.match_indices(["http://a.org/x#="] * 1000).tolist() == [1] * 1000


def test_one_bad_url_is_an_error_and_a_bad_row_is_marked():
    patterns = PatternSet.from_texts(["http://a.org/*"])
    with pytest.raises(BadUrl, match="mailto"):
        patterns.match("mailto:a@a.org")
    rows = ["http://a.org/x", None, 7, "mailto:a@a.org", "\ud800", "http://b.org/"]
    assert patterns.match_indices(rows).tolist() == [0, -2, -2, -2, -2, -1]
    assert patterns.match_indices(rows * 200).tolist() == [0, -2, -2, -2, -2, -1] * 200
    assert patterns.match_all(rows)[:2] == [patterns[0], None]


def test_columns_of_every_kind_are_taken():
    import numpy as np
    import pandas as pd
    import polars as pl

    patterns = PatternSet.from_texts(["http://a.org/*"])
    urls = ["http://a.org/x", "http://b.org/"] * 400
    for column in (
        urls, tuple(urls), iter(urls), np.array(urls), pd.Series(urls), pl.Series(urls), pa.array(urls),
        pa.chunked_array([urls[:5], [], urls[5:]]), pa.array(urls).dictionary_encode(), pa.array(urls).view(pa.string()),
    ):  # fmt: skip
        assert patterns.match_indices(column).tolist() == [0, -1] * 400


@pytest.mark.parametrize("column", ["http://a.org/x", pa.array([[1], [2]])])
def test_what_is_no_column_of_urls_is_an_error(column):
    with pytest.raises(BadData):
        PatternSet.from_texts(["http://a.org/*"]).match_all(column)


def test_no_set_of_patterns_is_slow():
    """All mixes of literal and wildcard, where backtracking would try 2**12 ways."""
    texts = {
        "http://a.org/" + "/".join("a" if mask >> bit & 1 else "*" for bit in range(12)) + "/end"
        for mask in range(2**12)
    }
    patterns = PatternSet.from_texts(sorted(texts))
    assert patterns.match("http://a.org/" + "a/" * 12 + "no") is None
    best = patterns.match("http://a.org/" + "a/" * 12 + "end")
    assert best is not None
    assert best.forms[0].n_literals == 14
    rows = ["http://a.org/" + "a/" * 12 + "end"] * 600
    assert set(patterns.match_indices(rows).tolist()) == {patterns.patterns.index(best)}


def test_a_number_inside_a_token_can_be_left_open():
    patterns = PatternSet.from_texts(
        ["http://a.org/issue*", "http://a.org/*", "http://a.org/issue7", "http://a.org/p-*.html"]
    )
    urls = [
        "http://a.org/issue12",
        "http://a.org/issue",
        "http://a.org/issue7",
        "http://a.org/p-1.html",
        "http://a.org/p-1-2.html",
    ]
    assert [p.id for p in patterns.match_all(urls)] == [0, 1, 2, 3, 1]
    assert patterns.match_indices(urls * 200).tolist() == [0, 1, 2, 3, 1] * 200


def test_many_sites_share_one_automaton():
    sites = [PatternSet.from_texts([f"http://s{n}.org/p/*", f"http://s{n}.org/*"]) for n in range(50)]
    union = sum(sites[1:], sites[0])
    rng = random.Random(1)
    for n in rng.sample(range(50), 20):
        assert union.match(f"http://s{n}.org/p/1").text == f"http://s{n}.org/p/*"
    assert [p.id for p in union] == list(range(100))

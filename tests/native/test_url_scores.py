"""Scores of URLs: the fast path, with n-grams by a trie, gives what the features of an explanation add up to."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from url_scores import compiled_scores, explained_scores

import linksight
from linksight.errors import BadData, BadUrl
from linksight.url_model.predict import predict_proba, predict_top

MODEL = linksight.load()
URLS = [
    "https://www.lemonde.fr/economie/",
    "HTTP://WWW.Zeitung.DE/Politik/Artikel-17?Lang=DE#oben",
    "http://persoonlijkrooster.ru.nl",
    "http://luckyjob.eu/?lang=it",
    "https://www.Clarin.com/",  # a site that has a row of its own
    "https://asahi.com/articles/12345",
    "http://a.b.c.d.example.co.uk/2018/05/12/nl-be/index.html?x=1&hl=nl&lang=",
    "https://xn--e1afmkfd.xn--p1ai/%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D1%8C",
    "http://пример.рф/новость-дня",
    "http://example.com/東京/ニュース",
    "https://163.com/",
    "http://51job-24.com/a_b/c.d.html",
    "http://192.0.2.7/x",
    "http://[::1]/x",
    "http://[2001:db8::1]/привет",
    "http://192.0.2.7",
    "http://vww6ybal4bd7szmgncyruucpgfkqahzddi37ktceo3ah7ngmcopnpyyd.onion/",
    "HTTP://nl.Abcd.Onion/een/twee",
    "http://onion/een",
    "http://a.onion/é",
    "http://a.onions/een",
    "http://a.12onion:80/een",
    "http://192.0.2.7/привет",
    "http://english.example.cn/",
    "http://nederlands.e-nederlandse.example.com/",
    "http://localhost:80/x",
    "example.nl/zonder/schema",
    "http://example.nl:8080/a",
    "http://user@example.nl/",
    "http://example.nl?x=1",
    "http://example.nl/x?",
    "http://example.nl/100%",
    "http://" + "a" * 60 + ".com/" + "b" * 200,
    "http://x.com/" + "/".join(f"woord{i}" for i in range(80)),
    "http://example.com/ÀÉÎ-straße",
    "https://a--b.com/x//y/",
    "http://ex.com/a?b&c=d&e=f&g=h&i=j&k=l&m=n",
    "http://ex.com/a?b&&c=d&e=f&g=h&i=j&k=l&m=n&Lang=FR&hl=nl",
    "http://ex.com/a?1&2&3&4&5&6&lang&hl=nl",
    "http://ex.com/a?Lang=SWE&hl=ger&l=Svenska&ln=swez&lng=s",
    "http://ex.com/é?lang=日本語&l=日本",
    "http://ex.com/a?b=c&amp;Lang=FR&AMP;hl=nl&amp;&amp",
    "http://ex.com/a?amp;l=de&amp;amp;lang=nl&1&2&3&4&5&amp;uselang=pl",
    "http://ex.com/é?b&amp;lang=fr&amp;",
    "http://ex.com/a?1&2&3&4&5&6&lang=langer-dan-er-wordt-gelezen&hl=nl",
    "http://ex.com/é?1&2&3&4&5&6&7&uselang=日本&hl=nl",
    "http://www-a-de.translate.goog/?_x_tr_sl=de&_x_tr_tl=nl&_x_tr_hl=en",
    "http://www.Kaasblog.WordPress.com/",  # a platform's name is no word of those that have one before it
    "http://een.kaasblog.blogspot.co.uk/2012/straße",
    "http://één.tumblr.com/",
    "http://wordpress.com/tumblr.com",
    "http://over-blog.neocities.org",
    "http://ru.ac.th/",  # a university's name, and no code
    "http://en.RU.Ac.TH/a",
    "http://www.nl.go.kr",
    "http://een.twee.co.рф/x",
    "http://nl.co.example/",
    "http://nl.com.com",
    *(
        f"http://ex.com/{path}"
        for path in (
            "Report_FI.pdf",
            "de.html",
            "de",
            "a/about-en/",
            "a-b-en",
            "a.fr.php?x=y_nl.pdf",
            "_nl",
            "é_nl.x",
            "-nl",
            "x.nl//",
            "a_nl.abcdef",
            "a-b_nl",
            "a-nl.b-c",
            "nl/.html",
        )
    ),
]
BAD = ["", "mailto:a@b.nl", "hello", "http://", "http://a b.nl/", "\x00", "http://a..b/"]


def expected(url: str) -> np.ndarray:
    return explained_scores(MODEL, url)


def compiled(urls: list[str | None]) -> np.ndarray:
    return compiled_scores(MODEL, pa.array(urls, pa.large_string()))[0]


@pytest.mark.parametrize("url", URLS)
def test_scores_are_those_of_the_explanation(url):
    np.testing.assert_allclose(compiled([url])[0], expected(url), rtol=1e-5, atol=2e-4)


@given(
    st.lists(st.text(alphabet="abcdefäßяшन中-./?&=%0123456789_#:@ W", max_size=60), min_size=1, max_size=8)
)
@settings(max_examples=150, deadline=None)
def test_scores_of_any_address_are_those_of_the_explanation(tails):
    urls = [f"http://www.voorbeeld.nl/{tail}" for tail in tails]
    urls += [f"https://{tail}.com/" for tail in tails]
    for url, row in zip(urls, compiled(urls), strict=True):
        try:
            wanted = expected(url)
        except BadUrl:
            continue
        np.testing.assert_allclose(row, wanted, rtol=1e-5, atol=2e-4, err_msg=url)


HOSTS = [
    *("a" * size + ".example.nl" for size in (1, 40, 49, 50, 51, 52, 53, 60, 63)),
    *(f"{'w-' * size}9.de" for size in (5, 20, 28, 29, 30, 31, 32, 40)),
    "a.b.c1.info", "www.nl", "a--b.nl", "an--b.nl", "xn--a.nl", "x_y.com", "a.n1", "a.1n", "9.nl", "a.co-op", "s.x",
]  # fmt: skip


@pytest.mark.parametrize("behind", [0, 1, 63, 64, 200])
def test_hosts_of_any_size_are_read_at_the_end_of_a_buffer_and_before_it(behind):
    urls = [f"http://{host}{rest}" for host in HOSTS for rest in ("", "/", "/a-b/c", "?x")]
    for url in urls:
        text = pa.py_buffer(url.encode() + b"z.9-" * 50)
        ends = pa.py_buffer(np.array([0, len(url)], np.int32).tobytes())
        column = pa.Array.from_buffers(pa.string(), 1, [None, ends, text.slice(0, len(url) + behind)])
        scores, problems = compiled_scores(MODEL, column)
        assert not problems
        np.testing.assert_allclose(scores[0], expected(url), rtol=1e-5, atol=2e-4, err_msg=url)


@pytest.mark.parametrize(
    "ending", ["nl", "NL", "com", "com2", "c", "info", "co", "zzz", "q", "n_l", "museum"]
)
def test_endings_of_any_length(ending):
    for url in (
        f"http://krant.{ending}/",
        f"http://krant.{ending}/a-b-c-d-e-f-g-h-i",
        f"http://krant.{ending}/a-b",
    ):
        np.testing.assert_allclose(compiled([url])[0], expected(url), rtol=1e-5, atol=2e-4, err_msg=url)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize(("start", "length"), [(0, 5), (3, 7), (7, 1), (2, 0)])
def test_slices_of_arrow_columns_are_read_where_they_lie(kind, start, length):
    column = pa.array(URLS, kind).slice(start, length)
    scores, problems = compiled_scores(MODEL, column)
    assert not problems
    assert len(scores) == length
    for url, row in zip(URLS[start : start + length], scores, strict=True):
        np.testing.assert_allclose(row, expected(url), rtol=1e-5, atol=2e-4)


def big(kind) -> tuple[list[str | None], object]:
    """Many rows, some of them unusable, in the column type asked for."""
    rows: list[str | None] = (URLS + BAD) * 120
    return rows, kind(rows)


@pytest.mark.parametrize(
    "kind",
    [
        list,
        np.array,
        lambda rows: pa.chunked_array([pa.array(rows[:700]), pa.array(rows[700:])]),
        lambda rows: pa.array(rows).dictionary_encode(),
        lambda rows: __import__("pandas").Series(rows),
        lambda rows: __import__("polars").Series(rows),
    ],
    ids=["list", "numpy", "chunked", "dictionary", "pandas", "polars"],
)
def test_every_kind_of_column_gives_the_same_answer(kind):
    rows, column = big(kind)
    assert MODEL.predict(column) == MODEL.predict(rows[: len(URLS + BAD)]) * 120


def test_nulls_are_kept_and_counted():
    rows = [*URLS, None] * 100
    found = predict_top(MODEL, pa.array(rows))
    assert len(found.column) == len(rows)
    assert found.problems[len(URLS)] == "empty"
    assert len(found.problems) == 100


def test_a_batch_never_dies_on_a_row():
    table = MODEL.predict_table((BAD + URLS) * 100)
    assert table.num_rows == 100 * len(BAD + URLS)
    assert table["language"].to_pylist()[: len(BAD)] == ["und"] * len(BAD)
    reasons = table["problem"].to_pylist()
    assert reasons[0] == "empty"
    assert reasons[1] == "not a web address (mailto:)"
    assert reasons[len(BAD)] is None


def test_small_and_large_batches_agree():
    small = MODEL.predict_proba(URLS)
    large = MODEL.predict_proba(URLS * 100)[: len(URLS)]
    np.testing.assert_allclose(small, large, atol=1e-4)
    np.testing.assert_allclose(large.sum(axis=1), 1, atol=1e-4)
    assert large.dtype == np.float32


def test_columns_of_numbers_are_refused():
    with pytest.raises(BadData, match="must hold text"):
        MODEL.predict(pa.array([1, 2, 3]))


def test_empty_columns_give_empty_answers():
    assert MODEL.predict([]) == []
    assert MODEL.predict_proba(pa.array([], pa.string())).shape == (0, len(MODEL.languages))
    assert len(predict_proba(MODEL, [])) == 0

"""How URLs are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linksight.errors import BadUrl
from linksight.sites.learning.tokens import split_url


@pytest.mark.parametrize(
    ("url", "tokens", "runs"),
    [
        ("http://a.org/x/1", ("a.org", "x", "1"), ("", "/", "/")),
        ("http://a.org/x?k=v&l=w", ("a.org", "x", "k", "v", "l", "w"), ("", "/", "?", "=", "&", "=")),
        ("http://a.org/x/?k=v", ("a.org", "x", "k", "v"), ("", "/", "?", "=")),
        ("http://a.org:8080/#a:b", ("a.org", "8080", "a", "b"), ("", ":", "#", ":")),
        ("//a.org/x", ("a.org", "x"), ("", "/")),
        ("a.org/x", ("a.org", "x"), ("", "/")),
        ("https://me:pw@A.org:443/X", ("a.org", "X"), ("", "/")),
        ("http://a.org/x//y", ("a.org", "x", "y"), ("", "/", "//")),
    ],
)
def test_tokens_stand_between_the_separators(url, tokens, runs):
    parts = split_url(url)
    assert (parts.tokens, parts.runs) == (tokens, runs)


@pytest.mark.parametrize(
    "url",
    ["", "  ", "mailto:a@b.org", "javascript:void(0)", "http://", "http:///x", "/relative/path", "nohost/x",
     "http://a.org" + "/x" * 70, "http://a.org/" + "x" * 70_000, None, 7, b"http://a.org/"],
)  # fmt: skip
def test_what_is_no_web_address_is_an_error_that_names_it(url):
    with pytest.raises(BadUrl):
        split_url(url)


@given(st.text(max_size=60))
def test_any_text_is_cut_or_refused(text):
    try:
        parts = split_url("http://a.org/" + text)
    except BadUrl:
        return
    assert len(parts.tokens) == len(parts.runs)
    assert all(parts.tokens)
    assert all(parts.runs[1:])

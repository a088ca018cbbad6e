"""The byte-level parser: what is text and what is not, on proper and on broken markup."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.pages.html import scanner


def texts(page: bytes, **options: bool) -> list[bytes]:
    return [block.text for block in scanner.parse(page, **options)]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b"plain", [b"plain"]),
        (b"<p>one<p>two", [b"one", b"two"]),
        (b"<P CLASS=x>one</P>", [b"one"]),
        (b"a<b>b</b>c <i>d</i>", [b"abc d"]),
        (b"a<br>b<br/>c", [b"a", b"b", b"c"]),
        (b"<script>if (a<b) x('</p>')</script>t", [b"t"]),
        (b"<SCRIPT>x</ScRiPt>t", [b"t"]),
        (b"<style>p>a{}</style>t<noscript>on!</noscript>", [b"t"]),
        (b"<!-- a > b -->t<!-->u", [b"tu"]),
        (b"<!DOCTYPE html><?xml version='1'?>t", [b"t"]),
        (b"<![CDATA[t]]>", [b"t]]>"]),
        (b'<a title="x > y">t</a>', [b"t"]),
        (b"<a title=x' >t</a>", [b"t"]),
        (b"1 < 2 > 1", [b"1 < 2 > 1"]),
        (b"a</ >b", [b"ab"]),
        (b"<plaintext><b>t", [b"<b>t"]),
        (b"  a \n\t b  ", [b"a b"]),
        (b"<select><option>nl</select>t", [b"t"]),
        (b"", []),
        (b"<", [b"<"]),
        (b"<p", []),
    ],
)
def test_text_is_what_stands_between_tags(page, expected):
    assert texts(page) == expected


def test_bytes_of_every_encoding_pass_unchanged():
    word = bytes(range(0x80, 0x100))
    assert texts(b"<p>" + word + b"</p>") == [word]


def test_titles_and_links_are_told_apart():
    title, link, body = scanner.parse(b"<title>T</title><li><a href=/>here</a></li><p>text <a>link</a></p>")
    assert (title.kind, link.kind, body.kind) == (scanner.TITLE, scanner.BODY, scanner.BODY)
    assert (link.in_links, body.in_links) == (4, 4)


@pytest.mark.parametrize(
    "opened", [b"<script>", b"<style>", b"<!--", b'<a href="', b"<select>", b"<textarea>"]
)
def test_what_is_never_closed_does_not_swallow_the_page(opened):
    assert b"text" in b" ".join(texts(b"<p>first</p>" + opened + b"<p>text</p>"))


@settings(max_examples=200, deadline=None)
@given(
    st.text(
        alphabet=st.characters(
            blacklist_categories=("Cs", "Cc", "Zs", "Zl", "Zp"), blacklist_characters="<>&\u0085"
        ),
        min_size=1,
        max_size=40,
    )
)
def test_escaped_text_comes_back_as_it_was(text):
    """Against Python's own escaping, which shares no code with the parser."""
    as_numbers = "".join(f"&#{ord(c)};" for c in text)
    as_names = html.escape(text, quote=False)
    expected = text.encode()
    for written in (as_numbers, as_names):
        assert b"".join(texts(f"<p>{written}</p>".encode(), entities=True)) == expected


def test_text_without_markup_is_that_of_a_regular_expression(data):
    """On real pages, the words are those that a simple reading of the tags gives."""
    import pyarrow.parquet as pq

    rows = pq.read_table(data / "pages/dev.parquet", columns=["body", "encoding", "section"]).to_pylist()
    pages = [row["body"] for row in rows if row["section"] == "docs" and b"<code" not in row["body"].lower()][
        :40
    ]
    for body in pages:
        simple = re.sub(
            rb"(?is)<(script|style|noscript|select|textarea|button|kbd|samp|object)\b.*?</\1\s*>|<!--.*?-->",
            b" ",
            body,
        )
        simple = re.sub(rb"<[^>]*>", b" ", simple)
        words = {w for w in re.findall(rb"[A-Za-z]{5,}", b" ".join(texts(body)))}
        known = set(re.findall(rb"[A-Za-z]{5,}", simple)) | {b""}
        assert len(words - known) <= 0.03 * len(words) + 2


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        (b'<meta name="description" content="About &amp; us">', [b"About & us"]),
        (b"<META CONTENT='one, two' NAME=keywords>", [b"one, two"]),
        (b'<meta name="author" content="Nobody">', []),
        (b'<meta property="og:title" content="Title">', []),
        (b"<meta name=description>", []),
        (b"<meta name=description content=>", []),
        (b'<meta name="description" content="a < b">', [b"a < b"]),
        (b'<meta name="description" content="a <b', [b"a"]),
    ],
)
def test_descriptions_and_keywords_are_blocks_of_their_own(tag, expected):
    blocks = scanner.parse(b"<head>" + tag + b"</head><p>text", entities=True, metas=True)
    assert [block.text for block in blocks if block.kind == scanner.META] == expected
    assert [block.text for block in scanner.parse(tag + b"<p>text", entities=True)][-1:] in ([b"text"], [])

"""Bad input: an answer every time, in bounded memory and linear time."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import linksight
from linksight.results import PageLabel

PIECES = [b"<p>", b"</p>", b"<!--", b"-->", b"<script>", b"</script>", b"&amp;", b"&#1076;", b"&", b"<", b">", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b$B", b"\x1b$)A\x0e", b"\x1bN", b"+BCAEPg-", b"u+o+'", "םולש ".encode("cp1255"), b"~{", b"caf\xe9 ", "слово ".encode(), "слово ".encode("cp1251"), b"<?xml encoding='", b"<meta charset=", b"<meta name=description content=", b"<html lang=", b'"', b"'", b"words and more words ", b"&#x301;", "\u0300".encode()]  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join) | st.binary(max_size=500),
    st.sampled_from(["default", "chew2011", "suzuki2002"]),
)
@example(b"\x1f\x8b\x08 and no more", "default")
@example(b"\x1f\x8b\x08 and no more", "chew2011")
@example(b"&#768;1<p>", "default")
def test_any_bytes_get_a_label(body, method):
    label = linksight.identify(body, method=method)
    assert isinstance(label, PageLabel)
    assert 0 <= label.confidence <= 1
    assert label.encoding
    assert label.as_dict()["language"] == label.language


@pytest.mark.parametrize(
    "body",
    [b"<a href='" + b"x" * 3_000_000, b"&#1076;" * 400_000, b"<!--" * 500_000, b"<plaintext>" + b"word " * 500_000, b"\0" * 5_000_000, b"<div>" * 500_000, b"<p>\xe4" * 700_000, gzip.compress(b"\0" * 50_000_000), b"<script>" * 300_000, bytes(range(256)) * 10_000, b"\xe4\xb8" * 1_000_000, b"a" * 3_000_000],
    ids=["tag", "entities", "comments", "plaintext", "nuls", "nested", "legacy", "gzip bomb", "scripts", "binary", "truncated characters", "one word"],
)  # fmt: skip
def test_megabytes_of_nonsense_get_an_answer(body):
    assert isinstance(linksight.identify(body), PageLabel)


def test_two_hundred_megabytes_are_not_copied():
    """Only the first megabytes are looked at, whatever the size."""
    text = b"<p>Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.</p>"
    linksight.identify(text)  # the model is read once
    body = text + bytes(200_000_000)
    tracemalloc.start()
    assert linksight.identify(body).language == "nl"
    assert tracemalloc.get_traced_memory()[1] < 64_000_000
    tracemalloc.stop()


def test_a_memoryview_and_a_bytearray_are_pages_too():
    page = b"<p>All human beings are born free and equal in dignity and rights.</p>"
    assert (
        linksight.identify(memoryview(page))
        == linksight.identify(bytearray(page))
        == linksight.identify(page)
    )

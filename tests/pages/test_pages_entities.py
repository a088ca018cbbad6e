"""Character references as the scanner reads them, and its table of names."""

from __future__ import annotations

from html.entities import html5

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from linksight.pages.html import entities, scanner


def text_of(page: str) -> str:
    return b"".join(block.text for block in scanner.parse(page.encode(), entities=True)).decode()


@pytest.mark.parametrize(("written", "read"), [("&amp;", "&"), ("&beta;", "β"), ("&#946;", "β"), ("&#x3b2;", "β"), ("&#X3B2;", "β"), ("&#24179;", "平"), ("&#x5e73;", "平"), ("&eacute", "é"), ("&eacutex", "éx"), ("&nosuch;", "&nosuch;"), ("&", "&"), ("&#", "&#"), ("&#;", "&#;"), ("&#x;", "&#x;"), ("&#150;", "–"), ("&#0;", "\ufffd"), ("&#55555555555;", "\ufffd"), ("&#xD800;", "\ufffd")])  # fmt: skip
def test_entities_become_the_bytes_of_their_characters(written, read):
    """Table 5 of the paper and awkward ones."""
    assert text_of(written) == read


def test_every_name_of_html_5_is_known():
    for name, text in html5.items():
        assert text_of(f"x&{name}").split() == f"x{text}".replace("\xa0", " ").split()


def test_no_name_is_further_from_its_place_than_the_parser_looks():
    keys, _ = entities.table()
    size = len(keys)
    for name in html5:
        key = entities.name_key(name.encode())
        assert (keys.index(key) - entities.place_of(key)) % size < 24


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=200)
    | st.lists(
        st.sampled_from([b"&", b"#", b"x", b"0", b"99999", b"ffff", b";", b"amp", b"eacute", b"a"])
    ).map(b"".join)
)
@example(b"&#" + b"9" * 5_000 + b";")  # Python reads no number of so many digits
@example(b"&#x" + b"f" * 5_000)
def test_any_bytes_can_be_converted(text):
    assert isinstance(scanner.parse(text, entities=True), list)

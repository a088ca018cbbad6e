"""Pages in several languages, and what pages say of themselves."""

from __future__ import annotations

from itertools import pairwise

import pytest

import linksight
from linksight.pages.html import declarations
from linksight.pages.langid.segmentation import text_of

DUTCH = "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen."
FINNISH = "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä."
RUSSIAN = (
    "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью."
)


def test_a_page_in_one_language_has_no_spans():
    assert linksight.identify(f"<p>{DUTCH}</p><p>{DUTCH}</p>".encode()).spans == ()


@pytest.mark.parametrize("other", [FINNISH, RUSSIAN])
def test_a_page_in_two_languages_has_a_span_for_each(other):
    page = f"<p>{DUTCH}</p><p>{other}</p>".encode()
    label = linksight.identify(page)
    first, second = label.spans
    text = text_of(page)
    assert text[first.start : first.end] == DUTCH
    assert text[second.start : second.end] == other
    assert (first.language, second.language) == ("nl", "fi" if other is FINNISH else "ru")
    assert len(label.as_dict()["spans"]) == 2


def test_shares_of_languages_are_those_of_the_spans():
    shares = linksight.identify(f"<p>{DUTCH} {DUTCH}</p><p>{FINNISH}</p>".encode()).language_shares
    assert list(shares) == ["nl", "fi"]
    assert sum(shares.values()) == pytest.approx(1)
    assert 0.6 < shares["nl"] < 0.75
    assert linksight.identify(f"<p>{DUTCH}</p>".encode()).language_shares == {"nl": 1.0}
    assert linksight.identify(b"<p>1 2").language_shares == {}


def test_spans_are_in_order_and_do_not_overlap():
    page = "".join(f"<p>{text}</p>" for text in (DUTCH, FINNISH, RUSSIAN, DUTCH)).encode()
    spans = linksight.identify(page).spans
    assert [span.language for span in spans] == ["nl", "fi", "ru", "nl"]
    assert all(one.end <= other.start for one, other in pairwise(spans))


def test_declarations_are_listed_and_judged():
    page = f'<html lang="de"><meta charset=utf-8><link hreflang="fr" href=/fr><p>{DUTCH}'.encode()
    label = linksight.identify(page, "text/html; charset=utf-8")
    found = {(d.source, d.kind): (d.value, d.agrees) for d in label.declared}
    assert label.language == "nl"
    assert found == {
        ("http", "encoding"): ("utf-8", True),
        ("meta", "encoding"): ("utf-8", True),
        ("lang", "language"): ("de", False),
        ("hreflang", "language"): ("fr", None),
    }


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (
            b'<meta http-equiv="Content-Type" content="text/html; charset=KOI8-R">',
            [("meta", "encoding", "koi8-r")],
        ),
        (b'<?xml version="1.0" encoding="Shift_JIS"?>', [("xml", "encoding", "shift_jis")]),
        (b"<HTML LANG=nl>", [("lang", "language", "nl")]),
        (b'<html xml:lang="sr-Latn">', [("lang", "language", "sr-Latn")]),
        (b'<meta http-equiv="content-language" content="fy">', [("meta", "language", "fy")]),
        (b'<script charset="x">', []),
        (b"<p>charset=utf-8</p>", []),
    ],
)
def test_declarations_are_read_where_they_stand(head, expected):
    assert declarations.scan(head) == expected


def test_the_address_of_a_page_is_a_hint_and_no_more():
    page = f"<p>{DUTCH}".encode()
    assert linksight.identify(page, url="https://www.example.de/seite.html").language == "nl"
    assert linksight.identify(page, url="no address").language == "nl"

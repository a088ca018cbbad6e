"""Pages that say nothing but in pictures, forms and metas: these are read then, and only then."""

from __future__ import annotations

import pytest

import linksight
from linksight.pages.html import fallback_text

DUTCH = "De gemeenteraad heeft besloten dat de oude school in het najaar wordt gesloopt. De ouders zijn ontevreden."
GREEK = "Το δημοτικό συμβούλιο αποφάσισε να κατεδαφιστεί το παλιό σχολείο το φθινόπωρο."
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M1 1L2 2Z"/>{}</svg>'
ALONE = {
    "picture": SVG.format("<title>{0}</title><text x='1'><tspan>{0}</tspan></text>"),
    "picture with a head": '<?xml version="1.0"?>\n' + SVG.format("<style>a{{fill:red}}</style><text>{0}</text>"),
    "button": "<html><body><button type=submit>{0}</button></body></html>",
    "choice": "<html><body><form><select name=a><option>{0}</select></form></body></html>",
    "field": "<html><body><textarea rows=4>{0}</textarea></body></html>",
    "markdown": '<html><xmp theme="united">{0}</xmp><script src="a.js"></script></html>',
    "shared": '<html><head><meta property="og:description" content="{0}"></head><body><div id=app></div></body></html>',
    "card": "<html><head><meta name='twitter:description' content='{0}'></head><body></body></html>",
    "data for search engines": '<html><head><script type="application/ld+json">{{"@type": "NewsArticle", "headline": "1", "articleBody": "<p>{0}</p>"}}</script></head><body><div id=app></div></body></html>',
    "data for a program": '<body><div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{{"props": {{"items": [{{"text": "{0}"}}]}}}}</script>',
    "template that is shown": '<body><my-page><template shadowrootmode="open"><p>{0}</p></template></my-page></body>',
    "images": '<html><body><a href="/"><img src="a.png" alt="{0}" width=3></a></body></html>',
}  # fmt: skip


@pytest.mark.parametrize("corner", ALONE)
@pytest.mark.parametrize(("language", "text"), [("nl", DUTCH), ("el", GREEK)])
def test_a_page_that_says_nothing_elsewhere_is_read_from_its_corners(corner, language, text):
    label = linksight.identify(ALONE[corner].format(text).encode())
    assert (label.language, label.reason) == (language, None)


@pytest.mark.parametrize("corner", ALONE)
def test_beside_a_text_corners_say_nothing(corner):
    page = ALONE[corner].format(DUTCH + " " + DUTCH) + f"<p>{GREEK} {GREEK}</p>"
    assert linksight.identify(page.encode()).language == "el"


def test_beside_a_title_they_need_more_words_than_a_label_has():
    page = "<title>Overzicht</title><button>Toevoegen aan winkelmandje</button><button>{}</button>"
    assert (
        linksight.identify(page.format("Afrekenen bij kassa").encode(), min_letters=12).reason
        == "too little text"
    )
    assert linksight.identify(page.format(DUTCH).encode()).language == "nl"


def test_of_data_only_sentences_are_texts():
    data = '{"@context": "https://schema.org/and/so/on/here", "url": "%s", "name": "De markt is weer open", "n": [1, null]}'
    page = '<script type="application/ld+json">' + data % ("x" * 50) + "</script>"
    assert list(fallback_text._texts_in_data(page.encode())) == ["De markt is weer open"]


@pytest.mark.parametrize(
    "data", ['{"a": "De markt is weer', "[" * 100_000, "", '{"a": ' + "9" * 10_000 + "}", '"\\ud800"']
)
def test_data_that_cannot_be_read_are_no_trouble(data):
    assert linksight.identify(f'<script type="application/json">{data}</script>'.encode()).language == "zxx"


@pytest.mark.parametrize("name", ["noscript", "template", "video", "iframe", "script", "style"])
def test_what_speaks_to_the_browser_is_no_text(name):
    told = "You need to enable JavaScript in your browser to run this application."
    assert linksight.identify(f"<body><{name}>{told}</{name}></body>".encode()).reason == "no letters"


FRAMES = '<html><head><title>Welkom</title></head><FRAMESET cols="20%,*"><frame src=a.htm><NOFRAMES><body>{}</body></NOFRAMES></FRAMESET>'


def test_a_page_of_frames_is_read_from_what_it_says_without_them():
    assert linksight.identify(FRAMES.format(f"<p>{DUTCH}</p>" * 3).encode()).language == "nl"


def test_what_an_editor_says_of_frames_is_no_text():
    told = "<p>This page uses frames, but your browser doesn't support them.</p>"
    assert linksight.identify(FRAMES.format(told).encode(), min_letters=12).reason == "too little text"


def test_attributes_need_no_order_and_pages_no_end():
    assert (
        fallback_text.with_fallback_text(b"<IMG ALT='Een' src=a><img alt=\"\"><button")
        == b"<br>Een<br><br><br><button"
    )
    assert fallback_text.with_fallback_text(b"<buttonbar><selection>") == b"<buttonbar><selection>"

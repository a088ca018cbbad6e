"""Letters that data write with other signs: what is identified is the text that they stand for."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linksight
from linksight.pages.html import unescape

TEXTS = {
    "ru": "Городской совет вчера решил, что старая библиотека у реки будет перестроена следующей весной.",
    "ja": "市議会は昨日、川沿いの古い図書館を来年の春に建て替えることを決めました。多くの住民が場所を求めていました。",
    "tr": "Belediye meclisi dün nehir kenarındaki eski kütüphanenin gelecek ilkbaharda yeniden inşa edilmesine karar verdi.",
    "ar": "قرر مجلس المدينة أمس أن المكتبة القديمة على ضفة النهر سيعاد بناؤها في الربيع القادم.",
    "pl": "Rada miasta postanowiła wczoraj, że stara biblioteka nad rzeką zostanie odbudowana na wiosnę.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_json_in_ascii_is_read_as_the_text_that_it_stands_for(language):
    text = TEXTS[language]
    body = json.dumps(
        [{"id": 7, "title": text[:30], "body": f"<p>{text}</p>\n{text}", "tags": ["a"]}]
    ).encode()
    label = linksight.identify(body, "application/json")
    assert (label.language, label.encoding) == (language, "ascii")


def test_letters_beyond_the_basic_plane_are_two_escapes():
    assert unescape.unescape_text(rb'{"a": "\ud83d\ude00 \u0434\u0430\n\/"}').decode() == '{"a": "😀 да /"}'


def test_half_of_a_pair_is_no_letter():
    assert unescape.unescape_text(rb'["\ud83d \u0434"]').decode() == '["\ufffd д"]'


def test_programs_and_pages_keep_their_escapes():
    rich = rb"{\rtf1\ansi \u1043?\u1086?}"  # where the numbers are decimal
    for text in (rb"var a = '\u0434\u0430';", rb"<p>\u0434\u0430</p>", rb"{no escapes}", rich):
        assert unescape.unescape_text(text) == text


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize(
    "program", ["callback({});", "var messages = {};\nmodule.exports = messages;", "window.a = {{b: {}}}"]
)
def test_the_messages_of_a_program_are_read(language, program):
    body = program.format(json.dumps({"title": TEXTS[language], "id": 7, "text": TEXTS[language]})).encode()
    assert linksight.identify(body).language == language


@pytest.mark.parametrize("language", TEXTS)
def test_messages_a_line_each_are_read(language):
    spelled = json.dumps(TEXTS[language])[1:-1]
    body = "\n".join(f"label.{number} = {spelled}" for number in range(3)).encode()
    assert linksight.identify(body).language == language


def test_rich_text_keeps_its_numbers():
    rich = rb"{\rtf1\ansi " + rb"\u1043?\u1086?" * 20 + b"}"
    assert unescape.unescape_text(rich) == rich


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("form", ["&#{};", "&#x{:x};"])
def test_entities_that_were_escaped_once_more_are_letters(language, form):
    spelled = "".join(form.format(ord(letter)) if letter > "~" else letter for letter in TEXTS[language])
    page = f"<p>{spelled.replace('&', '&amp;')}</p>"
    assert linksight.identify(page.encode()).language == language


def test_ampersands_of_addresses_stay():
    page = b'<a href="/?a=1&amp;b=2&amp;copy=3#x">x</a> A&amp;B &amp;#; &amp;#1; R&amp;D;'
    assert unescape.unescape_once(page) == page


@given(st.binary(max_size=400))
def test_nothing_raises(tail):
    unescape.unescape_text(b'{"a":"\\u0434\\u0430' + tail)

"""The face: linksight.identify on whole pages."""

from __future__ import annotations

import gzip
import unicodedata

import pytest

import linksight
from linksight.errors import BadConfig, BadData

DUTCH = "<html><title>Rechten</title><p>Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.</p></html>"
RUSSIAN = "<p>Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.</p>"


def test_language_script_and_encoding_come_together():
    label = linksight.identify(RUSSIAN.encode("koi8-r"))
    assert (label.language, label.script, label.encoding) == ("ru", "Cyrl", "koi8-r")
    assert 0 < label.confidence <= 1


def test_candidates_are_best_first_and_begin_with_the_answer():
    label = linksight.identify(DUTCH.encode())
    assert label.candidates[0] == ("nl", label.confidence)
    values = [probability for _, probability in label.candidates]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(
    "encoding",
    [
        "windows-1251",
        "koi8-r",
        "iso-8859-5",
        "ibm866",
        "mac-cyrillic",
        "utf-8",
        "utf-16",
        "utf-32",
        "utf-16-le",
    ],
)
def test_russian_is_read_in_every_encoding_without_a_declaration(encoding):
    body = RUSSIAN.encode(encoding)
    label = linksight.identify(body)
    assert label.language == "ru"
    assert body.decode(label.encoding) == RUSSIAN


def test_a_false_declaration_is_overruled_and_said_to_be_false():
    body = f'<meta charset="iso-8859-1">{RUSSIAN}'.encode("cp1251")
    label = linksight.identify(body, "text/html; charset=utf-8")
    assert label.encoding == "windows-1251"
    assert {d.source: d.agrees for d in label.declared} == {"http": False, "meta": False}


def test_entities_are_read_as_the_characters_they_stand_for():
    body = "".join(f"&#{ord(c)};" if c > "\x7f" else c for c in RUSSIAN).encode()
    label = linksight.identify(body)
    assert (label.language, label.script, label.encoding) == ("ru", "Cyrl", "ascii")


def test_chinese_scripts_are_told_apart():
    simplified = linksight.identify(
        "<p>人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。".encode()
    )
    traditional = linksight.identify(
        "<p>人人生而自由,在尊嚴和權利上一律平等。他們賦有理性和良心,並應以兄弟關係的精神相對待。".encode()
    )
    assert (simplified.language, simplified.script) == ("zh", "Hans")
    assert (traditional.language, traditional.script) == ("zh", "Hant")


def test_english_boilerplate_does_not_hide_the_language_of_a_page():
    page = f"{DUTCH}<p>This work is licensed under a Creative Commons Attribution license.</p><p>All rights reserved. Powered by software.</p>"
    assert linksight.identify(page.encode()).language == "nl"


def test_gzip_that_was_not_undone_is_undone():
    assert linksight.identify(gzip.compress(DUTCH.encode())).language == "nl"


@pytest.mark.parametrize(
    ("body", "language"),
    [
        (b"", "und"),
        (b"  \n\t", "und"),
        (b"\0" * 1000, "und"),
        (b"%PDF-1.4 \xe2\xe3", "zxx"),
        (b"\x89PNG\r\n\x1a\n", "zxx"),
        (b"12.5 17 99 (42)", "zxx"),
    ],
)
def test_what_is_no_page_has_a_reason(body, language):
    label = linksight.identify(body)
    assert label.language == language
    assert label.reason


def test_what_is_not_bytes_is_an_error_that_says_so():
    with pytest.raises(BadData, match="str"):
        linksight.identify("text")


def test_an_unknown_method_is_an_error_that_names_the_known_ones():
    with pytest.raises(BadConfig, match="chew2011"):
        linksight.identify(b"x", method="magic")


def test_vowel_signs_of_arabic_are_passed_over():
    plain = "<p>يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء"
    marked = "".join(f"{c}\u064e" if c.isalpha() and c > "\u0600" else c for c in plain)
    assert linksight.identify(marked.encode()).language == linksight.identify(plain.encode()).language == "ar"


def test_ethiopic_word_stops_end_words():
    page = "<p>የሰው፡ልጅ፡ሁሉ፡ሲወለድ፡ነጻና፡በክብርና፡በመብትም፡እኩልነት፡ያለው፡ነው። የተፈጥሮ፡ማስተዋልና፡ሕሊና፡ስላለው፡አንዱ፡ሌላውን፡በወንድማማችነት፡መንፈስ፡መመልከት፡ይገባዋል።"
    label = linksight.identify(page.encode())
    assert (label.language, label.script) == ("am", "Ethi")


@pytest.mark.parametrize(
    ("page", "language", "script", "reason"),
    [
        ("<p>ᜀᜁᜂᜃᜄᜅᜆᜇᜈᜉ ᜀᜁᜂᜃᜄᜅᜆᜇᜈᜉ ᜀᜁᜂᜃᜄᜅᜆᜇᜈᜉ", "und", "Tglg", "no known language"),
        ("<p>" + "12.50 17 (3) 99 + 4 = " * 20 + "ab", "zxx", "Latn", "no language: numbers and signs"),
        (
            "<p>" + "xkjq wvzb qqpt zxcv bnmk ljhg " * 8,
            "zxx",
            "Latn",
            "no language: letters that make no words",
        ),
    ],
)
def test_what_has_no_known_language_says_why(page, language, script, reason):
    label = linksight.identify(page.encode())
    assert (label.language, label.script, label.reason) == (language, script, reason)


@pytest.mark.parametrize(
    "again", ["<article><a>Lees meer</a></article>", "<li>Nieuws {}</li>", "<div>Nachrichten {}</div>"]
)
@pytest.mark.parametrize("times", [5, 15, 40])
def test_a_button_under_every_article_is_read_once(again, times):
    prose = "The library keeps books, newspapers and websites from all over the country. Everyone may come to read. "
    page = f"<p>{prose * 2}</p>" + "".join(again.format(i) for i in range(times))
    assert linksight.identify(page.encode()).language == "en"


def test_a_page_of_one_sentence_is_read_as_often_as_it_says_it():
    page = "<html><body>" + "<p>Dit is een gewone zin in het Nederlands.</p>" * 40
    assert linksight.identify(page.encode()).language == "nl"


def test_a_header_may_be_bytes_as_scrapy_has_it_and_nothing_else():
    page = "<p>Все люди рождаются свободными и равными в своём достоинстве и правах.</p>".encode("cp1251")
    header = "text/html; charset=windows-1251"
    assert linksight.identify(page, header.encode()) == linksight.identify(page, header)
    with pytest.raises(BadData, match="content_type is text, not int"):
        linksight.identify(page, 3)
    with pytest.raises(BadData, match="url is text, not list"):
        linksight.identify(page, url=["http://a.ru/"])


@pytest.mark.parametrize(
    ("charset", "agrees"),
    [
        ("utf-8", True),
        ("windows-1252", True),
        ("utf-16", False),
        ("utf-32le", False),
        ("no-such-encoding", None),
    ],
)
def test_plain_letters_bear_out_what_reads_them_alike_and_nothing_else(charset, agrees):
    page = b"<p>Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.</p>"
    label = linksight.identify(page, f"text/html; charset={charset}")
    assert (label.encoding, [one.agrees for one in label.declared]) == ("ascii", [agrees])


SENTENCE = (
    "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren, zegt de verklaring op één blad."
)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_what_a_page_in_wide_letters_declares_is_read_and_borne_out(encoding):
    page = f'<?xml version="1.0" encoding="{encoding[:6]}"?><html xml:lang="nl"><link hreflang="de"><p>{SENTENCE}</p></html>'
    said = linksight.identify(page.encode(encoding)).declared
    assert [(one.source, one.value, one.agrees) for one in said] == [
        ("xml", encoding[:6], True), ("lang", "nl", True), ("hreflang", "de", None),
    ]  # fmt: skip


def test_the_order_of_bytes_that_a_mark_tells_bears_out_a_header_that_names_it():
    label = linksight.identify(f"<p>{SENTENCE}".encode("utf-16"), "text/html; charset=utf-16le")
    assert (label.encoding, [one.agrees for one in label.declared]) == ("utf-16", [True])
    label = linksight.identify(f"<p>{SENTENCE}".encode("utf-16-be"), "text/html; charset=utf-16le")
    assert (label.encoding, [one.agrees for one in label.declared]) == ("utf-16be", [False])


@pytest.mark.parametrize("name", ["hreflang", "hrefLang", "HREFLANG"])
def test_twins_are_found_as_react_and_old_editors_spell_them(name):
    label = linksight.identify(f'<link rel="alternate" {name}="fr-BE" href="/fr"/><p>{SENTENCE}'.encode())
    assert [(one.source, one.value) for one in label.declared] == [("hreflang", "fr-BE")]


@pytest.mark.parametrize(
    "begin",
    ["RIFF – Reykjavík International Film Festival\n", "ID3-tags", "GIF89a:", "BZh,", "Rar!", "wOFF", "PAR1"],
)
def test_a_text_that_begins_like_a_binary_file_is_a_text(begin):
    assert linksight.identify(f"{begin} {SENTENCE}".encode()).language == "nl"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff", "GIF image"),
        (b"RIFF\x24\x08\0\0WAVEfmt ", "media file"),
        (b"ID3\x03\0\0\0\0\x0f", "audio"),
        (b"wOFF\0\x01\0\0\0\0", "font"),
        (b"PAR1\x15\x04\x15\x90\x01", "Parquet table"),
        (
            b"%!PS-Adobe-3.0\n/TeXDict 250 dict def TeXDict begin /N{def}def /B{bind def}N /S{exch}N",
            "PostScript",
        ),
    ],
)
def test_what_begins_like_a_word_and_goes_on_in_numbers_is_binary(body, kind):
    assert linksight.identify(body).reason == f"binary: {kind}"


def test_korean_in_parts_of_syllables_is_korean():
    text = "시는 토요일 운하를 가로지르는 새로운 자전거 다리를 개통했다. 그러나 주민들은 밤에 조명이 너무 밝다고 불평하고 있다."
    label = linksight.identify(unicodedata.normalize("NFD", text).encode())
    assert (label.language, label.script) == ("ko", "Kore")


def test_what_a_page_says_of_its_language_counts_where_accents_stand_alone():
    page = '<html lang="no"><p>Kommunen åbner en ny cykelbro på gården ved elven og kirken.'
    apart = linksight.identify(unicodedata.normalize("NFD", page).encode())
    assert apart.candidates == linksight.identify(page.encode()).candidates


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ar", "ﺍﻓﺘﺘﺤﺖ ﺍﻟﺒﻠﺪﻳﺔ ﻳﻮﻡ ﺍﻟﺴﺒﺖ ﺟﺴﺮﺍ ﺟﺪﻳﺪﺍ ﻟﻠﺪﺭﺍﺟﺎﺕ ﻓﻮﻕ ﺍﻟﻘﻨﺎﺓ ﻭﺑﺤﺴﺐ ﺭﺋﻴﺴﺔ ﺍﻟﺒﻠﺪﻳﺔ"),
        ("fa", "ﺷﻬﺮﺩﺍﺭﯼ ﺭﻭﺯ ﺷﻨﺒﻪ ﭘﻞ ﺗﺎﺯﻩ ﺍﯼ ﺑﺮﺍﯼ ﺩﻭﭼﺮﺧﻪ ﺳﻮﺍﺭﺍﻥ ﺑﺮ ﺭﻭﯼ ﮐﺎﻧﺎﻝ ﮔﺸﻮﺩ"),
    ],
)
def test_arabic_letters_that_are_written_by_their_shapes_are_read(language, text):
    assert linksight.identify(f"<p>{text}</p>".encode()).language == language


def test_the_language_of_a_page_that_begins_with_a_long_comment_is_found():
    page = f'<!--{"x" * 3_000}--><html lang="nl"><p>{SENTENCE}'
    assert [one.value for one in linksight.identify(page.encode()).declared] == ["nl"]


def test_what_a_banner_says_of_cookies_does_not_outweigh_the_page():
    banner = (
        "Wir und unsere 842 Partner verarbeiten Ihre personenbezogenen Daten mit Technologien wie Cookies, um Informationen auf"
        " Ihrem Gerät zu speichern und darauf zuzugreifen. Sie können Ihre Einwilligung jederzeit widerrufen oder ändern, wer"
        " Ihre Daten verwenden darf und zu welchen Zwecken dies geschieht."
    )
    text = (
        "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en"
        " behoren zich jegens elkander in een geest van broederschap te gedragen. Een ieder heeft aanspraak op alle rechten."
    )
    page = f"<title>Rechten</title><div class=cmp><p>{banner}</p></div><main><p>{text}</p></main>"
    assert linksight.identify(page.encode()).language == "nl"
    assert linksight.identify(f"<title>Cookies</title><p>{banner}</p>".encode()).language == "de"

"""What is no language, what is too little, and what is told apart by little."""

from __future__ import annotations

import base64
import random

import pytest

import linksight
from linksight.pages.langid.ngrams import keys_of

NAMES = "Anna Müller, Peter Garcia, Wei Wang, Fatima Kowalski, Ivan Okafor, Maria Tanaka, Kofi Hansen, Yuki Novak, Olga Silva, Jean Rossi, Ahmed Dubois, Lars Singh"
C = 'int main(int argc, char **argv) { for (int i = 0; i < argc; i++) { printf("%s\\n", argv[i]); free(ptr); } return x->next ? NULL : 0; }'
JSON = '{"id": 12, "items": [{"sku": "A-12", "qty": 3, "price": 1.5}, {"sku": "B-7", "qty": 1}], "ok": true, "next": null}'
rng = random.Random(7)


@pytest.mark.parametrize(
    "text",
    [
        "12.50 13.75 1,200 99 % 2024-01-01 " * 20,
        "\n".join(f"{n},{n * 37 % 101},{n / 7:.3f}" for n in range(80)),
        " ".join(rng.randbytes(4).hex() for _ in range(100)),
        base64.b64encode(rng.randbytes(900)).decode(),
        C * 3,
        JSON * 5,
        NAMES * 3,
        " ".join(f"user{n}@example{n}.org" for n in range(50)),
        " ".join(f"https://example.org/a/{n}" for n in range(50)),
    ],
    ids=["numbers", "table", "hexadecimal", "base64", "c", "json", "names", "mail addresses", "links"],
)
def test_what_is_not_language_is_zxx_and_says_why(text):
    for page in (text, f"<html><body><pre>{text}</pre></body></html>"):
        label = linksight.identify(page.encode())
        assert label.language == "zxx", (label.language, label.candidates)
        assert label.reason


@pytest.mark.parametrize(
    "names",
    [
        "James Wilson, Robert Taylor, Mary Anderson, Patricia Thomas, Jennifer Jackson, Michael White, Linda Harris, William Martin, Elizabeth Thompson, David Garcia, Barbara Martinez, Richard Robinson, Susan Clark, Joseph Rodriguez, Jessica Lewis, Thomas Lee",
        "John Smith, Maria Garcia, Hans Müller, Anna Kowalska, Luigi Rossi, Yuki Tanaka, Ivan Petrov, Jean Dupont, Sven Svensson",
        "Afghanistan, Albania, Algeria, Andorra, Angola, Argentina, Armenia, Australia, Austria, Azerbaijan, Bahamas, Bahrain",
    ],
    ids=["English names", "names of many", "countries"],
)
def test_a_list_of_nothing_but_names_is_zxx(names):
    page = "".join(f"<li>{name}</li>" for name in names.split(", "))
    label = linksight.identify(f"<ul>{page}</ul>".encode())
    assert (label.language, label.reason) == ("zxx", "no language: names")


@pytest.mark.parametrize(
    ("language", "menu"),
    [
        ("en", "Home|About Us|Services|Portfolio|Blog|Contact|Gallery|Testimonials"),
        ("de", "Startseite|Über Uns|Leistungen|Kontakt|Impressum|Datenschutz|Anfahrt"),
        ("fi", "Etusivu|Yritys|Tuotteet|Palvelut|Yhteystiedot|Ajankohtaista"),
    ],
)
def test_a_menu_in_capitals_has_a_language(language, menu):
    page = "".join(f"<li>{word}</li>" for word in menu.split("|"))
    assert linksight.identify(f"<ul>{page}</ul>".encode()).language == language


@pytest.mark.parametrize(
    ("text", "script"),
    [("ᚠᛇᚻ ᛒᛦᚦ ᚠᚱᚩᚠᚢᚱ ᚠᛁᚱᚪ ᚷᛖᚻᚹᛦᛚᚳᚢᛗ ᛋᚳᛖᚪᛚ ᚦᛖᚪᚻ ᛗᚪᚾᚾᚪ", "Runr"), ("𐌰𐍄𐍄𐌰 𐌿𐌽𐍃𐌰𐍂 𐌸𐌿 𐌹𐌽 𐌷𐌹𐌼𐌹𐌽𐌰𐌼", "Goth")],
)
def test_an_unknown_language_is_und_with_its_script_named(text, script):
    label = linksight.identify(f"<p>{text}".encode())
    assert (label.language, label.script) == ("und", script)
    assert label.reason


def test_the_letters_that_an_answer_needs_are_a_setting():
    page = b"<p>Guten Tag, wie geht es?"
    label = linksight.identify(page)
    assert (label.language, label.reason) == ("de", None)
    label = linksight.identify(page, min_letters=40)
    assert (label.language, label.reason, label.confidence, label.reliable) == (
        "und",
        "too little text",
        0,
        False,
    )


def test_the_description_counts_where_there_is_little_else():
    head = '<title>x</title><meta name="description" content="Alle mensen worden vrij en gelijk in waardigheid en rechten geboren, zegt de verklaring.">'
    assert linksight.identify(f"<html><head>{head}</head><body><p>1 2 3".encode()).language == "nl"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("hr", "Jučer je na sjeveru zemlje padala kiša, a tijekom tjedna očekuje se lijepo vrijeme u cijeloj Europi. Općina će obavijestiti sve korisnike računala o točnom vremenu."),
        ("sr", "Juče je na severu zemlje padala kiša, a tokom nedelje očekuje se lepo vreme u celoj Evropi. Opština će obavestiti sve korisnike računara o tačnom vremenu."),
        ("zh", "昨日大雨，我們沒有去市場。媽媽在家裡做飯，爸爸看報紙，還給我們講他小時候在河邊的村子裡生活的故事。"),
        ("yue", "尋日落好大雨，我哋冇去街市。媽媽喺屋企煮飯，爸爸睇報紙，仲同我哋講佢細個嗰陣喺河邊條村度住嘅嘢，佢話嗰時啲人唔係咁嘅。"),
    ],
)  # fmt: skip
def test_neighbours_are_told_apart_by_their_own_words(language, text):
    assert linksight.identify(text.encode()).language == language


def test_bytes_of_no_known_kind_are_binary():
    label = linksight.identify(rng.randbytes(5_000).replace(b"\0", b"\1"))
    assert (label.language, label.encoding, label.reason) == ("zxx", "binary", "binary: control characters")


ENGLISH = (
    "The library on the corner is open until half past six on most days of the week, and on Saturday until noon. "
    "The council met on Tuesday to discuss the new plans for the old railway station and the houses that are "
    "to be built there. "
)


@pytest.mark.parametrize(
    "menu",
    [
        " ".join(f'<a href="/{i}">Nieuws</a>' for i in range(15)),
        " | ".join(f"Nieuws {i}" for i in range(15)),
        " ".join(["Lees meer"] * 15),
    ],
)
def test_a_list_of_the_same_words_within_a_paragraph_says_them_once(menu: str) -> None:
    assert linksight.identify(f"<p>{ENGLISH}{menu}</p>".encode()).language == "en"


@pytest.mark.parametrize(("text", "counted"), [("a b c", "a b c"), ("aa aa aa aa", "aa aa")])
def test_words_that_come_again_and_again_give_their_features_twice(text: str, counted: str) -> None:
    assert keys_of(text) == keys_of(counted)


def test_words_that_take_turns_are_left_out_and_those_of_a_text_are_not() -> None:
    assert keys_of("lees meer lees meer lees meer") == keys_of("lees meer lees")
    assert keys_of("een twee drie een twee drie een") == keys_of("een twee drie een twee")
    text = "de man en de vrouw en het kind en de hond, heel heel oud"
    assert len(keys_of(text)) == sum(len(keys_of(word)) for word in text.replace(",", "").split())

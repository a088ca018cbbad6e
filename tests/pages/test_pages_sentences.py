"""Sentences that were written for this test, in over seventy languages: no model was trained or tuned on them."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from linksight.pages import identify
from linksight.pages.charset import labels

ROWS = [
    line.split("\t") for line in (Path(__file__).parent / "sentences.tsv").read_text("utf-8").splitlines()
]
PAGE = "<!DOCTYPE html><html><head></head><body><p>{}</p></body></html>"
SOUTH_SLAVIC = {"hr", "sr", "bs", "sl"}
LEGACY = [
    ("pl", "iso-8859-2"), ("cs", "windows-1250"), ("hu", "ibm852"), ("ru", "koi8-r"), ("ru", "ibm866"), ("uk", "koi8-u"), ("bg", "windows-1251"),
    ("mk", "iso-8859-5"), ("ru", "mac-cyrillic"), ("el", "iso-8859-7"), ("tr", "windows-1254"), ("he", "windows-1255"), ("ar", "windows-1256"),
    ("ar", "iso-8859-6"), ("lt", "windows-1257"), ("lv", "iso-8859-13"), ("vi", "windows-1258"), ("vi", "viscii"), ("th", "cp874"), ("ja", "shift_jis"),
    ("ja", "euc-jp"), ("ja", "iso-2022-jp"), ("ko", "euc-kr"), ("zh", "gb18030"), ("zh", "hz"), ("de", "ibm850"), ("fr", "macintosh"),
    ("is", "windows-1252"), ("eo", "iso-8859-3"), ("ru", "utf-16le"), ("ja", "utf-16be"), ("de", "utf-32le"), ("hi", "utf-32be"),
    ("ja", "utf-7"), ("el", "utf-7"), ("zh", "utf-16be"), ("ko", "utf-16le"),
]  # fmt: skip


@pytest.fixture(scope="module")
def answers() -> list[tuple[str, str, str]]:
    return [(code, identify(PAGE.format(text).encode()).language, text) for code, text in ROWS]


def test_there_are_sentences_in_over_seventy_languages():
    assert len({code for code, _ in ROWS}) > 70
    assert len({text for _, text in ROWS}) == len(ROWS)


def test_nearly_every_sentence_is_right(answers):
    wrong = [answer for answer in answers if answer[0] != answer[1]]
    assert len(wrong) <= 0.04 * len(ROWS), wrong


def test_no_language_is_always_wrong(answers):
    found = defaultdict(list)
    for code, answer, _ in answers:
        found[code].append(code == answer)
    assert [code for code, own in found.items() if not any(own)] == []


def test_south_slavic_neighbours_are_told_apart(answers):
    wrong = [answer for answer in answers if answer[0] in SOUTH_SLAVIC and answer[0] != answer[1]]
    assert len(wrong) <= 3, wrong


@pytest.mark.parametrize(("code", "encoding"), LEGACY)
def test_a_few_sentences_in_a_legacy_encoding_are_decoded(code, encoding):
    text = PAGE.format("</p><p>".join(text for own, text in ROWS if own == code))
    text = text.translate(str.maketrans("’‘ʻ", "'''"))
    body = _written(text, encoding)
    label = identify(body)
    assert labels.decode(body, label.encoding) == labels.decode(body, encoding)
    assert label.language == code


def _written(text: str, encoding: str) -> bytes:
    if encoding == "viscii":
        chart = {character: bytes([place]) for place, character in enumerate(labels.chart("viscii"))}
        return b"".join(chart[character] for character in text)
    if encoding == "windows-1258":  # has few composed letters; the tone stands apart
        import unicodedata

        marks = "\u0300\u0301\u0303\u0309\u0323"
        parts = []
        for character in text:
            split = unicodedata.normalize("NFD", character)
            tone = "".join(mark for mark in split if mark in marks)
            base = unicodedata.normalize("NFC", "".join(mark for mark in split if mark not in marks))
            parts.append(base + tone)
        return "".join(parts).encode("cp1258")
    return text.encode(labels.codec(encoding), "ignore")

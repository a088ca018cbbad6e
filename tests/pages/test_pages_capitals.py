"""Text in capitals throughout in a code page: its bytes are small letters of another one."""

from __future__ import annotations

import pytest

import linksight
from linksight.pages.charset import uppercase_text

TEXTS = {
    "ru": "Городской совет вчера решил, что старая библиотека у реки будет перестроена следующей весной.",
    "uk": "Міська рада вчора вирішила, що стара бібліотека біля річки буде перебудована наступної весни.",
    "bg": "Градският съвет реши вчера, че старата библиотека край реката ще бъде построена отново през пролетта.",
    "el": "Το δημοτικο συμβουλιο αποφασισε χθες οτι η παλια βιβλιοθηκη διπλα στο ποταμι θα ξαναχτιστει την ανοιξη.",
}
WRITTEN_IN = {
    "ru": ("windows-1251", "koi8-r", "ibm866", "iso-8859-5"),
    "uk": ("windows-1251", "koi8-u"),
    "bg": ("windows-1251", "iso-8859-5"),
    "el": ("windows-1253", "cp737"),
}
CASES = [(language, name) for language, names in WRITTEN_IN.items() for name in names]


@pytest.mark.parametrize(("language", "encoding"), CASES)
@pytest.mark.parametrize("declares", [False, True])
def test_a_page_in_capitals_is_read(language, encoding, declares):
    head = f'<meta charset="{encoding}">' if declares else ""
    body = f"{head}<p>{TEXTS[language].upper()}</p>".encode(encoding)
    label = linksight.identify(body)
    assert label.language == language
    assert body.decode(label.encoding) == body.decode(encoding)


@pytest.mark.parametrize(("language", "encoding"), CASES)
def test_a_page_in_small_letters_stays_what_it_is(language, encoding):
    body = f"<p>{TEXTS[language].lower()}</p>".encode(encoding)
    label = linksight.identify(body)
    assert label.language == language
    assert body.decode(label.encoding) == body.decode(encoding)


def test_a_few_capitals_show_nothing():
    assert list(uppercase_text.lowercase_readings("МОСКВА и Волга".encode("windows-1251"))) == []

"""Western text whose only bytes beyond ASCII are signs: these are letters in other encodings, but no evidence of them."""

from __future__ import annotations

import pytest

from linksight.pages import identify

ENGLISH = "The council decided yesterday that the old library beside the river{}will be rebuilt next spring, at 20{}."


@pytest.mark.parametrize("sign", ["°", "º", "²", " £5 ", " 3 × 4 ", "®", "\xa0", "’", "–", " « » ", "…"])
@pytest.mark.parametrize("declared", [None, "windows-1252", "iso-8859-1"])
def test_a_sign_does_not_choose_the_encoding(sign, declared):
    text = ENGLISH.format(" ", sign) if len(sign) == 1 and sign != "\xa0" else ENGLISH.format(sign, " C")
    page = identify(f"<p>{text}".encode("cp1252"), f"text/html; charset={declared}" if declared else None)
    assert (page.encoding, page.language) == ("windows-1252", "en")


def test_a_declaration_with_the_same_signs_stands():
    body = ENGLISH.format("\xa0", "°").encode("cp1252")
    assert identify(body, "text/plain; charset=windows-1250").encoding == "windows-1250"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (
            "Der Gemeinderat hat gestern für die alte Bücherei am Fluß gestimmt, und zwar ohne Änderungen.",
            "ibm850",
        ),
        ("Городской совет решил вчера, что старую библиотеку перестроят.", "ibm866"),
        (
            "Rada miasta zdecydowała wczoraj, że stara biblioteka nad rzeką będzie przebudowana.",
            "windows-1250",
        ),
    ],
)
def test_letters_are_no_signs(text, encoding):
    body = text.encode(encoding)
    assert body.decode(identify(body).encoding) == text

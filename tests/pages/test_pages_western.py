"""Western languages in one byte a character: the encoding that is told is the usual one that reads alike."""

from __future__ import annotations

import pytest

from linksight import identify

TEXTS = {
    "de": "Die Bibliothek bewahrt Bücher, Zeitungen und Webseiten aus ganz Deutschland auf. Jeder kann dort lesen und"
    " lernen, auch für größere Übungen.",
    "it": "La biblioteca conserva libri, giornali e siti web di tutto il paese. Chiunque può venire a leggere e studiare,"
    " perché è così.",
    "nl": "De bibliotheek bewaart boeken uit België, Curaçao en de financiële wereld. Iedereen kan er één kopiëren en"
    " coördineren.",
}


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1252"])
def test_a_page_that_reads_alike_in_windows_1252_is_said_to_be_in_it(language, encoding):
    label = identify(f"<p>{TEXTS[language]}".encode(encoding))
    assert (label.language, label.encoding) == (language, "windows-1252")


def test_the_euro_sign_a_declaration_and_another_language_still_decide():
    assert identify(f"<p>{TEXTS['de']} Für 20 € im Jahr.".encode("iso-8859-15")).encoding == "iso-8859-15"
    declared = f'<meta charset="iso-8859-2"><p>{TEXTS["de"]}'.encode("iso-8859-2")
    assert identify(declared).encoding == "iso-8859-2"
    hungarian = (
        "A könyvtár könyveket, újságokat és weboldalakat őriz az egész országból. Bárki jöhet oda olvasni."
    )
    assert identify(f"<p>{hungarian}".encode("iso-8859-2")).encoding == "iso-8859-2"

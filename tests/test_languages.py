"""Languages by any name, and the languages of countries and domains."""

from __future__ import annotations

import pytest

from linksight import languages
from linksight.errors import BadLanguage


@pytest.mark.parametrize(
    ("word", "code"),
    [("nl", "nl"), ("NLD", "nl"), ("Dutch", "nl"), ("nederlands", "nl"), ("nl-BE", "nl"), ("nl_BE", "nl"),
     ("nb", "no"), ("nno", "no"), ("zh-Hant", "zh"), ("cmn", "zh"), ("fil", "tl"), ("sh", "sr"), ("arb", "ar"),
     ("Central Kurdish", "ckb"), ("und", "und"), ("iw", "he")],
)  # fmt: skip
def test_a_language_has_many_names_and_one_code(word, code):
    assert languages.find(word) == code


@pytest.mark.parametrize("word", ["", "  ", "xx", "Dutchh", None, 7])
def test_what_names_no_language_is_an_error(word):
    with pytest.raises(BadLanguage):
        languages.find(word)


def test_every_code_finds_itself_and_its_iso_code():
    for code in languages.known():
        assert languages.find(code) == code
        assert languages.scripts(code)
        assert languages.name(code)


def test_table_one_of_the_paper():
    assert languages.PAPER_TLDS["it"] == ("it", "va")
    assert sum(map(len, languages.PAPER_TLDS.values())) == 56
    assert "ch" in languages.PAPER_TLDS["de"]


def test_domains_speak_for_languages():
    assert languages.of_tld("nl")[0] == "nl"
    assert languages.of_tld("uk")[0] == "en"
    assert languages.of_tld("рф") == ("ru",)
    assert languages.of_tld("com") == ()

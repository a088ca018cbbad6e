"""Languages by any name, and the languages of countries and domains."""

from __future__ import annotations

import pytest

from linksight.errors import BadLanguage
from linksight.languages import registry, scripts, tlds
from linksight.languages.tables import read_table


@pytest.mark.parametrize(
    ("word", "code"),
    [("nl", "nl"), ("NLD", "nl"), ("Dutch", "nl"), ("nederlands", "nl"), ("nl-BE", "nl"), ("nl_BE", "nl"),
     ("nb", "no"), ("nno", "no"), ("zh-Hant", "zh"), ("cmn", "zh"), ("fil", "tl"), ("sh", "sr"), ("arb", "ar"),
     ("Central Kurdish", "ckb"), ("und", "und"), ("iw", "he")],
)  # fmt: skip
def test_a_language_has_many_names_and_one_code(word, code):
    assert registry.find(word) == code


@pytest.mark.parametrize(
    ("word", "code", "name"),
    [("olo", "olo", "Livvi"), ("sjd", "sjd", "Kildin Sami"), ("TOK", "tok", "Toki Pona"), ("kpv", "kv", "Komi"),
     ("mhr", "chm", "Mari"), ("Interslavic", "isv", "Interslavic"), ("hrx-BR", "hrx", "Hunsrik")],
)  # fmt: skip
def test_every_language_of_iso_639_3_is_known_by_code_and_name(word, code, name):
    assert registry.find(word) == code
    assert registry.name(code) == name
    assert registry.find(registry.name(code)) == code


def test_no_language_of_the_registry_stands_in_the_way_of_one_with_a_row_of_its_own():
    for code in registry.known():
        for word in (code, registry.iso3(code), registry.name(code), registry.autonym(code)):
            assert registry.scripts(registry.find(word)), word


@pytest.mark.parametrize("word", ["", "  ", "xx", "Dutchh", None, 7])
def test_what_names_no_language_is_an_error(word):
    with pytest.raises(BadLanguage):
        registry.find(word)


@pytest.mark.parametrize(
    ("word", "code"),
    [("Ho-Chunk", "win"), ("low-german", "nds"), ("Old_Norse", "non"), ("haitian-creole", "ht"), ("ho-PG", "ho")],
)  # fmt: skip
def test_a_name_with_hyphens_is_no_tag_of_the_code_before_them(word, code):
    assert registry.find(word) == code


@pytest.mark.parametrize(
    ("word", "meant"),
    [("sorbian", "'lower sorbian' or 'upper sorbian'"), ("Sami", "'northern sami'"), ("Altai", "'southern altai'"),
     ("Dutchh", "'dutch'")],
)  # fmt: skip
def test_who_names_half_of_a_language_is_told_the_whole_name(word, meant):
    """Sorbian was taken for a slip for Serbian."""
    with pytest.raises(BadLanguage, match=meant):
        registry.find(word)


@pytest.mark.parametrize("word", [None, 7, float("nan"), "", " ", "gb", "Dutchh"])
def test_what_strangers_say_is_a_code_or_nothing(word):
    assert registry.code_of(word) is None


def test_every_code_finds_itself_and_its_iso_code():
    for code in registry.known():
        assert registry.find(code) == code
        assert registry.scripts(code)
        assert registry.name(code)


def test_table_one_of_the_paper():
    assert tlds.PAPER_TLDS["it"] == ("it", "va")
    assert sum(map(len, tlds.PAPER_TLDS.values())) == 56
    assert "ch" in tlds.PAPER_TLDS["de"]


def test_domains_speak_for_languages():
    assert tlds.languages_of_tld("nl")[0] == "nl"
    assert tlds.languages_of_tld("uk")[0] == "en"
    assert tlds.languages_of_tld("рф") == ("ru",)
    assert tlds.languages_of_tld("com") == ()


def test_every_script_of_pages_and_languages_has_a_name():
    from linksight.pages.langid import scripts as of_pages
    from linksight.pages.langid.model import load

    codes = {
        *of_pages.NAMES,
        *load().scripts,
        *(code for one in registry.known() for code in registry.scripts(one)),
    }
    assert len(codes) > 80
    assert [
        code
        for code in sorted(codes)
        if scripts.script_name(code) == code and code not in ("Cham", "Lisu", "Newa", "Thai")
    ] == []


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("Bengali", "bn"), ("Flemish", "nl"), ("Castilian", "es"), ("Panjabi", "pa"), ("Uighur", "ug"), ("Oriya", "or"),
        ("Maori", "mi"), ("francais", "fr"), ("Espanol", "es"), ("West Frisian", "fy"), ("Sotho, Southern", "st"),
        ("Greek, Modern (1453-)", "el"), ("Chinese (Simplified)", "zh"), ("Bokmal", "no"), ("Norwegian Nynorsk", "no"),
        ("Malay (macrolanguage)", "ms"), ("Moldavian", "ro"), ("Scots Gaelic", "gd"), ("Sorani", "ckb"), ("Tonga (Zambia)", "toi"),
        ("English (United States)", "en"), ("Serbian (Latin)", "sr"), ("Portuguese (PT)", "pt"),
        ("Spanish (Latin America)", "es"), ("Kurdish (Sorani)", "ckb"), ("繁體中文", "zh"), ("scr", "hr"),
    ],
)  # fmt: skip
def test_names_of_catalogues_and_names_without_marks_are_found(word, code):
    assert registry.find(word) == code


def test_no_other_name_hides_a_name():
    for word, code in read_table("language_other_names").items():
        assert registry.find(word) == code
        assert registry.name(code) != code, word


@pytest.mark.parametrize("word", ["Castillian(", "(simplified)", ",", "a,b,c", "Nynorskk", "\u0301"])
def test_what_is_no_name_still_is_none(word):
    with pytest.raises(BadLanguage):
        registry.find(word)

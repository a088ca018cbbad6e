"""Latin spellings of words, as slugs of each language show them: national tables, plug-ins, general tables.

A language has several systems in use at once: ``що`` is ``shcho`` by the Ukrainian standard, ``shho`` by a plug-in
of WordPress, ``sho`` by hand. ``systems`` gives a function for each.

>>> [system("щоб їжа") for system in systems("uk")]
['shchob yizha', 'shchob izha', 'shhob yizha', 'schob jizha']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache

System = Callable[[str], str]

# Letters of Cyrillic that most systems write alike; tables of languages change some of them.
_CYRILLIC = dict(
    zip(
        "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
        "a b v g d e zh z i y k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya yo".replace("_", "").split(
            " "
        ),
        strict=True,
    )
)
_PLUGIN = {"х": "h", "ц": "c", "щ": "shh", "й": "j", "ю": "ju", "я": "ja", "э": "je", "ё": "jo"}
_SHORT = {"х": "h", "щ": "sch", "й": "i", "ю": "u", "ц": "c"}
_PLAIN = {"х": "h", "щ": "sch", "ё": "e"}
_TURKIC = dict(ә="a", ғ="g", қ="q", ң="n", ө="o", ұ="u", ү="u", һ="h", і="i", ҡ="q", ҙ="z", ҫ="s", җ="j")
_UKRAINIAN = {"г": "h", "ґ": "g", "є": "ye", "и": "y", "і": "i", "ї": "yi", "'": "", "’": ""}
_SERBIAN = {
    **dict(zip("ђжјљњћчџшхц", "dj z j lj nj c c dz s h c".split(), strict=True)), "ѓ": "gj", "ќ": "kj", "ѕ": "dz",
}  # fmt: skip

TABLES: dict[str, list[dict[str, str]]] = {
    "ru": [{}, _PLAIN, {**_PLUGIN, "э": "e"}, {"х": "h", "й": "j", "ы": "y", "ю": "ju", "я": "ja", "щ": "schh"}],
    "uk": [
        _UKRAINIAN, {**_UKRAINIAN, "є": "ie", "ї": "i", "й": "i", "ю": "iu", "я": "ia"},
        {**_UKRAINIAN, "щ": "shh", "х": "h", "й": "j", "г": "g", "ц": "cz"},
        {**_UKRAINIAN, "и": "i", "г": "g", "щ": "sch", "х": "h", "ї": "ji", "є": "je", "ю": "ju", "я": "ja", "й": "j"},
    ],
    "be": [
        {"г": "h", "ў": "u", "і": "i", "х": "kh", "э": "e", "'": ""},
        {"г": "g", "ў": "u", "і": "i", "х": "h", "э": "e", "й": "j", "ц": "c", "ю": "ju", "я": "ja", "'": ""},
    ],
    "bg": [
        {"щ": "sht", "ъ": "a", "х": "h", "ь": "y"}, {"щ": "sht", "ъ": "u", "х": "h", "ц": "c", "я": "ia"},
        {"щ": "sht", "ъ": "a", "х": "h", "ц": "tz", "й": "j", "ю": "iu", "я": "ia"},
    ],
    "sr": [_SERBIAN, {**_SERBIAN, "ђ": "d"}],
    "mk": [_SERBIAN, {**_SERBIAN, "ж": "zh", "ч": "ch", "ш": "sh", "џ": "dzh"}],
    "kk": [_TURKIC, {**_TURKIC, "қ": "k", "ң": "ng", "х": "h", "й": "i", "ы": "y"},
           {**_TURKIC, "қ": "k", "ү": "y", "ж": "j", "х": "h", "ы": "i", "и": "i", "щ": "sch"}],
    "ky": [_TURKIC, {**_TURKIC, "ң": "ng", "ж": "j", "х": "h", "й": "i"}],
    "tt": [_TURKIC, {**_TURKIC, "ә": "e", "ы": "i", "ж": "j"}],
    "ba": [_TURKIC, {**_TURKIC, "ә": "e", "ы": "i"}],
    "mn": [{**_TURKIC, "ө": "u"}, {**_TURKIC, "ө": "o", "х": "h", "ж": "j", "ц": "c", "й": "i"}],
    "tg": [{"ғ": "gh", "ӣ": "i", "қ": "q", "ӯ": "u", "ҳ": "h", "ҷ": "j"},
           {"ғ": "g", "ӣ": "i", "қ": "k", "ӯ": "u", "ҳ": "h", "ҷ": "j", "х": "h"}],
    "uz": [{"ў": "o", "қ": "q", "ғ": "g", "ҳ": "h", "х": "x", "ж": "j", "ъ": ""}],
    "ka": [dict(zip("აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ",
                    "a b g d e v z t i k l m n o p zh r s t u f q gh y sh ch ts dz w ch x j h".split(), strict=True)),
           dict(zip("აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ",
                    "a b g d e v z t i k l m n o p zh r s t u p k gh q sh ch ts dz ts ch kh j h".split(), strict=True))],
    "hy": [dict(zip("աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև",
                    "a b g d e z e y t zh i l kh ts k h dz gh ch m y n sh o ch p j r s v t r c v p q o f ev".split(),
                    strict=True)),
           dict(zip("աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև",
                    "a b g d e z e @ t zh i l x c k h dz x ch m y n sh vo ch p j r s v t r ts w p k o f ev".split(),
                    strict=True))],
    "el": [dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω",
                    "a v g d e z i th i k l m n x o p r s s t y f ch ps o".split(), strict=True)),
           dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω",
                    "a b g d e z h th i k l m n ks o p r s s t u f x ps w".split(), strict=True)),
           dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω",
                    "a v g d e z i th i k l m n x o p r s s t i f h ps o".split(), strict=True))],
}  # fmt: skip
_PAIRS = {"ου": "ou", "αυ": "av", "ευ": "ev", "μπ": "mp", "ντ": "nt", "γγ": "ng", "γκ": "gk"}
_LATIN = {
    "de": {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}, "no": {"æ": "ae", "ø": "oe", "å": "aa"},
    "da": {"æ": "ae", "ø": "oe", "å": "aa"}, "az": {"ə": "e", "ı": "i"}, "sv": {"å": "a"}, "is": {"þ": "th", "ð": "d"},
    "hr": {"đ": "dj"}, "sr": {"đ": "dj"}, "bs": {"đ": "dj"}, "fi": {}, "vi": {"đ": "d"},
}  # fmt: skip
_INDIC = {"hi", "mr", "ne", "bn", "gu", "pa", "ta", "te", "kn", "ml", "or", "as", "si", "sa", "bho", "mai"}


def systems(language: str) -> list[System]:
    """How a language's words are spelt with Latin letters, the usual way first."""
    if language in TABLES:
        cyrillic = language not in ("ka", "hy", "el")
        return [
            _by_table(({**_CYRILLIC, **table}) if cyrillic else table, language == "el")
            for table in TABLES[language]
        ]
    if language in _LATIN:
        return [_by_table(_LATIN[language]), _folded]
    if language in _INDIC:
        return [_indic, _indic_long]
    return {"zh": [_pinyin], "ja": [_romaji], "ko": [_folded], "ar": [_arabic], "ckb": [_arabic]}.get(
        language, [_folded]
    )


def _by_table(table: dict[str, str], greek: bool = False) -> System:
    letters = str.maketrans(table)

    def spell(text: str) -> str:
        if greek:
            text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
            for pair, spelt in _PAIRS.items():
                text = text.replace(pair, spelt)
        return _folded(unicodedata.normalize("NFC", text).translate(letters))

    return spell


def _folded(text: str) -> str:
    from anyascii import anyascii

    return text if text.isascii() else anyascii(unicodedata.normalize("NFC", text)).lower()


def _arabic(text: str) -> str:
    from unidecode import unidecode

    return unidecode(text).lower()


@cache
def _to_latin(variant: str):
    import icu

    return icu.Transliterator.createInstance(
        "Any-Latin; NFD; [:Nonspacing Mark:] Remove; Latin-ASCII; Lower"
        if not variant
        else "Any-Latin; Lower"
    )


def _indic(text: str) -> str:
    """Without the vowel that words end in and no one pronounces: ``bharat``, not ``bharata``."""
    spelt = (
        re.sub("[^a-z0-9 -]", "", _to_latin("").transliterate(text)).replace("c", "ch").replace("chh", "chh")
    )
    return re.sub(r"(?<=[a-z]{2}[^aeiou ])a\b", "", spelt)


def _indic_long(text: str) -> str:
    """Long vowels written twice, as chats and plug-ins do."""
    spelt = _to_latin("long").transliterate(text)
    for long, twice in (
        ("ā", "aa"),
        ("ī", "ee"),
        ("ū", "oo"),
        ("ō", "o"),
        ("ē", "e"),
        ("ś", "sh"),
        ("ṣ", "sh"),
        ("c", "ch"),
        ("ṁ", "n"),
    ):
        spelt = spelt.replace(long, twice)
    spelt = re.sub("[^a-z0-9 -]", "", _folded(spelt))
    return re.sub(r"(?<=[a-z]{2}[^aeiou ])a\b", "", spelt)


def _pinyin(text: str) -> str:
    from pypinyin import lazy_pinyin

    return " ".join(lazy_pinyin(text))


@cache
def _kakasi():
    import pykakasi

    return pykakasi.kakasi()


def _romaji(text: str) -> str:
    return " ".join(part["hepburn"] for part in _kakasi().convert(text))

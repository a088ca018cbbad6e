"""Languages: codes, names, scripts, and which languages a country's web is in.

One code a language: the shortest BCP 47 code (``de``, ``nl``, ``ckb``). Norwegian is ``no`` in
both its forms, Filipino is ``tl``, Serbo-Croatian without further detail is ``sr``. Some 900 languages
have a row of their own; of the other 7,000 of IANA's registry, and so of ISO 639-3, code and name are
known: whoever has words of one can teach it.

>>> find("Dutch"), find("nld"), find("nl-BE"), find("NL")
('nl', 'nl', 'nl', 'nl')
>>> name("ckb"), name(find("olo")), find("Toki Pona")
('Central Kurdish', 'Livvi', 'tok')
>>> of_tld("be")
('nl', 'fr', 'de', 'en', 'vls', 'wa')
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

from linksight.errors import BadConfig, BadLanguage
from linksight.results import UND, ZXX
from linksight.system.resources import bytes_of

#: Table I of Baykan et al. 2013: the top-level domains that stand for a language there.
PAPER_TLDS: dict[str, tuple[str, ...]] = {
    "en": tuple("au ca cg edu gb gh gov ie ke mil mw ng nz sd tz ug uk um us za zm".split()),
    "de": tuple("at ch de li lu".split()),
    "fr": tuple("bf ci cm dz fr gf gn ht mg ml ne pf sn td tf tn".split()),
    "es": tuple("ar bo cl co cu ec es gt mx pe pr ve".split()),
    "it": tuple("it va".split()),
}
#: Hogewind et al. 2020 take only the one domain of the Netherlands.
PAPER_TLDS_DUTCH = ("nl",)

# Codes that people and data use for a language that has another code here.
_SAME = {
    "fil": "tl", "nb": "no", "nn": "no", "nob": "no", "nno": "no", "sh": "sr", "hbs": "sr", "iw": "he",
    "in": "id", "mo": "ro", "ji": "yi", "tgl": "tl", "cmn": "zh", "chi": "zh", "arb": "ar", "pes": "fa",
    "per": "fa", "ekk": "et", "lvs": "lv", "azj": "az", "uzn": "uz", "khk": "mn", "swh": "sw", "zsm": "ms",
    "als": "sq", "alb": "sq", "plt": "mg", "ydd": "yi", "npi": "ne", "ory": "or", "pbu": "ps", "pbt": "ps",
    "gug": "gn", "ayr": "ay", "kmr": "ku", "ger": "de", "dut": "nl", "fre": "fr", "gre": "el", "rum": "ro",
    "slo": "sk", "mol": "ro", "scc": "sr", "scr": "hr", "cze": "cs", "ice": "is", "mac": "mk", "may": "ms", "bur": "my", "wel": "cy", "baq": "eu",
    "arm": "hy", "geo": "ka", "tib": "bo", "mao": "mi", "ike": "iu", "ojb": "oj", "hat": "ht", "twi": "tw",
    "frisian": "fy", "fri": "fy", "farsi": "fa", "kurdish": "ku", "tagalog": "tl", "mandarin": "zh", "cn": "zh", "jp": "ja", "kr": "ko", "ua": "uk", "cz": "cs", "dk": "da", "gr": "el",
}  # fmt: skip

# Other names that catalogues and people have for a language; most are ISO 639-2's second ones.
_OTHER_NAMES = {
    "achinese": "ace", "adygei": "ady", "alemannic": "gsw", "alsatian": "gsw", "arumanian": "rup", "aromanian": "rup",
    "asturleonese": "ast", "azeri": "az", "bable": "ast", "bengali": "bn", "bokmål": "no", "castellano": "es",
    "castilian": "es", "chewa": "ny", "chichewa": "ny", "chinese simplified": "zh", "chinese traditional": "zh",
    "chuang": "za", "church slavonic": "cu", "crimean turkish": "crh", "dhivehi": "dv", "maldivian": "dv",
    "dimli": "zza", "flemish": "nl", "vlaams": "nl", "fulah": "ff", "fula": "ff", "gaelic": "gd", "greenlandic": "kl",
    "haitian": "ht", "kapampangan": "pam", "kirghiz": "ky", "central khmer": "km", "cambodian": "km", "kurmanji": "ku",
    "kwanyama": "kj", "leonese": "ast", "letzeburgesch": "lb", "limburgan": "li", "limburger": "li", "low saxon": "nds",
    "lushai": "lus", "micmac": "mic", "modern greek": "el", "moldavian": "ro", "moldovan": "ro", "myanmar": "my",
    "navaho": "nv", "nepal bhasa": "new", "nuosu": "ii", "nynorsk": "no", "occidental": "ie", "oirat": "xal",
    "old church slavonic": "cu", "oriya": "or", "ossetian": "os", "panjabi": "pa", "pedi": "nso", "sepedi": "nso",
    "pilipino": "tl", "plattdeutsch": "nds", "brazilian portuguese": "pt", "provençal": "oc", "pushto": "ps",
    "scots gaelic": "gd", "simplified chinese": "zh", "sinhalese": "si", "sorani": "ckb", "traditional chinese": "zh",
    "uighur": "ug", "valencian": "ca", "jw": "jv", "west frisian": "fy", "zazaki": "zza", "简体中文": "zh",
    "繁體中文": "zh", "繁体中文": "zh", "kurdish (kurmanji)": "ku", "kurdish (sorani)": "ckb", "myanmar (burmese)": "my",
    "modern standard arabic": "ar", "norwegian (bokmål)": "no", "norwegian (nynorsk)": "no",
}  # fmt: skip
#: What catalogues add to a name and means nothing here, besides countries and scripts: kinds of Chinese, periods, and
#: that a name has a wide sense.
_ADDED = ("simplified", "traditional", "macrolanguage", "post 1500", "1453-", "latin america")

# English names of the scripts that pages and languages can have (ISO 15924).
_SCRIPTS = {
    "Adlm": "Adlam", "Arab": "Arabic", "Armn": "Armenian", "Avst": "Avestan", "Bali": "Balinese",
    "Bamu": "Bamum", "Batk": "Batak", "Beng": "Bengali", "Bopo": "Bopomofo", "Brah": "Brahmi",
    "Bugi": "Buginese", "Cakm": "Chakma", "Cans": "Canadian Aboriginal", "Cham": "Cham", "Cher": "Cherokee",
    "Copt": "Coptic", "Cprt": "Cypriot", "Cyrl": "Cyrillic", "Deva": "Devanagari", "Dsrt": "Deseret",
    "Ethi": "Ethiopic", "Geor": "Georgian", "Goth": "Gothic", "Gran": "Grantha", "Grek": "Greek",
    "Gujr": "Gujarati", "Guru": "Gurmukhi", "Hang": "Hangul", "Hani": "Han", "Hans": "Han, simplified",
    "Hant": "Han, traditional", "Hebr": "Hebrew", "Hira": "Hiragana", "Hmnp": "Nyiakeng Puachue Hmong",
    "Java": "Javanese", "Jpan": "Japanese", "Kali": "Kayah Li", "Kana": "Katakana", "Khmr": "Khmer",
    "Knda": "Kannada", "Kore": "Korean", "Lana": "Tai Tham", "Laoo": "Lao", "Latn": "Latin", "Lepc": "Lepcha",
    "Limb": "Limbu", "Lisu": "Lisu", "Mand": "Mandaic", "Mlym": "Malayalam", "Mong": "Mongolian", "Mroo": "Mro",
    "Mtei": "Meitei Mayek", "Mymr": "Burmese", "Newa": "Newa", "Nkoo": "N'Ko", "Ogam": "Ogham",
    "Olck": "Ol Chiki", "Orya": "Odia", "Osge": "Osage", "Pauc": "Pau Cin Hau", "Phag": "Phags-pa",
    "Plrd": "Pollard", "Rjng": "Rejang", "Rohg": "Hanifi Rohingya", "Runr": "Runic", "Samr": "Samaritan",
    "Saur": "Saurashtra", "Sinh": "Sinhala", "Sora": "Sora Sompeng", "Sund": "Sundanese",
    "Sylo": "Syloti Nagri", "Syrc": "Syriac", "Tale": "Tai Le", "Talu": "New Tai Lue", "Taml": "Tamil",
    "Tavt": "Tai Viet", "Telu": "Telugu", "Tfng": "Tifinagh", "Tglg": "Tagalog", "Thaa": "Thaana",
    "Thai": "Thai", "Tibt": "Tibetan", "Tirh": "Tirhuta", "Vaii": "Vai", "Wara": "Varang Kshiti",
    "Wcho": "Wancho", "Yiii": "Yi", "Zyyy": "no letters",
}  # fmt: skip

# Top-level domains that are no country's code but speak for a language, or are used by one country.
_OTHER_TLDS = {
    "uk": ("en",), "gov": ("en",), "edu": ("en",), "mil": ("en",), "cat": ("ca",), "eus": ("eu",),
    "gal": ("gl",), "bzh": ("br", "fr"), "scot": ("en", "gd"), "wales": ("en", "cy"), "cymru": ("cy",),
    "frl": ("fy", "nl"), "amsterdam": ("nl",), "vlaanderen": ("nl",), "gent": ("nl",), "berlin": ("de",),
    "bayern": ("de",), "hamburg": ("de",), "koeln": ("de",), "wien": ("de",), "tirol": ("de",), "nrw": ("de",),
    "saarland": ("de",), "ruhr": ("de",), "swiss": ("de", "fr", "it"), "paris": ("fr",), "alsace": ("fr",),
    "corsica": ("fr", "co"), "quebec": ("fr",), "moscow": ("ru",), "su": ("ru",), "tatar": ("tt", "ru"),
    "istanbul": ("tr",), "ist": ("tr",), "lat": ("es",), "rio": ("pt",), "tokyo": ("ja",), "osaka": ("ja",),
    "kyoto": ("ja",), "nagoya": ("ja",), "yokohama": ("ja",), "okinawa": ("ja",), "ryukyu": ("ja",),
    "taipei": ("zh",), "рф": ("ru",), "укр": ("uk",), "бел": ("be", "ru"), "бг": ("bg",), "срб": ("sr",),
    "мкд": ("mk",), "мон": ("mn",), "қаз": ("kk", "ru"), "ею": ("bg",), "ελ": ("el",), "ευ": ("el",),
    "հայ": ("hy",), "გე": ("ka",), "ישראל": ("he",), "ایران": ("fa",), "السعودية": ("ar",), "امارات": ("ar",),
    "مصر": ("ar",), "المغرب": ("ar",), "الجزائر": ("ar",), "تونس": ("ar",), "عمان": ("ar",), "قطر": ("ar",),
    "سورية": ("ar",), "فلسطين": ("ar",), "عراق": ("ar",), "الاردن": ("ar",), "پاکستان": ("ur",),
    "भारत": ("hi",), "ভারত": ("bn",), "বাংলা": ("bn",), "ਭਾਰਤ": ("pa",), "ભારત": ("gu",), "இந்தியா": ("ta",),
    "இலங்கை": ("ta",), "సబభారత": ("te",), "భారత్": ("te",), "ලංකා": ("si",), "ไทย": ("th",), "ລາວ": ("lo",),
    "中国": ("zh",), "中國": ("zh",), "台湾": ("zh",), "台灣": ("zh",), "香港": ("zh",), "澳門": ("zh",),
    "新加坡": ("zh",), "한국": ("ko",), "みんな": ("ja",), "コム": ("ja",), "москва": ("ru",), "дети": ("ru",),
    "онлайн": ("ru",), "сайт": ("ru",), "орг": ("ru",), "ком": ("ru",), "рус": ("ru",), "شبكة": ("ar",),
    "موقع": ("ar",), "بازار": ("ar",), "在线": ("zh",), "公司": ("zh",), "网络": ("zh",), "中文网": ("zh",),
    "닷컴": ("ko",), "닷넷": ("ko",), "קום": ("he",),
}  # fmt: skip


@cache
def _table(which: str) -> dict[str, list[Any]]:
    table: dict[str, list[Any]] = json.loads(bytes_of(f"{which}.json"))
    return table


@cache
def _index() -> dict[str, str]:
    """Every word that names a language, in lower case, with its code."""
    index = {UND: UND, ZXX: ZXX, "mul": UND} | _SAME
    for code, (iso3, english, own, _) in _table("languages").items():
        for word in (own, english, iso3):
            index.setdefault(word.casefold(), code)
    return index | {code: code for code in _table("languages")}


@cache
def _registered() -> dict[str, str]:
    """Codes and names of all other languages, with the code that each has here."""
    rows = _table("registry").items()
    codes = {code: str(row[-1]) if len(row) > 1 else code for code, row in rows}
    return {row[0].casefold(): codes[code] for code, row in rows} | codes


@cache
def short_codes() -> dict[str, str]:
    """Longer codes and names of the languages that have a code of two letters, in lower case, with that.

    >>> [short_codes().get(word) for word in ("swe", "ger", "deutsch", "dutch", "ckb")]
    ['sv', 'de', 'de', 'nl', None]
    """
    return {word: code for word, code in _index().items() if len(code) == 2 < len(word)}


def find(word: str) -> str:
    """The code of a language given by code, ISO 639-3 code, BCP 47 tag or name.

    >>> find("Nederlands")
    'nl'
    >>> find("Dutchh")
    Traceback (most recent call last):
    linksight.errors.BadLanguage: unknown language, did you mean 'dutch'?: 'Dutchh'
    """
    if not isinstance(word, str) or not word.strip():
        raise BadLanguage(word, "not a language")
    found = code_of(word)
    if found is None:
        near = _near(word.strip().casefold())
        hint = f", did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise BadLanguage(word, f"unknown language{hint}")
    return found


def code_of(word: str) -> str | None:
    """The same for words of strangers, of which many name nothing; no time is spent on what they may have meant.

    >>> code_of("pt-BR"), code_of("gb"), code_of("")
    ('pt', None, None)
    """
    asked = word.strip().casefold() if isinstance(word, str) else ""
    # Names go before tags: "ho-chunk" and "low-german" are no varieties of what has the codes "ho" and "low".
    tag = asked.replace("_", "-")
    for spelling in (asked, tag.replace("-", " "), tag.partition("-")[0]):
        if found := _index().get(spelling) or _registered().get(spelling):
            return found
    return _by_other_name(asked)


def _near(asked: str) -> list[str]:
    """Names that may have been meant: those with the word in them, else one that is spelt alike.

    >>> _near("sorbian"), _near("dutchh")
    (['lower sorbian', 'upper sorbian'], ['dutch'])
    """
    from difflib import get_close_matches

    for names in (_index(), _registered()):
        if whole := sorted(name for name in names if asked in name.split()):
            return whole[:3]
    return get_close_matches(asked, _index().keys() - {UND, ZXX, "mul"}, n=1)


def _by_other_name(asked: str) -> str | None:
    """The code of a name as catalogues turn it, or without the marks on its letters.

    >>> _by_other_name("francais"), _by_other_name("sotho, southern"), _by_other_name("occitan (post 1500)")
    ('fr', 'st', 'oc')
    >>> _by_other_name("serbian (latin)"), _by_other_name("english (united states)"), _by_other_name("dutch (belgium)")
    ('sr', 'en', 'nl')
    """
    name, bracket, added = asked.removesuffix(")").partition(" (")
    if bracket and added not in _added():
        name = asked
    first, comma, second = name.partition(",")
    name = _unmarked(f"{second.strip()} {first.strip()}" if comma else name)
    return _unmarked_index().get(name)


@cache
def _added() -> frozenset[str]:
    """What may stand in brackets behind a name: countries, scripts and what else catalogues add."""
    places = [word for code, name in countries().items() for word in (code, name)]
    return frozenset(word.casefold() for word in (*_ADDED, *places, *_SCRIPTS, *_SCRIPTS.values()))


@cache
def _unmarked_index() -> dict[str, str]:
    """Names without the marks on their letters; those of the better known languages go before."""
    everything = [*_registered().items(), *_index().items(), *_OTHER_NAMES.items()]
    return {_unmarked(word): code for word, code in everything}


def _unmarked(word: str) -> str:
    import unicodedata

    return "".join(
        letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter)
    )


def rates(text: str) -> dict[str, float]:
    """Base rates of languages as people write them, one after the other.

    >>> rates("Dutch=0.02, fy=2e-4")
    {'nl': 0.02, 'fy': 0.0002}
    """
    found: dict[str, float] = {}
    for item in filter(None, (item.strip() for item in text.replace("\n", ",").split(","))):
        name, _, rate = item.partition("=")
        try:
            number = float(rate)
        except ValueError:
            raise BadConfig(f"a base rate is written language=rate, such as nl=0.018, not {item!r}") from None
        if (code := find(name.strip())) in found:
            raise BadConfig(f"two base rates for {code!r}, the second in {item!r}")
        found[code] = number
    return found


def find_all(words: Iterable[str] | str) -> tuple[str, ...]:
    """Codes of several languages, as a list or as one string with commas; each once.

    >>> find_all("nl, Western Frisian, nld")
    ('nl', 'fy')
    """
    if isinstance(words, str):
        words = [word for word in words.split(",") if word.strip()]
    return tuple(dict.fromkeys(find(word) for word in words))


def known() -> tuple[str, ...]:
    """Codes of the languages that have a row of their own, with scripts and their own name; sorted."""
    return tuple(_table("languages"))


def name(code: str) -> str:
    """The English name; an unknown code is its own name."""
    if code in (UND, ZXX):
        return {UND: "undetermined", ZXX: "no language"}[code]
    row = _table("languages").get(code)
    if row is None:
        return str(_table("registry").get(code, [code])[0])
    return str(row[1])


def autonym(code: str) -> str:
    """The language's name in itself, or in English where that is all that is known.

    >>> autonym("el")
    'Ελληνικά'
    """
    row = _table("languages").get(code)
    return str(row[2]) if row else name(code)


def iso3(code: str) -> str:
    """The ISO 639-3 code."""
    row = _table("languages").get(code)
    return str(row[0]) if row else code


def scripts(code: str) -> tuple[str, ...]:
    """ISO 15924 codes of the scripts that the language is written in, the usual one first.

    >>> scripts("sr")
    ('Cyrl', 'Latn')
    """
    row = _table("languages").get(code)
    return tuple(row[3]) if row else ()


def script_name(code: str) -> str:
    """The English name of a script; an unknown code is its own name.

    >>> script_name("Latn"), script_name("Zyyy"), script_name("Zsym")
    ('Latin', 'no letters', 'Zsym')
    """
    return _SCRIPTS.get(code, code)


def of_country(country: str) -> tuple[str, ...]:
    """Languages of a country (ISO 3166 code), the most likely on the web first."""
    row = _table("countries").get(country.lower())
    return tuple(row[1]) if row else ()


def of_tld(tld: str) -> tuple[str, ...]:
    """Languages that a top-level domain speaks for, the most likely first; none for ``com``."""
    tld = tld.lower().lstrip(".")
    return _OTHER_TLDS.get(tld) or of_country(tld)


def tlds_for(language: str, *, papers: bool = True) -> tuple[str, ...]:
    """The top-level domains that stand for a language: the papers' where they list it, else all it comes first in.

    >>> tlds_for("de"), tlds_for("nl"), tlds_for("cs")
    (('at', 'ch', 'de', 'li', 'lu'), ('nl',), ('cz',))
    """
    listed = PAPER_TLDS | {"nl": PAPER_TLDS_DUTCH} if papers else {}
    return listed.get(language) or tuple(tld for tld in tlds() if of_tld(tld)[:1] == (language,))


def countries() -> dict[str, str]:
    """Country codes and English names."""
    return {code: row[0] for code, row in _table("countries").items()}


def tlds() -> tuple[str, ...]:
    """Every top-level domain that speaks for a language, sorted."""
    return tuple(sorted(tld for tld in {*_table("countries"), *_OTHER_TLDS} if of_tld(tld)))

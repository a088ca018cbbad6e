"""Character n-grams as features: from the words of an address, or from its letters run together."""

from __future__ import annotations

from dataclasses import dataclass

from linksight.features.words import URL_CONTEXTS, URL_NGRAMS, WORD_CONTEXTS, WORD_NGRAMS
from linksight.urls import Url

ALLGRAMS = (3, 7)  #: what the paper calls allgrams
EDGE = "_"  #: marks the beginning and the end of a word


@dataclass(frozen=True, slots=True)
class WordNgrams:
    """Runs of ``low`` to ``high`` letters inside each word, edges marked.

    A word too short for any of them is taken whole. The paper does not say so, but 6-grams that lose
    ``de`` and ``com`` cannot have the F1 that it publishes for them.

    >>> WordNgrams(3, 3).names(Url.parse("http://weather.nl/"))[:7]
    ['g:_we', 'g:wea', 'g:eat', 'g:ath', 'g:the', 'g:her', 'g:er_']
    >>> WordNgrams(6, 6).names(Url.parse("http://nova.de/"))
    ['g:_nova_', 'g:_de_']
    """

    low: int
    high: int

    @property
    def spec(self) -> str:
        return f"{_sizes(self.low, self.high)}grams-from-word"

    @property
    def plan(self) -> tuple[int, int, int]:
        return WORD_NGRAMS, self.low, self.high

    def names(self, url: Url) -> list[str]:
        return [f"g:{gram}" for word in url.words() for gram in _pieces(word, self.low, self.high)]


@dataclass(frozen=True, slots=True)
class UrlNgrams:
    """Runs of ``low`` to ``high`` letters of the whole address, punctuation and digits left out.

    >>> UrlNgrams(3, 3).names(Url.parse("http://www.hi-fly.de"))
    ['u:hif', 'u:ifl', 'u:fly', 'u:lyd', 'u:yde']
    """

    low: int
    high: int

    @property
    def spec(self) -> str:
        return f"{_sizes(self.low, self.high)}grams-from-url"

    @property
    def plan(self) -> tuple[int, int, int]:
        return URL_NGRAMS, self.low, self.high

    def names(self, url: Url) -> list[str]:
        return [f"u:{gram}" for gram in _runs(url.letters(), self.low, self.high)]


@dataclass(frozen=True, slots=True)
class WordContexts:
    """The letters before the last one of each n-gram from a word: what a Markov model conditions on.

    >>> WordContexts(3, 3).names(Url.parse("http://ab.nl/"))
    ['x3:_a', 'x3:ab', 'x3:_n', 'x3:nl']
    """

    low: int
    high: int

    @property
    def spec(self) -> str:
        return f"{_sizes(self.low, self.high)}contexts-from-word"

    @property
    def plan(self) -> tuple[int, int, int]:
        return WORD_CONTEXTS, self.low, self.high

    def names(self, url: Url) -> list[str]:
        grams = (gram for word in url.words() for gram in _pieces(word, self.low, self.high))
        return [f"x{len(gram)}:{gram[:-1]}" for gram in grams]


@dataclass(frozen=True, slots=True)
class UrlContexts:
    """The letters before the last one of each n-gram from the URL.

    >>> UrlContexts(4, 4).names(Url.parse("http://ab.nl/"))
    ['y4:abn']
    """

    low: int
    high: int

    @property
    def spec(self) -> str:
        return f"{_sizes(self.low, self.high)}contexts-from-url"

    @property
    def plan(self) -> tuple[int, int, int]:
        return URL_CONTEXTS, self.low, self.high

    def names(self, url: Url) -> list[str]:
        return [f"y{len(gram)}:{gram[:-1]}" for gram in _runs(url.letters(), self.low, self.high)]


def _pieces(word: str, low: int, high: int) -> list[str]:
    """The runs of a word with its edges marked; itself where it is shorter than all of them."""
    marked = f"{EDGE}{word}{EDGE}"
    return _runs(marked, min(low, len(marked)), high)


def _runs(text: str, low: int, high: int) -> list[str]:
    """All runs of ``low`` to ``high`` characters, by where they begin, the shorter first."""
    return [
        text[start : start + size]
        for start in range(len(text))
        for size in range(low, min(high, len(text) - start) + 1)
    ]


def _sizes(low: int, high: int) -> str:
    if (low, high) == ALLGRAMS:
        return "all"
    return f"{low}-" if low == high else f"{low}-{high}-"

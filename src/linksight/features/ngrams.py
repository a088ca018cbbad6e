"""Character n-grams as features: from the words of an address, or from its letters run together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linksight.features.words import URL_CONTEXTS, URL_NGRAMS, WORD_CONTEXTS, WORD_NGRAMS
from linksight.urls.parser import Url

ALLGRAMS = (3, 7)  #: what the paper calls allgrams
EDGE = "_"  #: marks the beginning and the end of a word


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Features that are runs of ``low`` to ``high`` letters, or the letters before the last of each."""

    low: int
    high: int
    kind: ClassVar[str]  #: how people write it, behind the sizes
    code: ClassVar[int]  #: how the compiled extraction knows it

    @property
    def spec(self) -> str:
        if (self.low, self.high) == ALLGRAMS:
            return f"all{self.kind}"
        return f"{self.low}-{self.kind}" if self.low == self.high else f"{self.low}-{self.high}-{self.kind}"

    @property
    def plan(self) -> tuple[int, int, int]:
        return self.code, self.low, self.high


class WordNgrams(_Sizes):
    """Runs of ``low`` to ``high`` letters inside each word, edges marked.

    A word that is too short for all of them is one feature: without ``de`` and ``com``, 6-grams could not reach the
    F1 that the paper publishes.

    >>> WordNgrams(3, 3).names(Url.parse("http://weather.nl/"))[:7]
    ['g:_we', 'g:wea', 'g:eat', 'g:ath', 'g:the', 'g:her', 'g:er_']
    >>> WordNgrams(6, 6).names(Url.parse("http://nova.de/"))
    ['g:_nova_', 'g:_de_']
    """

    __slots__ = ()
    kind, code = "grams-from-word", WORD_NGRAMS

    def names(self, url: Url) -> list[str]:
        return [f"g:{gram}" for word in url.words() for gram in _pieces(word, self.low, self.high)]


class UrlNgrams(_Sizes):
    """Runs of ``low`` to ``high`` letters of the address, without punctuation and digits.

    >>> UrlNgrams(3, 3).names(Url.parse("http://www.hi-fly.de"))
    ['u:hif', 'u:ifl', 'u:fly', 'u:lyd', 'u:yde']
    """

    __slots__ = ()
    kind, code = "grams-from-url", URL_NGRAMS

    def names(self, url: Url) -> list[str]:
        return [f"u:{gram}" for gram in _runs(url.letters(), self.low, self.high)]


class WordContexts(_Sizes):
    """The letters before the last one of each n-gram from a word: what a Markov model conditions on.

    >>> WordContexts(3, 3).names(Url.parse("http://ab.nl/"))
    ['x3:_a', 'x3:ab', 'x3:_n', 'x3:nl']
    """

    __slots__ = ()
    kind, code = "contexts-from-word", WORD_CONTEXTS

    def names(self, url: Url) -> list[str]:
        grams = (gram for word in url.words() for gram in _pieces(word, self.low, self.high))
        return [f"x{len(gram)}:{gram[:-1]}" for gram in grams]


class UrlContexts(_Sizes):
    """The letters before the last one of each n-gram from the URL.

    >>> UrlContexts(4, 4).names(Url.parse("http://ab.nl/"))
    ['y4:abn']
    """

    __slots__ = ()
    kind, code = "contexts-from-url", URL_CONTEXTS

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

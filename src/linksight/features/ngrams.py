"""Character n-grams as features: from the words of a URL, or from its letters run together."""

from __future__ import annotations

from dataclasses import dataclass

from linksight.features.words import URL_CONTEXTS, URL_NGRAMS, WORD_CONTEXTS, WORD_NGRAMS
from linksight.urls.parser import Url

ALLGRAMS = (3, 7)  #: what the paper calls allgrams
EDGE = "_"  #: marks the beginning and the end of a word

#: How people write a kind of n-gram -> its code in the compiled extraction, and the prefix of its names.
KINDS = {
    "grams-from-word": (WORD_NGRAMS, "g"),
    "grams-from-url": (URL_NGRAMS, "u"),
    "contexts-from-word": (WORD_CONTEXTS, "x"),
    "contexts-from-url": (URL_CONTEXTS, "y"),
}


@dataclass(frozen=True, slots=True)
class Ngrams:
    """Runs of ``low`` to ``high`` letters, or their contexts: the letters before the last one.

    N-grams from words are inside each word, with its edges marked. A word that is too short for all of them is one
    feature: without ``de`` and ``com``, 6-grams could not reach the F1 that the paper publishes. N-grams from URLs are
    of all letters, without punctuation and digits. A Markov model conditions on contexts.

    >>> Ngrams("grams-from-word", 3, 3).names(Url.parse("http://weather.nl/"))[:7]
    ['g:_we', 'g:wea', 'g:eat', 'g:ath', 'g:the', 'g:her', 'g:er_']
    >>> Ngrams("grams-from-word", 6, 6).names(Url.parse("http://nova.de/"))
    ['g:_nova_', 'g:_de_']
    >>> Ngrams("grams-from-url", 3, 3).names(Url.parse("http://www.hi-fly.de"))
    ['u:hif', 'u:ifl', 'u:fly', 'u:lyd', 'u:yde']
    >>> Ngrams("contexts-from-word", 3, 3).names(Url.parse("http://ab.nl/"))
    ['x3:_a', 'x3:ab', 'x3:_n', 'x3:nl']
    """

    kind: str
    low: int
    high: int

    @property
    def spec(self) -> str:
        if (self.low, self.high) == ALLGRAMS:
            return f"all{self.kind}"
        return f"{self.low}-{self.kind}" if self.low == self.high else f"{self.low}-{self.high}-{self.kind}"

    @property
    def plan(self) -> tuple[int, int, int]:
        return KINDS[self.kind][0], self.low, self.high

    def names(self, url: Url) -> list[str]:
        prefix = KINDS[self.kind][1]
        grams = (
            self._of_words(url.words()) if self.kind.endswith("word") else self._runs(url.letters(), self.low)
        )
        if self.kind.startswith("contexts"):
            return [f"{prefix}{len(gram)}:{gram[:-1]}" for gram in grams]
        return [f"{prefix}:{gram}" for gram in grams]

    def _of_words(self, words: list[str]) -> list[str]:
        marked = [f"{EDGE}{word}{EDGE}" for word in words]
        return [gram for word in marked for gram in self._runs(word, min(self.low, len(word)))]

    def _runs(self, text: str, low: int) -> list[str]:
        """All runs of ``low`` to ``high`` characters by their start, shorter ones first."""
        return [
            text[start : start + size]
            for start in range(len(text))
            for size in range(low, min(self.high, len(text) - start) + 1)
        ]

"""Word lists of a few languages, and segmentation of host names into them.

N-grams know what the words of a language look like, a list knows which exist: ``dekaasboer`` is made of Dutch
words and of no English ones. A name is cut so that it costs least, in each language apart: a word costs ``word``,
a letter that no word covers ``letter``. What counts is the gap between a language's cost and the least one.
Names are segmented on home pages under a top-level domain of no country, as far as the other features leave doubt.
``native.urls.segmentation`` does the work.

The list holds 27 bits of each word's hash, from its last letter to its first: one string in three hundred is taken
for a word by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linksight.features.feature_hash import fnv1a, mix
from linksight.native.urls.segmentation import (
    BITS,
    BUCKET,
    FINGERPRINT_BITS,
    LONGEST,
    SET_BITS,
    SHORTEST,
    Segmenter,
)
from linksight.system.large_arrays import large_zeros

__all__ = ["LONGEST", "SHORTEST", "SegmentationCosts", "Vocabulary", "WordList", "vocabulary_of"]
Floats = NDArray[np.float32]
_MAX_WEIGHT = 100.0  #: of a language, as a logit


class SegmentationCosts(NamedTuple):
    """Constants of the segmentation; a model file keeps them."""

    word: int = 4  #: cost of a word
    letter: int = 3  #: cost of a letter that no word covers
    max_gap: int = 4  #: a larger gap to the least cost counts as this
    step: float = 0.42  #: what one unit of the gap takes from a language, as a logit
    shared: float = 0.14  #: what the cheapest languages gain when the others are dearer
    doubt: float = (
        1.25  #: names count from this difference on between the likeliest language and the second of the list
    )
    full: float = 0.75  #: in full from this one on

    def logits(self, costs: NDArray[np.int64]) -> Floats:
        """What costs add: the cheapest languages share what was everyone's, the others lose with each step.

        >>> [[round(float(x), 2) for x in SegmentationCosts().logits(np.array(c))] for c in ((4, 4, 12), (4, 4, 4))]
        [[0.06, 0.06, -1.62], [0.0, 0.0, 0.0]]
        """
        gaps = costs - costs.min()
        gain = self.shared * np.log(len(costs) / np.count_nonzero(gaps == 0))
        found: Floats = (gain - self.step * np.minimum(gaps, self.max_gap)).astype(np.float32)
        return found

    @property
    def is_valid(self) -> bool:
        """Whether the compiled core can honour them: costs of a name stay below 128 a byte."""
        costs = (self.word, self.letter, self.max_gap)
        weights = (self.step, self.shared, self.doubt, self.full)
        if not all(isinstance(weight, int | float) and abs(weight) <= _MAX_WEIGHT for weight in weights):
            return False
        return all(type(cost) is int and cost > 0 for cost in costs) and (
            40 * self.letter + self.word < 127
            and self.word < 64
            and self.max_gap < 1024
            and 0 <= self.full < self.doubt
        )


DEFAULT_COSTS = SegmentationCosts()


@dataclass(frozen=True, eq=False)  # one list is another only if it is the same
class WordList:
    """Words of up to ``SET_BITS`` languages, by their hashes."""

    languages: tuple[str, ...]
    starts: NDArray[np.uint32]  #: (2**BITS + 1,) the first entry of each bucket
    #: (words,) a word's fingerprint, and below it one bit for each language that has it
    entries: NDArray[np.uint16]
    costs: SegmentationCosts = DEFAULT_COSTS

    @classmethod
    def build(cls, languages: Iterable[str], words: Mapping[str, int]) -> WordList:
        """A list from words and the languages of each, one bit a language; words of full buckets are left out."""
        found: dict[int, int] = {}
        for word, set_ in words.items():
            key = mix(fnv1a(word[::-1])) >> (64 - BITS - FINGERPRINT_BITS)
            found[key] = found.get(key, 0) | set_
        keys = np.array(sorted(found), np.int64)
        sets = np.array([found[key] for key in keys.tolist()], np.int64)
        buckets = keys >> FINGERPRINT_BITS
        fits = np.arange(len(keys)) - np.searchsorted(buckets, buckets) < BUCKET
        starts = np.searchsorted(buckets[fits], np.arange(2**BITS + 1)).astype(np.uint32)
        entries = ((keys & 2**FINGERPRINT_BITS - 1) << SET_BITS | sets)[fits].astype(np.uint16)
        return cls(tuple(languages), starts, entries)

    def cut(self, name: str) -> tuple[list[int], tuple[str, ...]]:
        """The cost of a name of letters from a to z in each language, and its parts in the cheapest one.

        Letters that no word covers stand in brackets.
        """
        none = np.zeros(0, np.uint64)
        costs, words = Segmenter(vocabulary_of(self, self.languages), none).costs_of(name.encode("ascii"))
        k = costs[-1].index(min(costs[-1]))
        starts = {(start, end) for start, end, set_ in words if set_ >> k & 1}
        parts: list[str] = []
        end = len(name)
        while end:
            start = end - 1
            if costs[start][k] + self.costs.letter != costs[end][k]:
                ways = (first for first in range(end - SHORTEST, -1, -1) if (first, end) in starts)
                start = next(first for first in ways if costs[first][k] + self.costs.word == costs[end][k])
                parts.append(name[start:end])
            elif parts and parts[-1].startswith("("):
                parts[-1] = f"({name[start:end]}{parts[-1][1:]}"
            else:
                parts.append(f"({name[start:end]})")
            end = start
        return costs[-1], tuple(reversed(parts))


class Vocabulary(NamedTuple):
    """A ``WordList`` as the compiled core reads it."""

    #: (buckets * 2,) four entries in each number, those of a bucket side by side: one cache line serves for all
    entries: NDArray[np.uint64]
    #: (languages + 1, max_gap + 1) logits by how many languages are cheapest and how much dearer one is
    logits: Floats
    columns: NDArray[np.int64]  #: of the scores, by language
    word: int
    letter: int
    doubt: float
    full: float


@lru_cache(maxsize=4)
def vocabulary_of(words: WordList, languages: tuple[str, ...]) -> Vocabulary:
    """The arrays of a list, for scores of these languages."""
    entries = large_zeros((2**BITS * BUCKET,), np.uint16)
    sizes = (words.starts[1:] - words.starts[:-1]).astype(np.int64)
    buckets = np.repeat(np.arange(2**BITS), sizes)
    ranks = np.arange(len(words.entries)) - np.repeat(words.starts[:-1].astype(np.int64), sizes)
    entries[buckets * BUCKET + ranks] = words.entries
    n, costs = len(words.languages), words.costs
    logits = np.zeros((n + 1, costs.max_gap + 1), np.float32)
    for cheapest in range(1, n):
        for gap in range(1, costs.max_gap + 1):
            paid = np.r_[np.zeros(cheapest, np.int64), np.full(n - cheapest, gap)]
            logits[cheapest, 0], logits[cheapest, gap] = costs.logits(paid)[[0, -1]]
    columns = np.array([languages.index(code) for code in words.languages])
    return Vocabulary(
        entries.view(np.uint64), logits, columns, costs.word, costs.letter, costs.doubt, costs.full
    )

"""Word segmentation of host names, with word lists of a few languages.

N-grams capture what words of a language look like; a word list knows which words exist: ``dekaasboer`` consists of
Dutch words and of no English ones. For each language a Viterbi search finds the segmentation of least cost: a word
costs ``word``, a letter outside all words ``letter``. The feature is the gap between a language's cost and the least
cost. Host names are segmented on home pages under generic top-level domains, if the other features leave doubt.
``native.urls.segmentation`` implements the search.

The list stores 27 bits of each word's hash, computed from its last letter to its first. One string in three hundred
is a false positive.
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
_MAX_WEIGHT = 100.0  #: largest logit of a segmentation


class SegmentationCosts(NamedTuple):
    """Parameters of the segmentation; the field names are keys of the model file."""

    word: int = 4  #: cost of a word
    letter: int = 3  #: cost of a letter outside all words
    max_gap: int = 4  #: larger gaps to the least cost are clipped to this
    step: float = 0.42  #: loss of logit per unit of the gap
    shared: float = 0.14  #: weight of the gain that the languages of least cost share
    #: The segmentation is used below this margin between the two most probable languages of the list ...
    doubt: float = 1.25
    full: float = 0.75  #: ... and has its full weight below this margin

    def logits(self, costs: NDArray[np.int64]) -> Floats:
        """The logits of languages by their costs: those of least cost gain, the others lose by their gap.

        >>> [[round(float(x), 2) for x in SegmentationCosts().logits(np.array(c))] for c in ((4, 4, 12), (4, 4, 4))]
        [[0.06, 0.06, -1.62], [0.0, 0.0, 0.0]]
        """
        gaps = costs - costs.min()
        gain = self.shared * np.log(len(costs) / np.count_nonzero(gaps == 0))
        logits: Floats = (gain - self.step * np.minimum(gaps, self.max_gap)).astype(np.float32)
        return logits

    @property
    def is_valid(self) -> bool:
        """Whether the values are within the limits of the compiled code, which has one byte per cost."""
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


@dataclass(frozen=True, eq=False)  # compared and hashed by identity
class WordList:
    """A hashed set of words in up to ``SET_BITS`` languages."""

    languages: tuple[str, ...]
    bucket_offsets: NDArray[np.uint32]  #: (2**BITS + 1,) the first entry of each bucket
    #: (words,) a word's fingerprint in the high bits, then one bit per language that has the word
    entries: NDArray[np.uint16]
    costs: SegmentationCosts = DEFAULT_COSTS

    @classmethod
    def build(cls, languages: Iterable[str], words: Mapping[str, int]) -> WordList:
        """Build from words and their language sets, one bit per language; words of full buckets are dropped."""
        set_of: dict[int, int] = {}
        for word, set_ in words.items():
            key = mix(fnv1a(word[::-1])) >> (64 - BITS - FINGERPRINT_BITS)
            set_of[key] = set_of.get(key, 0) | set_
        keys = np.array(sorted(set_of), np.int64)
        sets = np.array([set_of[key] for key in keys.tolist()], np.int64)
        buckets = keys >> FINGERPRINT_BITS
        fits = np.arange(len(keys)) - np.searchsorted(buckets, buckets) < BUCKET
        bucket_offsets = np.searchsorted(buckets[fits], np.arange(2**BITS + 1)).astype(np.uint32)
        entries = ((keys & 2**FINGERPRINT_BITS - 1) << SET_BITS | sets)[fits].astype(np.uint16)
        return cls(tuple(languages), bucket_offsets, entries)

    def segment(self, name: str) -> tuple[list[int], tuple[str, ...]]:
        """The least cost of a name of letters a to z in each language, and its parts in the best language.

        Letters outside all words are in brackets.
        """
        no_empty_words = np.zeros(0, np.uint64)
        costs, words = Segmenter(vocabulary_of(self, self.languages), no_empty_words).costs_of(
            name.encode("ascii")
        )
        k = costs[-1].index(min(costs[-1]))
        word_spans = {(start, end) for start, end, set_ in words if set_ >> k & 1}
        parts: list[str] = []
        end = len(name)
        while end:
            start = end - 1
            if costs[start][k] + self.costs.letter != costs[end][k]:
                candidates = (first for first in range(end - SHORTEST, -1, -1) if (first, end) in word_spans)
                start = next(
                    first for first in candidates if costs[first][k] + self.costs.word == costs[end][k]
                )
                parts.append(name[start:end])
            elif parts and parts[-1].startswith("("):
                parts[-1] = f"({name[start:end]}{parts[-1][1:]}"
            else:
                parts.append(f"({name[start:end]})")
            end = start
        return costs[-1], tuple(reversed(parts))


class Vocabulary(NamedTuple):
    """A ``WordList`` in the memory layout of the compiled code."""

    #: (buckets * 2,) four entries per integer; a bucket lies within one cache line
    entries: NDArray[np.uint64]
    #: (languages + 1, max_gap + 1) logits by number of languages of least cost and by gap
    logits: Floats
    columns: NDArray[np.int64]  #: of the scores, by language
    word: int
    letter: int
    doubt: float
    full: float


@lru_cache(maxsize=4)
def vocabulary_of(words: WordList, languages: tuple[str, ...]) -> Vocabulary:
    """Build the arrays of a word list, for scores with these languages as columns."""
    entries = large_zeros((2**BITS * BUCKET,), np.uint16)
    sizes = (words.bucket_offsets[1:] - words.bucket_offsets[:-1]).astype(np.int64)
    buckets = np.repeat(np.arange(2**BITS), sizes)
    ranks = np.arange(len(words.entries)) - np.repeat(words.bucket_offsets[:-1].astype(np.int64), sizes)
    entries[buckets * BUCKET + ranks] = words.entries
    n, costs = len(words.languages), words.costs
    logits = np.zeros((n + 1, costs.max_gap + 1), np.float32)
    for cheapest in range(1, n):
        for gap in range(1, costs.max_gap + 1):
            example = np.r_[np.zeros(cheapest, np.int64), np.full(n - cheapest, gap)]
            logits[cheapest, 0], logits[cheapest, gap] = costs.logits(example)[[0, -1]]
    columns = np.array([languages.index(code) for code in words.languages])
    return Vocabulary(
        entries.view(np.uint64), logits, columns, costs.word, costs.letter, costs.doubt, costs.full
    )

"""Which words a few languages have, and names of hosts cut into them.

N-grams know what the words of a language look like, a list knows which there are: ``dekaasboer`` is made of Dutch
words and of no English ones. A name is cut so that it costs least, in each language apart: a word costs ``WORD``,
a letter that no word covers ``LETTER``. What counts is how much dearer a language is than the cheapest one.
Names are asked where they tell most, home pages under an ending of no country, and only as far as all else leaves
doubt: it takes many look-ups.

The list holds no words but 27 bits of each one's hash, from its last letter to its first, in the same way as
``tables.EvidenceTable`` holds its rows: one string in three hundred is taken for a word by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linksight.features.feature_hash import FNV_OFFSET, FNV_PRIME, MASK, fnv1a, mix

SHORTEST, LONGEST = 3, 9  #: letters of a word
WORD, LETTER = 4, 3  #: what a word costs, and a letter that none covers
DEAREST = 4  #: how much dearer is as dear as can be
#: What each of these takes from a language, as a logit, and what the cheapest share; see ``told``.
STEP, SHARED = 0.42, 0.14
#: Names are heard where the second of these languages is less than this behind the likeliest of all, and in full from there on.
DOUBT, FULL = 1.25, 0.75
BITS = 17  #: of a word's hash that choose its bucket
#: Of an entry: one bit a language, and what tells the word from others in its bucket.
SET_BITS, PRINT_BITS = 6, 10
MOST = 8  #: words of a bucket

Floats = NDArray[np.float32]


class Cut(NamedTuple):
    """What each language pays for a name, and the name cut as the cheapest of them does."""

    costs: NDArray[np.int64]
    parts: tuple[str, ...]


@dataclass(frozen=True, eq=False)  # one list is another only if it is the same
class WordList:
    """Words of up to ``SET_BITS`` languages, by their hashes."""

    languages: tuple[str, ...]
    starts: NDArray[np.uint32]  #: (2**BITS + 1,) the first entry of each bucket
    #: (words,) a word's print, and below it one bit for each language that has it
    entries: NDArray[np.uint16]

    @classmethod
    def build(cls, languages: Iterable[str], words: Mapping[str, int]) -> WordList:
        """A list from words and the languages of each, one bit a language; the few that find no room are left out."""
        found: dict[int, int] = {}
        for word, set_ in words.items():
            key = _key(fnv1a(word[::-1]))
            found[key] = found.get(key, 0) | set_
        keys = np.array(sorted(found), np.int64)
        sets = np.array([found[key] for key in keys.tolist()], np.int64)
        buckets = keys >> PRINT_BITS
        fits = np.arange(len(keys)) - np.searchsorted(buckets, buckets) < MOST
        starts = np.searchsorted(buckets[fits], np.arange(2**BITS + 1)).astype(np.uint32)
        entries = ((keys & 2**PRINT_BITS - 1) << SET_BITS | sets)[fits].astype(np.uint16)
        return cls(tuple(languages), starts, entries)

    def set_of(self, state: int) -> int:
        """The languages that have a word, by the hash of its letters from the last to the first: one bit each."""
        key = _key(state)
        first, stop = map(int, self.starts[key >> PRINT_BITS : (key >> PRINT_BITS) + 2])
        for entry in map(int, self.entries[first:stop]):
            if entry >> SET_BITS == key & 2**PRINT_BITS - 1:
                return int(entry & 2**SET_BITS - 1)
        return 0

    def cut(self, name: str) -> Cut:
        """A name of letters from a to z, cut as cheaply as can be."""
        languages = range(len(self.languages))
        costs, ways = (
            [[0 for _ in languages]],
            [[0 for _ in languages]],
        )  # of each end; where its last part begins
        for end in range(1, len(name) + 1):
            cost, way = [cost + LETTER for cost in costs[end - 1]], [end - 1 for _ in languages]
            state = FNV_OFFSET
            for start in range(end - 1, max(end - LONGEST, 0) - 1, -1):
                state = ((state ^ ord(name[start])) * FNV_PRIME) & MASK
                set_ = self.set_of(state) if end - start >= SHORTEST else 0
                for k in languages:
                    if set_ >> k & 1 and costs[start][k] + WORD < cost[k]:
                        cost[k], way[k] = costs[start][k] + WORD, start
            costs.append(cost)
            ways.append(way)
        cheapest = costs[-1].index(min(costs[-1]))
        return Cut(np.array(costs[-1]), _parts(name, [way[cheapest] for way in ways]))

    def cuts(self, text: str) -> list[Cut]:
        """The names of a home page under an ending of no country, cut; elsewhere path or ending tells more."""
        from linksight.features.url_features import MAX_LETTERS, MAX_WORDS, own_names, split
        from linksight.urls.parser import words_of

        body, ending, rest = split(text)
        if rest or is_national(ending) or not body.isascii():
            return []
        names = [name[:MAX_LETTERS] for name in words_of(own_names(body))[:MAX_WORDS]]
        return [self.cut(name) for name in names if len(name) >= SHORTEST]

    def said(self, text: str, logits: Floats, own: Floats) -> tuple[str, Floats]:
        """A home page's names, cut, and what they add to the logits of the list's languages, which are ``own``.

        Nothing where there is no doubt, or no name to ask.
        """
        share = doubt(logits, own)
        cuts = self.cuts(text) if share else []
        costs = sum((cut.costs for cut in cuts), np.zeros(len(own), np.int64))
        return " ".join("+".join(cut.parts) for cut in cuts), np.float32(share) * told(costs)


def is_national(ending: str) -> bool:
    """Whether a top-level domain is a country's: those have two letters, or are in a script of their own.

    >>> [ending for ending in ("com", "nl", "eu", "рф", "online") if not is_national(ending)]
    ['com', 'eu', 'online']
    """
    return ending != "eu" and (len(ending) < 3 or not ending.isascii())


def told(costs: NDArray[np.int64]) -> Floats:
    """What costs say: the cheapest languages share what was everyone's, the others lose with each step.

    >>> [[round(float(logit), 2) for logit in told(np.array(costs))] for costs in ((4, 4, 12), (4, 4, 4))]
    [[0.06, 0.06, -1.62], [0.0, 0.0, 0.0]]
    """
    dearer = costs - costs.min()
    gain = SHARED * np.log(len(costs) / np.count_nonzero(dearer == 0))
    logits: Floats = (gain - STEP * np.minimum(dearer, DEAREST)).astype(np.float32)
    return logits


def doubt(logits: Floats, own: Floats) -> float:
    """How far names are heard, from 0 to 1: the nearer two languages of the list are to the likeliest of all, the more.

    >>> [doubt(np.array([0, 5, logit], np.float32), np.array([5, logit], np.float32)) for logit in (3, 4, 5)]
    [0.0, 0.5, 1.0]
    """
    second = np.partition(own, -2)[-2] if len(own) > 1 else -np.inf
    return float(min(max((DOUBT - (logits.max() - second)) / (DOUBT - FULL), 0), 1))


def _key(state: int) -> int:
    return mix(state) >> (64 - BITS - PRINT_BITS)


def _parts(name: str, ways: list[int]) -> tuple[str, ...]:
    """The parts of a name, from where the last one begins at each end; letters that no word covers in brackets."""
    parts: list[str] = []
    end = len(name)
    while end:
        start = ways[end]
        if end - start > 1:
            parts.append(name[start:end])
        elif parts and parts[-1].startswith("("):
            parts[-1] = f"({name[start:end]}{parts[-1][1:]}"
        else:
            parts.append(f"({name[start:end]})")
        end = start
    return tuple(reversed(parts))

"""Names of hosts cut into words, as ``linksight.url_model.segmentation`` does, over bytes.

The ways through the names of some rows are written down, then paid for: as in ``scoring``, the waits of one step are
over when the next one needs the data. What each language pays is a byte of one number, so that all of them are
compared in one step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linksight.features.url_features import MAX_LETTERS, MAX_WORDS
from linksight.native.aligned_arrays import prefetch, zeros
from linksight.native.feature_hash import OFFSET, mix_bits, step_byte
from linksight.native.jit import compiled, compiled_step, inlined
from linksight.native.softmax import LEAST, ordered
from linksight.native.structural_features import own_names_end
from linksight.native.word_ngrams import is_plain_word
from linksight.url_model.segmentation import (  # fmt: skip
    BITS,
    DEAREST,
    DOUBT,
    FULL,
    LETTER,
    LONGEST,
    MOST,
    PRINT_BITS,
    SET_BITS,
    SHORTEST,
    WORD,
    WordList,
    told,
)

_ONE, _BYTE = np.uint64(1), np.uint64(255)
_NOTHING, _DOUBT, _RISE = np.float32(-1e30), np.float32(DOUBT), np.float32(1 / (DOUBT - FULL))
# Eight languages are one number, a byte each.
_ALL = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x80) * _ALL
# With NumPy 1 a plain number times one of these is no whole number any more.
_LETTER, _WORD, _NEVER = (np.uint64(cost) * _ALL for cost in (LETTER, WORD, 127))
#: The bytes of each set of languages.
_BYTES = np.array(
    [sum(255 << 8 * k for k in range(SET_BITS) if set_ >> k & 1) for set_ in range(2**SET_BITS)], np.uint64
)
# Four entries are one number, two bytes each.
_LANES = np.uint64(0x0001000100010001)
_SET, _PRINTS = np.uint64(2**SET_BITS - 1), np.uint64(2**PRINT_BITS - 1)
_PRINT_EACH, _PRINT_LANES = _LANES << np.uint64(SET_BITS), (_PRINTS << np.uint64(SET_BITS)) * _LANES
_LOWER = np.uint64(0x7FFF) * _LANES
# A way to a letter of a name: the place where it begins, and above it a word's hash.
_HASH = np.uint64(8)
_NO_WORD = np.uint64(2**63)  #: the way over a letter that no word covers, first of those that end with it
_NAME = np.uint64(2**62)  #: no way, but the row of the name whose ways follow
_MOST_WAYS = MAX_WORDS * (MAX_LETTERS * (LONGEST - SHORTEST + 2) + 1)  #: of a host
ROOM_OF_WAYS = _MOST_WAYS + 4096
ROOM_OF_COSTS = MAX_LETTERS + 1 + SET_BITS


class Vocabulary(NamedTuple):
    """A ``WordList`` as arrays that compiled code can take; of no language where there is none."""

    #: (buckets * 2,) four in each number, those of a bucket side by side: one wait serves for all
    entries: NDArray[np.uint64]
    #: (languages + 1, DEAREST + 1) what is said of a language, by how many are cheapest and how much dearer it is
    told: NDArray[np.float32]
    columns: NDArray[np.int64]  #: of the scores, by language


def vocabulary_of(words: WordList | None, languages: tuple[str, ...]) -> Vocabulary:
    """The arrays of a list, for scores of these languages."""
    if words is None:
        return Vocabulary(
            zeros((2,), np.uint64), np.zeros((1, DEAREST + 1), np.float32), np.zeros(0, np.int64)
        )
    entries = zeros((2**BITS * MOST,), np.uint16)
    sizes = (words.starts[1:] - words.starts[:-1]).astype(np.int64)
    buckets = np.repeat(np.arange(2**BITS), sizes)
    ranks = np.arange(len(words.entries)) - np.repeat(words.starts[:-1].astype(np.int64), sizes)
    entries[buckets * MOST + ranks] = words.entries
    columns = np.array([languages.index(code) for code in words.languages])
    return Vocabulary(entries.view(np.uint64), _all_told(len(columns)), columns)


def _all_told(n: int) -> NDArray[np.float32]:
    """``wordlist.told`` of every case."""
    table = np.zeros((n + 1, DEAREST + 1), np.float32)
    for cheapest in range(1, n):
        for dearer in range(1, DEAREST + 1):
            costs = np.r_[np.zeros(cheapest, np.int64), np.full(n - cheapest, dearer)]
            table[cheapest, 0], table[cheapest, dearer] = told(costs)[[0, -1]]
    return table


@compiled
def ask_names(
    words: Any, data: Any, hosts: Any, spans: Any, shift: Any, ways: Any, costs: Any, scores: Any
) -> None:
    """Adds what names say to the scores of home pages that leave doubt.

    ``spans`` says where a home page's names begin and end, and its host, if there are any; where less than nothing
    stands for the last, they are in ``hosts`` and not in ``data``.
    """
    n = 0
    for r in range(len(spans)):
        start, dot, stop = spans[r, 0], spans[r, 1], spans[r, 2]
        if stop == 0:
            continue
        host, stop = (data, stop) if stop > 0 else (hosts, -stop)
        if not _is_national(host, dot + 1, stop) and _doubt(words.columns, scores, shift, r) > 0:
            if n > ROOM_OF_WAYS - _MOST_WAYS:
                _pay(words, ways, n, shift, costs, scores)
                n = 0
            n = _add_ways(words.entries, host, start, own_names_end(host, start, dot), r, ways, n)
    _pay(words, ways, n, shift, costs, scores)


@inlined
def _is_national(data: Any, start: Any, stop: Any) -> Any:
    """Whether an ASCII top-level domain is a country's; see ``wordlist``."""
    if stop - start > 2:
        return False
    return stop - start < 2 or (data[start] | 32) != 101 or (data[start + 1] | 32) != 117  # eu


@compiled_step
def _doubt(columns: Any, scores: Any, shift: Any, r: Any) -> Any:
    """How far names are heard, from 0 to 1; see ``wordlist.doubt``."""
    first = second = _NOTHING
    for k in columns:
        logit = scores[r, k] - shift[k]
        second = max(second, min(first, logit))
        first = max(first, logit)
    if first - second >= _DOUBT:  # the likeliest of all is not before the first of these
        return np.float32(0)
    top = LEAST
    for j in range(scores.shape[1]):
        top = max(top, ordered(np.float32(scores[r, j] - shift[j]).view(np.int32)))
    likeliest = np.int32(ordered(top)).view(np.float32)
    return min(max((_DOUBT - (likeliest - second)) * _RISE, np.float32(0)), np.float32(1))


@compiled
def _add_ways(entries: Any, data: Any, start: Any, stop: Any, row: Any, ways: Any, n: Any) -> Any:
    """Appends all ways through the names of an ASCII host, words or not; gives how many there are."""
    n_words = size = 0
    for i in range(start, stop + 1):
        if i < stop and 97 <= data[i] | 32 <= 122:
            size += 1
        elif size:
            if is_plain_word(data, i - size, size) and n_words < MAX_WORDS:
                n_words += 1
                if size >= SHORTEST:
                    ways[n] = _NAME | np.uint64(row)
                    n = _add_name(entries, data, i - size, min(size, MAX_LETTERS), ways, n + 1)
            size = 0
    return n


@compiled_step
def _add_name(entries: Any, data: Any, start: Any, size: Any, ways: Any, n: Any) -> Any:
    for end in range(start, start + size):
        ways[n] = _NO_WORD
        n += 1
        state = OFFSET
        for i in range(end, max(end - LONGEST, start - 1), -1):
            state = step_byte(state, data[i] | np.uint8(32))
            if end - i >= SHORTEST - 1:
                key = mix_bits(state) >> np.uint64(64 - BITS - PRINT_BITS)
                ways[n] = (key << _HASH) | np.uint64(i - start)
                prefetch(entries, np.int64((key >> np.uint64(PRINT_BITS)) * np.uint64(2)))
                n += 1
    return n


@compiled
def _pay(words: Any, ways: Any, n: Any, shift: Any, costs: Any, scores: Any) -> None:
    """Adds what the names of some rows say, each row's when all of its ways are paid for."""
    sums = costs[MAX_LETTERS + 1 :]
    row, w = np.uint64(len(scores)), 0
    while w < n:
        if ways[w] & ~_NAME != row:
            row = ways[w] & ~_NAME
            sums[:] = 0
        w, cost = _cut(words.entries, ways, w + 1, n, costs)
        for k in range(len(sums)):
            sums[k] += (cost >> np.uint64(8 * k)) & _BYTE
        if w == n or ways[w] & ~_NAME != row:
            share = _doubt(words.columns, scores, shift, np.int64(row))
            _tell(words, sums, share, scores[np.int64(row)])


@compiled_step
def _cut(entries: Any, ways: Any, w: Any, n: Any, costs: Any) -> tuple[Any, Any]:
    """The end of a name's ways, and what each language pays for it, a byte each."""
    costs[0] = cost = at = np.uint64(0)
    while w < n and not ways[w] & _NAME:
        way = ways[w]
        if way & _NO_WORD:
            at += _ONE
            cost += _LETTER
            costs[at] = cost
        else:
            set_ = _set_of(entries, way >> _HASH)
            if set_:
                bytes_ = _BYTES[set_]
                by_word = ((costs[way & _BYTE] + _WORD) & bytes_) | (_NEVER & ~bytes_)
                cost = _cheaper(cost, by_word)
                costs[at] = cost
        w += 1
    return w, cost


@compiled_step
def _tell(words: Any, sums: Any, share: Any, scores: Any) -> None:
    """Adds what the costs of a row's names say to its scores; see ``wordlist.told``."""
    columns, cheapest = words.columns, 0
    least = sums[0]
    for k in range(len(columns)):
        least = min(least, sums[k])
    for k in range(len(columns)):
        cheapest += sums[k] == least
    for k in range(len(columns)):
        scores[columns[k]] += share * words.told[cheapest, min(sums[k] - least, np.uint64(DEAREST))]


@inlined
def _set_of(entries: Any, key: Any) -> Any:
    """The languages that have a word, one bit each: of eight entries the one that has its print."""
    sought = (key & _PRINTS) * _PRINT_EACH
    first = (key >> np.uint64(PRINT_BITS)) * np.uint64(2)
    found = _matching(entries[first], sought) | _matching(entries[first + _ONE], sought)
    found |= found >> np.uint64(32)
    return (found | (found >> np.uint64(16))) & _SET


@inlined
def _matching(four: Any, sought: Any) -> Any:
    """The languages of those of four entries whose print is sought, each where it was."""
    differs = (four ^ sought) & _PRINT_LANES
    alike = ~(((differs & _LOWER) + _LOWER) | differs | _LOWER) >> np.uint64(15)
    return four & (alike * _SET)


@inlined
def _cheaper(one: Any, other: Any) -> Any:
    """The smaller of each two bytes, none of which is above 127."""
    larger = ((one | _HIGH) - other) & _HIGH  # where the first is not the smaller one
    mask = (larger - (larger >> np.uint64(7))) | larger
    return (other & mask) | (one & ~mask)

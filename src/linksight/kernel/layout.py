"""The table of the bundled model, laid out for the processor's memory rather than for the disk."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from linksight.features.evidence import LONGEST, SHORTEST
from linksight.kernel.hashes import MARKS, U32, mix_bits, step_byte
from linksight.kernel.words import G, P
from linksight.tables import LARGEST, EvidenceTable

_FILTER_BITS = 22
RAISE = LARGEST + 1  #: makes every number of a row positive


class Weights(NamedTuple):
    """An ``EvidenceTable`` as arrays that compiled code can take.

    ``places`` is probed from a feature's bucket on: fingerprint and bucket in the upper half, row
    number plus one in the lower, zero where a place is free. A row of ``lanes`` holds four numbers
    to a 64-bit word, each raised by 512, so that one addition adds four of them.

    The n-grams that begin at one letter are a chain: each is the one before it and a letter more.
    ``chains`` holds for an n-gram the sum of all of its chain that the table knows, and ``links``
    how many these are, so that one look-up of the longest does the work of four. Where two
    n-grams share a row by chance, ``links`` is zero and they are looked up one by one.
    """

    filter: NDArray[np.uint64]  #: one bit a key: most n-grams that are not there stop here
    places: NDArray[np.uint64]
    lanes: NDArray[np.uint64]
    chains: NDArray[np.uint64]
    links: NDArray[np.uint8]
    hint_scale: np.float32
    slopes: NDArray[np.float32]
    step: np.float32
    shift: np.uint64


def weights_of(table: EvidenceTable, slopes: NDArray[np.float32]) -> Weights:
    """The arrays of a table, laid out for speed."""
    starts = table.starts.astype(np.int64)
    buckets = np.repeat(np.arange(len(starts) - 1, dtype=np.uint64), starts[1:] - starts[:-1])
    n_rows, dim = len(buckets), table.dim
    raised = np.full((n_rows, -(-dim // 4) * 4), RAISE, np.uint64)
    for first in range(0, n_rows, 65_536):  # in parts, for the sake of memory
        some = slice(first, min(first + 65_536, n_rows))
        raised[some, :dim] += table.numbers(some).astype(np.int64).view(np.uint64)
    lanes = raised[:, 0::4]
    for lane in range(1, 4):
        lanes = lanes | (raised[:, lane::4] << np.uint64(16 * lane))
    index = np.zeros(1 << max(table.bits, int(n_rows * 2).bit_length()), np.uint64)
    _fill(index, buckets, table.prints, len(index) >> table.bits)
    lanes = np.ascontiguousarray(lanes)
    filters, shift = _filter_of(buckets, table.prints, table.bits), np.uint64(64 - table.bits)
    chains, links, claims = np.zeros_like(lanes), np.zeros(n_rows, np.uint8), np.zeros(n_rows, np.uint8)
    for mark in (G, P):
        _chain(filters, index, lanes, shift, MARKS[mark], chains, links, claims)
    links[claims > 1] = 0
    return Weights(
        filters, index, lanes, chains, links,
        np.float32(table.hint_scale), slopes, table.step, shift,
    )  # fmt: skip


def _filter_of(buckets: NDArray[np.uint64], prints: NDArray[Any], bits: int) -> NDArray[np.uint64]:
    # Bucket and fingerprint are the ends of one number; three bits of the fingerprint are enough.
    extra = np.uint64(_FILTER_BITS - bits)
    bit = (buckets << extra) | (prints.astype(np.uint64) & np.uint64((1 << int(extra)) - 1))
    words = np.zeros(2**_FILTER_BITS // 64, np.uint64)
    np.bitwise_or.at(words, (bit >> np.uint64(6)).astype(np.int64), np.uint64(1) << (bit & np.uint64(63)))
    return words


@njit(nogil=True, cache=True)
def _fill(index: Any, buckets: Any, prints: Any, spread: Any) -> None:
    mask = np.uint64(len(index) - 1)
    for r in range(len(buckets)):
        place = buckets[r] * np.uint64(spread)
        while index[place]:
            place = (place + np.uint64(1)) & mask
        index[place] = (_key(buckets[r], np.uint64(prints[r])) << U32) | np.uint64(r + 1)


@njit(nogil=True, cache=True, inline="always")
def _key(bucket: Any, fingerprint: Any) -> Any:
    return ((bucket << np.uint64(16)) | fingerprint) & np.uint64(0xFFFFFFFF)


@njit(nogil=True, cache=True, inline="always")
def row_of(filters: Any, places: Any, shift: Any, mixed: Any) -> Any:
    """The row of a mixed hash plus one, or zero."""
    extra = np.uint64(_FILTER_BITS) - (np.uint64(64) - shift)
    bucket = mixed >> shift
    bit = (bucket << extra) | (mixed & ((np.uint64(1) << extra) - np.uint64(1)))
    if not (filters[bit >> np.uint64(6)] >> (bit & np.uint64(63))) & np.uint64(1):
        return np.uint64(0)
    key = _key(bucket, mixed & np.uint64(0xFFFF))
    place = bucket * (np.uint64(len(places)) >> (np.uint64(64) - shift))
    entry = places[place]
    while entry and (entry >> U32) != key:
        place = (place + np.uint64(1)) & np.uint64(len(places) - 1)
        entry = places[place]
    return entry & np.uint64(0xFFFFFFFF)


@njit(nogil=True, cache=True)
def _chain(
    filters: Any, places: Any, lanes: Any, shift: Any, mark: Any, chains: Any, links: Any, claims: Any
) -> None:
    """Goes through every n-gram of ASCII letters there can be, depth first, and sums its chain."""
    words = lanes.shape[1]
    sums = np.zeros((LONGEST + 1, words), np.uint64)
    counts = np.zeros(LONGEST + 1, np.int64)
    states = np.zeros(LONGEST + 1, np.uint64)
    letters = np.zeros(LONGEST + 1, np.int64)  # 0 to 25 are letters, 26 is the mark at an edge
    states[0] = mark
    depth = 0
    letters[0] = -1
    while depth >= 0:
        letters[depth] += 1
        letter = letters[depth]
        if letter > 26:
            depth -= 1
            continue
        state = step_byte(states[depth], 95 if letter == 26 else 97 + letter)
        size = depth + 1
        sums[size] = sums[depth]
        counts[size] = counts[depth]
        if size >= SHORTEST:
            row = row_of(filters, places, shift, mix_bits(state))
            if row:
                at = np.int64(row) - 1
                counts[size] += 1
                claims[at] = min(claims[at] + 1, 2)
                for w in range(words):
                    sums[size, w] += lanes[at, w]
                    chains[at, w] = sums[size, w]
                links[at] = counts[size]
        # A mark ends the n-gram, unless it begins it.
        if size < LONGEST and (letter < 26 or depth == 0):
            states[size] = state
            letters[size] = -1
            depth = size

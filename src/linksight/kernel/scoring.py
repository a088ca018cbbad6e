"""From addresses to scores: features gathered, looked up, added up; and the likeliest language."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from linksight.features.evidence import MAX_LETTERS, MAX_WORDS
from linksight.kernel.addresses import plain_span
from linksight.kernel.hints import add_host_hints, add_path_hints
from linksight.kernel.layout import RAISE, row_of
from linksight.kernel.words import G, P, V, W, add_script, add_words

_PORTION = 15  #: chains of four whose numbers cannot overflow 16 bits
_ROWS = 512  #: rows gathered before their features are looked up
# A word has fewer than 4 * 42 n-grams; host and path have at most 40 words each, and then hints.
_MOST_FEATURES = 2 * MAX_WORDS * 4 * (MAX_LETTERS + 2) + 512
_ROOM = _ROWS * 96 + _MOST_FEATURES


class Scratch(NamedTuple):
    """Room for the features of a few hundred rows, for one thread."""

    letters: NDArray[np.int64]
    blocks: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    lengths: NDArray[np.uint8]
    ends: NDArray[np.int64]
    totals: NDArray[np.int32]
    counts: NDArray[np.int64]


def scratch_for(dim: int) -> Scratch:
    """Empty scratch for vectors of ``dim`` numbers."""
    return Scratch(
        np.zeros(MAX_LETTERS + 2, np.int64), np.zeros(2 * MAX_WORDS + 2, np.int64),
        np.zeros(_ROOM, np.uint64), np.zeros(_ROOM, np.uint8), np.zeros((_ROWS, 3), np.int64),
        np.zeros((_ROWS, 3, dim), np.int32), np.zeros((_ROWS, 3), np.int64),
    )  # fmt: skip


@njit(nogil=True, cache=True)
def _features(
    data: Any, start: Any, stop: Any, letters: Any, blocks: Any, out: Any, n: Any, ends: Any
) -> Any:
    """Appends a text's features in the groups host, path, hints; gives 1 for a page."""
    blocks[0] = 0
    if stop - start > 4 and data[start + 3] == 46:
        www = (data[start] | 32) == 119 and (data[start + 1] | 32) == 119 and (data[start + 2] | 32) == 119
        start += 4 * www
    slash = start
    while slash < stop and data[slash] != 47:
        slash += 1
    dot = slash - 1
    while dot >= start and data[dot] != 46:
        dot -= 1
    rest = min(slash + 1, stop)
    is_page = np.int64(rest < stop)
    n = add_words(data, start, max(dot, start), (W, G), letters, out, n, blocks)
    ends[0] = n
    if is_page:
        n = add_words(data, rest, stop, (V, P), letters, out, n, blocks)
    ends[1] = n
    n = add_host_hints(data, start, slash, is_page, out, n)
    if is_page:
        n = add_path_hints(data, rest, stop, out, n)
    for b in range(blocks[0]):
        n = add_script(blocks[b + 1], out, n)
    ends[2] = n
    return is_page


@njit(nogil=True, cache=True)
def vectors_of(
    weights: Any, data: Any, offsets: Any, parsed: Any, scratch: Any, vectors: Any, pages: Any, hard: Any
) -> None:
    """Short vectors of a column's rows; ``parsed`` says that the texts are those of ``Url``.

    Otherwise they are read where they lie, and what is no plain address is marked in ``hard``.
    """
    letters, blocks, ends = scratch.letters, scratch.blocks, scratch.ends
    out = (scratch.hashes, scratch.lengths)
    n = n_rows = first = 0
    for r in range(len(offsets) - 1):
        begin, end = np.int64(offsets[r]), np.int64(offsets[r + 1])
        if not parsed:
            begin, end = plain_span(data, begin, end)
            hard[r] = begin < 0
        if begin < 0:
            begin = end = 0
        pages[r] = _features(data, begin, end, letters, blocks, out, n, ends[n_rows])
        n = ends[n_rows, 2]
        n_rows += 1
        if n_rows == _ROWS or n > _ROOM - _MOST_FEATURES:
            _finish(weights, scratch, first, n_rows, vectors, pages)
            first += n_rows
            n = n_rows = 0
    _finish(weights, scratch, first, n_rows, vectors, pages)


@njit(nogil=True, cache=True, fastmath=True)
def _finish(weights: Any, scratch: Any, first: Any, n_rows: Any, vectors: Any, pages: Any) -> None:
    """Looks up what was gathered and writes the rows' vectors, slopes applied."""
    totals, counts = scratch.totals, scratch.counts
    _resolve(weights, scratch.hashes, scratch.lengths, scratch.ends, n_rows, totals, counts)
    for r in range(n_rows):
        slope = weights.slopes[pages[first + r]] * weights.step
        host = slope * np.float32(1 / np.sqrt(max(counts[r, 0], 1)))
        path = slope * np.float32(1 / np.sqrt(max(counts[r, 1], 1)))
        hint = slope * weights.hint_scale
        for d in range(vectors.shape[1]):
            vectors[first + r, d] = host * totals[r, 0, d] + path * totals[r, 1, d] + hint * totals[r, 2, d]


@njit(nogil=True, cache=True)
def _resolve(
    weights: Any, hashes: Any, lengths: Any, ends: Any, n_rows: Any, totals: Any, counts: Any
) -> None:
    """For each row and group the sum of its features' numbers, and how many were found.

    ``hashes`` holds the mixed hashes of all rows and ``lengths`` at each chain's last how many it
    has; ``ends`` says where each row's groups end. Rows are found first and added up after, so that
    the waits for memory of many features overlap.
    """
    filters, places, shift = weights.filter, weights.places, weights.shift
    lanes, chains, links = weights.lanes, weights.chains, weights.links
    words, dim = lanes.shape[1], totals.shape[2]
    sums = np.zeros(words, np.uint64)
    found = np.zeros(_MOST_FEATURES, np.uint64)
    start = 0
    for r in range(n_rows):
        for group in range(3):
            stop = ends[r, group]
            n = 0
            i = stop - 1
            while i >= start:
                length = np.int64(lengths[i])
                for k in range(length):
                    row = row_of(filters, places, shift, hashes[i - k])
                    if row:
                        whole = length > 1 and links[row - np.uint64(1)] > 0
                        found[n] = (row << np.uint64(1)) | np.uint64(whole)
                        n += 1
                        if whole:
                            break
                i -= length
            for d in range(dim):
                totals[r, group, d] = 0
            counts[r, group] = 0
            for first in range(0, n, _PORTION):
                n_links = 0
                for i in range(first, min(first + _PORTION, n)):
                    row = (found[i] >> np.uint64(1)) - np.uint64(1)
                    if found[i] & np.uint64(1):
                        n_links += links[row]
                        for w in range(words):
                            sums[w] += chains[row, w]
                    else:
                        n_links += 1
                        for w in range(words):
                            sums[w] += lanes[row, w]
                counts[r, group] += n_links
                for d in range(dim):
                    word = sums[d >> 2] >> np.uint64(16 * (d & 3))
                    totals[r, group, d] += np.int32(word & np.uint64(0xFFFF)) - np.int32(n_links * RAISE)
                sums[:] = 0
            start = stop


@njit(nogil=True, cache=True)
def add_base(scores: Any, base: Any, pages: Any) -> None:
    """Adds to each row the offsets of its kind."""
    for r in range(len(scores)):
        for k in range(scores.shape[1]):
            scores[r, k] += base[pages[r], k]


@njit(nogil=True, cache=True, fastmath=True)
def best_of(logits: Any, best: Any, probability: Any) -> None:
    """The likeliest column of each row and its probability (softmax), without storing the rest."""
    n, k = logits.shape
    bits = np.empty(k, np.int32)
    powers = bits.view(np.float32)
    fraction = np.empty(k, np.float32)
    for r in range(n):
        row = logits[r]
        top = row[0]
        at = 0
        for j in range(1, k):
            if row[j] > top:
                top = row[j]
                at = j
        for j in range(k):
            # 2 ** t, the whole part by its bits, the rest by a polynomial (error under 1e-6)
            t = max((row[j] - top) * np.float32(1.44269504), np.float32(-126))
            whole = np.floor(t)
            f = t - whole
            bits[j] = (np.int32(whole) + 127) << 23
            fraction[j] = np.float32(1) + f * (
                np.float32(0.6931472) + f * (np.float32(0.2402265) + f * (np.float32(0.0555041) + f * (
                    np.float32(0.0096181) + f * np.float32(0.0013333))))
            )  # fmt: skip
        total = np.float32(0)
        for j in range(k):
            total += powers[j] * fraction[j]
        best[r] = at
        probability[r] = np.float32(1) / total

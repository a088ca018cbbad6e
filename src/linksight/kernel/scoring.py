"""From addresses to short vectors: features gathered, found, added up; and from scores to chances."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from linksight.features.evidence import MAX_LETTERS, MAX_WORDS
from linksight.kernel.addresses import plain_span
from linksight.kernel.grams import find_grams
from linksight.kernel.hashes import U32
from linksight.kernel.hints import add_host_hints, add_path_hints
from linksight.kernel.lookup import find_names
from linksight.kernel.words import add_plain_words, add_script, add_words

_ROWS = 128  #: rows that are gathered, found and added up together
# A word has fewer than 4 * 42 n-grams; host and path have at most 40 words each, and then hints.
_MOST_FEATURES = 2 * MAX_WORDS * 4 * (MAX_LETTERS + 2) + 512
_ROOM = _ROWS * 96 + _MOST_FEATURES
_LOWER = np.uint64(0xFFFFFFFF)
_ROOTS = (1 / np.sqrt(np.maximum(np.arange(_MOST_FEATURES), 1))).astype(np.float32)  #: by number of features


class Scratch(NamedTuple):
    """Room for the features of some rows, for one thread.

    ``stops`` says where a row's features end (n-grams of host and path, names of host, path and hints),
    and what kind of URL it is.
    """

    letters: NDArray[np.uint8]
    ends: NDArray[np.int64]
    blocks: NDArray[np.int64]
    fives: NDArray[np.uint64]
    names: NDArray[np.uint64]
    grams_found: NDArray[np.uint64]
    names_found: NDArray[np.uint64]
    stops: NDArray[np.int64]


def scratch() -> Scratch:
    """Empty scratch."""
    fives, names, grams_found, names_found = np.zeros((4, _ROOM), np.uint64)
    return Scratch(
        np.zeros(MAX_LETTERS + 6, np.uint8), np.zeros(MAX_LETTERS + 2, np.int64),
        np.zeros(2 * MAX_WORDS + 2, np.int64), fives, names, grams_found, names_found,
        np.zeros((_ROWS, 6), np.int64),
    )  # fmt: skip


@njit(nogil=True, cache=True, inline="always")
def _after_www(data: Any, start: Any, stop: Any) -> Any:
    if stop - start > 4 and data[start + 3] == 46:
        www = (data[start] | 32) == 119 and (data[start + 1] | 32) == 119 and (data[start + 2] | 32) == 119
        start += 4 * www
    return start


@njit(nogil=True, cache=True)
def _gather_plain(nodes: Any, data: Any, offsets: Any, scratch: Any, hard: Any) -> Any:
    """Gathers the features of addresses where they lie; gives how many rows there was room for.

    What is no plain address is marked in ``hard``, and has the features of an empty text.
    """
    letters, stops, fives, names = scratch.letters, scratch.stops, scratch.fives, scratch.names
    n = m = r = 0
    while r < min(len(offsets) - 1, _ROWS) and max(n, m) < _ROOM - _MOST_FEATURES:
        begin, dot, slash, end = plain_span(data, np.int64(offsets[r]), np.int64(offsets[r + 1]))
        hard[r] = end == 0
        start = _after_www(data, begin, end)
        n, m = add_plain_words(0, data, start, max(dot, start), letters, nodes, fives, n, names, m)
        stops[r, 0], stops[r, 2] = n, m
        is_page = np.int64(slash + 1 < end)
        if is_page:
            n, m = add_plain_words(1, data, slash + 1, end, letters, nodes, fives, n, names, m)
        stops[r, 1], stops[r, 3] = n, m
        m = add_host_hints(data, start, dot, slash, is_page, names, m)
        if is_page:
            m = add_path_hints(data, slash + 1, end, names, m)
        stops[r, 4], stops[r, 5] = m, is_page
        r += 1
    return r


@njit(nogil=True, cache=True)
def _gather_parsed(data: Any, offsets: Any, scratch: Any) -> Any:
    """The same for the texts of ``Url``, which are UTF-8; their n-grams are among the names."""
    ends, blocks, stops, names = scratch.ends, scratch.blocks, scratch.stops, scratch.names
    m = r = 0
    while r < min(len(offsets) - 1, _ROWS) and m < _ROOM - _MOST_FEATURES:
        end = np.int64(offsets[r + 1])
        start = _after_www(data, np.int64(offsets[r]), end)
        slash = start
        while slash < end and data[slash] != 47:
            slash += 1
        dot = slash - 1
        while dot >= start and data[dot] != 46:
            dot -= 1
        rest = min(slash + 1, end)
        is_page = np.int64(rest < end)
        blocks[0] = 0
        m = add_words(0, data, start, max(dot, start), ends, names, m, blocks)
        stops[r, 0], stops[r, 2] = 0, m
        m = add_words(1, data, rest, end, ends, names, m, blocks)
        stops[r, 1], stops[r, 3] = 0, m
        m = add_host_hints(data, start, dot, slash, is_page, names, m)
        if is_page:
            m = add_path_hints(data, rest, end, names, m)
        for b in range(blocks[0]):
            m = add_script(blocks[b + 1], names, m)
        stops[r, 4], stops[r, 5] = m, is_page
        r += 1
    return r


@njit(nogil=True, cache=True)
def vectors_of(
    weights: Any, data: Any, offsets: Any, parsed: Any, scratch: Any, vectors: Any, hard: Any
) -> None:
    """Short vectors of a column's rows, each followed by its kind: (1, 0) a home page, (0, 1) a page.

    ``parsed`` says that the texts are those of ``Url``. Otherwise they are read where they lie, and
    what is no plain address is marked in ``hard``.
    """
    done = 0
    while done < len(offsets) - 1:
        if parsed:
            n_rows = _gather_parsed(data, offsets[done:], scratch)
        else:
            n_rows = _gather_plain(weights.nodes, data, offsets[done:], scratch, hard[done:])
        _finish(weights, scratch, n_rows, vectors[done:])
        done += n_rows


@njit(nogil=True, cache=True)
def _finish(weights: Any, scratch: Any, n_rows: Any, vectors: Any) -> None:
    """Finds what was gathered and adds it up."""
    last = scratch.stops[n_rows - 1]
    find_names(weights.names, scratch.names, last[4], weights.rows, scratch.names_found)
    find_grams(weights.nodes, scratch.fives, last[1], weights.rows, scratch.grams_found)
    _add_up(weights, scratch, n_rows, vectors)


@njit(nogil=True, cache=True, fastmath=True)
def _add_up(weights: Any, scratch: Any, n_rows: Any, vectors: Any) -> None:
    """Adds up the rows that were found, group by group, and weighs the groups."""
    rows, stops, scales = weights.rows, scratch.stops, weights.scales
    grams, names = scratch.grams_found, scratch.names_found
    dim = rows.shape[1]
    total = np.zeros(dim, np.int32)
    n = m = 0
    for r in range(n_rows):
        kind = stops[r, 5]
        for d in range(dim):
            vectors[r, d] = 0
        vectors[r, dim], vectors[r, dim + 1] = 1 - kind, kind
        for part in range(3):
            if part == 1 and not kind:
                continue  # a home page has no path
            features = np.uint64(0)
            for d in range(dim):
                total[d] = 0
            if part < 2:
                for i in range(n, stops[r, part]):
                    features += grams[i] >> U32
                    add_row(total, rows, grams[i] & _LOWER)
                n = stops[r, part]
            for i in range(m, stops[r, 2 + part]):
                features += np.uint64(names[i] > 0)
                add_row(total, rows, names[i])
            m = stops[r, 2 + part]
            scale = scales[kind, (part + 1) % 3]
            if part < 2:
                scale *= _ROOTS[features]
            for d in range(dim):
                vectors[r, d] += scale * total[d]


@njit(nogil=True, cache=True, inline="always")
def add_row(total: Any, rows: Any, row: Any) -> None:
    for d in range(rows.shape[1]):
        total[np.uint64(d)] += rows[row, np.uint64(d)]


@njit(nogil=True, cache=True, fastmath=True)
def chances_of(scores: Any, columns: Any, chances: Any) -> None:
    """The probability (softmax) of one column of each row, its largest."""
    n, k = scores.shape
    for r in range(n):
        top = scores[r, columns[r]]
        total = np.float32(0)
        for j in range(k):
            # 2 ** t, the whole part by its bits, the rest by a polynomial (error under 1e-6)
            t = max((scores[r, j] - top) * np.float32(1.44269504), np.float32(-126))
            whole = np.floor(t)
            f = t - whole
            power = np.int32((np.int32(whole) + np.int32(127)) << np.int32(23)).view(np.float32)
            total += power * (
                np.float32(1) + f * (np.float32(0.6931472) + f * (np.float32(0.2402265) + f * (
                    np.float32(0.0555041) + f * (np.float32(0.0096181) + f * np.float32(0.0013333)))))
            )  # fmt: skip
        chances[r] = np.float32(1) / total

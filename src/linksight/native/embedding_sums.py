"""From addresses to short vectors: features gathered, found, added up."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linksight.features.url_features import MAX_LETTERS, MAX_WORDS, ONION
from linksight.native.aligned_arrays import LINE, sum_rows, zeros
from linksight.native.hash_index import await_names, find_names
from linksight.native.jit import compiled, compiled_fast, inlined
from linksight.native.memory_layout import MOST_FEATURES
from linksight.native.ngram_trie import find_grams
from linksight.native.plain_urls import plain_span
from linksight.native.punycode import MOST_POINTS
from linksight.native.segmentation import ROOM_OF_COSTS, ROOM_OF_WAYS
from linksight.native.structural_features import N_HOMES, add_host_hints, add_path_hints, own_names_end
from linksight.native.url_normalize import ROOM, ROOM_OF_CODES, write_text
from linksight.native.word_ngrams import add_plain_words, add_script, add_words

_ROWS = 64  #: rows that are gathered, found and added up together
_ROOM = _ROWS * 96 + MOST_FEATURES
_MOST_HOST = 253  #: characters of a host

# Typed, for numba would compile a version for each number that is written out.
_HOST, _PATH = np.int64(0), np.int64(1)
_EMPTY = (_HOST, _HOST, _HOST, _HOST)
_ONION = np.frombuffer(ONION.encode(), np.uint8)


class Scratch(NamedTuple):
    """Room for the features of some rows, for one thread.

    ``stops`` says where a row's features end (n-grams of host and path, names of host, path and hints),
    its build and the sum of its ending.
    """

    ends: NDArray[np.int64]
    blocks: NDArray[np.int64]
    points: NDArray[np.int64]
    run: NDArray[np.uint8]
    text: NDArray[np.uint8]
    written: NDArray[np.uint8]  #: the same, to be read: one compiled version serves for it and for Arrow
    fives: NDArray[np.uint64]
    names: NDArray[np.uint64]
    grams_found: NDArray[np.uint64]
    names_found: NDArray[np.uint64]
    stops: NDArray[np.int64]
    sums: NDArray[np.int32]
    ways: NDArray[np.uint64]  #: through a name, see ``wordcuts``
    costs: NDArray[np.uint64]
    hosts: NDArray[np.uint8]  #: names of those rows that are not read where they lie
    named: NDArray[np.uint8]  #: the same, to be read
    n_hosts: NDArray[np.int64]  #: (1,) how many bytes of them there are


def scratch(n_rows: int) -> Scratch:
    """Empty scratch, with room for the hosts of so many rows."""
    fives, names, grams_found, names_found = np.zeros((4, _ROOM), np.uint64)
    text = np.zeros(ROOM, np.uint8)
    written = text.view()
    written.flags.writeable = False
    hosts = zeros((n_rows * _MOST_HOST,), np.uint8)
    named = hosts.view()
    named.flags.writeable = False
    return Scratch(
        np.zeros(MAX_LETTERS + 2, np.int64), np.zeros(2 * MAX_WORDS + 2, np.int64),
        np.zeros(MOST_POINTS, np.int64), np.zeros(ROOM_OF_CODES, np.uint8), text, written,
        fives, names, grams_found, names_found, np.zeros((_ROWS, 7), np.int64), np.zeros((5, LINE), np.int32),
        np.zeros(ROOM_OF_WAYS, np.uint64), np.zeros(ROOM_OF_COSTS, np.uint64),
        hosts, named, np.zeros(1, np.int64),
    )  # fmt: skip


@inlined
def _after_www(data: Any, start: Any, stop: Any) -> Any:
    if stop - start > 4 and data[start + 3] == 46:
        www = (data[start] | 32) == 119 and (data[start + 1] | 32) == 119 and (data[start + 2] | 32) == 119
        start += 4 * www
    return start


@compiled
def _gather(
    nodes: Any, endings: Any, data: Any, offsets: Any, parsed: Any, scratch: Any, spans: Any, hard: Any
) -> Any:
    """Gathers the features of addresses, or of texts of ``Url``; gives how many rows there was room for."""
    fives, names, stops = scratch.fives, scratch.names, scratch.stops  # once: each time costs a count of uses
    n = m = r = np.int64(0)
    while r < min(len(offsets) - 1, _ROWS) and max(n, m) < _ROOM - MOST_FEATURES:
        start, stop = np.int64(offsets[r]), np.int64(offsets[r + 1])
        begin, dot, slash, end = _EMPTY if parsed else plain_span(data, start, stop)
        if end:
            n, m = _gather_plain(
                nodes, endings, data, begin, dot, slash, end, fives, n, names, m, stops, spans, r
            )
        elif parsed:
            n, m = _gather_text(nodes, endings, data, start, stop, scratch, spans, n, m, r)
        else:
            size = write_text(data, start, stop, scratch.points, scratch.run, scratch.text)
            hard[r] |= size < 0
            text, size = scratch.written, max(size, 0)
            n, m = _gather_text(nodes, endings, text, np.int64(0), size, scratch, spans, n, m, r)
        r += 1
    return r


@inlined
def _past_numbers(data: Any, start: Any, dot: Any, stop: Any) -> tuple[Any, Any]:
    """Where a host begins and its last dot; both at its end where it is an address in numbers, or an onion's."""
    i = dot + 1
    while i < stop and 48 <= data[i] <= 57:
        i += 1
    in_numbers = dot + 1 < i == stop
    if stop - dot - 1 == len(_ONION):
        is_onion = True
        for k in range(len(_ONION)):
            is_onion &= (data[dot + 1 + k] | 32) == _ONION[k]
        in_numbers |= is_onion
    if dot < start:  # one label, or IPv6
        for i in range(start, stop):
            in_numbers |= data[i] == 58
    return (stop, stop - 1) if in_numbers else (start, dot)


@compiled
def _keep_host(data: Any, hosts: Any, n_hosts: Any, spans: Any, r: Any) -> None:
    """Keeps a home page's host that was written down: the next text is written over it."""
    start, dot, stop = spans[r, 0], spans[r, 1], spans[r, 2]
    spans[r, 2] = 0
    if 0 < stop - start <= _MOST_HOST:
        first = n_hosts[0]
        for i in range(stop - start):
            hosts[first + i] = data[start + i]
        n_hosts[0] = first + stop - start
        spans[r, 0], spans[r, 1], spans[r, 2] = first, first + dot - start, -n_hosts[0]


@compiled
def _gather_plain(
    nodes: Any, endings: Any, data: Any, begin: Any, dot: Any, slash: Any, end: Any,
    fives: Any, n: Any, names: Any, m: Any, stops: Any, spans: Any, r: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """The features of ASCII where it lies: its host, the host's last dot, its path, its end."""
    start, dot = _past_numbers(data, _after_www(data, begin, end), dot, slash)
    named = own_names_end(data, start, max(dot, start))
    n, m = add_plain_words(_HOST, data, start, named, nodes, fives, n, names, m)
    stops[r, 0], stops[r, 2] = n, m
    is_page = np.int64(slash + 1 < end)
    spans[r, 0], spans[r, 1], spans[r, 2] = start, dot, 0 if is_page else slash
    if is_page:
        n, m = add_plain_words(_PATH, data, slash + 1, end, nodes, fives, n, names, m)
    stops[r, 1], stops[r, 3] = n, m
    m, stops[r, 5], stops[r, 6] = add_host_hints(data, start, dot, slash, is_page, endings, names, m)
    if is_page:
        m, build = add_path_hints(data, slash + 1, end, names, m)
        stops[r, 5] += build
    stops[r, 4] = m
    return n, m


@compiled
def _gather_text(
    nodes: Any,
    endings: Any,
    data: Any,
    start: Any,
    end: Any,
    scratch: Any,
    spans: Any,
    n: Any,
    m: Any,
    r: Any,
) -> tuple[Any, Any]:
    """The features of a text of ``Url``, which is UTF-8: n-grams beyond ASCII are among the names."""
    fives, names, stops = scratch.fives, scratch.names, scratch.stops
    spans[r, 2] = 0
    begin = slash = _after_www(data, start, end)
    while slash < end and data[slash] != 47:
        slash += 1
    dot = slash - 1
    while dot >= begin and data[dot] != 46:
        dot -= 1
    highest = 0
    for i in range(begin, end):
        highest = max(highest, data[i])
    if highest < 0x80:
        n, m = _gather_plain(
            nodes, endings, data, start, dot, slash, end, fives, n, names, m, stops, spans, r
        )
        _keep_host(data, scratch.hosts, scratch.n_hosts, spans, r)
        return n, m
    begin, dot = _past_numbers(data, begin, dot, slash)
    rest = min(slash + 1, end)
    is_page = np.int64(rest < end)
    blocks = scratch.blocks
    blocks[0] = 0
    named = own_names_end(data, begin, max(dot, begin))
    m = add_words(_HOST, data, begin, named, scratch.ends, names, m, blocks)
    stops[r, 0], stops[r, 2] = n, m
    m = add_words(_PATH, data, rest, end, scratch.ends, names, m, blocks)
    stops[r, 1], stops[r, 3] = n, m
    m, stops[r, 5], stops[r, 6] = add_host_hints(data, begin, dot, slash, is_page, endings, names, m)
    if is_page:
        m, build = add_path_hints(data, rest, end, names, m)
        stops[r, 5] += build
    for b in range(blocks[0]):
        m = add_script(blocks[b + 1], names, m)
    stops[r, 4] = m
    return n, m


@compiled
def vectors_of(
    weights: Any, data: Any, offsets: Any, parsed: Any, scratch: Any, vectors: Any, spans: Any, hard: Any
) -> None:
    """Short vectors of a column's rows, each followed by its kind: (1, 0) a home page, (0, 1) a page.

    Where names are that may be asked goes into ``spans``, see ``wordcuts.ask_names``.

    ``parsed`` says that the texts are those of ``Url``. Otherwise they are addresses, and those that
    take the parser are marked in ``hard``.
    """
    done = 0
    while done < len(offsets) - 1:
        n_rows = _gather(
            weights.nodes, weights.endings, data, offsets[done:], parsed, scratch, spans[done:], hard[done:]
        )
        n, m = scratch.stops[n_rows - 1, 1], scratch.stops[n_rows - 1, 4]
        await_names(weights.names, scratch.names, m)
        find_grams(weights.nodes, scratch.fives, n, weights.rows, scratch.grams_found)
        find_names(weights.names, scratch.names, m, weights.rows, scratch.names_found)
        _add_up(weights, scratch, n_rows, vectors[done:])
        done += n_rows


@compiled_fast
def _add_up(weights: Any, scratch: Any, n_rows: Any, vectors: Any) -> None:
    """Adds up the rows that were found, group by group, and weighs the groups."""
    rows, stops, scales, factors = weights.rows, scratch.stops, weights.scales, weights.factors
    grams, names, sums = scratch.grams_found, scratch.names_found, scratch.sums
    dim = rows.shape[1]
    n = m = 0
    for r in range(n_rows):
        kind = np.int64(stops[r, 5] >= N_HOMES)
        build, ending = weights.builds + stops[r, 5], stops[r, 6]
        vectors[r, dim], vectors[r, dim + 1] = 1 - kind, kind
        for line in range(dim // LINE):
            in_host = sum_rows(rows, grams, n, stops[r, 0], line, sums, 0)
            in_host += sum_rows(rows, names, m, stops[r, 2], line, sums, 1)
            in_path = sum_rows(rows, grams, stops[r, 0], stops[r, 1], line, sums, 2)
            in_path += sum_rows(rows, names, stops[r, 2], stops[r, 3], line, sums, 3)
            sum_rows(rows, names, stops[r, 3], stops[r, 4], line, sums, 4)
            hint = scales[kind, 0]
            host = scales[kind, 1] * factors[np.int64(in_path > 0), in_host] * factors[2, in_path]
            path = scales[kind, 2] * factors[3, in_path]
            for d in range(LINE):
                vectors[r, line * LINE + d] = (
                    hint
                    * np.float32(sums[4, d] + rows[build, line * LINE + d] + rows[ending, line * LINE + d])
                    + host * np.float32(sums[0, d] + sums[1, d])
                    + path * np.float32(sums[2, d] + sums[3, d])
                )
        n, m = stops[r, 1], stops[r, 4]

"""The bundled model over bytes: the same scores as ``tables.EvidenceTable``, compiled.

Texts are UTF-8 in one buffer. A plain address (printable ASCII, no percent codes, no ``xn--``) is
scored where it lies, in the caller's Arrow buffer; the few others are parsed by ``Url`` first and
scored from a side buffer. The features of a few hundred rows are gathered before any is looked up:
what takes the time is waiting for memory, and waits of many features overlap where they follow each
other. (A cache of whole words gained nothing: host names are seldom met twice.)

Everything here runs without the interpreter lock; callers give each thread its own stretch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from linksight.features.evidence import LANGUAGE_KEYS, LONGEST, MAX_LETTERS, MAX_WORDS, SHORTEST
from linksight.features.extraction import is_letter
from linksight.features.hashing import FNV_OFFSET, FNV_PRIME, MIX, fnv1a
from linksight.tables import LARGEST, EvidenceTable
from linksight.urls import EMPTY_WORDS, MAX_LENGTH

_FILTER_BITS = 22
_RAISE = LARGEST + 1  #: makes every number of a row positive
_PORTION = 15  #: chains of four whose numbers cannot overflow 16 bits
_ROWS = 512  #: rows gathered before their features are looked up
# A word has fewer than 4 * 42 n-grams; host and path have at most 40 words each, and then hints.
_MOST_FEATURES = 2 * MAX_WORDS * 4 * (MAX_LETTERS + 2) + 512
_ROOM = _ROWS * 96 + _MOST_FEATURES

_PRIME, _MIX = np.uint64(FNV_PRIME), np.uint64(MIX)
_OFFSET = np.uint64(FNV_OFFSET)
_U32 = np.uint64(32)
_EMPTY = np.array(sorted(fnv1a(word) for word in EMPTY_WORDS), dtype=np.uint64)
_KEYS = np.array(sorted(fnv1a(key) for key in LANGUAGE_KEYS), dtype=np.uint64)
# The hash after each mark, by the mark's letter.
_MARKS = np.array([fnv1a(f"{chr(letter)}:") for letter in range(128)], dtype=np.uint64)
_W, _G, _V, _P = (np.int64(ord(letter)) for letter in "wgvp")


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
    raised = np.full((n_rows, -(-dim // 4) * 4), _RAISE, np.uint64)
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
    for mark in (_G, _P):
        _chain(filters, index, lanes, shift, _MARKS[mark], chains, links, claims)
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
        index[place] = (_key(buckets[r], np.uint64(prints[r])) << _U32) | np.uint64(r + 1)


@njit(nogil=True, cache=True, inline="always")
def _key(bucket: Any, fingerprint: Any) -> Any:
    return ((bucket << np.uint64(16)) | fingerprint) & np.uint64(0xFFFFFFFF)


@njit(nogil=True, cache=True, inline="always")
def _mix(state: Any) -> Any:
    return (state ^ (state >> _U32)) * _MIX


@njit(nogil=True, cache=True, inline="always")
def _row(filters: Any, places: Any, shift: Any, mixed: Any) -> Any:
    """The row of a mixed hash plus one, or zero."""
    extra = np.uint64(_FILTER_BITS) - (np.uint64(64) - shift)
    bucket = mixed >> shift
    bit = (bucket << extra) | (mixed & ((np.uint64(1) << extra) - np.uint64(1)))
    if not (filters[bit >> np.uint64(6)] >> (bit & np.uint64(63))) & np.uint64(1):
        return np.uint64(0)
    key = _key(bucket, mixed & np.uint64(0xFFFF))
    place = bucket * (np.uint64(len(places)) >> (np.uint64(64) - shift))
    entry = places[place]
    while entry and (entry >> _U32) != key:
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
        state = _step(states[depth], 95 if letter == 26 else 97 + letter)
        size = depth + 1
        sums[size] = sums[depth]
        counts[size] = counts[depth]
        if size >= SHORTEST:
            row = _row(filters, places, shift, _mix(state))
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
                    row = _row(filters, places, shift, hashes[i - k])
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
                    totals[r, group, d] += np.int32(word & np.uint64(0xFFFF)) - np.int32(n_links * _RAISE)
                sums[:] = 0
            start = stop


@njit(nogil=True, cache=True, inline="always")
def _lower(byte: Any) -> Any:
    return byte | np.uint8(32) if np.uint8(65) <= byte <= np.uint8(90) else byte


@njit(nogil=True, cache=True, inline="always")
def _step(state: Any, byte: Any) -> Any:
    return (state ^ np.uint64(byte)) * _PRIME


@njit(nogil=True, cache=True)
def _span(state: Any, data: Any, start: Any, stop: Any) -> Any:
    for i in range(start, stop):
        state = _step(state, _lower(data[i]))
    return state


@njit(nogil=True, cache=True)
def _number(state: Any, value: Any) -> Any:
    """The hash after a number of one or two digits."""
    if value > 9:
        state = _step(state, 48 + value // 10)
    return _step(state, 48 + value % 10)


@njit(nogil=True, cache=True)
def _is_in(state: Any, known: Any) -> bool:
    found = False
    for value in known:
        found |= value == state
    return found


@njit(nogil=True, cache=True, inline="always")
def _letter_at(data: Any, i: Any, stop: Any) -> tuple[Any, Any]:
    """How many bytes the character at ``i`` has, and its code point where it is a letter, else 0."""
    first = np.int64(data[i])
    if first < 0x80:
        low = first | 32
        return 1, low if 97 <= low <= 122 and first != 64 else 0
    if first < 0xE0:
        size, point = 2, first & 0x1F
    elif first < 0xF0:
        size, point = 3, first & 0x0F
    else:
        size, point = 4, first & 0x07
    size = min(size, stop - i)
    for k in range(1, size):
        point = (point << 6) | (np.int64(data[i + k]) & 0x3F)
    return size, point if is_letter(point) else 0


@njit(nogil=True, cache=True, inline="always")
def _note(out: Any, n: Any, state: Any) -> Any:
    out[0][n] = _mix(state)
    out[1][n] = 1
    return n + 1


@njit(nogil=True, cache=True)
def _grams(data: Any, start: Any, letters: Any, marks: Any, out: Any, n: Any) -> Any:
    """Appends the hashes of a word and its n-grams; ``letters`` holds where each letter ends."""
    size = min(letters[0], MAX_LETTERS)
    n = _note(out, n, _span(_MARKS[marks[0]], data, start, letters[size]))
    if letters[size] - start == size:
        return _byte_grams(data, start, size, _MARKS[marks[1]], out, n)
    for first in range(size + 1):  # 0 is the mark before the word
        state = _MARKS[marks[1]]
        at, length = first - 1, 0
        if first == 0:
            state = _step(state, 95)
            at, length = 0, 1
        while length < LONGEST and at <= size:
            if at == size:
                state = _step(state, 95)
            else:
                state = _span(state, data, start if at == 0 else letters[at], letters[at + 1])
            at += 1
            length += 1
            if length >= SHORTEST:
                n = _note(out, n, state)
    return n


@njit(nogil=True, cache=True)
def _byte_grams(data: Any, start: Any, size: Any, mark: Any, out: Any, n: Any) -> Any:
    """The n-grams of a word whose letters are bytes, each chain with its length at its end."""
    hashes, lengths = out
    for first in range(-1, size):
        begin = n
        state = _step(mark, 95 if first < 0 else _lower(data[start + first]))
        end = first + LONGEST
        for i in range(first + 1, min(end, size)):
            state = _step(state, _lower(data[start + i]))
            hashes[n] = _mix(state)
            n += 1
        if end > size:
            hashes[n] = _mix(_step(state, 95))
            n += 1
        lengths[n - 1] = n - begin
    return n


@njit(nogil=True, cache=True)
def _words(data: Any, start: Any, stop: Any, marks: Any, letters: Any, out: Any, n: Any, blocks: Any) -> Any:
    """Appends the features of all words; where a word is not of ASCII letters its block is noted."""
    n_words = size = 0
    first_point = np.int64(0)
    begin = i = start
    while i <= stop:
        width, point = _letter_at(data, i, stop) if i < stop else (1, 0)
        if point:
            if size == 0:
                begin = i
                first_point = point
            size += 1
            if size <= MAX_LETTERS:
                letters[size] = i + width
        elif size:
            is_empty = i - begin < 6 and _is_in(_span(_OFFSET, data, begin, i), _EMPTY)
            if size > 1 and n_words < MAX_WORDS and not is_empty:
                letters[0] = size
                n = _grams(data, begin, letters, marks, out, n)
                if first_point > 0x7F:
                    blocks[0] += 1
                    blocks[blocks[0]] = first_point >> 7
                n_words += 1
            size = 0
        i += width
    return n


@njit(nogil=True, cache=True)
def _script(block: Any, out: Any, n: Any) -> Any:
    divisor = 1
    while block // divisor > 9:
        divisor *= 10
    state = _MARKS[120]  # x
    while divisor:
        state = _step(state, 48 + block // divisor % 10)
        divisor //= 10
    return _note(out, n, state)


@njit(nogil=True, cache=True)
def _characters(data: Any, start: Any, stop: Any) -> Any:
    """How many characters a stretch of UTF-8 has."""
    n = 0
    for i in range(start, stop):
        n += (data[i] & 0xC0) != 0x80
    return n


@njit(nogil=True, cache=True)
def _host_hints(data: Any, start: Any, stop: Any, is_page: Any, out: Any, n: Any) -> Any:
    """Adds the host's hints; gives how many features there are now."""
    dot = stop - 1
    while dot >= start and data[dot] != 46:
        dot -= 1
    n = _note(out, n, _span(_MARKS[116], data, dot + 1, stop))  # t
    state = _step(_span(_MARKS[100], data, dot + 1, stop), 47)  # d
    n = _note(out, n, _step(state, 48 + is_page))
    n = _note(out, n, _step(_MARKS[107], 48 + is_page))  # k
    body = max(dot, start)
    hyphens = digits = runs = 0
    label = start
    last = start
    for i in range(start, body):
        hyphens += data[i] == 45
        if data[i] == 46:
            last = i + 1
    n = _note(out, n, _number(_MARKS[121], min(3, hyphens)))  # y
    n = _note(out, n, _number(_MARKS[106], min(12, _characters(data, start, body) // 2)))  # j
    if last > start:
        n = _note(out, n, _span(_MARKS[115], data, last, stop))  # s
        for i in range(start, last):
            if data[i] == 46:
                if _characters(data, label, i) <= 5:
                    n = _note(out, n, _span(_MARKS[98], data, label, i))  # b
                label = i + 1
    for i in range(start, body + 1):
        if i < body and 48 <= data[i] <= 57:
            digits += 1
        elif digits:
            if runs < 3:
                begin = i - digits
                n = _note(out, n, _span(_MARKS[110], data, begin, begin + min(digits, 5)))  # n
                n = _note(out, n, _number(_MARKS[109], min(digits, 6)))  # m
            runs += 1
            digits = 0
    return n


@njit(nogil=True, cache=True)
def _path_hints(data: Any, start: Any, stop: Any, out: Any, n: Any) -> Any:
    question = start
    while question < stop and data[question] != 63:
        question += 1
    shape = _MARKS[122]  # z
    hyphens = n_segments = 0
    begin = start
    for i in range(start, question + 1):
        if i < question and data[i] == 45:
            hyphens += 1
        if i == question or data[i] == 47:
            if n_segments < 4:
                n = _segment(data, begin, i, out, n)
            if n_segments < 5:
                shape = _shape(_step(shape, 47) if n_segments else shape, data, begin, i)
            n_segments += 1
            if i < question:
                begin = i + 1
    n = _pairs(data, question + 1, stop, out, n)
    n = _note(out, n, _number(_MARKS[104], min(6, hyphens)))  # h
    n = _note(out, n, shape)
    dot = question - 1
    while dot >= begin and data[dot] != 46:
        dot -= 1
    if dot >= begin and _characters(data, dot + 1, question) <= 5:
        n = _note(out, n, _span(_MARKS[101], data, dot + 1, question))  # e
    return n


@njit(nogil=True, cache=True)
def _segment(data: Any, start: Any, stop: Any, out: Any, n: Any) -> Any:
    if not 2 <= stop - start <= 28:
        return n
    size = _characters(data, start, stop)
    if not 2 <= size <= 7:
        return n
    n = _note(out, n, _span(_MARKS[99], data, start, stop))  # c
    if size != 5:
        return n
    middle = start  # the third character
    for _ in range(2):
        middle += 1
        while (data[middle] & 0xC0) == 0x80:
            middle += 1
    if data[middle] == 45 or data[middle] == 95:
        n = _note(out, n, _span(_MARKS[99], data, start, middle))
        n = _note(out, n, _span(_MARKS[114], data, middle + 1, stop))  # r
    return n


@njit(nogil=True, cache=True)
def _shape(state: Any, data: Any, start: Any, stop: Any) -> Any:
    if start == stop:
        return _step(state, 101)  # e
    digits = letters = True
    for i in range(start, stop):
        digits = digits and 48 <= data[i] <= 57
        letters = letters and 97 <= data[i] | 32 <= 122 and data[i] < 0x80
    if digits:
        return _number(_step(state, 100), min(stop - start, 8))  # d
    return _step(state, 97 if letters else 109)  # a or m


@njit(nogil=True, cache=True)
def _pairs(data: Any, start: Any, stop: Any, out: Any, n: Any) -> Any:
    """Adds the query's first six pairs, and language codes among them."""
    begin = start
    n_pairs = 0
    for i in range(start, stop + 1):
        if i < stop and data[i] != 38:
            continue
        if n_pairs < 6 and start < stop and _characters(data, begin, i) <= 16:
            n = _note(out, n, _span(_MARKS[113], data, begin, i))  # q
            equals = begin
            while equals < i and data[equals] != 61:
                equals += 1
            if equals + 1 < i and _is_in(_span(_OFFSET, data, begin, equals), _KEYS):
                end = equals + 1
                for _ in range(2):
                    end += end < i
                    while end < i and (data[end] & 0xC0) == 0x80:
                        end += 1
                n = _note(out, n, _span(_MARKS[108], data, equals + 1, end))  # l
        n_pairs += 1
        begin = i + 1
    return n


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
    n = _words(data, start, max(dot, start), (_W, _G), letters, out, n, blocks)
    ends[0] = n
    if is_page:
        n = _words(data, rest, stop, (_V, _P), letters, out, n, blocks)
    ends[1] = n
    n = _host_hints(data, start, slash, is_page, out, n)
    if is_page:
        n = _path_hints(data, rest, stop, out, n)
    for b in range(blocks[0]):
        n = _script(blocks[b + 1], out, n)
    ends[2] = n
    return is_page


@njit(nogil=True, cache=True)
def _host_end(data: Any, start: Any, stop: Any) -> Any:
    """Where a plain host name that starts here ends, or -1 where it takes a parser to tell."""
    dots = 0
    i = start
    only_digits = True
    while i < stop:
        byte = data[i]
        if byte == 47 or byte == 63 or byte == 35:
            break
        if byte == 46:
            if i == start or data[i - 1] == 46:
                return -1
            dots += 1
            only_digits = True
        elif not ((97 <= byte | 32 <= 122 and byte < 128) or 48 <= byte <= 57 or byte == 45 or byte == 95):
            return -1
        else:
            only_digits = only_digits and 48 <= byte <= 57
            if byte == 45 and data[i - 1] == 45 and i > start + 2 and (data[i - 2] | 32) == 110:
                return -1  # xn--
        i += 1
    if dots == 0 or only_digits or data[i - 1] == 46 or i - start > 253:
        return -1
    return i


@njit(nogil=True, cache=True)
def _plain(data: Any, start: Any, stop: Any) -> tuple[Any, Any]:
    """Where the text of a plain http(s) address begins and ends; -1 where it is not plain."""
    if stop - start < 10 or stop - start > MAX_LENGTH:
        return -1, -1
    for i in range(4):
        if (data[start + i] | 32) != (104, 116, 116, 112)[i]:
            return -1, -1
    begin = start + 4
    begin += (data[begin] | 32) == 115
    if data[begin] != 58 or data[begin + 1] != 47 or data[begin + 2] != 47:
        return -1, -1
    begin += 3
    i = _host_end(data, begin, stop)
    if i < 0:
        return -1, -1
    question = np.int64(-1)
    end = i
    while end < stop and data[end] != 35:
        byte = data[end]
        if byte < 0x21 or byte > 0x7E or byte == 37 or byte == 92:
            return -1, -1
        if byte == 63 and question < 0:
            question = end
        end += 1
    for k in range(end, stop):  # what follows "#" is not read, but blanks at its end would be stripped
        if data[k] < 0x21 or data[k] > 0x7E:
            return -1, -1
    if question == end - 1:
        end = question
    if i < end and data[i] == 63:
        return -1, -1  # host?query: the slash between them is missing
    return begin, end


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
            begin, end = _plain(data, begin, end)
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

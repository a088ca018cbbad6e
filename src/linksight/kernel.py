"""The bundled model over bytes: the same scores as ``tables.EvidenceTable``, compiled.

Texts are UTF-8 in one buffer. A plain address (printable ASCII, no percent codes, no ``xn--``) is
scored where it lies, in the caller's Arrow buffer; the few others are parsed by ``Url`` first and
scored from a side buffer. The unit of work is the word: its sum of n-gram vectors depends on
nothing else, so it is kept in a small cache.

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
from linksight.tables import EvidenceTable
from linksight.urls import EMPTY_WORDS, MAX_LENGTH

CACHE_BITS = 12
_FILTER_BITS = 22

_PRIME, _MIX = np.uint64(FNV_PRIME), np.uint64(MIX)
_OFFSET = np.uint64(FNV_OFFSET)
_U32 = np.uint64(32)
_EMPTY = np.array(sorted(fnv1a(word) for word in EMPTY_WORDS), dtype=np.uint64)
_KEYS = np.array(sorted(fnv1a(key) for key in LANGUAGE_KEYS), dtype=np.uint64)
# The hash after each mark, by the mark's letter.
_MARKS = np.array([fnv1a(f"{chr(letter)}:") for letter in range(128)], dtype=np.uint64)
_W, _G, _V, _P = (np.int64(ord(letter)) for letter in "wgvp")


class Weights(NamedTuple):
    """An ``EvidenceTable`` as arrays that compiled code can take."""

    filter: NDArray[np.uint64]  #: one bit a key: most n-grams that are not there stop here
    starts: NDArray[np.uint32]
    prints: NDArray[np.uint16]
    rows: NDArray[np.int8]
    scales: NDArray[np.float32]
    output: NDArray[np.float32]
    bias: NDArray[np.float32]
    slopes: NDArray[np.float32]
    offsets: NDArray[np.float32]
    hint_scale: np.float32
    shift: np.uint64


def weights_of(table: EvidenceTable, slopes: NDArray[np.float32], offsets: NDArray[np.float32]) -> Weights:
    """The arrays of a table and its calibration."""
    filters = _filter_of(table.starts, table.prints, table.bits)
    return Weights(
        filters, table.starts, table.prints, np.ascontiguousarray(table.rows), table.scales.astype(np.float32),
        np.ascontiguousarray(table.output), table.bias, slopes, np.ascontiguousarray(offsets),
        np.float32(table.hint_scale), np.uint64(64 - table.bits),
    )  # fmt: skip


def _filter_of(starts: NDArray[Any], prints: NDArray[Any], bits: int) -> NDArray[np.uint64]:
    # Bucket and fingerprint are the ends of one number; three bits of the fingerprint are enough.
    buckets = np.repeat(
        np.arange(len(starts) - 1, dtype=np.uint64),
        starts[1:].astype(np.int64) - starts[:-1].astype(np.int64),
    )
    extra = np.uint64(_FILTER_BITS - bits)
    bit = (buckets << extra) | (prints.astype(np.uint64) & np.uint64((1 << int(extra)) - 1))
    words = np.zeros(2**_FILTER_BITS // 64, np.uint64)
    np.bitwise_or.at(words, (bit >> np.uint64(6)).astype(np.int64), np.uint64(1) << (bit & np.uint64(63)))
    return words


@njit(nogil=True, cache=True, inline="always")
def _find(weights: Any, state: Any) -> Any:
    """The row of the feature with this hash, or -1."""
    mixed = (state ^ (state >> _U32)) * _MIX
    bucket = mixed >> weights.shift
    extra = np.uint64(_FILTER_BITS) - (np.uint64(64) - weights.shift)
    bit = (bucket << extra) | (mixed & ((np.uint64(1) << extra) - np.uint64(1)))
    if not (weights.filter[bit >> np.uint64(6)] >> (bit & np.uint64(63))) & np.uint64(1):
        return np.int64(-1)
    sought = np.uint16(mixed & np.uint64(0xFFFF))
    for row in range(weights.starts[bucket], weights.starts[bucket + np.uint64(1)]):
        if weights.prints[row] == sought:
            return np.int64(row)
    return np.int64(-1)


@njit(nogil=True, cache=True, inline="always")
def _add_row(weights: Any, row: Any, total: Any) -> None:
    scale = weights.scales[row]
    for d in range(total.shape[0]):
        total[d] += scale * np.float32(weights.rows[row, d])


@njit(nogil=True, cache=True)
def _hint(weights: Any, state: Any, total: Any) -> None:
    row = _find(weights, state)
    if row >= 0:
        _add_row(weights, row, total)


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


@njit(nogil=True, cache=True)
def _word(
    weights: Any, data: Any, start: Any, stop: Any, letters: Any, marks: Any, cache: Any, total: Any
) -> Any:
    """Adds a word and its n-grams to ``total``; gives how many of them the table knows."""
    word_mark, gram_mark = marks
    keys, counts, vectors = cache
    state = _span(_MARKS[word_mark], data, start, stop)
    slot = np.int64(((state ^ (state >> _U32)) * _MIX) >> np.uint64(64 - CACHE_BITS))
    vector = vectors[slot]
    if keys[slot] != state:
        keys[slot] = state
        vector[:] = 0
        counts[slot] = _word_sum(weights, data, start, letters, word_mark, gram_mark, vector)
    for d in range(total.shape[0]):
        total[d] += vector[d]
    return counts[slot]


@njit(nogil=True, cache=True)
def _word_sum(
    weights: Any, data: Any, start: Any, letters: Any, word_mark: Any, gram_mark: Any, vector: Any
) -> Any:
    """``letters`` holds where each letter of the word ends, their number first."""
    n = min(letters[0], MAX_LETTERS)
    found = 0
    row = _find(weights, _span(_MARKS[word_mark], data, start, letters[n]))
    if row >= 0:
        _add_row(weights, row, vector)
        found += 1
    opening = _step(_MARKS[gram_mark], 95)
    for first in range(n + 1):  # 0 is the mark before the word
        if first == 0:
            state, at, length = opening, 0, 1
        else:
            state, at, length = _MARKS[gram_mark], first - 1, 0
        while length < LONGEST:
            if at < n:
                begin = start if at == 0 else letters[at]
                state = _span(state, data, begin, letters[at + 1])
            elif at == n:
                state = _step(state, 95)
            else:
                break
            at += 1
            length += 1
            if length >= SHORTEST:
                row = _find(weights, state)
                if row >= 0:
                    _add_row(weights, row, vector)
                    found += 1
    return found


@njit(nogil=True, cache=True)
def _words(
    weights: Any, data: Any, start: Any, stop: Any, marks: Any, scratch: Any, total: Any, hints: Any
) -> Any:
    """Adds all words of a stretch; gives how many features were known."""
    letters, cache = scratch
    found = n_words = n = 0
    begin = i = start
    while i <= stop:
        size, point = _letter_at(data, i, stop) if i < stop else (1, 0)
        if point:
            if n == 0:
                begin = i
                first_point = point
            n += 1
            if n <= MAX_LETTERS + 1:
                letters[n] = i + size
        elif n:
            length = i - begin
            if n > 1 and not (length < 6 and _is_in(_span(_OFFSET, data, begin, i), _EMPTY)):
                if n_words < MAX_WORDS:
                    letters[0] = n
                    found += _word(weights, data, begin, i, letters, marks, cache, total)
                    if first_point > 0x7F:
                        _script(weights, first_point >> 7, hints)
                n_words += 1
            n = 0
        i += size
    return found


@njit(nogil=True, cache=True)
def _script(weights: Any, block: Any, hints: Any) -> None:
    divisor = 1
    while block // divisor > 9:
        divisor *= 10
    state = _MARKS[120]  # x
    while divisor:
        state = _step(state, 48 + block // divisor % 10)
        divisor //= 10
    _hint(weights, state, hints)


@njit(nogil=True, cache=True)
def _characters(data: Any, start: Any, stop: Any) -> Any:
    """How many characters a stretch of UTF-8 has."""
    n = 0
    for i in range(start, stop):
        n += (data[i] & 0xC0) != 0x80
    return n


@njit(nogil=True, cache=True)
def _host_hints(weights: Any, data: Any, start: Any, stop: Any, is_page: Any, total: Any) -> Any:
    """Adds the host's hints; gives where its last label's dot stands (or its start)."""
    dot = stop - 1
    while dot >= start and data[dot] != 46:
        dot -= 1
    _hint(weights, _span(_MARKS[116], data, dot + 1, stop), total)  # t
    state = _step(_span(_MARKS[100], data, dot + 1, stop), 47)  # d
    _hint(weights, _step(state, 48 + is_page), total)
    _hint(weights, _step(_MARKS[107], 48 + is_page), total)  # k
    body = max(dot, start)
    hyphens = digits = runs = 0
    label = start
    last = start
    for i in range(start, body):
        hyphens += data[i] == 45
        if data[i] == 46:
            last = i + 1
    _hint(weights, _number(_MARKS[121], min(3, hyphens)), total)  # y
    _hint(weights, _number(_MARKS[106], min(12, _characters(data, start, body) // 2)), total)  # j
    if last > start:
        _hint(weights, _span(_MARKS[115], data, last, stop), total)  # s
        for i in range(start, last):
            if data[i] == 46:
                if _characters(data, label, i) <= 5:
                    _hint(weights, _span(_MARKS[98], data, label, i), total)  # b
                label = i + 1
    for i in range(start, body + 1):
        if i < body and 48 <= data[i] <= 57:
            digits += 1
        elif digits:
            if runs < 3:
                begin = i - digits
                _hint(weights, _span(_MARKS[110], data, begin, begin + min(digits, 5)), total)  # n
                _hint(weights, _number(_MARKS[109], min(digits, 6)), total)  # m
            runs += 1
            digits = 0
    return body


@njit(nogil=True, cache=True)
def _path_hints(weights: Any, data: Any, start: Any, stop: Any, total: Any) -> None:
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
                _segment(weights, data, begin, i, total)
            if n_segments < 5:
                shape = _shape(_step(shape, 47) if n_segments else shape, data, begin, i)
            n_segments += 1
            if i < question:
                begin = i + 1
    _pairs(weights, data, question + 1, stop, total)
    _hint(weights, _number(_MARKS[104], min(6, hyphens)), total)  # h
    _hint(weights, shape, total)
    dot = question - 1
    while dot >= begin and data[dot] != 46:
        dot -= 1
    if dot >= begin and _characters(data, dot + 1, question) <= 5:
        _hint(weights, _span(_MARKS[101], data, dot + 1, question), total)  # e


@njit(nogil=True, cache=True)
def _segment(weights: Any, data: Any, start: Any, stop: Any, total: Any) -> None:
    if not 2 <= stop - start <= 28:
        return
    n = _characters(data, start, stop)
    if not 2 <= n <= 7:
        return
    _hint(weights, _span(_MARKS[99], data, start, stop), total)  # c
    if n != 5:
        return
    middle = start  # the third character
    for _ in range(2):
        middle += 1
        while (data[middle] & 0xC0) == 0x80:
            middle += 1
    if data[middle] == 45 or data[middle] == 95:
        _hint(weights, _span(_MARKS[99], data, start, middle), total)
        _hint(weights, _span(_MARKS[114], data, middle + 1, stop), total)  # r


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
def _pairs(weights: Any, data: Any, start: Any, stop: Any, total: Any) -> None:
    """Adds the query's first six pairs, and language codes among them."""
    begin = start
    n = 0
    for i in range(start, stop + 1):
        if i < stop and data[i] != 38:
            continue
        if n < 6 and start < stop and _characters(data, begin, i) <= 16:
            _hint(weights, _span(_MARKS[113], data, begin, i), total)  # q
            equals = begin
            while equals < i and data[equals] != 61:
                equals += 1
            if equals + 1 < i and _is_in(_span(_OFFSET, data, begin, equals), _KEYS):
                end = equals + 1
                for _ in range(2):
                    end += end < i
                    while end < i and (data[end] & 0xC0) == 0x80:
                        end += 1
                _hint(weights, _span(_MARKS[108], data, equals + 1, end), total)  # l
        n += 1
        begin = i + 1


@njit(nogil=True, cache=True, fastmath=True)
def _score(weights: Any, data: Any, start: Any, stop: Any, scratch: Any, sums: Any, logits: Any) -> None:
    """Calibrated scores of the text at ``data[start:stop]`` into ``logits``."""
    hints, host, path = sums[0], sums[1], sums[2]
    sums[:] = 0
    if stop - start > 4 and data[start + 3] == 46:
        first = (data[start] | 32) == 119 and (data[start + 1] | 32) == 119 and (data[start + 2] | 32) == 119
        start += 4 * first
    slash = start
    while slash < stop and data[slash] != 47:
        slash += 1
    rest = min(slash + 1, stop)
    is_page = np.int64(rest < stop)
    body = _host_hints(weights, data, start, slash, is_page, hints)
    n_host = _words(weights, data, start, body, (_W, _G), scratch, host, hints)
    n_path = 0
    if is_page:
        _path_hints(weights, data, rest, stop, hints)
        n_path = _words(weights, data, rest, stop, (_V, _P), scratch, path, hints)
    host_scale = np.float32(1 / np.sqrt(max(n_host, 1)))
    path_scale = np.float32(1 / np.sqrt(max(n_path, 1)))
    slope = weights.slopes[is_page]
    for k in range(logits.shape[0]):
        logits[k] = weights.bias[k] * slope + weights.offsets[is_page, k]
    for d in range(hints.shape[0]):
        value = slope * (weights.hint_scale * hints[d] + host_scale * host[d] + path_scale * path[d])
        for k in range(logits.shape[0]):
            logits[k] += value * weights.output[d, k]


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


@njit(nogil=True, cache=True)
def score_plain(weights: Any, data: Any, offsets: Any, first: Any, last: Any, rows: Any, hard: Any) -> None:
    """Scores rows ``first`` to ``last`` into ``rows``; what is not plain is marked in ``hard``."""
    scratch, sums = _scratch(weights.output.shape[0])
    for r in range(first, last):
        begin, end = _plain(data, np.int64(offsets[r]), np.int64(offsets[r + 1]))
        if begin < 0:
            hard[r] = True
        else:
            _score(weights, data, begin, end, scratch, sums, rows[r - first])


@njit(nogil=True, cache=True)
def score_texts(weights: Any, data: Any, offsets: Any, rows: Any) -> None:
    """Scores texts of parsed URLs, one after the other in one buffer."""
    scratch, sums = _scratch(weights.output.shape[0])
    for r in range(len(offsets) - 1):
        _score(weights, data, np.int64(offsets[r]), np.int64(offsets[r + 1]), scratch, sums, rows[r])


@njit(nogil=True, cache=True)
def _scratch(dim: Any) -> Any:
    size = 1 << CACHE_BITS
    cache = (np.zeros(size, np.uint64), np.zeros(size, np.int64), np.zeros((size, dim), np.float32))
    return (np.zeros(MAX_LETTERS + 2, np.int64), cache), np.zeros((3, dim), np.float32)


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

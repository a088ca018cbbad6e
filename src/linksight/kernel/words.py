"""Words and their n-grams, from bytes to hashes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from linksight.features.evidence import LONGEST, MAX_LETTERS, MAX_WORDS, SHORTEST
from linksight.features.extraction import is_letter
from linksight.features.hashing import fnv1a
from linksight.kernel.hashes import MARKS, OFFSET, is_among, lower_byte, mix_bits, step_byte, step_span
from linksight.urls import EMPTY_WORDS

_EMPTY = np.array(sorted(fnv1a(word) for word in EMPTY_WORDS), dtype=np.uint64)
W, G, V, P = (np.int64(ord(letter)) for letter in "wgvp")


@njit(nogil=True, cache=True, inline="always")
def add_hash(out: Any, n: Any, state: Any) -> Any:
    out[0][n] = mix_bits(state)
    out[1][n] = 1
    return n + 1


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
def _grams(data: Any, start: Any, letters: Any, marks: Any, out: Any, n: Any) -> Any:
    """Appends the hashes of a word and its n-grams; ``letters`` holds where each letter ends."""
    size = min(letters[0], MAX_LETTERS)
    n = add_hash(out, n, step_span(MARKS[marks[0]], data, start, letters[size]))
    if letters[size] - start == size:
        return _byte_grams(data, start, size, MARKS[marks[1]], out, n)
    for first in range(size + 1):  # 0 is the mark before the word
        state = MARKS[marks[1]]
        at, length = first - 1, 0
        if first == 0:
            state = step_byte(state, 95)
            at, length = 0, 1
        while length < LONGEST and at <= size:
            if at == size:
                state = step_byte(state, 95)
            else:
                state = step_span(state, data, start if at == 0 else letters[at], letters[at + 1])
            at += 1
            length += 1
            if length >= SHORTEST:
                n = add_hash(out, n, state)
    return n


@njit(nogil=True, cache=True)
def _byte_grams(data: Any, start: Any, size: Any, mark: Any, out: Any, n: Any) -> Any:
    """The n-grams of a word whose letters are bytes, each chain with its length at its end."""
    hashes, lengths = out
    for first in range(-1, size):
        begin = n
        state = step_byte(mark, 95 if first < 0 else lower_byte(data[start + first]))
        end = first + LONGEST
        for i in range(first + 1, min(end, size)):
            state = step_byte(state, lower_byte(data[start + i]))
            hashes[n] = mix_bits(state)
            n += 1
        if end > size:
            hashes[n] = mix_bits(step_byte(state, 95))
            n += 1
        lengths[n - 1] = n - begin
    return n


@njit(nogil=True, cache=True)
def add_words(
    data: Any, start: Any, stop: Any, marks: Any, letters: Any, out: Any, n: Any, blocks: Any
) -> Any:
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
            is_empty = i - begin < 6 and is_among(step_span(OFFSET, data, begin, i), _EMPTY)
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
def add_script(block: Any, out: Any, n: Any) -> Any:
    divisor = 1
    while block // divisor > 9:
        divisor *= 10
    state = MARKS[120]  # x
    while divisor:
        state = step_byte(state, 48 + block // divisor % 10)
        divisor //= 10
    return add_hash(out, n, state)

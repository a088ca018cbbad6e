"""Words and their n-grams, from bytes to hashes."""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.features.feature_hash import fnv1a
from linksight.features.hashed_extraction import is_letter
from linksight.features.url_features import LONGEST, MAX_LETTERS, MAX_WORDS, SHORTEST
from linksight.native.feature_hash import MARKS, OFFSET, add_hash, is_among, step_byte, step_span
from linksight.native.jit import compiled, compiled_step, inlined
from linksight.native.ngram_trie import FIRST_FIVE, add_five, end_word, letters_of, next_five
from linksight.urls.parser import EMPTY_WORDS

_EMPTY = np.array(sorted(fnv1a(word) for word in EMPTY_WORDS), dtype=np.uint64)
_LONGEST_EMPTY = max(map(len, EMPTY_WORDS))  # five letters: they are known by their number
_EMPTY_FIVES = np.array(
    [
        sum((ord(letter) & 31) << (5 * place) for place, letter in enumerate(reversed(word)))
        for word in EMPTY_WORDS
    ],
    dtype=np.uint64,
)
_WORD_MARKS = np.array([MARKS[ord(mark)] for mark in "wv"])  #: of the host's words, of the path's
_GRAM_MARKS = np.array([MARKS[ord(mark)] for mark in "gp"])


@inlined
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


@compiled_step
def add_plain_words(
    part: Any, data: Any, start: Any, stop: Any, nodes: Any, fives: Any, n: Any, names: Any, m: Any
) -> tuple[Any, Any]:
    """Appends an ASCII text's n-grams to ``fives`` and its words to ``names``; gives how many there are.

    ``part`` is 0 for the host and 1 for the path.
    """
    n_words = size = 0
    five, state = FIRST_FIVE[part], _WORD_MARKS[part]
    for i in range(start, stop + 1):
        if i < stop and 97 <= data[i] | 32 <= 122:
            size += 1
            if size <= MAX_LETTERS:
                letter = data[i] & np.uint8(31)
                state = step_byte(state, letter + np.uint8(96))
                five = next_five(five, letter)
                if size > 3:
                    add_five(five, nodes, fives, n + size - 4)
        elif size:
            if size > 1 and n_words < MAX_WORDS and not (size <= _LONGEST_EMPTY and _is_empty(five)):
                n = end_word(five, min(size, MAX_LETTERS), nodes, fives, n)
                m = add_hash(names, m, state)
                n_words += 1
            size = 0
            five, state = FIRST_FIVE[part], _WORD_MARKS[part]
    return n, m


@inlined
def is_plain_word(data: Any, start: Any, size: Any) -> Any:
    """Whether some letters of ASCII are a word: more than one, and not such as are in every address."""
    if size > _LONGEST_EMPTY:
        return True
    return size > 1 and not is_among(step_span(OFFSET, data, start, start + size), _EMPTY)


@inlined
def _is_empty(five: Any) -> Any:
    return is_among(letters_of(five), _EMPTY_FIVES)


@compiled
def add_words(part: Any, data: Any, start: Any, stop: Any, ends: Any, names: Any, m: Any, blocks: Any) -> Any:
    """The same for UTF-8, n-grams among the names; where a word begins beyond ASCII its block is noted.

    ``ends`` has room for where each letter of a word ends.
    """
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
                ends[size] = i + width
        elif size:
            is_empty = i - begin <= _LONGEST_EMPTY and is_among(step_span(OFFSET, data, begin, i), _EMPTY)
            if size > 1 and n_words < MAX_WORDS and not is_empty:
                m = _add_word(part, data, begin, ends, min(size, MAX_LETTERS), names, m)
                if first_point > 0x7F:
                    blocks[0] += 1
                    blocks[blocks[0]] = first_point >> 7
                n_words += 1
            size = 0
        i += width
    return m


@compiled
def _add_word(part: Any, data: Any, start: Any, ends: Any, size: Any, names: Any, m: Any) -> Any:
    m = add_hash(names, m, step_span(_WORD_MARKS[part], data, start, ends[size]))
    for first in range(size + 1):  # 0 is the mark before the word
        state = _GRAM_MARKS[part]
        at, length = first - 1, 0
        if first == 0:
            state = step_byte(state, 95)
            at, length = 0, 1
        while length < LONGEST and at <= size:
            if at == size:
                state = step_byte(state, 95)
            else:
                state = step_span(state, data, start if at == 0 else ends[at], ends[at + 1])
            at += 1
            length += 1
            if length >= SHORTEST:
                m = add_hash(names, m, state)
    return m


@compiled
def add_script(block: Any, names: Any, m: Any) -> Any:
    """Appends what the script of a word says."""
    divisor = 1
    while block // divisor > 9:
        divisor *= 10
    state = MARKS[120]  # x
    while divisor:
        state = step_byte(state, 48 + block // divisor % 10)
        divisor //= 10
    return add_hash(names, m, state)

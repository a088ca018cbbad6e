"""The compiled extraction: texts of URLs to hashed feature counts, a million n-grams at a time.

``FeatureSet.names`` is the specification; this module gives the same counts by the hash of each
name and is tested against it. Every function here works on UTF-8 bytes; a letter is what
``urls._LETTERS`` takes for one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from linksight.features.feature_hash import FNV_OFFSET, FNV_PRIME, MIX, fnv1a
from linksight.features.words import TLD, URL_CONTEXTS, URL_NGRAMS, WORD_CONTEXTS, WORD_NGRAMS, WORDS
from linksight.system.kernel_cache import guarded
from linksight.urls.parser import EMPTY_WORDS

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Letters beyond ASCII as pairs of first and last code point; a test holds them against the pattern.
LETTER_RANGES = np.array(
    [
        0xAA, 0xAA, 0xB5, 0xB5, 0xBA, 0xBA, 0xC0, 0xD6, 0xD8, 0xF6, 0xF8, 0x1FFF, 0x2C00, 0x2DFF,
        0x3005, 0x3007, 0x3031, 0xD7FF, 0xF900, 0xFEFF, 0xFF21, 0xFF3A, 0xFF41, 0xFF5A, 0xFF66, 0xFFDC,
        0x10000, 0x1EFFF, 0x20000, 0x3FFFF,
    ],
    dtype=np.int64,
)  # fmt: skip
_PRIME = np.uint64(FNV_PRIME)
_MIX = np.uint64(MIX)
_EMPTY = np.array(sorted(fnv1a(f"w:{word}") for word in EMPTY_WORDS), dtype=np.uint64)
_LONGEST_EMPTY = max(map(len, EMPTY_WORDS))
_UNDERSCORE = np.uint64(ord("_"))


def _states() -> NDArray[np.uint64]:
    """The hash after the prefix of a name, by kind of feature and size of n-gram."""
    prefixes = {WORDS: "w:", WORD_NGRAMS: "g:", URL_NGRAMS: "u:", TLD: "t:"}
    states = np.full((6, 8), FNV_OFFSET, dtype=np.uint64)
    for kind, prefix in prefixes.items():
        states[kind] = fnv1a(prefix)
    for size in range(8):
        states[WORD_CONTEXTS, size] = fnv1a(f"x{size}:")
        states[URL_CONTEXTS, size] = fnv1a(f"y{size}:")
    return states


_STATES = _states()


def _compiled(function: _Function) -> _Function:
    """Compiled when it is first called, with the constants of other modules as they are now."""
    made = guarded(njit(cache=True, nogil=True)(function))
    return cast("_Function", made)


@_compiled
def is_letter(point: Any) -> Any:
    """Whether a code point is a letter of a word."""
    if point < 0x80:
        return 97 <= point <= 122
    for i in range(0, len(LETTER_RANGES), 2):
        if point < LETTER_RANGES[i]:
            return False
        if point <= LETTER_RANGES[i + 1]:
            return True
    return False


@_compiled
def _add_bytes(state: Any, data: Any, start: int, stop: int) -> Any:
    for i in range(start, stop):
        state = (state ^ np.uint64(data[i])) * _PRIME
    return state


@_compiled
def _row(state: Any, shift: Any) -> Any:
    return np.int64(((state ^ (state >> np.uint64(32))) * _MIX) >> shift)


@_compiled
def _letters(data: Any, start: int, stop: int, begins: Any, ends: Any, words: Any) -> tuple[int, int]:
    """Where each letter begins and ends, and at which letter each run of letters begins."""
    n_letters = n_words = 0
    inside = False
    i = start
    while i < stop:
        first = np.int64(data[i])
        if first < 0x80:
            size, point = 1, first
        elif first < 0xE0:
            size, point = 2, ((first & 0x1F) << 6) | (data[i + 1] & 0x3F)
        elif first < 0xF0:
            size = 3
            point = ((first & 0x0F) << 12) | ((data[i + 1] & 0x3F) << 6) | (data[i + 2] & 0x3F)
        else:
            size = 4
            point = ((first & 0x07) << 18) | ((data[i + 1] & 0x3F) << 12)
            point |= ((data[i + 2] & 0x3F) << 6) | (data[i + 3] & 0x3F)
        if is_letter(point):
            if not inside:
                words[n_words] = n_letters
                n_words += 1
            inside = True
            begins[n_letters] = i
            ends[n_letters] = i + size
            n_letters += 1
        else:
            inside = False
        i += size
    words[n_words] = n_letters
    return n_letters, n_words


@_compiled
def _is_empty_word(data: Any, start: int, stop: int) -> bool:
    if stop - start > _LONGEST_EMPTY:
        return False
    state = _add_bytes(_STATES[WORDS, 0], data, start, stop)
    return bool((state == _EMPTY).any())


@_compiled
def _word_ngrams(
    data: Any, begins: Any, ends: Any, first: int, last: int, plan: Any, shift: Any, out: Any, n: int
) -> int:
    """N-grams or contexts of the word that letters ``first`` to ``last`` (exclusive) make up."""
    kind, low, high = plan
    length = last - first + 2  # with both edges
    low = min(low, length)  # a word that is shorter than all n-grams is taken whole
    if kind == WORD_NGRAMS:
        for start in range(length):
            state = _STATES[WORD_NGRAMS, 0]
            for size in range(1, min(high, length - start) + 1):
                at = start + size - 1
                if at == 0 or at == length - 1:
                    state = (state ^ _UNDERSCORE) * _PRIME
                else:
                    state = _add_bytes(state, data, begins[first + at - 1], ends[first + at - 1])
                if size >= low:
                    out[n] = _row(state, shift)
                    n += 1
        return n
    for start in range(length):
        for size in range(low, min(high, length - start) + 1):
            state = _STATES[WORD_CONTEXTS, size]
            for at in range(start, start + size - 1):
                if at == 0:
                    state = (state ^ _UNDERSCORE) * _PRIME
                else:
                    state = _add_bytes(state, data, begins[first + at - 1], ends[first + at - 1])
            out[n] = _row(state, shift)
            n += 1
    return n


@_compiled
def _url_ngrams(
    data: Any, begins: Any, ends: Any, first: int, n_letters: int, plan: Any, shift: Any, out: Any, n: int
) -> int:
    """N-grams or contexts of all letters run together, from letter ``first`` on."""
    kind, low, high = plan
    for start in range(first, n_letters):
        state = _STATES[URL_NGRAMS, 0]
        for size in range(1, min(high, n_letters - start) + 1):
            at = start + size - 1
            if kind == URL_NGRAMS:
                state = _add_bytes(state, data, begins[at], ends[at])
            elif size >= low:
                state = _STATES[URL_CONTEXTS, size]
                for before in range(start, at):
                    state = _add_bytes(state, data, begins[before], ends[before])
            if size >= low:
                out[n] = _row(state, shift)
                n += 1
    return n


@_compiled
def _tld(data: Any, start: int, stop: int, shift: Any, out: Any, n: int) -> int:
    """The last label of the host, but for IP addresses."""
    end = start
    while end < stop and data[end] != 47:  # "/"
        if data[end] == 58:  # ":" stands in the host of an IPv6 address only
            return n
        end += 1
    begin = end
    only_digits = True
    while begin > start and data[begin - 1] != 46:  # "."
        begin -= 1
        only_digits = only_digits and 48 <= data[begin] <= 57
    # No top-level domain is a number: this is an IPv4 address.
    if begin == end or only_digits:
        return n
    out[n] = _row(_add_bytes(_STATES[TLD, 0], data, begin, end), shift)
    return n + 1


@_compiled
def _rows_of(data: Any, start: int, stop: int, plans: Any, shift: Any, scratch: Any, out: Any) -> int:
    """The table rows of one text's features, unsorted; gives how many there are."""
    begins, ends, words = scratch[0], scratch[1], scratch[2]
    n_letters, n_words = _letters(data, start, stop, begins, ends, words)
    n = 0
    for p in range(len(plans)):
        plan = (plans[p, 0], plans[p, 1], plans[p, 2])
        kind = plan[0]
        if kind == TLD:
            n = _tld(data, start, stop, shift, out, n)
        elif kind in (URL_NGRAMS, URL_CONTEXTS):
            # As Url.letters: the leading "www." is left out.
            www = stop - start > 3 and data[start] == data[start + 1] == data[start + 2] == 119
            first = 3 if www and data[start + 3] == 46 else 0
            n = _url_ngrams(data, begins, ends, first, n_letters, plan, shift, out, n)
        else:
            for w in range(n_words):
                first, last = words[w], words[w + 1]
                if last - first < 2 or _is_empty_word(data, begins[first], ends[last - 1]):
                    continue
                if kind == WORDS:
                    state = _add_bytes(_STATES[WORDS, 0], data, begins[first], ends[last - 1])
                    out[n] = _row(state, shift)
                    n += 1
                else:
                    n = _word_ngrams(data, begins, ends, first, last, plan, shift, out, n)
    return n


@_compiled
def count_rows(
    data: Any, offsets: Any, plans: Any, bits: int, lengths: Any
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Distinct table rows and their counts, text after text; ``lengths`` gets how many each has."""
    longest = total = 0
    sizes = 0
    for p in range(len(plans)):
        sizes += plans[p, 2] - plans[p, 1] + 1
    for i in range(len(lengths)):
        size = offsets[i + 1] - offsets[i]
        longest = max(longest, size)
        total += sizes * (2 * size + 4)  # no text has more: words have two letters and two edges
    scratch = np.empty((3, longest + 2), dtype=np.int64)
    out = np.empty(sizes * (2 * longest + 4), dtype=np.int64)
    rows = np.empty(total, dtype=np.int32)
    counts = np.empty(total, dtype=np.float32)
    shift = np.uint64(64 - bits)
    written = 0
    for i in range(len(lengths)):
        n = _rows_of(data, offsets[i], offsets[i + 1], plans, shift, scratch, out)
        found = out[:n]
        found.sort()
        before = written
        for j in range(n):
            if j and found[j] == found[j - 1]:
                counts[written - 1] += 1
            else:
                rows[written] = found[j]
                counts[written] = 1
                written += 1
        lengths[i] = written - before
    return rows[:written].copy(), counts[:written].copy()

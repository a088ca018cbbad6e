"""Hashed features of many URLs: UTF-8 texts to the table rows of their words, n-grams and contexts.

``FeatureSet.names`` is the specification. This module gives the rows of the same names, in no order and with
repetitions; ``features.hashed_counts`` adds them up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

if cython.compiled:
    from cython.cimports.linksight.native.primitives import fnv_mix, fnv_step
else:
    from linksight.native.primitives import fnv_mix, fnv_step

# Kinds of features, as in ``features.words``: 0 words, 1 n-grams of words, 2 n-grams of the URL, 3 the top-level domain,
# 4 contexts of words, 5 contexts of the URL. The hash after the prefix of a name is ``prefixes[8 * kind + size]``.

# Letters beyond ASCII as pairs of first and last code point; a test compares them with the parser's pattern.
LETTER_RANGES = np.array(
    [
        0xAA, 0xAA, 0xB5, 0xB5, 0xBA, 0xBA, 0xC0, 0xD6, 0xD8, 0xF6, 0xF8, 0x1FFF, 0x2C00, 0x2DFF,
        0x3005, 0x3007, 0x3031, 0xD7FF, 0xF900, 0xFEFF, 0xFF21, 0xFF3A, 0xFF41, 0xFF5A, 0xFF66, 0xFFDC,
        0x10000, 0x1EFFF, 0x20000, 0x3FFFF,
    ],
    dtype=np.int32,
)  # fmt: skip


def table_rows(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], plans: NDArray[np.int64], prefixes: NDArray[np.uint64],
    empty_words: NDArray[np.uint64], bits: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:  # fmt: skip
    """The table rows of all features, text after text, and how many each text has.

    ``plans`` holds kind, smallest and largest size of each part; ``prefixes`` the hash after the prefix of a name,
    by kind and size; ``empty_words`` the hashes of words that count for nothing.
    """
    sizes = np.diff(offsets)
    per_byte = int((plans[:, 2] - plans[:, 1] + 1).sum())
    # No text has more features: each byte begins one of each size, a word has two letters and two edges.
    rows = np.empty(per_byte * int((2 * sizes + 4).sum()), np.int32)
    counts = np.zeros(len(sizes), np.int64)
    room = int(sizes.max(initial=0)) + 2
    letters = [np.empty(room, np.int32) for _ in range(3)]
    extractor = _Extractor(
        *map(memoryview, (data, *letters, prefixes.ravel(), empty_words, LETTER_RANGES, rows)), 64 - bits
    )
    extractor.extract(*map(memoryview, (offsets, plans.ravel(), counts)))
    return rows[: extractor.n_found].copy(), counts


@cython.final
@cython.cclass
class _Extractor:
    """One pass over many texts; its arrays are shared by all steps."""

    data: cython.const[cython.uchar][::1]
    begins: cython.int[::1]  # first byte of each letter
    ends: cython.int[::1]  # byte after each letter
    words: cython.int[::1]  # first letter of each run of letters
    prefixes: cython.const[cython.ulonglong][::1]
    empty_words: cython.const[cython.ulonglong][::1]
    ranges: cython.const[cython.int][::1]
    rows: cython.int[::1]
    shift: cython.int
    n_letters: cython.Py_ssize_t
    n_words: cython.Py_ssize_t
    n_rows: cython.Py_ssize_t

    def __init__(
        self, data: Any, begins: Any, ends: Any, words: Any, prefixes: Any, empty_words: Any, ranges: Any, rows: Any,
        shift: int,
    ) -> None:  # fmt: skip
        self.data = data
        self.begins, self.ends, self.words = begins, ends, words
        self.prefixes, self.empty_words, self.ranges = prefixes, empty_words, ranges
        self.rows = rows
        self.shift = shift
        self.n_letters = self.n_words = self.n_rows = 0

    @property
    def n_found(self) -> int:
        """How many rows were written."""
        return self.n_rows

    def extract(
        self,
        offsets: cython.const[cython.longlong][::1],
        plans: cython.const[cython.longlong][::1],
        counts: cython.longlong[::1],
    ) -> None:
        """Write the rows of each text and their number."""
        i: cython.Py_ssize_t
        before: cython.Py_ssize_t
        with cython.nogil:
            for i in range(counts.shape[0]):
                before = self.n_rows
                self._text(offsets[i], offsets[i + 1], plans)
                counts[i] = self.n_rows - before

    @cython.cfunc
    @cython.nogil
    def _text(
        self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, plans: cython.const[cython.longlong][::1]
    ) -> cython.void:
        """All features of one text."""
        p: cython.Py_ssize_t
        w: cython.Py_ssize_t
        first: cython.Py_ssize_t
        last: cython.Py_ssize_t
        kind: cython.int
        low: cython.Py_ssize_t
        high: cython.Py_ssize_t
        self._find_letters(start, stop)
        for p in range(plans.shape[0] // 3):
            kind, low, high = plans[3 * p], plans[3 * p + 1], plans[3 * p + 2]
            if kind == 3:
                self._tld(start, stop)
            elif kind == 2:
                self._url_ngrams(self._first_letter(start, stop), low, high)
            elif kind == 5:
                self._url_contexts(self._first_letter(start, stop), low, high)
            else:
                for w in range(self.n_words):
                    first, last = self.words[w], self.words[w + 1]
                    if last - first < 2 or self._is_empty_word(first, last):
                        continue
                    if kind == 0:
                        self._add(self._spell(self.prefixes[0], self.begins[first], self.ends[last - 1]))
                    elif kind == 1:
                        self._word_ngrams(first, last, low, high)
                    else:
                        self._word_contexts(first, last, low, high)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _add(self, state: cython.ulonglong) -> cython.void:
        """Append the table row of a hash."""
        self.rows[self.n_rows] = fnv_mix(state) >> self.shift
        self.n_rows += 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _spell(
        self, state: cython.ulonglong, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.ulonglong:
        """The hash after some bytes of the text."""
        i: cython.Py_ssize_t
        for i in range(start, stop):
            state = fnv_step(state, self.data[i])
        return state

    @cython.cfunc
    @cython.nogil
    def _find_letters(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Where each letter begins and ends, and at which letter each run of letters begins."""
        i: cython.Py_ssize_t = start
        lead: cython.int
        point: cython.int
        size: cython.int
        inside: cython.bint = False
        self.n_letters = self.n_words = 0
        while i < stop:
            lead = self.data[i]
            if lead < 0x80:
                size, point = 1, lead
            elif lead < 0xE0:
                size, point = 2, ((lead & 0x1F) << 6) | (self.data[i + 1] & 0x3F)
            elif lead < 0xF0:
                size = 3
                point = ((lead & 0x0F) << 12) | ((self.data[i + 1] & 0x3F) << 6) | (self.data[i + 2] & 0x3F)
            else:
                size = 4
                point = ((lead & 0x07) << 18) | ((self.data[i + 1] & 0x3F) << 12)
                point |= ((self.data[i + 2] & 0x3F) << 6) | (self.data[i + 3] & 0x3F)
            if self._is_letter(point):
                if not inside:
                    self.words[self.n_words] = self.n_letters
                    self.n_words += 1
                inside = True
                self.begins[self.n_letters] = i
                self.ends[self.n_letters] = i + size
                self.n_letters += 1
            else:
                inside = False
            i += size
        self.words[self.n_words] = self.n_letters

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _is_letter(self, point: cython.int) -> cython.bint:
        """Whether a code point is a letter of a word."""
        i: cython.Py_ssize_t
        if point < 0x80:
            return point >= 97 and point <= 122
        for i in range(0, self.ranges.shape[0], 2):
            if point < self.ranges[i]:
                return False
            if point <= self.ranges[i + 1]:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    def _is_empty_word(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.bint:
        """Whether the letters are a word such as ``www``, which counts for nothing."""
        i: cython.Py_ssize_t
        state: cython.ulonglong
        found: cython.bint = False
        if last - first > 5:  # the longest is "https"
            return False
        state = self._spell(self.prefixes[0], self.begins[first], self.ends[last - 1])
        for i in range(self.empty_words.shape[0]):
            found = found or state == self.empty_words[i]
        return found

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _add_letter(
        self,
        state: cython.ulonglong,
        first: cython.Py_ssize_t,
        at: cython.Py_ssize_t,
        length: cython.Py_ssize_t,
    ) -> cython.ulonglong:
        """The hash after one more letter of a word, or after its edge."""
        if at == 0 or at == length - 1:
            return fnv_step(state, 95)  # "_"
        return self._spell(state, self.begins[first + at - 1], self.ends[first + at - 1])

    @cython.cfunc
    @cython.nogil
    def _word_ngrams(
        self,
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        low: cython.Py_ssize_t,
        high: cython.Py_ssize_t,
    ) -> cython.void:
        """N-grams of the word of letters ``first`` to ``last``; a word shorter than all of them once."""
        start: cython.Py_ssize_t
        size: cython.Py_ssize_t
        state: cython.ulonglong
        length: cython.Py_ssize_t = last - first + 2  # with both edges
        low = min(low, length)
        for start in range(length):
            state = self.prefixes[8]
            for size in range(1, min(high, length - start) + 1):
                state = self._add_letter(state, first, start + size - 1, length)
                if size >= low:
                    self._add(state)

    @cython.cfunc
    @cython.nogil
    def _word_contexts(
        self,
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        low: cython.Py_ssize_t,
        high: cython.Py_ssize_t,
    ) -> cython.void:
        """What precedes the last letter of each n-gram of a word."""
        start: cython.Py_ssize_t
        size: cython.Py_ssize_t
        at: cython.Py_ssize_t
        state: cython.ulonglong
        length: cython.Py_ssize_t = last - first + 2
        low = min(low, length)
        for start in range(length):
            for size in range(low, min(high, length - start) + 1):
                state = self.prefixes[32 + size]
                for at in range(start, start + size - 1):
                    state = self._add_letter(state, first, at, length)
                self._add(state)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _first_letter(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The first letter that n-grams from the URL read: behind a leading ``www.``."""
        i: cython.Py_ssize_t
        if stop - start < 4 or self.data[start + 3] != 46:
            return 0
        for i in range(start, start + 3):
            if self.data[i] != 119:
                return 0
        return 3

    @cython.cfunc
    @cython.nogil
    def _url_ngrams(
        self, first: cython.Py_ssize_t, low: cython.Py_ssize_t, high: cython.Py_ssize_t
    ) -> cython.void:
        """N-grams of all letters run together."""
        start: cython.Py_ssize_t
        size: cython.Py_ssize_t
        state: cython.ulonglong
        for start in range(first, self.n_letters):
            state = self.prefixes[16]
            for size in range(1, min(high, self.n_letters - start) + 1):
                state = self._spell(state, self.begins[start + size - 1], self.ends[start + size - 1])
                if size >= low:
                    self._add(state)

    @cython.cfunc
    @cython.nogil
    def _url_contexts(
        self, first: cython.Py_ssize_t, low: cython.Py_ssize_t, high: cython.Py_ssize_t
    ) -> cython.void:
        """What precedes the last letter of each n-gram from the URL."""
        start: cython.Py_ssize_t
        size: cython.Py_ssize_t
        at: cython.Py_ssize_t
        state: cython.ulonglong
        for start in range(first, self.n_letters):
            for size in range(low, min(high, self.n_letters - start) + 1):
                state = self.prefixes[40 + size]
                for at in range(start, start + size - 1):
                    state = self._spell(state, self.begins[at], self.ends[at])
                self._add(state)

    @cython.cfunc
    @cython.nogil
    def _tld(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """The last label of the host; an IP address has none."""
        end: cython.Py_ssize_t = start
        begin: cython.Py_ssize_t
        only_digits: cython.bint = True
        while end < stop and self.data[end] != 47:  # "/"
            if self.data[end] == 58:  # ":" occurs in the host of an IPv6 address only
                return
            end += 1
        begin = end
        while begin > start and self.data[begin - 1] != 46:  # "."
            begin -= 1
            if self.data[begin] < 48 or self.data[begin] > 57:
                only_digits = False
        if begin < end and not only_digits:
            self._add(self._spell(self.prefixes[24], begin, end))

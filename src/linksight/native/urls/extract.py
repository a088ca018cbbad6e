"""Extract the features of normalised URLs as hashes of their names.

A feature's name is a mark, a colon and a value (``w:haus``); its hash (FNV-1a, mixed) selects a row of the model.
Features form three groups that the model weighs apart: host words, path words, and structural features. Words are
``w:`` (host) or ``v:`` (path), their n-grams of two to five characters with edge marks ``g:`` or ``p:``, as are single
letters beyond ASCII. N-grams of
words in letters from a to z are not hashed one by one: ``grams`` gets five letters for each position, and the n-gram
trie of ``lookup`` knows the sum of the n-grams that begin there.

How to add a structural feature
-------------------------------
Emit it in ``_host_features`` (once a host), ``_path_features`` (once a path), ``_segment`` (each of the first path
segments) or ``_pair`` (pairs of the query). The text is lower-case UTF-8 in ``self.text``::

    self._emit_span(ord("c"), start, stop)            # c:deutsch, the bytes from start to stop
    self._emit_number(ord("h"), n_hyphens)            # h:3
    state = self._begin(ord("d"))                     # d:nl/1, put together
    state = self._span(state, dot + 1, stop)
    state = self._step(self._step(state, ord("/")), ord("1"))
    self._emit(state, dot + 1, stop)                  # the last two: what an explanation highlights

Choose a free mark and describe it in ``url_model.feature_labels.KINDS``. Names and spans are recorded for explanations
and training by the same calls, so there is nothing else to write. Lists of words belong to the model file: add
them to ``ExtractionSettings`` and pass their sorted hashes to ``Extractor``. A model remembers the version of the
features that it was trained with: raise ``EXTRACTOR_VERSION`` when a feature changes.
"""

from __future__ import annotations

import numpy as np

from linksight.native.learning.hashed_extraction import LETTER_RANGES

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

if cython.compiled:
    from cython.cimports.linksight.native.primitives import fnv_mix, fnv_step, prefetch
else:
    from linksight.native.primitives import fnv_mix, fnv_step

SHORTEST, LONGEST = 2, 5  #: characters of an n-gram, edge marks included
MAX_LETTERS = 40  #: of a word; the rest is ignored
MAX_WORDS = 40  #: of the host, and of the path
MAX_PART = 10  #: characters of a label or segment that may be a code or the name of a language
MAX_PAIRS = 6  #: of the query; the first language key behind them is read too
MAX_PAIR = 16  #: characters of a pair
#: Features of a row: words, letters and n-grams of host and path, and structural ones.
MAX_FEATURES = 2 * MAX_WORDS * (5 * (MAX_LETTERS + 2) + 1) + 512
#: Columns of ``stops``: ends of a row's features, the part of the host that is segmented (0, 0: none), kind of URL.
HOST_GRAMS, PATH_GRAMS, HOST_NAMES, PATH_NAMES, NAMES, NAME_START, NAME_STOP, IS_PAGE = range(8)

_LONGEST = cython.declare(cython.Py_ssize_t, 5)
_MAX_LETTERS = cython.declare(cython.Py_ssize_t, 40)
_MAX_WORDS = cython.declare(cython.Py_ssize_t, 40)
_MAX_PART = cython.declare(cython.Py_ssize_t, 10)
_MAX_PAIRS = cython.declare(cython.Py_ssize_t, 6)
_MAX_PAIR = cython.declare(cython.Py_ssize_t, 16)
_PATH_BIT = cython.declare(cython.ulonglong, 0x2000000)  # in the five letters of a path's word
_LETTERS = cython.declare(cython.ulonglong, 0x1FFFFFF)


@cython.final
@cython.cclass
class Extractor:
    """Features of texts, in arrays that are reused; one instance a thread."""

    text: cython.const[cython.uchar][::1]
    grams: cython.ulonglong[::1]
    names: cython.ulonglong[::1]
    stops: cython.longlong[:, ::1]
    nodes: cython.const[cython.ulonglong][::1]
    marks: cython.const[cython.ulonglong][::1]
    empty_words: cython.const[cython.ulonglong][::1]
    empty_fives: cython.const[cython.ulonglong][::1]
    keys: cython.const[cython.ulonglong][::1]
    platforms: cython.const[cython.ulonglong][::1]
    shared: cython.const[cython.ulonglong][::1]
    language_names: cython.const[cython.ulonglong][::1]
    language_codes: cython.const[cython.ulonglong][::1]
    letters: cython.const[cython.int][::1]
    ends: cython.longlong[::1]
    blocks: cython.longlong[::1]
    n_blocks: cython.Py_ssize_t
    n_grams: cython.Py_ssize_t
    n_names: cython.Py_ssize_t
    offset: cython.ulonglong
    every_gram: cython.bint
    recording: cython.bint
    record: cython.uchar[::1]
    record_spans: cython.longlong[:, ::1]
    n_record: cython.Py_ssize_t

    def __init__(self, nodes, settings, rows: int, every_gram: bool = False):
        """Room for ``rows`` texts at a time; ``nodes`` is the n-gram trie, ``settings`` has lists of hashes by name.

        ``every_gram`` hashes the n-grams of all words one by one, for training.
        """
        room = rows * 96 + MAX_FEATURES
        self.grams = memoryview(np.zeros(room, np.uint64))
        self.names = memoryview(np.zeros(room, np.uint64))
        self.stops = memoryview(np.zeros((rows, 8), np.int64))
        self.nodes = memoryview(nodes)
        self.marks = memoryview(settings["marks"])
        self.empty_words = memoryview(settings["empty_words"])
        self.empty_fives = memoryview(settings["empty_fives"])
        self.keys = memoryview(settings["keys"])
        self.platforms = memoryview(settings["platforms"])
        self.shared = memoryview(settings["shared_endings"])
        self.language_names = memoryview(settings["language_names"])
        self.language_codes = memoryview(settings["language_codes"])
        self.letters = memoryview(np.asarray(LETTER_RANGES, np.int32))
        self.ends = memoryview(np.zeros(MAX_LETTERS + 2, np.int64))
        self.blocks = memoryview(np.zeros(2 * MAX_WORDS, np.int64))
        self.offset = 0xCBF29CE484222325
        self.every_gram = every_gram
        self.recording = False

    def buffers(self):
        """Grams, names and stops as arrays that share this instance's memory."""
        return np.asarray(self.grams), np.asarray(self.names), np.asarray(self.stops)

    def gather(
        self,
        text: cython.const[cython.uchar][::1],
        spans: cython.const[cython.longlong][:, ::1],
        first: cython.Py_ssize_t,
    ) -> int:
        """Extract the features of texts from row ``first`` on; returns how many there was room for.

        A row whose span is empty has no features, as a home page.
        """
        r: cython.Py_ssize_t = 0
        room: cython.Py_ssize_t = self.names.shape[0] - (2 * 40 * 211 + 512)
        self.text = text
        with cython.nogil:
            self.n_grams = self.n_names = 0
            while first + r < spans.shape[0] and r < self.stops.shape[0]:
                if self.n_grams > room or self.n_names > room:
                    break
                self._row(spans[first + r, 0], spans[first + r, 1], r)
                r += 1
        return r

    def record_of(self, text: bytes):
        """The features of one text: (name, hash, first byte, last byte + 1) of host, of path, and structural ones."""
        self.record = memoryview(np.zeros(64 * MAX_FEATURES + 16 * len(text), np.uint8))
        self.record_spans = memoryview(np.zeros((MAX_FEATURES, 3), np.int64))
        self.n_record = 0
        self.recording = True
        self.gather(text or b"\0", memoryview(np.array([[0, len(text)]], np.int64)), 0)
        self.recording = False
        spans, names, at, found = np.asarray(self.record_spans), bytes(self.record), 0, []
        for k in range(self.n_names):
            end, start, stop = spans[k].tolist()
            found.append((names[at:end].decode("utf-8", "replace"), int(self.names[k]), start, stop))
            at = end
        host, path, rest = (int(self.stops[0, column]) for column in (2, 3, 4))
        return found[:host], found[host:path], found[path:rest]

    # --- names and hashes -----------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    def _record(self, byte: cython.uchar) -> cython.void:
        self.record[self.n_record] = byte
        self.n_record += 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _begin(self, mark: cython.int) -> cython.ulonglong:
        """The hash after the mark of a name."""
        if self.recording:
            self._record(mark)
            self._record(ord(":"))
        return self.marks[mark]

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _step(self, state: cython.ulonglong, byte: cython.uchar) -> cython.ulonglong:
        if self.recording:
            self._record(byte)
        return fnv_step(state, byte)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _span(
        self, state: cython.ulonglong, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.ulonglong:
        """The hash after a span of the text."""
        i: cython.Py_ssize_t
        if self.recording:
            for i in range(start, stop):
                self._record(self.text[i])
        return self._hash(state, start, stop)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _hash(
        self, state: cython.ulonglong, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.ulonglong:
        i: cython.Py_ssize_t
        for i in range(start, stop):
            state = fnv_step(state, self.text[i])
        return state

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _emit(
        self, state: cython.ulonglong, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.void:
        """Append the feature whose name was hashed; the span is what an explanation highlights."""
        if self.recording:
            self.record_spans[self.n_names, 0] = self.n_record
            self.record_spans[self.n_names, 1] = start
            self.record_spans[self.n_names, 2] = stop
        self.names[self.n_names] = fnv_mix(state)
        self.n_names += 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _emit_span(self, mark: cython.int, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        self._emit(self._span(self._begin(mark), start, stop), start, stop)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _emit_number(self, mark: cython.int, value: cython.Py_ssize_t) -> cython.void:
        self._emit(self._number(self._begin(mark), value), 0, 0)

    @cython.cfunc
    @cython.nogil
    def _number(self, state: cython.ulonglong, value: cython.Py_ssize_t) -> cython.ulonglong:
        """The hash after a number in decimal digits."""
        divisor: cython.Py_ssize_t = 1
        while value // divisor > 9:
            divisor *= 10
        while divisor:
            state = self._step(state, cython.cast(cython.uchar, 48 + value // divisor % 10))
            divisor //= 10
        return state

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _place(
        self, known: cython.const[cython.ulonglong][::1], value: cython.ulonglong
    ) -> cython.Py_ssize_t:
        """The place of a hash in a sorted list, or -1."""
        first: cython.Py_ssize_t = 0
        last: cython.Py_ssize_t = known.shape[0]
        middle: cython.Py_ssize_t
        while first < last:
            middle = (first + last) // 2
            if known[middle] < value:
                first = middle + 1
            else:
                last = middle
        return first if first < known.shape[0] and known[first] == value else -1

    # --- text -----------------------------------------------------------------------------------

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _find(
        self, byte: cython.uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """The first place of a byte, or ``stop``."""
        while start < stop and self.text[start] != byte:
            start += 1
        return start

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _find_last(
        self, byte: cython.uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """The last place of a byte, or ``start - 1``."""
        stop -= 1
        while stop >= start and self.text[stop] != byte:
            stop -= 1
        return stop

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _count(
        self, byte: cython.uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        for i in range(start, stop):
            n += self.text[i] == byte
        return n

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _size(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The number of characters."""
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        for i in range(start, stop):
            n += (self.text[i] & 0xC0) != 0x80
        return n

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _is_letter(self, byte: cython.uchar) -> cython.bint:
        return ord("a") <= byte <= ord("z")

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _is_digit(self, byte: cython.uchar) -> cython.bint:
        return ord("0") <= byte <= ord("9")

    # --- rows -----------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    def _row(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t, r: cython.Py_ssize_t) -> cython.void:
        """The features of one text."""
        i: cython.Py_ssize_t
        slash: cython.Py_ssize_t
        dot: cython.Py_ssize_t
        body: cython.Py_ssize_t
        named: cython.Py_ssize_t
        rest: cython.Py_ssize_t
        is_page: cython.bint
        highest: cython.uchar = 0
        if start >= end:
            for i in range(8):
                self.stops[r, i] = 0
            self.stops[r, 0] = self.stops[r, 1] = self.n_grams
            self.stops[r, 2] = self.stops[r, 3] = self.stops[r, 4] = self.n_names
            return
        if (
            end - start > 4
            and self.text[start] == ord("w")
            and self.text[start + 1] == ord("w")
            and self.text[start + 2] == ord("w")
            and self.text[start + 3] == ord(".")
        ):
            start += 4
        slash = self._find(ord("/"), start, end)
        dot = self._find_last(ord("."), start, slash)
        rest = min(slash + 1, end)
        is_page = rest < end
        for i in range(start, end):
            highest |= self.text[i]
        if self._is_numeric(start, dot, slash):
            start, dot = slash, slash - 1
        body = max(dot, start)
        named = self._own_names_end(start, body)
        self.n_blocks = 0
        self._words(0, start, named, highest)
        self.stops[r, 0], self.stops[r, 2] = self.n_grams, self.n_names
        if is_page:
            self._words(1, rest, end, highest)
        self.stops[r, 1], self.stops[r, 3] = self.n_grams, self.n_names
        self._host_features(start, dot, slash, is_page)
        if is_page:
            self._path_features(rest, end)
        for i in range(self.n_blocks):
            self._emit_number(ord("x"), self.blocks[i])
        self.stops[r, 4] = self.n_names
        self.stops[r, 5] = self.stops[r, 6] = 0
        if not is_page and highest < 0x80 and not self._is_national(dot + 1, slash):
            self.stops[r, 5], self.stops[r, 6] = start, named
        self.stops[r, 7] = is_page

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _is_numeric(
        self, start: cython.Py_ssize_t, dot: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether a host is an IP address or an onion address, which names nothing."""
        i: cython.Py_ssize_t = dot + 1
        while i < stop and self._is_digit(self.text[i]):
            i += 1
        if dot + 1 < i == stop:
            return True
        i = dot + 1
        if (
            stop - i == 5
            and self.text[i] == ord("o")
            and self.text[i + 1] == ord("n")
            and self.text[i + 2] == ord("i")
        ):
            return self.text[i + 3] == ord("o") and self.text[i + 4] == ord("n")
        return dot < start and self._find(ord(":"), start, stop) < stop

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _is_national(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Whether an ASCII top-level domain is a country's."""
        if stop - start > 2:
            return False
        return stop - start < 2 or self.text[start] != ord("e") or self.text[start + 1] != ord("u")

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _own_names_end(self, start: cython.Py_ssize_t, body: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The end of the labels whose words are read: what follows is a platform, such as ``wordpress``."""
        i: cython.Py_ssize_t
        dot: cython.Py_ssize_t = self._find(ord("."), start, body)
        i = dot
        while dot < body:
            i = self._find(ord("."), dot + 1, body)
            if self._place(self.platforms, self._hash(self.offset, dot + 1, i)) >= 0:
                return dot
            dot = i
        return body

    # --- words ----------------------------------------------------------------------------------

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _words(
        self, part: cython.int, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, highest: cython.uchar
    ) -> cython.void:
        """Words and n-grams of the host (``part`` 0) or of the path (1)."""
        if highest < 0x80 and not self.recording and not self.every_gram:
            self._ascii_words(part, start, stop)
        else:
            self._unicode_words(part, start, stop)

    @cython.cfunc
    @cython.nogil
    def _ascii_words(
        self, part: cython.int, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.void:
        """Words as names, n-grams as five letters for each position."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        n_words: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t = 0
        n: cython.Py_ssize_t = self.n_grams
        letter: cython.ulonglong
        mark: cython.ulonglong = self.marks[ord("v") if part else ord("w")]
        begin: cython.ulonglong = _PATH_BIT if part else 0
        state: cython.ulonglong = mark
        five: cython.ulonglong = begin
        for i in range(start, stop + 1):
            if i < stop and ord("a") <= self.text[i] <= ord("z"):
                size += 1
                if size <= _MAX_LETTERS:
                    letter = self.text[i] & 31
                    state = fnv_step(state, self.text[i])
                    five = begin | ((five << 5) & _LETTERS) | letter
                    if size > 3:
                        self.grams[n + size - 4] = five
                        if cython.compiled:
                            prefetch(cython.address(self.nodes[five >> 5]))
            elif size:
                if size > 1 and n_words < _MAX_WORDS and not (size <= 5 and self._is_empty(five)):
                    size = min(size, _MAX_LETTERS)
                    for k in range(size - 3, size + 1):
                        five = begin | ((five << 5) & _LETTERS)
                        if k >= 0:
                            self.grams[n + k] = five
                            if cython.compiled:
                                prefetch(cython.address(self.nodes[five >> 5]))
                    n += size + 1
                    self.names[self.n_names] = fnv_mix(state)
                    self.n_names += 1
                    n_words += 1
                size = 0
                state, five = mark, begin
        self.n_grams = n

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _is_empty(self, five: cython.ulonglong) -> cython.bint:
        """Whether a word of up to five letters is in every URL, such as ``index``."""
        k: cython.Py_ssize_t
        found: cython.bint = False
        for k in range(self.empty_fives.shape[0]):
            found |= self.empty_fives[k] == (five & _LETTERS)
        return found

    @cython.cfunc
    @cython.nogil
    def _unicode_words(
        self, part: cython.int, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.void:
        """The same for any text, with n-grams among the names; notes the blocks of letters beyond ASCII."""
        i: cython.Py_ssize_t = start
        begin: cython.Py_ssize_t = start
        width: cython.Py_ssize_t
        point: cython.int
        n_words: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t = 0
        while i <= stop:
            width, point = 1, 0
            if i < stop:
                width = self._width(i, stop)
                point = self._point(i, width)
            if self._is_word_letter(point):
                if size == 0:
                    begin = i
                size += 1
                if size <= _MAX_LETTERS:
                    self.ends[size] = i + width
                if point > 0x7F:
                    self._note_block(point >> 7)
            elif size:
                if size > 1 and n_words < _MAX_WORDS and not self._is_empty_word(begin, i):
                    self._word(part, begin, min(size, _MAX_LETTERS))
                    n_words += 1
                size = 0
            i += width

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _note_block(self, block: cython.int) -> cython.void:
        """Notes each block of 128 code points once."""
        k: cython.Py_ssize_t
        for k in range(self.n_blocks):
            if self.blocks[k] == block:
                return
        if self.n_blocks < self.blocks.shape[0]:
            self.blocks[self.n_blocks] = block
            self.n_blocks += 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _width(self, i: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
        byte: cython.uchar = self.text[i]
        return min(1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4, stop - i)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _point(self, i: cython.Py_ssize_t, width: cython.Py_ssize_t) -> cython.int:
        k: cython.Py_ssize_t
        point: cython.int = self.text[i]
        if point < 0x80:
            return point
        point &= 0x1F if point < 0xE0 else 0x0F if point < 0xF0 else 0x07
        for k in range(1, width):
            point = (point << 6) | (self.text[i + k] & 0x3F)
        return point

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _is_word_letter(self, point: cython.int) -> cython.bint:
        k: cython.Py_ssize_t
        if point < 0x80:
            return ord("a") <= point <= ord("z")
        for k in range(0, self.letters.shape[0], 2):
            if point < self.letters[k]:
                return False
            if point <= self.letters[k + 1]:
                return True
        return False

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _is_empty_word(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        return stop - start <= 5 and self._place(self.empty_words, self._hash(self.offset, start, stop)) >= 0

    @cython.cfunc
    @cython.nogil
    def _word(self, part: cython.int, start: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.void:
        """A word, its n-grams and its letters beyond ASCII; position 0 is the mark before the word, ``size + 1`` the one behind."""
        first: cython.Py_ssize_t
        at: cython.Py_ssize_t
        begin: cython.Py_ssize_t
        length: cython.Py_ssize_t
        mark: cython.int = ord("p") if part else ord("g")
        self.ends[0] = start
        self._emit_span(ord("v") if part else ord("w"), start, self.ends[size])
        for first in range(size + 1):
            begin = start if first == 0 else self.ends[first - 1]
            if first and self.text[begin] > 0x7F:
                self._gram(mark, first, first, begin, size)
            for length in range(2, _LONGEST + 1):
                at = first + length - 1
                if at > size + 1:
                    break
                self._gram(mark, first, at, begin, size)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _gram(
        self,
        mark: cython.int,
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        begin: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
    ) -> cython.void:
        """The n-gram of positions ``first`` to ``last``."""
        end: cython.Py_ssize_t = self.ends[min(last, size)]
        state: cython.ulonglong = self._begin(mark)
        if first == 0:
            state = self._step(state, ord("_"))
        state = self._span(state, begin, end)
        if last > size:
            state = self._step(state, ord("_"))
        self._emit(state, begin, end)

    # --- structural features --------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    def _host_features(
        self, start: cython.Py_ssize_t, dot: cython.Py_ssize_t, stop: cython.Py_ssize_t, is_page: cython.bint
    ) -> cython.void:
        """Features of a host whose last dot is known: t top-level domain, d the same by kind of URL, k kind of URL,
        y hyphens, j length, s registered name, b subdomains, n digits and m how many."""
        i: cython.Py_ssize_t
        body: cython.Py_ssize_t = max(dot, start)
        hyphens: cython.Py_ssize_t = 0
        dots: cython.Py_ssize_t = 0
        digits: cython.Py_ssize_t = 0
        state: cython.ulonglong
        for i in range(start, body):
            hyphens += self.text[i] == ord("-")
            dots += self.text[i] == ord(".")
            digits += self._is_digit(self.text[i])
        self._emit_span(ord("t"), dot + 1, stop)
        state = self._step(self._span(self._begin(ord("d")), dot + 1, stop), ord("/"))
        self._emit(self._step(state, ord("1") if is_page else ord("0")), dot + 1, stop)
        self._emit_number(ord("k"), is_page)
        self._emit_number(ord("y"), min(3, hyphens))
        self._emit_number(ord("j"), min(12, self._size(start, body) // 2))
        if dots:
            self._labels(start, body, stop)
        elif start < body:
            self._emit_span(ord("s"), start, stop)
        if digits:
            self._digits(start, body)

    @cython.cfunc
    @cython.nogil
    def _labels(
        self, start: cython.Py_ssize_t, body: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.void:
        """The registered name, and the short labels before it."""
        i: cython.Py_ssize_t
        last: cython.Py_ssize_t = self._find_last(ord("."), start, body) + 1
        end: cython.Py_ssize_t = last
        label: cython.Py_ssize_t = start
        self._emit_span(ord("s"), last, stop)
        # Under ac.uk the label before is the registered name.
        if (
            self._size(body + 1, stop) == 2
            and self._place(self.shared, self._hash(self.offset, last, body)) >= 0
        ):
            end = self._find_last(ord("."), start, last - 1) + 1
        for i in range(start, end):
            if self.text[i] == ord("."):
                if self._size(label, i) <= _MAX_PART:
                    self._emit_span(ord("b"), label, i)
                label = i + 1

    @cython.cfunc
    @cython.nogil
    def _digits(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """The first three runs of digits of a host."""
        i: cython.Py_ssize_t
        digits: cython.Py_ssize_t = 0
        runs: cython.Py_ssize_t = 0
        for i in range(start, stop + 1):
            if i < stop and self._is_digit(self.text[i]):
                digits += 1
            elif digits:
                if runs < 3:
                    self._emit_span(ord("n"), i - digits, i - digits + min(digits, 5))
                    self._emit_number(ord("m"), min(digits, 6))
                runs += 1
                digits = 0

    @cython.cfunc
    @cython.nogil
    def _path_features(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Features of a path and query: c segments, r regions, q pairs, l languages of the query, h hyphens,
        z shape, e file ending, f end of the file name."""
        question: cython.Py_ssize_t = self._find(ord("?"), start, stop)
        begin: cython.Py_ssize_t = start
        end: cython.Py_ssize_t
        dot: cython.Py_ssize_t
        segment: cython.Py_ssize_t
        for segment in range(4):
            end = self._find(ord("/"), begin, question)
            self._segment(begin, end)
            begin = end + 1
            if end == question:
                break
        self._pairs(question + 1, stop)
        self._emit_number(ord("h"), min(6, self._count(ord("-"), start, question)))
        self._shape(start, question)
        begin = self._find_last(ord("/"), start, question) + 1
        dot = self._find_last(ord("."), begin, question)
        if dot >= begin and self._size(dot + 1, question) <= 5:
            self._emit_span(ord("e"), dot + 1, question)
        self._file_code(start, question)

    @cython.cfunc
    @cython.nogil
    def _segment(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """A path segment that may be a code or name of a language, such as ``de``, ``nl-be`` or ``deutsch``."""
        size: cython.Py_ssize_t
        middle: cython.Py_ssize_t
        if not 2 <= stop - start <= 4 * _MAX_PART:
            return
        size = self._size(start, stop)
        if not 2 <= size <= _MAX_PART:
            return
        self._emit_span(ord("c"), start, stop)
        if size == 5:
            middle = self._next(self._next(start, stop), stop)
            if self.text[middle] == ord("-") or self.text[middle] == ord("_"):
                self._emit_span(ord("c"), start, middle)
                self._emit_span(ord("r"), middle + 1, stop)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _next(self, i: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The place of the next character."""
        i += i < stop
        while i < stop and (self.text[i] & 0xC0) == 0x80:
            i += 1
        return i

    @cython.cfunc
    @cython.nogil
    def _shape(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """The first five segments by kind: a letters, d digits and how many, e empty, m mixed."""
        i: cython.Py_ssize_t
        end: cython.Py_ssize_t
        segment: cython.Py_ssize_t
        letters: cython.Py_ssize_t
        digits: cython.Py_ssize_t
        state: cython.ulonglong = self._begin(ord("z"))
        for segment in range(5):
            end = self._find(ord("/"), start, stop)
            if segment:
                state = self._step(state, ord("/"))
            letters = digits = 0
            for i in range(start, end):
                letters += self._is_letter(self.text[i])
                digits += self._is_digit(self.text[i])
            if start == end:
                state = self._step(state, ord("e"))
            elif digits == end - start:
                state = self._number(self._step(state, ord("d")), min(digits, 8))
            else:
                state = self._step(state, ord("a") if letters == end - start else ord("m"))
            if end == stop:
                break
            start = end + 1
        self._emit(state, 0, 0)

    @cython.cfunc
    @cython.nogil
    def _file_code(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """The two letters that a file name ends in, set apart as a code is: ``report_fi.pdf``, ``index.fr.php``."""
        begin: cython.Py_ssize_t
        dot: cython.Py_ssize_t
        end: cython.Py_ssize_t
        mark: cython.uchar
        is_code: cython.bint
        if stop > start and self.text[stop - 1] == ord("/"):
            stop -= 1
        begin = self._find_last(ord("/"), start, stop) + 1
        dot = self._find_last(ord("."), begin, stop)
        end = dot if dot >= begin and self._size(dot + 1, stop) <= 5 else stop
        if end - begin < 2 or not (
            self._is_letter(self.text[end - 1]) and self._is_letter(self.text[end - 2])
        ):
            return
        mark = self.text[end - 3] if end - begin > 2 else 0
        is_code = mark == ord("_") or mark == ord(".") or (end - begin == 2 and end < stop)
        # Behind several hyphens they are the last word of a headline.
        if is_code or (mark == ord("-") and self._count(ord("-"), begin, end) == 1):
            self._emit_span(ord("f"), end - 2, end)

    @cython.cfunc
    @cython.nogil
    def _pairs(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """The first pairs of a query, and the first language key behind them."""
        i: cython.Py_ssize_t
        begin: cython.Py_ssize_t
        n_pairs: cython.Py_ssize_t = 0
        if start >= stop:
            return
        begin = self._past_amp(start, stop)
        for i in range(start, stop + 1):
            if i < stop and self.text[i] != ord("&"):
                continue
            if n_pairs < _MAX_PAIRS:
                self._pair(begin, i)
            elif self._is_language_key(begin, self._find(ord("="), begin, i)):
                self._pair(begin, i)
                return
            n_pairs += 1
            begin = self._past_amp(i + 1, stop)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _past_amp(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Behind the ``amp;`` of a query that was copied from HTML source."""
        if (
            start + 4 <= stop
            and self.text[start] == ord("a")
            and self.text[start + 1] == ord("m")
            and self.text[start + 2] == ord("p")
            and self.text[start + 3] == ord(";")
        ):
            return start + 4
        return start

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _is_language_key(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        return self._place(self.keys, self._hash(self.offset, start, stop)) >= 0

    @cython.cfunc
    @cython.nogil
    def _pair(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """A pair of the query, and the language that it names."""
        equals: cython.Py_ssize_t
        if self._size(start, stop) > _MAX_PAIR:
            return
        self._emit_span(ord("q"), start, stop)
        equals = self._find(ord("="), start, stop)
        if equals + 1 < stop and self._is_language_key(start, equals):
            self._language(equals + 1, stop)

    @cython.cfunc
    @cython.nogil
    def _language(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """The language of a value: by a longer code or name, else by its first two characters."""
        code: cython.ulonglong
        place: cython.Py_ssize_t = self._place(self.language_names, self._hash(self.offset, start, stop))
        state: cython.ulonglong = self._begin(ord("l"))
        if place < 0:
            self._emit(self._span(state, start, self._next(self._next(start, stop), stop)), start, stop)
            return
        code = self.language_codes[place]  # up to eight letters, the first in the lowest byte
        while code:
            state = self._step(state, cython.cast(cython.uchar, code & 255))
            code >>= 8
        self._emit(state, start, stop)

"""Segment host names into words, for home pages whose language the other features leave in doubt.

A name is cut so that it costs least, in each language apart (dynamic programming over its letters): a word costs
``word``, a letter that no word covers ``letter``. The costs of eight languages are the bytes of one number, so that
one step compares all of them. Keys of a block's names are computed first, and prefetched, then looked up.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

if cython.compiled:
    from cython.cimports.linksight.native.primitives import fnv_mix, fnv_step, prefetch
else:
    from linksight.native.primitives import fnv_mix, fnv_step

SHORTEST, LONGEST = 3, 9  #: letters of a word
BITS = 17  #: of a word's hash that select its bucket
SET_BITS, FINGERPRINT_BITS = (
    6,
    10,
)  #: of an entry: one bit a language, and what distinguishes words of a bucket
BUCKET = 8  #: entries of a bucket
MAX_LETTERS, MAX_WORDS = 40, 40  #: as in ``extract``

_SHORTEST = cython.declare(cython.Py_ssize_t, 3)
_LONGEST = cython.declare(cython.Py_ssize_t, 9)
_MAX_LETTERS = cython.declare(cython.Py_ssize_t, 40)
_MAX_WORDS = cython.declare(cython.Py_ssize_t, 40)
_KEY_SHIFT = cython.declare(cython.int, 64 - 17 - 10)
# Eight languages are the bytes of one number; costs stay below 128.
_BYTES = cython.declare(cython.ulonglong, 0x0101010101010101)
_HIGH = cython.declare(cython.ulonglong, 0x8080808080808080)
_NEVER = cython.declare(cython.ulonglong, 0x7F7F7F7F7F7F7F7F)
# Four entries of sixteen bits are one number.
_LANES = cython.declare(cython.ulonglong, 0x0001000100010001)
_LOW_LANES = cython.declare(cython.ulonglong, 0x7FFF7FFF7FFF7FFF)
_PRINT_LANES = cython.declare(cython.ulonglong, 0xFFC0FFC0FFC0FFC0)
# Arcs of the lattice: below a word's key the place where it begins, or one of two marks.
_NO_WORD = cython.declare(
    cython.ulonglong, 0x8000000000000000
)  # the letter that ends here, covered by no word
_NAME = cython.declare(
    cython.ulonglong, 0x4000000000000000
)  # not an arc, but the row of the name whose arcs follow
_MAX_ARCS = MAX_WORDS * (MAX_LETTERS * (LONGEST - SHORTEST + 2) + 1)  # of a host
_NOTHING = cython.declare(cython.float, -1e30)


@cython.final
@cython.cclass
class Segmenter:
    """Adds what the names of home pages say to their scores; one instance a thread."""

    entries: cython.const[cython.ulonglong][::1]
    logits: cython.const[cython.float][:, ::1]
    columns: cython.const[cython.longlong][::1]
    empty_words: cython.const[cython.ulonglong][::1]
    sets: cython.const[cython.ulonglong][::1]
    text: cython.const[cython.uchar][::1]
    arcs: cython.ulonglong[::1]
    costs: cython.ulonglong[::1]
    sums: cython.longlong[::1]
    scores: cython.float[:, ::1]
    shift: cython.const[cython.float][::1]
    word: cython.ulonglong
    letter: cython.ulonglong
    doubt: cython.float
    rise: cython.float
    max_gap: cython.longlong
    n_columns: cython.Py_ssize_t
    n: cython.Py_ssize_t

    def __init__(self, vocabulary, empty_words):
        """``vocabulary`` holds the arrays and constants of ``url_model.segmentation.Vocabulary``."""
        self.entries, self.logits = memoryview(vocabulary.entries), memoryview(vocabulary.logits)
        self.columns, self.empty_words = memoryview(vocabulary.columns), memoryview(empty_words)
        sets = [sum(255 << 8 * k for k in range(SET_BITS) if set_ >> k & 1) for set_ in range(2**SET_BITS)]
        self.sets = memoryview(np.array(sets, np.uint64))
        self.arcs = memoryview(np.zeros(_MAX_ARCS + 4096, np.uint64))
        self.costs = memoryview(np.zeros(MAX_LETTERS + 2, np.uint64))
        self.sums = memoryview(np.zeros(8, np.int64))
        self.word, self.letter = vocabulary.word * 0x0101010101010101, vocabulary.letter * 0x0101010101010101
        self.doubt, self.rise = vocabulary.doubt, 1 / (vocabulary.doubt - vocabulary.full)
        self.max_gap = vocabulary.logits.shape[1] - 1

    def add_to(
        self,
        text: cython.const[cython.uchar][::1],
        stops: cython.const[cython.longlong][:, ::1],
        scores: cython.float[:, ::1],
        first: cython.Py_ssize_t,
        n_rows: cython.Py_ssize_t,
        n_columns: cython.Py_ssize_t,
        shift: cython.const[cython.float][::1],
    ) -> None:
        """Add to the scores of rows ``first`` to ``first + n_rows``, whose names ``stops`` has from its first row on."""
        r: cython.Py_ssize_t
        room: cython.Py_ssize_t = self.arcs.shape[0] - 40 * (40 * 8 + 1)
        self.text, self.scores, self.shift, self.n_columns = text, scores, shift, n_columns
        with cython.nogil:
            self.n = 0
            for r in range(n_rows):
                if stops[r, 6] > stops[r, 5] and self._share(first + r) > 0:
                    if self.n > room:
                        self._look_up()
                    self._add_arcs(stops[r, 5], stops[r, 6], first + r)
            self._look_up()

    def costs_of(self, name: bytes):
        """For each end of a name's parts the cost of each language, and for each word (start, end, languages)."""
        self.text, words = name, []
        self.n = 0
        self._add_name(0, len(name))
        self._segment(0, self.n)
        at = 0
        for w in range(self.n):
            arc = self.arcs[w]
            if arc & _NO_WORD:
                at += 1
            elif found := self._set_of(arc >> 8):
                words.append((int(arc & 255), at, int(found)))
        costs = [
            [(self.costs[end] >> 8 * k) & 255 for k in range(len(self.columns))] for end in range(at + 1)
        ]
        return costs, words

    @cython.cfunc
    @cython.nogil
    def _share(self, r: cython.Py_ssize_t) -> cython.float:
        """How far names count, 0 to 1: the closer two of the languages are to the likeliest of all, the more."""
        k: cython.Py_ssize_t
        j: cython.Py_ssize_t
        logit: cython.float
        one: cython.float = _NOTHING
        two: cython.float = _NOTHING
        top: cython.float = _NOTHING
        for k in range(self.columns.shape[0]):
            j = self.columns[k]
            logit = self.scores[r, j] - self.shift[j]
            two = max(two, min(one, logit))
            one = max(one, logit)
        if one - two >= self.doubt:
            return 0
        for j in range(self.n_columns):
            top = max(top, self.scores[r, j] - self.shift[j])
        return min(max((self.doubt - (top - two)) * self.rise, 0), 1)

    @cython.cfunc
    @cython.nogil
    def _add_arcs(
        self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, row: cython.Py_ssize_t
    ) -> cython.void:
        """Append the arcs of the names in a span."""
        i: cython.Py_ssize_t
        n_words: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t = 0
        for i in range(start, stop + 1):
            if i < stop and ord("a") <= self.text[i] <= ord("z"):
                size += 1
            elif size:
                if size > 1 and n_words < _MAX_WORDS and not self._is_empty(i - size, size):
                    n_words += 1
                    if size >= _SHORTEST:
                        self.arcs[self.n] = _NAME | row
                        self.n += 1
                        self._add_name(i - size, min(size, _MAX_LETTERS))
                size = 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _is_empty(self, start: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.bint:
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        state: cython.ulonglong = 0xCBF29CE484222325
        if size > 5:
            return False
        for i in range(start, start + size):
            state = fnv_step(state, self.text[i])
        for k in range(self.empty_words.shape[0]):
            if self.empty_words[k] == state:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    def _add_name(self, start: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.void:
        """Append a name's arcs by where they end: each letter alone, then all words that could end with it."""
        i: cython.Py_ssize_t
        end: cython.Py_ssize_t
        n: cython.Py_ssize_t = self.n
        state: cython.ulonglong
        key: cython.ulonglong
        for end in range(start, start + size):
            self.arcs[n] = _NO_WORD
            n += 1
            state = 0xCBF29CE484222325
            i = end
            while i >= start and i > end - _LONGEST:
                state = fnv_step(state, self.text[i])
                if end - i >= _SHORTEST - 1:
                    key = fnv_mix(state) >> _KEY_SHIFT
                    self.arcs[n] = (key << 8) | cython.cast(cython.ulonglong, i - start)
                    n += 1
                    if cython.compiled:
                        prefetch(cython.address(self.entries[(key >> 10) * 2]))
                i -= 1
        self.n = n

    @cython.cfunc
    @cython.nogil
    def _look_up(self) -> cython.void:
        """Segment all names whose arcs were appended and add what they say, each row's when its last name is done."""
        k: cython.Py_ssize_t
        w: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t
        row: cython.Py_ssize_t = -1
        cost: cython.ulonglong
        while w < self.n:
            if cython.cast(cython.Py_ssize_t, self.arcs[w] & ~_NAME) != row:
                row = cython.cast(cython.Py_ssize_t, self.arcs[w] & ~_NAME)
                for k in range(8):
                    self.sums[k] = 0
            end = w + 1
            while end < self.n and not self.arcs[end] & _NAME:
                end += 1
            cost = self._segment(w + 1, end)
            w = end
            for k in range(8):
                self.sums[k] += (cost >> (8 * k)) & 255
            if w == self.n or cython.cast(cython.Py_ssize_t, self.arcs[w] & ~_NAME) != row:
                self._add_logits(row)
        self.n = 0

    @cython.cfunc
    @cython.nogil
    def _segment(self, w: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.ulonglong:
        """The least costs of a name, a byte a language; those of each end are left in ``costs``."""
        arc: cython.ulonglong
        found: cython.ulonglong
        by_word: cython.ulonglong
        cost: cython.ulonglong = 0
        at: cython.Py_ssize_t = 0
        self.costs[0] = 0
        while w < end:
            arc = self.arcs[w]
            if arc & _NO_WORD:
                at += 1
                cost += self.letter
                self.costs[at] = cost
            else:
                found = self._set_of(arc >> 8)
                if found:
                    found = self.sets[found]
                    by_word = ((self.costs[arc & 255] + self.word) & found) | (_NEVER & ~found)
                    cost = self._smaller(cost, by_word)
                    self.costs[at] = cost
            w += 1
        return cost

    @cython.cfunc
    @cython.nogil
    def _add_logits(self, row: cython.Py_ssize_t) -> cython.void:
        """Add the logits of the summed costs: by how many languages are cheapest, and how much dearer each one is."""
        k: cython.Py_ssize_t
        n: cython.Py_ssize_t = self.columns.shape[0]
        cheapest: cython.Py_ssize_t = 0
        least: cython.longlong = self.sums[0]
        share: cython.float = self._share(row)
        for k in range(n):
            least = min(least, self.sums[k])
        for k in range(n):
            cheapest += self.sums[k] == least
        for k in range(n):
            self.scores[row, self.columns[k]] += (
                share * self.logits[cheapest, min(self.sums[k] - least, self.max_gap)]
            )

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _set_of(self, key: cython.ulonglong) -> cython.ulonglong:
        """The languages that have a word, one bit each: of a bucket's eight entries the one with its fingerprint."""
        sought: cython.ulonglong = ((key & 1023) << 6) * _LANES
        first: cython.Py_ssize_t = (key >> 10) * 2
        found: cython.ulonglong = self._matching(self.entries[first], sought)
        found |= self._matching(self.entries[first + 1], sought)
        found |= found >> 32
        return (found | (found >> 16)) & 63

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _matching(self, four: cython.ulonglong, sought: cython.ulonglong) -> cython.ulonglong:
        """The languages of those of four entries that have the fingerprint, in place."""
        differs: cython.ulonglong = (four ^ sought) & _PRINT_LANES
        alike: cython.ulonglong = (
            ~(((differs & _LOW_LANES) + _LOW_LANES) | differs | _LOW_LANES) >> 15
        ) & _LANES
        return four & (alike * 63)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _smaller(self, one: cython.ulonglong, other: cython.ulonglong) -> cython.ulonglong:
        """The smaller of each two bytes, which are below 128."""
        larger: cython.ulonglong = ((one | _HIGH) - other) & _HIGH
        mask: cython.ulonglong = (larger - (larger >> 7)) | larger
        return (other & mask) | (one & ~mask)

"""The pattern automaton: one pass over the bytes of each URL finds the most specific of all patterns.

The automaton is a prefix tree over tokens. A set of its nodes is active at a time; each token leads from an active node
to a literal child (a hash table), a site (``*.a.org``), a token with placeholders, any token, or a path of any length.
Patterns that end before the query are *clauses* of a node: the parameters that the URL must have, in any order.
``linksight.sites.matching.automaton_tables`` lays out the arrays.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

import numpy as np

if cython.compiled:
    from cython.cimports.linksight.native.primitives import fnv_mix, fnv_step
else:
    from linksight.native.primitives import fnv_mix, fnv_step

#: Placeholders in a token, as single bytes of the pool.
TEXT, NUMBER, WORD, HASH, UUID, DATE, LANGUAGE = range(1, 8)
#: How a child that is not a literal takes tokens: by its template, any token, a segment, a path.
TEMPLATE, TOKEN, SEGMENT, PATH = range(4)
NO_MATCH, BAD_URL, FOREIGN_HOST = -1, -2, -3
MAX_PARAMETERS = 64  #: of a query; the rest is not compared

_TEXT = cython.declare(cython.int, 1)
_NUMBER = cython.declare(cython.int, 2)
_WORD = cython.declare(cython.int, 3)
_HASH = cython.declare(cython.int, 4)
_UUID = cython.declare(cython.int, 5)
_DATE = cython.declare(cython.int, 6)
_LANGUAGE = cython.declare(cython.int, 7)
_TEMPLATE = cython.declare(cython.int, 0)
_SEGMENT = cython.declare(cython.int, 2)
_PATH = cython.declare(cython.int, 3)
_N_PARAMETERS = cython.declare(cython.int, 64)
_MAX_TOKENS = cython.declare(cython.int, 64)
_BASIS = cython.declare(cython.ulonglong, 0xCBF29CE484222325)
_SITE_BASIS = cython.declare(cython.ulonglong, 0x84222325CBF29CE4)


@cython.cfunc
@cython.inline
@cython.nogil
def _slot(node: cython.int, run: cython.ulonglong, token_hash: cython.ulonglong) -> cython.ulonglong:
    return fnv_mix(fnv_step(fnv_step(fnv_mix(token_hash), node), run))


def slot_of(node: int, run: int, token_hash: int) -> int:
    """The slot of a literal child before it is cut to the size of the table."""
    return int(_slot(node, run, token_hash))


def hash_of(token: bytes, is_site: bool) -> int:
    """The hash of a literal token, or of the site that a host belongs to."""
    state = 0x84222325CBF29CE4 if is_site else 0xCBF29CE484222325
    for byte in token:
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return state


@cython.cfunc
@cython.inline
@cython.nogil
def _is_separator(byte: cython.int) -> cython.bint:
    return byte == 47 or byte == 61 or byte == 63 or byte == 38 or byte == 58 or byte == 35


@cython.cfunc
@cython.inline
@cython.nogil
def _lower(byte: cython.int) -> cython.int:
    return byte + 32 if 65 <= byte <= 90 else byte


@cython.cfunc
@cython.inline
@cython.nogil
def _hex(byte: cython.int) -> cython.int:
    """The value of a hexadecimal digit, or -1."""
    if 48 <= byte <= 57:
        return byte - 48
    byte = _lower(byte)
    return byte - 87 if 97 <= byte <= 102 else -1


@cython.cfunc
@cython.inline
@cython.nogil
def _is_letter(byte: cython.int) -> cython.bint:
    return 97 <= _lower(byte) <= 122


@cython.cfunc
@cython.inline
@cython.nogil
def _in_loop(run: cython.ulonglong, loop: cython.int) -> cython.bint:
    """Whether a wildcard goes on behind these separators: a segment behind ``:=&``, a path behind ``/`` too."""
    byte: cython.int
    while run:
        byte = cython.cast(cython.int, run & 255)
        if not (byte == 58 or byte == 61 or byte == 38 or (byte == 47 and loop == _PATH)):
            return False
        run >>= 8
    return True


@cython.final
@cython.cclass
class PatternAutomaton:
    """The tables of an automaton and the buffers of one pass. Not for several threads at a time without the GIL."""

    literal_node: cython.const[cython.int][::1]
    literal_run: cython.const[cython.ulonglong][::1]
    literal_hash: cython.const[cython.ulonglong][::1]
    literal_start: cython.const[cython.int][::1]
    literal_length: cython.const[cython.int][::1]
    literal_child: cython.const[cython.int][::1]
    other_from: cython.const[cython.int][::1]
    other_run: cython.const[cython.ulonglong][::1]
    other_kind: cython.const[cython.int][::1]
    other_start: cython.const[cython.int][::1]
    other_length: cython.const[cython.int][::1]
    other_child: cython.const[cython.int][::1]
    end_from: cython.const[cython.int][::1]
    end_run: cython.const[cython.ulonglong][::1]
    end_pattern: cython.const[cython.int][::1]
    clause_from: cython.const[cython.int][::1]
    clause_pattern: cython.const[cython.int][::1]
    clause_specific: cython.const[cython.int][::1]
    clause_needs: cython.const[cython.int][::1]
    name_start: cython.const[cython.int][::1]
    name_length: cython.const[cython.int][::1]
    value_start: cython.const[cython.int][::1]
    value_length: cython.const[cython.int][::1]
    specific: cython.const[cython.int][::1]
    loop: cython.const[cython.int][::1]
    pool: cython.const[cython.uchar][::1]
    max_length: cython.Py_ssize_t
    has_sites: cython.bint
    has_ordered: cython.bint
    url: cython.uchar[::1]
    active: cython.int[::1]
    following: cython.int[::1]
    stamps: cython.longlong[::1]
    stamp: cython.longlong
    parameters: cython.int[::1]
    n_parameters: cython.int
    at: cython.Py_ssize_t
    run: cython.ulonglong

    def __init__(self, tables: Any) -> None:
        literals, others, ends, clauses, needs = (
            tables.literals, tables.others, tables.ends, tables.clauses, tables.needs,
        )  # fmt: skip
        (self.literal_node, self.literal_run, self.literal_hash, self.literal_start, self.literal_length,
         self.literal_child) = map(memoryview, literals)  # fmt: skip
        (self.other_from, self.other_run, self.other_kind, self.other_start, self.other_length,
         self.other_child) = map(memoryview, others)  # fmt: skip
        self.end_from, self.end_run, self.end_pattern = map(memoryview, ends)
        self.clause_from, self.clause_pattern, self.clause_specific, self.clause_needs = map(
            memoryview, clauses
        )
        self.name_start, self.name_length, self.value_start, self.value_length = map(memoryview, needs)
        self.specific, self.loop = memoryview(tables.specific), memoryview(tables.loop)
        self.pool = memoryview(tables.pool)
        self.has_sites, self.has_ordered = tables.has_sites, tables.has_ordered
        self.max_length = tables.max_length
        n_nodes = len(tables.specific)
        self.url = memoryview(np.empty(1, np.uint8))
        self.active = memoryview(np.zeros(2 * n_nodes, np.int32))
        self.following = memoryview(np.zeros(2 * n_nodes, np.int32))
        self.stamps = memoryview(np.zeros(n_nodes, np.int64))
        self.parameters = memoryview(np.zeros(4 * MAX_PARAMETERS, np.int32))
        self.stamp = 0
        self.n_parameters = -1
        self.at = 0
        self.run = 0

    def match_rows(
        self,
        text: cython.const[cython.uchar][::1],
        starts: cython.const[cython.longlong][::1],
        found: cython.int[::1],
        longest: int,
    ) -> None:
        """The position of the best pattern of each row of a column; ``longest`` is the length of its longest row."""
        row: cython.Py_ssize_t
        end: cython.Py_ssize_t
        if self.url.shape[0] < longest:
            self.url = memoryview(np.empty(2 * longest, np.uint8))
        for row in range(len(found)):
            end = self._normalise(text, starts[row], starts[row + 1])
            if end < 0:
                found[row] = cython.cast(cython.int, end)
            elif end == 0 or _is_separator(self.url[0]):
                found[row] = -2
            else:
                found[row] = self._match(end)

    # --- the scanner ---------------------------------------------------------------------------------------------

    @cython.cfunc
    def _authority(
        self, text: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Where the authority begins, or -1 for what is not a web address."""
        at: cython.Py_ssize_t
        byte: cython.int
        dot: cython.bint = False
        colon: cython.bint = False
        at = start
        if (
            end - start >= 7 and _lower(text[at]) == 104 and _lower(text[at + 1]) == 116
            and _lower(text[at + 2]) == 116 and _lower(text[at + 3]) == 112
        ):  # fmt: skip
            at += 5 if _lower(text[at + 4]) == 115 else 4
            if at + 3 <= end and text[at] == 58 and text[at + 1] == 47 and text[at + 2] == 47:
                return at + 3
        if end - start >= 2 and text[start] == 47 and text[start + 1] == 47:
            return start + 2
        for at in range(start, end):
            byte = text[at]
            if byte == 47 or byte == 63 or byte == 35:
                break
            if byte == 64 or (colon and not 48 <= byte <= 57):
                return -1
            if byte == 58:
                colon = True
            elif byte == 46 and not colon:
                dot = True
        return start if dot else -1

    @cython.cfunc
    def _normalise(
        self, text: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Copy what follows the scheme, the host in small letters, codes of letters beyond ASCII as these letters.

        The length, or a negative code.
        """
        at: cython.Py_ssize_t
        stop: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        index: cython.Py_ssize_t
        while start < end and text[start] <= 32:
            start += 1
        while end > start and text[end - 1] <= 32:
            end -= 1
        if end - start > self.max_length:
            for at in range(start, end):
                n += (text[at] & 0xC0) != 0x80
            if n > self.max_length:
                return -2
        at = self._authority(text, start, end)
        if at < 0:
            return -2
        stop = at
        while stop < end and text[stop] != 47 and text[stop] != 63 and text[stop] != 35:
            if text[stop] == 64:
                at = stop + 1
            stop += 1
        n = stop - at
        for index in range(n):
            if text[at + index] >= 128:
                return -3
            self.url[index] = _lower(text[at + index])
        if n >= 3 and self.url[n - 3] == 58 and self.url[n - 2] == 56 and self.url[n - 1] == 48:
            n -= 3
        elif (
            n >= 4 and self.url[n - 4] == 58 and self.url[n - 3] == 52 and self.url[n - 2] == 52
            and self.url[n - 1] == 51
        ):  # fmt: skip
            n -= 4
        elif n >= 1 and self.url[n - 1] == 58:
            n -= 1
        while stop < end:
            index = self._letter(text, stop, end, n) if text[stop] == 37 else 0
            if index:
                stop, n = stop + 3 * index, n + index
            else:
                self.url[n] = text[stop]
                stop, n = stop + 1, n + 1
        return n

    @cython.cfunc
    def _letter(
        self, text: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, end: cython.Py_ssize_t,
        out: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:  # fmt: skip
        """Write a letter beyond ASCII that stands in percent codes; its bytes, 0 where there is none."""
        size: cython.Py_ssize_t
        index: cython.Py_ssize_t
        high: cython.int
        low: cython.int
        byte: cython.int
        first: cython.int
        if at + 6 > end:
            return 0
        high, low = _hex(text[at + 1]), _hex(text[at + 2])
        first = high * 16 + low
        if high < 12 or low < 0 or first < 0xC2 or first > 0xF4:
            return 0
        size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        if at + 3 * size > end:
            return 0
        self.url[out] = first
        for index in range(1, size):
            if text[at + 3 * index] != 37:
                return 0
            high, low = _hex(text[at + 3 * index + 1]), _hex(text[at + 3 * index + 2])
            byte = high * 16 + low
            if high < 8 or high > 11 or low < 0:
                return 0
            if index == 1 and (
                (first == 0xE0 and byte < 0xA0) or (first == 0xED and byte > 0x9F)
                or (first == 0xF0 and byte < 0x90) or (first == 0xF4 and byte > 0x8F)
            ):  # fmt: skip
                return 0
            self.url[out + index] = byte
        return size

    @cython.cfunc
    @cython.inline
    def _read_run(self, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Pack the canonical run of separators from ``at`` into ``self.run``; where it ends."""
        stop: cython.Py_ssize_t = at
        cut: cython.Py_ssize_t = -1
        left: cython.Py_ssize_t
        index: cython.Py_ssize_t
        n: cython.int = 0
        while stop < end and _is_separator(self.url[stop]):
            if cut < 0 and (self.url[stop] == 63 or self.url[stop] == 35):
                cut = stop
            stop += 1
        left = at
        if cut >= 0:
            left = cut
            while left > at and self.url[left - 1] == 47:
                left -= 1
        else:
            cut = at
        self.run = 0
        for index in range(at, stop):
            if (index < left or index >= cut) and n < 8:
                self.run = (self.run << 8) | self.url[index]
                n += 1
        return stop

    @cython.cfunc
    def _read_tail(self, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.ulonglong:
        """The separators that count at the end of a URL, packed."""
        index: cython.Py_ssize_t
        run: cython.ulonglong = 0
        while end > at and (
            self.url[end - 1] == 47
            or self.url[end - 1] == 63
            or self.url[end - 1] == 35
            or self.url[end - 1] == 38
        ):
            end -= 1
        for index in range(at, min(end, at + 8)):
            run = (run << 8) | self.url[index]
        return run

    # --- the automaton -------------------------------------------------------------------------------------------

    @cython.cfunc
    def _match(self, end: cython.Py_ssize_t) -> cython.int:
        """The best pattern of the URL in the buffer."""
        at: cython.Py_ssize_t = 0
        begin: cython.Py_ssize_t
        stop: cython.Py_ssize_t
        run: cython.ulonglong = 0
        before: cython.ulonglong = 0
        token_hash: cython.ulonglong
        n_tokens: cython.int = 0
        n_active: cython.int = 1
        clause: cython.int = -1
        best: cython.int = -1
        in_fragment: cython.bint = False
        is_path: cython.bint = True
        self.active[0] = 0
        while at < end:
            begin, token_hash = at, _BASIS
            while at < end and not _is_separator(self.url[at]):
                token_hash = fnv_step(token_hash, self.url[at])
                at += 1
            n_tokens += 1
            n_active = self._step(begin, at, token_hash, run, n_active)
            self.active, self.following = self.following, self.active
            stop = self._read_run(at, end)
            run = self.run
            if is_path and (stop == end or self._leaves_path(at, stop)):
                is_path = False
                clause = self._best_clause(at, stop, end, n_active)
                if not self.has_ordered:
                    break
            if stop == end:
                break
            if not in_fragment and self._has_hash(run):
                in_fragment = True
                best = self._best_end(n_active, self._before_hash(run))
            at = stop
        if n_tokens > _MAX_TOKENS:
            return -2
        if self.has_ordered:
            before = self._read_tail(at, end)
            n_tokens = self._best_end(n_active, before)
            if n_tokens < 0 and not in_fragment and self._has_hash(before):
                n_tokens = self._best_end(n_active, self._before_hash(before))
            if n_tokens >= 0:
                best = n_tokens
        return best if best >= 0 else clause

    @cython.cfunc
    @cython.inline
    def _leaves_path(self, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        while at < stop:
            if self.url[at] == 63 or self.url[at] == 35:
                return True
            at += 1
        return False

    @cython.cfunc
    @cython.inline
    def _has_hash(self, run: cython.ulonglong) -> cython.bint:
        while run:
            if run & 255 == 35:
                return True
            run >>= 8
        return False

    @cython.cfunc
    @cython.inline
    def _before_hash(self, run: cython.ulonglong) -> cython.ulonglong:
        """What counts of the separators before the first ``#``."""
        before: cython.ulonglong = 0
        byte: cython.ulonglong
        index: cython.int
        for index in range(8):
            byte = (run >> (56 - 8 * index)) & 255
            if byte == 35:
                break
            before = ((before & 0xFFFFFFFFFFFFFF) << 8) | byte
        while before & 255 == 47 or before & 255 == 63 or before & 255 == 38:
            before >>= 8
        return before

    @cython.cfunc
    def _step(
        self, begin: cython.Py_ssize_t, end: cython.Py_ssize_t, token_hash: cython.ulonglong,
        run: cython.ulonglong, n_active: cython.int,
    ) -> cython.int:  # fmt: skip
        """The nodes that a token leads to, the most specific first; how many there are."""
        n: cython.int = 0
        index: cython.int
        other: cython.int
        node: cython.int
        child: cython.int
        kind: cython.int
        first: cython.ulonglong = run
        self.stamp += 1
        while first > 255:
            first >>= 8
        for index in range(n_active):
            node = self.active[index]
            child = self._literal(begin, end, node, run, token_hash)
            if child >= 0:
                self.following[n] = child
                n += 1
            if node == 0 and self.has_sites:
                n = self._sites(begin, end, n)
            for other in range(self.other_from[node], self.other_from[node + 1]):
                kind = self.other_kind[other]
                if self.other_run[other] != run and not (
                    kind >= _SEGMENT and self.other_run[other] == first and self._opens(run, kind)
                ):
                    continue
                if kind == _TEMPLATE and not self._fits(
                    begin, end, self.other_start[other], self.other_start[other] + self.other_length[other]
                ):
                    continue
                n = self._add(self.other_child[other], n)
            if self.loop[node] and _in_loop(run, self.loop[node]):
                n = self._add(node, n)
        return n

    @cython.cfunc
    @cython.inline
    def _opens(self, run: cython.ulonglong, kind: cython.int) -> cython.bint:
        """Whether a value may begin behind the first separator of a run with the others."""
        rest: cython.ulonglong = 0
        place: cython.ulonglong = 1
        while run > 255:
            rest += (run & 255) * place
            place *= 256
            run >>= 8
        return _in_loop(rest, kind)

    @cython.cfunc
    @cython.inline
    def _add(self, node: cython.int, n: cython.int) -> cython.int:
        """Make a node active, once."""
        if self.loop[node]:
            if self.stamps[node] == self.stamp:
                return n
            self.stamps[node] = self.stamp
        self.following[n] = node
        return n + 1

    @cython.cfunc
    @cython.inline
    def _literal(
        self, begin: cython.Py_ssize_t, end: cython.Py_ssize_t, node: cython.int, run: cython.ulonglong,
        wanted: cython.ulonglong,
    ) -> cython.int:  # fmt: skip
        """The node behind a literal token or a site, or -1."""
        size: cython.ulonglong = len(self.literal_node)
        slot: cython.ulonglong = (_slot(node, run, wanted) >> 20) & (size - 1)
        index: cython.Py_ssize_t
        start: cython.Py_ssize_t
        same: cython.bint
        while self.literal_node[slot] >= 0:
            if (
                self.literal_node[slot] == node and self.literal_hash[slot] == wanted
                and self.literal_run[slot] == run and self.literal_length[slot] == end - begin
            ):  # fmt: skip
                start, same = self.literal_start[slot], True
                for index in range(end - begin):
                    if self.url[begin + index] != self.pool[start + index]:
                        same = False
                        break
                if same:
                    return self.literal_child[slot]
            slot = (slot + 1) & (size - 1)
        return -1

    @cython.cfunc
    def _sites(self, begin: cython.Py_ssize_t, end: cython.Py_ssize_t, n: cython.int) -> cython.int:
        """Add the nodes behind the sites that a host belongs to, the narrowest first."""
        start: cython.Py_ssize_t
        at: cython.Py_ssize_t
        child: cython.int
        site_hash: cython.ulonglong
        for start in range(begin, end):
            if start > begin and (self.url[start - 1] != 46 or start - 1 == begin):
                continue
            site_hash = _SITE_BASIS
            for at in range(start, end):
                site_hash = fnv_step(site_hash, self.url[at])
            child = self._literal(start, end, 0, 0, site_hash)
            if child >= 0:
                self.following[n] = child
                n += 1
        return n

    @cython.cfunc
    def _fits(
        self, begin: cython.Py_ssize_t, end: cython.Py_ssize_t, t: cython.Py_ssize_t, t_end: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether bytes of the URL fit a template of the pool."""
        at: cython.Py_ssize_t = begin
        star: cython.Py_ssize_t = -1
        star_at: cython.Py_ssize_t = 0
        stop: cython.Py_ssize_t
        code: cython.int
        while True:
            if t == t_end:
                if at == end:
                    return True
            else:
                code = self.pool[t]
                if code == _TEXT:
                    if at < end:
                        star, star_at = t + 1, at + 1
                        t, at = t + 1, at + 1
                        continue
                elif code <= _LANGUAGE:
                    stop = self._placeholder(code, at, end)
                    if stop > at:
                        t, at = t + 1, stop
                        continue
                elif at < end and self.url[at] == code:
                    t, at = t + 1, at + 1
                    continue
            if star < 0 or star_at >= end:
                return False
            star_at += 1
            t, at = star, star_at

    @cython.cfunc
    def _placeholder(
        self, kind: cython.int, at: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Where the longest value of a kind ends that begins here; the beginning if there is none."""
        stop: cython.Py_ssize_t = at
        index: cython.Py_ssize_t
        if kind == _NUMBER:
            while stop < end and 48 <= self.url[stop] <= 57:
                stop += 1
        elif kind == _WORD:
            while stop < end and (self.url[stop] >= 128 or _is_letter(self.url[stop])):
                stop += 1
        elif kind == _HASH:
            while stop < end and _hex(self.url[stop]) >= 0:
                stop += 1
            return stop if stop - at >= 7 else at
        elif kind == _UUID:
            if end - at < 36:
                return at
            for index in range(36):
                if index == 8 or index == 13 or index == 18 or index == 23:
                    if self.url[at + index] != 45:
                        return at
                elif _hex(self.url[at + index]) < 0:
                    return at
            return at + 36
        elif kind == _DATE:
            if self._digits(at, end) == 8:
                return at + 8
            if (
                self._digits(at, end) != 4
                or end - at < 7
                or self.url[at + 4] != 45
                or self._digits(at + 5, end) != 2
            ):
                return at
            if end - at >= 10 and self.url[at + 7] == 45 and self._digits(at + 8, end) == 2:
                return at + 10
            return at + 7
        elif kind == _LANGUAGE:
            while stop < end and _is_letter(self.url[stop]):
                stop += 1
            if stop - at != 2:
                return at
            if stop < end and (self.url[stop] == 45 or self.url[stop] == 95):
                index = stop + 1
                while index < end and _is_letter(self.url[index]):
                    index += 1
                if 2 <= index - stop - 1 <= 4:
                    return index
        return stop

    @cython.cfunc
    def _digits(self, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """How many digits stand here."""
        stop: cython.Py_ssize_t = at
        while stop < end and 48 <= self.url[stop] <= 57:
            stop += 1
        return stop - at

    @cython.cfunc
    def _best_end(self, n_active: cython.int, run: cython.ulonglong) -> cython.int:
        """The most specific pattern, with its parameters in order, that ends at an active node; -1 if there is none."""
        best: cython.int = -1
        most: cython.int = -1
        index: cython.int
        end: cython.int
        node: cython.int
        for index in range(n_active):
            node = self.active[index]
            if self.specific[node] <= most:
                continue
            for end in range(self.end_from[node], self.end_from[node + 1]):
                if self.end_run[end] == run:
                    best, most = self.end_pattern[end], self.specific[node]
                    break
        return best

    # --- the query -----------------------------------------------------------------------------------------------

    @cython.cfunc
    def _best_clause(
        self, at: cython.Py_ssize_t, stop: cython.Py_ssize_t, end: cython.Py_ssize_t, n_active: cython.int
    ) -> cython.int:
        """The most specific clause of the active nodes whose parameters the query has; -1 if there is none."""
        best: cython.int = -1
        most: cython.int = -1
        index: cython.int
        clause: cython.int
        node: cython.int
        tail: cython.ulonglong = 0
        query: cython.Py_ssize_t = at
        while query < stop and self.url[query] != 63 and self.url[query] != 35:
            query += 1
        while at < query and self.url[query - 1] == 47:
            query -= 1
        while at < query:
            tail = ((tail & 0xFFFFFFFFFFFFFF) << 8) | self.url[at]
            at += 1
        self.n_parameters = -1
        for index in range(n_active):
            node = self.active[index]
            if tail and not (self.loop[node] and _in_loop(tail, self.loop[node])):
                continue
            for clause in range(self.clause_from[node], self.clause_from[node + 1]):
                if self.clause_specific[clause] > most and self._has_needs(clause, query, end):
                    best, most = self.clause_pattern[clause], self.clause_specific[clause]
        return best

    @cython.cfunc
    def _has_needs(self, clause: cython.int, query: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        """Whether the query has all parameters of a clause."""
        need: cython.int
        which: cython.int
        base: cython.int
        there: cython.bint
        if self.clause_needs[clause] == self.clause_needs[clause + 1]:
            return True
        if self.n_parameters < 0:
            self._read_query(query, end)
        for need in range(self.clause_needs[clause], self.clause_needs[clause + 1]):
            there = False
            for which in range(self.n_parameters):
                base = 4 * which
                if self._equals(
                    self.parameters[base], self.parameters[base + 1], self.name_start[need], self.name_length[need]
                ) and (
                    self.value_length[need] < 0
                    or self._equals(
                        self.parameters[base + 2], self.parameters[base + 3], self.value_start[need],
                        self.value_length[need],
                    )
                ):  # fmt: skip
                    there = True
                    break
            if not there:
                return False
        return True

    @cython.cfunc
    def _read_query(self, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> None:
        """Where the names and values of the query begin and end."""
        n: cython.int = 0
        begin: cython.Py_ssize_t
        sign: cython.Py_ssize_t
        while at < end and self.url[at] == 47:
            at += 1
        if at < end and self.url[at] == 63:
            at += 1
        else:
            end = at
        while at < end and self.url[at] != 35 and n < _N_PARAMETERS:
            begin, sign = at, -1
            while at < end and self.url[at] != 38 and self.url[at] != 59 and self.url[at] != 35:
                if sign < 0 and self.url[at] == 61:
                    sign = at
                at += 1
            if at > begin and sign != begin:
                self.parameters[4 * n] = cython.cast(cython.int, begin)
                self.parameters[4 * n + 1] = cython.cast(cython.int, sign if sign >= 0 else at)
                self.parameters[4 * n + 2] = cython.cast(cython.int, sign + 1 if sign >= 0 else at)
                self.parameters[4 * n + 3] = cython.cast(cython.int, at)
                n += 1
            if at < end and self.url[at] != 35:
                at += 1
        self.n_parameters = n

    @cython.cfunc
    def _equals(
        self,
        at: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        stored: cython.Py_ssize_t,
        length: cython.Py_ssize_t,
    ) -> cython.bint:
        """Whether a part of the query is what is stored, codes and ``+`` decoded."""
        last: cython.Py_ssize_t = stored + length
        byte: cython.int
        high: cython.int
        low: cython.int
        while at < end:
            byte = self.url[at]
            if byte == 43:
                byte = 32
            elif byte == 37 and at + 2 < end:
                high, low = _hex(self.url[at + 1]), _hex(self.url[at + 2])
                if high >= 0 and low >= 0:
                    byte = high * 16 + low
                    at += 2
            if stored == last or self.pool[stored] != byte:
                return False
            stored += 1
            at += 1
        return stored == last

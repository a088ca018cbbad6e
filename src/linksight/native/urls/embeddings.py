"""Find the rows of features and add them up: from hashes to one embedding a URL.

Features are found by bucket and fingerprint (``bucket_offsets``, ``fingerprints``). N-grams of words in letters from a to z
are found by a trie instead: the n-grams that begin at one letter are a chain (``ba``, ``bah``, ``bahn``, ``bahn_``),
and one look-up gives the sum of the chain's rows in place of four hashes and look-ups. A node of the trie stands for
four letters, five bits each with 0 for a word's edge; it holds the row of the sum, how many n-grams the model knows
among them, and which fifth letters continue a known n-gram, whose sums follow. Nodes are made when they are first
needed, under the interpreter lock, so that loading a model takes no time for n-grams that nobody reads.

Most of the time goes into waiting for memory. A block of URLs therefore passes through each step before the next one
starts, and each step prefetches what the next one reads.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

if cython.compiled:
    from cython.cimports.linksight.native.primitives import (
        count_bits,
        fnv_mix,
        fnv_step,
        prefetch,
        publish,
        round_even,
    )
    from cython.cimports.linksight.native.vector_loops import sum_rows
else:
    from linksight.native.primitives import count_bits, fnv_mix, fnv_step, round_even
    from linksight.native.vector_loops import sum_rows

N_NODES = 2 * 32**4  #: of the host, then of the path
LANES = 32  #: rows are padded to a multiple of this
_KNOWN = cython.declare(cython.ulonglong, 0x8000000000000000)  # the node was made
_ROW = cython.declare(cython.ulonglong, 0x3FFFFFFF)
_ONE_FOUND = cython.declare(cython.ulonglong, 0x100000000)


def unpack_nibbles(
    codes: cython.const[cython.uchar][:, ::1],
    factors: cython.const[cython.float][::1],
    levels: cython.const[cython.float][::1],
    rows: cython.short[:, ::1],
    dim: cython.Py_ssize_t,
) -> None:
    """Write the embeddings of features as integers from row 1 on: ``levels[code] * factor``, rounded.

    ``codes`` has two codes of four bits per byte, the first in the lower half. A factor times the largest level
    fits 16 bits.
    """
    r: cython.Py_ssize_t
    d: cython.Py_ssize_t
    k: cython.Py_ssize_t
    units: cython.short[::1] = memoryview(np.zeros(16, np.int16))
    with cython.nogil:
        for r in range(codes.shape[0]):
            for k in range(16):
                units[k] = round_even(levels[k] * factors[r])
            for d in range(dim // 2):
                rows[r + 1, 2 * d] = units[codes[r, d] & 15]
                rows[r + 1, 2 * d + 1] = units[codes[r, d] >> 4]
            if dim % 2:
                rows[r + 1, dim - 1] = units[codes[r, dim // 2] & 15]


@cython.final
@cython.cclass
class EmbeddingSums:
    """Sums of the embeddings of a block of URLs; one instance a thread, the tables are shared."""

    bucket_offsets: cython.const[cython.uint][::1]
    fingerprints: cython.const[cython.ushort][::1]
    rows: cython.short[:, ::1]
    nodes: cython.ulonglong[::1]
    end: cython.longlong[::1]
    scales: cython.const[cython.float][:, ::1]
    factors: cython.const[cython.float][:, ::1]
    marks: cython.const[cython.ulonglong][::1]
    grams: cython.ulonglong[::1]
    names: cython.ulonglong[::1]
    stops: cython.const[cython.longlong][:, ::1]
    sums: cython.int[:, ::1]
    shift: cython.int
    dim: cython.Py_ssize_t

    def __init__(self, table, extractor_buffers):
        """``table`` holds the arrays of ``url_model.embeddings.SumTable``; the buffers are ``Extractor.buffers()``."""
        self.bucket_offsets, self.fingerprints = (
            memoryview(table.bucket_offsets),
            memoryview(table.fingerprints),
        )
        self.rows, self.nodes, self.end = (
            memoryview(table.rows),
            memoryview(table.nodes),
            memoryview(table.end),
        )
        self.factors, self.marks = memoryview(table.factors), memoryview(table.marks)
        grams, names, stops = extractor_buffers
        self.grams, self.names, self.stops = memoryview(grams), memoryview(names), memoryview(stops)
        self.dim = table.rows.shape[1]
        self.sums = memoryview(np.zeros((5, self.dim), np.int32))
        self.shift = 64 - table.bits

    def add_up(
        self,
        n_rows: cython.Py_ssize_t,
        vectors: cython.float[:, ::1],
        scales: cython.const[cython.float][:, ::1],
    ) -> None:
        """Write the embeddings of the extractor's rows, each followed by its kind: (1, 0) a home page, (0, 1) a page.

        ``scales`` (2, 3) is what a unit is worth, by kind of URL, of structural features, host and path.
        """
        r: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        m: cython.Py_ssize_t = 0
        self.scales = scales
        n_grams: cython.Py_ssize_t = self.stops[n_rows - 1, 1]
        n_names: cython.Py_ssize_t = self.stops[n_rows - 1, 4]
        unknown: cython.Py_ssize_t
        with cython.nogil:
            self._find_names(n_names)
            unknown = self._unknown_node(0, n_grams)
        while unknown < n_grams:
            self._make_node(self.grams[unknown] >> 5)
            with cython.nogil:
                unknown = self._unknown_node(unknown, n_grams)
        with cython.nogil:
            self._find_grams(n_grams)
            for r in range(n_rows):
                self._add_row(r, n, m, vectors)
                n, m = self.stops[r, 1], self.stops[r, 4]

    def rows_of(self, hashes: cython.const[cython.ulonglong][::1]) -> list[int]:
        """The row of each feature by its hash, 0 where the model does not know it."""
        return [self._row_of(hashes[i]) for i in range(hashes.shape[0])]

    # --- names ----------------------------------------------------------------------------------

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _row_of(self, mixed: cython.ulonglong) -> cython.uint:
        bucket: cython.Py_ssize_t = mixed >> self.shift
        sought: cython.ushort = mixed & 0xFFFF
        k: cython.uint
        for k in range(self.bucket_offsets[bucket], self.bucket_offsets[bucket + 1]):
            if self.fingerprints[k] == sought:
                return k + 1
        return 0

    @cython.cfunc
    @cython.nogil
    def _find_names(self, n: cython.Py_ssize_t) -> cython.void:
        """Replace each hash by its row, and in the upper half whether there is one."""
        i: cython.Py_ssize_t
        row: cython.ulonglong
        if cython.compiled:
            for i in range(n):
                prefetch(cython.address(self.bucket_offsets[self.names[i] >> self.shift]))
            for i in range(n):
                prefetch(cython.address(self.fingerprints[self.bucket_offsets[self.names[i] >> self.shift]]))
        for i in range(n):
            row = self._row_of(self.names[i])
            self.names[i] = row | _ONE_FOUND if row else 0
            if cython.compiled:
                prefetch(cython.address(self.rows[row, 0]))

    # --- n-grams --------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    def _unknown_node(self, i: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The first of the five letters whose node is not made yet."""
        while i < n and self.nodes[self.grams[i] >> 5]:
            i += 1
        return i

    @cython.cfunc
    @cython.nogil
    def _find_grams(self, n: cython.Py_ssize_t) -> cython.void:
        """Replace five letters by the row of their chain's sum, and in the upper half how many n-grams it has."""
        i: cython.Py_ssize_t
        fifth: cython.int
        node: cython.ulonglong
        known: cython.ulonglong
        longer: cython.ulonglong
        row: cython.ulonglong
        for i in range(n):
            fifth = self.grams[i] & 31
            node = self.nodes[self.grams[i] >> 5]
            known = (node & ~_KNOWN) >> 32
            longer = (known >> fifth) & 1
            row = (node & _ROW) + longer * (1 + count_bits(known & ((1 << fifth) - 1)))
            self.grams[i] = row | ((((node >> 30) & 3) + longer) << 32)
            if cython.compiled:
                prefetch(cython.address(self.rows[row, 0]))

    @cython.cfunc
    def _make_node(self, place: cython.ulonglong) -> cython.void:
        """Write the sums of a node's chains behind the last row; without room the chains stay empty.

        Only a damaged table, whose fingerprints match n-grams by chance, runs out of room.
        """
        k: cython.int
        e: cython.int
        letter: cython.int
        length: cython.int = 0
        row: cython.longlong = 0
        links: cython.ulonglong = 0
        known: cython.ulonglong = 0
        end: cython.longlong = self.end[0]
        state: cython.ulonglong = self.marks[ord("p") if place >> 20 else ord("g")]
        found: cython.uint
        if end + 32 > self.rows.shape[0]:
            publish(cython.address(self.nodes[place]), _KNOWN) if cython.compiled else self._set(
                place, _KNOWN
            )
            return
        # A mark behind the first letter ends the word.
        for k in range(4):
            letter = (place >> (15 - 5 * k)) & 31
            state = fnv_step(state, 96 + letter if letter else ord("_"))
            length += 1
            if length > 1:
                found = self._row_of(fnv_mix(state))
                if found:
                    self._write_sum(end, row, found)
                    row, links, end = end, links + 1, end + 1
            if k and not letter:
                break
        else:
            for e in range(27):
                if self._row_of(fnv_mix(fnv_step(state, 96 + e if e else ord("_")))):
                    known |= cython.cast(cython.ulonglong, 1) << e
            if known and row != end - 1:
                self._write_sum(end, row, 0)  # sums of five letters follow the one of four
                row, end = end, end + 1
            for e in range(27):
                if (known >> e) & 1:
                    found = self._row_of(fnv_mix(fnv_step(state, 96 + e if e else ord("_"))))
                    self._write_sum(end, row, found)
                    end += 1
        self.end[0] = end
        known = _KNOWN | (known << 32) | (links << 30) | row
        if cython.compiled:
            publish(cython.address(self.nodes[place]), known)
        else:
            self._set(place, known)

    @cython.cfunc
    def _set(self, place: cython.ulonglong, node: cython.ulonglong) -> cython.void:
        self.nodes[place] = node

    @cython.cfunc
    def _write_sum(self, to: cython.longlong, one: cython.longlong, other: cython.longlong) -> cython.void:
        d: cython.Py_ssize_t
        for d in range(self.dim):
            self.rows[to, d] = self.rows[one, d] + self.rows[other, d]

    # --- sums -----------------------------------------------------------------------------------

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _sum(
        self,
        entries: cython.ulonglong[::1],
        first: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        group: cython.int,
    ) -> cython.longlong:
        if cython.compiled:
            return sum_rows(
                cython.address(self.rows[0, 0]),
                cython.address(entries[0]),
                first,
                stop,
                self.dim,
                cython.address(self.sums[group, 0]),
            )
        return sum_rows(self.rows, entries, first, stop, self.dim, np.asarray(self.sums)[group])

    @cython.cfunc
    @cython.nogil
    def _add_row(
        self, r: cython.Py_ssize_t, n: cython.Py_ssize_t, m: cython.Py_ssize_t, vectors: cython.float[:, ::1]
    ) -> cython.void:
        """Add up a row's groups and weigh them by how many features of each are known."""
        d: cython.Py_ssize_t
        kind: cython.Py_ssize_t = self.stops[r, 7]
        in_host: cython.longlong = self._sum(self.grams, n, self.stops[r, 0], 0)
        in_path: cython.longlong = self._sum(self.grams, self.stops[r, 0], self.stops[r, 1], 2)
        structural: cython.float
        host: cython.float
        path: cython.float
        in_host += self._sum(self.names, m, self.stops[r, 2], 1)
        in_path += self._sum(self.names, self.stops[r, 2], self.stops[r, 3], 3)
        self._sum(self.names, self.stops[r, 3], self.stops[r, 4], 4)
        structural = self.scales[kind, 0]
        host = (
            self.scales[kind, 1] * self.factors[1 if in_path > 0 else 0, in_host] * self.factors[2, in_path]
        )
        path = self.scales[kind, 2] * self.factors[3, in_path]
        for d in range(self.dim):
            vectors[r, d] = (
                structural * self.sums[4, d]
                + host * (self.sums[0, d] + self.sums[1, d])
                + path * (self.sums[2, d] + self.sums[3, d])
            )
        vectors[r, self.dim], vectors[r, self.dim + 1] = 1 - kind, kind

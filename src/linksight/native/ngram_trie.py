"""The n-grams of plain words, found by their letters.

The n-grams that begin at one letter are a chain: each is the one before it and a letter more, as
``ba``, ``bah``, ``bahn``, ``bahn_``. What a chain adds to the score depends on five letters alone, so
it is summed once, when the model is loaded, and then one look-up does the work of four hashes.

Letters are numbers of five bits, 0 for the mark at a word's edge. The first four are the number of
a *node*, which says where the sum of their chain lies (``rows``), how many n-grams it has, and which
fifth letters the table knows; the sums with these follow the node's own, in the letters' order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.native.aligned_arrays import count_bits, prefetch
from linksight.native.feature_hash import U32, mix_bits, step_byte
from linksight.native.hash_index import row_of
from linksight.native.jit import compiled, compiled_step, inlined

N_NODES = 32**4
_ONE, _U5 = np.uint64(1), np.uint64(5)
_LETTERS, _PART = np.uint64(2**25 - 1), np.uint64(2**25)
FIRST_FIVE = np.array([0, 2**25], dtype=np.uint64)  #: before a word of the host, of the path
_ROW_BITS = np.uint64(30)  #: of a node; two more say how many n-grams its chain has
_ROW = (_ONE << _ROW_BITS) - _ONE


@inlined
def letters_of(five: Any) -> Any:
    """The last five letters alone, without the part."""
    return five & _LETTERS


@inlined
def next_five(five: Any, letter: Any) -> Any:
    """The last five letters when one more has been read."""
    return (five & _PART) | ((five << _U5) & _LETTERS) | np.uint64(letter)


@inlined
def add_five(five: Any, nodes: Any, out: Any, n: Any) -> None:
    """Writes down five letters; the wait for their node begins here."""
    out[n] = five
    prefetch(nodes, five >> _U5)


@compiled_step
def end_word(five: Any, size: Any, nodes: Any, out: Any, n: Any) -> Any:
    """Appends the last places of a word, where marks follow the letters; gives how many fives there are."""
    for place in range(size - 3, size + 1):
        five = next_five(five, 0)
        if place >= 0:
            add_five(five, nodes, out, n + place)
    return n + size + 1


@compiled_step
def find_grams(nodes: Any, fives: Any, n: Any, rows: Any, found: Any) -> None:
    """The sum of each five letters' chain, and in the upper half how many n-grams it holds."""
    for i in range(n):
        fifth = fives[i] & np.uint64(31)
        node = nodes[fives[i] >> _U5]
        known = node >> U32
        longer = (known >> fifth) & _ONE
        row = (node & _ROW) + longer * (_ONE + count_bits(known & ((_ONE << fifth) - _ONE)))
        links = ((node >> _ROW_BITS) & np.uint64(3)) + longer
        found[i] = row | (links << U32)
        prefetch(rows, row)


@compiled
def grow(names: Any, mark: Any, nodes: Any, rows: Any, end: Any) -> Any:
    """Fills the nodes with the n-grams that the table knows; sums are written from row ``end`` on.

    Every n-gram of letters there can be is asked for: the table keeps hashes, which do not say
    what they came from. Gives where the sums end.
    """
    for a in range(27):
        of_a = _step(mark, a)
        for b in range(0 if a else 1, 27):
            of_b = _step(of_a, b)
            row_b, links_b, end = _longer(names, of_b, rows, 0, 0, end)
            at_b = (a << 15) | (b << 10)
            if b == 0:  # a mark ends the word: marks follow where letters would
                nodes[at_b] = _node(row_b, links_b)
                continue
            for c in range(27):
                of_c = _step(of_b, c)
                row_c, links_c, end = _longer(names, of_c, rows, row_b, links_b, end)
                at_c = at_b | (c << 5)
                if c == 0:
                    nodes[at_c] = _node(row_c, links_c)
                    continue
                for d in range(27):
                    of_d = _step(of_c, d)
                    row_d, links_d, end = _longer(names, of_d, rows, row_c, links_c, end)
                    if d == 0:
                        nodes[at_c] = _node(row_d, links_d)
                    else:
                        nodes[at_c | d], end = _with_fifths(names, of_d, rows, row_d, links_d, end)
    return end


@compiled
def _longer(names: Any, state: Any, rows: Any, row: Any, links: Any, end: Any) -> tuple[Any, Any, Any]:
    """The sum of a chain that is one n-gram longer, if the table knows this one."""
    known = row_of(names, mix_bits(state))
    if not known:
        return row, links, end
    for i in range(rows.shape[1]):
        rows[end, i] = rows[row, i] + rows[known, i]
    return end, links + 1, end + 1


@compiled
def _with_fifths(names: Any, state: Any, rows: Any, row: Any, links: Any, end: Any) -> tuple[Any, Any]:
    """The node of four letters; its sum and those with a fifth letter follow each other."""
    known = np.uint64(0)
    for e in range(27):
        if row_of(names, mix_bits(_step(state, e))):
            known |= _ONE << np.uint64(e)
    if known and row != end - 1:
        for i in range(rows.shape[1]):
            rows[end, i] = rows[row, i]
        row, end = end, end + 1
    for e in range(27):
        if (known >> np.uint64(e)) & _ONE:
            _, _, end = _longer(names, _step(state, e), rows, row, links, end)
    return (known << U32) | _node(row, links), end


@inlined
def _node(row: Any, links: Any) -> Any:
    return (np.uint64(links) << _ROW_BITS) | np.uint64(row)


@inlined
def _step(state: Any, letter: Any) -> Any:
    return step_byte(state, 96 + letter if letter else 95)

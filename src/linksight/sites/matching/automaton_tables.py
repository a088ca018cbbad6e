"""The automaton as arrays: a hash table of all literal children, and lists for each node of everything else.

Nodes are found by number, separators by their bytes packed into one machine word, literal tokens by a hash and then byte
by byte in a pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.native.sites.pattern_automaton import NUMBER, PATH, SEGMENT, TEXT, hash_of, slot_of
from linksight.sites.patterns.wildcards import PLACEHOLDERS, Template
from linksight.urls.parser import MAX_LENGTH

if TYPE_CHECKING:
    from linksight.sites.matching.automaton import Node

_CODES = {name: bytes([TEXT + index]) for index, name in enumerate(PLACEHOLDERS)}
assert _CODES["number"] == bytes([NUMBER])


@dataclass
class Pool:
    """The bytes of all tokens, names and values."""

    data: bytearray = field(default_factory=lambda: bytearray(1))

    def add(self, text: bytes) -> tuple[int, int]:
        """Append a text; its start and length in the pool."""
        start = len(self.data)
        self.data += text
        return start, len(text)


@dataclass(frozen=True, slots=True)
class Tables:
    """The automaton's nodes as arrays."""

    literals: tuple[
        NDArray[Any], ...
    ]  #: node (-1 where empty), separators, hash, start, length, child by slot
    others: tuple[
        NDArray[Any], ...
    ]  #: first of each node; separators, kind, start and length of a template, child
    ends: tuple[NDArray[Any], ...]  #: first of each node; separators, pattern
    clauses: tuple[NDArray[Any], ...]  #: first of each node; pattern, specificity, first need
    needs: tuple[NDArray[Any], ...]  #: start and length of the name, and of the value (-1: any)
    specific: NDArray[np.int32]  #: of each node
    loop: NDArray[np.int32]  #: of each node, the kind of a wildcard that goes on behind separators
    pool: NDArray[np.uint8]
    has_sites: bool
    has_ordered: bool
    max_length: int = MAX_LENGTH  #: of a URL, in characters

    @classmethod
    def build(cls, nodes: list[Node]) -> Tables:
        """Lay the nodes out."""
        pool = Pool()
        literals = _literals(nodes, pool)
        others = _others(nodes, pool)
        clauses, needs = _clauses(nodes, pool)
        ends = [[(pack(run), pattern) for run, pattern in node.ends.items()] for node in nodes]
        loops = [node.kind if node.kind in (SEGMENT, PATH) else 0 for node in nodes]
        return cls(
            literals,
            others,
            (_firsts(ends), *_columns(ends, (np.uint64, np.int32))),
            clauses,
            needs,
            np.array([node.specific for node in nodes], dtype=np.int32),
            np.array(loops, dtype=np.int32),
            np.frombuffer(bytes(pool.data), dtype=np.uint8),
            bool(nodes[0].sites),
            any(node.ends for node in nodes),
        )


def pack(run: str) -> int:
    """A run of separators as one number.

    >>> pack(""), pack("/"), pack("?&") == ord("?") * 256 + ord("&")
    (0, 47, True)
    """
    return int.from_bytes(run.encode("ascii"), "big")


def _literals(nodes: list[Node], pool: Pool) -> tuple[NDArray[Any], ...]:
    rows = []
    for node in nodes:
        for found, is_site in ((node.literal, False), (node.sites, True)):
            for (run, text), child in found.items():
                token = text.encode("utf-8", "surrogatepass")
                rows.append((node.number, pack(run), hash_of(token, is_site), *pool.add(token), child.number))
    size = 8
    while size < 3 * len(rows):
        size *= 2
    table = [(-1, 0, 0, 0, 0, 0)] * size
    for row in rows:
        slot = (slot_of(*row[:3]) >> 20) & (size - 1)
        while table[slot][0] >= 0:
            slot = (slot + 1) & (size - 1)
        table[slot] = row
    kinds = (np.int32, np.uint64, np.uint64, np.int32, np.int32, np.int32)
    return tuple(
        np.array(column, dtype=kind) for column, kind in zip(zip(*table, strict=True), kinds, strict=True)
    )


def _others(nodes: list[Node], pool: Pool) -> tuple[NDArray[Any], ...]:
    lists = []
    for node in nodes:
        ordered = sorted(node.others.items(), key=lambda item: -item[1][1])
        lists.append(
            [
                (pack(run), kind, *(pool.add(_template(text)) if text else (0, 0)), child.number)
                for (run, kind, text), (child, _) in ordered
            ]
        )
    return _firsts(lists), *_columns(lists, (np.uint64, np.int32, np.int32, np.int32, np.int32))


def _template(text: str) -> bytes:
    pieces = Template(text).pieces
    return b"".join(_CODES[p] if i % 2 else p.encode("utf-8", "surrogatepass") for i, p in enumerate(pieces))


def _clauses(nodes: list[Node], pool: Pool) -> tuple[tuple[NDArray[Any], ...], tuple[NDArray[Any], ...]]:
    lists, needs = [], []
    for node in nodes:
        rows = []
        for _, specific, pattern, wanted in sorted(node.clauses, key=lambda clause: clause[0], reverse=True):
            rows.append((pattern, specific))
            needs.append(
                [
                    (*pool.add(name.encode()), *((0, -1) if value is None else pool.add(value.encode())))
                    for name, value in wanted
                ]
            )
        lists.append(rows)
    clauses = (_firsts(lists), *_columns(lists, (np.int32, np.int32)), _firsts(needs))
    return clauses, _columns(needs, (np.int32, np.int32, np.int32, np.int32))


def _firsts(lists: Sequence[Sequence[Any]]) -> NDArray[np.int32]:
    return np.cumsum([0, *map(len, lists)], dtype=np.int32)


def _columns(lists: Iterable[Iterable[tuple[int, ...]]], kinds: Sequence[Any]) -> tuple[NDArray[Any], ...]:
    rows = [row for several in lists for row in several]
    columns = zip(*rows, strict=True) if rows else ((),) * len(kinds)
    # One item more than needed, so that no table is empty.
    return tuple(np.array([*column, 0], dtype=kind) for column, kind in zip(columns, kinds, strict=True))

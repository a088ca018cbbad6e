"""The automaton as arrays: one hash table for all literal children and one for all wildcard children.

Both are keyed by node, run of separators and token, so that a step costs the same however many patterns
there are. A run of at most eight separators is packed into one machine word, so runs compare exactly;
tokens are found by their hash and then compared byte by byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.features.feature_hash import FNV_OFFSET, FNV_PRIME, MIX

if TYPE_CHECKING:
    from linksight.sites.matching.automaton import Node

STEM, SITE = 1, 2  #: kinds in the table of literals


@dataclass(frozen=True, slots=True)
class Tables:
    """The automaton's nodes as arrays."""

    literal_node: NDArray[np.int32]  #: slots; -1 where empty
    literal_run: NDArray[np.uint64]
    literal_hash: NDArray[np.uint64]
    literal_start: NDArray[np.int64]  #: the token's bytes in ``pool``
    literal_length: NDArray[np.int32]
    literal_child: NDArray[np.int32]
    literal_kind: NDArray[np.int8]  #: 0 a literal, 1 a stem, 2 a site
    wild_node: NDArray[np.int32]
    wild_run: NDArray[np.uint64]
    wild_child: NDArray[np.int32]
    end_node: NDArray[np.int32]
    end_run: NDArray[np.uint64]
    end_pattern: NDArray[np.int32]
    specific: NDArray[np.int32]  #: of each node
    pool: NDArray[np.uint8]
    width: int  #: the most nodes that can be active at a time
    has_stems: bool
    has_sites: bool

    @property
    def literals(self) -> tuple[NDArray[Any], ...]:
        """The table of literals, stems and sites."""
        return (
            self.literal_node, self.literal_run, self.literal_hash, self.literal_start, self.literal_length,
            self.literal_child, self.literal_kind,
        )  # fmt: skip

    @property
    def wild(self) -> tuple[NDArray[Any], ...]:
        """The table of wildcards."""
        return self.wild_node, self.wild_run, self.wild_child

    @property
    def ends(self) -> tuple[NDArray[Any], ...]:
        """The table of patterns' ends."""
        return self.end_node, self.end_run, self.end_pattern

    @classmethod
    def build(cls, nodes: list[Node]) -> Tables:
        """Lay the nodes out."""
        # Stems and sites share the table of the literals: a mark and another start of the hash tell them apart.
        marked = [
            (node, kind, found)
            for node in nodes
            for kind, found in enumerate((node.literal, node.stem, node.under))
        ]
        kinds = [kind for _, kind, found in marked for _ in found]
        literals = [
            (node.number, run, token.encode("utf-8", "surrogatepass"), child.number)
            for node, _, found in marked
            for (run, token), child in found.items()
        ]
        hashes = [_hash_bytes(row[2], kind) for row, kind in zip(literals, kinds, strict=True)]
        slots = _place([(n, pack(run), h) for (n, run, _, _), h in zip(literals, hashes, strict=True)])
        starts = np.cumsum([0, *(len(token) for _, _, token, _ in literals)], dtype=np.int64)
        wild = [(n.number, pack(run), child.number) for n in nodes for run, child in n.wildcard.items()]
        wild_slots = _place([(n, run, 0) for n, run, _ in wild])
        ends = [(n.number, pack(run), pattern) for n in nodes for run, pattern in n.ends.items()]
        end_slots = _place([(n, run, 1) for n, run, _ in ends])
        return cls(
            _spread(slots, [n for n, _, _, _ in literals], np.int32, -1),
            _spread(slots, [pack(run) for _, run, _, _ in literals], np.uint64),
            _spread(slots, hashes, np.uint64),
            _spread(slots, starts[:-1].tolist(), np.int64),
            _spread(slots, [len(token) for _, _, token, _ in literals], np.int32),
            _spread(slots, [child for _, _, _, child in literals], np.int32),
            _spread(slots, kinds, np.int8),
            _spread(wild_slots, [n for n, _, _ in wild], np.int32, -1),
            _spread(wild_slots, [run for _, run, _ in wild], np.uint64),
            _spread(wild_slots, [child for _, _, child in wild], np.int32),
            _spread(end_slots, [n for n, _, _ in ends], np.int32, -1),
            _spread(end_slots, [run for _, run, _ in ends], np.uint64),
            _spread(end_slots, [pattern for _, _, pattern in ends], np.int32),
            np.array([node.specific for node in nodes], dtype=np.int32),
            np.frombuffer(b"".join(token for _, _, token, _ in literals), dtype=np.uint8),
            _widest(nodes),
            STEM in kinds,
            SITE in kinds,
        )


def pack(run: str) -> int:
    """A run of separators as one number.

    >>> pack(""), pack("/"), pack("?&") == ord("?") * 256 + ord("&")
    (0, 47, True)
    """
    return int.from_bytes(run.encode("ascii"), "big")


def _hash_bytes(token: bytes, kind: int) -> int:
    state = FNV_OFFSET ^ (kind * MIX)
    for byte in token:
        state = ((state ^ byte) * FNV_PRIME) & 0xFFFFFFFFFFFFFFFF
    return state


def _slot_of(node: int, run: int, token_hash: int) -> int:
    state = token_hash ^ ((run * MIX) & 0xFFFFFFFFFFFFFFFF) ^ (node * FNV_PRIME)
    state = ((state ^ (state >> 32)) * MIX) & 0xFFFFFFFFFFFFFFFF
    return state ^ (state >> 32)


def _place(keys: list[tuple[int, int, int]]) -> NDArray[np.int64]:
    """The slot of each key in an open table at most a third full; the last number is its size."""
    size = 8
    while size < 3 * len(keys):
        size *= 2
    taken = bytearray(size)
    slots = np.empty(len(keys) + 1, dtype=np.int64)
    slots[-1] = size
    for index, (node, run, token_hash) in enumerate(keys):
        slot = _slot_of(node, run, token_hash) & (size - 1)
        while taken[slot]:
            slot = (slot + 1) & (size - 1)
        taken[slot] = 1
        slots[index] = slot
    return slots


def _spread(slots: NDArray[np.int64], values: list[int], kind: Any, empty: int = 0) -> NDArray[Any]:
    table = np.full(slots[-1], empty, dtype=kind)
    table[slots[:-1]] = np.array(values, dtype=kind)
    return table


def _widest(nodes: list[Node]) -> int:
    """The most nodes of any depth: no more can be active at a time."""
    level, widest = [nodes[0]], 1
    while level:
        level = [child for node in level for child in node.children()]
        widest = max(widest, len(level))
    return widest

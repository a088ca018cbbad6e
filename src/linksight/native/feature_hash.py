"""The hash of a feature, byte by byte: what ``features.hashing`` does, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.features.feature_hash import FNV_OFFSET, FNV_PRIME, MIX, fnv1a
from linksight.native.jit import compiled, inlined

_PRIME, _MIX = np.uint64(FNV_PRIME), np.uint64(MIX)
OFFSET = np.uint64(FNV_OFFSET)
U32 = np.uint64(32)
# The hash after each mark, by the mark's letter.
MARKS = np.array([fnv1a(f"{chr(letter)}:") for letter in range(128)], dtype=np.uint64)


@inlined
def lower_byte(byte: Any) -> Any:
    return byte | np.uint8(32) if np.uint8(65) <= byte <= np.uint8(90) else byte


@inlined
def step_byte(state: Any, byte: Any) -> Any:
    return (state ^ np.uint64(byte)) * _PRIME


@inlined
def mix_bits(state: Any) -> Any:
    return (state ^ (state >> U32)) * _MIX


@inlined
def add_hash(out: Any, n: Any, state: Any) -> Any:
    """Appends the hash of a name; gives how many there are now."""
    out[n] = mix_bits(state)
    return n + 1


@compiled
def step_span(state: Any, data: Any, start: Any, stop: Any) -> Any:
    for i in range(start, stop):
        state = step_byte(state, lower_byte(data[i]))
    return state


@compiled
def step_number(state: Any, value: Any) -> Any:
    """The hash after a number of one or two digits."""
    if value > 9:
        state = step_byte(state, 48 + value // 10)
    return step_byte(state, 48 + value % 10)


@compiled
def is_among(state: Any, known: Any) -> bool:
    found = False
    for value in known:
        found |= value == state
    return found

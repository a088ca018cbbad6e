"""The steps of ``steps`` for compiled code: 64 bytes of a page at a time, one bit for each.

Imported when the first kernel is compiled and not before, as it needs numba. Near the end of a page, behind which
nothing may be read, bytes are taken one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from linksight.native.aligned_arrays import prefetch
from linksight.native.byte_masks import SPAN, block_bits, first_bit
from linksight.native.jit import compiled, inlined

__all__ = ["ask", "copy", "index", "seek"]

ask = prefetch
_NONE, _ONE, _LAST = np.uint8(0), np.uint64(1), np.uint64(SPAN - 1)


@inlined
def index(number: Any) -> Any:
    return np.uint64(number)


@inlined
def _bits(body: Any, at: Any, low: Any, high: Any) -> Any:
    """Which of 64 bytes are from ``low`` to ``high``."""
    return block_bits(body, at, _NONE, np.uint8(low), np.uint8(high - low + 1))


@compiled
def seek(body: Any, at: Any, size: Any, low: Any, high: Any) -> Any:
    while at + SPAN <= size:
        found = _bits(body, at, low, high)
        if found:
            return at + first_bit(found)
        at += SPAN
    while at < size and not low <= body[at] <= high:
        at += 1
    return at


def _move(_typing: Any, body: Any, at: Any, out: Any, to: Any) -> Any:
    """Copies 64 bytes from ``body[at:]`` to ``out[to:]``."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        block = ir.VectorType(ir.IntType(8), SPAN).as_pointer()

        def place(kind: Any, array: Any, offset: Any) -> Any:
            data = context.make_array(kind)(context, builder, array).data
            return builder.bitcast(builder.gep(data, [offset]), block)

        bytes_ = builder.load(place(body, *arguments[:2]), align=1)
        builder.store(bytes_, place(out, *arguments[2:]), align=1)
        return context.get_dummy_value()

    return types.void(body, types.int64, out, types.int64), generate


_moved: Any = intrinsic(_move)


@compiled
def copy(body: Any, i: Any, stop: Any, out: Any, o: Any) -> Any:
    spaced = np.uint64(out[o - 1] == 32)  # whether a space stands before these 64
    while i + SPAN <= stop and o + SPAN <= len(out):
        space = _bits(body, i, 32, 32)
        ends = _bits(body, i, 0, 31) | _bits(body, i, 38, 38) | _bits(body, i, 60, 62)
        _moved(body, i, out, o)
        size = first_bit(ends | (space & (space << _ONE | spaced)))
        i += size
        o += size
        if size < SPAN:
            return i, o
        spaced = space >> _LAST
    while i < stop:
        c = body[i]
        if c == 38 or 60 <= c <= 62 or c < 32 or (c == 32 and out[o - 1] == 32):
            break
        out[o] = c
        o += 1
        i += 1
    return i, o

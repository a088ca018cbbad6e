"""Arrays where the processor's memory wants them, and what it can do in one step."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

LINE = 32  #: numbers of two bytes in a cache line
_PAGE = 2**21  #: bytes of a large page


def zeros(shape: tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
    """Zeros in large pages where the system has them: small ones would cost a look-up each.

    They begin with a cache line, so a row of 64 bytes is one wait and not two. What is never
    written to takes no memory.
    """
    n_items = int(np.prod(shape))
    size = n_items * np.dtype(dtype).itemsize
    if hasattr(mmap, "MADV_HUGEPAGE"):
        room = mmap.mmap(-1, size + _PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        room.madvise(mmap.MADV_HUGEPAGE)
    else:
        room = mmap.mmap(-1, size + _PAGE)
    first = -np.frombuffer(room, np.uint8, 1).ctypes.data % _PAGE
    return np.frombuffer(room, dtype, n_items, first).reshape(shape)


def _prefetch(_typing: Any, rows: Any, at: Any) -> Any:
    """Begins to load ``rows[at]``, so that it is there when it is needed; changes nothing.

    Into the second cache: what is begun for some dozens of rows is more than the first one holds, and would drive out
    what is in use. That took an eighth of the time.
    """

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        array = context.make_array(rows)(context, builder, arguments[0])
        stride = builder.extract_value(array.strides, 0)
        start = builder.ptrtoint(array.data, stride.type)
        address = builder.add(start, builder.mul(builder.zext(arguments[1], stride.type), stride))
        pointer = builder.inttoptr(address, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        call = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        builder.call(
            call, [pointer, number(0), number(2), number(1)]
        )  # to read, not into the first cache, data
        return context.get_dummy_value()

    return types.void(rows, at), generate


prefetch: Any = intrinsic(_prefetch)


def _count_bits(_typing: Any, value: Any) -> Any:
    """How many bits of a number are set."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return value(value), generate


count_bits: Any = intrinsic(_count_bits)


def _choose(_typing: Any, _condition: Any, one: Any, _other: Any) -> Any:
    """The one or the other without a branch: where both are as frequent, every second guess would be wrong."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        chosen = builder.select(*arguments)
        chosen.set_metadata("unpredictable", builder.module.add_metadata([]))
        return chosen

    return one(types.boolean, one, one), generate


choose: Any = intrinsic(_choose)


def _sum_rows(
    _typing: Any, rows: Any, found: Any, first: Any, stop: Any, line: Any, sums: Any, slot: Any
) -> Any:
    """Adds up one cache line of each row that was found, to ``sums[slot]``; gives the sum of the upper halves.

    Written for the compiler because numba keeps sums of arrays in memory; these stay in registers.
    """

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        table, list_, totals = (
            context.make_array(kind)(context, builder, arguments[at])
            for kind, at in ((rows, 0), (found, 1), (sums, 5))
        )
        tools: Any = cgutils  # which are not annotated
        word = ir.IntType(64)
        wide = ir.VectorType(ir.IntType(32), LINE)
        narrow = ir.VectorType(ir.IntType(16), LINE)
        stride = builder.extract_value(table.strides, 0)
        start = builder.add(builder.ptrtoint(table.data, word), builder.mul(arguments[4], word(2 * LINE)))
        sum_, upper = (
            tools.alloca_once_value(builder, wide(None)),
            tools.alloca_once_value(builder, word(0)),
        )
        with tools.for_range_slice(builder, arguments[2], arguments[3], word(1)) as (i, _):
            entry = builder.load(builder.gep(list_.data, [i]))
            offset = builder.mul(builder.and_(entry, word(2**32 - 1)), stride)
            place = builder.inttoptr(builder.add(start, offset), narrow.as_pointer())
            row = builder.sext(builder.load(place, align=2), wide)
            builder.store(builder.add(builder.load(sum_), row), sum_)
            builder.store(builder.add(builder.load(upper), builder.lshr(entry, word(32))), upper)
        place = builder.gep(totals.data, [builder.mul(arguments[6], word(LINE))])
        builder.store(builder.load(sum_), builder.bitcast(place, wide.as_pointer()), align=4)
        return builder.load(upper)

    return types.uint64(rows, found, types.int64, types.int64, types.int64, sums, types.int64), generate


sum_rows: Any = intrinsic(_sum_rows)

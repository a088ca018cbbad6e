"""Rows where the processor's cache wants them, and when."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

_LINE = 64  #: bytes of a cache line


def aligned_zeros(n_rows: int, n_columns: int) -> NDArray[np.int16]:
    """Zeros whose rows begin with a cache line where they can: one wait for a row, not two."""
    size = n_rows * n_columns * 2
    raw = np.zeros(size + _LINE, np.uint8)
    first = -raw.ctypes.data % _LINE
    return raw[first : first + size].view(np.int16).reshape(n_rows, n_columns)


def _prefetch(_typing: Any, rows: Any, at: Any) -> Any:
    """Begins to load ``rows[at]``, so that it is there when it is needed; changes nothing."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        array = context.make_array(rows)(context, builder, arguments[0])
        stride = builder.extract_value(array.strides, 0)
        start = builder.ptrtoint(array.data, stride.type)
        address = builder.add(start, builder.mul(builder.zext(arguments[1], stride.type), stride))
        pointer = builder.inttoptr(address, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        call = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        builder.call(call, [pointer, number(0), number(3), number(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(rows, at), generate


prefetch: Any = intrinsic(_prefetch)

"""From short vectors to scores: the matrix product with a model's output.

A library's product would share the work among threads of its own as soon as it is large enough, though each
thread of ours has a core to itself; in pieces too small for that, a fifth of its time goes to its calls.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from linksight.native.jit import compiled_fast

#: Rows and columns of scores that are kept in registers while they are summed: processors with sixteen
#: registers of eight floats have room for these and for what they are made from.
_ROWS, _COLUMNS = 6, 16


def _multiply_tile(_typing: Any, vectors: Any, output: Any, scores: Any, row: Any, column: Any) -> Any:
    """Writes the scores of some rows in some columns; written for the compiler, as ``sum_rows`` is."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        left, right, made = (
            context.make_array(kind)(context, builder, argument)
            for kind, argument in zip((vectors, output, scores), arguments[:3], strict=True)
        )
        tools: Any = cgutils  # which are not annotated
        word, line = ir.IntType(64), ir.VectorType(ir.FloatType(), _COLUMNS)
        row, column = arguments[3:]
        depth, width = builder.extract_value(left.shape, 1), builder.extract_value(right.shape, 1)
        sums = [tools.alloca_once_value(builder, line(None)) for _ in range(_ROWS)]
        firsts = [builder.mul(builder.add(row, word(r)), depth) for r in range(_ROWS)]
        with tools.for_range_slice(builder, word(0), depth, word(1)) as (k, _):
            place = builder.gep(right.data, [builder.add(builder.mul(k, width), column)])
            weights = builder.load(builder.bitcast(place, line.as_pointer()), align=4)
            for first, sum_ in zip(firsts, sums, strict=True):
                value = builder.load(builder.gep(left.data, [builder.add(first, k)]))
                lone = builder.insert_element(line(ir.Undefined), value, ir.IntType(32)(0))
                same = builder.shuffle_vector(lone, lone, ir.VectorType(ir.IntType(32), _COLUMNS)(None))
                added = builder.fadd(
                    builder.load(sum_), builder.fmul(same, weights, flags=["fast"]), flags=["fast"]
                )
                builder.store(added, sum_)
        for r, sum_ in enumerate(sums):
            place = builder.add(builder.mul(builder.add(row, word(r)), width), column)
            target = builder.bitcast(builder.gep(made.data, [place]), line.as_pointer())
            builder.store(builder.load(sum_), target, align=4)
        return context.get_dummy_value()

    return types.void(vectors, output, scores, types.int64, types.int64), generate


_tile: Any = intrinsic(_multiply_tile)


@compiled_fast
def multiply(vectors: Any, output: Any, scores: Any) -> None:
    """Writes ``vectors @ output`` into ``scores``, all of them without gaps between their rows.

    The last rows and columns are in a whole tile too, some of them for the second time.
    """
    n, k = scores.shape
    if n < _ROWS or k < _COLUMNS:
        _multiply_few(vectors, output, scores)
        return
    for row in range(0, n, _ROWS):
        for column in range(0, k, _COLUMNS):
            _tile(vectors, output, scores, min(row, n - _ROWS), min(column, k - _COLUMNS))


@compiled_fast
def _multiply_few(vectors: Any, output: Any, scores: Any) -> None:
    """The same, of fewer than fill a tile."""
    n, k = scores.shape
    for r in range(n):
        scores[r] = 0
        for i in range(output.shape[0]):
            for j in range(k):
                scores[r, j] += vectors[r, i] * output[i, j]

"""Sums over compressed sparse rows; the methods of ``features.hashed_counts.Counts`` call them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython


def take_rows(
    starts: Any, columns: Any, values: Any, which: Any
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """The selected rows in the given order, as new starts, columns and values."""
    new_starts = np.zeros(len(which) + 1, np.int64)
    np.cumsum(np.diff(starts)[which], out=new_starts[1:])
    n_values = new_starts[len(which)]
    new_columns, new_values = np.empty(n_values, np.int32), np.empty(n_values, np.float32)
    _copy_rows(starts, columns, values, which, new_starts, new_columns, new_values)
    return new_starts, new_columns, new_values


def row_products(starts: Any, columns: Any, values: Any, table: Any) -> NDArray[np.float64]:
    """Each row times the table: (rows, columns of the table), in double precision."""
    product = np.zeros((len(starts) - 1, table.shape[1]))
    _add_products(starts, columns, values, np.ascontiguousarray(table, np.float64), product)
    return product


def group_sums(
    starts: Any, columns: Any, values: Any, groups: Any, n_columns: int, n_groups: int
) -> NDArray[np.float64]:
    """The rows of each group added up: (columns, groups), in double precision."""
    sums = np.zeros((n_columns, n_groups))
    _add_groups(starts, columns, values, groups, sums)
    return sums


def _copy_rows(
    starts: cython.const[cython.longlong][::1],
    columns: cython.const[cython.int][::1],
    values: cython.const[cython.float][::1],
    which: cython.const[cython.longlong][::1],
    new_starts: cython.const[cython.longlong][::1],
    new_columns: cython.int[::1],
    new_values: cython.float[::1],
) -> None:
    k: cython.Py_ssize_t
    j: cython.Py_ssize_t
    first: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    with cython.nogil:
        for k in range(which.shape[0]):
            first, begin = starts[which[k]], new_starts[k]
            for j in range(new_starts[k + 1] - begin):
                new_columns[begin + j] = columns[first + j]
                new_values[begin + j] = values[first + j]


def _add_products(
    starts: cython.const[cython.longlong][::1],
    columns: cython.const[cython.int][::1],
    values: cython.const[cython.float][::1],
    table: cython.const[cython.double][:, ::1],
    product: cython.double[:, ::1],
) -> None:
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    column: cython.Py_ssize_t
    value: cython.double
    with cython.nogil:
        for i in range(product.shape[0]):
            for j in range(starts[i], starts[i + 1]):
                value, column = values[j], columns[j]
                for k in range(table.shape[1]):
                    product[i, k] += value * table[column, k]


def _add_groups(
    starts: cython.const[cython.longlong][::1],
    columns: cython.const[cython.int][::1],
    values: cython.const[cython.float][::1],
    groups: cython.const[cython.longlong][::1],
    sums: cython.double[:, ::1],
) -> None:
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for i in range(groups.shape[0]):
            for j in range(starts[i], starts[i + 1]):
                sums[columns[j], groups[i]] += values[j]

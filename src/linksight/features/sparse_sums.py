"""Sums over sparse rows, compiled: what classifiers ask of counts again and again.

The methods of ``Counts`` say in NumPy what these give; a test holds the two together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def take_rows(
    starts: Any, columns: Any, values: Any, which: Any
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """The rows asked for, in their order."""
    begins = np.zeros(len(which) + 1, dtype=np.int64)
    for k in range(len(which)):
        begins[k + 1] = begins[k] + starts[which[k] + 1] - starts[which[k]]
    new_columns = np.empty(begins[-1], dtype=np.int32)
    new_values = np.empty(begins[-1], dtype=np.float32)
    for k in range(len(which)):
        first = starts[which[k]]
        for j in range(begins[k + 1] - begins[k]):
            new_columns[begins[k] + j] = columns[first + j]
            new_values[begins[k] + j] = values[first + j]
    return begins, new_columns, new_values


@njit(cache=True, nogil=True)
def row_products(starts: Any, columns: Any, values: Any, table: Any) -> NDArray[np.float64]:
    """Each row times the table: (rows, columns of the table)."""
    product = np.zeros((len(starts) - 1, table.shape[1]))
    for i in range(len(starts) - 1):
        for j in range(starts[i], starts[i + 1]):
            for k in range(table.shape[1]):
                product[i, k] += values[j] * table[columns[j], k]
    return product


@njit(cache=True, nogil=True)
def group_sums(
    starts: Any, columns: Any, values: Any, groups: Any, n_columns: int, n_groups: int
) -> NDArray[np.float64]:
    """The rows of each group added up: (columns, groups)."""
    sums = np.zeros((n_columns, n_groups))
    for i in range(len(starts) - 1):
        for j in range(starts[i], starts[i + 1]):
            sums[columns[j], groups[i]] += values[j]
    return sums

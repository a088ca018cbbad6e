"""Greedy forward selection of features, as in the 2008 paper: 74 custom features down to 15."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Selection:
    """The features chosen, best first, and how good the first, the first two, ... are."""

    columns: tuple[int, ...]
    values: tuple[float, ...]


def select_forward(n_columns: int, n_wanted: int, value_of: Callable[[list[int]], float]) -> Selection:
    """Add, one at a time, the column that raises ``value_of`` the most.

    >>> select_forward(3, 2, lambda columns: sum((1, 5, 3)[c] for c in columns)).columns
    (1, 2)
    """
    chosen: list[int] = []
    values: list[float] = []
    while len(chosen) < min(n_wanted, n_columns):
        rest = [column for column in range(n_columns) if column not in chosen]
        # On a tie the first column wins, so that the choice does not hang on chance.
        best = max(rest, key=lambda column: (value_of([*chosen, column]), -column))
        values.append(value_of([*chosen, best]))
        chosen.append(best)
    return Selection(tuple(chosen), tuple(values))


def halves(n: int, most: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two disjoint random halves of at most ``most`` rows in all."""
    rows = np.random.default_rng(seed).permutation(n)[:most]
    return rows[: len(rows) // 2], rows[len(rows) // 2 :]

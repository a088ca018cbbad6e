"""Greedy forward selection of features, as in the 2008 paper: 74 custom features down to 15."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.features.custom import CustomFeatures
from linksight.models.algorithms.tree_arrays import TreeArrays

Rows = NDArray[np.int64]
Grow = Callable[[NDArray[np.float32], NDArray[np.int64], int], TreeArrays]


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


class ColumnTrials:
    """Trees on some of the custom features, for choosing among these.

    The dictionaries and every tree are fitted on the rows ``learn`` alone. A dictionary fitted on the
    rows ``choose`` would be overestimated: its words come from the URLs of the evaluation.
    """

    def __init__(
        self, features: CustomFeatures, grow: Grow, urls: Sequence[Any], labels: NDArray[np.str_],
        languages: Sequence[str], targets: NDArray[np.int64], learn: Rows,
    ) -> None:  # fmt: skip
        # All languages have columns, also one that the rows to learn from happen to lack.
        all_languages = tuple(dict.fromkeys((*languages, *np.unique(labels).tolist())))
        self.features = features.learnt([urls[i] for i in learn], labels[learn].tolist(), all_languages)
        self._grow = grow
        self._targets = targets
        self._learn = learn
        self._matrix = self.features.matrix(urls)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the features."""
        return self.features.columns

    def answers(self, columns: Sequence[int], rows: Rows) -> NDArray[np.int64]:
        """The class that a tree on these columns gives each row."""
        matrix = self._matrix[:, list(columns)]
        tree = self._grow(matrix[self._learn], self._targets[self._learn], int(self._targets.max()) + 1)
        found: NDArray[np.int64] = tree.shares(matrix[rows]).argmax(axis=1)
        return found

    def value(self, columns: Sequence[int], rows: Rows) -> float:
        """The mean over classes of the share that a tree on these columns gets right."""
        truth = self._targets[rows]
        right = self.answers(columns, rows) == truth
        return float(np.mean([right[truth == k].mean() for k in np.unique(truth)]))

    def select(self, n_wanted: int, choose: Rows) -> Selection:
        """The columns that are best on the rows ``choose``, none of which may be learnt from."""
        return select_forward(len(self.columns), n_wanted, lambda columns: self.value(columns, choose))


def parts(n: int, most: int, shares: Sequence[int], seed: int) -> list[Rows]:
    """Disjoint random parts of at most ``most`` of ``n`` rows, as large as the ``shares`` are to each other.

    >>> [len(part) for part in parts(100, 40, (2, 1, 1), seed=0)]
    [20, 10, 10]
    """
    rows = np.random.default_rng(seed).permutation(n)[:most]
    ends = np.cumsum(shares)[:-1] * len(rows) // sum(shares)
    return list(np.split(rows, ends))

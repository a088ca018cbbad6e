"""Rank order (Cavnar and Trenkle 1994): compare the order of a URL's features with a language's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.features import FeatureSet
from linksight.features.hashed_counts import Counts
from linksight.models.additive import HashedClassifier
from linksight.models.estimator import Weights
from linksight.system.model_file import MAX_BITS


class RankOrder(HashedClassifier):
    """Keeps the ``n_ranks`` most frequent features of each language and sums how far each is out of place.

    A feature that a language's profile lacks has the maximum distance. Features of a URL that occur
    equally often share a rank: their order would be chance. Not additive, as a feature's rank
    depends on the others of its URL.
    """

    algorithm = "ros"

    def __init__(
        self, features: str | FeatureSet = "allgrams-from-word", *, language: str | None = None,
        n_ranks: int = 400, bits: int | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        self.features = features
        self.language = language
        self.n_ranks = n_ranks
        self.bits = bits
        self.seed = seed

    def _learn_counts(
        self, counts: Counts, targets: NDArray[np.int64], n_classes: int, weights: Weights = None
    ) -> None:
        sums = counts.sums(targets, n_classes, weights)
        profiles = np.full((n_classes, self.n_ranks), -1, dtype=np.int32)
        for k in range(n_classes):
            best = most_frequent(sums[:, k], self.n_ranks)
            profiles[k, : len(best)] = best
        self.profiles_ = profiles

    def _scores_of(self, counts: Counts) -> NDArray[np.float64]:
        rows, ranks = counts.rows, ranks_of(counts)
        distances = np.empty((len(counts), len(self.profiles_)))
        for k, profile in enumerate(self.profiles_):
            known = profile[profile >= 0]
            place = np.full(counts.n_columns, -1, dtype=np.int64)
            place[known] = np.arange(len(known))
            found = place[counts.columns]
            apart = np.where(found >= 0, np.abs(found - ranks), self.n_ranks)
            distances[:, k] = np.bincount(rows, apart, minlength=len(counts))
        if self.language is not None:
            return distances[:, :1] - distances[:, 1:]
        return -distances

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {"bits": self.bits_}, {"profiles": self.profiles_}

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        self.bits_ = int(values["bits"])
        self.profiles_ = profiles = arrays["profiles"]
        if not 0 < self.bits_ <= MAX_BITS or profiles.ndim != 2 or profiles.dtype.kind != "i":
            raise ValueError("profiles of features are needed")
        if profiles.min(initial=0) < -1 or profiles.max(initial=0) >= 2**self.bits_:
            raise ValueError("profiles of features that are not in the table")


def most_frequent(sums: NDArray[np.float64], n_wanted: int) -> NDArray[np.int64]:
    """The columns with the largest sums, largest first; ties go to the lower column.

    >>> most_frequent(np.array([1.0, 3.0, 0.0, 3.0, 1.0]), 3).tolist()
    [1, 3, 0]
    """
    least = np.partition(sums, -n_wanted)[-n_wanted] if len(sums) > n_wanted else 0.0
    candidates = np.flatnonzero((sums >= least) & (sums > 0))
    return candidates[np.argsort(-sums[candidates], kind="stable")[:n_wanted]]


def ranks_of(counts: Counts) -> NDArray[np.int64]:
    """The rank of each stored value within its URL, 0 for the most frequent; equals share one.

    >>> counts = Counts(np.array([0, 3, 5]), np.arange(5), np.array([1.0, 3.0, 1.0, 1.0, 1.0]), 8)
    >>> ranks_of(counts).tolist()
    [1, 0, 1, 0, 0]
    """
    rows = counts.rows
    order = np.lexsort((-counts.values, rows))
    values, rows = counts.values[order], rows[order]
    first_of_row = np.r_[True, rows[1:] != rows[:-1]] if len(rows) else np.zeros(0, dtype=bool)
    new_rank = first_of_row | np.r_[True, values[1:] != values[:-1]] if len(rows) else first_of_row
    position = np.arange(len(rows))
    start_of_row = np.maximum.accumulate(np.where(first_of_row, position, 0))
    start_of_tie = np.maximum.accumulate(np.where(new_rank, position, 0))
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[order] = start_of_tie - start_of_row
    return ranks

"""Naive Bayes: the probability of each feature in each language, and of the language itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linksight.features import FeatureSet
from linksight.features.hashed_counts import Counts
from linksight.models.additive import AdditiveClassifier
from linksight.models.estimator import Weights


class NaiveBayes(AdditiveClassifier):
    """Multinomial naive Bayes on raw counts, as the Bow toolkit has it.

    A feature that training has not seen is ignored.
    """

    algorithm = "nb"

    def __init__(
        self, features: str | FeatureSet = "words", *, language: str | None = None, smoothing: float = 1.0,
        bits: int | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        self.features = features
        self.language = language
        self.smoothing = smoothing
        self.bits = bits
        self.seed = seed

    def _learn_counts(
        self, counts: Counts, targets: NDArray[np.int64], n_classes: int, weights: Weights = None
    ) -> None:
        table = log_probabilities(counts.sums(targets, n_classes, weights), self.smoothing)
        sizes = np.bincount(targets, weights, minlength=n_classes)
        prior = np.log(sizes / sizes.sum())
        self._set_table(table, prior)


def log_probabilities(sums: NDArray[np.float64], smoothing: float) -> NDArray[np.float64]:
    """The smoothed logarithm of each feature's probability in each class; 0 where never seen.

    >>> np.exp(log_probabilities(np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), 1.0)).round(2).tolist()
    [[0.8, 0.33], [0.2, 0.67], [1.0, 1.0]]
    """
    seen = sums.any(axis=1)
    found = sums[seen] + smoothing
    table = np.zeros_like(sums)
    table[seen] = np.log(found / (sums.sum(axis=0) + smoothing * seen.sum()))
    return table

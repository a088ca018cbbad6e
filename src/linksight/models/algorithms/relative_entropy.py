"""Relative entropy (Sibun and Reynar 1996): the language whose distribution of features is nearest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linksight.features import FeatureSet
from linksight.features.hashed_counts import Counts
from linksight.models.additive import AdditiveClassifier
from linksight.models.algorithms.naive_bayes import log_probabilities
from linksight.models.estimator import Weights


class RelativeEntropy(AdditiveClassifier):
    """Picks the language q that minimises D(p‖q) = Σ p ln(p/q), p the distribution of the URL.

    Σ p ln p is the same for every language, so the score is Σ f ln q over the URL's counts f: the
    relative entropy times the number of features, with its sign turned. No language has a prior.
    """

    algorithm = "re"

    def __init__(
        self, features: str | FeatureSet = "allgrams-from-word", *, language: str | None = None,
        smoothing: float = 0.5, bits: int | None = None, seed: int = 0,
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
        self._set_table(table, np.zeros(n_classes))

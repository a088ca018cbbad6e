"""The linear models: support vector machine and maximum entropy."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.features import FeatureSet
from linksight.features.hashed_counts import Counts
from linksight.features.url_buffer import as_list
from linksight.models.estimator import AdditiveClassifier
from linksight.system.processes import n_cores


class Svm(AdditiveClassifier):
    """A linear support vector machine on f·ln(n/(nᵢ+1)), the paper's weighting.

    ``cost`` is what an error costs in units of SVM-light's default, one over the mean squared
    length of a row: long feature vectors do not need another setting than short ones. Multi-class
    is one language against the rest.
    """

    algorithm = "svm"

    def __init__(
        self, features: str | FeatureSet = "allgrams-from-word", *, language: str | None = None,
        cost: float = 1.0, tolerance: float = 0.1, n_epochs: int = 50, bits: int | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        self.features = features
        self.language = language
        self.cost = cost
        self.tolerance = tolerance
        self.n_epochs = n_epochs
        self.bits = bits
        self.seed = seed

    def _learn_counts(self, counts: Counts, targets: NDArray[np.int64], n_classes: int) -> None:
        rarity = rarities(counts)
        weighted = counts.scaled(rarity)
        squares = np.square(weighted.values, dtype=np.float64).sum() / len(counts)
        cost = self.cost / max(squares, 1.0)
        if self.language is not None:
            fits = [self._fit_one(weighted, targets == 1, cost)]
        else:
            with ThreadPoolExecutor(max_workers=n_cores()) as pool:
                fits = list(pool.map(lambda k: self._fit_one(weighted, targets == k, cost), range(n_classes)))
        table = np.stack([weights for weights, _ in fits], axis=1) * rarity[:, np.newaxis]
        self._set_table(table, np.array([bias for _, bias in fits]))

    def _fit_one(
        self, weighted: Counts, positive: NDArray[np.bool_], cost: float
    ) -> tuple[NDArray[np.float32], float]:
        from linksight.models.algorithms.solvers import fit_svm

        signs = np.where(positive, 1.0, -1.0)
        weights, bias, _ = fit_svm(
            weighted.starts, weighted.columns, weighted.values, signs, weighted.n_columns, cost,
            self.tolerance, self.n_epochs, self.seed,
        )  # fmt: skip
        return weights.astype(np.float32), bias


class MaximumEntropy(AdditiveClassifier):
    """Maximum entropy on raw counts: multinomial logistic regression with a Gaussian prior.

    ``variance`` is that of the prior: the larger, the freer the weights.
    """

    algorithm = "me"

    def __init__(
        self, features: str | FeatureSet = "allgrams-from-word", *, language: str | None = None,
        variance: float = 1.0, rate: float = 0.1, n_epochs: int = 8, bits: int | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        self.features = features
        self.language = language
        self.variance = variance
        self.rate = rate
        self.n_epochs = n_epochs
        self.bits = bits
        self.seed = seed

    def _learn_counts(self, counts: Counts, targets: NDArray[np.int64], n_classes: int) -> None:
        from linksight.models.algorithms.solvers import fit_logistic, fit_softmax

        frequencies = counts.frequencies().astype(np.float32)
        if self.language is not None:
            weights, bias = fit_logistic(
                counts.starts, counts.columns, counts.values, (targets == 1).astype(np.float64), frequencies,
                self.variance, self.rate, self.n_epochs, self.seed,
            )  # fmt: skip
            self._set_table(weights[:, np.newaxis], np.array([bias]))
            return
        weights, biases = fit_softmax(
            counts.starts, counts.columns, counts.values, targets, frequencies, n_classes, self.variance, self.rate, self.n_epochs, self.seed,
        )  # fmt: skip
        self._set_table(weights, biases)

    def predict_proba(self, urls: Iterable[Any]) -> NDArray[np.float64]:
        """The model's probabilities, columns as ``classes_``."""
        self._check_fitted()
        scores = self._scores(as_list(urls))
        if scores.shape[1] == 1:
            scores = np.hstack([np.zeros_like(scores), scores])
        powers: NDArray[np.float64] = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
        return shares


def rarities(counts: Counts) -> NDArray[np.float32]:
    """The paper's ln(n/(nᵢ+1)) of each feature; 0 for features that no URL has.

    A feature of nearly every URL would get a weight below 0, which would turn its meaning: 0.
    """
    frequencies = counts.frequencies()
    rarity = np.log(len(counts) / (frequencies + 1.0))
    return np.where(frequencies > 0, rarity.clip(min=0), 0).astype(np.float32)

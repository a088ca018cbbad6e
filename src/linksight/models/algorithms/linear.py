"""The linear models: support vector machine and maximum entropy."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from linksight.features import FeatureSet, parse_features
from linksight.features.custom import CustomFeatures
from linksight.features.feature_hash import bucket, fnv1a
from linksight.features.hashed_counts import Counts
from linksight.models.additive import AdditiveClassifier
from linksight.models.algorithms.solvers import fit_logistic, fit_softmax, fit_svm
from linksight.models.estimator import Weights
from linksight.system.processes import n_cores


class Svm(AdditiveClassifier):
    """A linear support vector machine on f·ln(n/(nᵢ+1)), the paper's weighting.

    ``cost`` is what an error costs in units of SVM-light's default, one over the mean squared
    length of a row, so that one setting suits long and short feature vectors. Multi-class is one class against the
    rest. ``calibrate`` fits the probabilities on held-out domains, which takes as long again as training.
    """

    algorithm = "svm"

    def __init__(
        self, features: str | FeatureSet = "allgrams-from-word", *, language: str | None = None,
        cost: float = 1.0, tolerance: float = 0.1, n_epochs: int = 50, bits: int | None = None, calibrate: bool = True,
        seed: int = 0,
    ) -> None:  # fmt: skip
        self.features = features
        self.language = language
        self.cost = cost
        self.tolerance = tolerance
        self.n_epochs = n_epochs
        self.bits = bits
        self.calibrate = calibrate
        self.seed = seed

    def _learn_counts(
        self, counts: Counts, targets: NDArray[np.int64], n_classes: int, weights: Weights = None
    ) -> None:
        idf = self._idf(counts)
        weighted = counts.scaled(idf)
        squares = np.square(weighted.values, dtype=np.float64).sum() / len(counts)
        cost = self.cost / max(squares, 1.0)

        def fit_one(positive: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float, int]:
            signs = np.where(positive, 1.0, -1.0)
            return fit_svm(weighted, signs, cost, self.tolerance, self.n_epochs, self.seed, weights)

        classes = [1] if self.language is not None else range(n_classes)
        with ThreadPoolExecutor(max_workers=n_cores()) as pool:
            fits = list(pool.map(lambda k: fit_one(targets == k), classes))
        table = np.stack([found.astype(np.float32) for found, _, _ in fits], axis=1) * idf[:, np.newaxis]
        self._set_table(table, np.array([bias for _, bias, _ in fits]))

    def _idf(self, counts: Counts) -> NDArray[np.float32]:
        """The weight of each column; custom features keep their values, as in the paper."""
        parts = getattr(self, "features_", parse_features(self.features)).parts
        custom = [part for part in parts if isinstance(part, CustomFeatures)]
        if len(custom) == len(parts):
            return np.ones(counts.n_columns, np.float32)
        idf = inverse_document_frequencies(counts)
        idf[[bucket(fnv1a(f"c:{name}"), self.bits_) for part in custom for name in part.columns]] = 1
        return idf


class MaximumEntropy(AdditiveClassifier):
    """Maximum entropy on raw counts: multinomial logistic regression with a Gaussian prior.

    ``variance`` is that of the prior: the larger, the freer the weights. ``calibrate`` is as for the support vector
    machine.
    """

    algorithm = "me"

    def __init__(
        self, features: str | FeatureSet = "allgrams-from-word", *, language: str | None = None,
        variance: float = 1.0, rate: float = 0.1, n_epochs: int = 8, bits: int | None = None, calibrate: bool = True,
        seed: int = 0,
    ) -> None:  # fmt: skip
        self.features = features
        self.language = language
        self.variance = variance
        self.rate = rate
        self.n_epochs = n_epochs
        self.bits = bits
        self.calibrate = calibrate
        self.seed = seed

    def _learn_counts(
        self, counts: Counts, targets: NDArray[np.int64], n_classes: int, weights: Weights = None
    ) -> None:
        settings = (self.variance, self.rate, self.n_epochs, self.seed, weights)
        if self.language is not None:
            column, bias = fit_logistic(counts, targets, *settings)
            self._set_table(column[:, np.newaxis], np.array([bias]))
        else:
            self._set_table(*fit_softmax(counts, targets, n_classes, *settings))


def inverse_document_frequencies(counts: Counts) -> NDArray[np.float32]:
    """The paper's ln(n/(nᵢ+1)) of each feature; 0 for features that no URL has.

    A feature of nearly every URL would get a weight below 0, which would reverse its meaning: it gets 0.
    """
    frequencies = counts.frequencies()
    idf = np.log(len(counts) / (frequencies + 1.0))
    return np.where(frequencies > 0, idf.clip(min=0), 0).astype(np.float32)

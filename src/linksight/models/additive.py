"""Classifiers over hashed counts; most are a bias and a sum of feature weights."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadConfig
from linksight.features.hashed_counts import Counts
from linksight.models.estimator import UrlClassifier, Weights
from linksight.system.model_file import table_of

if TYPE_CHECKING:
    from linksight.url_model.model import UrlLanguageModel

# Up to 32 million weights, fewer collisions are worth the memory.
_FINE_BITS, _COARSE_BITS, _MOST_NUMBERS = 22, 20, 2**25


class HashedClassifier(UrlClassifier):
    """A classifier over hashed feature counts."""

    bits: int | None
    bits_: int

    def _learn(
        self, urls: list[Any], targets: NDArray[np.int64], n_classes: int, weights: Weights = None
    ) -> None:
        self.bits_ = self.bits or _bits_for(n_classes)
        self._learn_counts(Counts.of(urls, self.features_, self.bits_), targets, n_classes, weights)

    def _learn_counts(
        self, counts: Counts, targets: NDArray[np.int64], n_classes: int, weights: Weights = None
    ) -> None:
        raise NotImplementedError

    def _scores(self, urls: list[Any]) -> NDArray[np.float64]:
        return self._scores_of(Counts.of(urls, self.features_, self.bits_))

    def _scores_of(self, counts: Counts) -> NDArray[np.float64]:
        raise NotImplementedError

    def fit_counts(self, counts: Counts, positive: NDArray[np.bool_]) -> Self:
        """Train a binary classifier on rows counted before, which several classifiers may share.

        It learns from all rows and answers :meth:`takes_counts` only.
        """
        if self.language is None:
            raise BadConfig(f"{self.algorithm}: counts train a binary classifier: give its language")
        self._learn_counts(counts, positive.astype(np.int64), 2)
        return self

    def takes_counts(self, counts: Counts) -> NDArray[np.bool_]:
        """For which rows, counted like those of :meth:`fit_counts`, the answer is yes."""
        yes: NDArray[np.bool_] = self._scores_of(counts)[:, 0] > 0
        return yes


class AdditiveClassifier(HashedClassifier):
    """A classifier that is a bias and a sum of feature weights in one table."""

    table_: NDArray[np.float32]
    bias_: NDArray[np.float32]

    def _set_table(self, table: NDArray[Any], bias: NDArray[Any]) -> None:
        """Keep the weights; of the two classes of a binary classifier only their difference."""
        if self.language is not None and table.shape[1] == 2:
            table, bias = table[:, 1:] - table[:, :1], bias[1:] - bias[:1]
        self.table_ = np.ascontiguousarray(table, dtype=np.float32)
        self.bias_ = np.asarray(bias, dtype=np.float32)

    def _scores_of(self, counts: Counts) -> NDArray[np.float64]:
        return counts.scores(self.table_) + self.bias_

    def compile(self) -> UrlLanguageModel:
        """The URL model with this table and the calibration of its probabilities."""
        from linksight.url_model.model import UrlLanguageModel

        self._check_nameable()
        features = self.features_
        model = UrlLanguageModel.from_table(
            features.spec, self.table_, self.bias_, self.languages_, features.state()
        )
        slopes = np.full(2, self.slope_, np.float32)
        return replace(model, calibration=replace(model.calibration, slopes=slopes, label_noise=self.noise_))

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        rows = np.flatnonzero(self.table_.any(axis=1))
        return {"bits": self.bits_}, {
            "rows": rows.astype(np.int32), "weights": self.table_[rows], "bias": self.bias_,
        }  # fmt: skip

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        self.bits_ = int(values["bits"])
        self.bias_ = arrays["bias"]
        self.table_ = table_of(arrays["rows"], arrays["weights"], self.bits_, len(self.bias_))


def _bits_for(n_classes: int) -> int:
    return _FINE_BITS if n_classes * 2**_FINE_BITS <= _MOST_NUMBERS else _COARSE_BITS

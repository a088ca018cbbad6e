"""Two classifiers in one: the answer is yes when either answers yes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadConfig
from linksight.features import FeatureSet
from linksight.features.feature_hash import bucket, fnv1a
from linksight.features.geo import HostingCountries
from linksight.features.words import Tld
from linksight.models.algorithms.country_tables import tlds_of
from linksight.models.algorithms.ip_country import Ip
from linksight.models.algorithms.linear import Svm
from linksight.models.algorithms.naive_bayes import NaiveBayes
from linksight.models.estimator import UrlClassifier, Weights

# More than the weights of all features of a URL together: the country code decides.
_SURE = 10_000.0


class CcTldThenBayes(NaiveBayes):
    """The classifier of Hogewind et al. 2020: the country code first, naive Bayes for the rest."""

    algorithm = "nb+cctld"
    looks_up = True

    def __init__(
        self, features: str | FeatureSet = "words+3-grams-from-word", *, language: str | None = None,
        smoothing: float = 1.0, table: str = "paper", bits: int | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(features, language=language, smoothing=smoothing, bits=bits, seed=seed)
        self.table = table

    def _set_languages(self, names: tuple[str, ...]) -> None:
        super()._set_languages(names)
        if Tld() not in self.features_.parts:
            self.features_ = FeatureSet((*self.features_.parts, Tld()))
        for k, name in enumerate(names):
            for tld in tlds_of(name, self.table):
                self.table_[bucket(fnv1a(f"t:{tld}"), self.bits_), k] = _SURE


class SvmWithIp(UrlClassifier):
    """Section 4.7.1: the support vector machine, and where its answer is no, the hosting country. Binary only."""

    algorithm = "svm+ip"
    looks_up = True

    def __init__(
        self, features: str | FeatureSet = "allgrams-from-word", *, language: str | None = None,
        hosting: HostingCountries | str | os.PathLike[str] | None = None, table: str = "paper",
        cost: float = 1.0, bits: int | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        self.features = features
        self.language = language
        self.hosting = hosting
        self.table = table
        self.cost = cost
        self.bits = bits
        self.seed = seed

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.language is None:
            raise BadConfig(f"{self.algorithm} is a binary classifier: it needs a language")
        self._ip().check_parameters()

    def _svm(self) -> Svm:
        return Svm(self.features, language=self.language, cost=self.cost, bits=self.bits, seed=self.seed)

    def _ip(self) -> Ip:
        return Ip(language=self.language, hosting=self.hosting, table=self.table)

    def _learn(
        self, urls: list[Any], targets: NDArray[np.int64], n_classes: int, weights: Weights = None
    ) -> None:
        self.svm_ = self._svm()
        self.svm_.features_ = self.features_
        self.svm_._learn(urls, targets, n_classes, weights)

    def _set_languages(self, names: tuple[str, ...]) -> None:
        super()._set_languages(names)
        self.svm_._set_languages(names)
        self.ip_ = self._ip().fit()

    def _scores(self, urls: list[Any]) -> NDArray[np.float64]:
        mine = self.svm_._scores(urls)
        hosted = self.ip_._scores(urls) > 0
        return np.where(hosted, np.maximum(mine, 1.0), mine)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return self.svm_.state()

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        self.svm_ = self._svm()
        self.svm_.features_ = self.features_
        self.svm_.restore(values, arrays)

"""The papers' features as a sparse matrix, for any estimator of scikit-learn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin

from linksight.errors import BadConfig
from linksight.features import FeatureSet, parse_features
from linksight.features.custom import CustomFeatures
from linksight.features.hashed_counts import Counts
from linksight.features.url_buffer import as_list
from linksight.languages.registry import find


class UrlVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns URLs into counts: one row a URL, as a SciPy CSR matrix of 32-bit floats.

    Words and n-grams are hashed into ``2**bits`` columns. ``custom`` alone gives one named column a feature; its
    dictionaries are learnt in ``fit``, which then needs the languages. An invalid URL is a row of zeros.

    >>> matrix = UrlVectorizer("words", bits=12).fit_transform(["http://vldb.org/vldb_journal/"])
    >>> matrix.shape, sorted(matrix.data.tolist())
    ((1, 4096), [1.0, 1.0, 2.0])
    """

    def __init__(self, features: str | FeatureSet = "allgrams-from-word", *, bits: int = 20) -> None:
        self.features = features
        self.bits = bits

    def fit(self, urls: Iterable[Any], languages: Iterable[Any] | None = None) -> Self:
        """Learn the dictionaries of custom features; words and n-grams need no training."""
        features = parse_features(self.features)
        if not features.is_hashed:
            if languages is None:
                raise BadConfig(
                    f"{features.spec}: dictionaries are learnt from languages: fit(urls, languages)"
                )
            codes = [find(label) for label in as_list(languages)]
            features = features.learnt(as_list(urls), codes, tuple(sorted(set(codes))))
        self.features_ = features
        return self

    def transform(self, urls: Iterable[Any]) -> csr_matrix:
        """The counts of the features of each URL."""
        features = self.features_ if self.__sklearn_is_fitted__() else self.fit(()).features_
        custom = _only_part(features)
        if custom is not None:
            return csr_matrix(custom.matrix(urls))
        return Counts.of(urls, features, self.bits).matrix

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the columns: of custom features their own, else ``feature0``, ``feature1``, ..."""
        custom = _only_part(self.features_)
        names = custom.columns if custom is not None else [f"feature{i}" for i in range(2**self.bits)]
        return np.array(names, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "features_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        return tags


def _only_part(features: FeatureSet) -> CustomFeatures | None:
    part = features.parts[0] if len(features.parts) == 1 else None
    return part if isinstance(part, CustomFeatures) else None

"""The decision tree on custom features, small enough to be read."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadConfig
from linksight.features import FeatureSet, parse_features
from linksight.features.custom import CustomFeatures
from linksight.models.algorithms.tree_arrays import TreeArrays
from linksight.models.estimator import UrlClassifier, Weights
from linksight.models.forward_selection import ColumnTrials, parts

_MAX_SELECTION_ROWS = 8_000


class DecisionTree(UrlClassifier):
    """Splits on the feature that lowers the entropy most, then prunes splits that do not pay.

    ``pruning`` is the minimum gain of a branch for each of its leaves. ``n_features``
    keeps the best ones by greedy forward selection, as in 2008. ``calibrate`` fits the probabilities on held-out
    domains; without it they are the shares of training URLs in a leaf, through the logistic function.
    """

    algorithm = "dt"

    def __init__(
        self, features: str | FeatureSet = "custom", *, language: str | None = None, pruning: float = 1e-5,
        min_leaf: int = 5, n_features: int | None = None, calibrate: bool = True, seed: int = 0,
    ) -> None:  # fmt: skip
        self.features = features
        self.language = language
        self.pruning = pruning
        self.min_leaf = min_leaf
        self.n_features = n_features
        self.calibrate = calibrate
        self.seed = seed

    def check_parameters(self) -> None:
        super().check_parameters()
        _custom_part(parse_features(self.features))

    @property
    def custom_(self) -> CustomFeatures:
        """The custom features with the dictionaries that were learnt."""
        return _custom_part(self.features_)

    def _learn_features(
        self, urls: list[Any], labels: NDArray[np.str_], targets: NDArray[np.int64], names: tuple[str, ...]
    ) -> None:
        super()._learn_features(urls, labels, targets, names)
        if self.n_features is not None:
            learn, choose = parts(len(urls), _MAX_SELECTION_ROWS, (1, 1), self.seed)
            tried = self.trials(urls, labels, targets, names, learn)
            self.selection_ = tried.select(self.n_features, choose)
            selected = [tried.columns[column] for column in self.selection_.columns]
            self.features_ = FeatureSet((self.custom_.keeping(selected),))

    def trials(
        self, urls: list[Any], labels: NDArray[np.str_], targets: NDArray[np.int64], names: tuple[str, ...],
        learn: NDArray[np.int64],
    ) -> ColumnTrials:  # fmt: skip
        """Trees like this one on some of the features, learnt from the rows ``learn`` alone."""
        features = _custom_part(parse_features(self.features))
        return ColumnTrials(features, self.grow, urls, labels, names, targets, learn)

    def _learn(
        self, urls: list[Any], targets: NDArray[np.int64], n_classes: int, weights: Weights = None
    ) -> None:
        self.tree_ = self.grow(self.custom_.matrix(urls), targets, n_classes, weights)

    def grow(
        self, matrix: NDArray[np.float32], targets: NDArray[np.int64], n_classes: int, weights: Weights = None
    ) -> TreeArrays:
        """The tree for rows of features computed before."""
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(
            criterion="entropy",
            min_samples_leaf=self.min_leaf,
            ccp_alpha=self.pruning,
            random_state=self.seed,
        )
        return TreeArrays.of(tree.fit(matrix, targets, sample_weight=weights), n_classes)

    def _scores(self, urls: list[Any]) -> NDArray[np.float64]:
        shares = self.tree_.shares(self.custom_.matrix(urls))
        return shares[:, 1:] - shares[:, :1] if self.language is not None else shares

    def draw_text(self, depth: int = 3) -> str:
        """The top of the tree as text."""
        self._check_fitted()
        return self.tree_.text(self.custom_.columns, self._class_names(), depth)

    def draw(self, path: str | os.PathLike[str], depth: int = 3) -> None:
        """The top of the tree as a picture: SVG, PNG or PDF, by the name of the file."""
        self._check_fitted()
        from linksight.models.algorithms.tree_plot import draw_tree

        draw_tree(self.tree_, self.custom_.columns, self._class_names(), path, depth)

    def _class_names(self) -> tuple[str, ...]:
        return (
            (f"not {self.languages_[0]}", *self.languages_) if self.language is not None else self.languages_
        )

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {}, self.tree_.as_dict()

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        self.tree_ = TreeArrays.restored(arrays, len(self.custom_.columns))


def _custom_part(features: FeatureSet) -> CustomFeatures:
    """The custom features of a set that has nothing else."""
    part = features.parts[0] if len(features.parts) == 1 else None
    if not isinstance(part, CustomFeatures):
        raise BadConfig("dt reads custom features: a tree of words or n-grams would be too large to read")
    return part

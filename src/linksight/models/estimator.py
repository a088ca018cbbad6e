"""The base of all classifiers: a scikit-learn estimator whose rows are URLs.

Parameters go to the constructor; ``fit`` learns attributes that end in ``_``. With ``language`` a classifier is
binary, as in the papers: its answers are that language and ``und``. Without it, it has one class per label.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError

from linksight.errors import BadConfig, BadLanguage, NotFitted
from linksight.features import FeatureSet, LearningPart, parse_features
from linksight.features.url_buffer import as_list, parsed
from linksight.languages import registry as known_languages
from linksight.models.calibration import can_calibrate, fit_slope, held_out_domains, probabilities
from linksight.models.labels import Labels, balanced_rows, check_rows, row_weights
from linksight.models.parameter_validation import LIMITS
from linksight.results import UND

_TIE = np.finfo(np.float64).tiny
Weights = NDArray[np.float64] | None  #: sample weights, one per row


class NotFittedClassifier(NotFitted, NotFittedError):  # type: ignore[misc]
    """Linksight's error and scikit-learn's: a classifier was used before it was trained."""


class UrlClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of all classifiers: parameters, labels, probabilities, the answer from the scores."""

    algorithm: ClassVar[str]
    needs_training: ClassVar[bool] = True
    looks_up: ClassVar[bool] = False  #: whether it needs the names of languages, to look them up in a table

    features: str | FeatureSet
    language: str | None
    seed: int
    classes_: NDArray[Any]  #: sorted: codes of languages, or the labels as they were given
    languages_: tuple[str, ...]  #: the classes with a score, as text: one for a binary classifier
    labels_are_languages_: bool
    features_: FeatureSet
    slope_: float = 1.0  #: of the probabilities; 1 where there were too few domains to fit it
    noise_: float = 0.0  #: share of answers that no score explains

    @classmethod
    def parameter_names(cls) -> list[str]:
        """The parameters of the constructor."""
        names: list[str] = cls._get_param_names()
        return names

    def check_parameters(self) -> None:
        """Refuse invalid parameters before any data are read."""
        for name, limits in LIMITS.items():
            if name in self.parameter_names() and (value := getattr(self, name)) is not limits.unset:
                limits.check(f"{self.algorithm}: {name}", value)
        parse_features(self.features)
        if self.language is not None and known_languages.find(self.language) == UND:
            # "und" is the answer of every binary classifier for "no".
            raise BadLanguage(self.language, "not a language that can be learnt")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = self.needs_training
        return tags

    @property
    def is_fitted(self) -> bool:
        """Whether it can answer."""
        return hasattr(self, "classes_")

    def __sklearn_is_fitted__(self) -> bool:
        return self.is_fitted

    # --- training ---------------------------------------------------------------------------------

    def fit(self, urls: Iterable[Any], languages: Iterable[Any], sample_weight: Any = None) -> Self:
        """Learn from URLs and the languages, or any other labels, of their pages."""
        self.check_parameters()
        row_languages, everything = as_list(languages), parsed(urls)
        check_rows(everything, row_languages)
        weights = row_weights(sample_weight, len(row_languages))
        labels = Labels.of(row_languages, binary=self.language is not None)
        self._check_labels(labels)
        values = labels.values
        if self.language is None:
            classes, targets = labels.classes()
            names = tuple(map(str, classes.tolist()))
        else:
            names = (known_languages.find(self.language),)
            yes, *answers = labels.yes_and_no(names[0])
            classes = np.unique(np.array(answers))
            rows = balanced_rows(yes, values, names[0], self.seed)
            everything, values, targets = (
                [everything[i] for i in rows],
                values[rows],
                yes[rows].astype(np.int64),
            )
            weights = weights[rows] if weights is not None else None
            if not labels.are_languages:
                values = np.where(targets == 1, names[0], UND)
        self._train(everything, values.astype(str), targets, names, weights)
        self.classes_ = classes
        self.labels_are_languages_ = labels.are_languages
        return self

    def _train(
        self, urls: list[Any], labels: NDArray[np.str_], targets: NDArray[np.int64], names: tuple[str, ...],
        weights: Weights,
    ) -> None:  # fmt: skip
        """Learn from all rows; fit slope and noise of the probabilities on domains that a copy has not seen."""
        twin, held_out = self, np.ones(len(urls), dtype=bool)
        if self.needs_training and getattr(self, "calibrate", True):
            held_out = held_out_domains(urls)
            if can_calibrate(held_out, targets):
                twin = clone(self)
                train_rows = np.flatnonzero(~held_out)
                seen = [urls[i] for i in train_rows]
                twin._learn_all(
                    seen, labels[train_rows], targets[train_rows], names, _take_weights(weights, train_rows)
                )
        self._learn_all(urls, labels, targets, names, weights)
        self.slope_, self.noise_ = 1.0, 0.0
        if twin is not self or not self.needs_training:
            rows = np.flatnonzero(held_out)
            scores = twin._scores([urls[i] for i in rows])
            self.slope_, self.noise_ = fit_slope(scores, targets[rows], _take_weights(weights, rows))

    def _learn_all(
        self, urls: list[Any], labels: NDArray[np.str_], targets: NDArray[np.int64], names: tuple[str, ...],
        weights: Weights,
    ) -> None:  # fmt: skip
        self._learn_features(urls, labels, targets, names)
        self._learn(urls, targets, max(2, len(names)), weights)
        self._set_languages(names)

    def _learn_features(
        self, urls: list[Any], labels: NDArray[np.str_], targets: NDArray[np.int64], names: tuple[str, ...]
    ) -> None:
        """Fit the features, before the classifier is fitted."""
        self.features_ = parse_features(self.features).learnt(urls, labels.tolist(), names)

    def _learn(
        self, urls: list[Any], targets: NDArray[np.int64], n_classes: int, weights: Weights = None
    ) -> None:
        raise NotImplementedError

    def _set_languages(self, names: tuple[str, ...]) -> None:
        self.languages_ = names

    def _check_labels(self, labels: Labels) -> None:
        """Refuse labels that are no languages where languages are looked up in a table."""
        custom = any(isinstance(part, LearningPart) for part in parse_features(self.features).parts)
        is_yes_or_no = self.language is not None and labels.values.dtype.kind == "b"
        if (self.looks_up or custom) and not labels.are_languages and not is_yes_or_no:
            raise BadLanguage(labels.values[0], f"{self.algorithm} looks languages up and needs their names")

    # --- answers ----------------------------------------------------------------------------------

    def _scores(self, urls: list[Any]) -> NDArray[np.float64]:
        """Higher is likelier: one column per name in ``languages_``."""
        raise NotImplementedError

    def _check_fitted(self) -> None:
        if not self.is_fitted:
            raise NotFittedClassifier(
                f"this {self.algorithm} classifier has not been trained: call fit first"
            )

    def _check_nameable(self) -> None:
        """Refuse to compile a classifier whose answers are no languages."""
        self._check_fitted()
        if not self.labels_are_languages_ and self.language is None:
            raise BadConfig(f"this {self.algorithm} classifier was trained on labels that are not languages")

    @property
    def _yes(self) -> int:
        """Of a binary classifier: the position of its language in ``classes_``."""
        if self.classes_.dtype.kind in "bi":
            return 1
        return int(self.classes_[1] == self.languages_[0])

    def decision_function(self, urls: Iterable[Any]) -> NDArray[np.float64]:
        """Scores as scikit-learn has them: of two classes, above 0 means the second; else one column per class.

        ``classes_`` is sorted. The second class of a German classifier is ``und`` (``de`` sorts first), that of a
        Chinese one is ``zh``; of one trained on True and False it is True.
        """
        self._check_fitted()
        scores = self._scores(as_list(urls))
        if scores.shape[1] == 1:
            # On a tie the answer is no.
            return scores[:, 0] if self._yes else np.where(scores[:, 0] == 0, _TIE, -scores[:, 0])
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, urls: Iterable[Any]) -> NDArray[np.float64]:
        """Probabilities, columns as ``classes_``: calibrated on domains that were held out in training.

        They refer to the mix of labels that the classifier was trained on.
        """
        self._check_fitted()
        found = probabilities(self._scores(as_list(urls)), self.slope_, self.noise_)
        return found[:, ::-1] if len(self.languages_) == 1 and not self._yes else found

    def predict_log_proba(self, urls: Iterable[Any]) -> NDArray[np.float64]:
        """Logarithms of :meth:`predict_proba`."""
        return np.log(np.maximum(self.predict_proba(urls), np.finfo(float).tiny))

    def predict(self, urls: Iterable[Any]) -> NDArray[Any]:
        """A class for each URL; among languages ``und`` for an invalid URL."""
        self._check_fitted()
        addresses = parsed(urls)
        found = self._answers(self._scores(addresses))
        if len(self.languages_) == 1 or not self.labels_are_languages_:
            return found
        return np.where([address is None for address in addresses], UND, found)

    def _answers(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        if len(self.languages_) > 1:
            best: NDArray[Any] = self.classes_[scores.argmax(axis=1)]
            return best
        found: NDArray[Any] = self.classes_[np.where(scores[:, 0] > 0, self._yes, 1 - self._yes)]
        return found

    def score(self, urls: Iterable[Any], languages: Iterable[Any], sample_weight: Any = None) -> float:
        """Accuracy; for a binary classifier any other language is its "no"."""
        self._check_fitted()
        everything, classes = as_list(urls), as_list(languages)
        check_rows(everything, classes)
        truth = Labels.of(classes, binary=self.language is not None).values
        if self.language is not None and truth.dtype.kind not in "bi":
            truth = np.where(truth == self.languages_[0], truth, self.classes_[1 - self._yes])
        return float(
            np.average(self.predict(everything) == truth, weights=row_weights(sample_weight, len(classes)))
        )

    # --- on disk ----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that :func:`linksight.models.load` reads."""
        from linksight.models.classifier_files import save_classifier

        self._check_fitted()
        save_classifier(self, path)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The fitted state: plain values and arrays."""
        raise NotImplementedError

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Restore what :meth:`state` returned."""
        raise NotImplementedError


def _take_weights(weights: Weights, rows: NDArray[np.int64]) -> Weights:
    return None if weights is None else weights[rows]

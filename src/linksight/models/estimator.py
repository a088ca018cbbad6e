"""What every classifier here is: scikit-learn's contract over URLs, without scikit-learn.

Parameters go to the constructor and stay as given; ``fit`` learns; what is learnt ends in ``_``.
With ``language`` a classifier is binary, as in the papers: it answers that language or ``und``.
Without it, it is multi-class over the languages that it saw.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadConfig, BadLanguage, NotFitted
from linksight.features import FeatureSet, LearningPart, parse_features
from linksight.features.hashed_counts import Counts
from linksight.features.url_buffer import as_list, parsed
from linksight.languages import registry as known_languages
from linksight.models.label_sampling import binary_rows, check_rows, classes_of, codes_of, numbers_of
from linksight.models.parameter_validation import LIMITS
from linksight.results import UND
from linksight.system.model_file import table_of

if TYPE_CHECKING:
    from linksight.url_model.model import Scorer

# A table of up to 32 million numbers is worth fewer collisions; beyond that memory wins.
_FINE_BITS, _COARSE_BITS, _MOST_NUMBERS = 22, 20, 2**25


class UrlClassifier:
    """Base of all classifiers: parameters, labels, the answer from the scores."""

    algorithm: ClassVar[str]
    needs_training: ClassVar[bool] = True
    looks_up: ClassVar[bool] = False  #: whether it knows languages by their names, besides what it learns

    features: str | FeatureSet
    language: str | None
    seed: int
    classes_: NDArray[Any]  #: languages, or numbers where the labels were numbers
    languages_: tuple[str, ...]
    features_: FeatureSet

    @classmethod
    def parameter_names(cls) -> list[str]:
        """What the constructor takes."""
        return [name for name in inspect.signature(cls).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, as given."""
        return {name: getattr(self, name) for name in self.parameter_names()}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters; an unknown one is an error."""
        for name, value in parameters.items():
            if name not in self.parameter_names():
                known = ", ".join(self.parameter_names())
                raise BadConfig(f"{self.algorithm} has no parameter {name!r}; known: {known}")
            setattr(self, name, value)
        return self

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any data are read."""
        for name, limits in LIMITS.items():
            if name in self.parameter_names() and (value := getattr(self, name)) is not limits.unset:
                limits.check(f"{self.algorithm}: {name}", value)
        parse_features(self.features)
        if self.language is not None and known_languages.find(self.language) == UND:
            # It is the answer of every binary classifier where it says no.
            raise BadLanguage(self.language, "not a language that can be learnt")

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({given})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(string=True, two_d_array=False, one_d_array=True),
        )

    @property
    def is_fitted(self) -> bool:
        """Whether it can be asked."""
        return hasattr(self, "classes_")

    def __sklearn_is_fitted__(self) -> bool:
        return self.is_fitted

    def fit(self, urls: Iterable[Any], languages: Iterable[Any]) -> Self:
        """Learn from URLs and the languages of their pages."""
        self.check_parameters()
        everything, given = as_list(urls), as_list(languages)
        numbers = self._numbers(given)
        check_rows(everything, given)
        labels = codes_of(given) if numbers is None else self._named(numbers)
        if self.language is None:
            names = classes_of(labels)
            targets = np.searchsorted(np.array(names), labels)
        else:
            names = (known_languages.find(self.language),)
            rows = binary_rows(labels, names[0], self.seed)
            everything, labels = [everything[i] for i in rows], labels[rows]
            targets = (labels == names[0]).astype(np.int64)
        self._learn_features(everything, labels, targets, names)
        self._learn(everything, targets, max(2, len(names)))
        self._set_languages(names)
        self._answer_in(numbers)
        return self

    def _answer_in(self, numbers: NDArray[Any] | None) -> None:
        """Give the answers as the labels were given."""
        if numbers is not None:
            both = np.array([0, 1], dtype=numbers.dtype)
            self.classes_ = np.unique(numbers) if self.language is None else both

    def _numbers(self, labels: list[Any]) -> NDArray[Any] | None:
        """The labels where they are numbers, as scikit-learn's combinations give them, or True and False."""
        numbers = numbers_of(labels)
        if numbers is None:
            return None
        if self.language is not None and not set(numbers.tolist()) <= {0, 1}:
            raise BadLanguage(labels[0], f"is it {self.language!r}? True or False (1 or 0)")
        if self._looks_up and not (self.language is not None and numbers.dtype == bool):
            # Which class a number stands for is nowhere written; a country code stands for one language.
            raise BadLanguage(labels[0], f"{self.algorithm} looks languages up and needs their names")
        return numbers

    @property
    def _looks_up(self) -> bool:
        custom = any(isinstance(part, LearningPart) for part in parse_features(self.features).parts)
        return self.looks_up or custom

    def _named(self, numbers: NDArray[Any]) -> NDArray[np.str_]:
        """Numbers as labels: the binary classifier's language or none, or names in the order of the numbers."""
        if self.language is not None:
            return np.where(numbers.astype(bool), known_languages.find(self.language), UND)
        ranks = np.unique(numbers, return_inverse=True)[1]
        return np.array([f"class {rank:09}" for rank in ranks])

    @property
    def _is_numbered(self) -> bool:
        """Whether the answers are numbers, as the labels were."""
        return self.classes_.dtype.kind in "ib"

    def _set_languages(self, names: tuple[str, ...]) -> None:
        self.languages_ = names
        self.classes_ = np.array([UND, *names] if self.language is not None else names)

    def _learn_features(
        self, urls: list[Any], labels: NDArray[np.str_], targets: NDArray[np.int64], names: tuple[str, ...]
    ) -> None:
        """What the features themselves learn from the rows, before the classifier does."""
        self.features_ = parse_features(self.features).learnt(urls, labels.tolist(), names)

    def _learn(self, urls: list[Any], targets: NDArray[np.int64], n_classes: int) -> None:
        raise NotImplementedError

    def _scores(self, urls: list[Any]) -> NDArray[np.float64]:
        """Higher is likelier: one column a language of ``languages_``."""
        raise NotImplementedError

    def _check_fitted(self) -> None:
        if not self.is_fitted:
            raise NotFitted(f"this {self.algorithm} classifier has not been trained: call fit first")

    def _check_nameable(self) -> None:
        self._check_fitted()
        if self._is_numbered and self.language is None:
            raise BadConfig(
                f"this {self.algorithm} classifier was trained on numbers, not languages: nobody else could read it"
            )

    def decision_function(self, urls: Iterable[Any]) -> NDArray[np.float64]:
        """Scores: above 0 means yes where there are two answers, else one column a language."""
        self._check_fitted()
        scores = self._scores(as_list(urls))
        if scores.shape[1] == 1:
            return scores[:, 0]
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, urls: Iterable[Any]) -> NDArray[Any]:
        """A language for each URL; ``und`` for no, and for what is not a web address."""
        self._check_fitted()
        addresses = parsed(urls)
        scores = self._scores(addresses)
        if self._is_numbered:  # among numbers there is none for "no answer"
            best = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
            numbers: NDArray[Any] = self.classes_[best.astype(np.int64)]
            return numbers
        found = self._answers(scores)
        unusable = np.array([address is None for address in addresses], dtype=bool)
        return np.where(unusable, UND, found)

    def _answers(self, scores: NDArray[np.float64]) -> NDArray[np.str_]:
        if self.language is not None:
            return np.where(scores[:, 0] > 0, self.languages_[0], UND)
        found: NDArray[np.str_] = np.array(self.languages_)[scores.argmax(axis=1)]
        return found

    def score(self, urls: Iterable[Any], languages: Iterable[Any]) -> float:
        """The share of right answers; for a binary classifier any other language is ``und``."""
        self._check_fitted()
        everything, given = as_list(urls), as_list(languages)
        check_rows(everything, given)
        if self._is_numbered:
            return float((self.predict(everything) == np.array(given)).mean())
        labels = codes_of(given)
        if self.language is not None:
            labels = np.where(labels == self.languages_[0], labels, UND)
        return float((self.predict(everything) == labels).mean())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that :func:`linksight.models.load` reads."""
        from linksight.models.classifier_files import save_classifier

        self._check_nameable()
        save_classifier(self, path)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What was learnt: plain values and arrays."""
        raise NotImplementedError

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Take back what :meth:`state` gave."""
        raise NotImplementedError


class HashedClassifier(UrlClassifier):
    """A classifier over hashed feature counts."""

    bits: int | None
    bits_: int

    def _learn(self, urls: list[Any], targets: NDArray[np.int64], n_classes: int) -> None:
        self.bits_ = self.bits or _bits_for(n_classes)
        self._learn_counts(Counts.of(urls, self.features_, self.bits_), targets, n_classes)

    def _learn_counts(self, counts: Counts, targets: NDArray[np.int64], n_classes: int) -> None:
        raise NotImplementedError

    def _counts(self, urls: list[Any]) -> Counts:
        return Counts.of(urls, self.features_, self.bits_)

    def _scores(self, urls: list[Any]) -> NDArray[np.float64]:
        return self._scores_of(self._counts(urls))

    def _scores_of(self, counts: Counts) -> NDArray[np.float64]:
        raise NotImplementedError

    def fit_counts(self, counts: Counts, positive: NDArray[np.bool_]) -> Self:
        """Learn a binary classifier from rows counted before, which many classifiers may share.

        The rows are taken as they are, none is left out; asked by :meth:`takes_counts` alone.
        """
        if self.language is None:
            raise BadConfig(f"{self.algorithm}: counts train a binary classifier: give its language")
        self._learn_counts(counts, positive.astype(np.int64), 2)
        return self

    def takes_counts(self, counts: Counts) -> NDArray[np.bool_]:
        """Of rows counted like those of :meth:`fit_counts`, which it says yes to."""
        yes: NDArray[np.bool_] = self._scores_of(counts)[:, 0] > 0
        return yes


class AdditiveClassifier(HashedClassifier):
    """A classifier that is a bias and a sum of feature weights: one table serves them all."""

    table_: NDArray[np.float32]
    bias_: NDArray[np.float32]

    def _set_table(self, table: NDArray[Any], bias: NDArray[Any]) -> None:
        """Keep the weights; of two classes of a binary classifier only the difference counts."""
        if self.language is not None and table.shape[1] == 2:
            table, bias = table[:, 1:] - table[:, :1], bias[1:] - bias[:1]
        self.table_ = np.ascontiguousarray(table, dtype=np.float32)
        self.bias_ = np.asarray(bias, dtype=np.float32)

    def _scores_of(self, counts: Counts) -> NDArray[np.float64]:
        return counts.scores(self.table_) + self.bias_

    def compile(self) -> Scorer:
        """The shipped form: the scorer with this table."""
        from linksight.url_model.model import Scorer

        self._check_nameable()
        features = self.features_
        return Scorer.from_table(features.spec, self.table_, self.bias_, self.languages_, features.state())

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

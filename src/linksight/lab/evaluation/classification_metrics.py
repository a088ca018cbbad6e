"""Precision, recall and F1 as in section 3.3 of Baykan et al. 2013.

Each language is a binary task. Precision is that of a balanced setting, as many URLs of the
language as others, computed from the two success ratios: a large language has no advantage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linksight.errors import BadData
from linksight.results import UND

N_BOOTSTRAP_SAMPLES = 400  #: bootstrap samples of an interval


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of one language's classifier.

    >>> yes = Measures("en", n_positive=500, n_negative=500, recall=1.0, negative_success=0.0)
    >>> yes.precision, round(yes.f1, 2)     # accepting everything gives 67, as the paper notes
    (0.5, 0.67)
    """

    language: str
    n_positive: int
    n_negative: int
    recall: float  #: p(+|+): the share of the language's URLs that it took
    negative_success: float  #: p(-|-): the share of the others that it left

    @property
    def precision(self) -> float:
        """Precision where there are as many URLs of the language as others."""
        wrong = 1.0 - self.negative_success
        return self.recall / (self.recall + wrong) if self.recall + wrong > 0 else 0.0

    @property
    def plain_precision(self) -> float:
        """Precision among these rows, however many there are of each language.

        >>> Measures("en", n_positive=100, n_negative=900, recall=1.0, negative_success=0.9).plain_precision
        0.5263157894736842
        """
        right, wrong = self.recall * self.n_positive, (1.0 - self.negative_success) * self.n_negative
        return right / (right + wrong) if right + wrong > 0 else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of balanced precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both > 0 else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "language": self.language, "n_positive": self.n_positive, "n_negative": self.n_negative,
            "precision": self.precision, "plain_precision": self.plain_precision, "recall": self.recall, "negative_success": self.negative_success,
            "f1": self.f1,
        }  # fmt: skip


@dataclass(frozen=True)
class Evaluation:
    """The measures of all languages' classifiers, and their confusion matrix."""

    measures: tuple[Measures, ...]
    rows: tuple[str, ...]  #: languages of the URLs
    confusion: NDArray[np.float64]  #: share of a row's URLs that the column's classifier took
    sizes: tuple[int, ...]  #: URLs of each row
    n_urls: int
    accuracy: float | None = None  #: share of right answers, where there is one answer a URL
    #: 95 % intervals of ``accuracy`` and of the macro average of ``f1``
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Languages of the classifiers."""
        return tuple(measure.language for measure in self.measures)

    def macro(self, name: str) -> float:
        """The mean over languages of one measure, such as ``precision`` or ``f1``."""
        return float(np.mean([getattr(measure, name) for measure in self.measures]))

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        names = ("precision", "plain_precision", "recall", "negative_success", "f1")
        return {
            "n_urls": self.n_urls,
            "accuracy": self.accuracy,
            "macro": {name: self.macro(name) for name in names},
            "intervals": {name: list(ends) for name, ends in self.intervals.items()},
            "languages": [measure.as_dict() for measure in self.measures],
            "confusion": {
                "rows": list(self.rows), "columns": list(self.columns), "sizes": list(self.sizes),
                "share": self.confusion.tolist(),
            },
        }  # fmt: skip


def measure(language: str, accepted: ArrayLike, labels: ArrayLike) -> Measures:
    """The measures of one classifier from the accepted rows and the true languages.

    >>> measure("de", [True, True, False, False], ["de", "en", "de", "en"]).f1
    0.5
    """
    yes, own = np.asarray(accepted, dtype=bool), np.asarray(labels) == language
    if not own.any() or own.all():
        if own.all() and own.size:
            raise BadData(
                f"no URL of another language to measure {language!r} on: the rows need some of other languages"
                " too, or nothing could be taken for it by mistake"
            )
        raise BadData(f"no URL to measure {language!r} on")
    recall, wrong = float(yes[own].mean()), float(yes[~own].mean())
    return Measures(language, int(own.sum()), int((~own).sum()), recall, 1.0 - wrong)


def evaluate_binary(accepted: Mapping[str, ArrayLike], labels: ArrayLike) -> Evaluation:
    """The evaluation of one binary classifier a language; any number of them may accept a URL."""
    truth = np.asarray(labels)
    measures = tuple(measure(language, yes, truth) for language, yes in accepted.items())
    names, sizes = np.unique(truth, return_counts=True)
    rows = tuple(names.tolist())
    answers = np.column_stack([np.asarray(yes, dtype=float) for yes in accepted.values()])
    confusion = np.array([answers[truth == row].mean(axis=0) for row in rows])
    return Evaluation(measures, rows, confusion, tuple(sizes.tolist()), len(truth))


def evaluate_answers(
    answers: ArrayLike, labels: ArrayLike, languages: Sequence[str] | None = None, least: int = 1
) -> Evaluation:
    """The evaluation of one answer a URL, each language against all others.

    ``languages`` are those of the model; those with fewer than ``least`` URLs are not measured.

    >>> found = evaluate_answers(["de", "en", "und", "en"], ["de", "en", "de", "en"])
    >>> found.accuracy, [round(m.f1, 2) for m in found.measures], found.confusion.tolist()
    (0.75, [0.67, 1.0], [[0.5, 0.0], [0.0, 1.0]])
    """
    predicted, truth = np.asarray(answers), np.asarray(labels)
    if predicted.shape != truth.shape:
        raise BadData(f"{len(predicted):,} answers for {len(truth):,} labels")
    names, sizes = np.unique(truth, return_counts=True)
    seen = set(names[sizes >= least].tolist()) - {UND}
    known = sorted(seen if languages is None else seen & set(languages))
    if not known and least > 1 and set(names.tolist()) & set(languages or names.tolist()):
        raise BadData(
            f"no language has {least:,} URLs or more, the most is {int(sizes.max()):,}; ask for fewer (--least)"
        )
    if not known:
        raise BadData("the model knows no language of these URLs")
    found = evaluate_binary({language: predicted == language for language in known}, truth)
    accuracy = float((predicted == truth).mean())
    return replace(found, accuracy=accuracy)


def bootstrap_weights(units: ArrayLike) -> Iterator[NDArray[np.float64]]:
    """How often each row is in a bootstrap sample of units, such as registered domains; the same samples each time."""
    numbers = np.unique(np.asarray(units), return_inverse=True)[1]
    n_units, draw = int(numbers.max()) + 1, np.random.default_rng(0)
    for _ in range(N_BOOTSTRAP_SAMPLES):
        yield np.bincount(draw.integers(0, n_units, n_units), minlength=n_units)[numbers].astype(float)


def centred_interval(value: float, resampled: ArrayLike) -> tuple[float, float]:
    """The 95 % interval around a mean over groups: samples lack small groups, so they lie beside the mean."""
    drawn = np.asarray(resampled)
    low, high = np.clip(np.percentile(drawn, [2.5, 97.5]) - drawn.mean() + value, 0, 1)
    return float(low), float(high)


def bootstrap_intervals(
    answers: ArrayLike, labels: ArrayLike, languages: Sequence[str], domains: ArrayLike
) -> dict[str, tuple[float, float]]:
    """The 95 % intervals of accuracy and macro F1, from samples of domains: URLs of one domain are not independent.

    >>> found = bootstrap_intervals(["de", "en"] * 20, ["de", "en"] * 20, ["de", "en"], range(40))
    >>> found["accuracy"]
    (1.0, 1.0)
    """
    codes = {language: code for code, language in enumerate(languages)}
    size = len(codes) + 1  # the last one is every other language
    predicted, truth = (
        np.array([codes.get(str(one), size - 1) for one in np.asarray(side).tolist()])
        for side in (answers, labels)
    )
    right = np.asarray(answers) == np.asarray(labels)

    def measured(weights: NDArray[np.float64]) -> tuple[float, float]:
        own, n_predicted, hits = (
            np.bincount(side, weights=some, minlength=size)[:-1]
            for side, some in ((truth, weights), (predicted, weights), (truth, weights * right))
        )
        there = (own > 0) & (own < weights.sum())
        recall = hits[there] / own[there]
        wrong = (n_predicted - hits)[there] / (weights.sum() - own[there])
        # F1 of balanced precision and recall is 2R / (R + wrong + 1).
        f1 = 2 * recall / (recall + wrong + 1)
        return float(weights @ right / weights.sum()), float(f1.mean()) if len(f1) else 0.0

    drawn = np.array([measured(weights) for weights in bootstrap_weights(domains)])
    low, high = np.percentile(drawn[:, 0], [2.5, 97.5])
    f1 = centred_interval(measured(np.ones(len(truth)))[1], drawn[:, 1])
    return {"accuracy": (float(low), float(high)), "f1": f1}

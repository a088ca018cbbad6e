"""Means over folds, standard deviations and the papers' one-tailed paired t-tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linksight.lab.evaluation.classification_metrics import Measures
from linksight.lab.evaluation.cross_validation import AcceptedCounts, Outcome

SIGNIFICANCE_LEVEL = 0.025
_ROUNDING_ERROR = 1e-9
NAMES = ("precision", "recall", "negative_success", "f1")


@dataclass(frozen=True)
class Spread:
    """A figure over the folds, in percent."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    @property
    def sd(self) -> float:
        """The sample standard deviation; 0 for a single fold and for differences within rounding error."""
        found = float(np.std(self.values, ddof=1)) if len(self.values) > 1 else 0.0
        return found if found > _ROUNDING_ERROR else 0.0


def p_value(better: Sequence[float], worse: Sequence[float]) -> float:
    """The p-value of a one-tailed paired t-test over folds.

    >>> round(p_value([90.0, 91.0, 92.0], [88.0, 90.5, 90.0]), 3)
    0.048
    """
    from scipy.stats import t

    apart = np.asarray(better) - np.asarray(worse)
    if len(apart) < 2:
        return 1.0
    mean, spread = apart.mean(), apart.std(ddof=1)
    if spread < _ROUNDING_ERROR:  # the same difference on every fold
        return 0.0 if mean > _ROUNDING_ERROR else 1.0
    return float(t.sf(mean / (spread / np.sqrt(len(apart))), len(apart) - 1))


def winner(rivals: Mapping[str, Spread]) -> str | None:
    """The rival that is significantly better than every other, or None.

    >>> winner({"a": Spread((90, 91, 92)), "b": Spread((80, 81, 82.5)), "c": Spread((70, 72, 71))})
    'a'
    >>> winner({"a": Spread((90, 91, 92)), "b": Spread((91, 90, 91.5))}) is None
    True
    """
    if len(rivals) < 2:
        return None
    best = max(rivals, key=lambda name: rivals[name].mean)
    beaten = (
        p_value(rivals[best].values, other.values) < SIGNIFICANCE_LEVEL
        for name, other in rivals.items()
        if name != best
    )
    return best if all(beaten) else None


def measures_of(language: str, counts: AcceptedCounts) -> Measures | None:
    """The measures of one classifier from its counts; None if positives or negatives are missing."""
    positive, yes = counts.get(language, [0, 0])
    negative = sum(n for label, (n, _) in counts.items() if label != language)
    wrong = sum(n for label, (_, n) in counts.items() if label != language)
    if not positive or not negative:
        return None
    return Measures(language, positive, negative, yes / positive, 1 - wrong / negative)


def spread_of(folds: Sequence[Outcome], language: str, name: str = "f1", group: str = "all") -> Spread | None:
    """One measure of one language's classifiers over the folds, in percent."""
    found = [measures_of(language, outcome[language].get(group, {})) for outcome in folds]
    values = [100 * getattr(measure, name) for measure in found if measure is not None]
    return Spread(tuple(values)) if values else None


def macro_of(folds: Sequence[Outcome], name: str = "f1", group: str = "all") -> Spread | None:
    """The mean over languages of a measure, over the folds."""
    columns = [spread_of(folds, language, name, group) for language in folds[0]]
    known = [column.values for column in columns if column is not None]
    if not known or len({len(values) for values in known}) > 1:
        return None
    return Spread(tuple(np.mean(known, axis=0).tolist()))


def share_of(folds: Sequence[Outcome], language: str, group: str) -> float:
    """The share of a classifier's test URLs that are in a group, in percent."""
    mine = sum(n for outcome in folds for n, _ in outcome[language][group].values())
    everything = sum(n for outcome in folds for n, _ in outcome[language]["all"].values())
    return 100 * mine / max(1, everything)


def confusion_of(folds: Sequence[Outcome], languages: Sequence[str], group: str = "all") -> list[list[float]]:
    """For each language of URLs (row) the percentage that each classifier (column) accepted."""
    rows = []
    for label in languages:
        cells = [[outcome[language][group].get(label, [0, 0]) for outcome in folds] for language in languages]
        rows.append([100 * sum(t for _, t in pairs) / max(1, sum(n for n, _ in pairs)) for pairs in cells])
    return rows

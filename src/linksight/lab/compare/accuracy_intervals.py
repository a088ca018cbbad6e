"""How good the answers of a comparison are: shares with their intervals, the big five, and language by language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.lab.compare.peers import code_of
from linksight.lab.evaluation.classification_metrics import bootstrap_weights, centred_interval, measure
from linksight.lab.evaluation.labelled_urls import PAPER_LANGUAGES

MIN_GROUP_ROWS = 10  #: minimum of rows to show a language or encoding separately


def right(
    answers: Sequence[str], truth: Sequence[str], domains: Sequence[str] | None = None
) -> dict[str, Any]:
    """The measures of answers that are languages."""
    hits = [code_of(answer) == own for answer, own in zip(answers, truth, strict=True)]
    return shares(hits, truth, domains)


def shares(
    hits: Sequence[bool], truth: Sequence[str], domains: Sequence[str] | None = None
) -> dict[str, Any]:
    """Accuracy and macro accuracy, each with its 95 % bootstrap interval.

    The interval is from samples of ``domains``, where given, because rows of one domain are not independent.

    >>> found = shares([True, True, True, False], ["de", "de", "de", "nl"])
    >>> found["accuracy"], found["mean"], found["accuracy_interval"][0] <= 0.75
    (0.75, 0.5, True)
    """
    hit = np.asarray(hits, dtype=np.float64)
    names, kinds = np.unique(np.asarray(truth, dtype=object).astype(str), return_inverse=True)
    samples = bootstrap_weights(np.arange(len(hit)) if domains is None else domains)
    resampled = np.array([_both(hit, kinds, weights) for weights in samples])
    accuracy, mean = _both(hit, kinds, np.ones(len(hit)))
    return {
        "accuracy": accuracy,
        "accuracy_interval": np.percentile(resampled[:, 0], [2.5, 97.5]).tolist(),
        "mean": mean,
        "mean_interval": list(centred_interval(mean, resampled[:, 1])),
        "groups": {
            str(name): [int((kinds == k).sum()), float(hit[kinds == k].mean())]
            for k, name in enumerate(names)
            if (kinds == k).sum() >= MIN_GROUP_ROWS
        },
    }


def _both(hit: NDArray[np.float64], kinds: NDArray[Any], weights: NDArray[Any]) -> tuple[float, float]:
    """Accuracy of weighted rows, and its mean over the classes that occur."""
    rows, own = np.bincount(kinds, weights=weights), np.bincount(kinds, weights=weights * hit)
    present = rows > 0
    return float(own.sum() / rows.sum()), float((own[present] / rows[present]).mean())


def five(answers: Sequence[str], truth: Sequence[str]) -> dict[str, float]:
    """The mean F1 over the papers' five languages, each against all others in equal numbers."""
    predicted = np.array([code_of(answer) for answer in answers])
    return macro_five({language: predicted == language for language in PAPER_LANGUAGES}, truth)


def macro_five(accepted: dict[str, Any], truth: Sequence[str]) -> dict[str, float]:
    """The mean F1 of the five languages, from the accepted rows of each."""
    present = [language for language in PAPER_LANGUAGES if language in set(truth)]
    if len(set(truth)) < 2 or not present:
        return {}
    return {"five": float(np.mean([measure(code, accepted[code], truth).f1 for code in present]))}

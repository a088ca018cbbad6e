"""How good the answers of a comparison are: shares with their intervals, the big five, and language by language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.lab.compare.peers import code_of
from linksight.lab.evaluation.classification_metrics import measure
from linksight.lab.evaluation.labelled_urls import PAPER_LANGUAGES

DRAWS = 400  #: resamples of the rows that an interval is made from
LEAST = 10  #: rows that a language or encoding must have to be shown by itself


def right(answers: Sequence[str], truth: Sequence[str]) -> dict[str, Any]:
    """The measures of answers that are languages."""
    return shares([code_of(answer) == own for answer, own in zip(answers, truth, strict=True)], truth)


def shares(hits: Sequence[bool], truth: Sequence[str]) -> dict[str, Any]:
    """The share of hits and its mean over what the rows are, each with its 95 % interval.

    >>> found = shares([True, True, True, False], ["de", "de", "de", "nl"])
    >>> found["accuracy"], found["mean"], found["accuracy_interval"][0] <= 0.75
    (0.75, 0.5, True)
    """
    hit = np.asarray(hits, dtype=np.float64)
    names, kinds = np.unique(np.asarray(truth, dtype=object).astype(str), return_inverse=True)
    draws = np.random.default_rng(0).integers(0, len(hit), (DRAWS, len(hit)))
    resampled = np.array([_both(hit[draw], kinds[draw], len(names)) for draw in draws])
    accuracy, mean = _both(hit, kinds, len(names))
    return {
        "accuracy": accuracy,
        "accuracy_interval": np.percentile(resampled[:, 0], [2.5, 97.5]).tolist(),
        "mean": mean,
        # Kinds with few rows are missing in many draws, and they are those that go wrong: the draws lie too high.
        "mean_interval": _around(mean, resampled[:, 1]),
        "groups": {
            str(name): [int((kinds == k).sum()), float(hit[kinds == k].mean())]
            for k, name in enumerate(names)
            if (kinds == k).sum() >= LEAST
        },
    }


def _both(hit: NDArray[np.float64], kinds: NDArray[Any], size: int) -> tuple[float, float]:
    """The share of hits, and its mean over the kinds that are there."""
    rows = np.bincount(kinds, minlength=size)
    own = np.bincount(kinds, weights=hit, minlength=size)
    present = rows > 0
    return float(hit.mean()), float((own[present] / rows[present]).mean())


def _around(found: float, resampled: NDArray[np.float64]) -> list[float]:
    """Where 95 % of the draws lie, moved so that they lie around what was found."""
    ends = np.percentile(resampled, [2.5, 97.5]) - resampled.mean() + found
    return [float(end) for end in np.clip(ends, 0, 1)]


def five(answers: Sequence[str], truth: Sequence[str]) -> dict[str, float]:
    """The mean F1 over the papers' five languages, each against all others in equal numbers."""
    given = np.array([code_of(answer) for answer in answers])
    return macro_five({language: given == language for language in PAPER_LANGUAGES}, truth)


def macro_five(taken: dict[str, Any], truth: Sequence[str]) -> dict[str, float]:
    """The same from what each language's question was answered."""
    present = [language for language in PAPER_LANGUAGES if language in set(truth)]
    if len(set(truth)) < 2 or not present:
        return {}
    return {"five": float(np.mean([measure(code, taken[code], truth).f1 for code in present]))}

"""From scores to probabilities: one slope, fitted on registered domains that were held out."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from linksight.features.url_buffer import parse

_PARTS = 5  # one domain in five is held out
_LEAST_ROWS = 20
_EXPONENTS = (-6.0, 6.0)  # of the slope, in units of one over the scores' standard deviation


def held_out_domains(urls: Sequence[Any]) -> NDArray[np.bool_]:
    """Which rows to hold out: those of one registered domain in five."""
    sites = [url.site if url is not None else "" for url in map(parse, urls)]
    held = {site: zlib.crc32(site.encode("utf-8", "replace")) % _PARTS == 0 for site in dict.fromkeys(sites)}
    return np.array([held[site] for site in sites], dtype=bool)


def can_calibrate(held: NDArray[np.bool_], targets: NDArray[np.int64]) -> bool:
    """Whether both parts have every class, and enough rows are held out."""
    classes = set(targets.tolist())
    return (
        int(held.sum()) >= _LEAST_ROWS
        and set(targets[held].tolist()) == classes
        and set(targets[~held].tolist()) == classes
    )


def fit_slope(
    scores: NDArray[np.float64], targets: NDArray[np.int64], weights: NDArray[np.float64] | None = None
) -> float:
    """The slope with the least logarithmic loss; a few of the labels count as wrong, as Platt (1999) has it."""
    both = two_columns(scores)
    unit = float(both.std()) or 1.0
    n, n_classes = both.shape
    wrong = 1.0 / (n + 2)
    truth = np.full((n, n_classes), wrong / (n_classes - 1))
    truth[np.arange(n), targets] = 1 - wrong
    if weights is not None:
        truth *= weights[:, np.newaxis]

    def loss(exponent: float) -> float:
        return -float((truth * log_softmax(np.exp(exponent) / unit * both, axis=1)).sum())

    found = minimize_scalar(loss, bounds=_EXPONENTS, method="bounded")
    return float(np.exp(found.x) / unit)


def two_columns(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores with one column per class: a binary classifier's "no" has the score 0."""
    return np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores


def probabilities(scores: NDArray[np.float64], slope: float) -> NDArray[np.float64]:
    """One column per class; rows add up to 1."""
    found: NDArray[np.float64] = softmax(slope * two_columns(scores), axis=1)
    return found

"""Calibration of scores to probabilities: a slope and a noise share, fitted on held-out registered domains.

p = (1 - noise) * softmax(slope * scores) + noise / classes. The noise keeps a few confident errors, such as those of a
country code that decides alone, from flattening all other probabilities.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from linksight.features.url_buffer import parse

_PARTS = 5  # one domain in five is held out
_MIN_ROWS = 20
_MAX_ROWS = 20_000  # more rows change both parameters by less than their error
_EXPONENTS = (-6.0, 9.0)  # of the slope, in units of one over the scores' standard deviation
_MAX_NOISE = 0.5


def held_out_domains(urls: Sequence[Any]) -> NDArray[np.bool_]:
    """Which rows to hold out: those of one registered domain in five."""
    sites = [url.site if url is not None else "" for url in map(parse, urls)]
    is_held_out = {
        site: zlib.crc32(site.encode("utf-8", "replace")) % _PARTS == 0 for site in dict.fromkeys(sites)
    }
    return np.array([is_held_out[site] for site in sites], dtype=bool)


def can_calibrate(held_out: NDArray[np.bool_], targets: NDArray[np.int64]) -> bool:
    """Whether both parts have every class, and the held-out part has enough rows."""
    classes = set(targets.tolist())
    return (
        int(held_out.sum()) >= _MIN_ROWS
        and set(targets[held_out].tolist()) == classes
        and set(targets[~held_out].tolist()) == classes
    )


def fit_slope(
    scores: NDArray[np.float64], targets: NDArray[np.int64], weights: NDArray[np.float64] | None = None
) -> tuple[float, float]:
    """Slope and noise with the least logarithmic loss; of n rows one in n + 2 counts as wrong (Platt 1999)."""
    step = -(-len(targets) // _MAX_ROWS)
    both, targets = two_columns(scores)[::step], targets[::step]
    n, n_classes = both.shape
    counted = np.ones(n) if weights is None else weights[::step]
    unit = float(both.std()) or 1.0

    def best_noise(exponent: float) -> Any:
        right = softmax(np.exp(exponent) / unit * both, axis=1)[np.arange(n), targets]

        def loss(noise: float) -> float:
            return -float(counted @ np.log((1 - noise) * right + noise / n_classes))

        return minimize_scalar(loss, bounds=(1 / (n + 2), _MAX_NOISE), method="bounded")

    start = min(np.arange(*_EXPONENTS), key=lambda exponent: best_noise(exponent).fun)
    found = minimize_scalar(
        lambda exponent: best_noise(exponent).fun, bounds=(start - 1, start + 1), method="bounded"
    )
    return float(np.exp(found.x) / unit), float(best_noise(found.x).x)


def two_columns(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores with one column per class: a binary classifier's "no" has the score 0."""
    return np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores


def probabilities(scores: NDArray[np.float64], slope: float, noise: float) -> NDArray[np.float64]:
    """One column per class; rows add up to 1."""
    right = softmax(slope * two_columns(scores), axis=1)
    found: NDArray[np.float64] = (1 - noise) * right + noise / right.shape[1]
    return found

"""Calibration: from scores to probabilities, and from probabilities to decision thresholds.

A score is a bias plus feature weights. It is uncalibrated, and it depends on the class priors of the training data.
``Calibration`` holds parameters fitted on labelled URLs of other domains: one slope and one offset per language for
home pages, and the same for pages with a path. User-defined priors and a restricted choice of languages follow from
these probabilities by Bayes' rule.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadConfig

Floats = NDArray[np.float32]
Number = TypeVar("Number", np.float32, np.float64)
_MIN_PRIOR = 1e-12  #: stands for a prior of 0, so that its logarithm is finite
_SHIFT_TOLERANCE = 1e-3  #: rounding differences between shifts of priors, in log-odds
_EXCLUDING_SHIFT = np.float32(1e30)  #: takes a logit so low that its probability is 0


class PosteriorParameters(NamedTuple):
    """``Calibration.probabilities`` as three numbers per language, for the compiled code.

    The unnormalised probability of a column is ``weights * softmax(logits - shift) + added``. Columns that were not
    requested have zero ``weights`` and ``added``. Rows are then divided by their sums.
    """

    shift: Floats
    weights: Floats
    added: Floats


@dataclass(frozen=True)
class Calibration:
    """Slopes and offsets by kind of URL (0 home page, 1 page), class priors and the rejection threshold."""

    slopes: Floats  #: (2,)
    offsets: Floats  #: (2, languages)
    class_priors: Floats  #: (languages,) share of each language in the rows of the fit
    reject_threshold: float = 0.0  #: below this probability the prediction is ``und``
    label_noise: float = 0.0  #: ε in p = (1−ε)·softmax + ε·prior: share of pages that no URL feature predicts
    shift: Floats | None = None  #: (languages,) log-odds that user-defined priors added to the offsets

    @classmethod
    def plain(cls, n_languages: int) -> Calibration:
        """The identity: slopes of 1, offsets of 0, uniform priors."""
        uniform = np.full(n_languages, 1 / max(n_languages, 1), np.float32)
        return cls(np.ones(2, np.float32), np.zeros((2, n_languages), np.float32), uniform)

    def logits(self, scores: Floats, is_page: NDArray[np.bool_]) -> Floats:
        """Calibrated scores: their softmax is the probability."""
        kind = is_page.astype(np.int64)
        logits: Floats = scores * self.slopes[kind][:, None] + self.offsets[kind]
        return logits

    def start(self, bias: Floats) -> Floats:
        """Calibrated scores without any feature, by kind of URL; the bias is scaled like a feature."""
        start: Floats = self.slopes.reshape(2, -1)[:, :1] * bias + self.offsets
        return start

    def probabilities(self, logits: Floats, columns: Sequence[int] | None = None) -> Floats:
        """Posterior probabilities from calibrated scores, one row per URL; columns outside ``columns`` are zero.

        The fitted distribution is fixed. User-defined priors multiply it by new over old prior, and a choice of
        columns drops the others. Rows are then normalised, so the odds between the remaining languages are unchanged.

        >>> fitted = Calibration(np.ones(2), np.zeros((2, 3)), np.array([0.5, 0.3, 0.2]), label_noise=0.1)
        >>> [round(float(p), 3) for p in fitted.probabilities(np.zeros((1, 3)), [0, 1])[0]]
        [0.515, 0.485, 0.0]
        """
        chosen = slice(None) if columns is None else columns
        chosen_logits = logits[:, chosen]
        top = chosen_logits.max(axis=-1, keepdims=True)
        posterior = np.exp(chosen_logits - top)
        if self.label_noise:
            fitted = logits if self.shift is None else logits - self.shift
            scale = (1 - self.label_noise) * np.exp(top - log_sum_exp(fitted))
            posterior = scale * posterior + self.label_noise * np.maximum(
                self.class_priors[chosen], _MIN_PRIOR
            )
        probabilities = np.zeros(logits.shape, np.float32)
        probabilities[:, chosen] = posterior / posterior.sum(axis=-1, keepdims=True)
        return probabilities

    def posterior_parameters(self, columns: Sequence[int] | None = None) -> PosteriorParameters:
        """The parameters with which compiled code computes :meth:`probabilities`."""
        chosen = np.zeros(len(self.class_priors), np.float32)
        chosen[slice(None) if columns is None else columns] = 1
        if not self.label_noise:  # a softmax over the chosen columns, however small their probabilities
            return PosteriorParameters(_EXCLUDING_SHIFT * (1 - chosen), chosen, np.zeros_like(chosen))
        shift = np.zeros_like(chosen) if self.shift is None else self.shift
        weights = chosen * (1 - self.label_noise) * np.exp(shift)
        added = chosen * self.label_noise * np.maximum(self.class_priors, _MIN_PRIOR)
        return PosteriorParameters(shift, weights.astype(np.float32), added.astype(np.float32))

    def shifted_probability(self, column: int, probability: float) -> float:
        """Convert a probability under the fitted priors to one under the current priors.

        If all other languages were shifted alike, it depends on this language alone; otherwise on the complete row.
        """
        if self.shift is None:
            return probability
        others = np.delete(self.shift, column)
        if np.ptp(others) > _SHIFT_TOLERANCE:
            raise BadConfig(
                "thresholds are measured without base rates for other languages: ask for one without"
            )
        odds = probability * math.exp(float(self.shift[column]) - float(others.mean()))
        return odds / (odds + 1 - probability)

    def with_priors(self, languages: tuple[str, ...], priors: Mapping[str, float] | str) -> Calibration:
        """The calibration for user-defined priors.

        Languages without a prior share the remainder in proportion to their old priors.
        """
        new_priors = resolve_priors(languages, priors, self.class_priors)
        log_ratio = np.log(np.maximum(new_priors, _MIN_PRIOR)) - np.log(
            np.maximum(self.class_priors, _MIN_PRIOR)
        )
        log_ratio = log_ratio.astype(np.float32)
        shift = log_ratio if self.shift is None else self.shift + log_ratio
        return replace(
            self, offsets=self.offsets + log_ratio, class_priors=new_priors.astype(np.float32), shift=shift
        )


def is_page(text: str) -> bool:
    """Whether a URL text has a path.

    >>> is_page("a.nl/x"), is_page("a.nl/")
    (True, False)
    """
    return bool(text.partition("/")[2])


def resolve_priors(
    languages: tuple[str, ...], priors: Mapping[str, float] | str, class_priors: Floats
) -> NDArray[np.float64]:
    """Priors of all languages from ``"web"``, ``"uniform"`` or the priors of some languages."""
    from linksight.languages.registry import find

    if priors == "web":
        return np.asarray(class_priors, np.float64)
    if priors == "uniform":
        return np.full(len(languages), 1 / len(languages))
    if not isinstance(priors, Mapping):
        raise BadConfig(f"base rates are a table such as {{'nl': 0.018}}, not {priors!r}")
    by_code: dict[str, float] = {}
    for name, rate in priors.items():
        if (code := find(name)) in by_code:
            raise BadConfig(f"two base rates for {code!r}, the second as {name!r}")
        by_code[code] = _number(rate, f"base rate of {name!r}")
    for language, rate in by_code.items():
        if language not in languages:
            raise BadConfig(
                f"base rate for {language!r}, which the model does not know; see `linksight languages`"
            )
        if not 0 <= rate <= 1:
            raise BadConfig(f"base rate of {language!r} must lie between 0 and 1, not {rate}")
    total = sum(by_code.values())
    if total > 1 + 1e-6:
        raise BadConfig(f"base rates add up to {total:.3f}, more than 1")
    others = np.array(
        [0.0 if language in by_code else rate for language, rate in zip(languages, class_priors, strict=True)]
    )
    resolved = others / others.sum() * (1 - total) if others.sum() else others
    for language, rate in by_code.items():
        resolved[languages.index(language)] = rate
    if not resolved.sum():
        raise BadConfig("base rates are all 0: no language is left")
    normalised: NDArray[np.float64] = resolved / resolved.sum()
    return normalised


def _number(value: Any, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise BadConfig(f"{what} must be a number, not {value!r}") from None


def _share(value: Any, what: str) -> float:
    """Parse a number strictly between 0 and 1."""
    number = _number(value, what)
    if not 0 < number < 1:
        raise BadConfig(f"{what} must lie between 0 and 1, and be neither, not {value!r}")
    return number


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis; columns of minus infinity stay at zero.

    >>> softmax(np.array([[0.0, -np.inf]], np.float32)).tolist()
    [[1.0, 0.0]]
    """
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities: Floats = shifted / shifted.sum(axis=-1, keepdims=True)
    return probabilities


def log_sum_exp(logits: NDArray[Number]) -> NDArray[Number]:
    """log(sum(exp(logits))) along the last axis, which is kept; large logits do not overflow.

    >>> log_sum_exp(np.array([[1000.0, 1000.0]])).round(3).tolist()
    [[1000.693]]
    """
    top = logits.max(axis=-1, keepdims=True)
    total: NDArray[Number] = top + np.log(np.exp(logits - top).sum(axis=-1, keepdims=True))
    return total


@dataclass(frozen=True)
class Threshold:
    """A probability threshold with the precision and recall to expect above it."""

    language: str
    probability: float
    precision: float
    recall: float
    base_rate: float
    rows: int = 0  #: labelled URLs of the language on which recall was measured; 0: not recorded

    @property
    def recall_interval(self) -> tuple[float, float]:
        """The 95 % interval of the recall (Wilson).

        >>> Threshold("nl", 0.5, 0.95, 0.9, 0.02, rows=100).recall_interval
        (0.826, 0.945)
        """
        n, z = self.rows, 1.96
        if not n:
            return 0.0, 1.0
        middle = (self.recall + z * z / (2 * n)) / (1 + z * z / n)
        reach = z / (1 + z * z / n) * math.sqrt(self.recall * (1 - self.recall) / n + z * z / (4 * n * n))
        return round(middle - reach, 3), round(middle + reach, 3)


def choose_threshold(language: str, curve: Floats, precision: float, base_rate: float) -> Threshold:
    """The lowest probability that gives the precision at the base rate, from a measured curve.

    ``curve`` has rows of (probability, recall, false positive rate) measured on unseen domains at
    the calibration's base rate, with falling probability. At another base rate r the precision is
    r R / (r R + (1 - r) F).
    """
    precision, base_rate = _share(precision, "precision"), _share(base_rate, "base rate")
    best: Threshold | None = None
    for probability, recall, false_rate in curve.tolist():
        measured = base_rate * recall / max(base_rate * recall + (1 - base_rate) * false_rate, 1e-12)
        if measured >= precision and (best is None or recall > best.recall):
            best = Threshold(language, probability, measured, recall, base_rate)
    if best is None:
        raise BadConfig(
            f"no threshold gives precision {precision} for {language!r} at a base rate of {base_rate}:"
            " lower the precision, or identify pages after fetching them"
        )
    return best

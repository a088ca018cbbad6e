"""From scores to honest probabilities, and from probabilities to decisions.

A score is bias plus evidence; it is neither calibrated nor free of the mix of languages that the
model was trained on. ``Calibration`` holds what was fitted on labelled URLs of other domains: a
slope and an offset a language for home pages, and the same for pages with a path. Base rates of a
user's own, and a choice of languages, follow from these probabilities by Bayes' rule.
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
_NEVER = 1e-12  #: a base rate of nought, of which the logarithm can be taken
_ALIKE = 1e-3  #: moves of base rates, in log-odds, that differ by rounding alone
_FAR = np.float32(1e30)  #: from a logit that does not count


class Odds(NamedTuple):
    """``Calibration.probabilities`` as numbers a language, made once for many rows, as compiled code needs them.

    A column's chance is its weight times its share of the softmax of logits less the shift, and what is
    added; both are zero where it is not asked for. Then rows are divided by their sums.
    """

    shift: Floats
    weights: Floats
    added: Floats


@dataclass(frozen=True)
class Calibration:
    """Slope and offsets by kind of URL (0 home page, 1 page) and the base rates they stand for."""

    slopes: Floats  #: (2,)
    offsets: Floats  #: (2, languages)
    rates: Floats  #: (languages,) share of each language in the rows it was fitted on
    doubt: float = 0.0  #: below this probability the answer is ``und``
    surprise: float = 0.0  #: share of pages that are not what any URL could tell: they follow the rates
    shift: Floats | None = None  #: (languages,) by how much base rates of a user's own moved the offsets

    @classmethod
    def plain(cls, n_languages: int) -> Calibration:
        """Scores taken as they are."""
        rates = np.full(n_languages, 1 / max(n_languages, 1), np.float32)
        return cls(np.ones(2, np.float32), np.zeros((2, n_languages), np.float32), rates)

    def logits(self, scores: Floats, is_page: NDArray[np.bool_]) -> Floats:
        """Calibrated scores: their softmax is the probability."""
        kind = is_page.astype(np.int64)
        logits: Floats = scores * self.slopes[kind][:, None] + self.offsets[kind]
        return logits

    def start(self, bias: Floats) -> Floats:
        """What a URL of each kind starts from, before any evidence; the bias counts as a hint."""
        start: Floats = self.slopes.reshape(2, -1)[:, :1] * bias + self.offsets
        return start

    def probabilities(self, logits: Floats, columns: Sequence[int] | None = None) -> Floats:
        """Calibrated scores, a row a URL, as probabilities; with ``columns`` those of all others are zero.

        There is one distribution, the one that was fitted. Other base rates multiply it by new over old, a
        choice of columns leaves the rest out, and then it is divided by its sum: odds stay what they were.

        >>> fitted = Calibration(np.ones(2), np.zeros((2, 3)), np.array([0.5, 0.3, 0.2]), surprise=0.1)
        >>> [round(float(chance), 3) for chance in fitted.probabilities(np.zeros((1, 3)), [0, 1])[0]]
        [0.515, 0.485, 0.0]
        """
        chosen = slice(None) if columns is None else columns
        kept = logits[:, chosen]
        top = kept.max(axis=-1, keepdims=True)
        chances = np.exp(kept - top)
        if self.surprise:
            fitted = logits if self.shift is None else logits - self.shift
            told = (1 - self.surprise) * np.exp(top - log_sum_exp(fitted))
            chances = told * chances + self.surprise * np.maximum(self.rates[chosen], _NEVER)
        found = np.zeros(logits.shape, np.float32)
        found[:, chosen] = chances / chances.sum(axis=-1, keepdims=True)
        return found

    def odds(self, columns: Sequence[int] | None = None) -> Odds:
        """What ``probabilities`` does to a row, as numbers a language."""
        chosen = np.zeros(len(self.rates), np.float32)
        chosen[slice(None) if columns is None else columns] = 1
        if not self.surprise:  # a softmax over what is asked for, however unlikely that is
            return Odds(_FAR * (1 - chosen), chosen, np.zeros_like(chosen))
        shift = np.zeros_like(chosen) if self.shift is None else self.shift
        weights = chosen * (1 - self.surprise) * np.exp(shift)
        added = chosen * self.surprise * np.maximum(self.rates, _NEVER)
        return Odds(shift, weights.astype(np.float32), added.astype(np.float32))

    def moved(self, column: int, probability: float) -> float:
        """What a probability of the fitted distribution became with base rates of a user's own.

        Where all other languages moved alike it depends on this one alone; else on the whole row.
        """
        if self.shift is None:
            return probability
        others = np.delete(self.shift, column)
        if np.ptp(others) > _ALIKE:
            raise BadConfig(
                "thresholds are measured without base rates for other languages: ask for one without"
            )
        share = probability * math.exp(float(self.shift[column]) - float(others.mean()))
        return share / (share + 1 - probability)

    def with_rates(self, languages: tuple[str, ...], priors: Mapping[str, float] | str) -> Calibration:
        """The calibration for a user's own base rates.

        Languages that are not named share what is left in proportion to their old rates.
        """
        wanted = resolve_priors(languages, priors, self.rates)
        more = np.log(np.maximum(wanted, _NEVER)) - np.log(np.maximum(self.rates, _NEVER))
        more = more.astype(np.float32)
        shift = more if self.shift is None else self.shift + more
        return replace(self, offsets=self.offsets + more, rates=wanted.astype(np.float32), shift=shift)


def is_page(text: str) -> bool:
    """Whether a URL's text has more than a host.

    >>> is_page("a.nl/x"), is_page("a.nl/")
    (True, False)
    """
    return bool(text.partition("/")[2])


def resolve_priors(
    languages: tuple[str, ...], priors: Mapping[str, float] | str, rates: Floats
) -> NDArray[np.float64]:
    """Base rates for every language from those that the user named."""
    from linksight.languages.registry import find

    if priors == "web":
        return np.asarray(rates, np.float64)
    if priors == "uniform":
        return np.full(len(languages), 1 / len(languages))
    if not isinstance(priors, Mapping):
        raise BadConfig(f"base rates are a table such as {{'nl': 0.018}}, not {priors!r}")
    given: dict[str, float] = {}
    for name, rate in priors.items():
        if (code := find(name)) in given:
            raise BadConfig(f"two base rates for {code!r}, the second as {name!r}")
        given[code] = _number(rate, f"base rate of {name!r}")
    for language, rate in given.items():
        if language not in languages:
            raise BadConfig(
                f"base rate for {language!r}, which the model does not know; see `linksight languages`"
            )
        if not 0 <= rate <= 1:
            raise BadConfig(f"base rate of {language!r} must lie between 0 and 1, not {rate}")
    named = sum(given.values())
    if named > 1 + 1e-6:
        raise BadConfig(f"base rates add up to {named:.3f}, more than 1")
    rest = np.array(
        [0.0 if language in given else rate for language, rate in zip(languages, rates, strict=True)]
    )
    wanted = rest / rest.sum() * (1 - named) if rest.sum() else rest
    for language, rate in given.items():
        wanted[languages.index(language)] = rate
    if not wanted.sum():
        raise BadConfig("base rates are all 0: no language is left")
    result: NDArray[np.float64] = wanted / wanted.sum()
    return result


def _number(value: Any, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise BadConfig(f"{what} must be a number, not {value!r}") from None


def _share(value: Any, what: str) -> float:
    """A number between none and all, where none and all would have no answer."""
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
    """The logarithm of the sum of the powers along the last axis, which stays, however large they are.

    >>> log_sum_exp(np.array([[1000.0, 1000.0]])).round(3).tolist()
    [[1000.693]]
    """
    top = logits.max(axis=-1, keepdims=True)
    total: NDArray[Number] = top + np.log(np.exp(logits - top).sum(axis=-1, keepdims=True))
    return total


@dataclass(frozen=True)
class Threshold:
    """Fetch what has at least ``probability``: then this is what to expect."""

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
    for probability, recall, false in curve.tolist():
        got = base_rate * recall / max(base_rate * recall + (1 - base_rate) * false, 1e-12)
        if got >= precision and (best is None or recall > best.recall):
            best = Threshold(language, probability, got, recall, base_rate)
    if best is None:
        raise BadConfig(
            f"no threshold gives precision {precision} for {language!r} at a base rate of {base_rate}:"
            " lower the precision, or identify pages after fetching them"
        )
    return best

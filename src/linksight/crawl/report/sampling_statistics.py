"""Estimates with intervals: shares from a sample, and what they mean for the whole."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

Z95 = 1.959963984540054
#: Rates at which one, two or three hits or more come once in twenty (Poisson).
_FEW = {1: 0.05129, 2: 0.35536, 3: 0.81769}


@dataclass(frozen=True)
class Share:
    """A share of a population from a sample of it, with a 95 % interval.

    Wilson's, with the bound for one to three hits from the Poisson distribution (Brown, Cai, DasGupta 2001):
    of shares near nothing, where one hit in 200 is luck, Wilson's own covers only 84 %.

    >>> share = Share.of(32, 500, population=7_464_226)
    >>> f"{share.value:.1%} ({share.low:.1%} to {share.high:.1%})"
    '6.4% (4.6% to 8.9%)'
    """

    hits: int
    sample: int
    population: int
    value: float
    low: float
    high: float

    @classmethod
    def of(cls, hits: int, sample: int, population: int = 0) -> Share:
        """The share of ``hits`` in ``sample``; a sample of everything leaves no doubt."""
        if sample == 0:
            return cls(0, 0, population, 0.0, 0.0, 1.0 if population else 0.0)
        value = hits / sample
        if population and sample >= population:
            return cls(hits, sample, population, value, value, value)
        # Without replacement from a small population the sample says more than its size tells.
        size = sample
        if population > 1:
            size_left = (population - sample) / (population - 1)
            size = max(sample, round(sample / size_left)) if size_left else sample
        low, high = wilson(value, size)
        if hits in _FEW:
            low = min(low, _FEW[hits] / size)
        if sample - hits in _FEW:
            high = max(high, 1.0 - _FEW[sample - hits] / size)
        return cls(hits, sample, population, value, low, high)

    @property
    def total(self) -> tuple[float, float, float]:
        """Members of the population: estimate, low and high."""
        return self.value * self.population, self.low * self.population, self.high * self.population

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


def wilson(value: float, size: float) -> tuple[float, float]:
    """Wilson's 95 % interval for a share seen in ``size`` draws.

    >>> [round(x, 3) for x in wilson(0.0, 20)]
    [0.0, 0.161]
    """
    z2 = Z95 * Z95
    middle = (value + z2 / (2 * size)) / (1 + z2 / size)
    half = Z95 / (1 + z2 / size) * math.sqrt(value * (1 - value) / size + z2 / (4 * size * size))
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Ratio:
    """How many times as much one finds as another, over paired draws, with a 95 % interval.

    The interval is that of the percentile bootstrap over the draws; of one draw nothing can be said.

    >>> ratio = Ratio.of([30, 33, 27], [10, 10, 10])
    >>> ratio.value, ratio.worst, ratio.low <= 3.0 <= ratio.high
    (3.0, 2.7, True)
    """

    value: float
    low: float | None
    high: float | None
    worst: float
    draws: int

    @classmethod
    def of(cls, mine: Sequence[float], others: Sequence[float], resamples: int = 2_000) -> Ratio:
        """The ratio of the sums; ``worst`` is the smallest ratio of a single draw."""
        value = sum(mine) / max(sum(others), 1e-9)
        worst = min(a / max(b, 1e-9) for a, b in zip(mine, others, strict=True))
        if len(mine) < 2:
            return cls(value, None, None, worst, len(mine))
        draw = random.Random(1)
        found = []
        for _ in range(resamples):
            rows = draw.choices(range(len(mine)), k=len(mine))
            found.append(sum(mine[row] for row in rows) / max(sum(others[row] for row in rows), 1e-9))
        found.sort()
        low, high = found[round(0.025 * resamples)], found[round(0.975 * resamples) - 1]
        return cls(value, low, high, worst, len(mine))

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {k: round(v, 3) if isinstance(v, float) else v for k, v in asdict(self).items()}

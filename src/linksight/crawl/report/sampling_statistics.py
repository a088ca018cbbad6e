"""Estimates from samples, with 95 % confidence intervals: shares and ratios."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

Z95 = 1.959963984540054
#: Poisson rates at which one, two or three hits or more have a probability of 5 %.
_POISSON_RATES = {1: 0.05129, 2: 0.35536, 3: 0.81769}


@dataclass(frozen=True)
class Share:
    """Share of a population, estimated from a sample, with a 95 % interval.

    The interval is Wilson's; for one to three hits the bound comes from the Poisson distribution (Brown, Cai,
    DasGupta 2001), because the coverage of Wilson's interval falls to 84 % for shares near zero.

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
        """Estimate the share of ``hits`` in ``sample``; a sample of the full population is exact."""
        if sample == 0:
            return cls(0, 0, population, 0.0, 0.0, 1.0 if population else 0.0)
        value = hits / sample
        if population and sample >= population:
            return cls(hits, sample, population, value, value, value)
        # Finite population correction: sampling without replacement increases the effective size.
        size = sample
        if population > 1:
            correction = (population - sample) / (population - 1)
            size = max(sample, round(sample / correction)) if correction else sample
        low, high = wilson(value, size)
        if hits in _POISSON_RATES:
            low = min(low, _POISSON_RATES[hits] / size)
        if sample - hits in _POISSON_RATES:
            high = max(high, 1.0 - _POISSON_RATES[sample - hits] / size)
        return cls(hits, sample, population, value, low, high)

    @property
    def total(self) -> tuple[float, float, float]:
        """Estimated number of members of the population: value, low and high."""
        return self.value * self.population, self.low * self.population, self.high * self.population

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


def wilson(value: float, size: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share in ``size`` draws.

    >>> [round(x, 3) for x in wilson(0.0, 20)]
    [0.0, 0.161]
    """
    z2 = Z95 * Z95
    middle = (value + z2 / (2 * size)) / (1 + z2 / size)
    half = Z95 / (1 + z2 / size) * math.sqrt(value * (1 - value) / size + z2 / (4 * size * size))
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Ratio:
    """Ratio of two sums over paired draws, with a 95 % interval.

    The interval is a percentile bootstrap over the draws; a single draw has no interval.

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
        """Estimate the ratio of the sums; ``worst`` is the smallest ratio of a single draw."""
        value = sum(mine) / max(sum(others), 1e-9)
        worst = min(a / max(b, 1e-9) for a, b in zip(mine, others, strict=True))
        if len(mine) < 2:
            return cls(value, None, None, worst, len(mine))
        draw = random.Random(1)
        ratios = []
        for _ in range(resamples):
            rows = draw.choices(range(len(mine)), k=len(mine))
            ratios.append(sum(mine[row] for row in rows) / max(sum(others[row] for row in rows), 1e-9))
        ratios.sort()
        low, high = ratios[round(0.025 * resamples)], ratios[round(0.975 * resamples) - 1]
        return cls(value, low, high, worst, len(mine))

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {k: round(v, 3) if isinstance(v, float) else v for k, v in asdict(self).items()}

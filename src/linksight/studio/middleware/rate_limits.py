"""Token buckets: how many requests a visitor may send."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

MAX_VISITORS = 10_000


class Buckets:
    """A token bucket for each visitor: ``burst`` requests at once, ``rate`` a second in the long run.

    >>> buckets = Buckets(rate=1.0, burst=2, clock=lambda: 100.0)
    >>> [buckets.wait("a") for _ in range(3)], buckets.wait("b")
    ([0.0, 0.0, 1.0], 0.0)
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.burst, self.clock = rate, max(burst, 1), clock
        self._level: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, visitor: str) -> float:
        """Take a token; returns 0, or the seconds until one is available."""
        if self.rate <= 0:
            return 0.0
        now = self.clock()
        level, at = self._level.pop(visitor, (float(self.burst), now))
        level = min(float(self.burst), level + (now - at) * self.rate)
        allowed = level >= 1
        self._level[visitor] = (level - 1 if allowed else level, now)
        if len(self._level) > MAX_VISITORS:
            self._level.popitem(last=False)
        return 0.0 if allowed else (1 - level) / self.rate

    def headers(self, visitor: str) -> dict[str, str]:
        """The ``RateLimit`` headers of a visitor after a request; empty without a limit."""
        if self.rate <= 0:
            return {}
        level, _ = self._level.get(visitor, (float(self.burst), 0.0))
        return {
            "ratelimit-limit": str(self.burst),
            "ratelimit-remaining": str(int(level)),
            "ratelimit-reset": str(math.ceil((self.burst - level) / self.rate)),
        }

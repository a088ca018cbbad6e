"""Drift detection: when the share of unmatched URLs rises, the site has changed.

The paper: a page that matches nothing is "likely to be due to a reorganisation of the web site"; then
the patterns must be learnt again. One such page is no evidence, so the share in a window of recent URLs is
tested against the share during learning.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class DriftWatch:
    """Raises the alarm when far more URLs match nothing than did while learning.

    >>> watch = DriftWatch(usual=0.02)
    >>> watch.add_all([True] * 500)
    False
    >>> watch.add_all([False] * 60)
    True
    >>> watch.message("shop")
    'shop: 60 of the last 560 URLs match no pattern (10.7%, 2.0% is usual): learn the patterns again'
    """

    usual: float = 0.0  #: unmatched share while learning
    window: int = 1_000  #: recent URLs that count
    min_urls: int = 50  #: URLs before there can be an alarm
    margin: float = 0.05  #: tolerated increase of the share
    recent: deque[bool] = field(default_factory=deque)
    n_seen: int = 0
    n_unmatched: int = 0
    _in_window: int = 0

    def add(self, matched: bool) -> bool:
        """Count one URL of the site; whether the alarm is on."""
        self.n_seen += 1
        self.n_unmatched += not matched
        self.recent.append(matched)
        self._in_window += not matched
        if len(self.recent) > self.window:
            self._in_window -= not self.recent.popleft()
        return self.alarm

    def add_all(self, matched: Iterable[bool]) -> bool:
        """Count many URLs; whether the alarm is on."""
        for one in matched:
            self.add(bool(one))
        return self.alarm

    @property
    def share(self) -> float:
        """Unmatched share in the window."""
        return self._in_window / len(self.recent) if self.recent else 0.0

    @property
    def alarm(self) -> bool:
        """Whether the share is beyond what chance and the margin explain (Wilson's lower bound, 99.9 %)."""
        n = len(self.recent)
        return n >= self.min_urls and _wilson_lower(self._in_window, n) > self.usual + self.margin

    def message(self, site: str = "the site") -> str:
        """The message for the user."""
        text = (
            f"{site}: {self._in_window} of the last {len(self.recent)} URLs match no pattern "
            f"({self.share:.1%}, {self.usual:.1%} is usual)"
        )
        return f"{text}: learn the patterns again" if self.alarm else text


def _wilson_lower(hits: int, n: int, z: float = 3.09) -> float:
    share = hits / n
    centre = share + z * z / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (centre - spread) / (1 + z * z / n)

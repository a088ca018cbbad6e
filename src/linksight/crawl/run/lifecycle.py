"""The phases of a crawl: crawling until the budget is spent, then the sample of what was rejected, then done."""

from __future__ import annotations

import math
from typing import Any

from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.monitor.stats import Journal
from linksight.crawl.run.config import CrawlConfig

USUAL = 100_000  #: bytes that a page is taken to have while none has come yet


class Phases:
    """Takes the crawl from one phase to the next; of several workers one does it."""

    def __init__(self, config: CrawlConfig, frontier: Frontier, journal: Journal) -> None:
        self.config = config
        self.frontier = frontier
        self.journal = journal
        self.quotas_met = False  #: whether every language has the pages that are enough

    def look(self, seconds: float) -> str:
        """The phase now, after ``seconds`` of this worker; ends the crawling when the budget is spent."""
        summary = self.frontier.summary()
        self.frontier.sampling = summary["phase"] == "sampling"
        if summary["phase"] == "crawling" and self._over_budget(summary, seconds):
            self._begin_sampling()
        return str(summary["phase"])

    def wait_or_go_on(self) -> float | None:
        """With nothing in hand: seconds until there may be something to do, or None when all is done."""
        summary = self.frontier.summary()
        if summary["phase"] == "done":
            return None
        self.frontier.sampling = summary["phase"] == "sampling"
        out_of_budget = summary["phase"] == "crawling" and self._over_budget(summary, 0.0)
        turn, claimed = self.frontier.outlook()
        if turn is not None and not out_of_budget:
            return min(max(turn - self.frontier.clock(), 0.0), 0.5)
        if claimed:
            return 0.2
        if summary["phase"] == "crawling":
            self._begin_sampling()
            return 0.0
        self.frontier.set_phase("sampling", "done")
        return None

    def pages_left(self) -> int:
        """How many pages may still be claimed by anybody; of bytes as many as pages are left by their mean size."""
        most_pages, most_bytes = self.config.max_pages, self.config.max_bytes
        if not (most_pages or most_bytes) or self.frontier.sampling:
            return 1 << 30
        summary, left = self.frontier.summary(), 1 << 30
        if most_pages:
            left = most_pages - int(summary["pages"])
        if most_bytes:
            mean = summary["bytes"] / summary["pages"] if summary["bytes"] else USUAL
            left = min(left, math.ceil((most_bytes - summary["bytes"]) / mean))
        return left - self.frontier.claimed() if left < 1_000_000 else left

    def _over_budget(self, summary: dict[str, Any], here: float) -> bool:
        return self.quotas_met or bool(
            self.config.spent(summary["pages"], summary["bytes"], summary["seconds"] + here)
        )

    def _begin_sampling(self) -> None:
        """Crawling is over: fetch a sample of what was rejected, to learn what was missed."""
        most = min(self.config.sample, max(10, self.frontier.summary()["pages"] // 4))
        drawn = self.frontier.begin_sampling(most)
        if drawn is not None:
            self.journal.note("sampling", drawn=drawn)
        self.frontier.sampling = True

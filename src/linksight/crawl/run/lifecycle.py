"""Phases of a crawl: crawling until the budget is spent, sampling of the rejected URLs, done."""

from __future__ import annotations

import math
from typing import Any

from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.monitor.stats import Journal
from linksight.crawl.run.config import CrawlConfig

DEFAULT_PAGE_BYTES = 100_000  #: assumed mean size before the first page


class Phases:
    """Moves the crawl from phase to phase; with several workers, one of them does."""

    def __init__(self, config: CrawlConfig, frontier: Frontier, journal: Journal) -> None:
        self.config = config
        self.frontier = frontier
        self.journal = journal
        self.quotas_met = False  #: whether every language has reached its quota

    def look(self, seconds: float) -> str:
        """Return the current phase after ``seconds`` of this worker; start sampling once the budget is spent."""
        summary = self.frontier.summary()
        self.frontier.sampling = summary["phase"] == "sampling"
        if summary["phase"] == "crawling" and self._is_over_budget(summary, seconds):
            self._begin_sampling()
        return str(summary["phase"])

    def wait_or_go_on(self) -> float | None:
        """Return seconds to wait when no request is in flight, or None once the crawl is done."""
        summary = self.frontier.summary()
        if summary["phase"] == "done":
            return None
        self.frontier.sampling = summary["phase"] == "sampling"
        out_of_budget = summary["phase"] == "crawling" and self._is_over_budget(summary, 0.0)
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
        """Return how many pages all workers may still claim; a byte limit counts by the mean page size."""
        max_pages, max_bytes = self.config.max_pages, self.config.max_bytes
        if not (max_pages or max_bytes) or self.frontier.sampling:
            return 1 << 30
        summary, left = self.frontier.summary(), 1 << 30
        if max_pages:
            left = max_pages - int(summary["pages"])
        if max_bytes:
            mean = summary["bytes"] / summary["pages"] if summary["bytes"] else DEFAULT_PAGE_BYTES
            left = min(left, math.ceil((max_bytes - summary["bytes"]) / mean))
        return left - self.frontier.claimed() if left < 1_000_000 else left

    def _is_over_budget(self, summary: dict[str, Any], worker_seconds: float) -> bool:
        return self.quotas_met or bool(
            self.config.spent(summary["pages"], summary["bytes"], summary["seconds"] + worker_seconds)
        )

    def _begin_sampling(self) -> None:
        """End the crawling phase and draw a sample of the rejected URLs."""
        sample_size = min(self.config.sample, max(10, self.frontier.summary()["pages"] // 4))
        drawn = self.frontier.begin_sampling(sample_size)
        if drawn is not None:
            self.journal.note("sampling", drawn=drawn)
        self.frontier.sampling = True

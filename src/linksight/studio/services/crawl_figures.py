"""Figures of a crawl for its dashboard, consistent while the crawl runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from linksight.studio.services.crawl_processes import CrawlState

if TYPE_CHECKING:
    from linksight.crawl.report.crawl_queries import Ledger

MAX_LATEST = 12
MAX_HOSTS = 10


class LatestPage(NamedTuple):
    """A page that was fetched last."""

    url: str
    language: str


@dataclass(frozen=True)
class CrawlFigures:
    """Counts of a crawl; pages, hits, harvest and languages come from one query."""

    language: str
    languages: dict[str, int]
    timeline: list[bool]
    hosts: list[dict[str, Any]]
    reasons: dict[str, dict[str, int]]
    rejected: int
    pace: float
    latest: list[LatestPage]

    @property
    def pages(self) -> int:
        """Fetched pages."""
        return sum(self.languages.values())

    @property
    def hits(self) -> int:
        """Fetched pages in the language."""
        return self.languages.get(self.language, 0)

    @property
    def harvest(self) -> float:
        """The share of pages in the language."""
        return self.hits / self.pages if self.pages else 0.0


class Progress(NamedTuple):
    """How near a crawl is to its limit."""

    share: float
    text: str


def read_figures(folder: Path, language: str) -> CrawlFigures:
    """Read the figures of the crawl in a folder."""
    from linksight.crawl.report.crawl_queries import Ledger

    with Ledger.open(folder) as ledger:
        languages = ledger.languages()
        n_pages = sum(languages.values())
        return CrawlFigures(
            language, languages, ledger.timeline()[:n_pages], ledger.hosts(MAX_HOSTS), ledger.reasons(),
            ledger.missed().population, ledger.pace(), _latest(ledger),
        )  # fmt: skip


def _latest(ledger: Ledger) -> list[LatestPage]:
    from sqlalchemy import select

    from linksight.crawl.frontier import sql_schema

    p = sql_schema.pages.c
    query = (
        select(p.url, p.language)
        .where(p.reason != "redirect")
        .order_by(p.fetched_at.desc())
        .limit(MAX_LATEST)
    )
    with ledger.engine.connect() as connection:
        return [LatestPage(row.url, row.language or "und") for row in connection.execute(query)]


def progress_of(state: CrawlState, figures: CrawlFigures, speed: float) -> Progress | None:
    """The progress to the nearest limit and the time that is left; None without a limit."""
    limits: dict[str, float] = state.totals.get("limits") or {}
    pages, seconds = limits.get("max_pages") or 0, limits.get("max_seconds") or 0
    shares = []
    if pages:
        left = (pages - figures.pages) / speed if speed else 0.0
        shares.append((figures.pages / pages, f"{figures.pages:,} of at most {pages:,.0f} pages", left))
    if seconds:
        spent = float(state.totals.get("seconds") or 0)
        shares.append((spent / seconds, f"{spent:,.0f} of at most {seconds:,.0f} s", seconds - spent))
    if not shares:
        return None
    share, text, left = max(shares)
    is_timed = state.phase == "running" and left > 0
    return Progress(
        min(share, 1.0), f"{text}; about {_rounded(left)} left at this speed" if is_timed else text
    )


def _rounded(seconds: float) -> str:
    """A length of time in one unit.

    >>> _rounded(40), _rounded(500), _rounded(9_000)
    ('40 s', '8 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"

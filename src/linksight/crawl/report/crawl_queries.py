"""Queries on the database of a crawl, for report, status and studio.

Harvest over time, by language and by host; reasons of decisions; the estimated share of missed pages,
from the sample of rejected URLs; the estimated cost of the same harvest without a strategy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, and_, case, exists, func, select
from sqlalchemy.exc import SQLAlchemyError

from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.enqueue import FOLLOWED_BASE
from linksight.crawl.frontier.records import TOO_DEEP
from linksight.crawl.frontier.schema_version import open_crawl_store
from linksight.crawl.frontier.sql_schema import State
from linksight.crawl.frontier.states import DUE_AGAIN
from linksight.crawl.report.sampling_statistics import Share
from linksight.crawl.run.config import CrawlConfig
from linksight.errors import CrawlError, StoreError
from linksight.results import UND, ZXX
from linksight.system.database import reason_of

WINDOW = 200  #: pages of one point of Figure 7
#: Reasons of URLs without a page that are no failures; URLs that are too deep are never requested.
_EXPECTED_REASONS = ("redirect", "sitemap", "feed", "requisite", "session-parameter", TOO_DEEP)
MIN_CHART_POINTS = 2_000  #: of a curve, if there are as many pages
PACE_PAGES = 100  #: latest pages, from which the current speed is computed
MIN_PAUSE_SECONDS = 60.0  #: a longer gap between two pages is a pause of the crawl


class Ledger:
    """Figures of a crawl, one method for each.

    ``Ledger.open(folder)`` opens the database of the crawl in a folder.
    """

    def __init__(self, engine: Engine, config: CrawlConfig) -> None:
        self.engine = engine
        self.config = config
        p = sql_schema.pages.c
        # Redirects, samples and recaptures are not part of the harvest.
        self._crawled = (p.reason.not_in(("redirect", DUE_AGAIN)), p.sampled.is_(False))

    @classmethod
    def open(cls, folder: str | Path) -> Ledger:
        """Open the database of the crawl in a folder."""
        config = CrawlConfig.load(folder)
        where = config.store or str(Path(folder) / "crawl.db")
        if not config.store and not Path(where).is_file():
            raise CrawlError(f"{folder}: the crawl has not begun (no crawl.db)")
        return cls(open_crawl_store(where), config)

    def close(self) -> None:
        """Close the database."""
        self.engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self.close()
        if isinstance(error, SQLAlchemyError):  # such as a failed disk or a stopped server
            raise StoreError(f"the crawl's database: {reason_of(error)}") from error

    def _rows(self, query: Any) -> list[Any]:
        with self.engine.connect() as connection:
            return list(connection.execute(query))

    def _stream(self, query: Any) -> Iterator[Any]:
        """Yield rows one by one; there may be millions."""
        with self.engine.connect().execution_options(stream_results=True) as connection:
            yield from connection.execute(query)

    def totals(self) -> dict[str, Any]:
        """Count pages, hits, bytes, hosts and seconds."""
        p, targets = sql_schema.pages.c, self.config.languages
        hit = func.sum(case((p.language.in_(targets), 1), else_=0))
        unread = func.sum(case((p.language.in_((UND, ZXX)), 1), else_=0))
        repeated = func.sum(case((p.duplicate, 1), else_=0))
        columns = (func.count(), hit, func.sum(p.size), func.count(func.distinct(p.host)), unread, repeated)
        query = select(*columns, func.min(p.fetched_at), func.max(p.fetched_at)).where(*self._crawled)
        pages, hits, size, hosts, unlabelled, duplicates, first, last = self._rows(query)[0]
        sampled, again, same = self._rows(
            select(
                func.coalesce(func.sum(case((p.sampled, 1), else_=0)), 0),
                func.coalesce(func.sum(case((p.reason == DUE_AGAIN, 1), else_=0)), 0),
                func.coalesce(
                    func.sum(case(((p.reason == DUE_AGAIN) & p.original.isnot(None), 1), else_=0)), 0
                ),
            )
        )[0]
        w = sql_schema.workers.c
        crawl = self._rows(select(sql_schema.crawl))
        done = crawl[0] if crawl else None
        counted = self._rows(
            select(func.coalesce(func.sum(w.pages), 0), func.coalesce(func.sum(w.bytes), 0))
        )[0]
        return {
            "pages": pages,
            "hits": int(hits or 0),
            "harvest": (hits or 0) / pages if pages else 0.0,
            "bytes": int(size or 0),
            "hosts": hosts,
            "unlabelled": int(unlabelled or 0),
            "unique": pages - int(duplicates or 0),
            "first": first,
            "last": last,
            "sampled": int(sampled),
            "recaptured": int(again),
            "unchanged": int(same),
            "phase": done.phase if done else "new",
            "limit": self.config.spent(int(counted[0]), int(counted[1]), done.seconds) if done else "",
            "seconds": done.seconds if done else 0.0,
        }

    def states(self) -> dict[str, int]:
        """Count URLs by state."""
        u = sql_schema.urls.c
        rows = self._rows(select(u.state, func.count()).group_by(u.state))
        return {State(state).name.lower(): n for state, n in rows}

    def reasons(self) -> dict[str, dict[str, int]]:
        """Count URLs by state and reason; URLs of the sample have the state ``sampled``.

        A URL of the sample keeps the reason of its rejection.
        """
        u = sql_schema.urls.c
        by_state: dict[str, dict[str, int]] = {}
        query = select(u.state, u.sampled, u.reason, func.count()).group_by(u.state, u.sampled, u.reason)
        counts: Counter[tuple[str, str]] = Counter()
        for state, sampled, reason, n in self._rows(query):
            counts["sampled" if sampled else State(state).name.lower(), reason] += n
        for (state, reason), n in counts.most_common():
            by_state.setdefault(state, {})[reason] = n
        return by_state

    def languages(self) -> dict[str, int]:
        """Count pages by language, in descending order."""
        p = sql_schema.pages.c
        query = select(p.language, func.count()).where(*self._crawled).group_by(p.language)
        return dict(sorted(((code, n) for code, n in self._rows(query)), key=lambda item: -item[1]))

    def targets(self) -> dict[str, dict[str, int]]:
        """Return pages and quota of each target language; 0: no quota."""
        counts, quotas = self.languages(), self.config.quotas
        return {
            code: {"pages": counts.get(code, 0), "quota": quotas.get(code, 0)}
            for code in self.config.languages
        }

    def hosts(self, limit: int = 25) -> list[dict[str, Any]]:
        """Return the hosts with most pages, with pages and hits."""
        p, targets = sql_schema.pages.c, self.config.languages
        hit = func.sum(case((p.language.in_(targets), 1), else_=0))
        query = select(p.host, func.count().label("n"), hit).where(*self._crawled).group_by(p.host)
        rows = self._rows(query.order_by(func.count().desc()).limit(limit))
        return [{"host": host, "pages": n, "hits": int(hits)} for host, n, hits in rows]

    def seeds(self, limit: int = 1_000) -> list[dict[str, Any]]:
        """Return seeds with label and note, and the number of pages and hits found from each."""
        s, p = sql_schema.seeds.c, sql_schema.pages.c
        hit = func.coalesce(func.sum(case((p.language.in_(self.config.languages), 1), else_=0)), 0)
        joined = sql_schema.seeds.outerjoin(sql_schema.pages, (p.seed == s.id) & and_(*self._crawled))
        query = select(s.url, s.label, s.note, func.count(p.id).label("pages"), hit.label("hits"))
        query = query.select_from(joined).group_by(s.id, s.url, s.label, s.note).order_by(s.id).limit(limit)
        return [dict(row._mapping) for row in self._rows(query)]

    def timeline(self) -> list[bool]:
        """Return for each page, in fetch order, whether it is in a target language."""
        p = sql_schema.pages.c
        query = select(p.language).where(*self._crawled).order_by(p.fetched_at, p.id)
        return [row.language in self.config.languages for row in self._stream(query)]

    def pace(self) -> float:
        """Return the current pages a second."""
        p = sql_schema.pages.c
        query = select(p.fetched_at).where(*self._crawled).order_by(p.fetched_at.desc()).limit(PACE_PAGES)
        return pace([row.fetched_at for row in self._rows(query)])

    def windows(self, size: int = WINDOW) -> list[float]:
        """Return the precision in windows of pages (Figure 7 of the paper)."""
        return windows(self.timeline(), size)

    def missed(self) -> Share:
        """Estimate the share of the target languages among rejected URLs, from the sample (Table 1).

        The base is every URL that was drawn and requested. Dead URLs and URLs without a page count as
        not in the language; otherwise the share would overestimate the missed pages. Redirects count only if their
        target was new to the crawl.
        """
        p, u = sql_schema.pages.c, sql_schema.urls.c
        hit = p.sampled & p.language.in_(self.config.languages) & (p.reason != "redirect")
        drawn = u.sampled & (u.base < FOLLOWED_BASE)
        asked = drawn & u.state.not_in((int(State.QUEUED), int(State.CLAIMED)))
        hits, sample, population = (
            self._rows(select(func.count()).select_from(table).where(wanted))[0][0]
            for table, wanted in (
                (sql_schema.pages, hit),
                (sql_schema.urls, asked),
                (sql_schema.urls, (u.state == int(State.REJECTED)) | drawn),
            )
        )
        return Share.of(min(hits, sample), sample, population)

    def savings(self) -> dict[str, Any]:
        """Estimate the requests that breadth-first would need for the same harvest.

        Breadth-first finds the target languages at their share of all URLs, fetched or rejected. The share
        among rejected URLs comes from the sample, with its interval.
        """
        totals, missed = self.totals(), self.missed()
        pages, hits = totals["pages"], totals["hits"]
        if not pages or not hits or not missed.sample:
            return {}
        mean = totals["bytes"] / pages
        spent = pages + totals["sampled"]  # the sample costs requests, too

        def needed(share: float) -> float:
            overall = (hits + share * missed.population) / (pages + missed.population)
            return float(max(hits / overall, pages))

        low, middle, high = (needed(share) for share in (missed.high, missed.value, missed.low))
        return {
            "requests_without": middle,
            "requests_saved": max(middle - spent, 0.0),
            "requests_saved_low": max(low - spent, 0.0),
            "requests_saved_high": max(high - spent, 0.0),
            "bytes_saved": max(middle - spent, 0.0) * mean,
        }

    def calibration(self, bins: int = 10) -> list[tuple[float, float, int]]:
        """Return the calibration by bin: mean predicted probability, observed share, pages."""
        p = sql_schema.pages.c
        rows = self._stream(select(p.predicted, p.language).where(p.predicted.isnot(None), *self._crawled))
        sums: dict[int, list[float]] = {}
        for predicted, language in rows:
            row = sums.setdefault(min(int(predicted * bins), bins - 1), [0.0, 0.0, 0.0])
            row[0] += predicted
            row[1] += language in self.config.languages
            row[2] += 1
        return [(a / n, b / n, int(n)) for _, (a, b, n) in sorted(sums.items())]

    def problems(self) -> dict[str, int]:
        """Count failed requests by reason."""
        u, p = sql_schema.urls.c, sql_schema.pages.c
        states = (int(State.DONE), int(State.FAILED), int(State.REFUSED))
        query = (
            select(u.reason, func.count())
            .where(u.state.in_(states), ~exists().where(p.url_id == u.id), u.reason.not_in(_EXPECTED_REASONS))
            .group_by(u.reason)
        )
        return dict(Counter({reason: n for reason, n in self._rows(query)}).most_common())

    def retries(self) -> dict[str, int]:
        """Count URLs that wait for a retry, by their latest error."""
        u = sql_schema.urls.c
        query = select(u.problem, func.count()).where(u.state == int(State.QUEUED), u.problem.isnot(None))
        counts: Counter[str] = Counter()
        for problem, n in self._rows(query.group_by(u.problem)):
            counts[problem.partition(": ")[0]] += n
        return dict(counts.most_common())

    def as_dict(self) -> dict[str, Any]:
        """Return all figures as plain values for JSON."""
        return {
            "language": self.config.language,
            "targets": self.targets(),
            "strategy": self.config.strategy,
            "seeds": self.seeds(),
            "totals": self.totals(),
            "states": self.states(),
            "reasons": self.reasons(),
            "problems": self.problems(),
            "retries": self.retries(),
            "languages": self.languages(),
            "hosts": self.hosts(),
            "missed": self.missed().as_dict(),
            "savings": self.savings(),
            "precision_by_window": [round(share, 4) for share in self.windows()],
            "calibration": self.calibration(),
            "config": self.config.shown(),
        }


def pace(times: list[float]) -> float:
    """Compute pages a second from fetch times, latest first; only pages after the last pause count.

    >>> pace([12.0, 11.5, 11.0, 10.5]), pace([500.0, 499.0, 12.0, 11.0]), pace([7.0])
    (2.0, 1.0, 0.0)
    """
    paused = (i for i, (late, early) in enumerate(pairwise(times), 1) if late - early > MIN_PAUSE_SECONDS)
    times = times[: next(paused, len(times))]
    seconds = times[0] - times[-1] if times else 0.0
    return (len(times) - 1) / seconds if seconds > 0 else 0.0


def windows(hits: list[bool], size: int = WINDOW) -> list[float]:
    """Compute the share of hits in each window; a last window under a quarter of the size is omitted.

    >>> windows([True, True, False, True], 2)
    [1.0, 0.5]
    """
    return [share for _, share in windowed(hits, size)]


def running(hits: Sequence[bool]) -> list[tuple[float, float]]:
    """Compute the cumulative hits up to each page for a chart, downsampled if there are many pages.

    >>> running([True, False, True])
    [(0.0, 0.0), (1.0, 1.0), (2.0, 1.0), (3.0, 2.0)]
    """
    step = max(1, len(hits) // MIN_CHART_POINTS)
    totals = enumerate(accumulate(hits, initial=0))
    return [(float(page), float(n)) for page, n in totals if page % step == 0 or page == len(hits)]


def windowed(hits: list[bool], size: int = WINDOW) -> list[tuple[float, float]]:
    """Compute the share of hits in each window, with the page at which the window ends, for a chart.

    >>> windowed([True, True, False], 2)
    [(2, 1.0), (3, 0.0)]
    """
    parts = [(start, hits[start : start + size]) for start in range(0, len(hits), size)]
    return [
        (start + len(part), sum(part) / len(part))
        for start, part in parts
        if len(part) * 4 >= size or len(parts) == 1
    ]

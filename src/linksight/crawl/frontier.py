"""The frontier: the queue, the seen-set and what became of every URL, in SQL.

Two levels, as in Mercator: hosts are served by rank, the best URLs of a host first. What is learnt
of a host moves all its URLs at once by its ``bonus``. All changes that belong together are one
transaction, so that a killed worker leaves nothing half done:

- claim: URLs become one worker's, their hosts' next turns are booked;
- commit: the worker's URLs are done, their pages' places in the WARC files are known, and the links
  found on them are queued: all of it or nothing.

On PostgreSQL workers step around each other's hosts with ``FOR UPDATE SKIP LOCKED``. A URL that
was taken from a silent worker cannot be committed by it later: its owner is checked under lock.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, select, update

from linksight.crawl import tables
from linksight.crawl.claims import Claims
from linksight.crawl.commits import Commits
from linksight.crawl.config import CrawlConfig
from linksight.crawl.jobs import Job
from linksight.crawl.seen import SAMPLE_BASE, chunks
from linksight.crawl.tables import Kind, State
from linksight.errors import CrawlError, StoreError


class Frontier(Claims, Commits):
    """One worker's hands on the shared queue."""

    def create(self) -> None:
        """Enter the crawl into an empty database, or check that the one there can be used."""
        row = {
            "id": 1,
            "format": tables.FORMAT,
            "config": json.dumps(self.config.shown()),
            "phase": "crawling",
        }
        row |= {"started": self.clock(), "seconds": 0.0, "pages": 0, "bytes": 0}
        with self.begin() as connection:
            connection.execute(self.insert_new(tables.crawl), row)
            found = connection.execute(select(tables.crawl.c.format)).scalar_one()
        if found != tables.FORMAT:
            raise StoreError(f"the crawl's tables are of format {found}, this is for {tables.FORMAT}")

    def summary(self) -> dict[str, Any]:
        """Phase, pages, bytes and seconds of the crawl so far."""
        with self.engine.connect() as connection:
            row = connection.execute(select(tables.crawl)).mappings().first()
        if row is None:
            raise CrawlError("the database holds no crawl")
        return dict(row)

    def set_phase(self, before: str, after: str) -> bool:
        """Take the crawl from one phase to another; of several workers one succeeds."""
        c = tables.crawl.c
        with self.begin() as connection:
            done = connection.execute(update(tables.crawl).where(c.phase == before).values(phase=after))
        return bool(done.rowcount)

    def set_config(self, config: CrawlConfig) -> None:
        """Go on with other settings."""
        self.config = config
        with self.begin() as connection:
            connection.execute(update(tables.crawl).values(config=json.dumps(config.shown())))

    def add_seconds(self, seconds: float) -> None:
        """Add to the time that workers have spent."""
        with self.begin() as connection:
            connection.execute(update(tables.crawl).values(seconds=tables.crawl.c.seconds + seconds))

    def robots_of(self, origin: str) -> tuple[float, int, str] | None:
        """When robots.txt was fetched, with which status, and its text."""
        r = tables.robots.c
        with self.engine.connect() as connection:
            row = connection.execute(select(r.fetched_at, r.status, r.body).where(r.origin == origin)).first()
        return (row.fetched_at, row.status, row.body) if row else None

    def save_robots(self, origin: str, status: int, body: str, host: str, delay: float) -> None:
        """Keep an origin's robots.txt and the host's delay for all workers."""
        with self.begin() as connection:
            connection.execute(delete(tables.robots).where(tables.robots.c.origin == origin))
            row = {"origin": origin[:320], "fetched_at": self.clock(), "status": status, "body": body}
            connection.execute(self.insert_new(tables.robots), row)
            h = tables.hosts.c
            # The pace that the host asks for begins now, not with the turn after next.
            slower = update(tables.hosts).where(h.name == host, h.delay < delay)
            connection.execute(slower.values(delay=delay, next_at=self.clock() + delay))

    def release(self, jobs: Sequence[Job], wait: float = 0.0) -> None:
        """Give claimed URLs back to the queue, their hosts' next turn ``wait`` seconds away."""
        if not jobs:
            return
        u, h = tables.urls.c, tables.hosts.c
        with self.begin() as connection:
            for some in chunks([job.id for job in jobs]):
                connection.execute(
                    update(tables.urls)
                    .where(u.id.in_(some), u.owner == self.worker, u.state == int(State.CLAIMED))
                    .values(state=int(State.QUEUED), owner=None)
                )
            ids = sorted({job.host_id for job in jobs})
            self.lock_hosts(connection, ids)
            for id_ in ids:
                given = sum(job.host_id == id_ for job in jobs)
                values: dict[str, Any] = {"taken": h.taken - given}
                if wait:
                    values["next_at"] = self.clock() + wait
                connection.execute(update(tables.hosts).where(h.id == id_).values(**values))
            self.rank(connection, ids)

    def draw_sample(self, size: int) -> int:
        """Queue a random sample of the URLs that the strategy rejected.

        Each URL carries a draw of its own; those with the lowest are a uniform sample without
        replacement of all rejected, whatever the order in which they were found.
        """
        u = tables.urls.c
        with self.begin() as connection:
            rejected = select(u.id, u.host_id).where(u.state == int(State.REJECTED), u.kind == int(Kind.PAGE))
            rows = connection.execute(rejected.order_by(u.chance).limit(size)).all()
            for some in chunks([row.id for row in rows]):
                connection.execute(
                    update(tables.urls)
                    .where(u.id.in_(some))
                    .values(state=int(State.QUEUED), sampled=True, base=SAMPLE_BASE)
                )
            ids = sorted({row.host_id for row in rows})
            self.rank(connection, ids)
        return len(rows)

"""The frontier: queue, seen-set and outcome of every URL, in SQL.

Two levels, as in Mercator: hosts are served by rank, and the best URLs of a host first. The ``bonus`` of
a host moves all its URLs at once. Related changes are one transaction, so that a killed worker leaves a
consistent database:

- claim: assign URLs to one worker, and book the next turns of their hosts;
- commit: store outcomes, the pages' offsets in the WARC files, and the links found on them.

On PostgreSQL workers skip each other's hosts with ``FOR UPDATE SKIP LOCKED``. A worker whose lease
expired cannot commit its URLs later: their owner is checked under lock.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, delete, func, select, update

from linksight.crawl.archive.warc_writer import WarcWriter
from linksight.crawl.fetch.robots import FetchedRobots
from linksight.crawl.frontier import sql_schema, states
from linksight.crawl.frontier.batches import chunks, dialect_insert
from linksight.crawl.frontier.commit import UNREACHABLE, Commits
from linksight.crawl.frontier.dequeue import Claims
from linksight.crawl.frontier.enqueue import FOLLOWED_BASE, SAMPLE_BASE
from linksight.crawl.frontier.records import TOO_DEEP, Job
from linksight.crawl.frontier.sql_schema import Kind, State
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring.host_patterns import Learnt
from linksight.crawl.urls.url_normalize import digest_of
from linksight.errors import CrawlError, StoreError
from linksight.languages import registry

MAX_TURN_SECONDS = 2 * 86_400.0  #: no turn of a host is booked further ahead


class Frontier(Claims, Commits):
    """Per-worker client of the shared queue."""

    def create(self) -> None:
        """Insert the crawl into an empty database, or check that the existing crawl matches."""
        row = {
            "id": 1,
            "format": sql_schema.FORMAT,
            "config": json.dumps(self.config.shown()),
            "phase": "crawling",
        }
        row |= {"started": self.clock(), "seconds": 0.0, "pages": 0, "bytes": 0}
        with self.begin() as connection:
            connection.execute(self.insert_new(sql_schema.crawl), row)
            found = connection.execute(select(sql_schema.crawl.c.config)).one()
        before = json.loads(found.config)["language"]
        if before != self.config.language:
            # One queue and one set of statistics cannot serve two languages.
            raise StoreError(
                f"the database holds a crawl for {registry.name(before)}, not for "
                f"{registry.name(self.config.language)}: give each language a separate database"
            )

    def summary(self) -> dict[str, Any]:
        """Phase, pages, bytes and seconds of the crawl so far."""
        w = sql_schema.workers.c
        pages, size = (select(func.coalesce(func.sum(c), 0)).scalar_subquery() for c in (w.pages, w.bytes))
        query = select(sql_schema.crawl, pages.label("n"), size.label("size"))
        with self.engine.connect() as connection:
            row = connection.execute(query).mappings().first()
        if row is None:
            raise CrawlError("the database holds no crawl")
        return dict(row) | {"pages": int(row["n"]), "bytes": int(row["size"])}

    def pages_by_language(self) -> dict[str, int]:
        """Pages of the crawl in each language."""
        c = sql_schema.language_counts.c
        with self.engine.connect() as connection:
            rows = connection.execute(select(c.language, func.sum(c.pages)).group_by(c.language))
            return {code: int(n) for code, n in rows}

    def set_phase(self, before: str, after: str) -> bool:
        """Change the phase of the crawl; returns True for exactly one worker."""
        c = sql_schema.crawl.c
        with self.begin() as connection:
            done = connection.execute(update(sql_schema.crawl).where(c.phase == before).values(phase=after))
        return bool(done.rowcount)

    def set_config(self, config: CrawlConfig) -> None:
        """Replace the configuration, also in the database."""
        self.config = config
        with self.begin() as connection:
            connection.execute(update(sql_schema.crawl).values(config=json.dumps(config.shown())))

    def save_settings(self, values: dict[str, Any]) -> None:
        """Store settings that running workers apply."""
        with self.begin() as connection:
            connection.execute(update(sql_schema.crawl).values(settings=json.dumps(values)))

    def block_host(self, name: str, *, is_blocked: bool) -> None:
        """Block or unblock a host."""
        h, key = sql_schema.hosts.c, name.lower().removeprefix("www.")
        with self.begin() as connection:
            ids = list(connection.execute(select(h.id).where(h.name == key)).scalars())
            if not ids:
                raise CrawlError(f"{name}: the crawl has found no URL of this host")
            self.lock_hosts(connection, ids)
            closed = "blocked" if is_blocked else None
            connection.execute(update(sql_schema.hosts).where(h.id.in_(ids)).values(closed=closed))
            self.rank(connection, ids)

    def enter_seeds(self, details: dict[str, tuple[str, str, str]], scope: str) -> dict[str, int]:
        """Insert seeds with label, note and scope; returns their ids by URL."""
        s = sql_schema.seeds.c
        rows = [
            {"url": url, "label": label, "note": note, "scope": own or scope}
            for url, (label, note, own) in details.items()
        ]
        numbers: dict[str, int] = {}
        with self.begin() as connection:
            if rows:
                connection.execute(self.insert_new(sql_schema.seeds), rows)
            for some in chunks(details):
                query = select(s.url, s.id).where(s.url.in_(some))
                numbers |= {url: id_ for url, id_ in connection.execute(query)}
        return numbers

    def add_seconds(self, seconds: float) -> None:
        """Add to the run time of the crawl."""
        with self.begin() as connection:
            connection.execute(update(sql_schema.crawl).values(seconds=sql_schema.crawl.c.seconds + seconds))

    def robots_of(self, origin: str) -> tuple[float, int, str] | None:
        """Fetch time, status and text of the stored robots.txt."""
        r = sql_schema.robots.c
        with self.engine.connect() as connection:
            row = connection.execute(select(r.fetched_at, r.status, r.body).where(r.origin == origin)).first()
        return (row.fetched_at, row.status, row.body) if row else None

    def save_robots(
        self, robots: FetchedRobots, host: str, delay: float, writer: WarcWriter | None = None
    ) -> None:
        """Store an origin's robots.txt, archive it, and store the host's delay for all workers."""
        with self.writing(writer) as connection:
            if writer is not None and robots.exchange is not None:
                about = {"status": robots.status, "mime": robots.mime}
                self.archive(robots.exchange, about, connection, writer)
            connection.execute(delete(sql_schema.robots).where(sql_schema.robots.c.origin == robots.origin))
            row = {"origin": robots.origin[:320], "status": robots.status, "body": robots.body}
            connection.execute(self.insert_new(sql_schema.robots), row | {"fetched_at": self.clock()})
            h = sql_schema.hosts.c
            # The delay applies from now on, not from the turn after next.
            slower = update(sql_schema.hosts).where(h.name == host, h.delay < delay)
            connection.execute(slower.values(delay=delay, next_at=self.clock() + delay))

    def save_patterns(self, learnt: Sequence[Learnt]) -> None:
        """Store the URL patterns of hosts, unless stored ones are from more URLs."""
        rows = [{"host": one.host[:300], "urls": one.urls, "texts": json.dumps(one.texts)} for one in learnt]
        if not rows:
            return
        new = dialect_insert(self.engine, sql_schema.patterns)
        better = {"urls": new.excluded.urls, "texts": new.excluded.texts}
        upsert = new.on_conflict_do_update(
            index_elements=["host"], set_=better, where=sql_schema.patterns.c.urls < new.excluded.urls
        )
        with self.begin() as connection:
            connection.execute(upsert, rows)

    def save_sessions(self, found: dict[int, frozenset[str]]) -> None:
        """Store session parameters, by host."""
        h = sql_schema.hosts.c
        with self.begin() as connection:
            for id_, names in sorted(found.items()):
                values = {"session_keys": json.dumps(sorted(names))}
                connection.execute(update(sql_schema.hosts).where(h.id == id_).values(**values))

    def known_sessions(self) -> list[tuple[str, list[str]]]:
        """Hosts with their stored session parameters."""
        h = sql_schema.hosts.c
        query = select(h.name, h.session_keys).where(h.session_keys != "").limit(10_000)
        with self.engine.connect() as connection:
            return [(name, json.loads(keys)) for name, keys in connection.execute(query)]

    def known_patterns(self, max_hosts: int) -> list[tuple[str, int, str]]:
        """The stored URL patterns of hosts, those from the most URLs first."""
        p = sql_schema.patterns.c
        with self.engine.connect() as connection:
            rows = connection.execute(
                select(p.host, p.urls, p.texts).order_by(p.urls.desc()).limit(max_hosts)
            )
            return [(host, urls, texts) for host, urls, texts in rows]

    def release(self, jobs: Sequence[Job], wait: float = 0.0) -> None:
        """Return claimed URLs to the queue; their hosts' next turn is ``wait`` seconds away."""
        if not jobs:
            return
        with self.begin() as connection:
            self.lock_hosts(connection, {job.host_id for job in jobs})
            self._give_back(connection, [job.id for job in jobs])
            if wait:
                h = sql_schema.hosts.c
                later = update(sql_schema.hosts).where(h.id.in_(sorted({job.host_id for job in jobs})))
                connection.execute(later.values(next_at=self.clock() + wait))

    def release_orphaned_claims(self, held: Iterable[int]) -> int:
        """Release this worker's claims in the database that are not among ``held``; returns how many.

        Such a claim is left over if the connection broke before its result arrived.
        """
        u = sql_schema.urls.c
        mine = set(held)
        with self.begin() as connection:
            query = select(u.id, u.host_id).where(u.owner == self.worker, u.state == int(State.CLAIMED))
            orphans = [row for row in connection.execute(query) if row.id not in mine]
            self.lock_hosts(connection, {row.host_id for row in orphans})
            self._give_back(connection, [row.id for row in orphans])
        return len(orphans)

    def _give_back(self, connection: Connection, ids: list[int]) -> None:
        """Queue claimed URLs again; the caller holds the locks of their hosts."""
        h = sql_schema.hosts.c
        hosts = states.give_back(connection, self.worker, ids)
        for id_, count in sorted(hosts.items()):
            connection.execute(update(sql_schema.hosts).where(h.id == id_).values(taken=h.taken - count))
        self.rank(connection, hosts)

    def waiting(self) -> tuple[int, int]:
        """How many URLs wait in the queue, and on how many hosts."""
        queued = (
            select(func.count())
            .select_from(sql_schema.urls)
            .where(sql_schema.urls.c.state == int(State.QUEUED))
        )
        hosts = select(func.count()).select_from(sql_schema.hosts).where(sql_schema.hosts.c.rank.isnot(None))
        with self.engine.connect() as connection:
            return int(connection.execute(queued).scalar_one()), int(connection.execute(hosts).scalar_one())

    def reset_future_turns(self) -> int:
        """Reset turns in the far future, which a clock that was set back leaves; returns how many."""
        latest = self.clock() + MAX_TURN_SECONDS
        n_reset = 0
        with self.begin() as connection:
            for table in (sql_schema.hosts, sql_schema.addresses):
                done = connection.execute(
                    update(table).where(table.c.next_at > latest).values(next_at=self.clock())
                )
                n_reset += done.rowcount
        return n_reset

    def reopen_hosts(self) -> int:
        """Reopen hosts that a limit or failures have closed; returns how many."""
        h = sql_schema.hosts.c
        with self.begin() as connection:
            closed = select(h.id).where(h.rank.is_(None), h.best.isnot(None))
            connection.execute(
                update(sql_schema.hosts)
                .where(h.closed == UNREACHABLE)
                .values(closed=None, failures=0, next_at=0.0)
            )
            hosts = set(connection.execute(closed).scalars())
            self.lock_hosts(connection, hosts)
            self.rank(connection, hosts)
        return len(hosts)

    def requeue_allowed(self) -> int:
        """Queue excluded URLs that the settings allow now; returns how many."""
        u, c = sql_schema.urls.c, self.config
        allowed = {"private-address": c.allow_private, "robots": not c.robots, "media": c.media}
        reasons = [reason for reason, is_allowed in allowed.items() if is_allowed]
        # A sitemap has its host's depth; its pages are one link deeper.
        far = u.depth + case((u.kind == int(Kind.SITEMAP), 1), else_=0)
        near = (u.reason == TOO_DEEP) & ((far <= c.max_depth) | (c.max_depth == 0))
        with self.begin() as connection:
            hosts = states.requeue_allowed(connection, u.reason.in_(reasons) | near)
            self.lock_hosts(connection, hosts)
            self.rank(connection, hosts)
        return len(hosts)

    def retry_failed(self) -> int:
        """Queue failed URLs again, and reopen their hosts; returns the number of hosts."""
        with self.begin() as connection:
            hosts = states.retry_failed(connection)
            self.lock_hosts(connection, hosts)
            self.rank(connection, hosts)
        return len(hosts) + self.reopen_hosts()

    def requeue_seeds(self, urls: Iterable[str]) -> int:
        """Queue rejected URLs that are seeds now; returns how many."""
        u, n_queued = sql_schema.urls.c, 0
        for some in chunks(digest_of(url) for url in urls):
            n_queued += self._requeue_rejected(u.digest.in_(some), "seed")
        return n_queued

    def requeue_above(self, threshold: float) -> int:
        """Queue rejected URLs whose current score is above a threshold; returns how many."""
        u, h = sql_schema.urls.c, sql_schema.hosts.c
        bonus = select(h.bonus).where(h.id == u.host_id).scalar_subquery()
        doubted = u.reason.in_(("looks-wrong", "site-turned"))
        return self._requeue_rejected(doubted & (u.base + bonus >= threshold), "allowed-now")

    def _requeue_rejected(self, wanted: ColumnElement[bool], reason: str) -> int:
        with self.begin() as connection:
            hosts = states.requeue_rejected(connection, wanted, reason)
            self.lock_hosts(connection, hosts)
            self.rank(connection, hosts)
        return len(hosts)

    def begin_sampling(self, size: int) -> int | None:
        """Start the sampling phase; returns the sample size, or None if another worker started it.

        One transaction for phase and draw: a worker killed in between would leave no sample.
        """
        c = sql_schema.crawl.c
        with self.begin() as connection:
            begun = update(sql_schema.crawl).where(c.phase == "crawling").values(phase="sampling")
            return self.draw_sample(connection, size) if connection.execute(begun).rowcount else None

    def draw_sample(self, connection: Connection, size: int) -> int:
        """Queue a random sample of the URLs that the strategy rejected.

        Each URL has a fixed uniform number; those with the lowest are a uniform sample without
        replacement of all rejected URLs, independent of the order of discovery.
        """
        u = sql_schema.urls.c
        drawn = u.sampled & (u.base < FOLLOWED_BASE)
        n_drawn = connection.execute(
            select(func.count()).select_from(sql_schema.urls).where(drawn)
        ).scalar_one()
        size = max(size - n_drawn, 0)  # a crawl that was resumed after its sample draws no second one
        rejected = select(u.id, u.host_id).where(u.state == int(State.REJECTED), u.kind == int(Kind.PAGE))
        rows = connection.execute(rejected.order_by(u.chance).limit(size)).all()
        hosts = {row.host_id for row in rows}
        self.lock_hosts(connection, hosts)
        states.sample(connection, [row.id for row in rows], SAMPLE_BASE)
        self.rank(connection, hosts)
        return len(rows)

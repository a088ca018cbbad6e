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

FAR = 2 * 86_400.0  #: seconds: no turn of a host is ever booked so far ahead


class Frontier(Claims, Commits):
    """Per-worker client of the shared queue."""

    def create(self) -> None:
        """Enter the crawl into an empty database, or check that the one there can be used."""
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
            # One queue and one account cannot serve two aims.
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
        """Take the crawl from one phase to another; of several workers one succeeds."""
        c = sql_schema.crawl.c
        with self.begin() as connection:
            done = connection.execute(update(sql_schema.crawl).where(c.phase == before).values(phase=after))
        return bool(done.rowcount)

    def set_config(self, config: CrawlConfig) -> None:
        """Go on with other settings."""
        self.config = config
        with self.begin() as connection:
            connection.execute(update(sql_schema.crawl).values(config=json.dumps(config.shown())))

    def save_settings(self, values: dict[str, Any]) -> None:
        """Keep settings that all workers take up while they run."""
        with self.begin() as connection:
            connection.execute(update(sql_schema.crawl).values(settings=json.dumps(values)))

    def block_host(self, name: str, *, is_blocked: bool) -> None:
        """Serve a host no more, or again."""
        h, key = sql_schema.hosts.c, name.lower().removeprefix("www.")
        with self.begin() as connection:
            ids = list(connection.execute(select(h.id).where(h.name == key)).scalars())
            if not ids:
                raise CrawlError(f"{name}: the crawl has met no URL of this host")
            self.lock_hosts(connection, ids)
            closed = "blocked" if is_blocked else None
            connection.execute(update(sql_schema.hosts).where(h.id.in_(ids)).values(closed=closed))
            self.rank(connection, ids)

    def enter_seeds(self, details: dict[str, tuple[str, str, str]], scope: str) -> dict[str, int]:
        """Put seeds on record with label, note and scope; returns their numbers."""
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
        """Add to the time that workers have spent."""
        with self.begin() as connection:
            connection.execute(update(sql_schema.crawl).values(seconds=sql_schema.crawl.c.seconds + seconds))

    def robots_of(self, origin: str) -> tuple[float, int, str] | None:
        """When robots.txt was fetched, with which status, and its text."""
        r = sql_schema.robots.c
        with self.engine.connect() as connection:
            row = connection.execute(select(r.fetched_at, r.status, r.body).where(r.origin == origin)).first()
        return (row.fetched_at, row.status, row.body) if row else None

    def save_robots(
        self, robots: FetchedRobots, host: str, delay: float, writer: WarcWriter | None = None
    ) -> None:
        """Keep an origin's robots.txt, also as WARC, and the host's delay for all workers."""
        with self.writing(writer) as connection:
            if writer is not None and robots.exchange is not None:
                about = {"status": robots.status, "mime": robots.mime}
                self.archive(robots.exchange, about, connection, writer)
            connection.execute(delete(sql_schema.robots).where(sql_schema.robots.c.origin == robots.origin))
            row = {"origin": robots.origin[:320], "status": robots.status, "body": robots.body}
            connection.execute(self.insert_new(sql_schema.robots), row | {"fetched_at": self.clock()})
            h = sql_schema.hosts.c
            # The pace that the host asks for begins now, not with the turn after next.
            slower = update(sql_schema.hosts).where(h.name == host, h.delay < delay)
            connection.execute(slower.values(delay=delay, next_at=self.clock() + delay))

    def save_patterns(self, learnt: Sequence[Learnt]) -> None:
        """Keep the URL patterns of hosts; of two workers' the ones from more addresses."""
        rows = [{"host": one.host[:300], "urls": one.urls, "texts": json.dumps(one.texts)} for one in learnt]
        if not rows:
            return
        new = dialect_insert(self.engine, sql_schema.patterns)
        better = {"urls": new.excluded.urls, "texts": new.excluded.texts}
        kept = new.on_conflict_do_update(
            index_elements=["host"], set_=better, where=sql_schema.patterns.c.urls < new.excluded.urls
        )
        with self.begin() as connection:
            connection.execute(kept, rows)

    def save_sessions(self, found: dict[int, frozenset[str]]) -> None:
        """Keep the query fields that name a visit, by host."""
        h = sql_schema.hosts.c
        with self.begin() as connection:
            for id_, names in sorted(found.items()):
                values = {"session_keys": json.dumps(sorted(names))}
                connection.execute(update(sql_schema.hosts).where(h.id == id_).values(**values))

    def known_sessions(self) -> list[tuple[str, list[str]]]:
        """Hosts with the query fields that name a visit there."""
        h = sql_schema.hosts.c
        query = select(h.name, h.session_keys).where(h.session_keys != "").limit(10_000)
        with self.engine.connect() as connection:
            return [(name, json.loads(keys)) for name, keys in connection.execute(query)]

    def known_patterns(self, most: int) -> list[tuple[str, int, str]]:
        """The URL patterns of hosts on record, those from the most addresses."""
        p = sql_schema.patterns.c
        with self.engine.connect() as connection:
            rows = connection.execute(select(p.host, p.urls, p.texts).order_by(p.urls.desc()).limit(most))
            return [(host, urls, texts) for host, urls, texts in rows]

    def release(self, jobs: Sequence[Job], wait: float = 0.0) -> None:
        """Give claimed URLs back to the queue, their hosts' next turn ``wait`` seconds away."""
        if not jobs:
            return
        with self.begin() as connection:
            self.lock_hosts(connection, {job.host_id for job in jobs})
            self._give_back(connection, [job.id for job in jobs])
            if wait:
                h = sql_schema.hosts.c
                later = update(sql_schema.hosts).where(h.id.in_(sorted({job.host_id for job in jobs})))
                connection.execute(later.values(next_at=self.clock() + wait))

    def release_strays(self, held: Iterable[int]) -> int:
        """Give back what is this worker's by the database and not in its hands; answers how many.

        A claim whose answer was lost with the connection is such a stray.
        """
        u = sql_schema.urls.c
        mine = set(held)
        with self.begin() as connection:
            query = select(u.id, u.host_id).where(u.owner == self.worker, u.state == int(State.CLAIMED))
            strays = [row for row in connection.execute(query) if row.id not in mine]
            self.lock_hosts(connection, {row.host_id for row in strays})
            self._give_back(connection, [row.id for row in strays])
        return len(strays)

    def _give_back(self, connection: Connection, ids: list[int]) -> None:
        """Queue claimed URLs again; the caller has the locks of their hosts."""
        h = sql_schema.hosts.c
        hosts = states.give_back(connection, self.worker, ids)
        for id_, given in sorted(hosts.items()):
            connection.execute(update(sql_schema.hosts).where(h.id == id_).values(taken=h.taken - given))
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

    def mend_turns(self) -> int:
        """Turns that a clock set back has left in the far future begin now; answers how many."""
        far = self.clock() + FAR
        mended = 0
        with self.begin() as connection:
            for table in (sql_schema.hosts, sql_schema.addresses):
                done = connection.execute(
                    update(table).where(table.c.next_at > far).values(next_at=self.clock())
                )
                mended += done.rowcount
        return mended

    def reopen_hosts(self) -> int:
        """Serve hosts again that a cap or failures have closed; returns how many."""
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

    def ask_again(self) -> int:
        """Queue what was refused and is allowed by the settings now; answers how many."""
        u, c = sql_schema.urls.c, self.config
        allowed = {"private-address": c.allow_private, "robots": not c.robots, "media": c.media}
        reasons = [reason for reason, is_allowed in allowed.items() if is_allowed]
        # A sitemap is as far as its host, and its pages are a link further.
        far = u.depth + case((u.kind == int(Kind.SITEMAP), 1), else_=0)
        near = (u.reason == TOO_DEEP) & ((far <= c.max_depth) | (c.max_depth == 0))
        with self.begin() as connection:
            hosts = states.ask_again(connection, u.reason.in_(reasons) | near)
            self.lock_hosts(connection, hosts)
            self.rank(connection, hosts)
        return len(hosts)

    def retry_failed(self) -> int:
        """Queue failed URLs again, and serve the hosts that were given up; returns the number of hosts."""
        with self.begin() as connection:
            hosts = states.retry_failed(connection)
            self.lock_hosts(connection, hosts)
            self.rank(connection, hosts)
        return len(hosts) + self.reopen_hosts()

    def take_up(self, urls: Iterable[str]) -> int:
        """Queue those of the URLs that the strategy has rejected, and somebody names as seeds now; answers how many."""
        u, taken = sql_schema.urls.c, 0
        for some in chunks(digest_of(url) for url in urls):
            taken += self._bring_back(u.digest.in_(some), "seed")
        return taken

    def reconsider(self, bar: float) -> int:
        """Queue what was rejected and is above the bar by what is known now; answers how many."""
        u, h = sql_schema.urls.c, sql_schema.hosts.c
        bonus = select(h.bonus).where(h.id == u.host_id).scalar_subquery()
        doubted = u.reason.in_(("looks-wrong", "site-turned"))
        return self._bring_back(doubted & (u.base + bonus >= bar), "allowed-now")

    def _bring_back(self, wanted: ColumnElement[bool], reason: str) -> int:
        with self.begin() as connection:
            hosts = states.bring_back(connection, wanted, reason)
            self.lock_hosts(connection, hosts)
            self.rank(connection, hosts)
        return len(hosts)

    def begin_sampling(self, size: int) -> int | None:
        """Take the crawl on to the sample of what was rejected; answers its size, or None where another worker has.

        One transaction: killed between the phase and the draw, nobody would draw any more.
        """
        c = sql_schema.crawl.c
        with self.begin() as connection:
            begun = update(sql_schema.crawl).where(c.phase == "crawling").values(phase="sampling")
            return self.draw_sample(connection, size) if connection.execute(begun).rowcount else None

    def draw_sample(self, connection: Connection, size: int) -> int:
        """Queue a random sample of the URLs that the strategy rejected.

        Each URL carries a draw of its own; those with the lowest are a uniform sample without
        replacement of all rejected, whatever the order in which they were found.
        """
        u = sql_schema.urls.c
        drawn = u.sampled & (u.base < FOLLOWED_BASE)
        n_drawn = connection.execute(
            select(func.count()).select_from(sql_schema.urls).where(drawn)
        ).scalar_one()
        size = max(size - n_drawn, 0)  # a crawl that goes on after its sample draws no second one
        rejected = select(u.id, u.host_id).where(u.state == int(State.REJECTED), u.kind == int(Kind.PAGE))
        rows = connection.execute(rejected.order_by(u.chance).limit(size)).all()
        hosts = {row.host_id for row in rows}
        self.lock_hosts(connection, hosts)
        states.sample(connection, [row.id for row in rows], SAMPLE_BASE)
        self.rank(connection, hosts)
        return len(rows)

"""Enqueue: the seen-set, the insertion of URLs, and the inbox of new links."""

from __future__ import annotations

import json
import time
import zlib
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    text,
    update,
)

from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.batches import among, chunks, dialect_insert, insert_rows, update_rows
from linksight.crawl.frontier.records import TOO_DEEP, Found, Known
from linksight.crawl.frontier.sql_schema import Kind, State
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.urls.url_normalize import chance_of, digest_of, host_key
from linksight.urls.parser import site_of

SAMPLE_BASE = 1e6  #: above every score: sampled URLs come first
#: Above the floor of the sampling phase: requisites of archived pages are fetched to the end.
REQUISITE_BASE = 6e5
PUT_OFF_BASE = -1e6  #: added to the base of a likely near-duplicate, which is then fetched last
FOLLOWED_BASE = 2e6  #: of the target of a sampled URL that redirects
MAX_REASON_LETTERS = 40  #: width of the column
UNLIMITED = 1 << 60
MAX_PRIORITY = 1e299
COMMITS_PER_MERGE = 8  #: in one transaction
MERGE_LOCK = 7_102_007  #: PostgreSQL advisory lock: one worker merges at a time
MAX_SITEMAPS = 1_000  #: of one host; nested sitemap indexes could list any number


class SeenSet:
    """All seen URLs and their hosts, in the database."""

    def __init__(
        self,
        engine: Engine,
        config: CrawlConfig,
        worker: str = "local",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.engine = engine
        self.config = config
        self.worker = worker
        self.clock = clock
        self.postgres = engine.dialect.name == "postgresql"
        self.sampling = False  #: only the sample of rejected URLs is served
        self._host_ids: OrderedDict[str, int] = OrderedDict()

    @property
    def _floor(self) -> float:
        return SAMPLE_BASE / 2 if self.sampling else -1e300

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction; on SQLite one that holds the writer's lock from the start."""
        try:
            with _Transaction(self.engine) as connection:
                yield connection
        except BaseException:
            self._host_ids.clear()  # the ids of rolled-back hosts will be reused
            raise

    def begin_beside(self) -> _Transaction:
        """A transaction of another thread, such as the heartbeat; it does not clear the host cache."""
        return _Transaction(self.engine)

    def known(self, digests: Iterable[bytes]) -> dict[bytes, Known]:
        """The URLs among these that were seen before, in any state."""
        wanted, found = list(digests), {}
        u = sql_schema.urls.c
        columns = (u.digest, u.id, u.state, u.base, u.heard, u.reason, u.depth)
        with self.engine.connect() as connection:
            for some in chunks(wanted):
                for row in connection.execute(select(*columns).where(u.digest.in_(some))):
                    known = Known(row.id, State(row.state), row.base, row.heard, row.reason, row.depth)
                    found[bytes(row.digest)] = known
        return found

    def add_within(self, connection: Connection, links: Sequence[Found]) -> None:
        """Queue links as part of a larger transaction."""
        if not links:
            return
        ids = self._hosts(connection, {host_key(link.url) for link in links}, links)
        self.lock_hosts(connection, ids.values())
        listing = {ids[host_key(link.url)] for link in links if link.kind == Kind.SITEMAP}
        rooms = self._rooms(connection, set(ids.values()), listing)
        now = self.clock()
        rows: dict[bytes, dict[str, Any]] = {}
        known = []
        for link in links:
            row = self._row(link, ids[host_key(link.url)], now)
            place = (row["host_id"], row["kind"])
            if link.again:
                known.append(row)
            elif row["digest"] in rows:
                rows[row["digest"]] = _better(rows[row["digest"]], row)
            elif rooms[place] > 0:
                rooms[place] -= 1
                rows[row["digest"]] = row
        fresh = list(rows.values())
        self._insert(connection, fresh)
        self._raise_known(connection, known)
        if self.config.max_depth:  # another page may have inserted the same URL at a larger depth meanwhile
            self._raise_known(connection, fresh)
            self._lower_depths(connection, known + fresh)
        self.rank(connection, set(ids.values()))

    def _rooms(self, connection: Connection, ids: set[int], listing: set[int]) -> dict[tuple[int, int], int]:
        """Remaining URLs of each host below the limits, by host and kind of URL; ``listing``: hosts with new sitemaps."""
        h, u = sql_schema.hosts.c, sql_schema.urls.c
        host_limit, site_limit = self.config.max_urls_per_host, self.config.max_urls_per_site
        rooms: dict[tuple[int, int], int] = {}
        for some in chunks(ids):
            of_host = {
                row.id: row
                for row in connection.execute(
                    select(h.id, h.site, h.found).where(among(connection, h.id, some))
                )
            }
            names = {row.site for row in of_host.values()} if site_limit else set()
            sums = (
                select(h.site, func.sum(h.found))
                .where(among(connection, h.site, sorted(names)))
                .group_by(h.site)
            )
            of_site = {site: int(n) for site, n in connection.execute(sums)} if names else {}
            of_sitemaps = set(some) & listing
            listed = select(u.host_id, func.count()).where(
                u.host_id.in_(of_sitemaps), u.kind == int(Kind.SITEMAP)
            )
            counts = connection.execute(listed.group_by(u.host_id)) if of_sitemaps else ()
            sitemaps = {id_: n for id_, n in counts}
            for id_, row in of_host.items():
                room = (host_limit - row.found) if host_limit else UNLIMITED
                if site_limit:
                    room = min(room, site_limit - of_site[row.site])
                rooms |= {(id_, int(kind)): room for kind in Kind}
                rooms[id_, int(Kind.SITEMAP)] = min(room, MAX_SITEMAPS - sitemaps.get(id_, 0))
        return rooms

    def _insert(self, connection: Connection, rows: list[dict[str, Any]]) -> None:
        """Insert new URLs in batches, and count them for their hosts."""
        if not rows:
            return
        counts = Counter(insert_rows(connection, sql_schema.urls, rows, "host_id"))
        update_rows(
            connection,
            "UPDATE hosts SET found = hosts.found + v.n FROM {rows} WHERE hosts.id = v.id",
            {"id": "bigint", "n": "int"},
            [{"id": id_, "n": n} for id_, n in sorted(counts.items())],
        )

    def _row(self, link: Found, host_id: int, now: float) -> dict[str, Any]:
        """A link as a row of the table of URLs."""
        digest = digest_of(link.url)
        state = State.REFUSED if link.refused else State.QUEUED if link.decision.fetch else State.REJECTED
        return {
            "digest": digest,
            "url": link.url,
            "host_id": host_id,
            "kind": int(link.kind),
            "state": int(state),
            "base": FOLLOWED_BASE if link.sampled else _finite(link.decision.priority - link.memory),
            "chance": chance_of(digest, self.config.seed),
            "depth": link.depth,
            "attempts": 0,
            "owner": None,
            "sampled": link.sampled,
            "referrer": link.referrer,
            "heard": link.heard,
            "reason": link.decision.reason[:MAX_REASON_LETTERS],  # custom strategies may have longer reasons
            "evidence": json.dumps(link.decision.evidence) if link.decision.evidence else "",
            "found_at": now,
            "problem": None,
            "seed": link.seed,
        }

    def _raise_known(self, connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
        """Update known URLs that have better evidence or a smaller depth now: raise their priority, or queue them again."""
        u = sql_schema.urls.c
        linked = [
            {"b_digest": r["digest"], "b_kind": r["kind"], "b_heard": r["heard"]} for r in rows if r["heard"]
        ]
        if linked:
            connection.execute(
                update(sql_schema.urls)
                .where(u.digest == bindparam("b_digest"), u.kind == bindparam("b_kind"))
                .values(heard=bindparam("b_heard")),
                linked,
            )
        better = [
            {"b_digest": r["digest"], "b_base": r["base"], "b_state": r["state"], "b_reason": r["reason"],
             "b_evidence": r["evidence"], "b_depth": r["depth"], "b_referrer": r["referrer"], "b_kind": r["kind"]}
            for r in rows if r["state"] == State.QUEUED
        ]  # fmt: skip
        if not better:
            return
        waits = (u.state == int(State.QUEUED)) | (u.state == int(State.REJECTED))
        too_deep = (u.state == int(State.REFUSED)) & (u.reason == TOO_DEEP)
        connection.execute(
            update(sql_schema.urls)
            # Links between kinds do not count: many deleted sitemaps redirect to the home page.
            .where(u.digest == bindparam("b_digest"), u.kind == bindparam("b_kind"))
            .where(waits & (u.base < bindparam("b_base") - 0.25) | too_deep)
            .values(
                base=bindparam("b_base"),
                state=bindparam("b_state"),
                reason=bindparam("b_reason"),
                evidence=bindparam("b_evidence"),
                # Better evidence may come with a larger depth.
                depth=case((u.depth < bindparam("b_depth"), u.depth), else_=bindparam("b_depth")),
                referrer=bindparam("b_referrer"),
            ),
            better,
        )

    def _lower_depths(self, connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
        """Set the depth of known URLs to the smallest one found."""
        u = sql_schema.urls.c
        connection.execute(
            update(sql_schema.urls)
            .where(u.digest == bindparam("b_digest"), u.depth > bindparam("b_depth"))
            .where(u.state != int(State.REFUSED))
            .values(depth=bindparam("b_depth")),
            [{"b_digest": row["digest"], "b_depth": row["depth"]} for row in rows],
        )

    def _hosts(self, connection: Connection, names: set[str], links: Sequence[Found]) -> dict[str, int]:
        """The ids of hosts, inserting new ones; cached."""
        ids = {name: self._host_ids[name] for name in names if name in self._host_ids}
        missing = sorted(names - ids.keys())
        if missing:
            sites = {host_key(link.url): site_of(link.url) for link in links}
            fresh = {
                "address": None,
                "best": None,
                "bonus": 0.0,
                "rank": None,
                "next_at": 0.0,
                "failures": 0,
                "taken": 0,
            }
            rows = [fresh | {"name": n, "site": sites[n][:300], "delay": self.config.delay} for n in missing]
            insert_rows(connection, sql_schema.hosts, rows, "id")
            for some in chunks(missing):
                query = select(sql_schema.hosts.c.name, sql_schema.hosts.c.id).where(
                    sql_schema.hosts.c.name.in_(some)
                )
                ids |= {name: id_ for name, id_ in connection.execute(query)}
        self._host_ids.update(ids)
        while len(self._host_ids) > 50_000:
            self._host_ids.popitem(last=False)
        return ids

    def insert_new(self, table: Any) -> Any:
        """An INSERT that skips existing rows."""
        return dialect_insert(self.engine, table).on_conflict_do_nothing()

    def lock_hosts(self, connection: Connection, ids: Iterable[int]) -> None:
        """Lock the hosts' rows in a fixed order, which avoids deadlocks between workers."""
        if self.postgres:
            for some in chunks(sorted(set(ids))):
                query = select(sql_schema.hosts.c.id).where(among(connection, sql_schema.hosts.c.id, some))
                connection.execute(query.order_by(sql_schema.hosts.c.id).with_for_update())

    def rank(self, connection: Connection, ids: Iterable[int]) -> None:
        """Update the hosts' ranks in the queue."""
        h, u = sql_schema.hosts.c, sql_schema.urls.c
        best = (
            select(u.base)
            .where(u.host_id == h.id, u.state == int(State.QUEUED))
            .order_by(u.base.desc())
            .limit(1)
            .scalar_subquery()
        )
        is_served: ColumnElement[bool] = h.closed.is_(None)
        if limit := self.config.max_pages_per_host:
            is_served &= (h.taken < limit) | (best > SAMPLE_BASE / 2)
        values = {"best": best, "rank": case((is_served, best + h.bonus), else_=None)}
        for some in chunks(sorted(set(ids))):
            connection.execute(update(sql_schema.hosts).where(among(connection, h.id, some)).values(**values))


class LinkInbox(SeenSet):
    """Links of committed pages on their way into the queue.

    A commit only inserts here, so that it locks no row of another worker. Workers merge the inbox into
    ``urls`` when they claim; one at a time, each batch in a transaction.
    """

    def add(self, links: Sequence[Found]) -> None:
        """Queue links outside of a commit, such as seeds and sitemaps."""
        if links:
            with self.begin() as connection:
                self.post(connection, links)
            while self.merge(wait=True):
                pass

    def post(self, connection: Connection, links: Sequence[Found]) -> None:
        """Insert links into the inbox."""
        if links:
            packed = zlib.compress(json.dumps([link.as_row() for link in links]).encode(), 1)
            connection.execute(insert(sql_schema.inbox), {"worker": self.worker, "links": packed})

    def merge(self, *, wait: bool = False) -> int:
        """Merge the oldest part of the inbox into the queue; returns how many commits were in it.

        If another worker is merging, this returns 0, unless ``wait`` is set.
        """
        i = sql_schema.inbox.c
        with self.begin() as connection:
            if self.postgres:
                name = "pg_advisory_xact_lock" if wait else "pg_try_advisory_xact_lock"
                if connection.execute(text(f"SELECT {name}({MERGE_LOCK})")).scalar() is False:
                    return 0
            rows = connection.execute(select(i.id, i.links).order_by(i.id).limit(COMMITS_PER_MERGE)).all()
            packed = (json.loads(zlib.decompress(row.links)) for row in rows)
            self.add_within(connection, [Found.from_row(one) for links in packed for one in links])
            if rows:
                connection.execute(delete(sql_schema.inbox).where(i.id.in_([row.id for row in rows])))
        return len(rows)


def _finite(priority: float) -> float:
    """Clamp a priority to finite values, which every database can store and compare.

    >>> _finite(2.5), _finite(float("-inf")), _finite(float("nan"))
    (2.5, -1e+299, -1e+299)
    """
    return min(priority, MAX_PRIORITY) if priority > -MAX_PRIORITY else -MAX_PRIORITY


def _better(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Merge two rows of the same new URL: the better state and score, the smaller depth."""
    order = (State.REFUSED, State.REJECTED, State.QUEUED)
    best = max(one, other, key=lambda row: (order.index(State(row["state"])), row["base"]))
    if one["kind"] != other["kind"]:
        return one
    return best | {"depth": min(one["depth"], other["depth"])}


class _Transaction:
    """``engine.begin()`` that takes SQLite's write lock immediately.

    A deferred SQLite transaction that reads first and writes later fails when another process
    wrote in between; one that begins as a writer waits instead.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __enter__(self) -> Connection:
        self._connection = self._engine.connect()
        if self._engine.dialect.name == "sqlite":
            self._connection.exec_driver_sql("BEGIN IMMEDIATE")
        return self._connection

    def __exit__(self, kind: Any, *_: Any) -> None:
        try:
            if kind is None:
                self._connection.commit()
            else:
                self._connection.rollback()
        finally:
            self._connection.close()

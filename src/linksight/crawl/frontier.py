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
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, bindparam, case, delete, func, insert, select, text, update
from sqlalchemy.dialects import postgresql, sqlite

from linksight.crawl import tables
from linksight.crawl.addresses import chance_of, digest_of, host_key
from linksight.crawl.config import CrawlConfig
from linksight.crawl.tables import Kind, State
from linksight.errors import CrawlError, StoreError
from linksight.records import Decision
from linksight.urls import site_of

HORIZON = 1.0  #: seconds ahead for which turns of a host are booked
SAMPLE_BASE = 1e6  #: above every score: a sampled URL waits behind nothing
CHUNK = 500  #: values in one IN (...)


@dataclass(frozen=True, slots=True)
class Job:
    """A URL that a worker has claimed."""

    id: int
    url: str
    host: str
    host_id: int
    kind: Kind
    depth: int
    attempts: int
    base: float
    bonus: float
    sampled: bool
    reason: str
    evidence: dict[str, float]
    not_before: float


@dataclass(frozen=True, slots=True)
class Found:
    """A link with what was decided about it."""

    url: str
    depth: int
    decision: Decision
    memory: float = 0.0  #: the host's bonus that the decision counted in
    referrer: int | None = None
    kind: Kind = Kind.PAGE
    refused: bool = False  #: it must not be fetched, whatever its language
    again: bool = False  #: it is known already; the evidence is new


@dataclass(slots=True)
class Outcome:
    """What became of a claimed URL."""

    job: Job
    state: State
    reason: str
    problem: str | None = None
    address: str = ""
    page: dict[str, Any] | None = None  #: the row of ``pages``, without its place in a WARC file
    record: tuple[bytes, bytes] | None = None  #: the WARC records to append
    wait: float = 0.0  #: seconds that the host is left alone
    found: list[Found] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Known:
    """A URL that the frontier has seen before."""

    id: int
    state: State
    base: float


class Frontier:
    """One worker's hands on the shared queue."""

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
        self._turns: dict[str, float] = {}

    @property
    def _floor(self) -> float:
        return SAMPLE_BASE / 2 if self.sampling else -1e300

    @property
    def _host_cap(self) -> int:
        return 0 if self.sampling else self.config.max_pages_per_host

    # -- opening -----------------------------------------------------------------------------------

    def create(self) -> None:
        """Enter the crawl into an empty database, or check that the one there can be used."""
        row = {
            "id": 1,
            "format": tables.FORMAT,
            "config": json.dumps(self.config.as_dict()),
            "phase": "crawling",
        }
        row |= {"started": self.clock(), "seconds": 0.0, "pages": 0, "bytes": 0}
        with self.begin() as connection:
            connection.execute(self._insert_new(tables.crawl), row)
            found = connection.execute(select(tables.crawl.c.format)).scalar_one()
        if found != tables.FORMAT:
            raise StoreError(f"the crawl's tables are of format {found}, this is for {tables.FORMAT}")

    def begin(self) -> Any:
        """A transaction; on SQLite one that holds the writer's lock from the start."""
        return _Transaction(self.engine)

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
            connection.execute(update(tables.crawl).values(config=json.dumps(config.as_dict())))

    def add_seconds(self, seconds: float) -> None:
        """Add to the time that workers have spent."""
        with self.begin() as connection:
            connection.execute(update(tables.crawl).values(seconds=tables.crawl.c.seconds + seconds))

    # -- the seen-set ------------------------------------------------------------------------------

    def known(self, digests: Iterable[bytes]) -> dict[bytes, Known]:
        """Those of the URLs that were seen before, in any state."""
        wanted, found = list(digests), {}
        columns = (tables.urls.c.digest, tables.urls.c.id, tables.urls.c.state, tables.urls.c.base)
        with self.engine.connect() as connection:
            for some in _chunks(wanted):
                query = select(*columns).where(tables.urls.c.digest.in_(some))
                for digest, id_, state, base in connection.execute(query):
                    found[bytes(digest)] = Known(id_, State(state), base)
        return found

    def add(self, links: Sequence[Found]) -> None:
        """Queue links outside of a commit, such as seeds."""
        with self.begin() as connection:
            self._add(connection, links)

    def _add(self, connection: Connection, links: Sequence[Found]) -> None:
        if not links:
            return
        ids = self._hosts(connection, {host_key(link.url) for link in links}, links)
        self._lock_hosts(connection, ids.values())
        now = self.clock()
        rows, again = {}, []
        for link in links:
            row = self._row(link, ids[host_key(link.url)], now)
            if link.again:
                again.append(row)
            elif row["digest"] not in rows:
                rows[row["digest"]] = row
        if rows:
            connection.execute(self._insert_new(tables.urls), list(rows.values()))
        self._raise_known(connection, again)
        self._rank(connection, set(ids.values()))

    def _row(self, link: Found, host_id: int, now: float) -> dict[str, Any]:
        digest = digest_of(link.url)
        state = State.REFUSED if link.refused else State.QUEUED if link.decision.fetch else State.REJECTED
        return {
            "digest": digest,
            "url": link.url,
            "host_id": host_id,
            "kind": int(link.kind),
            "state": int(state),
            "base": float(link.decision.priority - link.memory),
            "chance": chance_of(digest, self.config.seed),
            "depth": link.depth,
            "attempts": 0,
            "owner": None,
            "sampled": False,
            "referrer": link.referrer,
            "reason": link.decision.reason,
            "evidence": json.dumps(link.decision.evidence) if link.decision.evidence else "",
            "found_at": now,
            "problem": None,
        }

    def _raise_known(self, connection: Connection, rows: Iterable[dict[str, Any]]) -> None:
        """A URL that waits or was rejected and now has better evidence moves up, or comes back."""
        better = [
            {"b_digest": r["digest"], "b_base": r["base"], "b_state": r["state"], "b_reason": r["reason"],
             "b_evidence": r["evidence"], "b_depth": r["depth"], "b_referrer": r["referrer"]}
            for r in rows if r["state"] == State.QUEUED
        ]  # fmt: skip
        if not better:
            return
        u = tables.urls.c
        connection.execute(
            update(tables.urls)
            .where(u.digest == bindparam("b_digest"))
            .where((u.state == int(State.QUEUED)) | (u.state == int(State.REJECTED)))
            .where(u.base < bindparam("b_base") - 0.25)
            .values(
                base=bindparam("b_base"),
                state=bindparam("b_state"),
                reason=bindparam("b_reason"),
                evidence=bindparam("b_evidence"),
                depth=bindparam("b_depth"),
                referrer=bindparam("b_referrer"),
            ),
            better,
        )

    def _hosts(self, connection: Connection, names: set[str], links: Sequence[Found]) -> dict[str, int]:
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
            connection.execute(self._insert_new(tables.hosts), rows)
            for some in _chunks(missing):
                query = select(tables.hosts.c.name, tables.hosts.c.id).where(tables.hosts.c.name.in_(some))
                ids |= {name: id_ for name, id_ in connection.execute(query)}
        self._host_ids.update(ids)
        while len(self._host_ids) > 50_000:
            self._host_ids.popitem(last=False)
        return ids

    def _insert_new(self, table: Any) -> Any:
        dialect = postgresql if self.postgres else sqlite
        return dialect.insert(table).on_conflict_do_nothing()

    def _lock_hosts(self, connection: Connection, ids: Iterable[int]) -> None:
        """Take the hosts' locks in one order, so that two workers never wait for each other."""
        if self.postgres:
            for some in _chunks(sorted(set(ids))):
                query = select(tables.hosts.c.id).where(tables.hosts.c.id.in_(some))
                connection.execute(query.order_by(tables.hosts.c.id).with_for_update())

    def _rank(self, connection: Connection, ids: Iterable[int]) -> None:
        """Bring the hosts' places in the queue up to date."""
        h, u = tables.hosts.c, tables.urls.c
        best = (
            select(u.base)
            .where(u.host_id == h.id, u.state == int(State.QUEUED))
            .order_by(u.base.desc())
            .limit(1)
            .scalar_subquery()
        )
        for some in _chunks(sorted(set(ids))):
            connection.execute(update(tables.hosts).where(h.id.in_(some)).values(best=best))
            connection.execute(update(tables.hosts).where(h.id.in_(some)).values(rank=h.best + h.bonus))

    # -- claiming ----------------------------------------------------------------------------------

    def claim(self, wanted: int) -> list[Job]:
        """The best URLs whose hosts may be asked within the horizon, now this worker's."""
        if wanted < 1:
            return []
        now = self.clock()
        with self.begin() as connection:
            served = self._ready_hosts(connection, wanted, now)
            if not served:
                return []
            heads = self._heads(connection, served, wanted)
            jobs = self._book(served, heads, self._turns_of_addresses(connection, served), wanted, now)
            self._take(connection, jobs, served)
        return jobs

    def _ready_hosts(self, connection: Connection, wanted: int, now: float) -> dict[int, Any]:
        h = tables.hosts.c
        query = select(tables.hosts).where(h.rank > self._floor, h.next_at <= now + HORIZON)
        if self._host_cap:
            query = query.where(h.taken < self._host_cap)
        query = query.order_by(h.rank.desc()).limit(wanted)
        if self.postgres:
            query = query.with_for_update(skip_locked=True)
        rows = {row["id"]: dict(row) for row in connection.execute(query).mappings()}
        if self.config.max_pages_per_site and rows and not self.sampling:
            rows = self._within_sites(connection, rows)
        return rows

    def _within_sites(self, connection: Connection, rows: dict[int, Any]) -> dict[int, Any]:
        h, most = tables.hosts.c, self.config.max_pages_per_site
        query = select(h.site, func.sum(h.taken)).where(h.site.in_({r["site"] for r in rows.values()}))
        room = {site: most - int(taken) for site, taken in connection.execute(query.group_by(h.site))}
        full = [id_ for id_, row in rows.items() if room[row["site"]] <= 0]
        if full:
            # Nothing more of a full site is wanted, ever: out of the way of the others.
            connection.execute(update(tables.hosts).where(h.id.in_(full)).values(rank=None))
        # All hosts of a site share one room: the same list stands in each of their rows.
        rooms = {site: [left] for site, left in room.items()}
        return {id_: row | {"room": rooms[row["site"]]} for id_, row in rows.items() if id_ not in full}

    def _heads(self, connection: Connection, served: dict[int, Any], wanted: int) -> list[Any]:
        """The first few queued URLs of each host."""
        each = max(1, -(-2 * wanted // len(served)))
        columns = "id, url, host_id, kind, depth, attempts, base, sampled, reason, evidence"
        values = {"each": each, "floor": self._floor}
        inner = f"SELECT {columns} FROM urls WHERE host_id = %s AND state = 0 AND base > :floor ORDER BY base DESC LIMIT :each"
        if self.postgres:
            query = text(
                f"SELECT u.* FROM unnest(CAST(:ids AS bigint[])) h(id) CROSS JOIN LATERAL ({inner % 'h.id'}) u"
            )
            return list(connection.execute(query, values | {"ids": list(served)}))
        query = text(inner % ":host")
        return [row for id_ in served for row in connection.execute(query, values | {"host": id_})]

    def _turns_of_addresses(self, connection: Connection, served: dict[int, Any]) -> dict[str, float]:
        used = {row["address"] for row in served.values() if row["address"]}
        if not used or not self.config.address_delay:
            return {}
        a = tables.addresses.c
        return {
            x: at for x, at in connection.execute(select(a.address, a.next_at).where(a.address.in_(used)))
        }

    def _book(
        self, served: dict[int, Any], heads: list[Any], turns: dict[str, float], wanted: int, now: float
    ) -> list[Job]:
        """Give each URL its time; those that would have to wait beyond the horizon stay queued."""
        jobs: list[Job] = []
        for row in sorted(heads, key=lambda row: -(row.base + served[row.host_id]["bonus"])):
            host = served[row.host_id]
            at = max(now, host["next_at"], turns.get(host["address"], 0.0))
            capped = self._host_cap and host["taken"] >= self._host_cap
            if len(jobs) >= wanted or at > now + HORIZON or capped or host.get("room", [1])[0] <= 0:
                continue
            host["next_at"] = at + host["delay"]
            host["taken"] += 1
            if "room" in host:
                host["room"][0] -= 1
            if host["address"] and self.config.address_delay:
                turns[host["address"]] = at + self.config.address_delay
            jobs.append(_job(row, host, at))
        self._turns = turns
        return jobs

    def _take(self, connection: Connection, jobs: list[Job], served: dict[int, Any]) -> None:
        for some in _chunks([job.id for job in jobs]):
            connection.execute(
                update(tables.urls)
                .where(tables.urls.c.id.in_(some))
                .values(state=int(State.CLAIMED), owner=self.worker)
            )
        touched = {job.host_id for job in jobs}
        if touched:
            connection.execute(
                update(tables.hosts)
                .where(tables.hosts.c.id == bindparam("b_id"))
                .values(next_at=bindparam("b_next"), taken=bindparam("b_taken")),
                [
                    {"b_id": i, "b_next": served[i]["next_at"], "b_taken": served[i]["taken"]}
                    for i in sorted(touched)
                ],
            )
        self._save_turns(connection, {served[i]["address"] for i in touched})
        self._rank(connection, touched)

    def _save_turns(self, connection: Connection, used: set[str]) -> None:
        rows = [
            {"address": a, "next_at": self._turns[a]} for a in sorted(x for x in used if x in self._turns)
        ]
        if rows:
            dialect = postgresql if self.postgres else sqlite
            new: Any = dialect.insert(tables.addresses)
            later = case(
                (new.excluded.next_at > tables.addresses.c.next_at, new.excluded.next_at),
                else_=tables.addresses.c.next_at,
            )
            connection.execute(
                new.on_conflict_do_update(index_elements=["address"], set_={"next_at": later}), rows
            )

    def next_turn(self) -> float | None:
        """When the next host may be asked, or None if nothing is queued."""
        h = tables.hosts.c
        query = select(func.min(h.next_at)).where(h.rank > self._floor)
        if self._host_cap:
            query = query.where(h.taken < self._host_cap)
        with self.engine.connect() as connection:
            at = connection.execute(query).scalar()
        return None if at is None else float(at)

    def claimed(self) -> int:
        """URLs that any worker has in hand."""
        query = select(func.count()).select_from(tables.urls).where(tables.urls.c.owner.isnot(None))
        with self.engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    # -- committing --------------------------------------------------------------------------------

    def commit(
        self, outcomes: Sequence[Outcome], bonuses: dict[str, float], writer: Any = None
    ) -> list[Outcome]:
        """Make the outcomes lasting; answers those that were still this worker's to decide."""
        try:
            with self.begin() as connection:
                mine = self._still_mine(connection, outcomes)
                self._store_pages(connection, mine, writer)
                self._finish(connection, mine)
                # Links are real whoever fetched their page; others may have left them to this one.
                found = [link for outcome in outcomes for link in outcome.found]
                self._add(connection, found)
                self._learn(connection, mine, bonuses)
                self._count(connection, mine)
        except BaseException:
            if writer is not None:
                writer.rollback(self._committed_length(writer))
            raise
        if writer is not None:
            writer.settle()
        return mine

    def _still_mine(self, connection: Connection, outcomes: Sequence[Outcome]) -> list[Outcome]:
        u, mine = tables.urls.c, set()
        for some in _chunks([outcome.job.id for outcome in outcomes]):
            query = select(u.id).where(u.id.in_(some), u.owner == self.worker, u.state == int(State.CLAIMED))
            mine |= set(connection.execute(query.with_for_update() if self.postgres else query).scalars())
        kept = []
        for outcome in outcomes:
            if outcome.job.id in mine:
                mine.discard(outcome.job.id)  # the same job twice, after a restart of the fetcher: once
                kept.append(outcome)
        return kept

    def _store_pages(self, connection: Connection, mine: list[Outcome], writer: Any) -> None:
        rows = []
        for outcome in mine:
            if outcome.page is None:
                continue
            place = {"warc": None, "offset": None, "length": None}
            if outcome.record is not None and writer is not None:
                place = dict(zip(place, writer.append(*outcome.record), strict=True))
            rows.append(outcome.page | place | {"url_id": outcome.job.id, "worker": self.worker})
        if writer is not None and writer.pending:
            writer.sync()
            dialect = postgresql if self.postgres else sqlite
            new: Any = dialect.insert(tables.warcs)
            connection.execute(
                new.on_conflict_do_update(index_elements=["name"], set_={"length": new.excluded.length}),
                {"name": writer.name, "worker": self.worker, "length": writer.position},
            )
        if rows:
            connection.execute(insert(tables.pages), rows)

    def _finish(self, connection: Connection, mine: list[Outcome]) -> None:
        if mine:
            connection.execute(
                update(tables.urls)
                .where(tables.urls.c.id == bindparam("b_id"))
                .values(
                    state=bindparam("b_state"),
                    owner=None,
                    attempts=bindparam("b_attempts"),
                    reason=bindparam("b_reason"),
                    problem=bindparam("b_problem"),
                ),
                [
                    {"b_id": o.job.id, "b_state": int(o.state), "b_attempts": o.job.attempts + 1,
                     "b_reason": o.reason, "b_problem": o.problem}
                    for o in mine
                ],
            )  # fmt: skip

    def _learn(self, connection: Connection, mine: list[Outcome], bonuses: dict[str, float]) -> None:
        """What the fetches taught of their hosts: address, failures, and the languages' bonus."""
        h = tables.hosts.c
        touched: dict[int, dict[str, Any]] = {}
        for outcome in mine:
            row = touched.setdefault(
                outcome.job.host_id, {"address": "", "wait": 0.0, "untaken": 0, "failed": 0, "bonus": None}
            )
            row["address"] = outcome.address or row["address"]
            row["wait"] = max(row["wait"], outcome.wait)
            row["untaken"] += outcome.page is None
            row["failed"] += bool(outcome.wait)
            row["bonus"] = bonuses.get(outcome.job.host, row["bonus"])
        self._lock_hosts(connection, touched)
        now = self.clock()
        for id_, row in sorted(touched.items()):
            values: dict[str, Any] = {"taken": h.taken - row["untaken"], "failures": 0}
            if row["failed"]:
                values |= {"failures": h.failures + 1, "next_at": now + row["wait"]}
            if row["address"]:
                values["address"] = row["address"]
            if row["bonus"] is not None:
                values["bonus"] = row["bonus"]
            connection.execute(update(tables.hosts).where(h.id == id_).values(**values))
        self._rank(connection, touched)

    def revive(self, host: str, bonus: float, bar: float) -> int:
        """Rejected URLs of a host that has turned out well come back into the queue."""
        h, u = tables.hosts.c, tables.urls.c
        with self.begin() as connection:
            id_ = connection.execute(select(h.id).where(h.name == host)).scalar()
            if id_ is None:
                return 0
            self._lock_hosts(connection, [id_])
            done = connection.execute(
                update(tables.urls)
                .where(u.host_id == id_, u.state == int(State.REJECTED), u.base >= bar - bonus)
                .where(u.reason.in_(("looks-wrong", "site-turned")))
                .values(state=int(State.QUEUED), reason="second-chance")
            )
            self._rank(connection, [id_])
        return int(done.rowcount)

    def _count(self, connection: Connection, mine: list[Outcome]) -> None:
        c = tables.crawl.c
        stored = [o.page for o in mine if o.page is not None and not o.job.sampled and o.reason != "redirect"]
        if stored:
            size = sum(page["size"] for page in stored)
            connection.execute(update(tables.crawl).values(pages=c.pages + len(stored), bytes=c.bytes + size))

    def _committed_length(self, writer: Any) -> int:
        """How much of the writer's file the database knows of, after a commit of unknown fate."""
        query = select(tables.warcs.c.length).where(tables.warcs.c.name == writer.name)
        with self.engine.connect() as connection:
            return int(connection.execute(query).scalar() or 0)

    # -- robots.txt, samples -----------------------------------------------------------------------

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
            connection.execute(self._insert_new(tables.robots), row)
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
            for some in _chunks([job.id for job in jobs]):
                connection.execute(
                    update(tables.urls)
                    .where(u.id.in_(some), u.owner == self.worker, u.state == int(State.CLAIMED))
                    .values(state=int(State.QUEUED), owner=None)
                )
            ids = sorted({job.host_id for job in jobs})
            self._lock_hosts(connection, ids)
            for id_ in ids:
                given = sum(job.host_id == id_ for job in jobs)
                values: dict[str, Any] = {"taken": h.taken - given}
                if wait:
                    values["next_at"] = self.clock() + wait
                connection.execute(update(tables.hosts).where(h.id == id_).values(**values))
            self._rank(connection, ids)

    def draw_sample(self, size: int) -> int:
        """Queue a random sample of the URLs that the strategy rejected.

        Each URL carries a draw of its own; those with the lowest are a uniform sample without
        replacement of all rejected, whatever the order in which they were found.
        """
        u = tables.urls.c
        with self.begin() as connection:
            rejected = select(u.id, u.host_id).where(u.state == int(State.REJECTED), u.kind == int(Kind.PAGE))
            rows = connection.execute(rejected.order_by(u.chance).limit(size)).all()
            for some in _chunks([row.id for row in rows]):
                connection.execute(
                    update(tables.urls)
                    .where(u.id.in_(some))
                    .values(state=int(State.QUEUED), sampled=True, base=SAMPLE_BASE)
                )
            ids = sorted({row.host_id for row in rows})
            self._rank(connection, ids)
        return len(rows)


def _job(row: Any, host: dict[str, Any], at: float) -> Job:
    return Job(
        id=row.id,
        url=row.url,
        host=host["name"],
        host_id=row.host_id,
        kind=Kind(row.kind),
        depth=row.depth,
        attempts=row.attempts,
        base=row.base,
        bonus=host["bonus"],
        sampled=bool(row.sampled),
        reason=row.reason,
        evidence=json.loads(row.evidence) if row.evidence else {},
        not_before=at,
    )


class _Transaction:
    """``engine.begin()`` that on SQLite asks for the writer's lock at once.

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


def _chunks(values: Iterable[Any]) -> Iterable[list[Any]]:
    everything = list(values)
    for start in range(0, len(everything), CHUNK):
        yield everything[start : start + CHUNK]

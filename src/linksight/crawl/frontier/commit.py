"""Committing: what became of claimed URLs, all of it or nothing.

The order matters. Under the lock of its URLs a worker appends their pages to its WARC file and
brings them to the disk; the same transaction then says where they are, ends the URLs' turns and
queues the links. Killed before the commit, the file is longer than the database knows, and is cut
back on resume; killed after it, everything is in place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Connection, bindparam, case, insert, literal, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from linksight.crawl.archive.warc_records import Exchange, Original
from linksight.crawl.archive.warc_writer import WarcWriter
from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.depth_updates import Ways
from linksight.crawl.frontier.enqueue import chunks
from linksight.crawl.frontier.records import Found, Outcome
from linksight.crawl.frontier.sql_schema import State
from linksight.crawl.urls.url_normalize import host_key


class Commits(Ways):
    """Makes outcomes lasting."""

    def commit(
        self, outcomes: Sequence[Outcome], bonuses: dict[str, float], writer: WarcWriter | None = None
    ) -> list[Outcome]:
        """Make the outcomes lasting; answers those that were still this worker's to decide."""
        with self.writing(writer) as connection:
            # Links are real whoever fetched their page; others may have left them to this one.
            found = [link for outcome in outcomes for link in outcome.found]
            self._lock_all(connection, outcomes, found)
            mine = self._still_mine(connection, outcomes)
            self._store_pages(connection, mine, writer)
            self._finish(connection, mine)
            nearer = self.add_within(connection, found)
            self._learn(connection, mine, bonuses)
            self._count(connection, mine)
            self.keep_ways(connection, mine)
            self.note_nearer(connection, outcomes, nearer)
        return mine

    def _lock_all(self, connection: Connection, outcomes: Sequence[Outcome], found: Sequence[Found]) -> None:
        """Take the locks of all hosts at once: by and by, two workers could each have what the other waits for."""
        if self.postgres:
            names = {host_key(link.url) for link in found}
            ids = self._hosts(connection, names, found)
            self.lock_hosts(connection, {*ids.values(), *(outcome.job.host_id for outcome in outcomes)})

    @contextmanager
    def writing(self, writer: WarcWriter | None) -> Iterator[Connection]:
        """A transaction in which a WARC file may grow: both are made lasting, or neither."""
        if writer is not None and writer.in_doubt:
            writer.rollback(self._committed_length(writer))
        try:
            with self.begin() as connection:
                yield connection
                self._place(connection, writer)
        except BaseException:
            if writer is not None:
                writer.in_doubt = True
                # A database that is away is asked before the next record instead.
                with suppress(SQLAlchemyError):
                    writer.rollback(self._committed_length(writer))
            raise
        if writer is not None:
            writer.settle()

    def _place(self, connection: Connection, writer: WarcWriter | None) -> None:
        """How long the file is now, once the disk has all of it."""
        if writer is None or not writer.pending:
            return
        writer.sync()
        dialect = postgresql if self.postgres else sqlite
        new: Any = dialect.insert(sql_schema.warcs)
        connection.execute(
            new.on_conflict_do_update(index_elements=["name"], set_={"length": new.excluded.length}),
            {"name": writer.name, "worker": self.worker, "length": writer.position},
        )

    def _still_mine(self, connection: Connection, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """The outcomes of URLs that this worker still holds: its lease may have run out meanwhile."""
        u, mine = sql_schema.urls.c, set()
        for some in chunks([outcome.job.id for outcome in outcomes]):
            query = select(u.id).where(u.id.in_(some), u.owner == self.worker, u.state == int(State.CLAIMED))
            mine |= set(connection.execute(query.with_for_update() if self.postgres else query).scalars())
        kept = []
        for outcome in outcomes:
            if outcome.job.id in mine:
                mine.discard(outcome.job.id)  # the same job twice, after a restart of the fetcher: once
                kept.append(outcome)
        return kept

    def _store_pages(self, connection: Connection, mine: list[Outcome], writer: WarcWriter | None) -> None:
        """Append pages to the WARC file, those whose bytes are there already as revisits, and say where they are."""
        rows = []
        originals = self._originals(connection, mine) if self.config.revisits else {}
        for outcome in mine:
            if outcome.archived is not None and outcome.exchange is not None and writer is not None:
                self.archive(outcome.exchange, outcome.archived, connection, writer)
            if outcome.page is None:
                continue
            place: dict[str, Any] = {"warc": None, "offset": None, "length": None, "original": None}
            if (kept := outcome.exchange) is not None and writer is not None:
                first = originals.get(kept.payload) if kept.body else None
                name, offset, length = writer.append(*kept.records(first))
                place = {"warc": name, "offset": offset, "length": length}
                place["original"] = None if first is None else first.id
                if first is None and self.config.revisits:
                    originals[kept.payload] = Original(outcome.job.id, kept.url, kept.at)
            rows.append(outcome.page | place | {"url_id": outcome.job.id, "worker": self.worker})
        if rows:
            connection.execute(insert(sql_schema.pages), rows)

    def _originals(self, connection: Connection, mine: list[Outcome]) -> dict[str, Original]:
        """Pages of the crawl whose bytes are on disk already, by digest."""
        p = sql_schema.pages.c
        found: dict[str, Original] = {}
        for some in chunks({o.exchange.payload for o in mine if o.exchange is not None}):
            query = select(p.digest, p.url_id, p.url, p.fetched_at)
            query = query.where(p.digest.in_(some), p.warc.isnot(None), p.original.is_(None))
            for digest, id_, url, at in connection.execute(query.order_by(p.id.desc())):
                found[digest] = Original(id_, url, at)
        return found

    def archive(self, exchange: Exchange, row: dict[str, Any], connection: Connection, writer: Any) -> None:
        """Write an exchange that is no page, such as robots.txt, within :meth:`writing`."""
        place = dict(zip(("warc", "offset", "length"), writer.append(*exchange.records()), strict=True))
        about = {"url": exchange.url, "fetched_at": exchange.at, "digest": exchange.payload}
        connection.execute(insert(sql_schema.archived), row | about | place)

    def _finish(self, connection: Connection, mine: list[Outcome]) -> None:
        """End the turns of URLs: state and reason, and nobody holds them any more."""
        if mine:
            connection.execute(
                update(sql_schema.urls)
                .where(sql_schema.urls.c.id == bindparam("b_id"))
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
        h = sql_schema.hosts.c
        touched: dict[int, dict[str, Any]] = {}
        for outcome in mine:
            row = touched.setdefault(
                outcome.job.host_id,
                {"address": "", "wait": 0.0, "started": 0.0, "untaken": 0, "failed": 0, "bonus": None},
            )
            row["address"] = outcome.address or row["address"]
            row["wait"] = max(row["wait"], outcome.wait)
            row["started"] = max(row["started"], outcome.started)
            row["untaken"] += outcome.page is None
            row["failed"] += bool(outcome.wait)
            row["bonus"] = bonuses.get(outcome.job.host, row["bonus"])
        self.lock_hosts(connection, touched)
        now = self.clock()
        for id_, row in sorted(touched.items()):
            values: dict[str, Any] = {"taken": h.taken - row["untaken"], "failures": 0}
            if row["failed"]:
                values["failures"] = h.failures + 1
            if row["failed"] or row["started"]:
                planned = literal(now + row["wait"]) if row["failed"] else h.next_at
                # A request may have started later than planned: its host's next turn is counted from there.
                soonest = row["started"] + h.delay
                values["next_at"] = case((planned < soonest, soonest), else_=planned)
            if row["address"]:
                values["address"] = row["address"]
            if row["bonus"] is not None:
                values["bonus"] = row["bonus"]
            connection.execute(update(sql_schema.hosts).where(h.id == id_).values(**values))
        self.rank(connection, touched)

    def revive(self, host: str, bonus: float, bar: float) -> int:
        """Rejected URLs of a host that has turned out well come back into the queue."""
        h, u = sql_schema.hosts.c, sql_schema.urls.c
        with self.begin() as connection:
            id_ = connection.execute(select(h.id).where(h.name == host)).scalar()
            if id_ is None:
                return 0
            self.lock_hosts(connection, [id_])
            done = connection.execute(
                update(sql_schema.urls)
                .where(u.host_id == id_, u.state == int(State.REJECTED), u.base >= bar - bonus)
                .where(u.reason.in_(("looks-wrong", "site-turned")))
                .values(state=int(State.QUEUED), reason="second-chance")
            )
            self.rank(connection, [id_])
        return int(done.rowcount)

    def _count(self, connection: Connection, mine: list[Outcome]) -> None:
        c = sql_schema.crawl.c
        stored = [o.page for o in mine if o.page is not None and not o.job.sampled and o.reason != "redirect"]
        if stored:
            size = sum(page["size"] for page in stored)
            connection.execute(
                update(sql_schema.crawl).values(pages=c.pages + len(stored), bytes=c.bytes + size)
            )

    def _committed_length(self, writer: Any) -> int:
        """How much of the writer's file the database knows of, after a commit of unknown fate."""
        query = select(sql_schema.warcs.c.length).where(sql_schema.warcs.c.name == writer.name)
        with self.engine.connect() as connection:
            return int(connection.execute(query).scalar() or 0)

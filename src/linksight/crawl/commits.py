"""Committing: what became of claimed URLs, all of it or nothing.

The order matters. Under the lock of its URLs a worker appends their pages to its WARC file and
brings them to the disk; the same transaction then says where they are, ends the URLs' turns and
queues the links. Killed before the commit, the file is longer than the database knows, and is cut
back on resume; killed after it, everything is in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from linksight.crawl import tables
from linksight.crawl.jobs import Outcome
from linksight.crawl.seen import SeenSet, chunks
from linksight.crawl.tables import State


class Commits(SeenSet):
    """Makes outcomes lasting."""

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
                self.add_within(connection, found)
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
        for some in chunks([outcome.job.id for outcome in outcomes]):
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
        self.lock_hosts(connection, touched)
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
        self.rank(connection, touched)

    def revive(self, host: str, bonus: float, bar: float) -> int:
        """Rejected URLs of a host that has turned out well come back into the queue."""
        h, u = tables.hosts.c, tables.urls.c
        with self.begin() as connection:
            id_ = connection.execute(select(h.id).where(h.name == host)).scalar()
            if id_ is None:
                return 0
            self.lock_hosts(connection, [id_])
            done = connection.execute(
                update(tables.urls)
                .where(u.host_id == id_, u.state == int(State.REJECTED), u.base >= bar - bonus)
                .where(u.reason.in_(("looks-wrong", "site-turned")))
                .values(state=int(State.QUEUED), reason="second-chance")
            )
            self.rank(connection, [id_])
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

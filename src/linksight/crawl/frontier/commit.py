"""Commits: the outcomes of claimed URLs, written in one transaction.

The order matters. A worker compresses the pages, appends them to its WARC file and syncs the file. One
transaction then ends the claims of their URLs, records the pages' offsets, and inserts the links into
the inbox. If the worker is killed before the transaction, resume truncates the file to the committed
length. The transaction changes only rows of this worker and of the hosts that it has claimed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Connection, insert, literal, select, update
from sqlalchemy.exc import SQLAlchemyError

from linksight.crawl.archive.warc_records import Exchange, Original
from linksight.crawl.archive.warc_writer import WarcWriter
from linksight.crawl.frontier import sql_schema, states
from linksight.crawl.frontier.batches import chunks, dialect_insert, insert_rows, update_rows
from linksight.crawl.frontier.enqueue import LinkInbox
from linksight.crawl.frontier.records import Outcome

MAX_FAILURES = 6  #: failed requests to a host in a row, after which it is closed
UNREACHABLE = "host-unreachable"  #: the reason of such a closed host
_HOST_COLUMNS = {"id": "bigint", "address": "text", "wait": "float8", "started": "float8", "untaken": "int",
            "failed": "int", "well": "int", "away": "int", "bonus": "float8"}  # fmt: skip
_UPDATE_HOSTS = """
UPDATE hosts SET taken = hosts.taken - v.untaken,
    failures = CASE WHEN v.well > 0 THEN 0 WHEN v.failed > 0 THEN hosts.failures + 1 ELSE hosts.failures END,
    closed = CASE WHEN v.away > 0 AND v.well = 0 AND hosts.failures + 1 >= :give_up THEN :unreachable ELSE hosts.closed END,
    address = CASE WHEN v.address <> '' THEN v.address ELSE hosts.address END,
    bonus = COALESCE(v.bonus, hosts.bonus),
    next_at = CASE WHEN v.failed > 0 AND :now + v.wait > v.started + hosts.delay THEN :now + v.wait
        WHEN v.started > 0 AND v.started + hosts.delay > hosts.next_at THEN v.started + hosts.delay
        ELSE hosts.next_at END
FROM {rows} WHERE hosts.id = v.id
"""

Place = dict[str, Any]  #: file, offset and length of a record
Rows = tuple[list[dict[str, Any]], list[dict[str, Any]]]  #: of pages, and of other responses


class _LostClaims(Exception):
    """Some URLs are claimed by another worker now: this worker's lease expired."""


class Commits(LinkInbox):
    """Writes outcomes to the database and the WARC file."""

    def commit(
        self, outcomes: Sequence[Outcome], bonuses: dict[str, float], writer: WarcWriter | None = None
    ) -> list[Outcome]:
        """Commit outcomes; returns those of URLs that this worker still holds.

        The links of all outcomes are inserted, also those of URLs that the worker has lost.
        """
        while True:
            mine = self._still_mine(outcomes)
            rows: list[Rows] = []

            def write(mine: list[Outcome] = mine, rows: list[Rows] = rows) -> None:
                rows.append(self._written(mine, self._originals(mine), writer))

            with suppress(_LostClaims), self.writing(writer, write) as connection:
                self._store(connection, mine, *rows[0])
                self._update_hosts(connection, mine, bonuses)
                self._count(connection, mine)
                self.post(connection, [link for outcome in outcomes for link in outcome.found])
                return mine

    @contextmanager
    def writing(
        self, writer: WarcWriter | None, before: Callable[[], None] = lambda: None
    ) -> Iterator[Connection]:
        """A transaction with a WARC file: both are committed or both rolled back.

        ``before`` runs ahead of the transaction, to keep it short.
        """
        if writer is not None and writer.in_doubt:
            writer.rollback(self._committed_length(writer))
        try:
            before()
            with self.begin() as connection:
                yield connection
                self._record_length(connection, writer)
        except BaseException:
            if writer is not None:
                writer.in_doubt = True
                # If the database is unavailable, the next write rolls the file back.
                with suppress(SQLAlchemyError):
                    writer.rollback(self._committed_length(writer))
            raise
        if writer is not None:
            writer.settle()

    def _record_length(self, connection: Connection, writer: WarcWriter | None) -> None:
        """Sync the file and record its length."""
        if writer is None or not writer.pending:
            return
        writer.sync()
        new = dialect_insert(self.engine, sql_schema.warcs)
        connection.execute(
            new.on_conflict_do_update(index_elements=["name"], set_={"length": new.excluded.length}),
            {"name": writer.name, "worker": self.worker, "length": writer.position},
        )

    def _still_mine(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """The outcomes of URLs that this worker still holds, each URL once."""
        with self.engine.connect() as connection:
            held = states.held(connection, self.worker, [outcome.job.id for outcome in outcomes])
        mine = []
        for outcome in outcomes:
            if outcome.job.id in held:
                held.discard(outcome.job.id)  # the same job twice, after a restart of the fetcher
                mine.append(outcome)
        return mine

    def _originals(self, mine: Sequence[Outcome]) -> dict[str, Original]:
        """Archived pages with the same payload, by digest."""
        p = sql_schema.pages.c
        found: dict[str, Original] = {}
        if not self.config.revisits:
            return found
        with self.engine.connect() as connection:
            for some in chunks({o.exchange.payload for o in mine if o.exchange is not None}):
                query = select(p.digest, p.url_id, p.url, p.fetched_at)
                query = query.where(p.digest.in_(some), p.warc.isnot(None), p.original.is_(None))
                for digest, id_, url, at in connection.execute(query.order_by(p.id.desc())):
                    found[digest] = Original(id_, url, at)
        return found

    def _store(
        self, connection: Connection, mine: list[Outcome], pages: list[Place], others: list[Place]
    ) -> None:
        """End the claims of the URLs, and insert the rows of their pages."""
        rows = [_finished(outcome) for outcome in mine]
        if len(states.finish(connection, self.worker, rows)) < len(rows):
            raise _LostClaims
        if pages:
            insert_rows(connection, sql_schema.pages, pages, "id")
        if others:
            insert_rows(connection, sql_schema.archived, others, "id")

    def _written(
        self, mine: list[Outcome], originals: dict[str, Original], writer: WarcWriter | None
    ) -> Rows:
        """Append exchanges to the WARC file; returns the rows of pages and of other responses.

        A payload that is already archived is written as a revisit record.
        """
        pages: list[dict[str, Any]] = []
        others: list[dict[str, Any]] = []
        for outcome in mine:
            exchange, row = outcome.exchange, outcome.page
            place: Place = {"warc": None, "offset": None, "length": None}
            first = None
            if exchange is not None and writer is not None and (row or outcome.archived):
                has_payload = exchange.body or exchange.is_unmodified
                first = originals.get(exchange.payload) if has_payload and row else None
                place = dict(zip(place, writer.append(*exchange.records(first)), strict=True))
                if first is None and row and self.config.revisits and not exchange.is_unmodified:
                    originals[exchange.payload] = Original(outcome.job.id, exchange.url, exchange.at)
                if not row and outcome.archived:
                    others.append(outcome.archived | _about(exchange) | place)
            if row is not None:
                original = {"original": None if first is None else first.id}
                pages.append(row | place | original | {"url_id": outcome.job.id, "worker": self.worker})
        if writer is not None and writer.pending:
            writer.sync()
        return pages, others

    def archive(self, exchange: Exchange, row: dict[str, Any], connection: Connection, writer: Any) -> None:
        """Archive an exchange other than a page, such as robots.txt, within :meth:`writing`."""
        place = dict(zip(("warc", "offset", "length"), writer.append(*exchange.records()), strict=True))
        connection.execute(insert(sql_schema.archived), row | _about(exchange) | place)

    def _update_hosts(self, connection: Connection, mine: list[Outcome], bonuses: dict[str, float]) -> None:
        """Update the hosts: address, failures, next turn, and language bonus."""
        touched: dict[int, dict[str, Any]] = {}
        for outcome in mine:
            job = outcome.job
            row = touched.setdefault(
                job.host_id,
                {
                    "id": job.host_id,
                    "address": "",
                    "wait": 0.0,
                    "started": 0.0,
                    "untaken": 0,
                    "failed": 0,
                    "well": 0,
                    "away": 0,
                    "bonus": None,
                },
            )
            row["address"] = outcome.address or row["address"]
            row["wait"] = max(row["wait"], outcome.wait)
            row["started"] = max(row["started"], outcome.started)
            row["untaken"] += not outcome.is_taken
            row["failed"] += bool(outcome.wait)
            row["away"] += outcome.is_unreachable
            row["well"] += bool(outcome.started) and not outcome.wait
            row["bonus"] = bonuses.get(job.host, row["bonus"])
        self.lock_hosts(connection, touched)
        values = {"now": self.clock(), "give_up": MAX_FAILURES, "unreachable": UNREACHABLE}
        update_rows(
            connection, _UPDATE_HOSTS, _HOST_COLUMNS, [touched[id_] for id_ in sorted(touched)], **values
        )
        self.rank(connection, touched)

    def requeue_host(self, host: str, bonus: float, threshold: float) -> int:
        """Queue rejected URLs of a host that its new bonus lifts above the threshold; returns how many."""
        h, u = sql_schema.hosts.c, sql_schema.urls.c
        doubted = u.reason.in_(("looks-wrong", "site-turned")) & (u.base >= literal(threshold - bonus))
        with self.begin() as connection:
            id_ = connection.execute(select(h.id).where(h.name == host)).scalar()
            if id_ is None:
                return 0
            self.lock_hosts(connection, [id_])
            back = states.requeue_rejected(connection, (u.host_id == id_) & doubted, "second-chance")
            self.rank(connection, [id_])
        return len(back)

    def _count(self, connection: Connection, mine: list[Outcome]) -> None:
        """Add to this worker's counters; the totals of a crawl are sums over workers."""
        others = ("redirect", states.DUE_AGAIN)
        stored = [o.page for o in mine if o.page is not None and not o.job.sampled and o.reason not in others]
        if not stored:
            return
        self.add_counts(connection, len(stored), sum(page["size"] for page in stored))
        counts = Counter(page["language"] for page in stored)
        new = dialect_insert(self.engine, sql_schema.language_counts)
        rows = [{"worker": self.worker, "language": code, "pages": n} for code, n in counts.items()]
        more = sql_schema.language_counts.c.pages + new.excluded.pages
        connection.execute(
            new.values(rows).on_conflict_do_update(
                index_elements=["worker", "language"], set_={"pages": more}
            )
        )

    def add_counts(self, connection: Connection, pages: int, size: int) -> None:
        """Add pages and bytes to this worker's counters; negative numbers for lost pages."""
        w = sql_schema.workers.c
        more = update(sql_schema.workers).where(w.id == self.worker)
        done = connection.execute(more.values(pages=w.pages + pages, bytes=w.bytes + size))
        if not done.rowcount:
            row = {"machine": "", "pid": 0, "started": self.clock(), "beat": 0.0, "alive": False}
            row |= {"id": self.worker, "pages": pages, "bytes": size}
            connection.execute(insert(sql_schema.workers), row)

    def _committed_length(self, writer: Any) -> int:
        """The committed length of the writer's file, after a commit with unknown result."""
        query = select(sql_schema.warcs.c.length).where(sql_schema.warcs.c.name == writer.name)
        with self.engine.connect() as connection:
            return int(connection.execute(query).scalar() or 0)


def _finished(outcome: Outcome) -> dict[str, Any]:
    """The new values of a URL whose claim ends."""
    return {
        "id": outcome.job.id,
        "state": int(outcome.state),
        "attempts": outcome.job.attempts + outcome.counts,
        "reason": outcome.reason,
        "problem": outcome.problem,
        "base": outcome.base,
    }


def _about(exchange: Exchange) -> dict[str, Any]:
    return {"url": exchange.url, "fetched_at": exchange.at, "digest": exchange.payload}

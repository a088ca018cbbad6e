"""Dequeue: claim the best URLs for a worker, and book the next turns of their hosts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, exists, func, select, text, update

from linksight.crawl.frontier import sql_schema, states
from linksight.crawl.frontier.batches import dialect_insert, update_rows
from linksight.crawl.frontier.enqueue import PUT_OFF_BASE, LinkInbox
from linksight.crawl.frontier.records import Job
from linksight.crawl.frontier.sql_schema import Kind, State

HORIZON_SECONDS = 1.0  #: for which turns are booked ahead


class Claims(LinkInbox):
    """Two levels, as in Mercator: hosts by rank, the best URLs of a host first."""

    def claim(self, wanted: int, in_hand: Mapping[int, int] | None = None) -> list[Job]:
        """Claim the best URLs whose hosts have a turn within the horizon.

        ``in_hand``: number of claimed URLs by host. A host gets only enough URLs for its connections,
        because its pages affect the scores of its other URLs.
        """
        if wanted < 1:
            return []
        self.merge()
        now = self.clock()
        with self.begin() as connection:
            floor = max(self._floor, PUT_OFF_BASE / 2)
            served = self._ready_hosts(connection, wanted, now, floor)
            if not served and not in_hand and not self._has_better(connection, floor):
                floor = self._floor
                served = self._ready_hosts(connection, wanted, now, floor)
            if not served:
                return []
            heads = self._heads(connection, served, wanted, floor)
            turns = self._turns_of_addresses(connection, served)
            jobs = self._with_previous(
                connection, self._book(served, heads, turns, wanted, now, in_hand or {})
            )
            self._record_claims(connection, jobs, served, turns)
        return jobs

    def _has_better(self, connection: Connection, floor: float) -> bool:
        """Whether any host has a queued URL that was not deferred."""
        return bool(connection.execute(select(exists().where(sql_schema.hosts.c.rank > floor))).scalar())

    def _ready_hosts(self, connection: Connection, wanted: int, now: float, floor: float) -> dict[int, Any]:
        h = sql_schema.hosts.c
        query = select(sql_schema.hosts).where(
            h.rank > floor, h.next_at <= now + HORIZON_SECONDS, self._is_ours
        )
        query = query.order_by(h.rank.desc()).limit(wanted)
        if self.postgres:
            query = query.with_for_update(skip_locked=True)
        rows = {row["id"]: dict(row) for row in connection.execute(query).mappings()}
        if self.config.max_pages_per_site and rows and not self.sampling:
            rows = self._within_sites(connection, rows)
        return rows

    @property
    def _is_ours(self) -> ColumnElement[bool]:
        """Hosts with a delay that no other worker has claims on: only one worker knows the actual request times."""
        h, u = sql_schema.hosts.c, sql_schema.urls.c
        theirs = exists().where(
            u.host_id == h.id, u.state == int(State.CLAIMED), u.owner.isnot(None), u.owner != self.worker
        )
        return (h.delay <= 0) | ~theirs

    def _within_sites(self, connection: Connection, rows: dict[int, Any]) -> dict[int, Any]:
        h, limit = sql_schema.hosts.c, self.config.max_pages_per_site
        query = select(h.site, func.sum(h.taken)).where(h.site.in_({r["site"] for r in rows.values()}))
        room = {site: limit - int(count) for site, count in connection.execute(query.group_by(h.site))}
        full = [id_ for id_, row in rows.items() if room[row["site"]] <= 0]
        if full:
            # A full site gets no more requests: remove its hosts from the ranking.
            connection.execute(update(sql_schema.hosts).where(h.id.in_(full)).values(rank=None))
        # All hosts of a site share one limit: their rows refer to the same list.
        rooms = {site: [left] for site, left in room.items()}
        return {id_: row | {"room": rooms[row["site"]]} for id_, row in rows.items() if id_ not in full}

    def _heads(self, connection: Connection, served: dict[int, Any], wanted: int, floor: float) -> list[Any]:
        """The first few queued URLs of each host."""
        urls_per_host = min(max(1, -(-2 * wanted // len(served))), 2 * self.config.connections_per_host)
        columns = (
            "id, url, host_id, kind, depth, attempts, base, sampled, reason, evidence, heard, crashes, seed, "
            "(SELECT via.url FROM urls via WHERE via.id = urls.referrer) AS via"
        )
        values = {"each": urls_per_host, "floor": floor}
        inner = f"SELECT {columns} FROM urls WHERE host_id = %s AND state = 0 AND base > :floor ORDER BY base DESC LIMIT :each"
        if self.postgres:
            query = text(
                f"SELECT u.* FROM unnest(CAST(:ids AS bigint[])) h(id) CROSS JOIN LATERAL ({inner % 'h.id'}) u"
            )
            return list(connection.execute(query, values | {"ids": list(served)}))
        query = text(inner % ":host")
        return [row for id_ in served for row in connection.execute(query, values | {"host": id_})]

    def _with_previous(self, connection: Connection, jobs: list[Job]) -> list[Job]:
        """The jobs; recaptures get the row of their latest page."""
        due = [job.id for job in jobs if job.reason == states.DUE_AGAIN]
        if not due:
            return jobs
        p = sql_schema.pages.c
        query = select(sql_schema.pages).where(p.url_id.in_(due), p.reason != "redirect").order_by(p.id)
        latest = {row["url_id"]: dict(row) for row in connection.execute(query).mappings()}
        return [replace(job, previous=latest.get(job.id)) for job in jobs]

    def _turns_of_addresses(self, connection: Connection, served: dict[int, Any]) -> dict[str, float]:
        used = {row["address"] for row in served.values() if row["address"]}
        if not used or not self.config.address_delay:
            return {}
        a = sql_schema.addresses.c
        return {
            x: at for x, at in connection.execute(select(a.address, a.next_at).where(a.address.in_(used)))
        }

    def _book(
        self,
        served: dict[int, Any],
        heads: list[Any],
        turns: dict[str, float],
        wanted: int,
        now: float,
        in_hand: Mapping[int, int],
    ) -> list[Job]:
        """Book a turn for each URL, and update those of hosts and addresses (``turns``); later URLs stay queued."""
        jobs: list[Job] = []
        busy, max_busy = Counter(in_hand), 2 * self.config.connections_per_host
        for row in sorted(heads, key=lambda row: -(row.base + served[row.host_id]["bonus"])):
            host = served[row.host_id]
            at = max(now, host["next_at"], turns.get(host["address"], 0.0))
            limit = 0 if self.sampling else self.config.max_pages_per_host
            is_capped = limit and host["taken"] >= limit
            is_capped = is_capped and row.kind != int(Kind.REQUISITE)
            if (
                len(jobs) >= wanted
                or at > now + HORIZON_SECONDS
                or is_capped
                or host.get("room", [1])[0] <= 0
            ):
                continue
            if busy[row.host_id] >= max_busy:
                continue
            busy[row.host_id] += 1
            host["next_at"] = at + host["delay"]
            host["taken"] += 1
            if "room" in host:
                host["room"][0] -= 1
            if host["address"] and self.config.address_delay:
                turns[host["address"]] = at + self.config.address_delay
            jobs.append(_job(row, host, at))
        return jobs

    def _record_claims(
        self, connection: Connection, jobs: list[Job], served: dict[int, Any], turns: dict[str, float]
    ) -> None:
        """Store the claims, and the next turns of their hosts and addresses."""
        states.claim(connection, [job.id for job in jobs], self.worker)
        touched = {job.host_id for job in jobs}
        update_rows(
            connection,
            "UPDATE hosts SET next_at = v.next_at, taken = v.taken FROM {rows} WHERE hosts.id = v.id",
            {"id": "bigint", "next_at": "float8", "taken": "int"},
            [
                {"id": i, "next_at": served[i]["next_at"], "taken": served[i]["taken"]}
                for i in sorted(touched)
            ],
        )
        used = {served[i]["address"] for i in touched}
        self._save_turns(connection, {address: at for address, at in turns.items() if address in used})
        self.rank(connection, touched)

    def _save_turns(self, connection: Connection, turns: dict[str, float]) -> None:
        rows = [{"address": address, "next_at": at} for address, at in sorted(turns.items())]
        if rows:
            new: Any = dialect_insert(self.engine, sql_schema.addresses).values(rows)
            later = case(
                (new.excluded.next_at > sql_schema.addresses.c.next_at, new.excluded.next_at),
                else_=sql_schema.addresses.c.next_at,
            )
            connection.execute(new.on_conflict_do_update(index_elements=["address"], set_={"next_at": later}))

    def outlook(self) -> tuple[float | None, int]:
        """The next turn of any host (None if nothing is queued), and the number of claimed URLs and inbox rows.

        One statement, so one snapshot: with two, a worker that commits in between would hide both
        its claims and its new links, and the crawl would end.
        """
        h = sql_schema.hosts.c
        turn = select(func.min(h.next_at)).where(h.rank > self._floor, self._is_ours)
        waiting = select(func.count()).select_from(sql_schema.inbox).scalar_subquery()
        claimed: ColumnElement[int] = states.owned_by_any() + waiting
        query = select(turn.scalar_subquery(), claimed)
        with self.engine.connect() as connection:
            at, held = connection.execute(query).one()
        return None if at is None else float(at), int(held)

    def claimed(self) -> int:
        """Number of URLs claimed by any worker."""
        query = select(func.count()).select_from(sql_schema.urls).where(sql_schema.urls.c.owner.isnot(None))
        with self.engine.connect() as connection:
            return int(connection.execute(query).scalar_one())


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
        heard=row.heard,
        failures=host["failures"],
        host_answered=bool(host["address"]),
        crashes=row.crashes,
        seed=row.seed,
        via=row.via or "",
    )

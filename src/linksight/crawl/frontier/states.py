"""State transitions of URLs: each change of ``urls.state`` is a function in this module.

queued -> claimed -> done | failed | refused | rejected | queued (to be retried)
claimed -> queued        released, or its worker is dead
claimed -> failed        quarantined: three processes died while they had it
rejected -> queued       better evidence, a seed, or the sample
refused, failed -> queued   allowed by new settings, or another try on resume
done -> queued           its record is lost, or a recapture is due
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, func, select, update

from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.batches import among, chunks, update_rows
from linksight.crawl.frontier.sql_schema import Kind, State

MAX_CRASHES = 3  #: processes that may die while they have a URL
QUARANTINED = "quarantined"
DUE_AGAIN = "due-again"  #: the reason of a recapture
DUE_BASE = 6e5  #: its priority: above the floor of the sampling phase

_u = sql_schema.urls.c
_CLAIMED, _QUEUED = int(State.CLAIMED), int(State.QUEUED)
_FINISHED = {
    "id": "bigint",
    "state": "int",
    "attempts": "int",
    "reason": "text",
    "problem": "text",
    "base": "float8",
}


def claim(connection: Connection, ids: Collection[int], worker: str) -> None:
    """Assign queued URLs to a worker."""
    for some in chunks(ids):
        connection.execute(
            update(sql_schema.urls).where(among(connection, _u.id, some)).values(state=_CLAIMED, owner=worker)
        )


def finish(connection: Connection, worker: str, rows: Sequence[dict[str, Any]]) -> set[int]:
    """End the claims of URLs; returns the ids that the worker still held."""
    result = update_rows(
        connection,
        "UPDATE urls SET state = v.state, owner = NULL, attempts = v.attempts, reason = v.reason, "
        "problem = v.problem, base = COALESCE(v.base, urls.base) FROM {rows} "
        "WHERE urls.id = v.id AND urls.owner = :worker AND urls.state = 1 RETURNING urls.id",
        _FINISHED,
        rows,
        worker=worker,
    )
    return set(result.scalars()) if result is not None else set()


def held(connection: Connection, worker: str, ids: Iterable[int]) -> set[int]:
    """The ids that the worker still holds."""
    found: set[int] = set()
    for some in chunks(ids):
        query = select(_u.id).where(among(connection, _u.id, some), _u.owner == worker, _u.state == _CLAIMED)
        found |= set(connection.execute(query).scalars())
    return found


def give_back(connection: Connection, worker: str, ids: Collection[int] | None = None) -> dict[int, int]:
    """Queue claimed URLs of a worker again, all or some; returns the number by host."""
    mine = (_u.owner == worker) & (_u.state == _CLAIMED)
    counts: dict[int, int] = {}
    for some in chunks(ids) if ids is not None else [None]:
        where = mine if some is None else mine & _u.id.in_(some)
        back = update(sql_schema.urls).where(where).values(state=_QUEUED, owner=None).returning(_u.host_id)
        for host in connection.execute(back).scalars():
            counts[host] = counts.get(host, 0) + 1
    return counts


def note_crashes(connection: Connection, ids: Collection[int]) -> int:
    """Count a crash for URLs whose process died; quarantine those with too many crashes.

    Returns how many are quarantined.
    """
    if not ids:
        return 0
    connection.execute(update(sql_schema.urls).where(_u.id.in_(list(ids))).values(crashes=_u.crashes + 1))
    bad = _u.id.in_(list(ids)) & (_u.crashes >= MAX_CRASHES) & _u.state.in_((_QUEUED, _CLAIMED))
    values = {"state": int(State.FAILED), "owner": None, "reason": QUARANTINED}
    return int(connection.execute(update(sql_schema.urls).where(bad).values(**values)).rowcount)


def requeue_rejected(connection: Connection, wanted: ColumnElement[bool], reason: str) -> list[int]:
    """Queue rejected pages again; returns the host of each."""
    rejected = wanted & (_u.state == int(State.REJECTED)) & (_u.kind == int(Kind.PAGE))
    return _queue(connection, rejected, {"reason": reason})


def requeue_allowed(connection: Connection, refused: ColumnElement[bool]) -> list[int]:
    """Queue excluded URLs that the settings allow now; returns the host of each."""
    is_sitemap = _u.kind == int(Kind.SITEMAP)
    reason = case((is_sitemap, "sitemap"), (_u.depth == 0, "seed"), else_="allowed-now")
    where = (_u.state == int(State.REFUSED)) & refused
    return _queue(connection, where, {"attempts": 0, "problem": None, "reason": reason})


def retry_failed(connection: Connection) -> list[int]:
    """Queue failed URLs again, except quarantined ones; returns the host of each."""
    failed = (_u.state == int(State.FAILED)) & (_u.reason != QUARANTINED)
    reason = case(
        (_u.sampled, "looks-wrong"),
        (_u.kind == int(Kind.SITEMAP), "sitemap"),
        (_u.depth == 0, "seed"),
        else_="retried",
    )
    return _queue(connection, failed, {"attempts": 0, "problem": None, "reason": reason})


def sample(connection: Connection, ids: Collection[int], base: float) -> None:
    """Queue rejected URLs as the sample."""
    for some in chunks(ids):
        connection.execute(
            update(sql_schema.urls)
            .where(_u.id.in_(some), _u.state == int(State.REJECTED))
            .values(state=_QUEUED, sampled=True, base=base)
        )


def fetch_again(connection: Connection, ids: Collection[int], reason: str) -> list[int]:
    """Queue fetched URLs: a record is lost, or a recapture is due; returns the host of each."""
    hosts: list[int] = []
    values: dict[str, Any] = {"owner": None, "attempts": 0, "reason": reason}
    if reason == DUE_AGAIN:
        values["base"] = DUE_BASE
    for some in chunks(ids):
        hosts += _queue(connection, _u.id.in_(some) & (_u.state == int(State.DONE)), values)
    return hosts


def _queue(connection: Connection, where: ColumnElement[bool], values: dict[str, Any]) -> list[int]:
    back = update(sql_schema.urls).where(where).values(state=_QUEUED, **values).returning(_u.host_id)
    return list(connection.execute(back).scalars())


def owned_by_any() -> Any:
    """The number of claimed URLs, as a scalar subquery."""
    return select(func.count()).select_from(sql_schema.urls).where(_u.owner.isnot(None)).scalar_subquery()

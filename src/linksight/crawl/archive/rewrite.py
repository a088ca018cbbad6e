"""Rewrite damaged WARC files without their broken records, whose pages are fetched again.

The intact records of a file are copied to a new file. One transaction updates their offsets and queues
the broken pages. The old file then moves to ``damaged/``. If the process is killed at any point, either
the old file or the new one is valid, and ``crawl resume`` removes the other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, delete, select, update

from linksight.crawl.archive.reconcile import PAGE_COLUMNS, requeue
from linksight.crawl.archive.verify import Findings, Place, committed, places_of
from linksight.crawl.archive.warc_writer import WarcWriter, path_of, warc_info
from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.batches import chunks
from linksight.crawl.frontier.clock import SteadyClock
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.heartbeat import Lease, live_workers, new_worker_id
from linksight.crawl.report.crawl_queries import Ledger
from linksight.errors import CrawlError
from linksight.system.plural import counted

DAMAGED = "damaged"


@dataclass
class Mended:
    """Result of a rewrite."""

    pages: int = 0  #: number of pages queued again
    files: list[str] = field(default_factory=list)  #: moved to ``damaged/``


def mend(ledger: Ledger, folder: Path, found: Findings) -> Mended:
    """Rewrite the files with broken records; no worker may run meanwhile."""
    done = Mended()
    if running := live_workers(folder):
        raise CrawlError(
            f"{folder}: {counted(len(running), 'worker runs', 'workers run')} here; first: linksight crawl stop {folder}"
        )
    offsets: defaultdict[str, list[int]] = defaultdict(list)
    for broken in found.broken:
        offsets[broken.file].append(broken.offset or 0)
    places = places_of(ledger.engine)
    for name, offset in _revisits(
        ledger.engine, [_broken_pages(places[name], at) for name, at in offsets.items()]
    ):
        if path_of(folder, name).is_file():
            offsets[name].append(offset)
    frontier = Frontier(ledger.engine, ledger.config, new_worker_id(), SteadyClock.of(ledger.engine))
    with Lease(folder, frontier):
        for name in sorted(offsets):
            done.pages += _rewrite(frontier, folder, name, places[name], offsets[name])
            (folder / DAMAGED).mkdir(exist_ok=True)
            path_of(folder, name).replace(folder / DAMAGED / name)
            done.files.append(name)
    return done


def _broken_pages(places: list[Place], broken: list[int]) -> set[int]:
    """The ids of pages with a broken record at these offsets of their file."""
    starts = [place.offset for place in places]
    inside = (bisect_right(starts, at) - 1 for at in broken)
    return {places[index].id for index in inside if index >= 0 and places[index].is_page}


def _revisits(engine: Engine, broken_ids: list[set[int]]) -> Iterator[tuple[str, int]]:
    """File and offset of each revisit record that refers to a broken page, and is broken with it."""
    p, first = sql_schema.pages.c, sql_schema.pages.alias("first")
    ids = [id_ for some in broken_ids for id_ in some]
    with engine.connect() as connection:
        for some in chunks(ids):
            query = select(p.warc, p.offset).join(first, first.c.url_id == p.original)
            rows = connection.execute(query.where(first.c.id.in_(some), p.warc.isnot(None)))
            yield from ((row.warc, row.offset) for row in rows)


def _rewrite(frontier: Frontier, folder: Path, name: str, places: list[Place], broken: list[int]) -> int:
    """Copy intact records into a new file; returns the number of pages queued again."""
    path = path_of(folder, name)
    end_of_file = min(path.stat().st_size, committed(frontier.engine)[name])
    ends = [*(place.offset for place in places[1:]), end_of_file][: len(places)]
    writer = WarcWriter(folder, frontier.worker, warc_info(frontier.config), max_bytes=1 << 62)
    lost: list[Place] = []
    with path.open("rb") as file, frontier.writing(writer) as connection:
        for place, end in zip(places, ends, strict=True):
            # Response, request and metadata are one unit: if one of them is broken, all are dropped.
            if end <= place.offset or any(place.offset <= at < end for at in broken):
                lost.append(place)
                continue
            file.seek(place.offset)
            new, offset, _ = writer.append(file.read(end - place.offset))
            _move(connection, place, new, offset)
        again = _requeue_lost(frontier, connection, lost)
        connection.execute(delete(sql_schema.warcs).where(sql_schema.warcs.c.name == name))
    writer.close()
    return again


def _move(connection: Connection, place: Place, name: str, offset: int) -> None:
    table = sql_schema.pages if place.is_page else sql_schema.archived
    connection.execute(update(table).where(table.c.id == place.id).values(warc=name, offset=offset))


def _requeue_lost(frontier: Frontier, connection: Connection, lost: list[Place]) -> int:
    """Queue lost pages and their revisits again; a lost robots.txt is fetched when it is needed."""
    a, p = sql_schema.archived.c, sql_schema.pages.c
    rows: list[Any] = []
    for some in chunks(lost):
        others = [place.id for place in some if not place.is_page]
        connection.execute(delete(sql_schema.archived).where(a.id.in_(others)))
        pages = [place.id for place in some if place.is_page]
        rows += connection.execute(select(*PAGE_COLUMNS).where(p.id.in_(pages)))
    return requeue(frontier, connection, rows)

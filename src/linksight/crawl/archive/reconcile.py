"""Repairs when a crawl goes on: WARC files and the database are made to agree again.

A file that is longer than the database knows was being written when its worker died: the surplus
was never committed, and is cut off. One that no worker of the crawl has written is not the crawl's, and stays. One that is shorter has lost pages, by a disk or a copy that
failed: it is cut back to the last whole page, and the pages behind that are fetched again. One that is
not here at all may have been moved on purpose: it is named, and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, select, update

from linksight.crawl.archive.verify import committed, files_of_others
from linksight.crawl.archive.warc_writer import OPEN, cut_to, path_of, warc_paths, worker_of
from linksight.crawl.frontier import sql_schema, states
from linksight.crawl.frontier.batches import chunks
from linksight.crawl.frontier.frontier import Frontier
from linksight.system.plural import counted

#: What must be known of a page to fetch it again.
LOST = tuple(sql_schema.pages.c[name] for name in ("id", "url_id", "size", "sampled", "reason"))


@dataclass
class Repairs:
    """What was found and done."""

    cut: int = 0  #: files that were cut back to what the database knows
    damaged: Counter[str] = field(default_factory=Counter)  #: files that were too short, with the pages lost
    absent: list[str] = field(default_factory=list)  #: files that are not here
    foreign: list[str] = field(default_factory=list)  #: files here that the crawl has not written

    def notes(self) -> list[str]:
        """What a person should know, a sentence for each."""
        told = [
            f"{name}: damaged; {counted(n, 'page that it held is', 'pages that it held are')} fetched again"
            for name, n in self.damaged.items()
        ]
        told += [f"{name}: not in the crawl's folder" for name in self.absent]
        return told + [f"{name}: not a file of this crawl; left as it is" for name in self.foreign[:5]]


def repair(folder: Path, frontier: Frontier, in_use: Callable[[str], bool]) -> Repairs:
    """Bring the files of a folder, but for those of workers that live, and the database together."""
    done = Repairs()
    known = _workers(frontier)
    for path in warc_paths(folder):
        name = path.name.removesuffix(OPEN)
        worker = worker_of(name)
        # First whether the worker lives, then what it committed: a living one may commit more.
        if in_use(worker):
            continue
        if worker not in known:
            # Somebody has put it here; or the database is not the one that it was written with.
            done.foreign.append(name)
            continue
        size, length = path.stat().st_size, _committed(frontier, name)
        if size > length:
            done.cut += 1
            cut_to(path, length)
        elif size < length:
            done.damaged[name] = _take_back(frontier, path, size)
        if path.name != name and path.exists():
            path.rename(path.with_name(name))
    elsewhere = files_of_others(frontier.engine, folder)
    for name in sorted(committed(frontier.engine).keys() - elsewhere):
        if not in_use(worker_of(name)) and not path_of(folder, name).exists():
            done.absent.append(name)
    return done


def _committed(frontier: Frontier, name: str) -> int:
    query = select(sql_schema.warcs.c.length).where(sql_schema.warcs.c.name == name)
    with frontier.engine.connect() as connection:
        return int(connection.execute(query).scalar() or 0)


def _workers(frontier: Frontier) -> set[str]:
    """All workers that the crawl has ever had: each is on record before it writes."""
    with frontier.engine.connect() as connection:
        return set(connection.execute(select(sql_schema.workers.c.id)).scalars())


def _take_back(frontier: Frontier, path: Path, size: int) -> int:
    """Queue the pages again that a file has lost; answers how many."""
    with frontier.begin() as connection:
        name = path.name.removesuffix(OPEN)
        whole = _whole(connection, name, size)
        lost = _pages_behind(connection, name, whole)
        a = sql_schema.archived.c
        connection.execute(delete(sql_schema.archived).where(a.warc == name, a.offset >= whole))
        connection.execute(
            update(sql_schema.warcs).where(sql_schema.warcs.c.name == name).values(length=whole)
        )
        again = requeue(frontier, connection, lost)
    cut_to(path, whole)
    return again


def _whole(connection: Connection, name: str, size: int) -> int:
    """The end of the last page that is whole: where the first one begins that is not."""
    p, a = sql_schema.pages.c, sql_schema.archived.c
    starts = list(connection.execute(select(p.offset).where(p.warc == name)).scalars())
    starts += connection.execute(select(a.offset).where(a.warc == name)).scalars()
    inside = sorted(start for start in starts if start <= size)
    return inside[-1] if inside else 0


def _pages_behind(connection: Connection, name: str, whole: int) -> list[Any]:
    """Pages whose records are gone."""
    p = sql_schema.pages.c
    return list(connection.execute(select(*LOST).where(p.warc == name, p.offset >= whole)))


def requeue(frontier: Frontier, connection: Connection, lost: list[Any]) -> int:
    """Queue lost pages again (rows of :data:`LOST`), and those whose bytes they had; answers how many."""
    if not lost:
        return 0
    p, c = sql_schema.pages.c, sql_schema.crawl.c
    for some in chunks([row.url_id for row in lost]):
        lost = lost + list(connection.execute(select(*LOST).where(p.original.in_(some))))
    lost = list({row.id: row for row in lost}.values())
    hosts: set[int] = set()
    for some in chunks(lost):
        ids = [row.url_id for row in some]
        connection.execute(delete(sql_schema.pages).where(p.id.in_([row.id for row in some])))
        hosts |= set(states.fetch_again(connection, ids, "lost-record"))
    frontier.rank(connection, hosts)
    others = ("redirect", states.DUE_AGAIN)
    counted = [row.size for row in lost if not row.sampled and row.reason not in others]
    frontier.add_counts(connection, -len(counted), -sum(counted))
    # What was done has a hole now.
    connection.execute(update(sql_schema.crawl).where(c.phase == "done").values(phase="crawling"))
    return len(lost)

"""Reconcile WARC files and database when a crawl resumes.

- A file longer than its committed length was open when its worker died: it is truncated to that length.
- A shorter file has lost pages, because a disk or a copy failed: it is truncated to the last complete page,
  and the lost pages are fetched again.
- A missing file may have been moved on purpose: it is reported only.
- A file that no worker of the crawl has written is reported and left as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, select, update

from linksight.crawl.archive.verify import committed, files_of_others
from linksight.crawl.archive.warc_writer import OPEN_SUFFIX, cut_to, path_of, warc_paths, worker_of
from linksight.crawl.frontier import sql_schema, states
from linksight.crawl.frontier.batches import chunks
from linksight.crawl.frontier.frontier import Frontier
from linksight.system.plural import counted

#: The columns needed to fetch a page again.
PAGE_COLUMNS = tuple(sql_schema.pages.c[name] for name in ("id", "url_id", "size", "sampled", "reason"))


@dataclass
class Repairs:
    """Found differences and repairs."""

    cut: int = 0  #: files truncated to their committed length
    #: files that were too short, with the number of lost pages
    damaged: Counter[str] = field(default_factory=Counter)
    absent: list[str] = field(default_factory=list)  #: missing files
    foreign: list[str] = field(default_factory=list)  #: files that no worker of the crawl has written

    def notes(self) -> list[str]:
        """Messages for the user, one per file."""
        messages = [
            f"{name}: damaged; {counted(n, 'page that it held is', 'pages that it held are')} fetched again"
            for name, n in self.damaged.items()
        ]
        messages += [f"{name}: not in the crawl's folder" for name in self.absent]
        return messages + [f"{name}: not a file of this crawl; left as it is" for name in self.foreign[:5]]


def repair(folder: Path, frontier: Frontier, in_use: Callable[[str], bool]) -> Repairs:
    """Reconcile the files of a folder with the database, except those of live workers."""
    done = Repairs()
    known = _workers(frontier)
    for path in warc_paths(folder):
        name = path.name.removesuffix(OPEN_SUFFIX)
        worker = worker_of(name)
        # Check first whether the worker is alive: a live one may commit more.
        if in_use(worker):
            continue
        if worker not in known:
            # The file was copied here, or belongs to another database.
            done.foreign.append(name)
            continue
        size, length = path.stat().st_size, _committed(frontier, name)
        if size > length:
            done.cut += 1
            cut_to(path, length)
        elif size < length:
            done.damaged[name] = _requeue_lost(frontier, path, size)
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
    """All workers of the crawl so far: each is in the database before it writes."""
    with frontier.engine.connect() as connection:
        return set(connection.execute(select(sql_schema.workers.c.id)).scalars())


def _requeue_lost(frontier: Frontier, path: Path, size: int) -> int:
    """Queue the lost pages of a file again; returns how many."""
    with frontier.begin() as connection:
        name = path.name.removesuffix(OPEN_SUFFIX)
        end = _end_of_last_record(connection, name, size)
        lost = _pages_from(connection, name, end)
        a = sql_schema.archived.c
        connection.execute(delete(sql_schema.archived).where(a.warc == name, a.offset >= end))
        connection.execute(update(sql_schema.warcs).where(sql_schema.warcs.c.name == name).values(length=end))
        again = requeue(frontier, connection, lost)
    cut_to(path, end)
    return again


def _end_of_last_record(connection: Connection, name: str, size: int) -> int:
    """The end of the last complete page, which is the start of the first incomplete one."""
    p, a = sql_schema.pages.c, sql_schema.archived.c
    starts = list(connection.execute(select(p.offset).where(p.warc == name)).scalars())
    starts += connection.execute(select(a.offset).where(a.warc == name)).scalars()
    inside = sorted(start for start in starts if start <= size)
    return inside[-1] if inside else 0


def _pages_from(connection: Connection, name: str, offset: int) -> list[Any]:
    """Pages whose records begin at or after an offset."""
    p = sql_schema.pages.c
    return list(connection.execute(select(*PAGE_COLUMNS).where(p.warc == name, p.offset >= offset)))


def requeue(frontier: Frontier, connection: Connection, lost: list[Any]) -> int:
    """Queue lost pages again (rows of :data:`PAGE_COLUMNS`), and pages that are revisits of them; returns how many."""
    if not lost:
        return 0
    p, c = sql_schema.pages.c, sql_schema.crawl.c
    for some in chunks([row.url_id for row in lost]):
        lost = lost + list(connection.execute(select(*PAGE_COLUMNS).where(p.original.in_(some))))
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
    # The crawl is no longer complete.
    connection.execute(update(sql_schema.crawl).where(c.phase == "done").values(phase="crawling"))
    return len(lost)

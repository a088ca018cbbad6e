"""Verify a crawl: every record of its WARC files against its digests and the database.

``crawl resume`` compares only the lengths of files. ``crawl check`` reads all records, and so finds bytes
that changed in the middle of a file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, select

from linksight.crawl.archive.warc_reader import StoredRecord, stored_records
from linksight.crawl.archive.warc_writer import path_of
from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.heartbeat import machine_of


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken record or file."""

    file: str
    offset: int | None
    url: str  #: its page, if known
    problem: str


@dataclass
class Findings:
    """Results of a check."""

    files: int = 0
    records: int = 0
    pages: int = 0  #: intact ones
    bytes: int = 0
    broken: list[Broken] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)  #: files of this folder's workers that are not in it
    elsewhere: list[str] = field(default_factory=list)  #: files of workers elsewhere, to be checked there

    @property
    def is_whole(self) -> bool:
        """Whether no record is broken and no file missing."""
        return not self.broken and not self.absent

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self) | {"whole": self.is_whole}


@dataclass(frozen=True, slots=True)
class Place:
    """Offset of the first record of a response, and its row in the database."""

    offset: int
    url: str
    digest: str
    id: int
    is_page: bool  #: not a robots.txt or other response


def check(engine: Engine, folder: Path, on_record: Callable[[int], None] | None = None) -> Findings:
    """Read all WARC files of a crawl; ``on_record`` is called with the length of each record."""
    found = Findings()
    places = places_of(engine)
    others = files_of_others(engine, folder)
    for name, length in committed(engine).items():
        path = path_of(folder, name)
        if not path.is_file():
            (found.elsewhere if name in others else found.absent).append(name)
            continue
        found.files += 1
        found.bytes += min(path.stat().st_size, length)
        _check_file(path, length, places[name], found, on_record)
    return found


def committed(engine: Engine) -> dict[str, int]:
    """The files in the database with their committed lengths."""
    w = sql_schema.warcs.c
    with engine.connect() as connection:
        query = select(w.name, w.length).where(w.length > 0).order_by(w.name)
        return {name: length for name, length in connection.execute(query)}


def files_of_others(engine: Engine, folder: Path) -> set[str]:
    """The files of workers that share the database but write to other folders."""
    if engine.dialect.name == "sqlite" and Path(engine.url.database or "").parent.samefile(folder):
        return (
            set()
        )  # a database file in the folder: all its workers wrote here, even if the folder was moved
    w = sql_schema.workers.c
    query = select(sql_schema.warcs.c.name).join(sql_schema.workers, w.id == sql_schema.warcs.c.worker)
    with engine.connect() as connection:
        return set(connection.execute(query.where(w.machine != machine_of(folder))).scalars())


def places_of(engine: Engine) -> defaultdict[str, list[Place]]:
    """The responses of each file, by offset."""
    p, a = sql_schema.pages.c, sql_schema.archived.c
    known: defaultdict[str, list[Place]] = defaultdict(list)
    with engine.connect() as connection:
        query = select(p.warc, p.offset, p.url, p.digest, p.id).where(p.warc.isnot(None))
        for row in connection.execute(query):
            known[row.warc].append(Place(row.offset, row.url, row.digest, row.id, is_page=True))
        for row in connection.execute(select(a.warc, a.offset, a.url, a.digest, a.id)):
            known[row.warc].append(Place(row.offset, row.url, row.digest, row.id, is_page=False))
    for name in known:
        known[name].sort(key=lambda place: place.offset)
    return known


def _check_file(
    path: Path,
    length: int,
    places: list[Place],
    found: Findings,
    on_record: Callable[[int], None] | None,
) -> None:
    answers = {place.offset: place for place in places}
    place: Place | None = None
    seen = set()
    for record in stored_records(path, length):
        place = answers.get(record.offset, place)
        found.records += 1
        problem = record.problem
        if record.offset in answers and place is not None:
            seen.add(record.offset)
            problem = problem or _differs(record, place)
            found.pages += place.is_page and not problem
        if problem:
            found.broken.append(Broken(path.name, record.offset, place.url if place else "", problem))
        if on_record is not None:
            on_record(record.length)
    if path.stat().st_size < length:
        found.broken.append(Broken(path.name, path.stat().st_size, "", "the file is cut short here"))
    found.broken += _lost((answers[at] for at in answers.keys() - seen), path.name)


def _differs(record: StoredRecord, place: Place) -> str:
    """How an intact record differs from the database; empty if it does not."""
    if record.kind not in ("response", "revisit"):
        return f"is a {record.kind} where the database has a page"
    if record.url != place.url:
        return f"is of {record.url}"
    return "is of other bytes than the database has" if record.payload != place.digest else ""


def _lost(places: Iterable[Place], name: str) -> Iterable[Broken]:
    for place in sorted(places, key=lambda place: place.offset):
        yield Broken(name, place.offset, place.url, "no record begins here")

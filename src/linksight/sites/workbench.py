"""The workbench: everything known of the sites that patterns are learnt for, kept in SQL.

A SQLite file by default, PostgreSQL by URL. Whatever a hub crawl gathers is written as it arrives, so
that a killed crawl goes on where it stopped; every annotation makes a new version of the patterns, so
that none is lost.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linksight.errors import BadData, MissingExtra, StoreError
from linksight.sites.files import from_document, to_document
from linksight.sites.links import Link
from linksight.sites.patterns import PatternSet
from linksight.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, CursorResult

try:
    from sqlalchemy import delete, func, insert, select, update
    from sqlalchemy.exc import SQLAlchemyError
except ImportError:
    raise MissingExtra("sqlalchemy", "crawl", "the workbench") from None

from linksight.sites import tables

MAX_WORD = 100
MAX_BODY = 1_000_000  #: of a hub's page; enough to show patterns on
_CHUNK = 5_000


@dataclass(frozen=True)
class Hub:
    """A page full of links, and the keyword that it answers."""

    url: str
    links: Sequence[Link] = field(repr=False)
    keyword: str | None = None
    title: str = ""
    seconds: float = 0.0
    cut: bool = False
    problem: str | None = None  #: ``empty`` or why it was not had
    language: str | None = None
    content_type: str = ""
    body: bytes | None = field(default=None, repr=False)  #: read on demand, see :meth:`Workbench.hubs`
    id: int | None = None

    @property
    def urls(self) -> list[str]:
        """The pages of the site that it links to."""
        return [link.url for link in self.links if link.problem is None]


class Workbench:
    """Sites, hubs, links, patterns, annotations and evaluations in one database.

    >>> bench = Workbench("sqlite://")
    >>> site = bench.open_site("shop", "http://shop.example/")
    >>> bench.add_hub(site, Hub("http://shop.example/s?q=x", [Link("http://shop.example/p/1")]))
    1
    >>> [hub.urls for hub in bench.hubs(site)]
    [['http://shop.example/p/1']]
    """

    def __init__(self, where: str | Path) -> None:
        self.engine = open_store(where, tables.metadata)

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        try:
            with self.engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
            raise StoreError(f"the workbench refused the work: {reason}") from error

    # -- sites ----------------------------------------------------------------------------------

    def open_site(self, name: str, home: str) -> int:
        """The id of a site, made if it is new."""
        with self._begin() as connection:
            found = connection.execute(select(tables.sites.c.id).where(tables.sites.c.name == name)).scalar()
            if found is not None:
                return int(found)
            values = {"name": name, "home": home, "began": time.time(), "notes": [], "counts": {}}
            made = connection.execute(insert(tables.sites).values(state="gathering", **values))
            return _new_id(made)

    def site_id(self, name: str | None = None) -> int:
        """The id of a site by name; of the only one where no name is given."""
        with self._begin() as connection:
            rows = connection.execute(select(tables.sites.c.id, tables.sites.c.name)).all()
        if name is None and len(rows) == 1:
            return int(rows[0].id)
        for row in rows:
            if row.name == name:
                return int(row.id)
        known = ", ".join(sorted(row.name for row in rows)) or "none"
        raise BadData(f"no site {name!r} in the workbench; known: {known}")

    def sites(self) -> list[dict[str, Any]]:
        """All sites, as plain values."""
        with self._begin() as connection:
            rows = connection.execute(select(tables.sites).order_by(tables.sites.c.id))
            return [dict(row) for row in rows.mappings()]

    def site(self, site: int) -> dict[str, Any]:
        """One site, as plain values."""
        return next(row for row in self.sites() if row["id"] == site)

    def update_site(self, site: int, **values: Any) -> None:
        """Set the source, the state, the notes or the counts of a site."""
        with self._begin() as connection:
            connection.execute(update(tables.sites).where(tables.sites.c.id == site).values(**values))

    def forget_site(self, site: int) -> None:
        """Remove a site and all that belongs to it."""
        self.drop_hubs(site)
        with self._begin() as connection:
            for table in reversed(tables.metadata.sorted_tables):
                if "site_id" in table.c:
                    connection.execute(delete(table).where(table.c.site_id == site))
            connection.execute(delete(tables.sites).where(tables.sites.c.id == site))

    def drop_hubs(self, site: int) -> None:
        """Remove the hubs of a site and their links; patterns and annotations stay."""
        with self._begin() as connection:
            chosen = select(tables.hubs.c.id).where(tables.hubs.c.site_id == site)
            connection.execute(delete(tables.links).where(tables.links.c.hub_id.in_(chosen)))
            connection.execute(delete(tables.hubs).where(tables.hubs.c.site_id == site))

    # -- keywords and hubs ----------------------------------------------------------------------

    def add_keywords(self, site: int, words: Iterable[str], state: str = "waiting") -> None:
        """Note words to be tried; those already known keep their state."""
        known = {word for word, _ in self.keywords(site)}
        rows = [
            {"site_id": site, "word": word, "state": state}
            for word in dict.fromkeys(_storable(word)[:MAX_WORD] for word in words)
            if word not in known
        ]
        if rows:
            with self._begin() as connection:
                connection.execute(insert(tables.keywords), rows)

    def keywords(self, site: int) -> list[tuple[str, str]]:
        """All words with their states, in the order in which they came."""
        words = tables.keywords.c
        with self._begin() as connection:
            query = select(words.word, words.state).where(words.site_id == site).order_by(words.id)
            return [(row.word, row.state) for row in connection.execute(query)]

    def add_hub(self, site: int, hub: Hub) -> int:
        """Keep a hub with its links, and mark its keyword as tried, all or nothing."""
        with self._begin() as connection:
            kept = ("url", "title", "keyword", "language", "seconds", "cut", "problem")
            values = {name: _storable(getattr(hub, name)) for name in kept}
            values["content_type"] = _storable(hub.content_type)[:200]
            values["body"] = zlib.compress(hub.body[:MAX_BODY]) if hub.body else None
            made = connection.execute(
                insert(tables.hubs).values(site_id=site, n_links=len(hub.urls), **values)
            )
            number = _new_id(made)
            rows = [
                {
                    "hub_id": number,
                    "url": _storable(x.url),
                    "anchor": _storable(x.anchor),
                    "problem": x.problem,
                }
                for x in hub.links
            ]
            for start in range(0, len(rows), _CHUNK):
                connection.execute(insert(tables.links), rows[start : start + _CHUNK])
            if hub.keyword is not None:
                _mark_tried(connection, site, hub.keyword)
        return number

    def set_problems(self, problems: dict[int, str | None]) -> None:
        """Mark hubs, by id, as empty or not."""
        with self._begin() as connection:
            for number, problem in problems.items():
                connection.execute(
                    update(tables.hubs).where(tables.hubs.c.id == number).values(problem=problem)
                )

    def hubs(self, site: int, *, usable_only: bool = True, with_body: bool = False) -> list[Hub]:
        """The hubs of a site with their links, and with the pages themselves where they are asked for."""
        hubs, links = tables.hubs.c, tables.links.c
        columns = [column for column in hubs if with_body or column.name != "body"]
        query = select(*columns).where(hubs.site_id == site).order_by(hubs.id)
        if usable_only:
            query = query.where(hubs.problem.is_(None))
        with self._begin() as connection:
            rows = connection.execute(query).mappings().all()
            found: dict[int, list[Link]] = {row["id"]: [] for row in rows}
            joined = (
                select(links.hub_id, links.url, links.anchor, links.problem)
                .join(tables.hubs, hubs.id == links.hub_id)
                .where(hubs.site_id == site)
                .order_by(links.id)
            )
            for number, url, anchor, problem in connection.execute(joined):
                if number in found:
                    found[number].append(Link(url, anchor, problem))
        return [_hub(row, found[row["id"]]) for row in rows]

    # -- patterns -------------------------------------------------------------------------------

    def save_patterns(self, site: int, patterns: PatternSet, action: str = "learn", **details: Any) -> int:
        """Keep a new version of a site's patterns and note what made it."""
        with self._begin() as connection:
            return _save(connection, site, patterns, action, details)

    def patterns(self, site: int, version: int | None = None) -> PatternSet:
        """The patterns of a site: the last version, or the one asked for."""
        with self._begin() as connection:
            return _patterns(connection, site, version)

    def annotate(
        self, site: int, action: str, change: Callable[[PatternSet], PatternSet], **details: Any
    ) -> PatternSet:
        """Rename, merge, discard or colour: a change of the last version makes the next one.

        Whoever else changes the same site waits until this is done, and then changes what came of it:
        nobody's work is lost.
        """
        with self._begin() as connection:
            _lock(connection, site)
            patterns = change(_patterns(connection, site))
            _save(connection, site, patterns, action, details)
        return patterns

    def undo(self, site: int, version: int | None = None) -> PatternSet:
        """Go back to the patterns before the last change; ``version`` is the one the user has seen last."""
        with self._begin() as connection:
            _lock(connection, site)
            known = _versions(connection, site)
            if version is not None and known and known[-1][0] != version:
                raise BadData("the patterns were changed meanwhile: look at them before you undo that")
            standing: list[int] = []  # versions that no undo took back
            for number, action in known:
                if action == "undo" and len(standing) > 1:
                    standing.pop()
                else:
                    standing.append(number)
            if len(standing) < 2:
                raise BadData("there is nothing to undo")
            patterns = _patterns(connection, site, standing[-2])
            _save(connection, site, patterns, "undo", {"back_to": standing[-2]})
        return patterns

    def version(self, site: int) -> int:
        """The number of the last version of a site's patterns; 0 where there is none."""
        versions = tables.versions.c
        with self._begin() as connection:
            return int(
                connection.execute(select(func.max(versions.id)).where(versions.site_id == site)).scalar()
                or 0
            )

    def annotations(self, site: int) -> list[dict[str, Any]]:
        """What was done to the patterns of a site, the oldest first."""
        return self._rows(tables.annotation_log, site)

    # -- evaluations ----------------------------------------------------------------------------

    def add_evaluation(self, site: int, mode: str, scores: tuple[float, float, float], details: Any) -> None:
        """Keep precision, recall, F1 and what they were made of."""
        precision, recall, f1 = scores
        values = {"mode": mode, "precision": precision, "recall": recall, "f1": f1, "details": details}
        with self._begin() as connection:
            connection.execute(insert(tables.evaluations).values(site_id=site, at=time.time(), **values))

    def evaluations(self, site: int) -> list[dict[str, Any]]:
        """All evaluations of a site, the oldest first."""
        return self._rows(tables.evaluations, site)

    def counts(self, site: int) -> dict[str, int]:
        """How many hubs and links there are, by problem."""
        hubs = tables.hubs.c
        with self._begin() as connection:
            query = select(hubs.problem, func.count()).where(hubs.site_id == site).group_by(hubs.problem)
            return {problem or "usable": n for problem, n in connection.execute(query)}

    def _rows(self, table: Any, site: int) -> list[dict[str, Any]]:
        with self._begin() as connection:
            query = select(table).where(table.c.site_id == site).order_by(table.c.id)
            return [dict(row) for row in connection.execute(query).mappings()]


def _hub(row: Any, links: list[Link]) -> Hub:
    kept = ("url", "keyword", "title", "seconds", "cut", "problem", "language", "content_type", "id")
    packed = row.get("body")
    return Hub(links=links, body=zlib.decompress(packed) if packed else None, **{k: row[k] for k in kept})


def _lock(connection: Connection, site: int) -> None:
    """Until the transaction ends no one else changes this site: a row lock, or SQLite's write lock."""
    row = tables.sites
    connection.execute(update(row).where(row.c.id == site).values(state=row.c.state))


def _patterns(connection: Connection, site: int, version: int | None = None) -> PatternSet:
    versions = tables.versions.c
    query = select(versions.document).where(versions.site_id == site).order_by(versions.id.desc())
    if version is not None:
        query = query.where(versions.id == version)
    document = connection.execute(query.limit(1)).scalar()
    if document is None:
        raise BadData("no patterns have been learnt for this site yet")
    return from_document(document)


def _versions(connection: Connection, site: int) -> list[tuple[int, str]]:
    """Every version with what made it; both tables get a row with each change."""
    versions, log = tables.versions.c, tables.annotation_log.c
    numbers = connection.execute(select(versions.id).where(versions.site_id == site).order_by(versions.id))
    actions = connection.execute(select(log.action).where(log.site_id == site).order_by(log.id))
    return list(zip(numbers.scalars(), actions.scalars(), strict=True))


def _save(
    connection: Connection, site: int, patterns: PatternSet, action: str, details: dict[str, Any]
) -> int:
    now = time.time()
    made = connection.execute(
        insert(tables.versions).values(site_id=site, document=to_document(patterns), at=now)
    )
    _replace_patterns(connection, site, patterns)
    connection.execute(
        insert(tables.annotation_log).values(site_id=site, action=action, details=details, at=now)
    )
    return _new_id(made)


def _new_id(made: CursorResult[Any]) -> int:
    """The id that the database gave to a new row."""
    key = made.inserted_primary_key
    return int(key[0]) if key else 0


def _mark_tried(connection: Connection, site: int, word: str) -> None:
    words, word = tables.keywords, _storable(word)[:MAX_WORD]
    here = (words.c.site_id == site) & (words.c.word == word)
    if not connection.execute(update(words).where(here).values(state="tried")).rowcount:
        connection.execute(insert(words).values(site_id=site, word=word, state="tried"))


def _replace_patterns(connection: Connection, site: int, patterns: PatternSet) -> None:
    connection.execute(delete(tables.patterns).where(tables.patterns.c.site_id == site))
    rows = [
        {"site_id": site, "number": p.id, "name": p.name, "colour": p.colour, "pattern": p.text,
         "regex": p.regex, "n_urls": p.n_urls, "n_hubs": p.n_hubs, "share": p.share}
        for p in patterns
    ]  # fmt: skip
    if rows:
        connection.execute(insert(tables.patterns), rows)


def _storable(value: Any) -> Any:
    """Text without what PostgreSQL refuses, NUL and lone surrogates; other values as they are."""
    if not isinstance(value, str):
        return value
    return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")

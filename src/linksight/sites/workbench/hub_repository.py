"""Hubs, their links and their keywords as rows of SQL tables; the crawl data of the workbench."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from linksight.errors import MissingExtra
from linksight.sites.gathering.links import Link

if TYPE_CHECKING:
    from sqlalchemy import Connection, CursorResult

try:
    from sqlalchemy import delete, insert, select, true, update
except ImportError:
    raise MissingExtra("sqlalchemy", "crawl", "the workbench") from None

from linksight.sites.workbench import sql_schema

MAX_WORD_CHARS = 100
MAX_BODY_BYTES = 1_000_000  #: of a hub's page; enough to show patterns on
_CHUNK_ROWS = 5_000


@dataclass(frozen=True)
class Hub:
    """A page full of links, and the keyword that it answers."""

    url: str
    links: Sequence[Link] = field(repr=False)
    keyword: str | None = None
    title: str = ""
    seconds: float = 0.0
    cut: bool = False
    problem: str | None = None  #: ``empty``, or why the fetch failed
    language: str | None = None
    content_type: str = ""
    body: bytes | None = field(default=None, repr=False)  #: read on demand, see :meth:`Workbench.hubs`
    id: int | None = None

    @property
    def is_page(self) -> bool:
        """Whether it is a page that was fetched, not a sitemap or a list."""
        return bool(self.content_type)

    @property
    def urls(self) -> list[str]:
        """The pages of the site that it links to."""
        return [link.url for link in self.links if link.problem is None]


def read_keywords(connection: Connection, site: int) -> list[tuple[str, str]]:
    """All words with their states, in insertion order."""
    words = sql_schema.keywords.c
    query = select(words.word, words.state).where(words.site_id == site).order_by(words.id)
    return [(row.word, row.state) for row in connection.execute(query)]


def add_keywords(connection: Connection, site: int, words: Iterable[str], state: str) -> None:
    """Insert words; known ones keep their state."""
    known = {word for word, _ in read_keywords(connection, site)}
    rows = [
        {"site_id": site, "word": word, "state": state}
        for word in dict.fromkeys(storable(word)[:MAX_WORD_CHARS] for word in words)
        if word not in known
    ]
    if rows:
        connection.execute(insert(sql_schema.keywords), rows)


def add_hub(connection: Connection, site: int, hub: Hub) -> int:
    """Insert a hub with its links, and mark its keyword as tried."""
    columns = ("url", "title", "keyword", "language", "seconds", "cut", "problem")
    values = {name: storable(getattr(hub, name)) for name in columns}
    values["content_type"] = storable(hub.content_type)[:200]
    values["body"] = zlib.compress(hub.body[:MAX_BODY_BYTES]) if hub.body else None
    inserted = connection.execute(
        insert(sql_schema.hubs).values(site_id=site, n_links=len(hub.urls), **values)
    )
    number = new_id(inserted)
    rows = [
        {"hub_id": number, "url": storable(x.url), "anchor": storable(x.anchor), "problem": x.problem}
        for x in hub.links
    ]
    for start in range(0, len(rows), _CHUNK_ROWS):
        connection.execute(insert(sql_schema.links), rows[start : start + _CHUNK_ROWS])
    if hub.keyword is not None:
        _mark_tried(connection, site, hub.keyword)
    return number


def read_hubs(
    connection: Connection, site: int, *, usable_only: bool, with_body: bool, number: int | None = None
) -> list[Hub]:
    """The hubs of a site with their links; only one, if ``number`` is set."""
    hubs, links = sql_schema.hubs.c, sql_schema.links.c
    columns = [column for column in hubs if with_body or column.name != "body"]
    wanted = (hubs.site_id == site) & (true() if number is None else hubs.id == number)
    query = select(*columns).where(wanted).order_by(hubs.id)
    if usable_only:
        query = query.where(hubs.problem.is_(None))
    rows = connection.execute(query).mappings().all()
    found: dict[int, list[Link]] = {row["id"]: [] for row in rows}
    joined = (
        select(links.hub_id, links.url, links.anchor, links.problem)
        .join(sql_schema.hubs, hubs.id == links.hub_id)
        .where(wanted)
        .order_by(links.id)
    )
    for hub, url, anchor, problem in connection.execute(joined):
        if hub in found:
            found[hub].append(Link(url, anchor, problem))
    return [_hub(row, found[row["id"]]) for row in rows]


def drop_hubs(connection: Connection, site: int) -> None:
    """Remove the hubs of a site and their links."""
    chosen = select(sql_schema.hubs.c.id).where(sql_schema.hubs.c.site_id == site)
    connection.execute(delete(sql_schema.links).where(sql_schema.links.c.hub_id.in_(chosen)))
    connection.execute(delete(sql_schema.hubs).where(sql_schema.hubs.c.site_id == site))


def _hub(row: Any, links: list[Link]) -> Hub:
    columns = ("url", "keyword", "title", "seconds", "cut", "problem", "language", "content_type", "id")
    packed = row.get("body")
    return Hub(links=links, body=zlib.decompress(packed) if packed else None, **{k: row[k] for k in columns})


def new_id(inserted: CursorResult[Any]) -> int:
    """The id that the database gave to a new row."""
    key = inserted.inserted_primary_key
    return int(key[0]) if key else 0


def _mark_tried(connection: Connection, site: int, word: str) -> None:
    words, word = sql_schema.keywords, storable(word)[:MAX_WORD_CHARS]
    here = (words.c.site_id == site) & (words.c.word == word)
    if not connection.execute(update(words).where(here).values(state="tried")).rowcount:
        connection.execute(insert(words).values(site_id=site, word=word, state="tried"))


def storable(value: Any) -> Any:
    """Text without NUL and lone surrogates, which PostgreSQL rejects; other values unchanged."""
    if not isinstance(value, str):
        return value
    return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")

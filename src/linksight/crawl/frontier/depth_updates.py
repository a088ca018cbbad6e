"""Ways: how far pages are from the seeds, where that is limited, and which come nearer later.

A strategy that takes the best first may come to a page by a long way, and only then by a short one. Its links, too deep
by the first, may be near enough by the second. So where ``max_depth`` is set the links of each page are kept in a few
bytes, and a page that has come nearer has its links looked at again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, update

from linksight.crawl.extract.links import Outlink
from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.inbox import Inbox
from linksight.crawl.frontier.records import Outcome
from linksight.crawl.frontier.sql_schema import State
from linksight.results import UND, PageLabel

AT_ONCE = 20  #: pages that are looked at again in one go


@dataclass(frozen=True, slots=True)
class Way:
    """A URL that a shorter way was found to."""

    id: int
    url: str
    depth: int
    links: list[Outlink]  #: of its page; where it redirects, the one that it leads to
    is_redirect: bool
    label: PageLabel


class Ways(Inbox):
    """Keeps what pages link to, and what has come nearer."""

    def keep_ways(self, connection: Connection, mine: Sequence[Outcome]) -> None:
        """Keep the links of pages that could still come nearer."""
        rows = [{"url_id": o.job.id, "links": packed(o.links)} for o in mine if o.links]
        if rows and self.config.max_depth:
            connection.execute(self.insert_new(sql_schema.ways), rows)

    def come_nearer(self) -> list[Way]:
        """Bring what was met by a shorter way nearer; answers some of it, to be looked at again.

        What a worker has in hand by its longer way waits until its page is there.
        """
        u, n, w, p = sql_schema.urls.c, sql_schema.nearer.c, sql_schema.ways.c, sql_schema.pages.c
        with self.begin() as connection:
            noted = select(n.url_id, n.depth, u.host_id).join(sql_schema.urls, u.id == n.url_id)
            rows = connection.execute(noted.order_by(n.url_id).limit(10 * AT_ONCE)).all()
            if not rows:
                return []
            depths = {row.url_id: row.depth for row in rows}
            self.lock_hosts(connection, {row.host_id for row in rows})
            connection.execute(
                update(sql_schema.urls)
                .where(u.id == bindparam("b_id"), u.depth > bindparam("b_depth"))
                .values(depth=bindparam("b_depth")),
                [{"b_id": id_, "b_depth": depth} for id_, depth in depths.items()],
            )
            told: Any = (u.id, u.url, u.reason, w.links, p.language, p.script, p.encoding, p.confidence)
            query = select(*told).select_from(sql_schema.urls)
            query = query.outerjoin(sql_schema.ways, w.url_id == u.id).outerjoin(
                sql_schema.pages, p.url_id == u.id
            )
            query = query.where(u.id.in_(list(depths)), u.state != int(State.CLAIMED))
            found = connection.execute(query.order_by(u.id).limit(AT_ONCE))
            return [_way(row, depths[row.id]) for row in found]

    def settle_nearer(self, ways: Sequence[Way], outcomes: Sequence[Outcome]) -> None:
        """What came of looking again, and an end to it.

        Two transactions, in each of which the rows of ``nearer`` are taken in one order: in a single one, two workers
        could each have the row that the other waits for. Killed in between, it is looked at once more.
        """
        n = sql_schema.nearer.c
        if not ways:
            return
        with self.begin() as connection:
            self.post(connection, outcomes)
        settled = sorted((way.id, way.depth) for way in ways)
        with self.begin() as connection:
            connection.execute(
                delete(sql_schema.nearer).where(
                    n.url_id == bindparam("b_id"), n.depth >= bindparam("b_depth")
                ),
                [{"b_id": id_, "b_depth": depth} for id_, depth in settled],
            )


def _way(row: Any, depth: int) -> Way:
    label = PageLabel(row.language or UND, row.script or "", row.encoding or "", row.confidence or 0.0)
    links = unpacked(row.links) if row.links else []
    return Way(row.id, row.url, depth, links, row.reason == "redirect", label)


def packed(links: Sequence[Outlink]) -> bytes:
    """Links in a few bytes.

    >>> unpacked(packed([Outlink("http://a.nl/", "lees", "nl")]))
    [Outlink(url='http://a.nl/', anchor='lees', hreflang='nl')]
    """
    return zlib.compress(json.dumps([[x.url, x.anchor, x.hreflang] for x in links]).encode())


def unpacked(data: bytes) -> list[Outlink]:
    """The links again."""
    return [Outlink(url, anchor, hreflang) for url, anchor, hreflang in json.loads(zlib.decompress(data))]

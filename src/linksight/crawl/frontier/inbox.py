"""The inbox: links of committed pages on their way into the queue.

A commit only inserts here, so that it locks no row of another worker. Workers merge the inbox into
``urls`` when they claim; one at a time, each batch in a transaction.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, insert, select, text

from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.enqueue import SeenSet
from linksight.crawl.frontier.records import Found, Outcome

AT_ONCE = 8  #: commits that are merged in one transaction
_LOCK = 7_102_007  #: of PostgreSQL: one worker merges at a time


class Inbox(SeenSet):
    """Adds links to the inbox, and merges it."""

    def add(self, links: Sequence[Found]) -> None:
        """Queue links outside of a commit, such as seeds and sitemaps."""
        if links:
            with self.begin() as connection:
                connection.execute(insert(sql_schema.inbox), self._letter(links, {}))
            while self.merge(wait=True):
                pass

    def post(self, connection: Connection, outcomes: Iterable[Outcome]) -> None:
        """Insert the links of pages, and the URLs that they are a shorter way to."""
        links: list[Found] = []
        nearer: dict[int, int] = {}
        for outcome in outcomes:
            links += outcome.found
            for id_, depth in outcome.nearer.items():
                nearer[id_] = min(depth, nearer.get(id_, depth))
        if links or nearer:
            connection.execute(insert(sql_schema.inbox), self._letter(links, nearer))

    def _letter(self, links: Sequence[Found], nearer: dict[int, int]) -> dict[str, object]:
        content = [[link.as_row() for link in links], list(nearer.items())]
        return {"worker": self.worker, "links": zlib.compress(json.dumps(content).encode(), 1)}

    def merge(self, *, wait: bool = False) -> int:
        """Merge the oldest part of the inbox into the queue; returns how many commits were in it.

        Where another worker merges already, there is nothing to do, unless ``wait`` is set.
        """
        i = sql_schema.inbox.c
        with self.begin() as connection:
            if self.postgres:
                name = "pg_advisory_xact_lock" if wait else "pg_try_advisory_xact_lock"
                if connection.execute(text(f"SELECT {name}({_LOCK})")).scalar() is False:
                    return 0
            rows = connection.execute(select(i.id, i.links).order_by(i.id).limit(AT_ONCE)).all()
            links: list[Found] = []
            nearer: dict[int, int] = {}
            for row in rows:
                found, known = json.loads(zlib.decompress(row.links))
                links += [Found.from_row(one) for one in found]
                for id_, depth in known:
                    nearer[id_] = min(depth, nearer.get(id_, depth))
            longer = self.add_within(connection, links)
            self.bring_nearer(connection, longer | {k: min(v, longer.get(k, v)) for k, v in nearer.items()})
            if rows:
                connection.execute(delete(sql_schema.inbox).where(i.id.in_([row.id for row in rows])))
        return len(rows)

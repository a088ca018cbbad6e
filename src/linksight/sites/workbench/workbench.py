"""The workbench: sites, hubs and patterns in SQL.

A SQLite file by default, PostgreSQL by URL. Whatever a hub crawl gathers is written as it arrives, so
that an interrupted crawl can be resumed. Every annotation makes a new version of the patterns, so that no
earlier version is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linksight.errors import BadData, MissingExtra, StoreError
from linksight.sites.patterns.pattern import PatternSet
from linksight.system.database import open_store, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

try:
    from sqlalchemy import delete, func, insert, select, update
    from sqlalchemy.exc import SQLAlchemyError
except ImportError:
    raise MissingExtra("sqlalchemy", "crawl", "the workbench") from None

from linksight.sites.workbench import hub_repository, sql_schema, versions
from linksight.sites.workbench.hub_repository import Hub
from linksight.sites.workbench.reapply_edits import Annotations

__all__ = ["Hub", "Workbench"]


class Workbench:
    """Sites, hubs, links, patterns, annotations and evaluations in one database.

    >>> from linksight.sites.gathering.links import Link
    >>> bench = Workbench("sqlite://")
    >>> site = bench.open_site("shop", "http://shop.example/")
    >>> bench.add_hub(site, Hub("http://shop.example/s?q=x", [Link("http://shop.example/p/1")]))
    1
    >>> [hub.urls for hub in bench.hubs(site)]
    [['http://shop.example/p/1']]
    """

    def __init__(self, where: str | Path) -> None:
        self.engine = open_store(where, sql_schema.metadata)

    def close(self) -> None:
        """Close the database connections."""
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
            raise StoreError(f"the workbench refused the work: {reason_of(error)}") from error

    # -- sites ----------------------------------------------------------------------------------

    def open_site(self, name: str, home: str) -> int:
        """The id of a site, made if it is new."""
        with self._begin() as connection:
            found = connection.execute(
                select(sql_schema.sites.c.id).where(sql_schema.sites.c.name == name)
            ).scalar()
            if found is not None:
                return int(found)
            values = {"name": name, "home": home, "began": time.time(), "notes": [], "counts": {}}
            inserted = connection.execute(insert(sql_schema.sites).values(state="gathering", **values))
            return hub_repository.new_id(inserted)

    def site_id(self, name: str | None = None) -> int:
        """The id of a site by name; without a name, of the only site."""
        with self._begin() as connection:
            rows = connection.execute(select(sql_schema.sites.c.id, sql_schema.sites.c.name)).all()
        if name is None and len(rows) == 1:
            return int(rows[0].id)
        for row in rows:
            if row.name == name:
                return int(row.id)
        if not rows:
            prefix = "" if name is None else f"no site {name!r}: "
            raise BadData(
                f"{prefix}no site is in the workbench yet; learn one with: linksight site learn ADDRESS"
            )
        problem = (
            "several sites are in the workbench: name one"
            if name is None
            else f"no site {name!r} in the workbench"
        )
        raise BadData(f"{problem}; known: {', '.join(sorted(row.name for row in rows))}")

    def sites(self) -> list[dict[str, Any]]:
        """All sites, as plain values."""
        with self._begin() as connection:
            rows = connection.execute(select(sql_schema.sites).order_by(sql_schema.sites.c.id))
            return [dict(row) for row in rows.mappings()]

    def site(self, site: int) -> dict[str, Any]:
        """One site, as plain values."""
        for row in self.sites():
            if row["id"] == site:
                return row
        raise BadData(f"no site {site} in the workbench: someone may have removed it")

    def update_site(self, site: int, **values: Any) -> None:
        """Set the source, the state, the notes or the counts of a site."""
        with self._begin() as connection:
            connection.execute(update(sql_schema.sites).where(sql_schema.sites.c.id == site).values(**values))

    def forget_site(self, site: int) -> None:
        """Remove a site and all its data in one transaction."""
        with self._begin() as connection:
            hub_repository.drop_hubs(connection, site)
            for table in reversed(sql_schema.metadata.sorted_tables):
                if "site_id" in table.c:
                    connection.execute(delete(table).where(table.c.site_id == site))
            connection.execute(delete(sql_schema.sites).where(sql_schema.sites.c.id == site))

    def drop_hubs(self, site: int) -> None:
        """Remove the hubs of a site and their links; patterns and annotations stay."""
        with self._begin() as connection:
            hub_repository.drop_hubs(connection, site)

    def gather_anew(self, site: int, home: str) -> None:
        """Forget the links of a site and the words that it was asked for; its patterns and edits stay."""
        row = sql_schema.sites
        with self._begin() as connection:
            hub_repository.drop_hubs(connection, site)
            connection.execute(delete(sql_schema.keywords).where(sql_schema.keywords.c.site_id == site))
            values = {"home": home, "state": "gathering", "notes": [], "counts": {}}
            connection.execute(update(row).where(row.c.id == site).values(**values))

    # -- keywords and hubs ----------------------------------------------------------------------

    def add_keywords(self, site: int, words: Iterable[str], state: str = "waiting") -> None:
        """Add words to try; known ones keep their state."""
        with self._begin() as connection:
            hub_repository.add_keywords(connection, site, words, state)

    def keywords(self, site: int) -> list[tuple[str, str]]:
        """All words with their states, in insertion order."""
        with self._begin() as connection:
            return hub_repository.read_keywords(connection, site)

    def add_hub(self, site: int, hub: Hub) -> int:
        """Insert a hub with its links and mark its keyword as tried, in one transaction."""
        with self._begin() as connection:
            return hub_repository.add_hub(connection, site, hub)

    def set_problems(self, problems: dict[int, str | None]) -> None:
        """Mark hubs, by id, as empty or not."""
        with self._begin() as connection:
            for number, problem in problems.items():
                connection.execute(
                    update(sql_schema.hubs).where(sql_schema.hubs.c.id == number).values(problem=problem)
                )

    def hubs(self, site: int, *, usable_only: bool = True, with_body: bool = False) -> list[Hub]:
        """The hubs of a site with their links, and optionally with their pages."""
        with self._begin() as connection:
            return hub_repository.read_hubs(connection, site, usable_only=usable_only, with_body=with_body)

    def hub(self, site: int, number: int) -> Hub:
        """One hub of a site with its links and its page."""
        with self._begin() as connection:
            found = hub_repository.read_hubs(
                connection, site, usable_only=False, with_body=True, number=number
            )
        if not found:
            raise BadData(f"no hub {number} of this site")
        return found[0]

    # -- patterns -------------------------------------------------------------------------------

    def save_patterns(self, site: int, patterns: PatternSet, action: str = "learn", **details: Any) -> int:
        """Insert a new version of a site's patterns, and log the action."""
        with self._begin() as connection:
            return versions.save_patterns(connection, site, patterns, action, details)

    def patterns(self, site: int, version: int | None = None) -> PatternSet:
        """The patterns of a site: the last version, or a given one."""
        with self._begin() as connection:
            return versions.read_patterns(connection, site, version)

    def annotated(self, site: int) -> Annotations | None:
        """The edits of the patterns that were learnt last; None before any learning."""
        with self._begin() as connection:
            if not versions.last_version(connection, site):
                return None
            return Annotations(
                versions.read_learnt(connection, site), versions.read_patterns(connection, site)
            )

    def annotate(
        self, site: int, action: str, change: Callable[[PatternSet], PatternSet], **details: Any
    ) -> PatternSet:
        """Rename, merge, discard or colour patterns: apply a change to the last version and store the next one.

        Concurrent changes of the same site wait for the lock and apply to the new version, so that no edit
        is lost.
        """
        with self._begin() as connection:
            versions.lock(connection, site)
            patterns = change(versions.read_patterns(connection, site))
            versions.save_patterns(connection, site, patterns, action, details)
        return patterns

    def undo(self, site: int, version: int | None = None) -> PatternSet:
        """Go back to the patterns before the last change; ``version`` is the one the user has seen last."""
        with self._begin() as connection:
            return versions.undo(connection, site, version)

    def redo(self, site: int, version: int | None = None) -> PatternSet:
        """Apply the change that was undone last again; ``version`` is the one the user has seen last."""
        with self._begin() as connection:
            return versions.redo(connection, site, version)

    def version(self, site: int) -> int:
        """The number of the last version of a site's patterns; 0 if there is no version."""
        with self._begin() as connection:
            return versions.last_version(connection, site)

    def annotations(self, site: int) -> list[dict[str, Any]]:
        """The edit log of the patterns of a site, oldest first."""
        return self._rows(sql_schema.annotation_log, site)

    # -- evaluations ----------------------------------------------------------------------------

    def add_evaluation(self, site: int, mode: str, scores: tuple[float, float, float], details: Any) -> None:
        """Insert precision, recall, F1 and their details."""
        precision, recall, f1 = scores
        values = {"mode": mode, "precision": precision, "recall": recall, "f1": f1, "details": details}
        with self._begin() as connection:
            connection.execute(insert(sql_schema.evaluations).values(site_id=site, at=time.time(), **values))

    def evaluations(self, site: int) -> list[dict[str, Any]]:
        """All evaluations of a site, the oldest first."""
        return self._rows(sql_schema.evaluations, site)

    def counts(self, site: int) -> dict[str, int]:
        """The number of hubs by problem."""
        hubs = sql_schema.hubs.c
        with self._begin() as connection:
            query = select(hubs.problem, func.count()).where(hubs.site_id == site).group_by(hubs.problem)
            return {problem or "usable": n for problem, n in connection.execute(query)}

    def _rows(self, table: Any, site: int) -> list[dict[str, Any]]:
        with self._begin() as connection:
            query = select(table).where(table.c.site_id == site).order_by(table.c.id)
            return [dict(row) for row in connection.execute(query).mappings()]

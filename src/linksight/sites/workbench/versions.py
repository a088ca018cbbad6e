"""The versions of a site's patterns as rows of SQL tables: each change adds one, and all are kept."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from linksight.errors import BadData, MissingExtra
from linksight.sites.patterns.pattern import PatternSet
from linksight.sites.patterns.pattern_files import from_document, to_document
from linksight.sites.workbench.hub_repository import new_id

if TYPE_CHECKING:
    from sqlalchemy import Connection

try:
    from sqlalchemy import delete, func, insert, select, update
except ImportError:
    raise MissingExtra("sqlalchemy", "crawl", "the workbench") from None

from linksight.sites.workbench import sql_schema


def lock(connection: Connection, site: int) -> None:
    """Lock a site until the transaction ends: a row lock, or SQLite's write lock."""
    row = sql_schema.sites
    connection.execute(update(row).where(row.c.id == site).values(state=row.c.state))


def read_patterns(connection: Connection, site: int, version: int | None = None) -> PatternSet:
    """The patterns of a site: the last version, or a given one."""
    versions = sql_schema.versions.c
    query = select(versions.document).where(versions.site_id == site).order_by(versions.id.desc())
    if version is not None:
        query = query.where(versions.id == version)
    document = connection.execute(query.limit(1)).scalar()
    if document is None:
        raise BadData("no patterns have been learnt for this site yet: learn them from its hubs first")
    return from_document(document)


def read_learnt(connection: Connection, site: int) -> PatternSet:
    """The patterns as learnt last, before any edit."""
    log = sql_schema.annotation_log.c
    query = select(log.action, log.details).where(log.site_id == site).order_by(log.id)
    changes = connection.execute(query).all()
    versions = sql_schema.versions.c
    numbered = select(versions.id).where(versions.site_id == site).order_by(versions.id)
    numbers = list(connection.execute(numbered).scalars())
    at = len(numbers) - 1
    while at > 0 and changes[at].action != "learn":
        at = (
            numbers.index(changes[at].details["back_to"])
            if changes[at].action in ("undo", "redo")
            else at - 1
        )
    return read_patterns(connection, site, numbers[at] if numbers else None)


def last_version(connection: Connection, site: int) -> int:
    """The number of the last version; 0 if there is no version."""
    versions = sql_schema.versions.c
    query = select(func.max(versions.id)).where(versions.site_id == site)
    return int(connection.execute(query).scalar() or 0)


def save_patterns(
    connection: Connection, site: int, patterns: PatternSet, action: str, details: dict[str, Any]
) -> int:
    """Insert a new version and log the action."""
    now = time.time()
    inserted = connection.execute(
        insert(sql_schema.versions).values(site_id=site, document=to_document(patterns), at=now)
    )
    _replace_patterns(connection, site, patterns)
    connection.execute(
        insert(sql_schema.annotation_log).values(site_id=site, action=action, details=details, at=now)
    )
    return new_id(inserted)


def undo(connection: Connection, site: int, version: int | None) -> PatternSet:
    """Restore the patterns before the last change that is in force."""
    in_force, _ = _history(connection, site, version)
    if len(in_force) < 2:
        raise BadData("there is nothing to undo")
    (before, _), (_, undone) = in_force[-2:]
    return _restore(connection, site, before, "undo", undone)


def redo(connection: Connection, site: int, version: int | None) -> PatternSet:
    """Apply the change that was undone last again, if no other change followed."""
    _, undone = _history(connection, site, version)
    if not undone:
        raise BadData("there is nothing to redo")
    return _restore(connection, site, undone[-1][0], "redo", undone[-1][1])


def _restore(connection: Connection, site: int, version: int, action: str, change: str) -> PatternSet:
    patterns = read_patterns(connection, site, version)
    save_patterns(connection, site, patterns, action, {"back_to": version, "undone": change})
    return patterns


Change = tuple[int, str]  #: the number of a version, and a description of its change


def _history(connection: Connection, site: int, version: int | None) -> tuple[list[Change], list[Change]]:
    """The changes in force, and those undone since the last other change; locks the site."""
    lock(connection, site)
    known = _versions(connection, site)
    if version is not None and known and known[-1][0] != version:
        raise BadData("the patterns were changed meanwhile: look at them before you undo that")
    in_force: list[Change] = []
    undone: list[Change] = []
    for number, action, words in known:
        if action == "undo" and len(in_force) > 1:
            undone.append(in_force.pop())
        elif action == "redo" and undone:
            in_force.append(undone.pop())
        else:
            in_force.append((number, words))
            undone.clear()
    return in_force, undone


def _versions(connection: Connection, site: int) -> list[tuple[int, str, str]]:
    """Every version with its action and a description; both tables get a row with each change."""
    versions, log = sql_schema.versions.c, sql_schema.annotation_log.c
    numbers = connection.execute(select(versions.id).where(versions.site_id == site).order_by(versions.id))
    changes = connection.execute(
        select(log.action, log.details).where(log.site_id == site).order_by(log.id)
    ).all()
    return [
        (number, change.action, _in_words(change.action, change.details))
        for number, change in zip(numbers.scalars(), changes, strict=True)
    ]


def _in_words(action: str, details: Any) -> str:
    """A description of a change: the action and the names of the patterns."""
    was = details.get("was") if isinstance(details, dict) else None
    return f"{action} {', '.join(map(str, was))}"[:200] if isinstance(was, list) and was else action


def _replace_patterns(connection: Connection, site: int, patterns: PatternSet) -> None:
    connection.execute(delete(sql_schema.patterns).where(sql_schema.patterns.c.site_id == site))
    rows = [
        {"site_id": site, "number": p.id, "name": p.name, "colour": p.colour, "pattern": p.text,
         "regex": p.regex, "n_urls": p.n_urls, "n_hubs": p.n_hubs, "share": p.share}
        for p in patterns
    ]  # fmt: skip
    if rows:
        connection.execute(insert(sql_schema.patterns), rows)

"""Outages: which failures of the store pass by themselves, and how the others are told."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError

from linksight.errors import CrawlError, LinksightError, StoreError
from linksight.system.database import reason_of


def is_passing(error: BaseException) -> bool:
    """Whether it may be worth waiting: a server that restarts, a deadlock, a lock held too long."""
    if not isinstance(error, DBAPIError):
        return False
    told = str(error.orig).lower()
    if "sqlite" in type(error.orig).__module__:
        return "locked" in told or "busy" in told
    return error.connection_invalidated or isinstance(error, OperationalError | InterfaceError)


def plain_error(error: OSError | SQLAlchemyError, folder: Path) -> LinksightError:
    """The error that a person reads: what, where, and how to go on."""
    onward = f"what was stored is safe; when that is mended, go on with: linksight crawl resume {folder}"
    if isinstance(error, OSError):
        place = error.filename if isinstance(error.filename, str) else folder
        return CrawlError(f"{place}: {error.strerror or error}; {onward}")
    return StoreError(f"the crawl's database: {reason_of(error)}; {onward}")

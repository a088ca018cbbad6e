"""Database errors: which are transient, and messages for the others."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError

from linksight.errors import CrawlError, LinksightError, StoreError
from linksight.system.database import reason_of


def is_passing(error: BaseException) -> bool:
    """Whether an error is transient: a server restart, a deadlock, a lock timeout."""
    if not isinstance(error, DBAPIError):
        return False
    message = str(error.orig).lower()
    if "sqlite" in type(error.orig).__module__:
        return "locked" in message or "busy" in message
    return error.connection_invalidated or isinstance(error, OperationalError | InterfaceError)


def plain_error(error: OSError | SQLAlchemyError, folder: Path) -> LinksightError:
    """The error to show to the user: cause, place, and how to resume."""
    onward = f"what was stored is safe; fix this, then resume with: linksight crawl resume {folder}"
    if isinstance(error, OSError):
        place = error.filename if isinstance(error.filename, str) else folder
        return CrawlError(f"{place}: {error.strerror or error}; {onward}")
    return StoreError(f"the crawl's database: {reason_of(error)}; {onward}")

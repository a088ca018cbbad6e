"""Open SQLite and PostgreSQL databases with SQLAlchemy.

SQLite is the default and uses WAL. The parts that own data (``sites``, ``crawl``) define the tables.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linksight.errors import MissingExtra, StoreError

if TYPE_CHECKING:
    from sqlalchemy import Engine, MetaData


def open_store(where: str | Path, metadata: MetaData | None = None) -> Engine:
    """Return an engine for a database URL or SQLite path, and create missing tables."""
    try:
        from sqlalchemy import URL, create_engine, event, make_url, text
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError:
        raise MissingExtra("sqlalchemy", "crawl", "the store") from None
    url = store_url(where)
    try:
        # Not make_url for paths: a file name may contain characters with a meaning in URLs.
        place = make_url(url) if "://" in str(where) else URL.create("sqlite", database=str(where))
        if "@" in (place.host or ""):
            raise ValueError("write an @ in the password as %40, or set PGPASSWORD")
        engine = create_engine(place, pool_pre_ping=True)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _prepare_sqlite)
        with engine.begin() as connection:
            if metadata is not None:
                if engine.dialect.name == "postgresql":
                    # Serialise concurrent table creation.
                    connection.execute(text("SELECT pg_advisory_xact_lock(7102006)"))
                metadata.create_all(connection)
    except (SQLAlchemyError, ImportError, OSError, ValueError) as error:
        raise StoreError(f"{without_password(url)}: {reason_of(error)}") from error
    return engine


def store_url(where: str | Path) -> str:
    """Return the SQLAlchemy URL of a database URL or a file path.

    >>> store_url("crawl.db")
    'sqlite:///crawl.db'
    >>> store_url("postgresql://me@db/crawl")
    'postgresql+psycopg://me@db/crawl'
    """
    text = str(where)
    kind, sign, rest = text.partition("://")
    if not sign:
        return f"sqlite:///{text}"
    if kind in ("postgresql", "postgres"):
        return f"postgresql+psycopg://{rest}"
    if kind.partition("+")[0] not in ("sqlite", "postgresql"):
        raise StoreError(
            f"{kind}://…: unsupported database; use the path of a SQLite file, or postgresql://user@host/name"
        )
    return text


def _prepare_sqlite(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    # With WAL, NORMAL survives a killed process; FULL survives a power cut too.
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA busy_timeout=30000")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def without_password(url: str) -> str:
    """Mask the password of a database URL, even of an invalid one.

    >>> without_password("postgresql://me:secret@db:port/crawl"), without_password("postgresql://me:p@ss@db/crawl")
    ('postgresql://me:***@db:port/crawl', 'postgresql://me:***@db/crawl')
    """
    return re.sub(r"(?<=://)([^/@:]*):.*@", r"\1:***@", url)


def reason_of(error: BaseException) -> str:
    """Return the first line of a database error message."""
    message = str(getattr(error, "orig", None) or (error.args and error) or "").strip()
    return message.splitlines()[0] if message else type(error).__name__

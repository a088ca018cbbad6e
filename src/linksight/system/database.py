"""Where things live that must not be lost: SQLite by default, PostgreSQL by URL.

The tables belong to the part that uses them (``sites``, ``crawl``); this module only opens the
database the one safe way: WAL and real durability on SQLite, clear errors everywhere.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linksight.errors import MissingExtra, StoreError

if TYPE_CHECKING:
    from sqlalchemy import Engine, MetaData


def open_store(where: str | Path, metadata: MetaData | None = None) -> Engine:
    """An engine for a database URL or the path of a SQLite file, with its tables made."""
    try:
        from sqlalchemy import URL, create_engine, event, make_url, text
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError:
        raise MissingExtra("sqlalchemy", "crawl", "the store") from None
    url = store_url(where)
    try:
        # Taken apart here: a file's name may hold what means something in a URL.
        place = make_url(url) if "://" in str(where) else URL.create("sqlite", database=str(where))
        if "@" in (place.host or ""):
            raise ValueError("an @ in a password is written %40; or leave it out, and set PGPASSWORD to it")
        engine = create_engine(place, pool_pre_ping=True)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _prepare_sqlite)
        with engine.begin() as connection:
            if metadata is not None:
                if engine.dialect.name == "postgresql":
                    # Two that open a new database at once would both try to make its tables.
                    connection.execute(text("SELECT pg_advisory_xact_lock(7102006)"))
                metadata.create_all(connection)
    except (SQLAlchemyError, ImportError, OSError, ValueError) as error:
        raise StoreError(f"{without_password(url)}: {reason_of(error)}") from error
    return engine


def store_url(where: str | Path) -> str:
    """A database URL from a URL or a file's path.

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
            f"{kind}://…: not a kind of database that is known; "
            "give the path of a SQLite file, or postgresql://user@host/name"
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
    """A database URL for everybody's eyes, also where it cannot be read.

    >>> without_password("postgresql://me:secret@db:port/crawl"), without_password("postgresql://me:p@ss@db/crawl")
    ('postgresql://me:***@db:port/crawl', 'postgresql://me:***@db/crawl')
    """
    return re.sub(r"(?<=://)([^/@:]*):.*@", r"\1:***@", url)


def reason_of(error: BaseException) -> str:
    """What a database said was wrong, on one line."""
    told = str(getattr(error, "orig", None) or (error.args and error) or "").strip()
    return told.splitlines()[0] if told else type(error).__name__

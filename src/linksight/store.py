"""Where things live that must not be lost: SQLite by default, PostgreSQL by URL.

The tables belong to the part that uses them (``sites``, ``crawl``); this module only opens the
database the one safe way: WAL and real durability on SQLite, clear errors everywhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from linksight.errors import MissingExtra, StoreError

if TYPE_CHECKING:
    from sqlalchemy import Engine, MetaData


def open_store(where: str | Path, metadata: MetaData | None = None) -> Engine:
    """An engine for a database URL or the path of a SQLite file, with its tables made."""
    try:
        from sqlalchemy import create_engine, event, text
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError:
        raise MissingExtra("sqlalchemy", "crawl", "the store") from None
    url = store_url(where)
    try:
        engine = create_engine(url, pool_pre_ping=True)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _prepare_sqlite)
        with engine.begin() as connection:
            if metadata is not None:
                if engine.dialect.name == "postgresql":
                    # Two that open a new database at once would both try to make its tables.
                    connection.execute(text("SELECT pg_advisory_xact_lock(7102006)"))
                metadata.create_all(connection)
    except (SQLAlchemyError, ImportError, OSError) as error:
        raise StoreError(f"{_without_password(url)}: {_first_line(error)}") from error
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


def _without_password(url: str) -> str:
    from sqlalchemy.engine import make_url

    return make_url(url).render_as_string(hide_password=True)


def _first_line(error: BaseException) -> str:
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]

"""Schema versions: new databases get the current tables, Alembic migrates older ones."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from linksight.crawl.frontier import sql_schema
from linksight.errors import StoreError
from linksight.system.database import open_store, reason_of

CURRENT_FORMAT = str(sql_schema.FORMAT)
OLDEST_FORMAT = 3  #: that can be migrated


def open_crawl_store(where: str | Path) -> Engine:
    """Open a crawl's database; create its tables, or migrate those of an earlier version."""
    engine = open_store(where)
    try:
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                # Two workers that open a new database at the same time would both create its tables.
                connection.execute(text("SELECT pg_advisory_xact_lock(7102006)"))
            else:
                connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
            _bring_up_to_date(connection)
    except SQLAlchemyError as error:
        engine.dispose()
        raise StoreError(f"the crawl's database: {reason_of(error)}") from error
    except StoreError:
        engine.dispose()
        raise
    return engine


def _bring_up_to_date(connection: Connection) -> None:
    found = _version(connection)
    if found == CURRENT_FORMAT:
        return
    is_new = not found
    if found and not OLDEST_FORMAT <= int(found) < int(CURRENT_FORMAT):
        raise StoreError(
            f"a later version of linksight began the crawl (tables of format {found}, this one knows {CURRENT_FORMAT}): "
            "resume it with that version, or begin a crawl in a new folder"
            if int(found) > int(CURRENT_FORMAT)
            else f"the crawl has tables of format {found}, and the oldest that can be migrated is {OLDEST_FORMAT}"
        )
    sql_schema.metadata.create_all(connection)
    if is_new:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)"))
        connection.execute(text("INSERT INTO alembic_version VALUES (:head)"), {"head": CURRENT_FORMAT})
    else:
        _migrate(connection, found)


def _version(connection: Connection) -> str:
    """The version of the tables; empty where there are none."""
    names = set(inspect(connection).get_table_names())
    if "alembic_version" in names:
        return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or "")
    if "crawl" not in names:
        return ""
    return str(connection.execute(text("SELECT format FROM crawl")).scalar() or "")


def _migrate(connection: Connection, found: str) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations"))
    config.attributes["connection"] = connection
    if "alembic_version" not in inspect(connection).get_table_names():
        command.stamp(config, found)
    command.upgrade(config, "head")

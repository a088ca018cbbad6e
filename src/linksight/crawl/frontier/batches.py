"""Batches: many rows in one statement, alike in SQLite and PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, TextClause, text
from sqlalchemy.dialects import postgresql, sqlite

CHUNK = 5_000  #: values in one IN (...)


def chunks(values: Iterable[Any]) -> Iterable[list[Any]]:
    """Lists of a length that every database accepts."""
    everything = list(values)
    for start in range(0, len(everything), CHUNK):
        yield everything[start : start + CHUNK]


def record_set(is_postgres: bool, columns: Mapping[str, str]) -> str:
    """A FROM item ``v`` with one row for each object of the JSON list ``:rows``.

    >>> record_set(True, {"id": "bigint"})
    'json_to_recordset(CAST(:rows AS json)) AS v(id bigint)'
    """
    if is_postgres:
        typed = ", ".join(f"{name} {kind}" for name, kind in columns.items())
        return f"json_to_recordset(CAST(:rows AS json)) AS v({typed})"
    fields = ", ".join(f"json_extract(value, '$.{name}') AS {name}" for name in columns)
    return f"(SELECT {fields} FROM json_each(:rows)) AS v"


def update_rows(
    connection: Connection,
    statement: str,
    columns: Mapping[str, str],
    rows: Sequence[Mapping[str, Any]],
    **values: Any,
) -> Any:
    """Run an ``UPDATE … FROM {rows} …`` over all rows at once; nothing where there are none."""
    if not rows:
        return None
    is_postgres = connection.dialect.name == "postgresql"
    query: TextClause = text(statement.replace("{rows}", record_set(is_postgres, columns)))
    return connection.execute(query, {"rows": json.dumps(rows), **values})


def dialect_insert(connection_or_engine: Any, table: Any) -> Any:
    """The INSERT of a dialect, which knows ``ON CONFLICT``."""
    dialect = postgresql if connection_or_engine.dialect.name == "postgresql" else sqlite
    return dialect.insert(table)

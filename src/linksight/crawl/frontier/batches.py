"""Batches: many rows in one statement, for SQLite and PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Connection, LargeBinary, Table, TextClause, any_, literal, text
from sqlalchemy.dialects import postgresql, sqlite

MAX_PARAMETERS = 5_000  #: values in one IN (...)


def chunks(values: Iterable[Any]) -> Iterable[list[Any]]:
    """Split values into lists that every database accepts as parameters."""
    items = list(values)
    for start in range(0, len(items), MAX_PARAMETERS):
        yield items[start : start + MAX_PARAMETERS]


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
    """Run an ``UPDATE … FROM {rows} …`` over all rows at once; returns None without rows."""
    if not rows:
        return None
    is_postgres = connection.dialect.name == "postgresql"
    query: TextClause = text(statement.replace("{rows}", record_set(is_postgres, columns)))
    return connection.execute(query, {"rows": json.dumps(rows), **values})


def insert_rows(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]], returning: str
) -> list[Any]:
    """Insert rows in one statement, skipping existing ones; returns a column of the new rows.

    PostgreSQL reads them from one JSON parameter: parsing thousands of parameters costs many times as much.
    """
    if not rows:
        return []
    column = table.c[returning]
    if connection.dialect.name != "postgresql":
        new = sqlite.insert(table).on_conflict_do_nothing().returning(column)
        return list(connection.execute(new, list(rows)).scalars())
    names = list(rows[0])
    is_binary = {name: isinstance(table.c[name].type, LargeBinary) for name in names}
    typed = ", ".join(
        f'"{name}" {"text" if is_binary[name] else table.c[name].type.compile(connection.dialect)}'
        for name in names
    )
    values = ", ".join(f"decode(v.\"{name}\", 'hex')" if is_binary[name] else f'v."{name}"' for name in names)
    columns = ", ".join(f'"{name}"' for name in names)
    query = text(
        f"INSERT INTO {table.name} ({columns}) SELECT {values} FROM json_to_recordset(CAST(:rows AS json)) AS v({typed}) "
        f"ON CONFLICT DO NOTHING RETURNING {returning}"
    )
    content = json.dumps(rows, default=bytes.hex)
    return list(connection.execute(query, {"rows": content}).scalars())


def among(connection: Connection, column: Any, values: Sequence[Any]) -> ColumnElement[bool]:
    """The condition that a column has one of many values; PostgreSQL gets them as one array parameter."""
    if connection.dialect.name != "postgresql":
        condition: ColumnElement[bool] = column.in_(values)
    else:
        condition = column == any_(literal(list(values), ARRAY(column.type)))
    return condition


def dialect_insert(connection_or_engine: Any, table: Any) -> Any:
    """The dialect's INSERT, which supports ``ON CONFLICT``."""
    dialect = postgresql if connection_or_engine.dialect.name == "postgresql" else sqlite
    return dialect.insert(table)

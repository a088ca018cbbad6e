"""A block of rows: Arrow columns, or JSON objects that are kept as they were written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from linksight.errors import BadData

NOT_JSON = "not a JSON object"


@dataclass(frozen=True)
class Block:
    """Some rows of one source; ``problems`` are those that the reader found, by row."""

    where: str
    columns: pa.Table
    problems: dict[int, str] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        rows: int = self.columns.num_rows
        return rows

    def names(self) -> list[str]:
        """The columns."""
        names: list[str] = self.columns.column_names
        return names

    def urls(self, column: str) -> Any:
        """The column of URLs as text; what is no text in a column of mixed types is null."""
        return _as_text(self.columns[column], column, self.where)

    def table(self) -> pa.Table:
        """The rows as Arrow."""
        return self.columns

    def records(self) -> Iterator[dict[str, Any]]:
        """The rows as plain values."""
        for batch in self.columns.to_batches(max_chunksize=8192):
            yield from batch.to_pylist()

    def slice(self, first: int) -> Block:
        """The rows from one on."""
        return Block(self.where, self.columns.slice(first))

    def take(self, rows: Any) -> Block:
        """Some of the rows, by number."""
        return Block(self.where, self.columns.take(rows))


@dataclass(frozen=True)
class JsonBlock(Block):
    """Rows of JSON lines: they may disagree about their fields and types."""

    rows: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, where: str, lines: list[bytes]) -> JsonBlock:
        """From lines; a line that is no JSON object is a row with a problem."""
        rows = [_parsed(line) for line in lines if line.strip()]
        problems = {i: NOT_JSON for i, row in enumerate(rows) if row is None}
        kept = [
            {"line": _shown(line)} if row is None else row
            for row, line in zip(rows, filter(bytes.strip, lines), strict=True)
        ]
        return cls(where, pa.table({}), problems, kept)

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    def names(self) -> list[str]:
        return list(
            dict.fromkeys(name for i, row in enumerate(self.rows) if i not in self.problems for name in row)
        )

    def urls(self, column: str) -> Any:
        values = [row.get(column) for row in self.rows]
        return texts([value if isinstance(value, str) else None for value in values])

    def table(self) -> pa.Table:
        rows = [{} if i in self.problems else row for i, row in enumerate(self.rows)]
        return pa.table({name: _column([row.get(name) for row in rows]) for name in self.names()})

    def records(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def slice(self, first: int) -> JsonBlock:
        problems = {row - first: reason for row, reason in self.problems.items() if row >= first}
        return JsonBlock(self.where, self.columns, problems, self.rows[first:])

    def take(self, rows: Any) -> JsonBlock:
        problems = {i: self.problems[row] for i, row in enumerate(rows.tolist()) if row in self.problems}
        return JsonBlock(self.where, self.columns, problems, [self.rows[row] for row in rows.tolist()])


def choose_column(names: list[str], wanted: str | None, where: str) -> str:
    """The name of the column with URLs: the one asked for, else ``url``, else the only one."""
    there = ", ".join(names) or "none"
    if wanted is not None and wanted not in names:
        raise BadData(f"{where}: no column {wanted!r}; there are: {there}")
    if wanted is not None:
        return wanted
    if "url" in names or len(names) == 1:
        return "url" if "url" in names else names[0]
    raise BadData(f"{where}: no column 'url'; choose one with --column: {there}")


def decoded(column: Any) -> Any:
    """A column of bytes as text; bytes that are no UTF-8 become the replacement character."""
    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:
        values = [
            value if value is None else value.decode("utf-8", "replace") for value in column.to_pylist()
        ]
        return pa.array(values, pa.string())


def texts(values: list[str | None]) -> Any:
    """Texts as Arrow; half a surrogate pair, which JSON can hold and UTF-8 cannot, is replaced."""
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError:
        return pa.array(
            [value and value.encode("utf-8", "replace").decode() for value in values], pa.string()
        )


def _as_text(values: Any, column: str, where: str) -> Any:
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return values
    if pa.types.is_null(kind):
        return values.cast(pa.string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return decoded(values.cast(pa.binary()))
    raise BadData(f"{where}: column {column!r} holds {kind}, not text")


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _shown(line: bytes) -> str:
    return line.decode("utf-8", "replace")[:1000]


def _column(values: list[Any]) -> pa.Array:
    """A column; as JSON text where the rows disagree about its type."""
    try:
        column = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError):
        return texts(
            [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
        )
    return column.cast(pa.string()) if pa.types.is_null(column.type) else column

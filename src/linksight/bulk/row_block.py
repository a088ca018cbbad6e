"""A block of rows, as Arrow columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linksight.bulk.formats.arrow_values import records_of
from linksight.errors import BadData
from linksight.reasons import BAD_ENCODING, UNCLOSED
from linksight.urls.arrow_input import holds_bytes


@dataclass(frozen=True)
class Look:
    """The input of scoring: column names, URLs and problems by row."""

    names: list[str]  #: all columns
    urls: Any  #: those of the column with URLs
    problems: dict[int, str] = field(default_factory=dict)  #: rows that are none, by row


@dataclass(frozen=True)
class Block:
    """Some rows of one source."""

    where: str
    columns: pa.Table
    problems: dict[int, str] = field(default_factory=dict, kw_only=True)  #: of rows that are none, by row
    is_quoted: bool = field(default=False, kw_only=True)  #: whether quotation marks may hold several lines

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        rows: int = self.columns.num_rows
        return rows

    def look(self, wanted: str | None) -> Look:
        """The names, and the column of URLs: the requested one, else ``url``, else the only one.

        In a column of mixed types, values that are not text become null.
        """
        names = self.columns.column_names
        if not names:
            return Look([], pa.nulls(self.n_rows, pa.string()))
        column = choose_column(_names_in(self.columns, wanted), wanted, self.where)
        urls = _as_text(values_in(self.columns, column), column, self.where)
        problems = self.problems | _unclosed(urls) if self.is_quoted else self.problems
        if problems:  # the URL column may hold any value
            rows = pa.array([row in problems for row in range(self.n_rows)])
            urls = pc.if_else(rows, pa.scalar(None, urls.type), urls)
        return Look(names, urls, problems)

    def table(self) -> pa.Table:
        """The rows as Arrow."""
        return self.columns

    def records(self) -> Iterator[dict[str, Any]]:
        """The rows as plain values."""
        for batch in self.columns.to_batches(max_chunksize=8192):
            yield from records_of(batch)

    def with_damage(self) -> Self:
        """The block with a problem in each row that holds a replacement character, where bytes were replaced."""
        damaged: set[int] = set()
        for column in self._texts():
            if pa.types.is_string(column.type) or pa.types.is_large_binary(column.type):
                found = pc.match_substring(column, "\ufffd").fill_null(False)
                damaged.update(np.flatnonzero(found).tolist())
        return replace(self, problems=dict.fromkeys(sorted(damaged), BAD_ENCODING) | self.problems)

    def _texts(self) -> list[Any]:
        return list(self.columns.columns)

    @property
    def n_bytes(self) -> int:
        """Approximate size in bytes."""
        size: int = self.columns.nbytes
        return size

    def slice(self, first: int) -> Self:
        """The rows from one on."""
        problems = {row - first: problem for row, problem in self.problems.items() if row >= first}
        rest = self.columns.slice(first)
        return replace(self, columns=rest, problems=problems)

    def take(self, rows: Any) -> Self:
        """Some of the rows, by number."""
        new = {int(row): i for i, row in enumerate(rows)} if self.problems else {}
        problems = {new[row]: problem for row, problem in self.problems.items() if row in new}
        return replace(self, columns=take_rows(self.columns, rows), problems=problems)


def _names_in(table: pa.Table, wanted: str | None) -> list[str]:
    """The columns, and the requested field ``column.field``."""
    names: list[str] = table.column_names
    return (
        [*names, wanted] if wanted and wanted not in names and values_in(table, wanted) is not None else names
    )


def values_in(table: pa.Table, column: str) -> Any:
    """A column, or a field of a struct column; None if it does not exist.

    >>> values_in(pa.table({"page": [{"url": "http://a.nl/"}, None]}), "page.url").to_pylist()
    ['http://a.nl/', None]
    """
    if column in table.column_names:
        return table[column]
    name, *path = column.split(".")
    values = table[name] if name in table.column_names else None
    for field_name in path:
        if (
            values is None
            or not pa.types.is_struct(values.type)
            or values.type.get_field_index(field_name) < 0
        ):
            return None
        values = pc.struct_field(values, field_name)
    return values


def take_rows(table: pa.Table, rows: Any) -> pa.Table:
    """Some rows of a table, by number."""
    numbers = rows if isinstance(rows, pa.Array | pa.ChunkedArray) else pa.array(rows)
    return pa.Table.from_arrays(
        [_take_column(column, numbers) for column in table.columns], schema=table.schema
    )


def _take_column(column: pa.ChunkedArray, rows: Any) -> Any:
    """Some rows of a column; Arrow cannot take from views, and of views within lists only piece by piece."""
    kind = column.type
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        plain = pa.large_string() if pa.types.is_string_view(kind) else pa.large_binary()
        return column.cast(plain).take(rows).cast(kind)
    try:
        return column.take(rows)
    except pa.ArrowNotImplementedError:
        combined = column.combine_chunks()
        return pa.concat_arrays([combined.slice(0, 0), *(combined.slice(row, 1) for row in rows.to_pylist())])


def _unclosed(urls: Any) -> dict[int, str]:
    """Addresses that hold lines with others: a quotation mark before the first was never closed.

    >>> _unclosed(pa.array(["http://a.nl/", "http://b.nl/\\nhttp://c.nl/\\nhttp://d.nl/", None]))
    {1: 'quotation mark not closed (3 lines)'}
    """
    broken = pc.match_substring(urls, "\n")
    if not pc.any(broken).as_py():
        return {}
    unclosed_urls = {int(row): urls[int(row)].as_py() for row in np.flatnonzero(broken.fill_null(False))}
    return {
        row: f"{UNCLOSED} ({url.count(chr(10)) + 1:,} lines)"
        for row, url in unclosed_urls.items()
        if "://" in url.partition("\n")[2]
    }


def choose_column(names: list[str], wanted: str | None, where: str) -> str:
    """The name of the URL column: the requested one, else ``url`` in any case, else the only one.

    >>> choose_column(["id", "URL"], None, "list.csv")
    'URL'
    """
    there = ", ".join(names) or "none"
    if wanted is not None and wanted not in names:
        raise BadData(f"{where}: no column {wanted!r}; there are: {there}")
    if wanted is not None:
        return wanted
    likely = ["url"] if "url" in names else [name for name in names if name.strip().casefold() == "url"]
    if len(likely or names) == 1:
        return (likely or names)[0]
    raise BadData(f"{where}: no column 'url'; choose one with --column: {there}")


def not_before(where: str, column: str, before: str = "") -> str:
    """The problem of rows with a column that the started table lacks."""
    of_it = f" ({before})" if before else ""
    return f"{where}: column {column!r} is not in the rows before{of_it}; write JSON lines (--format jsonl)"


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
    if holds_bytes(kind):
        return decoded(values.cast(pa.binary()))
    of_it = (
        f"; name a field of it, such as {column}.{kind[0].name}"
        if pa.types.is_struct(kind) and kind.num_fields
        else ""
    )
    raise BadData(f"{where}: column {column!r} holds {kind}, not text{of_it}")

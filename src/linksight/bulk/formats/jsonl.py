"""JSON lines: parsed for their URLs, written back byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from linksight.bulk.row_block import Block, Look, choose_column, texts
from linksight.reasons import NOT_TEXT

NOT_JSON = "not a JSON object"


@dataclass(frozen=True)
class JsonBlock(Block):
    """Rows of JSON lines: they may disagree about their fields and types."""

    #: each line with its end, one after the other: the text of the file is the memory of this column
    lines: Any = field(default_factory=lambda: pa.array([], pa.large_binary()))

    @classmethod
    def of(cls, where: str, text: bytes) -> JsonBlock:
        r"""From lines; a line that is no JSON object is a row with a problem.

        >>> found = JsonBlock.of("x", b'{"url": "a"}\n\nnull\n{"url": 1}').look(None)
        >>> found.urls.to_pylist(), found.problems
        (['a', None, None], {1: 'not a JSON object', 2: 'not text'})
        """
        return cls(where, pa.table({}), lines=lines_of(text))

    @property
    def n_rows(self) -> int:
        return len(self.lines)

    @property
    def n_bytes(self) -> int:
        size: int = self.lines.nbytes
        return size

    def look(self, wanted: str | None) -> Look:
        name = wanted or "url"
        found, values = self._scanned(name)
        if name not in found.names and len(found.problems) < self.n_rows:
            found, values = self._scanned(choose_column(found.names, wanted, self.where))
        numbers = {
            i: NOT_TEXT for i, value in enumerate(values) if value is not None and type(value) is not str
        }
        problems = found.problems | numbers
        urls = [None if i in problems else value for i, value in enumerate(values)] if problems else values
        return replace(found, urls=texts(urls), problems=problems)

    def table(self) -> pa.Table:
        table = _table(self._objects())
        if any(map(_may_have_lost_digits, table.columns)):
            return _table([parsed(line, exact=True) or {} for line in self.lines.to_pylist()])
        return table

    def records(self) -> Iterator[dict[str, Any]]:
        return (broken(line) if (row := parsed(line)) is None else row for line in self.lines.to_pylist())

    def slice(self, first: int) -> JsonBlock:
        return replace(super().slice(first), lines=self.lines.slice(first))

    def take(self, rows: Any) -> JsonBlock:
        return replace(super().take(rows), lines=self.lines.take(pa.array(rows)))

    def _texts(self) -> list[Any]:
        return [self.lines]

    def _objects(self) -> list[dict[str, Any]]:
        """The parsed objects; empty for lines that are not objects."""
        lines = self.lines.to_pylist()
        try:
            rows = list(map(orjson.loads, lines))
        except ValueError:
            return [parsed(line) or {} for line in lines]
        return rows if set(map(type, rows)) <= {dict} else [row if type(row) is dict else {} for row in rows]

    def _scanned(self, column: str) -> tuple[Look, list[Any]]:
        """Names and problems of all rows, and the values of one column; no row is kept."""
        rows = self._objects()
        values = [row.get(column) for row in rows]
        names = list(dict.fromkeys(chain.from_iterable(rows)))
        if "." in column and column not in names:  # a field of a field
            holders = [_holder(row, column.split(".")) for row in rows]
            values = [fields.get(column.rpartition(".")[2]) for fields in holders]
            names += [column] if any(column.rpartition(".")[2] in fields for fields in holders) else []
        lines = self.lines
        problems = {i: NOT_JSON for i, row in enumerate(rows) if not row and parsed(lines[i].as_py()) is None}
        return Look(names, None, self.problems | problems), values


def _holder(row: dict[str, Any], path: list[str]) -> dict[str, Any]:
    """The object that holds the last field of a path; empty if there is none.

    >>> _holder({"page": {"url": "http://a.nl/"}}, ["page", "url"]), _holder({"page": 7}, ["page", "url"])
    ({'url': 'http://a.nl/'}, {})
    """
    for name in path[:-1]:
        child = row.get(name)
        row = child if isinstance(child, dict) else {}
    return row


def broken(line: bytes) -> dict[str, Any]:
    """The replacement object for a line that is not an object."""
    return {"line": line.rstrip(b"\r\n").decode("utf-8", "replace")[:1000]}


def lines_of(text: bytes) -> Any:
    """The lines of a text that are not empty, each with its end, without a copy."""
    text = text if text.endswith(b"\n") or not text else text + b"\n"
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    offsets = np.concatenate([np.zeros(1, np.int64), ends + 1])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(text)]
    lines = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(ends), buffers)
    # Objects begin with a brace: only lines that do not are looked at one by one.
    odd = np.flatnonzero(np.frombuffer(text, np.uint8)[offsets[:-1]] != ord("{"))
    empty = [i for i in odd.tolist() if not lines[i].as_py().strip()]
    return lines.take(pa.array(np.delete(np.arange(len(ends)), empty))) if empty else lines


def parsed(line: bytes, exact: bool = False) -> dict[str, Any] | None:
    """The object of a line, or None if it is not one. ``exact`` keeps every digit of long numbers."""
    try:
        row = json.loads(line) if exact else orjson.loads(line)
    except (ValueError, RecursionError):
        return None if exact else parsed(line, True)  # this parser accepts common extensions, such as NaN
    return row if isinstance(row, dict) else None


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    names = dict.fromkeys(chain.from_iterable(rows))
    return pa.table({name: _column([row.get(name) for row in rows]) for name in names})


def _may_have_lost_digits(column: Any) -> bool:
    """Whole numbers beyond 64 bits are floats for orjson; Python keeps every digit."""
    if pa.types.is_float64(column.type):
        return bool(pc.any(pc.greater_equal(pc.abs(column), float(2**63))).as_py())
    return pa.types.is_nested(column.type) and "double" in str(column.type)


def _column(values: list[Any]) -> pa.Array:
    """A column; as JSON text where the rows disagree about its type."""
    try:
        column = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError):
        return texts(
            [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
        )
    return column.cast(pa.string()) if pa.types.is_null(column.type) else column

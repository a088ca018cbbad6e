"""Columns as the text of JSON lines, without a Python object a row where the types allow it."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linksight.bulk.formats.arrow_values import values_of
from linksight.bulk.formats.jsonl import JsonBlock, broken, parsed
from linksight.bulk.row_block import Block

_TO_ESCAPE = r'["\\\x00-\x1f]'


def labelled_lines(block: Block, found: pa.Table) -> bytes:
    """The rows of a block as JSON lines, each with its row of ``found`` at its end."""
    if not block.n_rows:
        return b""
    ends = [_fields(found), _text("}\n")]
    if isinstance(block, JsonBlock):
        return _bytes(_joined([*_heads(block, found), *ends]))
    if not block.columns.num_columns:
        return _bytes(_joined([_text("{"), *ends]))
    return _bytes(_joined([_text("{"), _fields(block.columns), _text(", "), *ends]))


def _heads(block: JsonBlock, found: pa.Table) -> tuple[Any, Any]:
    """The unchanged lines up to their closing brace, and the separator after it: mostly a comma."""
    lines = block.lines if _end_in_a_brace(block.lines) else _trimmed(block.lines)
    heads, comma = pc.binary_slice(lines, 0, -2), _text(", ")
    problem = found.column(2)
    if problem.null_count == len(problem):
        return heads, comma
    # Among the rows without a language are lines that are no objects, and objects without fields.
    which = np.asarray(pc.is_valid(problem))
    rows = [parsed(line) for line in block.lines.filter(pa.array(which)).to_pylist()]
    odd = [i for i, row in zip(np.flatnonzero(which).tolist(), rows, strict=True) if not row]
    if not odd:
        return heads, comma
    texts = heads.to_pylist()
    commas = [b", "] * len(texts)
    for i in odd:
        line = block.lines[i].as_py()
        is_object = parsed(line) is not None
        texts[i] = b"{" if is_object else json.dumps(broken(line), ensure_ascii=False).encode()[:-1]
        commas[i] = b"" if is_object else b", "
    return pa.array(texts, pa.large_binary()), pa.array(commas, pa.large_binary())


def _end_in_a_brace(lines: Any) -> bool:
    _, offsets, data = lines.buffers()
    ends = np.frombuffer(offsets, np.int64)[lines.offset + 1 : lines.offset + len(lines) + 1]
    return bool((np.frombuffer(data, np.uint8)[ends - 2] == ord("}")).all())


def _trimmed(lines: Any) -> Any:
    """Without spaces and carriage returns at their ends."""
    return pa.array([line.rstrip() + b"\n" for line in lines.to_pylist()], pa.large_binary())


def _fields(table: pa.Table) -> Any:
    """``"name": value`` for every column, with commas between."""
    parts: list[Any] = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        comma = ", " if parts else ""
        parts += [_text(f"{comma}{json.dumps(name, ensure_ascii=False)}: "), cells(column)]
    return _joined(parts)


def cells(column: Any) -> Any:
    """Every value of a column as JSON.

    >>> cells(pa.chunked_array([['a"b', None, "é"]])).to_pylist()
    [b'"a\\\\"b"', b'null', b'"\\xc3\\xa9"']
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    kind = column.type
    if pa.types.is_dictionary(kind):
        return cells(column.cast(kind.value_type))
    if column.null_count == len(column):
        return pa.array([b"null"] * len(column), pa.large_binary())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        found = _quoted(column)
    elif pa.types.is_integer(kind) or pa.types.is_float32(kind):
        found = column.cast(pa.string())
        if pa.types.is_float32(kind) and not pc.all(pc.is_finite(column)).as_py():
            return _plainly(column)
    elif pa.types.is_boolean(kind):
        found = pc.if_else(column, "true", "false")
    else:
        return _plainly(column)
    found = found.cast(pa.large_string()).cast(pa.large_binary())
    return found.fill_null(_text("null")) if found.null_count else found


def _quoted(column: Any) -> Any:
    odd = pc.match_substring_regex(column, _TO_ESCAPE)
    text = column.cast(pa.large_string())
    mark = pa.scalar('"', pa.large_string())
    quoted = pc.binary_join_element_wise(mark, text, mark, pa.scalar("", pa.large_string()))
    if pc.any(odd).as_py():
        which = pc.fill_null(odd, False)
        escaped = [json.dumps(value, ensure_ascii=False) for value in text.filter(which).to_pylist()]
        quoted = pc.replace_with_mask(quoted, which, pa.array(escaped, pa.large_string()))
    return quoted


def _plainly(column: Any) -> Any:
    """By Python: nested values, dates, decimals, bytes, and floats as Python writes them."""
    values = [json_of(value) for value in values_of(column)]
    return pa.array([value.encode("utf-8", "replace") for value in values], pa.large_binary())


def json_of(value: Any) -> str:
    """A value as JSON; NaN and infinities become null, because most readers refuse them.

    >>> json_of({"a": [float("nan"), 1.5]})
    '{"a": [null, 1.5]}'
    """
    try:
        return json.dumps(value, ensure_ascii=False, default=plain, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, default=plain)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def plain(value: Any) -> Any:
    """Dates, decimals and bytes as JSON can hold them."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _text(text: str) -> pa.Scalar:
    return pa.scalar(text.encode("utf-8", "replace"), pa.large_binary())


def _joined(parts: list[Any]) -> Any:
    return pc.binary_join_element_wise(*parts, _text(""))


def _bytes(rows: Any) -> bytes:
    """All texts one after the other, which is how Arrow keeps them."""
    _, offsets, data = rows.buffers()
    ends = np.frombuffer(offsets, np.int64)[rows.offset : rows.offset + len(rows) + 1]
    return bytes(memoryview(data)[int(ends[0]) : int(ends[-1])])

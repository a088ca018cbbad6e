"""Arrow columns as plain Python values of any type; as text if Python has no such type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa


def values_of(column: Any) -> list[Any]:
    """The values of a column.

    Other engines have dates before year 1, after 9999 and at infinity, and nanoseconds, which Python
    lacks: they become Arrow's text form, and null within lists and structs.

    >>> values_of(pa.array([0, 3_000_000], pa.date32()))
    [datetime.date(1970, 1, 1), '10183-09-21']
    """
    try:
        values: list[Any] = column.to_pylist()
    except (OverflowError, ValueError):
        values = [_value(column, i) for i in range(len(column))]
    return values


def records_of(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """The rows of a batch."""
    columns = [values_of(column) for column in batch.columns]
    for row in zip(*columns, strict=True):
        yield dict(zip(batch.schema.names, row, strict=True))


def _value(column: Any, row: int) -> Any:
    try:
        return column[row].as_py()
    except (OverflowError, ValueError):
        is_time = pa.types.is_temporal(column.type)
        return column.slice(row, 1).cast(pa.string())[0].as_py() if is_time else None

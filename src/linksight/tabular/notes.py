"""Notes in the footers of Parquet files, by which pandas, GeoPandas, Spark and others know their tables again."""

from __future__ import annotations

import json
from collections.abc import Iterable

Notes = dict[bytes, bytes]

# They list all columns for a program that reads no others: by them those that are added would not be there.
_LISTS = (
    b"ARROW:schema", b"org.apache.spark.sql.parquet.row.metadata", b"parquet.avro.schema", b"avro.schema",
    b"iceberg.schema", b"parquet.proto.class", b"parquet.proto.descriptor", b"thrift.class", b"thrift.descriptor",
)  # fmt: skip
_PANDAS = b"pandas"


def kept_notes(files: Iterable[Notes]) -> Notes:
    """What holds of a table made of these files: what all of them say alike, and stays true with columns added.

    >>> kept_notes([{b"geo": b"{}", b"ARROW:schema": b"..."}, {b"geo": b"{}", b"by": b"me"}])
    {b'geo': b'{}'}
    """
    first, *others = files
    return {
        key: value
        for key, value in first.items()
        if key not in _LISTS
        and all(other.get(key) == value for other in others)
        and (key != _PANDAS or _has_plain_names(value))
    }


def _has_plain_names(note: bytes) -> bool:
    """Whether pandas takes names of columns for texts; where it reads numbers or tuples, ours would be none.

    >>> _has_plain_names(b'{"column_indexes": [{"pandas_type": "int64"}]}')
    False
    """
    try:
        levels = json.loads(note)["column_indexes"]
        return not levels or (len(levels) == 1 and levels[0]["pandas_type"] in ("unicode", "string", "empty"))
    except (ValueError, LookupError, TypeError, RecursionError):
        return False

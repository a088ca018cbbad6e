"""Columns of URLs as Arrow: lists, NumPy, pandas, Polars, sliced, chunked, ``large_string``, with nulls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData

if TYPE_CHECKING:
    import pyarrow as pa


def arrow_chunks(urls: Any) -> list[pa.Array] | None:
    """The Arrow arrays behind a column, or None where there are none."""
    check_column(urls)
    if hasattr(urls, "to_arrow") and not isinstance(urls, list):  # Polars
        urls = urls.to_arrow()
    elif type(urls).__module__.startswith("pandas"):
        urls = to_arrow(urls.tolist() if hasattr(urls, "tolist") else list(urls))
    if not type(urls).__module__.startswith("pyarrow"):
        return None
    import pyarrow as pa

    chunks = urls.chunks if isinstance(urls, pa.ChunkedArray) else [urls]
    return [_as_strings(chunk) for chunk in chunks]


def check_column(urls: Any) -> None:
    """Refuse a whole table, which would be read as the names of its columns, or not at all."""
    names = next((getattr(urls, name) for name in ("column_names", "columns") if hasattr(urls, name)), None)
    if names is None:
        return
    listed = ", ".join(map(str, names))
    raise BadData(f"a table where one column of URLs is needed; take one of its columns: {listed or 'none'}")


def _as_strings(chunk: Any) -> pa.Array:
    import pyarrow as pa

    kind = chunk.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return chunk
    if pa.types.is_dictionary(kind) or pa.types.is_string_view(kind) or pa.types.is_null(kind):
        return chunk.cast(pa.large_string())
    raise BadData(f"a column of URLs must hold text, not {kind}")


def to_arrow(urls: list[Any]) -> Any:
    """A list as Arrow; what is no text becomes null and is reported as such."""
    import pyarrow as pa

    try:
        return pa.array(urls, pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
        clean = [url.encode("utf-8", "replace").decode() if isinstance(url, str) else None for url in urls]
        return pa.array(clean, pa.large_string())


def buffers_of(array: pa.Array) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Bytes and offsets of a string array, where they lie; a slice's offset is ours to apply."""
    import pyarrow as pa

    wide = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    _, offsets, data = array.buffers()
    starts = np.frombuffer(offsets, np.int64 if wide else np.int32)[
        array.offset : array.offset + len(array) + 1
    ]
    text = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
    for part in (text, starts):  # whether they may be written to or not, one compiled version serves
        part.flags.writeable = False
    return text, starts

"""Columns of URLs as Arrow: lists, NumPy, pandas, Polars, sliced, chunked, ``large_string``, with nulls."""

from __future__ import annotations

import os
from collections.abc import Iterable
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
        urls = _behind_pandas(urls)
    if not type(urls).__module__.startswith("pyarrow"):
        return None
    import pyarrow as pa

    chunks = urls.chunks if isinstance(urls, pa.ChunkedArray) else [urls]
    return [_as_strings(chunk) for chunk in chunks]


def _behind_pandas(urls: Any) -> Any:
    """The text of Arrow that a column of pandas is made of, as it lies; of other columns a copy."""
    import pyarrow as pa

    kind = getattr(urls, "dtype", None)
    if type(kind).__name__ == "ArrowDtype" or getattr(kind, "storage", "") == "pyarrow":
        found = urls.array.__arrow_array__()
        if pa.types.is_string(found.type) or pa.types.is_large_string(found.type):
            return found
    return to_arrow(urls.tolist() if hasattr(urls, "tolist") else list(urls))


def check_column(urls: Any) -> None:
    """Refuse what is no column: one text, nothing, and a table, which would be read as the names of its columns.

    >>> check_column("http://a.nl/")
    Traceback (most recent call last):
    linksight.errors.BadData: one text where a list is needed: 'http://a.nl/'
    """
    if isinstance(urls, str | bytes | bytearray | memoryview | os.PathLike):
        raise BadData(f"one text where a list is needed: {urls!r}")
    if (names := _names(urls)) is not None:
        listed = ", ".join(map(str, names))
        raise BadData(
            f"a table where one column of URLs is needed; take one of its columns: {listed or 'none'}"
        )
    if getattr(urls, "ndim", 1) != 1:
        raise BadData(f"one column of URLs is needed, not an array of {urls.ndim} dimensions")
    if not isinstance(urls, Iterable):
        raise BadData(f"a list or column of URLs is needed, not {type(urls).__name__}: {urls!r}")


def _names(urls: Any) -> Any:
    """The columns of a table, None for all else. A lazy frame of Polars would complain of being asked."""
    if hasattr(urls, "collect_schema"):
        return urls.collect_schema().names()
    if type(urls).__module__.startswith("pyarrow") and hasattr(urls, "schema"):  # readers, datasets
        return urls.schema.names
    return next((getattr(urls, name) for name in ("column_names", "columns") if hasattr(urls, name)), None)


def texts_in(column: NDArray[np.bytes_]) -> list[str | None]:
    """The texts of NumPy's columns of bytes, which are UTF-8 or nothing.

    >>> texts_in(np.array([b"http://a.nl/", b"\\xff"]))
    ['http://a.nl/', None]
    """
    return [_text(value) for value in column.tolist()]


def _text(value: bytes | None) -> str | None:
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return None


def holds_bytes(kind: pa.DataType) -> bool:
    """Whether a column is of bytes, in any of Arrow's layouts.

    >>> import pyarrow as pa
    >>> holds_bytes(pa.large_binary()), holds_bytes(pa.binary(16)), holds_bytes(pa.string())
    (True, True, False)
    """
    from pyarrow import types

    layouts = (types.is_binary, types.is_large_binary, types.is_binary_view, types.is_fixed_size_binary)
    return any(is_one(kind) for is_one in layouts)


def _as_strings(chunk: Any) -> pa.Array:
    """A chunk of any type that can hold text, as strings; bytes that are no UTF-8 are null."""
    import pyarrow as pa

    kind, is_a = chunk.type, pa.types
    if is_a.is_string(kind) or is_a.is_large_string(kind):
        return chunk
    if is_a.is_string_view(kind) or is_a.is_null(kind):
        return chunk.cast(pa.large_string())
    if is_a.is_dictionary(kind):
        return _as_strings(chunk.dictionary_decode())
    if is_a.is_run_end_encoded(kind):
        import pyarrow.compute as pc

        return _as_strings(pc.run_end_decode(chunk))
    if isinstance(chunk, pa.ExtensionArray):
        return _as_strings(chunk.storage)
    if holds_bytes(kind):
        return pa.array(map(_text, chunk.to_pylist()), pa.large_string())
    raise BadData(f"a column of URLs must hold text, not {kind}")


def to_arrow(urls: list[Any]) -> Any:
    """A list as Arrow; what is no text becomes null and is reported as such."""
    import pyarrow as pa

    try:
        # Bytes, which Arrow takes for text, are no address one at a time either.
        if not any(issubclass(kind, bytes) for kind in set(map(type, urls))):
            return pa.array(urls, pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
        pass
    clean = [url.encode("utf-8", "replace").decode() if isinstance(url, str) else None for url in urls]
    return pa.array(clean, pa.large_string())


def nulls_of(urls: Any) -> NDArray[np.bool_]:
    """Which rows of a column hold nothing at all, as each kind of column says it.

    >>> nulls_of(["http://a.nl/", None, float("nan"), 5]).tolist()
    [False, True, True, False]
    """
    for method in ("is_null", "isna"):  # Arrow and Polars, pandas
        if hasattr(urls, method):
            return np.asarray(getattr(urls, method)(), dtype=np.bool_)
    # What is missing among objects is None, a number that is none, or pandas' own sign for it.
    return np.array(
        [
            url is None or (isinstance(url, float) and url != url) or type(url).__name__ == "NAType"
            for url in urls
        ],
        np.bool_,
    )


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

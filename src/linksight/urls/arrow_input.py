"""Read columns of URLs: lists, NumPy, pandas, Polars, Arrow (sliced, chunked), bytes, nulls.

``pyarrow.array`` and ``pyarrow.scalar`` import pandas where it is installed, which takes 0.1 s and 70 MB;
``to_arrow`` and ``numbers_to_arrow`` do not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData

if TYPE_CHECKING:
    import pyarrow as pa

_MISSING = ("NAType", "NaTType", "MaskedConstant")  #: signs of pandas and NumPy for what is not there


def arrow_chunks(urls: Any) -> list[pa.Array] | None:
    """The Arrow arrays behind a column, or None where there are none."""
    check_column(urls)
    urls = typed(urls)
    if not type(urls).__module__.startswith("pyarrow"):
        return None
    import pyarrow as pa

    chunks = urls.chunks if isinstance(urls, pa.ChunkedArray) else [urls]
    return [_as_strings(chunk) for chunk in chunks]


def typed(column: Any) -> Any:
    """A column of Polars or pandas as Arrow where its type is one of Arrow's; any other as it is."""
    kind = getattr(column, "dtype", None)
    if hasattr(column, "to_arrow") and not isinstance(column, list):
        # Polars; of objects Arrow gets addresses in memory.
        return column if str(kind) == "Object" else column.to_arrow()
    if type(kind).__name__ in ("ArrowDtype", "StringDtype") and type(kind).__module__.startswith("pandas"):
        return getattr(column, "array", column).__arrow_array__()
    return column


def check_column(urls: Any) -> None:
    """Raise BadData for anything but a column, such as one text or a table.

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
    if getattr(urls, "nlevels", 1) != 1:  # of pandas
        raise BadData(f"one column of URLs is needed, not an index of {urls.nlevels} levels")
    if not isinstance(urls, Iterable):
        raise BadData(f"a list or column of URLs is needed, not {type(urls).__name__}: {urls!r}")


def _names(urls: Any) -> Any:
    """The columns of a table, None for all else. A lazy frame of Polars would complain of being asked."""
    if hasattr(urls, "collect_schema"):
        return urls.collect_schema().names()
    if type(urls).__module__.startswith("pyarrow") and hasattr(urls, "schema"):  # readers, datasets
        return urls.schema.names
    return next((getattr(urls, name) for name in ("column_names", "columns") if hasattr(urls, name)), None)


def texts_in(values: list[Any]) -> list[Any]:
    """The values of a column of bytes as text, which is UTF-8 or nothing; of any other column as they are.

    >>> texts_in([b"http://a.nl/", b"\\xff", None, 5])
    ['http://a.nl/', None, None, 5]
    """
    return [_text(value) if isinstance(value, bytes) else value for value in values]


def _text(value: bytes) -> str | None:
    try:
        return value.decode()
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
        return pa.array(texts_in(chunk.to_pylist()), pa.large_string())
    raise BadData(f"a column of URLs must hold text, not {kind}")


def text_buffers(values: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.bool_] | None]:
    """UTF-8 bytes, offsets, and which rows hold no text (None: all do), of a list or an Arrow string array.

    >>> data, offsets, missing = text_buffers(["http://a.nl/", None])
    >>> bytes(data), offsets.tolist(), missing.tolist()
    (b'http://a.nl/', [0, 12, 12], [False, True])
    """
    if not isinstance(values, list):
        data, starts = buffers_of(values)
        return data, starts.astype(np.int64), _nulls(values) if values.null_count else None
    missing = None
    try:
        text = "".join(values)
        pieces = values if text.isascii() else list(map(str.encode, values))
        joined = text.encode()
    except (TypeError, UnicodeEncodeError):  # a value that is no text, or half a surrogate pair
        missing = np.array([not isinstance(value, str) for value in values], np.bool_)
        pieces = [value.encode("utf-8", "replace") if isinstance(value, str) else b"" for value in values]
        joined = b"".join(pieces)
    offsets = np.zeros(len(values) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, pieces), np.int64, len(values)), out=offsets[1:])
    return np.frombuffer(joined or b"\0", np.uint8), offsets, missing


def _nulls(array: pa.Array) -> NDArray[np.bool_]:
    """Which rows of an Arrow array are null; its bitmap has 1 for a value."""
    bits = np.frombuffer(array.buffers()[0], np.uint8)[array.offset // 8 :]
    values = np.unpackbits(bits, count=array.offset % 8 + len(array), bitorder="little")
    missing: NDArray[np.bool_] = values[array.offset % 8 :] == 0
    return missing


def to_arrow(urls: list[Any]) -> Any:
    """A list as an Arrow array of strings; what is no text becomes null."""
    import pyarrow as pa

    data, offsets, missing = text_buffers(urls)
    bits = None if missing is None else pa.py_buffer(np.packbits(~missing, bitorder="little"))
    return pa.Array.from_buffers(
        pa.large_string(), len(urls), [bits, pa.py_buffer(offsets), pa.py_buffer(data)]
    )


def numbers_to_arrow(numbers: NDArray[Any]) -> pa.Array:
    """A NumPy array as an Arrow array, without a copy.

    >>> numbers_to_arrow(np.arange(3, dtype=np.int32)).to_pylist()
    [0, 1, 2]
    """
    import pyarrow as pa

    kind = pa.from_numpy_dtype(numbers.dtype)
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])


def nulls_of(urls: Any) -> NDArray[np.bool_]:
    """Which rows of a column are null, None, NaN or a library's missing value.

    >>> nulls_of(["http://a.nl/", None, float("nan"), 5]).tolist()
    [False, True, True, False]
    """
    for method in ("is_null", "isna"):  # Arrow and Polars, pandas
        if hasattr(urls, method):
            return np.asarray(getattr(urls, method)(), dtype=np.bool_)
    # Among objects: None, NaN, or a library's missing value.
    return np.array(
        [
            url is None or (isinstance(url, float) and url != url) or type(url).__name__ in _MISSING
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

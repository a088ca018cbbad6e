"""The automaton over a column of URLs, however it is given: a list, NumPy, pandas, Polars or Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData, BadUrl
from linksight.sites.kernel import BAD_URL, match_rows
from linksight.sites.layout import Tables
from linksight.sites.tokens import as_unicode

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.sites.automaton import Automaton

SMALL = 512  #: below this the plain automaton answers before the kernel would be compiled


def match_column(automaton: Automaton, urls: Any) -> NDArray[np.int32]:
    """The best pattern's position for each URL, -1 where none matches, -2 where there is no web address."""
    if isinstance(urls, str):
        raise BadData("match_all takes many URLs; match takes one")
    if isinstance(urls, (list, tuple)) and len(urls) < SMALL:
        return np.array([_find_one(automaton, url) for url in urls], dtype=np.int32)
    chunks = [_match_array(automaton.tables, chunk) for chunk in as_chunks(urls)]
    return np.concatenate(chunks) if chunks else np.empty(0, dtype=np.int32)


def _find_one(automaton: Automaton, url: Any) -> int:
    try:
        return automaton.find(url)
    except BadUrl:
        return BAD_URL


def as_chunks(urls: Any) -> list[pa.Array]:
    """The URLs as Arrow arrays of ``large_string``, whatever column they came as."""
    import pyarrow as pa

    if isinstance(urls, pa.ChunkedArray):
        return [_as_strings(chunk) for chunk in urls.chunks]
    if isinstance(urls, pa.Array):
        return [_as_strings(urls)]
    if hasattr(urls, "to_arrow"):  # Polars
        return as_chunks(urls.to_arrow())
    if not hasattr(urls, "__len__"):
        urls = list(urls)
    try:
        return [pa.array(urls, type=pa.large_string(), from_pandas=True)]
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
        # Something is no text, or no Unicode: that row is bad, the others are not.
        return [pa.array([_text_or_none(url) for url in urls], type=pa.large_string())]


def _text_or_none(url: Any) -> str | None:
    return as_unicode(url) if isinstance(url, str) else None


def _as_strings(array: pa.Array) -> pa.Array:
    import pyarrow as pa

    try:
        return array.cast(pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise BadData(f"a column of {array.type} holds no URLs: {error}") from None


def _match_array(tables: Tables, array: pa.Array) -> NDArray[np.int32]:
    n = len(array)
    _, offsets, values = array.buffers()
    if n == 0 or offsets is None:
        return np.full(n, BAD_URL, dtype=np.int32)
    starts = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + n + 1]
    text = np.frombuffer(values, dtype=np.uint8) if values is not None else np.empty(0, dtype=np.uint8)
    found = np.empty(n, dtype=np.int32)
    longest = max(1, int(np.diff(starts).max()))
    room = (np.empty(longest, np.uint8), np.empty(tables.width, np.int32), np.empty(tables.width, np.int32))
    given = (tables.literals, tables.wild, tables.ends, tables.specific, tables.pool, tables.has_stems)
    match_rows(text, starts, found, room, *given)
    if array.null_count:
        found[np.asarray(array.is_null())] = BAD_URL
    return found

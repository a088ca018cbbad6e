"""The automaton over a column of URLs, however it is given; see :mod:`linksight.urls.arrow_input`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData, BadUrl
from linksight.features.url_buffer import as_list
from linksight.sites.matching.automaton_kernel import BAD_URL, match_rows
from linksight.sites.matching.automaton_tables import Tables
from linksight.sites.patterns.wildcards import as_people_write, is_coded
from linksight.urls.arrow_input import arrow_chunks, buffers_of, to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.sites.matching.automaton import Automaton

SMALL = 512  #: below this the plain automaton answers before the kernel would be compiled


def match_column(automaton: Automaton, urls: Any) -> NDArray[np.int32]:
    """The best pattern's position for each URL, -1 where none matches, -2 where there is no web address."""
    if isinstance(urls, str):
        raise BadData("match_all takes many URLs; match takes one")
    if isinstance(urls, (list, tuple)) and len(urls) < SMALL:
        return np.array([_find_one(automaton, url) for url in urls], dtype=np.int32)
    given = arrow_chunks(urls)
    chunks = [_match_array(automaton.tables, chunk) for chunk in given or [to_arrow(as_list(urls))]]
    return np.concatenate(chunks) if chunks else np.empty(0, dtype=np.int32)


def match_letters(automaton: Automaton, urls: Any) -> NDArray[np.int32]:
    """The same where patterns have letters that the wire has codes for: URLs are read as people write them."""
    if isinstance(urls, str):
        return match_column(automaton, urls)
    chunks = arrow_chunks(urls)
    given = as_list(urls) if chunks is None else [url for chunk in chunks for url in chunk.to_pylist()]
    return match_column(
        automaton, [as_people_write(url) if isinstance(url, str) and is_coded(url) else url for url in given]
    )


def _find_one(automaton: Automaton, url: Any) -> int:
    try:
        return automaton.find(url)
    except BadUrl:
        return BAD_URL


def _match_array(tables: Tables, array: pa.Array) -> NDArray[np.int32]:
    n = len(array)
    if n == 0:
        return np.empty(0, dtype=np.int32)
    text, starts = buffers_of(array)
    found = np.empty(n, dtype=np.int32)
    longest = max(1, int(np.diff(starts).max()))
    room = (np.empty(longest, np.uint8), np.empty(tables.width, np.int32), np.empty(tables.width, np.int32))
    has = (tables.has_stems, tables.has_sites)
    given = (tables.literals, tables.wild, tables.ends, tables.specific, tables.pool, *has)
    match_rows(text, starts, found, room, *given)
    if array.null_count:
        found[np.asarray(array.is_null())] = BAD_URL
    return found

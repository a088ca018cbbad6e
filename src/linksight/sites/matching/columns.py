"""The automaton over a column of URLs in any container; see :mod:`linksight.urls.arrow_input`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData
from linksight.features.url_buffer import as_list
from linksight.native.sites.pattern_automaton import BAD_URL
from linksight.urls.arrow_input import arrow_chunks, buffers_of, to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.sites.matching.automaton import Automaton

BATCH_URLS = 50_000  #: URLs in one pass, during which other threads wait


def match_column(automaton: Automaton, urls: Any) -> NDArray[np.int32]:
    """The best pattern's position for each URL, -1 if no pattern matches, -2 for invalid URLs."""
    if isinstance(urls, str):
        raise BadData("match_all takes many URLs; match takes one")
    chunks = arrow_chunks(urls)
    batches = [
        chunk[start : start + BATCH_URLS]
        for chunk in chunks or [to_arrow(as_list(urls))]
        for start in range(0, len(chunk), BATCH_URLS)
    ]
    found = [_match_array(automaton, batch) for batch in batches]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int32)


def _match_array(automaton: Automaton, array: pa.Array) -> NDArray[np.int32]:
    text, starts = buffers_of(array)
    found = automaton.find_rows(text, starts.astype(np.int64))
    if array.null_count:
        found[np.asarray(array.is_null())] = BAD_URL
    return found

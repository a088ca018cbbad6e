"""From the hash of a name to its row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from linksight.kernel.cachelines import prefetch
from linksight.kernel.hashes import U32
from linksight.tables import EvidenceTable

_FILTER_BITS = 22


class Names(NamedTuple):
    """Where the rows of an ``EvidenceTable`` are, by the hashes of their features' names.

    ``places`` is probed from a name's bucket on: fingerprint and bucket in the upper half, the row's
    number plus one in the lower, zero where a place is free.
    """

    filter: NDArray[np.uint64]  #: one bit a name: most that are not there stop here, without a wait
    places: NDArray[np.uint64]
    shift: np.uint64


def names_of(table: EvidenceTable) -> Names:
    """The index of a table."""
    starts = table.starts.astype(np.int64)
    buckets = np.repeat(np.arange(len(starts) - 1, dtype=np.uint64), starts[1:] - starts[:-1])
    places = np.zeros(1 << max(table.bits, (len(buckets) * 2).bit_length()), np.uint64)
    _fill(places, buckets, table.prints, len(places) >> table.bits)
    return Names(_filter_of(buckets, table.prints, table.bits), places, np.uint64(64 - table.bits))


def _filter_of(buckets: NDArray[np.uint64], prints: NDArray[Any], bits: int) -> NDArray[np.uint64]:
    # Bucket and fingerprint are the ends of one number; three bits of the fingerprint are enough.
    extra = np.uint64(_FILTER_BITS - bits)
    bit = (buckets << extra) | (prints.astype(np.uint64) & np.uint64((1 << int(extra)) - 1))
    words = np.zeros(2**_FILTER_BITS // 64, np.uint64)
    np.bitwise_or.at(words, (bit >> np.uint64(6)).astype(np.int64), np.uint64(1) << (bit & np.uint64(63)))
    return words


@njit(nogil=True, cache=True)
def _fill(places: Any, buckets: Any, prints: Any, spread: Any) -> None:
    mask = np.uint64(len(places) - 1)
    for r in range(len(buckets)):
        place = buckets[r] * np.uint64(spread)
        while places[place]:
            place = (place + np.uint64(1)) & mask
        places[place] = (_key(buckets[r], np.uint64(prints[r])) << U32) | np.uint64(r + 1)


@njit(nogil=True, cache=True, inline="always")
def _key(bucket: Any, fingerprint: Any) -> Any:
    return ((bucket << np.uint64(16)) | fingerprint) & np.uint64(0xFFFFFFFF)


@njit(nogil=True, cache=True, inline="always")
def row_of(names: Any, mixed: Any) -> Any:
    """The row of a feature by the mixed hash of its name, or zero."""
    filters, places, shift = names.filter, names.places, names.shift
    extra = np.uint64(_FILTER_BITS) - (np.uint64(64) - shift)
    bucket = mixed >> shift
    bit = (bucket << extra) | (mixed & ((np.uint64(1) << extra) - np.uint64(1)))
    if not (filters[bit >> np.uint64(6)] >> (bit & np.uint64(63))) & np.uint64(1):
        return np.uint64(0)
    key = _key(bucket, mixed & np.uint64(0xFFFF))
    place = bucket * (np.uint64(len(places)) >> (np.uint64(64) - shift))
    entry = places[place]
    while entry and (entry >> U32) != key:
        place = (place + np.uint64(1)) & np.uint64(len(places) - 1)
        entry = places[place]
    return entry & np.uint64(0xFFFFFFFF)


@njit(nogil=True, cache=True)
def find_names(names: Any, hashes: Any, n: Any, rows: Any, found: Any) -> None:
    """The row of each hash, or zero; their waits for memory begin here."""
    for i in range(n):
        row = row_of(names, hashes[i])
        found[i] = row
        prefetch(rows, row)

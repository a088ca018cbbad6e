"""From the hash of a name to its row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linksight.native.aligned_arrays import choose, prefetch, zeros
from linksight.native.feature_hash import U32
from linksight.native.jit import compiled, compiled_step, inlined
from linksight.url_model.embeddings import EvidenceTable

_FILTER_BITS = 22
_LOWER = np.uint64(0xFFFFFFFF)


class Names(NamedTuple):
    """Where the rows of an ``EvidenceTable`` are, by the hashes of their features' names.

    ``places`` is probed from a name's bucket on: fingerprint and bucket in the upper half, the row's
    number plus one in the lower, zero where a place is free, as the last one always is.
    """

    filter: NDArray[np.uint64]  #: one bit a name: most that are not there stop here, without a wait
    places: NDArray[np.uint64]
    shift: np.uint64


def names_of(table: EvidenceTable) -> Names:
    """The index of a table."""
    starts = table.starts.astype(np.int64)
    buckets = np.repeat(np.arange(len(starts) - 1, dtype=np.uint64), starts[1:] - starts[:-1])
    n_places = 1 << max(table.bits, (len(buckets) * 2).bit_length())
    places = zeros((n_places + 1,), np.uint64)
    _fill(places[:-1], buckets, table.prints, n_places >> table.bits)
    return Names(_filter_of(buckets, table.prints, table.bits), places, np.uint64(64 - table.bits))


def _filter_of(buckets: NDArray[np.uint64], prints: NDArray[Any], bits: int) -> NDArray[np.uint64]:
    # Bucket and fingerprint are the ends of one number; three bits of the fingerprint are enough.
    extra = np.uint64(_FILTER_BITS - bits)
    bit = (buckets << extra) | (prints.astype(np.uint64) & np.uint64((1 << int(extra)) - 1))
    words = zeros((2**_FILTER_BITS // 64,), np.uint64)
    np.bitwise_or.at(words, (bit >> np.uint64(6)).astype(np.int64), np.uint64(1) << (bit & np.uint64(63)))
    return words


@compiled
def _fill(places: Any, buckets: Any, prints: Any, spread: Any) -> None:
    mask = np.uint64(len(places) - 1)
    for r in range(len(buckets)):
        place = buckets[r] * np.uint64(spread)
        while places[place]:
            place = (place + np.uint64(1)) & mask
        places[place] = (_key(buckets[r], np.uint64(prints[r])) << U32) | np.uint64(r + 1)


@inlined
def _key(bucket: Any, fingerprint: Any) -> Any:
    return ((bucket << np.uint64(16)) | fingerprint) & np.uint64(0xFFFFFFFF)


@inlined
def _bit_of(names: Any, mixed: Any) -> Any:
    """A name's bit in the filter."""
    shift = names.shift
    extra = np.uint64(_FILTER_BITS) - (np.uint64(64) - shift)
    return (mixed >> shift << extra) | (mixed & ((np.uint64(1) << extra) - np.uint64(1)))


@inlined
def _place_of(names: Any, mixed: Any) -> tuple[Any, Any]:
    """Where to look for a name and what for; behind the last place, which is free, if it is not there."""
    filters, shift = names.filter, names.shift
    n_places = np.uint64(len(names.places) - 1)
    bit, bucket = _bit_of(names, mixed), mixed >> shift
    is_known = (filters[bit >> np.uint64(6)] >> (bit & np.uint64(63))) & np.uint64(1) != 0
    place = bucket * (n_places >> (np.uint64(64) - shift))
    return choose(is_known, place, n_places), _key(bucket, mixed & np.uint64(0xFFFF))


@inlined
def _row_at(names: Any, place: Any, key: Any) -> Any:
    places = names.places
    mask = np.uint64(len(places) - 2)
    entry = places[place]
    while (entry != np.uint64(0)) & ((entry >> U32) != key):  # one branch, nearly always the same way
        place = (place + np.uint64(1)) & mask
        entry = places[place]
    return entry & _LOWER


@compiled
def row_of(names: Any, mixed: Any) -> Any:
    """The row of a feature by the mixed hash of its name, or zero."""
    place, key = _place_of(names, mixed)
    return _row_at(names, place, key)


@compiled_step
def await_names(names: Any, hashes: Any, n: Any) -> None:
    """Turns each hash into where to look and what for; the waits for these places begin here."""
    for i in range(n):
        prefetch(names.filter, _bit_of(names, hashes[i]) >> np.uint64(6))
    for i in range(n):
        place, key = _place_of(names, hashes[i])
        hashes[i] = (place << U32) | key
        prefetch(names.places, place)


@compiled_step
def find_names(names: Any, sought: Any, n: Any, rows: Any, found: Any) -> None:
    """The row of each name, or zero, and in the upper half whether there is one; their waits begin here."""
    for i in range(n):
        row = _row_at(names, sought[i] >> U32, sought[i] & _LOWER)
        found[i] = row | (np.uint64(row > 0) << U32)
        prefetch(rows, row)

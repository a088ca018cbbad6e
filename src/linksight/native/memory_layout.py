"""The table of the bundled model, laid out for the processor's memory rather than for the disk."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linksight.features.url_features import MAX_LETTERS, MAX_WORDS
from linksight.native.aligned_arrays import LINE, zeros
from linksight.native.feature_hash import MARKS
from linksight.native.hash_index import Names, names_of, row_of
from linksight.native.ngram_trie import N_NODES, grow
from linksight.native.structural_features import BUILDS, N_ENDINGS, sum_endings
from linksight.url_model.embeddings import Balance, EvidenceTable

# A word has fewer than 4 * 42 n-grams; host and path have at most 40 words each, and then hints.
MOST_FEATURES = 2 * MAX_WORDS * 4 * (MAX_LETTERS + 2) + 512
_SPARE = 100_000  #: rows for n-grams that the table only seems to know, by chance


class Weights(NamedTuple):
    """An ``EvidenceTable`` as arrays that compiled code can take.

    A row of ``rows`` is a short vector of whole numbers. Row 0 is empty; then come the rows of the
    table, in its order, which ``names`` finds; then sums of n-grams, which ``nodes`` find, and of
    top-level domains, which ``endings`` find; then, from ``builds`` on, what is counted of a URL.
    """

    names: Names
    nodes: NDArray[np.uint64]  #: of the host, then of the path
    endings: NDArray[np.uint32]  #: of homes, then of pages
    rows: NDArray[np.int16]
    builds: int
    scales: NDArray[np.float32]  #: (2, 3) what a unit is worth, by kind of URL and hints, host, path
    #: (4, most features) of a host without and with a path, by its number; of host and path by the path's
    factors: NDArray[np.float32]


def weights_of(table: EvidenceTable) -> Weights:
    """The arrays of a table, laid out for speed."""
    n_rows = len(table.prints)
    # Memory that is never written to costs nothing, so there is room for the worst case.
    rows = zeros((1 + 3 * n_rows + _SPARE, -(-table.dim // LINE) * LINE), np.int16)
    for first in range(0, n_rows, 65_536):  # in parts, for the sake of memory
        some = slice(first, min(first + 65_536, n_rows))
        rows[some.start + 1 : some.stop + 1, : table.dim] = table.numbers(some)
    names = names_of(table)
    nodes = zeros((2 * N_NODES,), np.uint64)
    end = n_rows + 1
    for part, mark in enumerate("gp"):
        end = grow(names, MARKS[ord(mark)], nodes[part * N_NODES :], rows, end)
    endings = np.zeros(2 * N_ENDINGS, np.uint32)
    end = sum_endings(names, rows, endings, end)
    for build, hashes in enumerate(BUILDS):
        rows[end + build] = sum(rows[row_of(names, mixed)] for mixed in map(np.uint64, hashes))
    scales = np.full((2, 3), table.step, np.float32)
    scales[:, 0] *= np.float32(table.hint_scale)
    return Weights(names, nodes, endings, rows[: end + len(BUILDS)], end, scales, _factors(table.balance))


def _factors(balance: Balance) -> NDArray[np.float32]:
    """``Balance.factors`` by number, so that compiled code only has to look them up."""
    numbers = np.arange(MOST_FEATURES)
    by_host = [balance.factors(numbers, n_path)[0] for n_path in (0, 1)]
    by_path = balance._replace(rise=0.0).factors(1, numbers)
    return np.array([*by_host, *by_path], np.float32)

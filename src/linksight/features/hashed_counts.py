"""Hashed counts of features: a sparse matrix, one row a URL, one column a row of the model's table."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from linksight.features import FeatureSet, LearningPart
from linksight.features.feature_hash import FNV_OFFSET, bucket, fnv1a
from linksight.features.url_buffer import Texts, as_list, parsed
from linksight.features.words import TLD, URL_CONTEXTS, URL_NGRAMS, WORD_CONTEXTS, WORD_NGRAMS, WORDS
from linksight.native.learning.hashed_extraction import table_rows
from linksight.system.processes import thread_count
from linksight.urls.parser import EMPTY_WORDS

_CHUNK = 8_192


@dataclass(frozen=True)
class Counts:
    """Compressed sparse rows: ``columns[starts[i]:starts[i + 1]]`` are the features of URL ``i``."""

    starts: NDArray[Any]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    n_columns: int

    @classmethod
    def of(cls, urls: Iterable[Any], features: FeatureSet, bits: int) -> Counts:
        """Count the features of every URL; one that is not a web address has none.

        >>> from linksight.features import parse_features
        >>> counts = Counts.of(["http://vldb.org/vldb_journal/", "nothing"], parse_features("words"), bits=20)
        >>> sorted(counts.values.tolist()), counts.starts.tolist()
        ([1.0, 1.0, 2.0], [0, 3, 3])
        """
        if features.is_hashed:
            return _count_texts(Texts.of(as_list(urls)), features, bits)
        return count_names(urls, features, bits)

    @classmethod
    def of_matrix(cls, matrix: Any) -> Counts:
        """The counts in a dense table or in any sparse matrix of SciPy."""
        found = csr_matrix(matrix, dtype=np.float32)
        return cls(found.indptr, found.indices, found.data, found.shape[1])

    @cached_property
    def matrix(self) -> csr_matrix:
        """The same as a matrix of SciPy, which shares the arrays."""
        return csr_matrix((self.values, self.columns, self.starts), shape=(len(self), self.n_columns))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def rows(self) -> NDArray[np.int64]:
        """The URL that each stored value belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def take(self, which: NDArray[np.int64]) -> Counts:
        """The counts of some of the URLs, in the order given."""
        return Counts.of_matrix(self.matrix[which])

    def scaled(self, weights: NDArray[np.float32]) -> Counts:
        """Every value times the weight of its column."""
        values = (self.values * weights[self.columns]).astype(np.float32)
        return Counts(self.starts, self.columns, values, self.n_columns)

    def scores(self, table: NDArray[Any]) -> NDArray[np.float64]:
        """The product with a table of one row a column: (URLs, table's columns)."""
        product: NDArray[np.float64] = (self.matrix @ table).astype(np.float64)
        return product

    def sums(
        self, groups: NDArray[np.int64], n_groups: int, weights: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """The counts, times the weights of their URLs, summed over the URLs of each group: (columns, groups)."""
        membership = np.zeros((len(self), n_groups))
        membership[np.arange(len(self)), groups] = 1.0 if weights is None else weights
        sums: NDArray[np.float64] = self.matrix.T @ membership
        return sums

    def frequencies(self) -> NDArray[np.int64]:
        """How many URLs have each column."""
        return np.bincount(self.columns, minlength=self.n_columns)

    def compact(self) -> Counts:
        """The same without unused columns, numbered by falling frequency.

        A classifier learns the same from them in a third less time, because frequent columns are adjacent in memory.

        >>> counts = Counts(np.array([0, 2, 3]), np.array([5, 9, 9], np.int32), np.ones(3, np.float32), 16)
        >>> counts.compact().columns.tolist(), counts.compact().n_columns
        ([1, 0, 0], 2)
        """
        frequencies = self.frequencies()
        order = np.argsort(-frequencies, kind="stable")
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        n_used = max(1, int((frequencies > 0).sum()))
        return Counts(self.starts, place[self.columns], self.values, n_used)


def count_names(urls: Iterable[Any], features: FeatureSet, bits: int) -> Counts:
    """The counts by the names of features: for parts that look words up, which have no compiled form."""
    starts, columns = [0], []
    known: dict[str, int] = {}
    addresses = parsed(urls)
    for part in features.parts:
        if isinstance(part, LearningPart):
            part.prepare(addresses)
    for url in addresses:
        for name in features.names(url) if url is not None else ():
            column = known.get(name)
            if column is None:
                column = known[name] = bucket(fnv1a(name), bits)
            columns.append(column)
        starts.append(len(columns))
    return _merged(np.array(starts), np.array(columns, dtype=np.int32), bits)


def _count_texts(texts: Texts, features: FeatureSet, bits: int) -> Counts:
    """The counts by the compiled extraction, on several threads."""
    plans = np.array([part.plan for part in features.parts], dtype=np.int64).reshape(-1, 3)
    prefixes, empty_words = _hashes()

    def work(start: int) -> Counts:
        offsets = texts.offsets[start : start + _CHUNK + 1]
        columns, lengths = table_rows(texts.data, offsets, plans, prefixes, empty_words, bits)
        return _merged(np.concatenate(([0], np.cumsum(lengths))), columns, bits)

    with ThreadPoolExecutor(max_workers=min(8, thread_count())) as pool:
        pieces = list(pool.map(work, range(0, max(1, len(texts)), _CHUNK)))
    return pieces[0] if len(pieces) == 1 else Counts.of_matrix(vstack([piece.matrix for piece in pieces]))


def _merged(starts: NDArray[np.int64], columns: NDArray[np.int32], bits: int) -> Counts:
    """Counts from columns with repetitions: sorted within each row, each column once."""
    ones = np.ones(len(columns), np.float32)
    matrix = csr_matrix((ones, columns, starts), shape=(len(starts) - 1, 2**bits))
    matrix.sum_duplicates()
    return Counts.of_matrix(matrix)


@lru_cache(maxsize=1)
def _hashes() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The hash after the prefix of a name, by kind of feature and size; the hashes of words that do not count."""
    named = {WORDS: "w:", WORD_NGRAMS: "g:", URL_NGRAMS: "u:", TLD: "t:"}
    prefixes = np.full((6, 8), FNV_OFFSET, dtype=np.uint64)
    for kind, prefix in named.items():
        prefixes[kind] = fnv1a(prefix)
    for size in range(8):
        prefixes[WORD_CONTEXTS, size] = fnv1a(f"x{size}:")
        prefixes[URL_CONTEXTS, size] = fnv1a(f"y{size}:")
    return prefixes, np.array(sorted(fnv1a(f"w:{word}") for word in EMPTY_WORDS), dtype=np.uint64)

"""Hashed counts of features: a sparse matrix, one row a URL, one column a row of the model's table."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.features import FeatureSet, LearningPart
from linksight.features.feature_hash import bucket, fnv1a
from linksight.features.url_buffer import Texts, as_list, parsed
from linksight.native.learning.sparse_sums import group_sums, row_products, take_rows
from linksight.system.processes import n_cores

# Below this many URLs plain Python has the answer before the compiled code is loaded.
_WORTH_COMPILING = 400
_CHUNK = 8_192


@dataclass(frozen=True)
class Counts:
    """Compressed sparse rows: ``columns[starts[i]:starts[i + 1]]`` are the features of URL ``i``."""

    starts: NDArray[np.int64]
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
        urls = as_list(urls)
        plans = [part.plan for part in features.parts]
        if len(urls) < _WORTH_COMPILING or None in plans:
            return count_plainly(urls, features, bits)
        return _count_compiled(Texts.of(urls), np.array(plans, dtype=np.int64), bits)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def rows(self) -> NDArray[np.int64]:
        """The URL that each stored value belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def take(self, which: NDArray[np.int64]) -> Counts:
        """The counts of some of the URLs, in the order given."""
        return Counts(*take_rows(self.starts, self.columns, self.values, which), self.n_columns)

    def scaled(self, weights: NDArray[np.float32]) -> Counts:
        """Every value times the weight of its column."""
        values = (self.values * weights[self.columns]).astype(np.float32)
        return Counts(self.starts, self.columns, values, self.n_columns)

    def scores(self, table: NDArray[Any]) -> NDArray[np.float64]:
        """The product with a table of one row a column: (URLs, table's columns)."""
        return row_products(self.starts, self.columns, self.values, table)

    def sums(self, groups: NDArray[np.int64], n_groups: int) -> NDArray[np.float64]:
        """The counts summed over the URLs of each group: (columns, groups)."""
        return group_sums(self.starts, self.columns, self.values, groups, self.n_columns, n_groups)

    def frequencies(self) -> NDArray[np.int64]:
        """How many URLs have each column."""
        return np.bincount(self.columns, minlength=self.n_columns)

    def compact(self) -> Counts:
        """The same with columns numbered anew, the most frequent first, those that no URL has left out.

        A classifier learns the same from them, in a third less time: what is read often lies together.

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


def count_plainly(urls: Iterable[Any], features: FeatureSet, bits: int) -> Counts:
    """The same in plain Python: for few URLs and for features that have no compiled form."""
    starts, columns, values = [0], [], []
    known: dict[str, int] = {}
    addresses = parsed(urls)
    for part in features.parts:
        if isinstance(part, LearningPart):
            part.prepare(addresses)
    for url in addresses:
        found: dict[int, int] = {}
        for name in features.names(url) if url is not None else ():
            column = known.get(name)
            if column is None:
                column = known[name] = bucket(fnv1a(name), bits)
            found[column] = found.get(column, 0) + 1
        for column in sorted(found):
            columns.append(column)
            values.append(found[column])
        starts.append(len(columns))
    return Counts(
        np.array(starts, dtype=np.int64),
        np.array(columns, dtype=np.int32),
        np.array(values, dtype=np.float32),
        2**bits,
    )


def _count_compiled(texts: Texts, plans: NDArray[np.int64], bits: int) -> Counts:
    from linksight.features.hashed_extraction import count_rows

    lengths = np.zeros(len(texts), dtype=np.int64)

    def work(start: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        stop = min(start + _CHUNK, len(texts))
        found: tuple[NDArray[np.int32], NDArray[np.float32]] = count_rows(
            texts.data, texts.offsets[start : stop + 1], plans, bits, lengths[start:stop]
        )
        return found

    with ThreadPoolExecutor(max_workers=min(8, n_cores())) as pool:
        pieces = list(pool.map(work, range(0, len(texts), _CHUNK)))
    starts = np.concatenate(([0], np.cumsum(lengths)))
    columns = np.concatenate([piece[0] for piece in pieces])
    values = np.concatenate([piece[1] for piece in pieces])
    return Counts(starts, columns, values, 2**bits)

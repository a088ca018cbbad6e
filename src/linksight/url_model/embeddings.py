"""The two tables behind a scorer: where the weights of features are kept and added up.

``HashedTable``     one row of weights a bucket: naive Bayes, SVM and the other additive models
``EvidenceTable``   rows found by bucket and fingerprint, each a short vector that an output matrix
                    turns into one score a language: the bundled model
``Balance``         how the second weighs host and path: much to read in a path makes its host count less
``Background``      what it keeps of its training, for languages that are added later

The first two are sums of feature weights, so both can say which feature spoke for which language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linksight.features.feature_hash import bucket, fingerprint, fnv1a

if TYPE_CHECKING:
    from linksight.features import FeatureSet
    from linksight.urls.parser import Url

Floats = NDArray[np.float32]
Codes = NDArray[np.uint8] | NDArray[np.uint16]
LARGEST = 1022  #: of the numbers in an unpacked row: the sums of a few still have room in two bytes
#: The levels of tables that were written before levels were learnt: 5 bits, evenly spaced.
EVEN = np.minimum(np.arange(-15, 17), 15).astype(np.float32)


@dataclass(frozen=True)
class HashedTable:
    """``weights[bucket]`` is a feature's weight for each language; no bucket is checked."""

    features: str
    weights: Floats
    bias: Floats
    learnt: Mapping[str, Any] = field(default_factory=dict)  #: word lists of custom features, by their spec

    @cached_property
    def feature_set(self) -> FeatureSet:
        """What names the features of a URL."""
        from linksight.features import parse_features

        features = parse_features(self.features)
        return features.restored(dict(self.learnt)) if self.learnt else features

    @property
    def bits(self) -> int:
        return int(self.weights.shape[0]).bit_length() - 1

    def scores(self, urls: Sequence[Any]) -> Floats:
        """One row of scores a URL, whatever their number; unusable ones get the bias alone."""
        from linksight.features.hashed_counts import Counts

        counts = Counts.of(urls, self.feature_set, self.bits)
        return (counts.scores(self.weights) + self.bias).astype(np.float32)

    def contributions(self, url: Url) -> tuple[list[str], Floats]:
        """Each feature of a URL, and what it adds to each language's score."""
        names = self.feature_set.names(url)
        rows = [bucket(fnv1a(name), self.bits) for name in names]
        return names, self.weights[rows] if rows else np.zeros((0, len(self.bias)), np.float32)


class Balance(NamedTuple):
    """How host and path are weighed, by how many features of each the table knows.

    A group counts by the root of its number. From ``long`` features of the path on the host fades and the path
    grows: five Finnish words under ``example.com`` are Finnish, whatever ``example`` is. Where there is no path
    to read, a long name of a host counts more than by the root, and a short one less.

    >>> balance = Balance(40, 1.0, 0.5, 16, 0.25)
    >>> [[float(round(factor, 2)) for factor in balance.factors(16, n)] for n in (25, 160)]
    [[0.25, 0.2], [0.06, 0.16]]
    >>> [float(round(balance.factors(n, 0)[0] * n**0.5, 2)) for n in (4, 16, 64)]
    [0.71, 1.0, 1.41]
    """

    long: float = 0.0  #: features from which a path is long; 0: none is
    fading: float = 0.0  #: of the host, as a power of the path's length over ``long``
    growth: float = 0.0  #: of the path, likewise
    name: float = 1.0  #: features of a host that counts by the root of its number, path or no path
    rise: float = 0.0  #: of a host without a path, as a power of its length over ``name``

    def factors(self, n_host: Any, n_path: Any) -> tuple[Any, Any]:
        """What a feature of the host, and one of the path, is multiplied by; of numbers or of arrays."""
        host, path = np.maximum(n_host, 1), np.maximum(n_path, 1)
        length = np.maximum(1.0, n_path / self.long if self.long else 0.0 * path)
        alone = (host / self.name) ** (self.rise * (np.asarray(n_path) == 0))
        return host**-0.5 * alone * length**-self.fading, path**-0.5 * length**self.growth


EVEN_HANDED = Balance()  #: that of tables which were written before there was a balance


@dataclass(frozen=True, eq=False)  # one table is another only if it is the same
class EvidenceTable:
    """The low-rank table of the bundled model.

    A feature's bucket gives a short run of rows, its fingerprint the one among them; a feature
    that is not there says nothing. A number of a row is one of ``levels``, named by a few bits of
    ``codes`` (see ``pack``), times the row's factor in ``scales``.
    """

    starts: NDArray[np.uint32]  #: (2**bits + 1,) first row of each bucket
    prints: NDArray[np.uint16]  #: (rows,) fingerprints
    codes: Codes  #: (rows, words)
    scales: NDArray[np.float16]  #: (rows,)
    levels: Floats  #: (16,) or (32,)
    output: Floats  #: (dim, languages)
    bias: Floats  #: (languages,)
    hint_scale: float
    balance: Balance = EVEN_HANDED

    @property
    def bits(self) -> int:
        return (len(self.starts) - 1).bit_length() - 1

    @property
    def dim(self) -> int:
        return int(self.output.shape[0])

    def row(self, name: str) -> int:
        """The row of a feature, or -1."""
        state = fnv1a(name)
        where = bucket(state, self.bits)
        sought = fingerprint(state)
        for row in range(int(self.starts[where]), int(self.starts[where + 1])):
            if self.prints[row] == sought:
                return row
        return -1

    @cached_property
    def step(self) -> np.float32:
        """What one unit of ``numbers`` is worth: the largest number of all is ``LARGEST``."""
        largest = float(self.scales.max(initial=0)) * float(np.abs(self.levels).max())
        return np.float32(largest / LARGEST or 1.0)

    def numbers(self, rows: Any) -> NDArray[np.int16]:
        """The short vectors of some rows as whole numbers, which add up exactly in any order."""
        factors = self.scales[rows].astype(np.float32) / self.step
        found = self.levels[unpack(self.codes[rows], self.dim)]
        numbers: NDArray[np.int16] = np.rint(found * factors[:, None]).astype(np.int16)
        return numbers

    def weighed(self, text: str) -> list[tuple[list[str], list[int], np.float32]]:
        """Of hints, host and path: the features of a URL's text that are known, their rows, what a unit is worth."""
        from linksight.features.url_features import evidence

        known = [
            [(name, row) for name in features if (row := self.row(name)) >= 0] for features in evidence(text)
        ]
        host, path = self.balance.factors(len(known[1]), len(known[2]))
        return [
            ([name for name, _ in group], [row for _, row in group], self.step * np.float32(factor))
            for group, factor in zip(known, (self.hint_scale, host, path), strict=True)
        ]

    def contributions(self, url: Url) -> tuple[list[str], Floats]:
        """Each known feature of a URL, and what it adds to each language's score."""
        groups = self.weighed(url.text)
        names = [name for found, _, _ in groups for name in found]
        if not names:
            return [], np.zeros((0, len(self.bias)), np.float32)
        parts = [self.numbers(rows) * worth for _, rows, worth in groups if rows]
        return names, np.concatenate(parts) @ self.output

    def vector_of(self, text: str) -> Floats:
        """The short vector of a URL's text: its product with ``output`` is the score, less bias."""
        total = np.zeros(self.dim, np.float32)
        for _, rows, worth in self.weighed(text):
            if rows:
                total += self.numbers(rows).sum(axis=0) * worth
        return total

    def scores_of(self, text: str) -> Floats:
        """The specification of a score: bias plus every contribution."""
        scores: Floats = self.vector_of(text) @ self.output + self.bias
        return scores

    @classmethod
    def build(
        cls, hashes: NDArray[np.uint64], codes: NDArray[np.uint8], scales: Floats, levels: Floats, output: Floats,
        bias: Floats, hint_scale: float, bits: int = 19, balance: Balance = EVEN_HANDED,
    ) -> EvidenceTable:  # fmt: skip
        """A table from the features' 64-bit hashes and their vectors as positions in ``levels``."""
        mixed = [(bucket(int(state), bits), fingerprint(int(state))) for state in hashes]
        order = sorted(range(len(mixed)), key=mixed.__getitem__)
        buckets = np.array([mixed[i][0] for i in order])
        starts = np.searchsorted(buckets, np.arange(2**bits + 1)).astype(np.uint32)
        prints = np.array([mixed[i][1] for i in order], dtype=np.uint16)
        packed = pack(codes[order], len(levels))
        kept = scales[order].astype(np.float16)
        return cls(starts, prints, packed, kept, levels, output, bias, hint_scale, balance)


@dataclass(frozen=True)
class Background:
    """Vectors of an evidence table's training rows, with their labels: what a new language is learnt against."""

    vectors: NDArray[np.float16]  #: (rows, dim)
    languages: NDArray[np.int16]  #: positions in the model's languages
    pages: NDArray[np.int8]


def pack(codes: NDArray[np.uint8], n_levels: int = 16) -> Codes:
    """Positions in a list of levels: two to a byte for 16 levels, three to two bytes for 32.

    >>> pack(np.array([[0, 15, 7]], np.uint8)).tolist()
    [[240, 7]]
    """
    word, each, size = (np.uint8, 4, 2) if n_levels <= 16 else (np.uint16, 5, 3)
    dim = codes.shape[1]
    padded = np.zeros((len(codes), -(-dim // size) * size), word)
    padded[:, :dim] = codes
    packed: Codes = padded[:, 0::size].copy()
    for part in range(1, size):
        packed |= padded[:, part::size] << word(each * part)
    return packed


def unpack(packed: Codes, dim: int) -> NDArray[np.uint8]:
    """What :func:`pack` packed.

    >>> unpack(pack(np.array([[0, 31, 7, 16]], np.uint8), 32), 4).tolist()
    [[0, 31, 7, 16]]
    """
    each, size = (4, 2) if packed.dtype == np.uint8 else (5, 3)
    codes = np.empty((len(packed), packed.shape[1] * size), np.uint8)
    for part in range(size):
        codes[:, part::size] = (packed >> packed.dtype.type(each * part)) & packed.dtype.type(2**each - 1)
    return np.ascontiguousarray(codes[:, :dim])

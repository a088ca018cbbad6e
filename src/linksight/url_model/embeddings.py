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
from dataclasses import dataclass, field, fields
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linksight.features.feature_hash import bucket, fingerprint, fnv1a, mix
from linksight.features.url_features import ExtractionSettings, default_settings
from linksight.native import view
from linksight.system.large_arrays import large_zeros

if TYPE_CHECKING:
    from linksight.features import FeatureSet
    from linksight.native.urls.embeddings import EmbeddingSums
    from linksight.native.urls.extract import Extractor
    from linksight.urls.parser import Url

Floats = NDArray[np.float32]
Codes = NDArray[np.uint8] | NDArray[np.uint16]
_SPARE_ROWS = 100_000  #: for n-grams that match a fingerprint by chance
_RECORDING = Lock()  #: one extractor records for all threads
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


class SumTable(NamedTuple):
    """An ``EvidenceTable`` as the compiled core reads it.

    Row 0 of ``rows`` is empty; then come the rows of the table, in its order; then sums of n-grams, which the nodes
    of the trie refer to. Sums and nodes are added while URLs are scored.
    """

    starts: NDArray[np.uint32]
    fingerprints: NDArray[np.uint16]
    bits: int
    rows: NDArray[np.int16]
    nodes: NDArray[np.uint64]
    end: NDArray[np.int64]  #: (1,) behind the last row
    factors: Floats  #: (4, most features) of a host without and with a path, by its number; of host and path by the path's
    marks: NDArray[np.uint64]


class Features(NamedTuple):
    """The known features of one group of a URL."""

    names: list[str]
    rows: list[int]  #: of ``SumTable.rows``
    spans: list[tuple[int, int]]  #: in the bytes of the text
    worth: np.float32  #: of one unit of a row


@dataclass(frozen=True, eq=False)  # one table is another only if it is the same
class EvidenceTable:
    """The low-rank table of the bundled model.

    A feature's bucket selects a short run of rows, its fingerprint one of them; unknown features are
    ignored. A number of a row is one of ``levels``, named by a few bits of ``codes`` (see ``pack``), times the row's
    factor in ``scales``.
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
    settings: ExtractionSettings = field(default_factory=default_settings)

    @property
    def bits(self) -> int:
        return (len(self.starts) - 1).bit_length() - 1

    @property
    def dim(self) -> int:
        return int(self.output.shape[0])

    def row(self, name: str) -> int:
        """The row of a feature, or -1."""
        return self.find(np.array([mix(fnv1a(name))], np.uint64))[0]

    def find(self, hashes: NDArray[np.uint64]) -> list[int]:
        """The rows of features by their mixed hashes, -1 where the table lacks one."""
        return [row - 1 for row in self._finder.rows_of(view(hashes))]

    @cached_property
    def step(self) -> np.float32:
        """What one unit of ``numbers`` is worth: the largest number of all is ``LARGEST``."""
        largest = float(self.scales.max(initial=0)) * float(np.abs(self.levels).max())
        return np.float32(largest / LARGEST or 1.0)

    @property
    def group_scales(self) -> Floats:
        """What a unit is worth in structural features, host and path, before the balance of the last two."""
        return np.array([self.step * np.float32(self.hint_scale), self.step, self.step], np.float32)

    def numbers(self, rows: Any) -> NDArray[np.int16]:
        """The embeddings of some rows as integers, whose sums are exact in any order."""
        found: NDArray[np.int16] = self.sums.rows[np.asarray(rows, np.int64) + 1, : self.dim]
        return found

    @cached_property
    def sums(self) -> SumTable:
        """The table as the compiled core reads it, made when the first URL is scored."""
        from linksight.native.urls.embeddings import LANES, N_NODES, unpack_nibbles, unpack_rows
        from linksight.native.urls.extract import MAX_FEATURES

        n = len(self.prints)
        # Memory that is never written takes no room: each feature may be in two sums, some others match by chance.
        rows = large_zeros((1 + 3 * n + _SPARE_ROWS, -(-self.dim // LANES) * LANES), np.int16)
        factors = view(self.scales.astype(np.float32) / self.step)
        levels = view(np.ascontiguousarray(self.levels, np.float32))
        if self.codes.dtype == np.uint8:
            unpack_nibbles(view(self.codes), factors, levels, view(rows), self.dim)
        else:
            unpack_rows(view(unpack(self.codes, self.dim)), factors, levels, view(rows), self.dim)
        return SumTable(
            np.ascontiguousarray(self.starts), np.append(self.prints, np.uint16(0)), self.bits, rows,
            large_zeros((N_NODES,), np.uint64), np.array([n + 1]), _factors(self.balance, MAX_FEATURES),
            self.settings.arrays["marks"],
        )  # fmt: skip

    @cached_property
    def _extractor(self) -> Extractor:
        from linksight.features.url_features import recording_extractor

        return recording_extractor(self.settings)

    @cached_property
    def _finder(self) -> EmbeddingSums:
        from linksight.native.urls.embeddings import EmbeddingSums

        return EmbeddingSums(self.sums, self._extractor.buffers())

    def features(self, text: str) -> list[Features]:
        """The known structural, host and path features of a URL's text."""
        with _RECORDING:
            host, path, structural = self._extractor.record_of(text.encode("utf-8", "replace"))
        known = []
        for group in (structural, host, path):
            hashes = np.array([one[1] for one in group], np.uint64)
            rows = self._finder.rows_of(view(hashes)) if group else []
            known.append([(one, row) for one, row in zip(group, rows, strict=True) if row])
        host_factor, path_factor = self.balance.factors(len(known[1]), len(known[2]))
        return [
            Features([one[0] for one, _ in group], [row for _, row in group], [(one[2], one[3]) for one, _ in group], np.float32(scale * factor))
            for group, scale, factor in zip(known, self.group_scales, (1, host_factor, path_factor), strict=True)
        ]  # fmt: skip

    def vectors_of(self, texts: Sequence[str]) -> Floats:
        """The embeddings of URLs' texts: their products with ``output`` are the scores, less bias."""
        from linksight.native.urls.embeddings import EmbeddingSums
        from linksight.native.urls.extract import Extractor

        encoded = [text.encode("utf-8", "replace") for text in texts]
        ends = np.cumsum([0, *map(len, encoded)])
        spans = view(np.stack([ends[:-1], ends[1:]], axis=1))
        extractor = Extractor(self.sums.nodes, self.settings.arrays, 64)
        sums = EmbeddingSums(self.sums, extractor.buffers())
        scales = view(np.tile(self.group_scales, (2, 1)))
        some = np.zeros((64, self.sums.rows.shape[1] + 2), np.float32)
        found = np.zeros((len(texts), self.dim), np.float32)
        first = 0
        while first < len(texts):
            n = extractor.gather(b"".join(encoded) or b"\0", spans, first)
            sums.add_up(n, view(some), scales)
            found[first : first + n] = some[:n, : self.dim]
            first += n
        return found

    def scores_of(self, text: str) -> Floats:
        """The score of a URL's text: bias plus every contribution."""
        scores: Floats = self.vectors_of([text])[0] @ self.output + self.bias
        return scores

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or another process needs; the rest is made again there."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

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


def _factors(balance: Balance, most: int) -> Floats:
    """``Balance.factors`` by number of features, so that the compiled core looks them up."""
    numbers = np.arange(most)
    by_host = [balance.factors(numbers, n_path)[0] for n_path in (0, 1)]
    by_path = balance._replace(rise=0.0).factors(1, numbers)
    return np.array([*by_host, *by_path], np.float32)


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

"""Feature weights of URL models: hashed weights and quantised embeddings.

``HashedWeights``        one row of weights per hash bucket: naive Bayes, SVM and the other additive models
``QuantizedEmbeddings``  the bundled model: each feature has a quantised vector, and an output matrix turns the sum of
                         vectors into one score per language
``GroupWeighting``       weights of host and path features in that sum
``ReplaySample``         training vectors with labels, for adding languages later

Both models are linear in their features, so the contribution of each feature to each score is exact.
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
Codes = NDArray[np.uint8]
N_LEVELS = 16  #: quantisation levels, 4 bits each
_SPARE_ROWS = 100_000  #: for n-grams that match a fingerprint by chance
_RECORDER_LOCK = Lock()  #: all threads share one recording extractor
MAX_UNITS = 1022  #: largest integer in an unpacked row: sums of a few rows still fit in 16 bits


@dataclass(frozen=True)
class HashedWeights:
    """Feature hashing without fingerprints: ``weights[bucket]`` has a feature's weight for each language."""

    features: str
    weights: Floats
    bias: Floats
    learnt: Mapping[str, Any] = field(default_factory=dict)  #: word lists of custom features, by their spec

    @cached_property
    def feature_set(self) -> FeatureSet:
        """The feature extractor."""
        from linksight.features import parse_features

        features = parse_features(self.features)
        return features.restored(dict(self.learnt)) if self.learnt else features

    @property
    def bits(self) -> int:
        return int(self.weights.shape[0]).bit_length() - 1

    def scores(self, urls: Sequence[Any]) -> Floats:
        """Scores of any number of URLs, one row per URL; an invalid URL gets the bias alone."""
        from linksight.features.hashed_counts import Counts

        counts = Counts.of(urls, self.feature_set, self.bits)
        return (counts.scores(self.weights) + self.bias).astype(np.float32)

    def contributions(self, url: Url) -> tuple[list[str], Floats]:
        """The features of a URL and their contributions to each language's score."""
        names = self.feature_set.names(url)
        rows = [bucket(fnv1a(name), self.bits) for name in names]
        return names, self.weights[rows] if rows else np.zeros((0, len(self.bias)), np.float32)


class GroupWeighting(NamedTuple):
    """Weights of host and path features by the number of known features in each group.

    The sum of a group is divided by the square root of its number of features. From ``path_threshold`` path
    features on, the host's weight falls and the path's weight grows: five Finnish words under ``example.com`` mean
    Finnish. Without a path, a host with more features than ``host_reference`` counts more than by the square root,
    and one with fewer counts less.

    >>> weighting = GroupWeighting(40, 1.0, 0.5, 16, 0.25)
    >>> [[float(round(factor, 2)) for factor in weighting.factors(16, n)] for n in (25, 160)]
    [[0.25, 0.2], [0.06, 0.16]]
    >>> [float(round(weighting.factors(n, 0)[0] * n**0.5, 2)) for n in (4, 16, 64)]
    [0.71, 1.0, 1.41]
    """

    path_threshold: float = 0.0  #: number of features from which a path is long; 0: no path is long
    host_decay: float = 0.0  #: exponent of the host's decay in path length / ``path_threshold``
    path_growth: float = 0.0  #: exponent of the path's growth in the same ratio
    host_reference: float = 1.0  #: number of features at which a host without a path has its usual weight
    host_exponent: float = 0.0  #: exponent of a host without a path in its length / ``host_reference``

    def factors(self, n_host: Any, n_path: Any) -> tuple[Any, Any]:
        """The factors of a host feature and of a path feature; the arguments are numbers or arrays."""
        host, path = np.maximum(n_host, 1), np.maximum(n_path, 1)
        length = np.maximum(1.0, n_path / self.path_threshold if self.path_threshold else 0.0 * path)
        without_path = (host / self.host_reference) ** (self.host_exponent * (np.asarray(n_path) == 0))
        return host**-0.5 * without_path * length**-self.host_decay, path**-0.5 * length**self.path_growth


DEFAULT_WEIGHTING = GroupWeighting()


class SumTable(NamedTuple):
    """``QuantizedEmbeddings`` in the memory layout of the compiled code.

    Row 0 of ``rows`` is empty. The rows of the features follow in their order, then sums of n-grams, which the nodes
    of the trie refer to. Scoring adds sums and nodes when it first needs them.
    """

    bucket_offsets: NDArray[np.uint32]
    fingerprints: NDArray[np.uint16]
    bits: int
    rows: NDArray[np.int16]
    nodes: NDArray[np.uint64]
    end: NDArray[np.int64]  #: (1,) index after the last used row
    #: (4, max features) of the host without and with a path, by host length; of host and of path, by path length
    factors: Floats
    marks: NDArray[np.uint64]


class Features(NamedTuple):
    """The known features of one group of a URL."""

    names: list[str]
    rows: list[int]  #: of ``SumTable.rows``
    spans: list[tuple[int, int]]  #: byte positions in the text
    scale: np.float32  #: scale of one integer unit of a row


@dataclass(frozen=True, eq=False)  # compared and hashed by identity
class QuantizedEmbeddings:
    """Low-rank feature weights of the bundled model: 4-bit vectors and an output matrix.

    The high bits of a feature's hash select a bucket, a short run of rows; its fingerprint selects the row. Unknown
    features are ignored. An element of a vector is ``levels[code] * scale``; ``codes`` holds two codes per byte (see
    ``pack``), ``scales`` one scale per row.
    """

    bucket_offsets: NDArray[np.uint32]  #: (2**bits + 1,) first row of each bucket
    fingerprints: NDArray[np.uint16]  #: (rows,)
    codes: Codes  #: (rows, bytes)
    scales: NDArray[np.float16]  #: (rows,)
    levels: Floats  #: (16,)
    output: Floats  #: (dim, languages)
    bias: Floats  #: (languages,)
    hint_scale: float  #: weight of structural features
    group_weighting: GroupWeighting = DEFAULT_WEIGHTING
    settings: ExtractionSettings = field(default_factory=default_settings)

    @property
    def bits(self) -> int:
        return (len(self.bucket_offsets) - 1).bit_length() - 1

    @property
    def dim(self) -> int:
        return int(self.output.shape[0])

    def row(self, name: str) -> int:
        """The row of a feature, or -1 for an unknown one."""
        return self.find(np.array([mix(fnv1a(name))], np.uint64))[0]

    def find(self, hashes: NDArray[np.uint64]) -> list[int]:
        """The rows of features by their finalised hashes, -1 for unknown ones."""
        return [row - 1 for row in self._finder.rows_of(view(hashes))]

    @cached_property
    def step(self) -> np.float32:
        """The scale of one integer unit of :meth:`numbers`; the largest element has ``MAX_UNITS`` of them."""
        largest = float(self.scales.max(initial=0)) * float(np.abs(self.levels).max())
        return np.float32(largest / MAX_UNITS or 1.0)

    @property
    def group_scales(self) -> Floats:
        """The scale of one unit in structural, host and path features, before ``group_weighting``."""
        return np.array([self.step * np.float32(self.hint_scale), self.step, self.step], np.float32)

    def numbers(self, rows: Any) -> NDArray[np.int16]:
        """The embeddings of some rows as integers, whose sums are exact in any order."""
        embeddings: NDArray[np.int16] = self.sums.rows[np.asarray(rows, np.int64) + 1, : self.dim]
        return embeddings

    @cached_property
    def sums(self) -> SumTable:
        """The memory layout of the compiled code, built for the first URL."""
        from linksight.native.urls.embeddings import LANES, N_NODES, unpack_nibbles
        from linksight.native.urls.extract import MAX_FEATURES

        n = len(self.fingerprints)
        # Each feature may be in two sums, and some n-grams match a fingerprint by chance. The operating system
        # allocates pages on the first write, so unused rows cost no memory.
        rows = large_zeros((1 + 3 * n + _SPARE_ROWS, -(-self.dim // LANES) * LANES), np.int16)
        factors = view(self.scales.astype(np.float32) / self.step)
        levels = view(np.ascontiguousarray(self.levels, np.float32))
        unpack_nibbles(view(self.codes), factors, levels, view(rows), self.dim)
        return SumTable(
            np.ascontiguousarray(self.bucket_offsets), np.append(self.fingerprints, np.uint16(0)), self.bits, rows,
            large_zeros((N_NODES,), np.uint64), np.array([n + 1]), _factor_table(self.group_weighting, MAX_FEATURES),
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
        with _RECORDER_LOCK:
            host, path, structural = self._extractor.record_of(text.encode("utf-8", "replace"))
        known = []
        for group in (structural, host, path):
            hashes = np.array([feature[1] for feature in group], np.uint64)
            rows = self._finder.rows_of(view(hashes)) if group else []
            known.append([(feature, row) for feature, row in zip(group, rows, strict=True) if row])
        host_factor, path_factor = self.group_weighting.factors(len(known[1]), len(known[2]))
        return [
            Features(
                names=[feature[0] for feature, _ in group],
                rows=[row for _, row in group],
                spans=[(feature[2], feature[3]) for feature, _ in group],
                scale=np.float32(scale * factor),
            )
            for group, scale, factor in zip(
                known, self.group_scales, (1, host_factor, path_factor), strict=True
            )
        ]

    def vectors_of(self, texts: Sequence[str]) -> Floats:
        """The embeddings of URL texts; ``embedding @ output + bias`` are the scores."""
        from linksight.native.urls.embeddings import EmbeddingSums
        from linksight.native.urls.extract import Extractor

        encoded = [text.encode("utf-8", "replace") for text in texts]
        ends = np.cumsum([0, *map(len, encoded)])
        spans = view(np.stack([ends[:-1], ends[1:]], axis=1))
        extractor = Extractor(self.sums.nodes, self.settings.arrays, 64)
        sums = EmbeddingSums(self.sums, extractor.buffers())
        scales = view(np.tile(self.group_scales, (2, 1)))
        block = np.zeros((64, self.sums.rows.shape[1] + 2), np.float32)
        embeddings = np.zeros((len(texts), self.dim), np.float32)
        first = 0
        while first < len(texts):
            n = extractor.gather(b"".join(encoded) or b"\0", spans, first)
            sums.add_up(n, view(block), scales)
            embeddings[first : first + n] = block[:n, : self.dim]
            first += n
        return embeddings

    def scores_of(self, text: str) -> Floats:
        """The scores of a URL text: bias plus all contributions."""
        scores: Floats = self.vectors_of([text])[0] @ self.output + self.bias
        return scores

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone, for copies and other processes, which rebuild the cached properties."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def build(
        cls, hashes: NDArray[np.uint64], codes: NDArray[np.uint8], scales: Floats, levels: Floats, output: Floats,
        bias: Floats, hint_scale: float, bits: int = 19, group_weighting: GroupWeighting = DEFAULT_WEIGHTING,
    ) -> QuantizedEmbeddings:  # fmt: skip
        """Build from 64-bit feature hashes and their vectors as positions in ``levels``."""
        keys = [(bucket(int(state), bits), fingerprint(int(state))) for state in hashes]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        buckets = np.array([keys[i][0] for i in order])
        return cls(
            bucket_offsets=np.searchsorted(buckets, np.arange(2**bits + 1)).astype(np.uint32),
            fingerprints=np.array([keys[i][1] for i in order], dtype=np.uint16),
            codes=pack(codes[order]),
            scales=scales[order].astype(np.float16),
            levels=levels,
            output=output,
            bias=bias,
            hint_scale=hint_scale,
            group_weighting=group_weighting,
        )


def _factor_table(weighting: GroupWeighting, max_features: int) -> Floats:
    """``GroupWeighting.factors`` by number of features, as a look-up table for the compiled code."""
    numbers = np.arange(max_features)
    by_host = [weighting.factors(numbers, n_path)[0] for n_path in (0, 1)]
    by_path = weighting._replace(host_exponent=0.0).factors(1, numbers)
    return np.array([*by_host, *by_path], np.float32)


@dataclass(frozen=True)
class ReplaySample:
    """Embeddings of training URLs with their labels, replayed when a language is added."""

    vectors: NDArray[np.float16]  #: (rows, dim)
    languages: NDArray[np.int16]  #: positions in the model's languages
    pages: NDArray[np.int8]  #: 1 for URLs with a path, 0 for home pages


def pack(codes: NDArray[np.uint8]) -> Codes:
    """Pack 4-bit codes, two to a byte, the first in the lower half.

    >>> pack(np.array([[0, 15, 7]], np.uint8)).tolist()
    [[240, 7]]
    """
    dim = codes.shape[1]
    padded = np.zeros((len(codes), dim + dim % 2), np.uint8)
    padded[:, :dim] = codes
    packed: Codes = padded[:, 0::2] | padded[:, 1::2] << np.uint8(4)
    return packed

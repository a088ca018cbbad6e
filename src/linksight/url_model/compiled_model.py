"""A model laid out for the kernel: stretches of an Arrow column in, what is kept of their rows out."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.url_model.embeddings import EvidenceTable
from linksight.urls.arrow_input import buffers_of
from linksight.urls.parser import texts_of

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.native.numba_scoring import Rows, Weights
    from linksight.native.segmentation import Vocabulary
    from linksight.url_model.model import Scorer
    from linksight.url_model.segmentation import WordList

Floats = NDArray[np.float32]
Part = NDArray[Any]
Keep = Callable[["Rows"], Part]  #: what is kept of some rows
STRETCH = 16_384  #: rows that one thread takes at a time
GATHERED = 2048  #: rows whose short vectors fit into a core's own cache


class CompiledModel:
    """A scorer's table laid out for the kernel, and scratch for each thread."""

    def __init__(self, scorer: Scorer) -> None:
        assert isinstance(scorer.table, EvidenceTable)
        calibration, layout = scorer.calibration, _layout(scorer.table)
        self.weights = layout._replace(scales=layout.scales * calibration.slopes.reshape(2, -1))
        #: the table's output, and for each kind of URL what every row of that kind starts from
        spare = self.weights.rows.shape[1] - scorer.table.dim  # rows are whole cache lines
        self.output = np.concatenate(
            [np.pad(scorer.table.output, ((0, spare), (0, 0))), calibration.start(scorer.table.bias)]
        )
        self.words = _vocabulary(scorer.words, scorer.languages)
        self.shift = np.zeros(len(scorer.languages), np.float32)
        if calibration.shift is not None:
            self.shift += calibration.shift
        self.local = threading.local()

    def score(self, chunk: pa.Array, first: int) -> tuple[Floats, dict[int, str]]:
        """Calibrated scores of one stretch of a chunk, and the rows that cannot be used."""
        return self.kept(chunk, first, _scores_of)

    def kept(self, chunk: pa.Array, first: int, keep: Keep) -> tuple[Part, dict[int, str]]:
        """What is kept of one stretch of a chunk, some rows at a time while they are in the cache."""
        stretch = chunk.slice(first, STRETCH)
        data, offsets = buffers_of(stretch)
        hard = (
            np.asarray(stretch.is_null()).copy() if stretch.null_count else np.zeros(len(stretch), np.bool_)
        )
        parts: list[Part] = []
        problems: dict[int, str] = {}
        for start in range(0, max(len(stretch), 1), GATHERED):
            some = hard[start : start + GATHERED]
            vectors, spans = self._vectors(data, offsets[start : start + GATHERED + 1], some)
            if some.any():
                problems |= self._read_hard(stretch, start, np.flatnonzero(some), vectors, spans)
            parts.append(keep(self._rows(data, vectors, spans)))
        return np.concatenate(parts), problems

    def _rows(self, data: NDArray[np.uint8], vectors: Floats, spans: NDArray[np.int64]) -> Rows:
        from linksight.native.numba_scoring import Rows

        room = self.local.scratch
        asked = (data, room.named, spans, room.ways, room.costs)
        return Rows(vectors, self.output, self.words, self.shift, *asked)

    def _vectors(
        self, data: NDArray[np.uint8], offsets: NDArray[Any], hard: NDArray[np.bool_]
    ) -> tuple[Floats, NDArray[np.int64]]:
        """The short vectors of some rows, and where their names are, in room that the thread's next rows take again."""
        from linksight.native.numba_scoring import scratch, vectors_of

        if not hasattr(self.local, "scratch"):
            self.local.scratch = scratch(2 * GATHERED)  # those that take the parser are read twice
            self.local.vectors = np.empty((GATHERED, len(self.output)), np.float32)
            self.local.spans = np.empty((GATHERED, 3), np.int64)
        vectors: Floats = self.local.vectors[: len(hard)]
        spans: NDArray[np.int64] = self.local.spans[: len(hard)]
        self.local.scratch.n_hosts[0] = 0
        vectors_of(self.weights, data, offsets, False, self.local.scratch, vectors, spans, hard)
        return vectors, spans

    def _read_hard(
        self,
        stretch: pa.Array,
        start: int,
        which: NDArray[np.int64],
        vectors: Floats,
        spans: NDArray[np.int64],
    ) -> dict[int, str]:
        """The few rows that take the parser: parsed one by one, read together."""
        from linksight.native.numba_scoring import vectors_of

        texts = texts_of(stretch.take(_indices(start + which)).to_pylist())
        encoded = [b"" if text is None else text.encode("utf-8", "replace") for text, _ in texts]
        side = np.frombuffer(b"".join(encoded) or b"\0", np.uint8)
        ends = np.concatenate([[0], np.cumsum([len(text) for text in encoded])])
        found, places = (
            np.empty((len(which), vectors.shape[1]), np.float32),
            np.empty((len(which), 3), np.int64),
        )
        ends.flags.writeable = False  # as in Arrow
        hard = np.zeros(len(which), np.bool_)  # none of them: these are texts
        vectors_of(self.weights, side, ends, True, self.local.scratch, found, places, hard)
        unusable = np.array([text is None for text, _ in texts])
        found[unusable] = 0
        found[unusable, -2] = 1  # as a home page that says nothing
        vectors[which], spans[which] = found, places
        return {
            start + int(row): reason for row, (text, reason) in zip(which, texts, strict=True) if text is None
        }


def _scores_of(rows: Rows) -> Floats:
    from linksight.native.numba_scoring import score_rows

    scores = np.empty((len(rows.vectors), rows.output.shape[1]), np.float32)
    score_rows(rows, scores)
    return scores


@lru_cache(maxsize=2)
def _layout(table: EvidenceTable) -> Weights:
    """A table laid out for the kernel, made once for all base rates that it is used with."""
    from linksight.native.numba_scoring import weights_of

    return weights_of(table)


@lru_cache(maxsize=2)
def _vocabulary(words: WordList | None, languages: tuple[str, ...]) -> Vocabulary:
    """The same of a list of words."""
    from linksight.native.numba_scoring import vocabulary_of

    return vocabulary_of(words, languages)


def _indices(which: NDArray[np.int64]) -> pa.Array:
    import pyarrow as pa

    return pa.array(which)

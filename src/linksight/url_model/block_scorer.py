"""Score blocks of URLs: normalise, extract, sum embeddings, multiply, segment; then probabilities or top languages.

Single URLs and large columns use the same code. ``ScoringPlan`` combines a model's output matrix with its calibration;
``BlockScorer`` holds the compiled steps and their buffers, one per thread and table.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.native import view
from linksight.native.urls.embeddings import EmbeddingSums
from linksight.native.urls.extract import MAX_LETTERS, MAX_WORDS, NAME_START, NAME_STOP, Extractor
from linksight.native.urls.normalize import HOST_ROOM, Normalizer
from linksight.native.urls.posteriors import LANES, find_best, find_probabilities, find_top, score_rows
from linksight.native.urls.segmentation import SHORTEST, Segmenter
from linksight.url_model.calibration import Calibration
from linksight.url_model.embeddings import QuantizedEmbeddings
from linksight.url_model.segmentation import Vocabulary, WordList, vocabulary_of
from linksight.urls.parser import UNSEEN, texts_of, words_of

Floats = NDArray[np.float32]
BLOCK = 128  #: rows per block; their features fit into the cache of one core
BEST = np.dtype([("column", np.int16), ("probability", np.float32)], align=True)
_MAX_CACHED_TABLES = 256
_EXCLUDING_SHIFT = np.float32(1e30)  #: gives padded columns a probability of 0


class ScoringPlan:
    """An output matrix with the calibration folded in, padded to the vector width."""

    def __init__(
        self,
        table: QuantizedEmbeddings,
        languages: tuple[str, ...],
        calibration: Calibration,
        words: WordList | None,
    ) -> None:
        self.table, self.calibration, self.n_languages = table, calibration, len(languages)
        self.words = words
        self.vocabulary = vocabulary_of(words, languages) if words is not None else None
        width = -(-self.n_languages // LANES) * LANES
        spare_rows = table.sums.rows.shape[1] - table.dim
        spare = ((0, spare_rows), (0, width - self.n_languages))
        # Two more rows: the calibrated bias of home pages and of pages.
        start = np.pad(calibration.start(table.bias), ((0, 0), spare[1]))
        self.output = np.concatenate([np.pad(table.output, spare), start]).astype(np.float32)
        self.scales = (calibration.slopes.reshape(2, -1)[:, :1] * table.group_scales).astype(np.float32)
        self.shift = np.full(width, _EXCLUDING_SHIFT, np.float32)
        self.shift[: self.n_languages] = 0 if calibration.shift is None else calibration.shift
        self._posterior_tables: dict[tuple[int, ...] | None, Any] = {}

    def posterior_table(self, columns: Sequence[int] | None) -> Any:
        """``Calibration.posterior_parameters`` as rows of a padded array, cached by columns."""
        key = None if columns is None else tuple(columns)
        if key not in self._posterior_tables:
            if len(self._posterior_tables) > _MAX_CACHED_TABLES:
                self._posterior_tables.clear()
            table = np.zeros((3, len(self.shift)), np.float32)
            table[0] = _EXCLUDING_SHIFT
            for row, values in zip(table, self.calibration.posterior_parameters(columns), strict=True):
                row[: self.n_languages] = values
            self._posterior_tables[key] = view(table)
        return self._posterior_tables[key]


class BlockScorer:
    """The compiled scoring steps with their buffers, for one thread and one table."""

    def __init__(self, table: QuantizedEmbeddings) -> None:
        self.normalizer = Normalizer(ord(char) for char in UNSEEN if char > "\x7f")
        self.extractor = Extractor(table.sums.nodes, table.settings.arrays, BLOCK)
        self.empty_words = table.settings.arrays["empty_words"]
        buffers = self.extractor.buffers()
        self.stops = view(buffers[2])
        self.sums = EmbeddingSums(table.sums, buffers)
        self.vectors = view(np.zeros((BLOCK, table.sums.rows.shape[1] + 2), np.float32))
        self.spans = np.zeros((BLOCK, 2), np.int64)
        self.text = np.zeros(0, np.uint8)
        self.totals = np.zeros((2, BLOCK), np.float32)
        self.best_columns = np.zeros(BLOCK, np.int16)
        self.best_probabilities = np.zeros(BLOCK, np.float32)
        self.top_buffers = np.zeros((BLOCK, 0), np.int16), np.zeros((BLOCK, 0), np.float32)
        self.scores = np.zeros((BLOCK, 0), np.float32)
        self.segmenter: tuple[Vocabulary, Segmenter] | None = None

    def score(self, plan: ScoringPlan, data: Any, offsets: NDArray[np.int64]) -> dict[int, str]:
        """Write the calibrated scores of up to ``BLOCK`` rows; returns the reasons for invalid rows."""
        n = len(offsets) - 1
        if self.scores.shape[1] != plan.output.shape[1]:
            self.scores = np.zeros((BLOCK, plan.output.shape[1]), np.float32)
        capacity = 2 * int(offsets[-1] - offsets[0]) + HOST_ROOM * n
        if len(self.text) < capacity:
            self.text = np.zeros(capacity, np.uint8)
        spans = self.spans[:n]
        used, n_left = self.normalizer.write(data, view(offsets), view(self.text), view(spans))
        problems = self._parse(data, offsets, spans, used) if n_left else {}
        text, scores, shift = view(self.text), view(self.scores), view(plan.shift)
        places, output, scales = view(spans), view(plan.output), view(plan.scales)
        segmenter = self._segmenter(plan.vocabulary) if plan.vocabulary is not None else None
        first = 0
        while first < n:
            rows = self.extractor.gather(text, places, first)
            self.sums.add_up(rows, self.vectors, scales)
            score_rows(self.vectors, output, scores, first, rows)
            if segmenter is not None:
                segmenter.add_to(text, self.stops, scores, first, rows, plan.n_languages, shift)
            first += rows
        return problems

    def _segmenter(self, vocabulary: Vocabulary) -> Segmenter:
        if self.segmenter is None or self.segmenter[0] is not vocabulary:
            self.segmenter = vocabulary, Segmenter(vocabulary, self.empty_words)
        return self.segmenter[1]

    def segment(self, plan: ScoringPlan, text: str, logits: Floats) -> tuple[str, Floats]:
        """Segment the host name of a URL text into words; returns them and their logits for each language."""
        added = np.zeros_like(logits)
        if plan.vocabulary is None or plan.words is None:
            return "", added
        data = text.encode("utf-8", "replace")
        self.extractor.gather(data or b"\0", view(np.array([[0, len(data)]])), 0)
        scores = np.zeros((1, len(plan.shift)), np.float32)
        scores[0, : plan.n_languages] = logits
        segmenter, shift = self._segmenter(plan.vocabulary), view(plan.shift)
        segmenter.add_to(data or b"\0", self.stops, view(scores), 0, 1, plan.n_languages, shift)
        added = scores[0, : plan.n_languages] - logits
        if not added.any():
            return "", added
        start, stop = self.stops[0, NAME_START], self.stops[0, NAME_STOP]
        names = [name[:MAX_LETTERS] for name in words_of(data[start:stop].decode("ascii"))[:MAX_WORDS]]
        return " ".join(
            "+".join(plan.words.segment(name)[1]) for name in names if len(name) >= SHORTEST
        ), added

    def _parse(
        self, data: Any, offsets: NDArray[np.int64], spans: NDArray[np.int64], used: int
    ) -> dict[int, str]:
        """Append the texts of rows that need the Python parser; returns the reasons for invalid rows."""
        slow_rows = np.flatnonzero(spans[:, 1] < 0).tolist()
        raw = [bytes(data[offsets[row] : offsets[row + 1]]).decode("utf-8", "replace") for row in slow_rows]
        texts = texts_of(raw)
        encoded = [b"" if text is None else text.encode("utf-8", "replace") for text, _ in texts]
        capacity = used + sum(map(len, encoded))
        if len(self.text) < capacity:
            self.text = np.concatenate([self.text, np.zeros(capacity, np.uint8)])
        for row, piece in zip(slow_rows, encoded, strict=True):
            self.text[used : used + len(piece)] = np.frombuffer(piece, np.uint8)
            spans[row] = used, used + len(piece)
            used += len(piece)
        return {row: reason for row, (text, reason) in zip(slow_rows, texts, strict=True) if text is None}

    def probabilities(self, plan: ScoringPlan, columns: Sequence[int] | None, n: int) -> Floats:
        """Probabilities of the rows that were scored last; columns outside ``columns`` are zero."""
        find_probabilities(view(self.scores), plan.posterior_table(columns), view(self.totals), n)
        probabilities: Floats = self.scores[:n, : plan.n_languages] / self.totals[1, :n, None]
        return probabilities

    def best(
        self, plan: ScoringPlan, columns: Sequence[int] | None, out: NDArray[Any], first: int, n: int
    ) -> None:
        """Write the most probable column of each row that was scored last into ``out``, as ``BEST``."""
        rows = out[first : first + n]
        find_best(
            view(self.scores), plan.posterior_table(columns), view(self.totals),
            view(self.best_columns), view(self.best_probabilities), n,
        )  # fmt: skip
        rows["column"], rows["probability"] = self.best_columns[:n], self.best_probabilities[:n]

    def top(
        self, plan: ScoringPlan, columns: Sequence[int] | None, k: int, n: int
    ) -> tuple[NDArray[np.int16], Floats]:
        """The ``k`` most probable columns of each row that was scored last with their probabilities, best first."""
        scores, totals = view(self.scores), view(self.totals)
        find_probabilities(scores, plan.posterior_table(columns), totals, n)
        if self.top_buffers[0].shape[1] != k:
            self.top_buffers = np.zeros((BLOCK, k), np.int16), np.zeros((BLOCK, k), np.float32)
        columns_out, probabilities = self.top_buffers
        find_top(scores, totals, plan.n_languages, view(columns_out), view(probabilities), n)
        return columns_out[:n], probabilities[:n]


def top_type(k: int) -> np.dtype[Any]:
    """Record type of the ``k`` most probable columns of a row with their probabilities."""
    return np.dtype([("column", np.int16, (k,)), ("probability", np.float32, (k,))], align=True)


_LOCAL = threading.local()


def block_scorer(table: QuantizedEmbeddings) -> BlockScorer:
    """The block scorer of this thread for a table, cached while the table is in use."""
    scorers: weakref.WeakKeyDictionary[QuantizedEmbeddings, BlockScorer]
    try:
        scorers = _LOCAL.scorers
    except AttributeError:
        scorers = _LOCAL.scorers = weakref.WeakKeyDictionary()
    scorer = scorers.get(table)
    if scorer is None:
        scorer = scorers[table] = BlockScorer(table)
    return scorer

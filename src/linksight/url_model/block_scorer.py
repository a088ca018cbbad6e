"""Score blocks of URLs: normalise, extract, add up, multiply, segment; then probabilities or the likeliest language.

One path for one URL and for a billion. ``ScoringPlan`` is what a model, with its base rates, adds to its table;
``BlockScorer`` has the compiled steps and their buffers, one a thread and table.
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
from linksight.url_model.embeddings import EvidenceTable
from linksight.url_model.segmentation import Vocabulary, WordList, vocabulary_of
from linksight.urls.parser import UNSEEN, texts_of, words_of

Floats = NDArray[np.float32]
BLOCK = 128  #: rows that pass through all steps together: their features fit into a core's own cache
BEST = np.dtype([("column", np.int16), ("probability", np.float32)], align=True)
_FAR = np.float32(1e30)  #: from a logit of a padded column, which counts nothing


class ScoringPlan:
    """A table's output with a calibration folded in, padded to whole vectors."""

    def __init__(
        self,
        table: EvidenceTable,
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
        # Two more rows: what every home page and every page starts from.
        start = np.pad(calibration.start(table.bias), ((0, 0), spare[1]))
        self.output = np.concatenate([np.pad(table.output, spare), start]).astype(np.float32)
        self.scales = (calibration.slopes.reshape(2, -1)[:, :1] * table.group_scales).astype(np.float32)
        self.shift = np.full(width, _FAR, np.float32)
        self.shift[: self.n_languages] = 0 if calibration.shift is None else calibration.shift
        self._bayes: dict[tuple[int, ...] | None, Any] = {}

    def bayes(self, columns: Sequence[int] | None) -> Any:
        """Shift, weights and added of ``Calibration.odds``, padded, as the compiled core takes them."""
        key = None if columns is None else tuple(columns)
        if key not in self._bayes:
            if len(self._bayes) > 256:
                self._bayes.clear()
            table = np.zeros((3, len(self.shift)), np.float32)
            table[0] = _FAR
            for row, values in zip(table, self.calibration.odds(columns), strict=True):
                row[: self.n_languages] = values
            self._bayes[key] = view(table)
        return self._bayes[key]


class BlockScorer:
    """The compiled steps with their buffers, for one thread and one table."""

    def __init__(self, table: EvidenceTable) -> None:
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
        self.columns, self.chances = np.zeros(BLOCK, np.int16), np.zeros(BLOCK, np.float32)
        self.likeliest = np.zeros((BLOCK, 0), np.int16), np.zeros((BLOCK, 0), np.float32)
        self.scores = np.zeros((BLOCK, 0), np.float32)
        self.segmenter: tuple[Vocabulary, Segmenter] | None = None

    def score(self, plan: ScoringPlan, data: Any, offsets: NDArray[np.int64]) -> dict[int, str]:
        """Write the calibrated scores of up to ``BLOCK`` rows; returns why a row could not be used."""
        n = len(offsets) - 1
        if self.scores.shape[1] != plan.output.shape[1]:
            self.scores = np.zeros((BLOCK, plan.output.shape[1]), np.float32)
        room = 2 * int(offsets[-1] - offsets[0]) + HOST_ROOM * n
        if len(self.text) < room:
            self.text = np.zeros(room, np.uint8)
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
        """The names of a URL's text cut into words, and what they add to its calibrated scores."""
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
        return " ".join("+".join(plan.words.cut(name)[1]) for name in names if len(name) >= SHORTEST), added

    def _parse(
        self, data: Any, offsets: NDArray[np.int64], spans: NDArray[np.int64], used: int
    ) -> dict[int, str]:
        """Texts of the rows that take the parser, behind the others; reasons of those that cannot be used."""
        left = np.flatnonzero(spans[:, 1] < 0).tolist()
        raw = [bytes(data[offsets[row] : offsets[row + 1]]).decode("utf-8", "replace") for row in left]
        texts = texts_of(raw)
        encoded = [b"" if text is None else text.encode("utf-8", "replace") for text, _ in texts]
        room = used + sum(map(len, encoded))
        if len(self.text) < room:
            self.text = np.concatenate([self.text, np.zeros(room, np.uint8)])
        for row, piece in zip(left, encoded, strict=True):
            self.text[used : used + len(piece)] = np.frombuffer(piece, np.uint8)
            spans[row] = used, used + len(piece)
            used += len(piece)
        return {row: reason for row, (text, reason) in zip(left, texts, strict=True) if text is None}

    def probabilities(self, plan: ScoringPlan, columns: Sequence[int] | None, n: int) -> Floats:
        """Probabilities of the rows that were scored last; those of columns that are not asked for are zero."""
        find_probabilities(view(self.scores), plan.bayes(columns), view(self.totals), n)
        found: Floats = self.scores[:n, : plan.n_languages] / self.totals[1, :n, None]
        return found

    def best(
        self, plan: ScoringPlan, columns: Sequence[int] | None, out: NDArray[Any], first: int, n: int
    ) -> None:
        """The likeliest column of each row that was scored last, as ``BEST``, from place ``first`` on."""
        some = out[first : first + n]
        find_best(
            view(self.scores), plan.bayes(columns), view(self.totals),
            view(self.columns), view(self.chances), n,
        )  # fmt: skip
        some["column"], some["probability"] = self.columns[:n], self.chances[:n]

    def top(
        self, plan: ScoringPlan, columns: Sequence[int] | None, k: int, n: int
    ) -> tuple[NDArray[np.int16], Floats]:
        """The likeliest ``k`` columns of each row that was scored last with their probabilities, best first."""
        scores, totals = view(self.scores), view(self.totals)
        find_probabilities(scores, plan.bayes(columns), totals, n)
        if self.likeliest[0].shape[1] != k:
            self.likeliest = np.zeros((BLOCK, k), np.int16), np.zeros((BLOCK, k), np.float32)
        best, chances = self.likeliest
        find_top(scores, totals, plan.n_languages, view(best), view(chances), n)
        return best[:n], chances[:n]


def top_type(k: int) -> np.dtype[Any]:
    """The likeliest ``k`` columns of a row with their probabilities."""
    return np.dtype([("column", np.int16, (k,)), ("probability", np.float32, (k,))], align=True)


_LOCAL = threading.local()


def block_scorer(table: EvidenceTable) -> BlockScorer:
    """The scorer of this thread for a table."""
    kept: weakref.WeakKeyDictionary[EvidenceTable, BlockScorer]
    try:
        kept = _LOCAL.scorers
    except AttributeError:
        kept = _LOCAL.scorers = weakref.WeakKeyDictionary()
    found = kept.get(table)
    if found is None:
        found = kept[table] = BlockScorer(table)
    return found

"""Predict languages of columns of URLs: any sequence in, NumPy or Arrow out, in constant memory.

Columns may be lists, NumPy, pandas, Polars or Arrow (sliced, chunked, ``large_string``, with nulls). Threads score
chunks of a column; results come back in order. An invalid row gets ``und`` and the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.features.url_buffer import as_list
from linksight.native import view
from linksight.reasons import EMPTY, NOT_TEXT
from linksight.results import UND
from linksight.system.processes import thread_count
from linksight.url_model.block_scorer import BEST, BLOCK, BlockScorer, block_scorer, top_type
from linksight.url_model.calibration import Calibration
from linksight.url_model.embeddings import HashedWeights, QuantizedEmbeddings
from linksight.urls.arrow_input import arrow_chunks, nulls_of, numbers_to_arrow, text_buffers, to_arrow
from linksight.urls.parser import texts_of

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.url_model.model import UrlLanguageModel

Floats = NDArray[np.float32]
Part = NDArray[Any]
#: Copies results of the block that was scored last: (block, output array of the chunk, first row, number of rows).
Collect = Callable[[BlockScorer, Part, int, int], None]
CHUNK_ROWS = 16_384  #: rows per task of a thread


@dataclass
class TopPredictions:
    """The most probable language of each row, or the top k, and the reasons for invalid rows."""

    column: NDArray[np.int16]  #: (rows,) or (rows, top_k), best first; -1 for an invalid row
    probability: Floats
    problems: dict[int, str]

    def languages(self, model: UrlLanguageModel) -> list[str]:
        """Language codes, ``und`` for rejected and invalid rows."""
        names = np.array([*model.languages, UND], dtype=object)
        codes: list[str] = names[np.where(self._is_rejected(model), -1, self.column)].tolist()
        return codes

    def _is_rejected(self, model: UrlLanguageModel) -> NDArray[np.bool_]:
        rejected: NDArray[np.bool_] = (self.probability < model.calibration.reject_threshold) | (
            self.column < 0
        )
        return rejected

    def table(self, model: UrlLanguageModel) -> pa.Table:
        """As Arrow: ``und`` for rejected rows; with top k, lists, which are empty for invalid rows."""
        import pyarrow as pa

        problems = pa.nulls(len(self.column), pa.string())
        if self.problems:
            sparse: list[str | None] = [None] * len(self.column)
            for row, reason in self.problems.items():
                sparse[row] = reason
            problems = to_arrow(sparse).cast(pa.string())
        names = to_arrow([*model.languages, UND]).cast(pa.string())
        if self.column.ndim == 1:
            codes = np.where(self._is_rejected(model), len(model.languages), self.column)
            probabilities = self.probability
        else:
            is_valid = self.column >= 0
            codes, probabilities = self.column[is_valid], self.probability[is_valid]
        columns = [names.take(numbers_to_arrow(codes.astype(np.int32))), numbers_to_arrow(probabilities)]
        if self.column.ndim > 1:
            offsets = numbers_to_arrow(np.cumsum([0, *is_valid.sum(axis=1)], dtype=np.int32))
            columns = [pa.ListArray.from_arrays(offsets, values) for values in columns]
        return pa.table([*columns, problems], names=["language", "probability", "problem"])


def score_urls(model: UrlLanguageModel, urls: Iterable[Any]) -> Floats:
    """Uncalibrated scores; an invalid URL gets the bias alone."""
    urls = as_list(urls)
    if isinstance(model.table, HashedWeights):
        return model.table.scores(urls)
    k = len(model.languages)
    plain = replace(model, calibration=Calibration.plain(k), words=None)
    parts = [part for part, _ in _score_chunks(plain, urls, _collect_scores(plain), (k, np.float32), 1)]
    return np.concatenate(parts) if parts else np.zeros((0, k), np.float32)


def _collect_scores(model: UrlLanguageModel) -> Collect:
    def collect(block: BlockScorer, out: Part, first: int, n: int) -> None:
        out[first : first + n] = block.scores[:n, : len(model.languages)]

    return collect


def predict_proba(
    model: UrlLanguageModel,
    urls: Iterable[Any],
    columns: list[int] | None = None,
    n_threads: int | None = None,
) -> Floats:
    """Probabilities of all rows; invalid rows get the class priors."""
    if isinstance(model.table, HashedWeights):
        return model.calibration.probabilities(_hashed_logits(model, as_list(urls))[0], columns)

    def collect(block: BlockScorer, out: Part, first: int, n: int) -> None:
        out[first : first + n] = block.probabilities(model.plan, columns, n)

    k = len(model.languages)
    parts = [part for part, _ in _score_chunks(model, urls, collect, (k, np.float32), n_threads)]
    return np.concatenate(parts) if parts else np.zeros((0, k), np.float32)


def predict_top(
    model: UrlLanguageModel, urls: Iterable[Any], columns: list[int] | None = None, n_threads: int | None = None,
    top_k: int = 1,
) -> TopPredictions:  # fmt: skip
    """The most probable language of each row, or the top k, among ``columns`` or all."""
    dtype = BEST if top_k == 1 else top_type(min(top_k, len(columns or model.languages)))
    urls = urls if hasattr(urls, "__len__") else as_list(urls)  # an iterator can be read only once
    top_columns: list[NDArray[np.int16]] = []
    top_probabilities: list[Floats] = []
    problems: dict[int, str] = {}
    n_rows = 0

    def collect(block: BlockScorer, out: Part, first: int, n: int) -> None:
        if top_k == 1:
            block.best(model.plan, columns, out, first, n)
            return
        rows, k = out[first : first + n], dtype["column"].shape[0]
        rows["column"], rows["probability"] = block.top(model.plan, columns, k, n)

    if isinstance(model.table, HashedWeights):
        parts = iter([_hashed_top(model, as_list(urls), columns, dtype)])
    else:
        parts = _score_chunks(model, urls, collect, (0, dtype), n_threads)
    for part, part_problems in parts:
        column, probability = part["column"], part["probability"]
        for row, reason in part_problems.items():
            column[row], probability[row] = -1, 0.0
            problems[n_rows + row] = reason
        top_columns.append(column)
        top_probabilities.append(probability)
        n_rows += len(part)
    if not n_rows:
        empty = np.zeros(0, dtype)
        return TopPredictions(empty["column"], empty["probability"], {})
    if not_text := [row for row, reason in problems.items() if reason == NOT_TEXT]:
        is_null = nulls_of(urls)
        problems |= {row: EMPTY for row in not_text if is_null[row]}
    return TopPredictions(np.concatenate(top_columns), np.concatenate(top_probabilities), problems)


def _hashed_logits(model: UrlLanguageModel, urls: list[Any]) -> tuple[Floats, dict[int, str]]:
    """Calibrated scores of a model of hashed weights, and the reasons for invalid rows."""
    assert isinstance(model.table, HashedWeights)
    texts = texts_of(urls)
    pages = np.array([bool(text and text.partition("/")[2]) for text, _ in texts], np.bool_)
    problems = {row: reason for row, (text, reason) in enumerate(texts) if text is None}
    return model.calibrated(model.table.scores(urls), pages), problems


def _hashed_top(
    model: UrlLanguageModel, urls: list[Any], columns: list[int] | None, dtype: np.dtype[Any]
) -> tuple[Part, dict[int, str]]:
    logits, problems = _hashed_logits(model, urls)
    top = np.empty(len(urls), dtype)
    if len(urls):
        probabilities = model.calibration.probabilities(logits, columns)
        k = top["column"][0].size
        order = np.argsort(-probabilities, axis=1, kind="stable")[:, :k]
        shape = top["column"].shape
        top["column"] = order.reshape(shape)
        top["probability"] = np.take_along_axis(probabilities, order, axis=1).reshape(shape)
    return top, problems


def _score_chunks(
    model: UrlLanguageModel,
    urls: Iterable[Any],
    collect: Collect,
    dtype: tuple[int, Any],
    n_threads: int | None,
) -> Iterator[tuple[Part, dict[int, str]]]:
    """Score chunk after chunk and yield what ``collect`` copied, with the reasons for invalid rows.

    With several threads a bounded number of chunks is scored ahead.
    """
    arrays: list[Any] | None = arrow_chunks(urls)
    if arrays is None:
        arrays = [as_list(urls)]
    work = [
        (model, array, first, collect, dtype)
        for array in arrays
        for first in range(0, len(array), CHUNK_ROWS)
    ]
    threads = min(thread_count(n_threads), len(work))
    if threads < 2:
        for item in work:
            yield _score_chunk(*item)
        return
    from concurrent.futures import ThreadPoolExecutor

    _ = model.plan  # build it once, before the threads share it
    with ThreadPoolExecutor(threads) as pool:
        pending = [pool.submit(_score_chunk, *item) for item in work[: threads * 2]]
        for item in work[threads * 2 :]:
            yield pending.pop(0).result()
            pending.append(pool.submit(_score_chunk, *item))
        for job in pending:
            yield job.result()


def _score_chunk(
    model: UrlLanguageModel,
    array: pa.Array | list[Any],
    first: int,
    collect: Collect,
    dtype: tuple[int, Any],
) -> tuple[Part, dict[int, str]]:
    """Score up to ``CHUNK_ROWS`` rows from ``first`` on, block by block."""
    assert isinstance(model.table, QuantizedEmbeddings)
    data, offsets, missing = text_buffers(array[first : first + CHUNK_ROWS])
    n = len(offsets) - 1
    block, plan = block_scorer(model.table), model.plan
    out = np.empty((n, dtype[0]) if dtype[0] else n, dtype[1])
    problems: dict[int, str] = {}
    for row in range(0, n, BLOCK):
        block_offsets = offsets[row : row + BLOCK + 1]
        block_problems = block.score(plan, view(data), block_offsets)
        if block_problems:
            problems |= {row + place: reason for place, reason in block_problems.items()}
        collect(block, out, row, len(block_offsets) - 1)
    if missing is not None:
        problems |= dict.fromkeys(np.flatnonzero(missing).tolist(), NOT_TEXT)
    return out, problems

"""Many URLs at a time: any column in, Arrow out, in constant memory.

Columns may be lists, NumPy, pandas, Polars or Arrow (sliced, chunked, ``large_string``, with nulls). Threads take
stretches of a column; results come back in order. A row that cannot be used is ``und`` with the reason.
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
from linksight.url_model.embeddings import EvidenceTable, HashedTable
from linksight.urls.arrow_input import arrow_chunks, nulls_of, numbers_to_arrow, text_buffers, to_arrow
from linksight.urls.parser import texts_of

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.url_model.model import Scorer

Floats = NDArray[np.float32]
Part = NDArray[Any]
#: What is kept of the rows that a block scorer scored last, in the array for their stretch, from a place on.
Keep = Callable[[BlockScorer, Part, int, int], None]
STRETCH = 16_384  #: rows that one thread takes at a time


@dataclass
class Best:
    """The likeliest language of each row, or the likeliest few, and why a row could not be used."""

    column: NDArray[np.int16]  #: (rows,) or (rows, top_k), best first; -1 where the row could not be used
    probability: Floats
    problems: dict[int, str]

    def languages(self, scorer: Scorer) -> list[str]:
        """Language codes, ``und`` for doubtful rows."""
        names = np.array([*scorer.languages, UND], dtype=object)
        found: list[str] = names[np.where(self._doubtful(scorer), -1, self.column)].tolist()
        return found

    def _doubtful(self, scorer: Scorer) -> NDArray[np.bool_]:
        doubtful: NDArray[np.bool_] = (self.probability < scorer.calibration.doubt) | (self.column < 0)
        return doubtful

    def table(self, scorer: Scorer) -> pa.Table:
        """As Arrow: doubtful rows as ``und``; lists of the likeliest few, empty where a row could not be used."""
        import pyarrow as pa

        problems = pa.nulls(len(self.column), pa.string())
        if self.problems:
            sparse: list[str | None] = [None] * len(self.column)
            for row, reason in self.problems.items():
                sparse[row] = reason
            problems = to_arrow(sparse).cast(pa.string())
        names = to_arrow([*scorer.languages, UND]).cast(pa.string())
        if self.column.ndim == 1:
            codes, chances = (
                np.where(self._doubtful(scorer), len(scorer.languages), self.column),
                self.probability,
            )
        else:
            kept = self.column >= 0
            codes, chances = self.column[kept], self.probability[kept]
        answers = [names.take(numbers_to_arrow(codes.astype(np.int32))), numbers_to_arrow(chances)]
        if self.column.ndim > 1:
            starts = numbers_to_arrow(np.cumsum([0, *kept.sum(axis=1)], dtype=np.int32))
            answers = [pa.ListArray.from_arrays(starts, values) for values in answers]
        return pa.table([*answers, problems], names=["language", "probability", "problem"])


def raw_scores(scorer: Scorer, urls: Iterable[Any]) -> Floats:
    """Scores before calibration; unusable URLs get the bias alone."""
    urls = as_list(urls)
    if isinstance(scorer.table, HashedTable):
        return scorer.table.scores(urls)
    plain = replace(scorer, calibration=Calibration.plain(len(scorer.languages)), words=None)
    parts = [
        part
        for part, _ in _stretches(plain, urls, _keep_scores(plain), (len(scorer.languages), np.float32), 1)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, len(scorer.languages)), np.float32)


def _keep_scores(scorer: Scorer) -> Keep:
    def keep(block: BlockScorer, out: Part, first: int, n: int) -> None:
        out[first : first + n] = block.scores[:n, : len(scorer.languages)]

    return keep


def probabilities(
    scorer: Scorer, urls: Iterable[Any], columns: list[int] | None = None, n_threads: int | None = None
) -> Floats:
    """Probabilities of every row; rows that cannot be used get the base rates."""
    if isinstance(scorer.table, HashedTable):
        return scorer.calibration.probabilities(_paper_logits(scorer, as_list(urls))[0], columns)

    def keep(block: BlockScorer, out: Part, first: int, n: int) -> None:
        out[first : first + n] = block.probabilities(scorer.plan, columns, n)

    kind = (len(scorer.languages), np.float32)
    parts = [part for part, _ in _stretches(scorer, urls, keep, kind, n_threads)]
    return np.concatenate(parts) if parts else np.zeros((0, len(scorer.languages)), np.float32)


def best(
    scorer: Scorer, urls: Iterable[Any], columns: list[int] | None = None, n_threads: int | None = None,
    top_k: int = 1,
) -> Best:  # fmt: skip
    """The likeliest language of every row, or the likeliest few, among ``columns`` where given."""
    kind = BEST if top_k == 1 else top_type(min(top_k, len(columns or scorer.languages)))
    urls = urls if hasattr(urls, "__len__") else as_list(urls)  # what can be read once only is kept
    found: list[NDArray[np.int16]] = []
    chances: list[Floats] = []
    problems: dict[int, str] = {}
    done = 0

    def keep(block: BlockScorer, out: Part, first: int, n: int) -> None:
        if top_k == 1:
            block.best(scorer.plan, columns, out, first, n)
            return
        some, k = out[first : first + n], kind["column"].shape[0]
        some["column"], some["probability"] = block.top(scorer.plan, columns, k, n)

    if isinstance(scorer.table, HashedTable):
        parts = iter([_paper_best(scorer, as_list(urls), columns, kind)])
    else:
        parts = _stretches(scorer, urls, keep, (0, kind), n_threads)
    for part, bad in parts:
        column, probability = part["column"], part["probability"]
        for row, reason in bad.items():
            column[row], probability[row] = -1, 0.0
            problems[done + row] = reason
        found.append(column)
        chances.append(probability)
        done += len(part)
    if not done:
        empty = np.zeros(0, kind)
        return Best(empty["column"], empty["probability"], {})
    if nothing := [row for row, reason in problems.items() if reason == NOT_TEXT]:
        gaps = nulls_of(urls)
        problems |= {row: EMPTY for row in nothing if gaps[row]}
    return Best(np.concatenate(found), np.concatenate(chances), problems)


def _paper_logits(scorer: Scorer, urls: list[Any]) -> tuple[Floats, dict[int, str]]:
    """Scores of a model of the papers, and the rows that cannot be used."""
    assert isinstance(scorer.table, HashedTable)
    texts = texts_of(urls)
    pages = np.array([bool(text and text.partition("/")[2]) for text, _ in texts], np.bool_)
    problems = {row: reason for row, (text, reason) in enumerate(texts) if text is None}
    return scorer.calibrated(scorer.table.scores(urls), pages), problems


def _paper_best(
    scorer: Scorer, urls: list[Any], columns: list[int] | None, kind: np.dtype[Any]
) -> tuple[Part, dict[int, str]]:
    logits, problems = _paper_logits(scorer, urls)
    found = np.empty(len(urls), kind)
    if len(urls):
        chances = scorer.calibration.probabilities(logits, columns)
        k = found["column"][0].size
        order = np.argsort(-chances, axis=1, kind="stable")[:, :k]
        shape = found["column"].shape
        found["column"] = order.reshape(shape)
        found["probability"] = np.take_along_axis(chances, order, axis=1).reshape(shape)
    return found, problems


def _stretches(
    scorer: Scorer, urls: Iterable[Any], keep: Keep, kind: tuple[int, Any], n_threads: int | None
) -> Iterator[tuple[Part, dict[int, str]]]:
    """What is kept of stretch after stretch, with the rows that cannot be used; a few stretches ahead in threads."""
    chunks: list[Any] | None = arrow_chunks(urls)
    if chunks is None:
        chunks = [as_list(urls)]
    work = [(scorer, chunk, first, keep, kind) for chunk in chunks for first in range(0, len(chunk), STRETCH)]
    threads = min(thread_count(n_threads), len(work))
    if threads < 2:
        for item in work:
            yield _stretch(*item)
        return
    from concurrent.futures import ThreadPoolExecutor

    _ = scorer.plan  # made once, before threads ask for it
    with ThreadPoolExecutor(threads) as pool:
        pending = [pool.submit(_stretch, *item) for item in work[: threads * 2]]
        for item in work[threads * 2 :]:
            yield pending.pop(0).result()
            pending.append(pool.submit(_stretch, *item))
        for job in pending:
            yield job.result()


def _stretch(
    scorer: Scorer, chunk: pa.Array | list[Any], first: int, keep: Keep, kind: tuple[int, Any]
) -> tuple[Part, dict[int, str]]:
    """What is kept of one stretch of a chunk, block by block."""
    assert isinstance(scorer.table, EvidenceTable)
    data, offsets, missing = text_buffers(chunk[first : first + STRETCH])
    n = len(offsets) - 1
    block, plan = block_scorer(scorer.table), scorer.plan
    out = np.empty((n, kind[0]) if kind[0] else n, kind[1])
    problems: dict[int, str] = {}
    for row in range(0, n, BLOCK):
        some = offsets[row : row + BLOCK + 1]
        found = block.score(plan, view(data), some)
        if found:
            problems |= {row + place: reason for place, reason in found.items()}
        keep(block, out, row, len(some) - 1)
    if missing is not None:
        problems |= dict.fromkeys(np.flatnonzero(missing).tolist(), NOT_TEXT)
    return out, problems

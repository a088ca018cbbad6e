"""Many URLs at a time: any column in, Arrow out, in constant memory.

Columns may be lists, NumPy, pandas, Polars or Arrow (sliced, chunked, ``large_string``, with nulls). Threads take
stretches of a column; results come back in order. A row that cannot be used is ``und`` with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.features.url_buffer import as_list
from linksight.native import view
from linksight.reasons import EMPTY, NOT_TEXT
from linksight.results import UND
from linksight.system.processes import thread_count
from linksight.url_model.block_scorer import BEST, BLOCK, BlockScorer, block_scorer
from linksight.url_model.calibration import Calibration
from linksight.url_model.embeddings import EvidenceTable, HashedTable
from linksight.urls.arrow_input import arrow_chunks, buffers_of, nulls_of, to_arrow
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
    """The likeliest language of each row, its probability, and why a row could not be used."""

    column: NDArray[np.int16]  #: -1 where the row could not be used
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
        """As Arrow, doubtful rows as ``und``."""
        import pyarrow as pa

        names = pa.array([*scorer.languages, UND])
        codes = np.where(self._doubtful(scorer), len(scorer.languages), self.column).astype(np.int32)
        problems = pa.nulls(len(codes), pa.string())
        if self.problems:
            sparse: list[str | None] = [None] * len(codes)
            for row, reason in self.problems.items():
                sparse[row] = reason
            problems = pa.array(sparse, pa.string())
        return pa.table(
            {
                "language": names.take(pa.array(codes)),
                "probability": pa.array(self.probability),
                "problem": problems,
            }
        )


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
    scorer: Scorer, urls: Iterable[Any], columns: list[int] | None = None, n_threads: int | None = None
) -> Best:
    """The likeliest language of every row, among ``columns`` where given."""
    urls = urls if hasattr(urls, "__len__") else as_list(urls)  # what can be read once only is kept
    found: list[NDArray[np.int16]] = []
    chances: list[Floats] = []
    problems: dict[int, str] = {}
    done = 0

    def keep(block: BlockScorer, out: Part, first: int, n: int) -> None:
        block.best(scorer.plan, columns, out, first, n)

    if isinstance(scorer.table, HashedTable):
        parts = iter([_paper_best(scorer, as_list(urls), columns)])
    else:
        parts = _stretches(scorer, urls, keep, (0, BEST), n_threads)
    for part, bad in parts:
        column, probability = part["column"], part["probability"]
        for row, reason in bad.items():
            column[row], probability[row] = -1, 0.0
            problems[done + row] = reason
        found.append(column)
        chances.append(probability)
        done += len(part)
    if not done:
        return Best(np.zeros(0, np.int16), np.zeros(0, np.float32), {})
    if nothing := [row for row, reason in problems.items() if reason == NOT_TEXT]:
        empty = nulls_of(urls)
        problems |= {row: EMPTY for row in nothing if empty[row]}
    return Best(np.concatenate(found), np.concatenate(chances), problems)


def _paper_logits(scorer: Scorer, urls: list[Any]) -> tuple[Floats, dict[int, str]]:
    """Scores of a model of the papers, and the rows that cannot be used."""
    assert isinstance(scorer.table, HashedTable)
    texts = texts_of(urls)
    pages = np.array([bool(text and text.partition("/")[2]) for text, _ in texts], np.bool_)
    problems = {row: reason for row, (text, reason) in enumerate(texts) if text is None}
    return scorer.calibrated(scorer.table.scores(urls), pages), problems


def _paper_best(scorer: Scorer, urls: list[Any], columns: list[int] | None) -> tuple[Part, dict[int, str]]:
    logits, problems = _paper_logits(scorer, urls)
    found = np.empty(len(urls), BEST)
    if len(urls):
        chances = scorer.calibration.probabilities(logits, columns)
        found["column"], found["probability"] = chances.argmax(axis=1), chances.max(axis=1)
    return found, problems


def _stretches(
    scorer: Scorer, urls: Iterable[Any], keep: Keep, kind: tuple[int, Any], n_threads: int | None
) -> Iterator[tuple[Part, dict[int, str]]]:
    """What is kept of stretch after stretch, with the rows that cannot be used; a few stretches ahead in threads."""
    chunks = arrow_chunks(urls)
    if chunks is None:
        chunks = arrow_chunks(to_arrow(as_list(urls))) or []
    work = [(scorer, chunk, first, keep, kind) for chunk in chunks for first in range(0, len(chunk), STRETCH)]
    threads = min(thread_count(n_threads), len(work))
    if threads < 2:
        for item in work:
            yield _stretch(*item)
        return
    _ = scorer.plan  # made once, before threads ask for it
    with ThreadPoolExecutor(threads) as pool:
        pending = [pool.submit(_stretch, *item) for item in work[: threads * 2]]
        for item in work[threads * 2 :]:
            yield pending.pop(0).result()
            pending.append(pool.submit(_stretch, *item))
        for job in pending:
            yield job.result()


def _stretch(
    scorer: Scorer, chunk: pa.Array, first: int, keep: Keep, kind: tuple[int, Any]
) -> tuple[Part, dict[int, str]]:
    """What is kept of one stretch of a chunk, block by block."""
    assert isinstance(scorer.table, EvidenceTable)
    stretch = chunk.slice(first, STRETCH)
    n = len(stretch)
    data, starts = buffers_of(stretch)
    offsets = starts.astype(np.int64)
    block, plan = block_scorer(scorer.table), scorer.plan
    out = np.empty((n, kind[0]) if kind[0] else n, kind[1])
    problems: dict[int, str] = {}
    for row in range(0, n, BLOCK):
        some = offsets[row : row + BLOCK + 1]
        found = block.score(plan, view(data), some)
        if found:
            problems |= {row + place: reason for place, reason in found.items()}
        keep(block, out, row, len(some) - 1)
    if stretch.null_count:
        problems |= dict.fromkeys(np.flatnonzero(np.asarray(stretch.is_null())).tolist(), NOT_TEXT)
    return out, problems

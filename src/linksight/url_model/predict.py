"""Many URLs at a time: any column in, Arrow out, all cores, nothing copied that need not be.

Columns may be lists, NumPy, pandas, Polars or Arrow (sliced, chunked, ``large_string``, with
nulls). Small inputs and models of the papers are scored in plain Python; large ones by ``kernel``.
A row that cannot be used never stops a batch: it is ``und`` with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linksight.features.url_buffer import as_list
from linksight.reasons import EMPTY, NOT_TEXT
from linksight.results import UND
from linksight.system.processes import n_cores
from linksight.url_model.calibration import is_page
from linksight.url_model.compiled_model import STRETCH, Keep, Part
from linksight.url_model.embeddings import EvidenceTable, HashedTable
from linksight.url_model.prediction_request import Question
from linksight.urls.arrow_input import arrow_chunks, nulls_of, to_arrow
from linksight.urls.parser import texts_of

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.url_model.model import Scorer

Floats = NDArray[np.float32]
FEW = 64  #: URLs that plain Python answers sooner than threads are started


class _Kept(NamedTuple):
    """What is kept of some rows: of their calibrated scores, by plain Python, and by the kernel."""

    of_scores: Callable[[Floats], Part]
    of_rows: Keep


@dataclass
class Best:
    """The likeliest language of each row, its probability, and why a row could not be used."""

    column: NDArray[np.int16]  #: -1 where the row could not be used
    probability: Floats
    problems: dict[int, str]

    def languages(self, scorer: Scorer) -> list[str]:
        """Language codes, the likeliest however doubtful."""
        names = np.array([*scorer.languages, UND], dtype=object)
        column = self.column
        # Doubt in a table of the papers means that nothing speaks for any language: the first is no likelier.
        if isinstance(scorer.table, HashedTable):
            column = np.where(self._doubtful(scorer), -1, column)
        found: list[str] = names[column].tolist()
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
    """Scores before calibration, by plain Python or by the table's own matrix product."""
    return _scores(scorer.table, as_list(urls))


def _scores(
    table: HashedTable | EvidenceTable, urls: list[Any], texts: list[tuple[str | None, str]] | None = None
) -> Floats:
    """One row of scores a URL, whose ``texts`` may be known already; unusable ones get the bias alone."""
    if isinstance(table, HashedTable):
        return table.scores(urls)
    rows = [
        table.bias if text is None else table.scores_of(text)
        for text, _ in (texts_of(urls) if texts is None else texts)
    ]
    return np.stack(rows) if rows else np.zeros((0, len(table.bias)), np.float32)


def probabilities(scorer: Scorer, urls: Iterable[Any], columns: list[int] | None = None) -> Floats:
    """Probabilities of every row; rows that cannot be used get the base rates."""
    question = Question(scorer.calibration, columns)
    kept = _Kept(question.probabilities, question.probabilities_of)
    parts = [part for part, _ in _stretches(scorer, urls, kept)]
    return np.concatenate(parts) if parts else np.zeros((0, len(scorer.languages)), np.float32)


def best(scorer: Scorer, urls: Iterable[Any], columns: list[int] | None = None) -> Best:
    """The likeliest language of every row, among ``columns`` where given."""
    urls = urls if hasattr(urls, "__len__") else as_list(urls)  # what can be read once only is kept
    found: list[NDArray[np.int16]] = []
    chances: list[Floats] = []
    problems: dict[int, str] = {}
    done = 0
    question = Question(scorer.calibration, columns)
    for part, bad in _stretches(scorer, urls, _Kept(question.best, question.best_of)):
        column, probability = part["column"], part["probability"]
        for row, reason in bad.items():
            column[row], probability[row] = -1, 0.0
            problems[done + row] = reason
        found.append(column)
        chances.append(probability)
        done += len(part)
    if not found:
        return Best(np.zeros(0, np.int16), np.zeros(0, np.float32), {})
    if nothing := [row for row, reason in problems.items() if reason == NOT_TEXT]:
        empty = nulls_of(urls)
        problems |= {row: EMPTY for row in nothing if empty[row]}
    return Best(np.concatenate(found), np.concatenate(chances), problems)


def _stretches(scorer: Scorer, urls: Iterable[Any], kept: _Kept) -> Iterator[tuple[Part, dict[int, str]]]:
    """What is kept of row after row, stretch by stretch, with the rows that cannot be used."""
    from linksight.url_model.model import WORTH_COMPILING

    # Once the compiled code is loaded it is the faster way for all but a handful.
    fewest = FEW if scorer.is_compiled else WORTH_COMPILING
    if isinstance(scorer.table, EvidenceTable):
        chunks = arrow_chunks(urls)
        if chunks is None:
            urls = as_list(urls)
            if len(urls) >= fewest:
                chunks = arrow_chunks(to_arrow(urls))
        if chunks is not None and sum(map(len, chunks)) >= fewest:
            yield from _compiled(scorer, chunks, kept.of_rows)
            return
        if chunks is not None:
            urls = [value for chunk in chunks for value in chunk.to_pylist()]
    for scores, problems in _plain(scorer, as_list(urls)):
        yield kept.of_scores(scores), problems


def _plain(scorer: Scorer, urls: list[Any]) -> Iterator[tuple[Floats, dict[int, str]]]:
    for first in range(0, len(urls), STRETCH):
        some = urls[first : first + STRETCH]
        texts = texts_of(some)
        pages = np.array([text is not None and is_page(text) for text, _ in texts])
        problems = {row: reason for row, (text, reason) in enumerate(texts) if text is None}
        logits = scorer.calibrated(_scores(scorer.table, some, texts), pages)
        if scorer.words is not None:
            for row, (text, _) in enumerate(texts):
                if text is not None:
                    logits[row] += scorer.said(text, logits[row])[1]
        yield logits, problems


def _compiled(scorer: Scorer, chunks: list[pa.Array], keep: Keep) -> Iterator[tuple[Part, dict[int, str]]]:
    """Threads take stretches; results come back in order, a few ahead, so memory stays flat."""
    compiled = scorer.compiled
    work = [(chunk, first, keep) for chunk in chunks for first in range(0, len(chunk), STRETCH)]
    n_threads = min(n_cores(), len(work))
    with ThreadPoolExecutor(n_threads) as pool:
        pending = [pool.submit(compiled.kept, *item) for item in work[: n_threads * 2]]
        for item in work[n_threads * 2 :]:
            yield pending.pop(0).result()
            pending.append(pool.submit(compiled.kept, *item))
        for job in pending:
            yield job.result()

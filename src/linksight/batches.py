"""Many URLs at a time: any column in, Arrow out, all cores, nothing copied that need not be.

Columns may be lists, NumPy, pandas, Polars or Arrow (sliced, chunked, ``large_string``, with
nulls). Small inputs and models of the papers are scored in plain Python; large ones by ``kernel``.
A row that cannot be used never stops a batch: it is ``und`` with the reason.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData, BadUrl
from linksight.features.texts import as_list
from linksight.records import UND
from linksight.tables import EvidenceTable
from linksight.urls import Url

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.kernel import Weights
    from linksight.scorer import Scorer

Floats = NDArray[np.float32]
BEST = np.dtype([("column", np.int16), ("probability", np.float32)], align=True)
FEW = 64  #: URLs that plain Python answers sooner than threads are started
STRETCH = 16_384  #: rows that one thread takes at a time
BLOCK = 512  #: rows whose scores are made and used while they are in the processor's cache


@dataclass
class Best:
    """The likeliest language of each row, its probability, and why a row could not be used."""

    column: NDArray[np.int16]  #: -1 where the row could not be used
    probability: Floats
    problems: dict[int, str]

    def languages(self, scorer: Scorer) -> list[str]:
        """Language codes, the likeliest however doubtful."""
        names = np.array([*scorer.languages, UND], dtype=object)
        found: list[str] = names[self.column].tolist()
        return found

    def table(self, scorer: Scorer) -> pa.Table:
        """As Arrow, doubtful rows as ``und``."""
        import pyarrow as pa

        names = pa.array([*scorer.languages, UND])
        doubtful = (self.probability < scorer.calibration.doubt) | (self.column < 0)
        codes = np.where(doubtful, len(scorer.languages), self.column).astype(np.int32)
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
    if not isinstance(scorer.table, EvidenceTable):
        return scorer.table.scores(as_list(urls))
    rows = [
        scorer.table.bias if text is None else scorer.table.scores_of(text)
        for text, _ in _texts(as_list(urls))
    ]
    return np.stack(rows) if rows else np.zeros((0, len(scorer.languages)), np.float32)


def logits(scorer: Scorer, urls: Iterable[Any]) -> Floats:
    """Calibrated scores of every row; rows that cannot be used get the base rates."""
    parts = [part for part, _ in _stretches(scorer, urls, None, np.copy)]
    return np.concatenate(parts) if parts else np.zeros((0, len(scorer.languages)), np.float32)


def best(scorer: Scorer, urls: Iterable[Any], columns: list[int] | None = None) -> Best:
    """The likeliest language of every row, among ``columns`` where given."""
    found: list[NDArray[np.int16]] = []
    chances: list[Floats] = []
    problems: dict[int, str] = {}
    done = 0
    for part, bad in _stretches(scorer, urls, columns, _best_rows):
        column = part["column"] if columns is None else np.asarray(columns, np.int16)[part["column"]]
        probability = _with_surprise(scorer, column, part["probability"], columns)
        for row, reason in bad.items():
            column[row], probability[row] = -1, 0.0
            problems[done + row] = reason
        found.append(column)
        chances.append(probability)
        done += len(part)
    if not found:
        return Best(np.zeros(0, np.int16), np.zeros(0, np.float32), {})
    return Best(np.concatenate(found), np.concatenate(chances), problems)


def _with_surprise(
    scorer: Scorer, column: NDArray[np.int16], probability: Floats, columns: list[int] | None
) -> Floats:
    """What ``Calibration.probabilities`` does, for the best column alone."""
    share, rates = scorer.calibration.surprise, scorer.calibration.rates
    if not share:
        return probability
    whole = rates.sum() if columns is None else rates[columns].sum()
    mixed: Floats = ((1 - share) * probability + share * rates[column] / whole).astype(np.float32)
    return mixed


def _best_rows(scores: Floats) -> NDArray[Any]:
    """The likeliest column of each row and its probability."""
    found = np.empty(len(scores), BEST)
    found["column"] = scores.argmax(axis=1)
    if len(scores) >= BLOCK:
        from linksight.kernel import chances_of

        chances_of(scores, found["column"], found["probability"])
    else:
        found["probability"] = 1 / np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1)
    return found


Part = NDArray[Any]
Reduce = Callable[[Floats], Part]  #: what is kept of the scores of some rows


def _stretches(
    scorer: Scorer, urls: Iterable[Any], columns: list[int] | None, reduce: Reduce
) -> Iterator[tuple[Part, dict[int, str]]]:
    """What is kept of row after row, stretch by stretch, with the rows that cannot be used."""
    from linksight.scorer import WORTH_COMPILING

    # Once the compiled code is loaded it is the faster way for all but a handful.
    fewest = FEW if scorer.is_compiled else WORTH_COMPILING
    if isinstance(scorer.table, EvidenceTable):
        chunks = _arrow_chunks(urls)
        if chunks is None:
            urls = as_list(urls)
            if len(urls) >= fewest:
                chunks = _arrow_chunks(_to_arrow(urls))
        if chunks is not None and sum(map(len, chunks)) >= fewest:
            yield from _compiled(scorer, chunks, columns, reduce)
            return
        if chunks is not None:
            urls = [value for chunk in chunks for value in chunk.to_pylist()]
    for scores, problems in _plain(scorer, as_list(urls)):
        yield reduce(scores if columns is None else scores[:, columns]), problems


def _plain(scorer: Scorer, urls: list[Any]) -> Iterator[tuple[Floats, dict[int, str]]]:
    for first in range(0, len(urls), STRETCH):
        some = urls[first : first + STRETCH]
        texts = _texts(some)
        pages = np.array([text is not None and bool(text.partition("/")[2]) for text, _ in texts])
        problems = {row: reason for row, (text, reason) in enumerate(texts) if text is None}
        if isinstance(scorer.table, EvidenceTable):
            scores = np.stack(
                [scorer.table.bias if text is None else scorer.table.scores_of(text) for text, _ in texts]
            )
        else:
            scores = scorer.table.scores(some)
        yield scorer._calibrated(scores, pages), problems


def _texts(urls: list[Any]) -> list[tuple[str | None, str]]:
    found: list[tuple[str | None, str]] = []
    for raw in urls:
        try:
            found.append((Url.parse(raw).text, ""))
        except BadUrl as error:
            found.append((None, error.reason))
    return found


# --- compiled -----------------------------------------------------------------------------------


def _compiled(
    scorer: Scorer, chunks: list[pa.Array], columns: list[int] | None, reduce: Reduce
) -> Iterator[tuple[Part, dict[int, str]]]:
    """Threads take stretches; results come back in order, a few ahead, so memory stays flat."""
    compiled = scorer.compiled
    output = compiled.output if columns is None else np.ascontiguousarray(compiled.output[:, columns])
    work = [(chunk, first, output, reduce) for chunk in chunks for first in range(0, len(chunk), STRETCH)]
    n_threads = min(n_cores(), len(work))
    with ThreadPoolExecutor(n_threads) as pool:
        pending = [pool.submit(compiled.reduced, *item) for item in work[: n_threads * 2]]
        for item in work[n_threads * 2 :]:
            yield pending.pop(0).result()
            pending.append(pool.submit(compiled.reduced, *item))
        for job in pending:
            yield job.result()


def n_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class CompiledModel:
    """A scorer's table laid out for the kernel, and scratch for each thread."""

    def __init__(self, scorer: Scorer) -> None:
        assert isinstance(scorer.table, EvidenceTable)
        calibration, layout = scorer.calibration, _layout(scorer.table)
        self.weights = layout._replace(scales=layout.scales * calibration.slopes.reshape(2, -1))
        #: the table's output, and for each kind of URL what every row of that kind starts from
        self.output = np.concatenate([scorer.table.output, calibration.start(scorer.table.bias)])
        self.local = threading.local()

    def score(self, chunk: pa.Array, first: int) -> tuple[Floats, dict[int, str]]:
        """Calibrated scores of one stretch of a chunk, and the rows that cannot be used."""
        return self.reduced(chunk, first, self.output, np.copy)

    def reduced(
        self, chunk: pa.Array, first: int, output: Floats, reduce: Reduce
    ) -> tuple[Part, dict[int, str]]:
        """What is kept of one stretch of a chunk, a few rows at a time while their scores are at hand."""
        vectors, problems = self._vectors(chunk.slice(first, STRETCH))
        scores = np.empty((BLOCK, output.shape[1]), np.float32)
        parts = []
        for start in range(0, max(len(vectors), 1), BLOCK):
            some = vectors[start : start + BLOCK]
            _multiply(some, output, scores)
            parts.append(reduce(scores[: len(some)]))
        return np.concatenate(parts), problems

    def _vectors(self, some: pa.Array) -> tuple[Floats, dict[int, str]]:
        from linksight.kernel import scratch, vectors_of

        if not hasattr(self.local, "scratch"):
            self.local.scratch = scratch()
        data, offsets = _buffers(some)
        vectors, hard = np.empty((len(some), len(self.output)), np.float32), np.zeros(len(some), np.bool_)
        vectors_of(self.weights, data, offsets, False, self.local.scratch, vectors, hard)
        problems = self._read_hard(some, hard, vectors) if hard.any() or some.null_count else {}
        return vectors, problems

    def _read_hard(self, some: pa.Array, hard: NDArray[np.bool_], vectors: Floats) -> dict[int, str]:
        """The few rows that take a parser: parsed one by one, read together."""
        from linksight.kernel import vectors_of

        null = np.asarray(some.is_null()) if some.null_count else np.zeros(len(some), np.bool_)
        which = np.flatnonzero(hard | null)
        texts = _texts(some.take(_indices(which)).to_pylist())
        encoded = [b"" if text is None else text.encode("utf-8", "replace") for text, _ in texts]
        side = np.frombuffer(b"".join(encoded) or b"\0", np.uint8)
        ends = np.concatenate([[0], np.cumsum([len(text) for text in encoded])])
        found = np.empty((len(which), vectors.shape[1]), np.float32)
        vectors_of(self.weights, side, ends, True, self.local.scratch, found, hard)
        unusable = np.array([text is None for text, _ in texts])
        found[unusable] = 0
        found[unusable, -2] = 1  # as a home page that says nothing
        vectors[which] = found
        return {int(row): reason for row, (text, reason) in zip(which, texts, strict=True) if text is None}


def _multiply(vectors: Floats, output: Floats, scores: Floats) -> None:
    """The matrix product, in blocks too small for the library to call in threads of its own.

    Each of our threads has a core to itself; threads of the library would only wait on each other.
    """
    block = max(1, 250_000 // output.size)
    for first in range(0, len(vectors), block):
        some = vectors[first : first + block]
        np.matmul(some, output, out=scores[first : first + len(some)])


@lru_cache(maxsize=2)
def _layout(table: EvidenceTable) -> Weights:
    """A table laid out for the kernel, made once for all base rates that it is used with."""
    from linksight.kernel import weights_of

    return weights_of(table)


def _indices(which: NDArray[np.int64]) -> pa.Array:
    import pyarrow as pa

    return pa.array(which)


def _buffers(array: pa.Array) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Bytes and offsets of a string array, where they lie; a slice's offset is ours to apply."""
    import pyarrow as pa

    wide = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    _, offsets, data = array.buffers()
    starts = np.frombuffer(offsets, np.int64 if wide else np.int32)[
        array.offset : array.offset + len(array) + 1
    ]
    return np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8), starts


# --- columns ------------------------------------------------------------------------------------


def _arrow_chunks(urls: Any) -> list[pa.Array] | None:
    """The Arrow arrays behind a column, or None where there are none."""
    if hasattr(urls, "to_arrow") and not isinstance(urls, list):  # Polars
        urls = urls.to_arrow()
    elif type(urls).__module__.startswith("pandas"):
        urls = _to_arrow(urls.tolist() if hasattr(urls, "tolist") else list(urls))
    if not type(urls).__module__.startswith("pyarrow"):
        return None
    import pyarrow as pa

    chunks = urls.chunks if isinstance(urls, pa.ChunkedArray) else [urls]
    return [_as_strings(chunk) for chunk in chunks]


def _as_strings(chunk: Any) -> pa.Array:
    import pyarrow as pa

    kind = chunk.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return chunk
    if pa.types.is_dictionary(kind) or pa.types.is_string_view(kind) or pa.types.is_null(kind):
        return chunk.cast(pa.large_string())
    raise BadData(f"a column of URLs must hold text, not {kind}")


def _to_arrow(urls: list[Any]) -> Any:
    """A list as Arrow; what is no text becomes null and is reported as such."""
    import pyarrow as pa

    try:
        return pa.array(urls, pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
        clean = [url.encode("utf-8", "replace").decode() if isinstance(url, str) else None for url in urls]
        return pa.array(clean, pa.large_string())

"""Labels of many pages as an Arrow table, with all cores."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from typing import Any

from linksight.pages import identify
from linksight.pages.input.batch import schema_of
from linksight.system.processes import n_cores

CHUNK = 256  #: pages that a process takes at a time
COLUMNS = ("language", "script", "encoding", "confidence", "reliable", "encoding_confidence", "reason")
Row = tuple[str | float | bool | None, ...]


def identify_many(bodies: Iterable[bytes], *, n_processes: int | None = None, **options: Any) -> Any:
    """An Arrow table with a row a page; ``bodies`` is an iterable of bytes or an Arrow column.

    ``options`` are those of :func:`linksight.identify`. A missing page is a row with the reason ``empty``.
    """
    import pyarrow as pa

    rows = list(_rows(_chunks(bodies), n_processes or n_cores(), options))
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(COLUMNS)
    return pa.table([list(column) for column in columns], schema=schema_of(*COLUMNS))


def _chunks(bodies: Iterable[bytes]) -> Iterator[list[bytes | None]]:
    """Pages as bytes, some at a time; scalars of Arrow are converted."""
    pages = (body.as_py() if hasattr(body, "as_py") else body for body in bodies)
    while chunk := list(islice(pages, CHUNK)):
        yield chunk


def _rows(chunks: Iterator[list[bytes | None]], n_processes: int, options: dict[str, Any]) -> Iterator[Row]:
    first, second = next(chunks, []), next(chunks, [])
    every = chain((first, second), chunks)
    if n_processes == 1 or not second:
        yield from (row for chunk in every for row in _labels(chunk, options))
        return
    # Spawned, not forked: threads of this process do not survive a fork.
    with ProcessPoolExecutor(n_processes, multiprocessing.get_context("spawn")) as pool:
        waiting: deque[Future[list[Row]]] = deque()
        for chunk in every:
            waiting.append(pool.submit(_labels, chunk, options))
            if len(waiting) > 2 * n_processes:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _labels(bodies: list[bytes | None], options: dict[str, Any]) -> list[Row]:
    return [_row(body, options) for body in bodies]


def _row(body: bytes | None, options: dict[str, Any]) -> Row:
    page = identify(body or b"", **options)
    return tuple(getattr(page, name) for name in COLUMNS)

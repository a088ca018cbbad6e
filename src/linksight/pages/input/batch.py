"""Many WARC files at once: a process takes a file, and leaves a Parquet file with a row a page.

A file is the unit of work: its labels are written atomically, and a later run processes the rest.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from linksight.errors import BadConfig, BadData
from linksight.pages.input.stale_files import held_file, sweep
from linksight.results import UND, ZXX
from linksight.system.processes import n_cores

if TYPE_CHECKING:
    from linksight.pages.input.sources import Page
    from linksight.results import PageLabel

BATCH_ROWS = 2_000  #: rows of labels held before they are written
UNREADABLE = "unreadable"
_SIZE = b"linksight.bytes_of_file"


#: The columns of labels, by the same names in every format.
COLUMNS = (
    "page", "url", "language", "script", "encoding", "confidence", "reliable", "encoding_confidence",
    "reason", "problem", "date", "status", "mime_type", "digest",
)  # fmt: skip
Row = dict[str, Any]


@dataclass
class FileReport:
    """The result of one file."""

    path: str
    languages: Counter[str] = field(default_factory=Counter)
    was_done: bool = False  #: by an earlier run


def row_of(page: Page, label: PageLabel | None) -> Row:
    """The row of a page by the names of ``COLUMNS``; one that could not be read has a ``problem`` and no label.

    A row without a language has no confidence. Characters that cannot be encoded are escaped.
    """
    found = dict.fromkeys(COLUMNS) | {
        name: getattr(page, name) for name in ("url", "date", "status", "mime_type", "digest", "problem")
    }
    found["page"] = page.name
    if label:
        found |= {
            name: getattr(label, name)
            for name in ("language", "script", "encoding", "reliable", "encoding_confidence", "reason")
        }
        found["confidence"] = None if label.language in (UND, ZXX) else label.confidence
    return {
        name: value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
        for name, value in found.items()
    }


def schema_of(*names: str, metadata: dict[bytes, bytes] | None = None) -> Any:
    """The Arrow schema of columns of labels."""
    import pyarrow as pa

    kinds = {"confidence": pa.float32(), "reliable": pa.bool_(), "encoding_confidence": pa.float32()}
    return pa.schema([(name, kinds.get(name, pa.string())) for name in names], metadata)


def labels_of(path: str, method: str = "default") -> Iterator[Row]:
    """A row for each page of a WARC file (or of one page), with the ``path``."""
    from linksight.pages import identify
    from linksight.pages.input.sources import Page, from_file

    place = Path(path)
    for page in from_file(place) if place.is_file() else [Page(path, b"", problem="no such file")]:
        label = None
        if not page.problem:
            label = identify(page.body, page.content_type, page.url, method=method)
        yield {"path": path.encode("utf-8", "backslashreplace").decode()} | row_of(page, label)


def label_file(path: str, target: str, method: str = "default") -> FileReport:
    """Write the labels of one file's pages as Parquet (atomically)."""
    # Noted before it is read: pages that are added meanwhile are not in these labels.
    schema, report = schema_of("path", *COLUMNS, metadata=_note(path)), FileReport(path)

    def counted(rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            report.languages[row["language"] or UNREADABLE] += 1
            yield row

    with held_file(target) as file:
        write_parquet(file, counted(labels_of(path, method)), schema)
    return report


def write_parquet(stream: IO[bytes], rows: Iterator[Row], schema: Any = None) -> None:
    """Write rows as Parquet, some at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = schema or schema_of(*COLUMNS)
    with pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        while held := list(islice(rows, BATCH_ROWS)):
            writer.write_table(pa.Table.from_pylist(held, schema=schema))


def label_files(
    paths: Sequence[str],
    folder: str | os.PathLike[str],
    *,
    n_processes: int | None = None,
    method: str = "default",
) -> Iterator[FileReport]:
    """Label many files into a folder, as many at a time as there are cores; reports come as they end.

    Files with existing labels are reported and not read again; labels of another file of that
    name, or of an earlier version of the file, are an error. Stale temporary files are
    removed. If a process dies, its file is retried in a separate process; if that dies too, the file is the
    error.
    """
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    targets = _targets(paths, out)
    sweep(targets.values())
    left = []
    for path, target in targets.items():
        if target.exists():
            _check_same(path, target)
            yield FileReport(path, was_done=True)
        else:
            left.append(path)
    died: list[str] = []
    for answer in _in_pool(left, targets, n_processes or n_cores(), method):
        if isinstance(answer, FileReport):
            yield answer
        else:
            died.append(answer)
    sweep(targets[path] for path in died)
    for path in died:  # it is unknown which file killed the pool: each gets a separate process
        for answer in _in_pool([path], targets, 1, method):
            if not isinstance(answer, FileReport):
                raise BadData(f"{path}: the process that read it died twice (too little memory?)")
            yield answer


def _in_pool(paths: list[str], targets: dict[str, Path], n: int, method: str) -> Iterator[FileReport | str]:
    """Reports, or the path where the process died."""
    # Spawned, not forked: threads of the compiled parts do not survive a fork.
    context = multiprocessing.get_context("spawn")
    n = min(n, max(len(paths), 1))
    with ProcessPoolExecutor(n, mp_context=context, initializer=_end_with_parent) as pool:
        work = {}
        for path in paths:
            try:
                work[pool.submit(label_file, path, str(targets[path]), method)] = path
            except BrokenProcessPool:
                yield path
        for done in as_completed(work):
            try:
                yield done.result()
            except BrokenProcessPool:
                yield work[done]


def _end_with_parent() -> None:
    """In a process of the pool: if the run is killed, end too, and do not wait for a next file for ever."""

    def watch() -> None:
        if parent := multiprocessing.parent_process():
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _targets(paths: Iterable[str], folder: Path) -> dict[str, Path]:
    targets = {path: folder / f"{Path(path).name}.parquet" for path in paths}
    if len(set(targets.values())) < len(targets):
        twice = Counter(target.name for target in targets.values()).most_common(1)[0][0]
        raise BadConfig(f"two files would both be written to {twice}; label them into separate folders")
    return targets


def _note(path: str) -> dict[bytes, bytes]:
    """Metadata beside the labels that distinguish a file from another of the same name."""
    return {_SIZE: str(Path(path).stat().st_size).encode()} if Path(path).is_file() else {}


def _check_same(path: str, target: Path) -> None:
    """Refuse labels of another file, or of an earlier version of this one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        then = (pq.read_schema(target).metadata or {}).get(_SIZE)
    except (pa.ArrowException, OSError) as error:
        raise BadConfig(
            f"{target}: not the labels of a file; delete it, or label into another folder"
        ) from error
    now = _note(path).get(_SIZE)
    if then is not None and now is not None and then != now:
        raise BadConfig(
            f"{target}: the labels of another {Path(path).name}, or of this one before it changed ({int(then):,} bytes"
            f" then, {int(now):,} now); delete it, or label into another folder"
        )

"""Many WARC files at once: a process takes a file, and leaves a Parquet file with a row a page.

A file is the unit of work: what is finished is there whole, and a later run goes on with the rest.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from linksight.errors import BadConfig, BadData
from linksight.pages.input.stale_files import held_file, sweep
from linksight.system.processes import n_cores

AT_ONCE = 2_000  #: rows of labels held before they are written
UNREADABLE = "unreadable"
_SIZE = b"linksight.bytes_of_file"


@dataclass(frozen=True, slots=True)
class PageRow:
    """What is known of one page of a file."""

    path: str
    page: str
    url: str | None
    language: str | None
    script: str | None
    encoding: str | None
    confidence: float | None
    problem: str | None = None  #: why it could not be read, or why the language is ``und``

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for Arrow: half characters, as in names that are not UTF-8, are spelt out."""
        return {name: _whole(value) for name, value in asdict(self).items()}


@dataclass
class FileReport:
    """What came of one file."""

    path: str
    languages: Counter[str] = field(default_factory=Counter)
    was_done: bool = False  #: by an earlier run


def _whole(value: Any) -> Any:
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def labels_of(path: str, method: str = "default") -> Iterator[PageRow]:
    """The pages of a WARC file (or of one page) with their labels, one after the other."""
    from linksight.pages import identify
    from linksight.pages.input.sources import from_file

    if not Path(path).is_file():
        yield PageRow(path, path, None, None, None, None, None, "no such file")
        return
    for page in from_file(Path(path)):
        if page.problem:
            yield PageRow(path, page.name, page.url, None, None, None, None, page.problem)
            continue
        found = identify(page.body, page.content_type, page.url, method=method)
        yield PageRow(
            path, page.name, page.url, found.language, found.script, found.encoding, found.confidence, found.reason
        )  # fmt: skip


def label_file(path: str, target: str, method: str = "default") -> FileReport:
    """Write the labels of one file's pages as Parquet, whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = pa.string()
    kinds = [(name, pa.float32() if name == "confidence" else text) for name in PageRow.__slots__]
    # Noted before it is read: what comes in addition meanwhile is not in these labels.
    schema, report = pa.schema(kinds, _note(path)), FileReport(path)
    with held_file(target) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for rows in _some(labels_of(path, method)):
            report.languages.update(row.language or UNREADABLE for row in rows)
            writer.write_table(pa.Table.from_pylist([row.as_dict() for row in rows], schema=schema))
    return report


def label_files(
    paths: Sequence[str],
    folder: str | os.PathLike[str],
    *,
    n_processes: int | None = None,
    method: str = "default",
) -> Iterator[FileReport]:
    """Label many files into a folder, as many at a time as there are cores; reports come as they end.

    Files whose labels are there already are reported and not read again; labels of another file of that
    name, or of what a file was before it grew, are an error. What a killed run left half written is taken
    away. A process that dies costs its file a second try on its own; if it dies again, that file is the
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
    for path in died:  # which of them killed the pool is not known: each gets a process of its own
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
    """What is noted of a file beside its labels, to tell it from another of the same name."""
    return {_SIZE: str(Path(path).stat().st_size).encode()} if Path(path).is_file() else {}


def _check_same(path: str, target: Path) -> None:
    """Refuse to take the labels of another file, or of what a file was before it grew, for those of this one."""
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


def _some(rows: Iterator[PageRow]) -> Iterator[list[PageRow]]:
    held: list[PageRow] = []
    for row in rows:
        held.append(row)
        if len(held) == AT_ONCE:
            yield held
            held = []
    yield held

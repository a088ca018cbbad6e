"""The WARC files on disk, written so that no page is lost.

The writer knows three places in its file: what the database has committed, what is on disk beyond
that, and what is being written. A record counts only once its place is in the database, in the
transaction that also ends its URL's turn; so after a kill the file is cut back to the committed
length and the page is fetched again. Each worker writes files of its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import linksight
from linksight.crawl.archive.warc_records import new_id, one_line, record, warc_date
from linksight.crawl.run.config import CrawlConfig

FOLDER = "warc"
OPEN = ".open"  #: behind the name of a file that is being written, as other crawlers have it


class WarcWriter:
    """Appends records to this worker's files; see the module for the order of things."""

    def __init__(self, folder: Path, worker: str, info: Mapping[str, Any], most_bytes: int) -> None:
        self.folder = folder / FOLDER
        self.worker = worker
        self.info = info
        self.most_bytes = most_bytes
        self.name = ""
        self.position = 0
        self.pending = False
        self.in_doubt = False  #: a commit failed, and whether it came through cannot be asked yet
        self._committed = 0
        self._serial = 0
        self._file: int | None = None

    def append(self, first: bytes, *more: bytes) -> tuple[str, int, int]:
        """Write records at the end; answers file, offset and length of the first."""
        if self._file is None:
            self._open()
        offset = self.position
        for data in (first, *more):
            self._write(data)
        self.pending = True
        return self.name, offset, len(first)

    def sync(self) -> None:
        """Bring everything written to the disk; only then may the database speak of it."""
        if self._file is not None:
            os.fsync(self._file)

    def settle(self) -> None:
        """The database has committed what was written."""
        self._committed, self.pending = self.position, False
        if self.position >= self.most_bytes:
            self.close()

    def rollback(self, committed: int) -> None:
        """The database has not: cut the file back to what it knows of."""
        self.pending = self.in_doubt = False
        if self._file is not None:
            os.ftruncate(self._file, committed)
            os.lseek(self._file, committed, os.SEEK_SET)
            self.position = self._committed = committed
            if not committed:
                (self.folder / f"{self.name}{OPEN}").unlink(missing_ok=True)
                self.close()

    def close(self) -> None:
        """End the file; the next record begins another one."""
        if self._file is not None:
            # What may have been committed is not cut: the next start asks the database first.
            if self.position != self._committed and not self.in_doubt:
                os.ftruncate(self._file, self._committed)
            os.close(self._file)
            self._file = None
            path = self.folder / f"{self.name}{OPEN}"
            if not self._committed and not self.in_doubt:
                path.unlink(missing_ok=True)
            elif path.exists():
                path.rename(self.folder / self.name)
                _sync_folder(self.folder)

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        stamp = datetime.now(UTC).strftime("%Y%m%d%H%M%S")
        self.name = f"linksight-{stamp}-{self._serial:05d}-{self.worker}.warc.gz"
        self._serial += 1
        self._file = os.open(self.folder / f"{self.name}{OPEN}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        _sync_folder(self.folder)
        self.position = self._committed = 0
        told = "".join(f"{name}: {one_line(str(value))}\r\n" for name, value in self.info.items())
        fields = {
            "WARC-Record-ID": new_id(),
            "WARC-Date": warc_date(datetime.now(UTC).timestamp()),
            "WARC-Filename": self.name,
            "Content-Type": "application/warc-fields",
        }
        self._write(record("warcinfo", fields, told.encode()))

    def _write(self, data: bytes) -> None:
        assert self._file is not None
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]
        self.position += len(data)


def warc_info(config: CrawlConfig) -> dict[str, str]:
    """The fields of a file's warcinfo record: the software and the configuration."""
    return {
        "software": f"linksight/{linksight.__version__}",
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "robots": "obey" if config.robots else "ignore",
        "http-header-user-agent": config.user_agent,
        "linksight-config": json.dumps(config.shown(), ensure_ascii=False),
    }


def worker_of(name: str) -> str:
    """The worker that writes a file, by the file's name.

    >>> worker_of("linksight-20260102030405-00000-box-17-ab12.warc.gz")
    'box-17-ab12'
    """
    return name.removesuffix(OPEN).split("-", 3)[-1].removesuffix(".warc.gz")


def path_of(folder: Path, name: str) -> Path:
    """Where a crawl's WARC file is, also while it is being written."""
    path = folder / FOLDER / name
    live = path.with_name(f"{name}{OPEN}")
    return live if live.exists() else path


def warc_paths(folder: Path) -> list[Path]:
    """All WARC files in a crawl's folder, also those that are being written."""
    found = [*(folder / FOLDER).glob("*.warc.gz"), *(folder / FOLDER).glob(f"*.warc.gz{OPEN}")]
    return sorted(found)


def cut_to(path: Path, length: int) -> None:
    """Cut a file; one of which nothing is left is taken away."""
    if length:
        os.truncate(path, length)
    else:
        path.unlink()


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""WARC writer: appends records, in step with database transactions.

A record is valid once its offset is in the database, in the transaction that also ends its URL's claim.
After a crash the file is truncated to the committed length, and the page is fetched again. Each worker
writes separate files.
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
OPEN_SUFFIX = ".open"  #: suffix of a file that is being written, as in other crawlers


class WarcWriter:
    """Appends records to this worker's files."""

    def __init__(self, folder: Path, worker: str, info: Mapping[str, Any], max_bytes: int) -> None:
        self.folder = folder / FOLDER
        self.worker = worker
        self.info = info
        self.max_bytes = max_bytes
        self.name = ""
        self.position = 0
        self.pending = False
        self.in_doubt = False  #: a commit failed, and its result is still unknown
        self._committed = 0
        self._serial = 0
        self._file: int | None = None

    def append(self, first: bytes, *more: bytes) -> tuple[str, int, int]:
        """Append records; returns file, offset and length of the first."""
        if self._file is None:
            self._open()
        offset = self.position
        for data in (first, *more):
            self._write(data)
        self.pending = True
        return self.name, offset, len(first)

    def sync(self) -> None:
        """Sync the file to disk; required before the database refers to it."""
        if self._file is not None:
            os.fsync(self._file)

    def settle(self) -> None:
        """Mark everything written as committed by the database."""
        self._committed, self.pending = self.position, False
        if self.position >= self.max_bytes:
            self.close()

    def rollback(self, committed: int) -> None:
        """Truncate the file to the committed length after a failed commit."""
        self.pending = self.in_doubt = False
        if self._file is not None:
            os.ftruncate(self._file, committed)
            os.lseek(self._file, committed, os.SEEK_SET)
            self.position = self._committed = committed
            if not committed:
                (self.folder / f"{self.name}{OPEN_SUFFIX}").unlink(missing_ok=True)
                self.close()

    def close(self) -> None:
        """Close the file; the next record opens a new one."""
        if self._file is not None:
            # Possibly committed bytes are not truncated: the next start checks the database first.
            if self.position != self._committed and not self.in_doubt:
                os.ftruncate(self._file, self._committed)
            os.close(self._file)
            self._file = None
            path = self.folder / f"{self.name}{OPEN_SUFFIX}"
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
        self._file = os.open(
            self.folder / f"{self.name}{OPEN_SUFFIX}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644
        )
        _sync_folder(self.folder)
        self.position = self._committed = 0
        info = "".join(f"{name}: {one_line(str(value))}\r\n" for name, value in self.info.items())
        fields = {
            "WARC-Record-ID": new_id(),
            "WARC-Date": warc_date(datetime.now(UTC).timestamp()),
            "WARC-Filename": self.name,
            "Content-Type": "application/warc-fields",
        }
        self._write(record("warcinfo", fields, info.encode()))

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
    """The worker in the name of a file.

    >>> worker_of("linksight-20260102030405-00000-box-17-ab12.warc.gz")
    'box-17-ab12'
    """
    return name.removesuffix(OPEN_SUFFIX).split("-", 3)[-1].removesuffix(".warc.gz")


def path_of(folder: Path, name: str) -> Path:
    """The path of a crawl's WARC file, open or closed."""
    path = folder / FOLDER / name
    open_path = path.with_name(f"{name}{OPEN_SUFFIX}")
    return open_path if open_path.exists() else path


def warc_paths(folder: Path) -> list[Path]:
    """All WARC files in a crawl's folder, open and closed."""
    found = [*(folder / FOLDER).glob("*.warc.gz"), *(folder / FOLDER).glob(f"*.warc.gz{OPEN_SUFFIX}")]
    return sorted(found)


def cut_to(path: Path, length: int) -> None:
    """Truncate a file; remove it if the length is 0."""
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

"""Pages on disk: WARC 1.1, each record a gzip member of its own, written so that none is lost.

The writer knows three places in its file: what the database has committed, what is on disk beyond
that, and what is being written. A record counts only once its place is in the database, in the
transaction that also ends its URL's turn; so after a kill the file is cut back to the committed
length and the page is fetched again. Each worker writes files of its own.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import uuid
import zlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

LEVEL = 4  #: of gzip: two thirds of the time of 6 for 3 % more bytes
FOLDER = "warc"

_DROPPED = frozenset(("transfer-encoding", "connection", "keep-alive"))


def record(kind: str, fields: Mapping[str, str], block: bytes) -> bytes:
    """One WARC record as a gzip member.

    >>> import gzip
    >>> gzip.decompress(record("metadata", {"WARC-Target-URI": "http://a.nl/"}, b"x"))[:29]
    b'WARC/1.1\\r\\nWARC-Type: metadata'
    """
    lines = ["WARC/1.1", f"WARC-Type: {kind}"]
    lines += [f"{name}: {_one_line(value)}" for name, value in fields.items()]
    lines += [f"WARC-Block-Digest: {digest(block)}", f"Content-Length: {len(block)}", "", ""]
    pressed = zlib.compressobj(LEVEL, zlib.DEFLATED, 31)
    head = "\r\n".join(lines).encode("utf-8")
    return pressed.compress(head) + pressed.compress(block) + pressed.compress(b"\r\n\r\n") + pressed.flush()


def page_records(
    url: str, head: bytes, body: bytes, *, address: str, at: float, metadata: dict[str, Any], payload: str
) -> tuple[bytes, bytes]:
    """The response record of a page and the metadata record that belongs to it."""
    date, response = warc_date(at), new_id()
    fields = {
        "WARC-Record-ID": response,
        "WARC-Date": date,
        "WARC-Target-URI": url,
        "Content-Type": "application/http; msgtype=response",
        "WARC-Payload-Digest": payload,
    }
    if address:
        fields["WARC-IP-Address"] = address
    about = {
        "WARC-Record-ID": new_id(),
        "WARC-Date": date,
        "WARC-Target-URI": url,
        "WARC-Concurrent-To": response,
        "WARC-Refers-To": response,
        "Content-Type": "application/json",
    }
    told = json.dumps(metadata, ensure_ascii=False).encode()
    return record("response", fields, head + body), record("metadata", about, told)


def http_head(status: int, reason: str, headers: list[tuple[str, str]], size: int) -> bytes:
    """The status line and headers as they belong before a body that is no longer in chunks."""
    kept = [(n, v) for n, v in headers if n.lower() not in _DROPPED | {"content-length"}]
    lines = [f"HTTP/1.1 {status} {reason}".rstrip()]
    lines += [f"{_one_line(name)}: {_one_line(value)}" for name, value in kept]
    return "\r\n".join([*lines, f"Content-Length: {size}", "", ""]).encode("latin-1", "replace")


def digest(data: bytes) -> str:
    """The SHA-1 of data as WARC tools write it.

    >>> digest(b"")
    'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
    """
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def new_id() -> str:
    """A record's name."""
    return f"<urn:uuid:{uuid.uuid4()}>"


def warc_date(at: float) -> str:
    """A time as WARC 1.1 writes it.

    >>> warc_date(0.5)
    '1970-01-01T00:00:00.500000Z'
    """
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _one_line(value: str) -> str:
    return value.replace("\r", " ").replace("\n", " ")


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
        self.pending = False
        if self._file is not None:
            os.ftruncate(self._file, committed)
            os.lseek(self._file, committed, os.SEEK_SET)
            self.position = self._committed = committed
            if not committed:
                (self.folder / self.name).unlink(missing_ok=True)
                self.close()

    def close(self) -> None:
        """End the file; the next record begins another one."""
        if self._file is not None:
            if self.position != self._committed:
                os.ftruncate(self._file, self._committed)
            os.close(self._file)
            self._file = None
            if not self._committed:
                (self.folder / self.name).unlink(missing_ok=True)

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        stamp = datetime.now(UTC).strftime("%Y%m%d%H%M%S")
        self.name = f"linksight-{stamp}-{self._serial:05d}-{self.worker}.warc.gz"
        self._serial += 1
        self._file = os.open(self.folder / self.name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        _sync_folder(self.folder)
        self.position = self._committed = 0
        told = "".join(f"{name}: {_one_line(str(value))}\r\n" for name, value in self.info.items())
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


def repair(folder: Path, in_use: Callable[[str], bool], committed: Callable[[str], int]) -> int:
    """Cut the files of dead workers back to what the database knows; answers how many were cut."""
    cut = 0
    for path in sorted((folder / FOLDER).glob("*.warc.gz")):
        worker = path.name.split("-", 3)[-1].removesuffix(".warc.gz")
        # First whether the worker lives, then what it committed: a living one may commit more.
        if in_use(worker):
            continue
        length = committed(path.name)
        if path.stat().st_size > length:
            cut += 1
            if length:
                os.truncate(path, length)
            else:
                path.unlink()
    return cut


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

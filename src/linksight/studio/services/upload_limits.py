"""Checks an uploaded table before it is decoded: decoded size, rows, columns and the length of records.

A few kilobytes can decode to gigabytes: a dictionary-encoded Parquet column, a gzip file, a quotation mark that is
never closed. Each check reads the file once, a piece at a time, and holds no more than a piece.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from linksight.errors import BadData
from linksight.studio.services.parquet_check import decoded_size

MAX_COLUMNS = 2_000
MAX_RECORD_BYTES = 4 << 20  #: of CSV; a longer record is mostly a quotation mark that is not closed
PIECE_BYTES = 1 << 20


@dataclass(frozen=True)
class TableLimits:
    """Limits of an uploaded table."""

    rows: int
    decoded_bytes: int


def check_table(file: IO[bytes], name: str, kind: str, limits: TableLimits) -> None:
    """Raise :class:`BadData` for a table over the limits; leaves the file at its beginning.

    ``kind`` is ``text``, ``csv``, ``tsv``, ``jsonl`` or ``parquet``.
    """
    file.seek(0)
    try:
        if kind == "parquet":
            _check_parquet(file, name, limits)
        else:
            _check_text(file, name, kind, limits)
    finally:
        file.seek(0)


def _check_parquet(file: IO[bytes], name: str, limits: TableLimits) -> None:
    found = decoded_size(file, limits.decoded_bytes, MAX_COLUMNS)
    if "error" in found:
        raise BadData(f"{name}: {found['error']}")
    if found["columns"] > MAX_COLUMNS:
        raise BadData(f"{name}: {found['columns']:,} columns; at most {MAX_COLUMNS:,} are allowed")
    _check_rows(name, found["rows"], limits)
    _check_size(name, found["bytes"], limits)


def _check_text(file: IO[bytes], name: str, kind: str, limits: TableLimits) -> None:
    """Count bytes and lines; of CSV also columns and the length of records."""
    total = lines = line_bytes = 0
    records = _Records(name) if kind in ("csv", "tsv") else None
    for piece in unpacked(file, name):
        total += len(piece)
        _check_size(name, total, limits)
        if records is None:
            lines += piece.count(b"\n")
            end = piece.rfind(b"\n")
            line_bytes = line_bytes + len(piece) if end < 0 else len(piece) - end - 1
            if line_bytes > MAX_RECORD_BYTES:
                raise BadData(f"{name}: line {lines + 1:,} is longer than {MAX_RECORD_BYTES >> 20} MiB")
            _check_rows(name, lines, limits)
        else:
            records.add(piece)
            _check_rows(name, records.count, limits)


class _Records:
    """Counts the records of CSV: lines that end outside of quotation marks."""

    def __init__(self, name: str) -> None:
        self.name, self.count = name, 0
        self._is_quoted = False
        self._length = 0
        self._has_header = False

    def add(self, piece: bytes) -> None:
        """Read the next bytes."""
        if not self._has_header:
            self._check_header(piece)
        for line in piece.splitlines(keepends=True):
            self._length += len(line)
            self._is_quoted = _is_open_after(line, self._is_quoted)
            if not self._is_quoted and line.endswith(b"\n"):
                self.count, self._length = self.count + 1, 0
            elif self._length > MAX_RECORD_BYTES:
                cause = "a quotation mark is not closed" if self._is_quoted else "it has no line ends"
                where = f"{self.name}: record {self.count + 1:,}"
                raise BadData(f"{where} is longer than {MAX_RECORD_BYTES >> 20} MiB; {cause}")

    def _check_header(self, piece: bytes) -> None:
        self._has_header = True
        first = piece.split(b"\n", 1)[0]
        n_columns = 1 + max(first.count(delimiter) for delimiter in (b",", b";", b"\t", b"|"))
        if n_columns > MAX_COLUMNS:
            raise BadData(f"{self.name}: {n_columns:,} columns; at most {MAX_COLUMNS:,} are allowed")


#: A quotation mark at the start of a field opens it; one before a delimiter or at the end closes it.
_OPENING = re.compile(rb'(?:^|[,;\t|])"')


def _is_open_after(line: bytes, is_open: bool) -> bool:
    """Whether a quoted field continues on the next line.

    >>> _is_open_after(b'1,"two lines', False), _is_open_after(b'end",3', True), _is_open_after(b'5" disk,2', False)
    (True, False, False)
    """
    if b'"' not in line:
        return is_open
    if not is_open and not _OPENING.search(line):
        return False
    return is_open ^ bool(line.count(b'"') % 2)


def unpacked(file: IO[bytes], name: str) -> Iterator[bytes]:
    """The bytes of a file in chunks, plain or compressed by gzip, bzip2 or zstd."""
    import pyarrow as pa

    from linksight.bulk.sources import Source

    stream = Source(name, "text", 0, io.BufferedReader(_KeptOpen(file), PIECE_BYTES))
    try:
        with stream.open() as (_, text):
            while piece := text.read(PIECE_BYTES):
                yield piece
    except (OSError, EOFError, zlib.error, pa.ArrowException) as error:
        raise BadData(
            f"{name}: cannot be read; it is damaged or cut off ({str(error).splitlines()[0]})"
        ) from None


class _KeptOpen(io.RawIOBase):
    """Reads a file and does not close it: Arrow closes what it has read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self.file.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def _check_rows(name: str, rows: int, limits: TableLimits) -> None:
    if rows > limits.rows + 1:  # and a header
        raise BadData(f"{name}: more than the {limits.rows:,} rows that are allowed at a time")


def _check_size(name: str, size: int, limits: TableLimits) -> None:
    if size > limits.decoded_bytes:
        shown = f"{limits.decoded_bytes >> 20} MiB" if limits.decoded_bytes >= 1 << 20 else f"{limits.decoded_bytes:,} bytes"  # fmt: skip
        raise BadData(f"{name}: decoded it is larger than the {shown} that are allowed")

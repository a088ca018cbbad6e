"""Checks an uploaded table before it is decoded: decoded size, rows, columns and the length of records.

A few kilobytes can stand for gigabytes: a dictionary-encoded Parquet column, a gzip file, a quotation mark that is
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

MAX_COLUMNS = 2_000
MAX_CELL_BYTES = 1 << 20
MAX_RECORD_BYTES = 4 << 20  #: of CSV; a longer record is mostly a quotation mark that is not closed
PIECE_BYTES = 1 << 20
MAX_FOOTER_BYTES = 16 << 20
_BATCH_ROWS = 16_384


@dataclass(frozen=True)
class TableLimits:
    """What a table may hold."""

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


# -- Parquet --------------------------------------------------------------------------------------


def _check_parquet(file: IO[bytes], name: str, limits: TableLimits) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    _check_footer(file, name)
    try:
        metadata = pq.read_metadata(file)
    except (pa.ArrowException, OSError) as error:
        raise BadData(f"{name}: not a Parquet file, or cut short ({str(error).splitlines()[0]})") from None
    if metadata.num_columns > MAX_COLUMNS:
        raise BadData(f"{name}: {metadata.num_columns:,} columns; at most {MAX_COLUMNS:,} are allowed")
    _check_rows(name, metadata.num_rows, limits)
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    chunks = [group.column(k) for group in groups for k in range(metadata.num_columns)]
    _check_size(name, sum(chunk.total_uncompressed_size for chunk in chunks), limits)
    texts = {chunk.path_in_schema for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"}
    if texts:
        _check_texts(file, name, sorted(texts), limits)


def _check_footer(file: IO[bytes], name: str) -> None:
    """Refuse a footer that would take more memory than any real table's."""
    size = file.seek(0, 2)
    file.seek(max(size - 8, 0))
    if int.from_bytes(file.read(8)[:4], "little") > min(size, MAX_FOOTER_BYTES):
        raise BadData(f"{name}: not a Parquet file, or cut short (the length of its footer is wrong)")
    file.seek(0)


def _check_texts(file: IO[bytes], name: str, columns: list[str], limits: TableLimits) -> None:
    """Count the bytes of text columns as they would be decoded, without decoding their dictionaries."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    file.seek(0)
    total = 0
    try:
        table = pq.ParquetFile(file, read_dictionary=columns, pre_buffer=False, buffer_size=PIECE_BYTES)
        for batch in table.iter_batches(_BATCH_ROWS, columns=columns):
            for column in batch.columns:
                values = column.dictionary if pa.types.is_dictionary(column.type) else column
                if not _has_lengths(values.type):
                    continue
                lengths = pc.binary_length(values)
                if (pc.max(lengths).as_py() or 0) > MAX_CELL_BYTES:
                    raise BadData(
                        f"{name}: a value of over {MAX_CELL_BYTES >> 20} MiB is not a URL or its label"
                    )
                if values is not column:
                    lengths = lengths.take(column.indices)
                total += pc.sum(lengths.cast(pa.int64())).as_py() or 0
                _check_size(name, total, limits)
    except (pa.ArrowException, OSError) as error:
        raise BadData(f"{name}: cannot be read as parquet ({str(error).splitlines()[0]})") from None


def _has_lengths(kind: Any) -> bool:
    import pyarrow as pa

    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary,
                                       pa.types.is_large_binary))  # fmt: skip


# -- text -----------------------------------------------------------------------------------------


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
    """The bytes of a file, plain or packed by gzip, bzip2 or zstd, a piece at a time."""
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

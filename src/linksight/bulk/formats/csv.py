"""CSV and TSV: header parsing, delimiter detection, and malformed rows."""

from __future__ import annotations

import codecs
import csv
import io
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from linksight.bulk.sources import Rejoined, Source
from linksight.errors import BadData

WRONG_FIELDS = "wrong number of fields"
_HEAD_BYTES = 1 << 16
_MAX_HEADER_BYTES = 16 << 20  #: a longer first line is not a table header
_DELIMITERS = (",", ";", "\t", "|")
_SEP = re.compile(r'"?sep=(.)"?', re.IGNORECASE)  # Excel's declaration in a line before the header
_BLANK_LINES = re.compile(rb"\A(?: *\r?\n)+")
_SNIFFED_LINES = 20  #: lines without a header that must agree about a delimiter
_MAX_UNFIT_ROWS = 1 << 18  #: consecutive malformed rows: the file is not a table
_TIMEOUT_SECONDS = 2.0
#: Between two questions of a thread that asks for more, on a busy machine; where it has enough ahead it asks no more.
_PAUSE_SECONDS = 1.0
_THREAD_EXIT_SECONDS = 0.02  #: for the thread to leave Python after its last read
_POSITION_COLUMN = "\0place"  #: column with a malformed row's position in its file; no header has such a name


@dataclass(frozen=True)
class Header:
    """The columns of a file, and its rows."""

    names: list[str]
    delimiter: str
    first_row: int  #: the number of the first row, the header being 1
    rows: Rows  #: the bytes behind the header

    @classmethod
    def of(cls, source: Source, stream: Any, has_header: bool | None, delimiter: str | None) -> Header:
        """From the head of a file; the rows begin at its start where there is no header."""
        head = _more_lines(stream, b"", 1)
        head = _without_blank_lines(stream, head.removeprefix(codecs.BOM_UTF8))
        if not head.strip():
            raise BadData(f"{source.name}: empty file")
        sep_line = _SEP.fullmatch(_text(head.partition(b"\n")[0]))
        if sep_line:
            head = _without_blank_lines(stream, head.partition(b"\n")[2])
        line, _, rest = head.partition(b"\n")
        has_header = b"://" not in line if has_header is None else has_header
        usual = "," if source.kind == "csv" else "\t"
        some = [line] if has_header else head.split(b"\n")[:-1][:_SNIFFED_LINES] or [line]
        lines = [_text(one) for one in some if one.strip()]
        chosen = delimiter or (sep_line[1] if sep_line else _sniffed(lines, usual, has_header))
        names = _names(source, line, chosen)
        if has_header:
            _check_names(source, names)
        else:
            names, rest = [f"column_{i + 1}" for i in range(len(names))], head
        return cls(names, chosen, 1 + has_header + (sep_line is not None), Rows(Rejoined(rest, stream)))

    def batches(self, unfit: UnfitRows, block_size: int) -> Any:
        """The well-formed rows, a batch at a time; empty if the file has only a header."""
        import pyarrow.csv

        parse = pyarrow.csv.ParseOptions(
            delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=unfit.take
        )
        # Everything is bytes at first: "no" is Norwegian, "NA" is no missing value, and a row in
        # another encoding must not end the reading.
        types = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(self.names, pa.binary()), strings_can_be_null=False
        )
        read = pyarrow.csv.ReadOptions(block_size=block_size, column_names=self.names, use_threads=False)
        try:
            rows = pa.PythonFile(self.rows, mode="r")
            return pyarrow.csv.open_csv(rows, read_options=read, parse_options=parse, convert_options=types)
        except pa.ArrowInvalid:
            if self.rows.has_text:  # something was there, so something is wrong with it
                raise
            return ()


def _names(source: Source, line: bytes, delimiter: str) -> list[str]:
    """The fields of the first line."""
    try:
        return next(csv.reader([_text(line)], delimiter=delimiter))
    except csv.Error as error:
        wrong = f"{source.name}: cannot be read as {source.kind}"
        if b"\r" in line.rstrip(b"\r"):
            cure = f"mend them with: tr '\\r' '\\n' < {source.name} > mended.csv"
            raise BadData(f"{wrong}: its lines end as on old Macs; {cure}") from None
        raise BadData(f"{wrong} ({error}); is it another kind of file?") from None


def _without_blank_lines(stream: Any, head: bytes) -> bytes:
    """A head without leading blank lines, whose first line is complete."""
    while not head.strip(b" \r\n") and (piece := stream.read(_HEAD_BYTES)):
        head = piece
    return _more_lines(stream, _BLANK_LINES.sub(b"", head), 1)


def _more_lines(stream: Any, head: bytes, n: int) -> bytes:
    pieces, n_lines, size = [head], head.count(b"\n"), len(head)
    while n_lines < n and size < _MAX_HEADER_BYTES and (piece := stream.read(_HEAD_BYTES)):
        pieces.append(piece)
        n_lines, size = n_lines + piece.count(b"\n"), size + len(piece)
    return b"".join(pieces)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").rstrip("\r")


def _sniffed(lines: list[str], usual: str, has_header: bool) -> str:
    """The delimiter that makes the most columns of the header, the usual one where they are as many.

    Without a header, the usual delimiter; another one only if it gives every line the same number of fields:
    URLs may contain any of them.

    >>> _sniffed(["id;titel;adres"], ",", True), _sniffed(["url"], ",", True)
    (';', ',')
    >>> _sniffed(["http://a.nl/x;y", "http://a.nl/z"], ",", False)
    ','
    """
    others = [delimiter for delimiter in _DELIMITERS if delimiter != usual]
    n_fields = {delimiter: {_n_fields(line, delimiter) for line in lines} for delimiter in (usual, *others)}
    if not has_header:
        if n_fields[usual] != {1}:
            return usual
        n_fields = {delimiter: some for delimiter, some in n_fields.items() if len(some) == 1}
    return max(n_fields, key=lambda delimiter: max(n_fields[delimiter], default=0))


def _n_fields(line: str, delimiter: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=delimiter)))
    except csv.Error:
        return 0


def _check_names(source: Source, names: list[str]) -> None:
    if address := next((name for name in names if name.startswith(("http://", "https://"))), None):
        raise BadData(
            f"{source.name}: its first line has no names but an address ({address}); give --no-header"
        )
    check_once(source, names)


def check_once(source: Source, names: list[str]) -> None:
    """Refuse duplicate column names."""
    if len(set(names)) < len(names):
        twice = next(name for name, n in Counter(names).items() if n > 1)
        raise BadData(f"{source.name}: two columns are named {twice!r}")


class UnfitRows:
    """Rows with too few or too many fields: Arrow leaves them out, here they come back to their places.

    Fields fill the columns from the first on; surplus fields are joined in the last one.
    """

    def __init__(self, header: Header) -> None:
        self._header = header
        self._waiting: deque[tuple[int, str]] = deque()
        self._n_rows = 0  # of the file that are given on

    def take(self, row: Any) -> str:
        """Callback of Arrow for a malformed row."""
        if len(self._waiting) >= _MAX_UNFIT_ROWS:
            return "error"
        self._waiting.append((row.number - 1, row.text))
        return "skip"

    def among(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Batches of all rows in the order of the file, with a column of the unfit ones' places."""
        for batch in batches:
            # Only those before a row that fits: Arrow may or may not have read further already.
            found: list[tuple[int, str]] = []
            while self._waiting and self._waiting[0][0] < self._n_rows + batch.num_rows + len(found):
                found.append(self._waiting.popleft())
            if batch.num_rows:
                yield self._joined(batch, found)
        if self._waiting:
            fields = [pa.field(name, pa.binary()) for name in self._header.names]
            none = pa.RecordBatch.from_pylist([], schema=pa.schema(fields))
            yield self._joined(none, list(self._waiting))

    def problems(self, places: list[str | None]) -> dict[int, str]:
        """Problems by row of a block, from its column of positions."""
        return {i: place for i, place in enumerate(places) if place is not None}

    def _joined(self, batch: pa.RecordBatch, found: list[tuple[int, str]]) -> pa.RecordBatch:
        n = batch.num_rows
        marks = pa.nulls(n, pa.binary())
        columns = batch.columns
        if found:
            rows = [self._fitted(number, text) for number, text in found]
            more = [pa.array(column, pa.binary()) for column in zip(*rows, strict=True)]
            order = np.insert(np.arange(n), *self._places(found, n))
            joined = zip([*columns, marks], more, strict=True)
            *columns, marks = [pa.concat_arrays(pair).take(pa.array(order)) for pair in joined]
        self._n_rows += n + len(found)
        return pa.RecordBatch.from_arrays([*columns, marks], names=[*self._header.names, _POSITION_COLUMN])

    def _places(self, found: list[tuple[int, str]], n: int) -> tuple[list[int], list[int]]:
        """Insertion points of malformed rows among the well-formed rows, and their positions behind those."""
        before = [number - self._n_rows - i for i, (number, _) in enumerate(found)]
        return before, [n + i for i in range(len(found))]

    def _fitted(self, number: int, text: str) -> list[bytes | None]:
        """The fields of a row, as many as there are columns, and its problem."""
        delimiter, n = self._header.delimiter, len(self._header.names)
        try:
            fields = next(csv.reader([text], delimiter=delimiter), [text])
        except csv.Error:
            fields = text.split(delimiter)
        if n == 1 and '"' not in text:
            # With a header of one column, the delimiters belong to the URL.
            return [text.encode("utf-8", "replace"), None]
        problem = f"{WRONG_FIELDS} (row {self._header.first_row + number}: {len(fields)} instead of {n})"
        fitted = [*fields[: n - 1], delimiter.join(fields[n - 1 :])] if len(fields) > n else fields
        missing: list[bytes | None] = [None] * (n - len(fitted))
        return [*(field.encode("utf-8", "replace") for field in fitted), *missing, problem.encode()]


class Rows(io.BufferedReader):
    """The bytes behind a header, for Arrow's read-ahead thread, until it is stopped.

    Python must not exit while that thread reads, or the process is aborted.
    """

    def __init__(self, text: Rejoined) -> None:
        super().__init__(text)
        self.has_text = False  #: whether more than line ends and spaces was read
        self._is_stopped = False
        self._reading = threading.Lock()
        self._ended = threading.Event()

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes; empty at the end and after a stop."""
        piece = b""
        with self._reading:
            try:
                piece = b"" if self._is_stopped else super().read(size)
                self.has_text = self.has_text or bool(piece.strip())
            finally:  # the end or an error: there is no further read
                if not piece:
                    self._ended.set()
        return piece

    def stop(self) -> None:
        """Stop reading; returns once the thread has stopped or does not read."""
        self._is_stopped = True
        if self._reading.acquire(timeout=_TIMEOUT_SECONDS):  # one that waits for a pipe may never answer
            self._reading.release()
            if not self._ended.is_set() and self._ended.wait(_PAUSE_SECONDS):
                time.sleep(_THREAD_EXIT_SECONDS)

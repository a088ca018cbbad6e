"""Rows of a source, block by block: each block an Arrow table, memory bound by one block.

A block is large enough to be worth compiled scoring and small enough to hold several of.
What is broken in a row is the row's problem; what is broken in a file ends the reading with BadData.
"""

from __future__ import annotations

import codecs
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from linksight.errors import BadData
from linksight.tabular.blocks import Block, decoded
from linksight.tabular.jsonlines import JsonBlock
from linksight.tabular.sources import Source

BLOCK_BYTES = 16 << 20
BLOCK_ROWS = 131_072
_FEWEST_ROWS = 4_096
_LINES_AT_ONCE = 4 << 20
_LONGEST_LINE = 64 << 20
_HEAD = 1 << 16
WRONG_FIELDS = "wrong number of fields"


@dataclass
class Reader:
    """Reads sources one after the other; ``left_out`` counts rows that no block can hold."""

    sources: list[Source]
    has_header: bool = True
    by_group: bool = False  #: whether a block of Parquet ends with its row group
    left_out: Counter[str] = field(default_factory=Counter)
    done_bytes: float = 0.0

    @property
    def total_bytes(self) -> int:
        """Size of all files, for the progress."""
        return sum(source.size for source in self.sources)

    def blocks(self, skip: int = 0) -> Iterator[Block]:
        """The rows from row ``skip`` on. Blocks of a file are the same whenever it is read."""
        before = 0.0
        for source in self.sources:
            if skip and source.kind == "parquet" and skip >= (rows := _parquet_rows(source)):
                skip, before = skip - rows, before + source.size
                continue
            in_file = skip if source.kind == "parquet" else 0  # Parquet skips without reading
            skip -= in_file
            for block, place in self._read(source, in_file):
                self.done_bytes = before + place
                if skip and skip >= block.n_rows:
                    skip -= block.n_rows
                    self.left_out.clear()  # counted when those rows were done
                    continue
                yield block.slice(skip) if skip else block
                skip = 0
            before += source.size
            self.done_bytes = before

    def _read(self, source: Source, skip: int) -> Iterator[tuple[Block, float]]:
        try:
            if source.kind == "parquet":
                yield from _parquet(source, skip, self.by_group)
            elif source.kind in ("csv", "tsv"):
                yield from self._delimited(source)
            elif source.kind == "jsonl":
                yield from _lined(source, lambda text: JsonBlock.of(source.name, text))
            else:
                yield from _lined(source, lambda text: _text_block(source.name, text))
        except (pa.ArrowException, OSError, EOFError) as error:
            raise BadData(f"{source.name}: cannot be read as {source.kind} ({_first_line(error)})") from error

    def _delimited(self, source: Source) -> Iterator[tuple[Block, float]]:
        import pyarrow.csv as csv

        def unfit(row: Any) -> str:
            self.left_out[WRONG_FIELDS] += 1
            return "skip"

        delimiter = "," if source.kind == "csv" else "\t"
        parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=unfit)
        with source.open() as (raw, packed):
            names, stream = _header(source, packed, self.has_header)
            # Everything is bytes at first: "no" is Norwegian, "NA" is no missing value, and a row in
            # another encoding must not end the reading.
            types = csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.binary()), strings_can_be_null=False
            )
            read = csv.ReadOptions(block_size=_LINES_AT_ONCE, column_names=names, use_threads=False)
            batches = csv.open_csv(stream, read_options=read, parse_options=parse, convert_options=types)
            for table in _gathered(batches):
                columns = [decoded(column) for column in table.columns]
                yield Block(source.name, pa.table(columns, names=table.column_names)), _place(raw, source)


# --- Parquet ------------------------------------------------------------------------------------


def open_parquet(source: Source) -> Any:
    """The file behind a Parquet source."""
    import pyarrow.parquet as pq

    try:
        # Buffered, so that a row group of any size is streamed and not held.
        return pq.ParquetFile(source.stream or source.path, buffer_size=1 << 20, pre_buffer=False)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # names of columns may be any bytes
        raise BadData(f"{source.name}: not a Parquet file, or cut short ({_first_line(error)})") from error


def _parquet_rows(source: Source) -> int:
    if source.stream is not None:
        source.stream.seek(0)
    with open_parquet(source) as file:
        rows: int = file.metadata.num_rows
    return rows


def _parquet(source: Source, skip: int, by_group: bool) -> Iterator[tuple[Block, float]]:
    file = open_parquet(source)
    metadata, done = file.metadata, 0
    size = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    rows = max(metadata.num_rows, 1)
    at_once = int(min(max(BLOCK_BYTES * rows // max(size, 1), _FEWEST_ROWS), BLOCK_ROWS))
    if metadata.num_rows == 0:
        yield Block(source.name, file.schema_arrow.empty_table()), float(source.size)

    def batches(groups: Iterable[int]) -> Iterator[pa.RecordBatch]:
        nonlocal done, skip
        for group in groups:
            in_group = metadata.row_group(group).num_rows
            if skip >= in_group:
                skip, done = skip - in_group, done + in_group
                continue
            try:
                for batch in file.iter_batches(at_once, row_groups=[group]):
                    done += batch.num_rows
                    kept = batch.slice(min(skip, batch.num_rows))
                    skip -= batch.num_rows - kept.num_rows
                    yield kept
            except (pa.ArrowException, OSError) as error:
                raise BadData(
                    f"{source.name}: row group {group} is damaged ({_first_line(error)})"
                ) from error

    try:
        groups, end = range(metadata.num_row_groups), 0
        for some in ((group,) for group in groups) if by_group else (groups,):
            end += sum(metadata.row_group(group).num_rows for group in some)
            for table in _gathered(batches(some), at_once):
                yield Block(source.name, table, ends_group=done == end), source.size * done / rows
    finally:
        file.close()


# --- lines --------------------------------------------------------------------------------------


def _lined(source: Source, to_block: Callable[[bytes], Block]) -> Iterator[tuple[Block, float]]:
    """Blocks of whole lines, as they are on disk."""
    rest: list[bytes] = []
    with source.open() as (raw, stream):
        while piece := stream.read(_LINES_AT_ONCE):
            end = piece.rfind(b"\n") + 1
            if end:
                yield to_block(b"".join((*rest, piece[:end]))), _place(raw, source)
                rest = []
            rest.append(piece[end:])
            if sum(map(len, rest)) > _LONGEST_LINE:
                raise BadData(f"{source.name}: a line of over {_LONGEST_LINE >> 20} MB is no row of a table")
    if text := b"".join(rest):
        yield to_block(text), float(source.size)


def _text_block(where: str, text: bytes) -> Block:
    """One URL a line; line ends of any system."""
    lines = text.removesuffix(b"\n").split(b"\n")
    if b"\r" in text:
        lines = [line.removesuffix(b"\r") for line in lines]
    return Block(where, pa.table({"url": decoded(pa.array(lines, pa.binary()))}))


# --- helpers of all kinds -----------------------------------------------------------------------


def _gathered(batches: Any, rows: int | None = None) -> Iterator[pa.Table]:
    """Small batches joined, without a copy, until they are worth scoring together."""
    held: list[pa.RecordBatch] = []
    n_rows = n_bytes = 0
    rows = rows or BLOCK_ROWS
    for batch in batches:
        held.append(batch)
        n_rows, n_bytes = n_rows + batch.num_rows, n_bytes + batch.nbytes
        if n_rows >= rows or n_bytes >= BLOCK_BYTES:
            yield pa.Table.from_batches(held)
            held, n_rows, n_bytes = [], 0, 0
    if n_rows:
        yield pa.Table.from_batches(held)


def _header(source: Source, stream: Any, has_header: bool) -> tuple[list[str], Any]:
    """Column names, and the stream after them (or from its start where there are none)."""
    import csv

    head, rest = b"", b""
    while b"\n" not in head and (piece := stream.read(_HEAD)):
        head += piece
    line, _, rest = head.partition(b"\n")
    if not head.strip():
        raise BadData(f"{source.name}: empty file")
    delimiter = "," if source.kind == "csv" else "\t"
    text = line.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").rstrip("\r")
    try:
        names = next(csv.reader([text], delimiter=delimiter))
    except csv.Error as error:
        raise BadData(
            f"{source.name}: cannot be read as {source.kind} ({error}); is it another kind of file?"
        ) from None
    if not has_header:
        names, rest = [f"column_{i + 1}" for i in range(len(names))], head
    if len(set(names)) < len(names):
        twice = next(name for name, n in Counter(names).items() if n > 1)
        raise BadData(f"{source.name}: two columns are named {twice!r}")
    return names, pa.PythonFile(io.BufferedReader(_Text(rest, stream)), mode="r")


class _Text(io.RawIOBase):
    """What was read too far, then the stream; bytes that are no UTF-8 become the replacement character.

    Arrow shows a row that does not fit to a function of ours as text, and gives up where it is none.
    """

    def __init__(self, rest: bytes, stream: Any) -> None:
        self._rest, self._stream = rest, stream
        self._half = b""  # a letter that goes on in what is read next
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        while not self._ready and (piece := self._rest or self._stream.read(size)):
            self._rest = b""
            self._take(self._half + piece, last=False)
        if not self._ready and self._half:
            self._take(self._half, last=True)
        piece, self._ready = self._ready[:size], self._ready[size:]
        buffer[: len(piece)] = piece
        return len(piece)

    def _take(self, data: bytes, *, last: bool) -> None:
        try:
            n = len(data) if data.isascii() else codecs.utf_8_decode(data, "strict", last)[1]
            self._ready, self._half = data[:n], data[n:]
        except UnicodeDecodeError:
            text, n = codecs.utf_8_decode(data, "replace", last)
            self._ready, self._half = text.encode(), data[n:]


def _place(raw: Any, source: Source) -> float:
    return float(raw.tell()) if source.size else 0.0


def _first_line(error: BaseException) -> str:
    text = (str(error).splitlines() or [type(error).__name__])[0]
    return re.sub(r"(Expected \d+ columns, got \d+):.*", r"\1", text)  # the row itself may be any bytes

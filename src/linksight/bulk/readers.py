"""Rows of a source, block by block: each block an Arrow table, memory bound by one block.

A block is large enough for efficient scoring and small enough to keep several in memory.
A malformed row gets a problem; a malformed file raises BadData.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from linksight.bulk.formats import text_lines
from linksight.bulk.formats.csv import Header, UnfitRows, check_once
from linksight.bulk.formats.jsonl import JsonBlock
from linksight.bulk.formats.text_encoding import Utf8Text
from linksight.bulk.row_block import Block, not_before
from linksight.bulk.sources import Source
from linksight.errors import BadData
from linksight.reasons import UNCLOSED

BLOCK_BYTES = 16 << 20
BLOCK_ROWS = 131_072
BATCH_ROWS = 1024  #: of Parquet, decoded at once: how large its values are shows only then
#: Metadata that lists all columns, of Spark, Avro and others: a program that reads it would miss the added ones.
_COLUMN_LIST = re.compile(rb"[.:]schema$|row\.metadata$|^parquet\.proto\.|^thrift\.")


@dataclass
class Reader:
    """Reads sources one after the other."""

    sources: list[Source]
    has_header: bool | None = True  #: of CSV; None: the file has one if its first line has no URL
    delimiter: str | None = None  #: of CSV; default: detected from the header
    done_bytes: float = 0.0
    damaged: set[str] = field(default_factory=set)  #: sources with bytes that their encoding lacks
    encodings: dict[str, str] = field(default_factory=dict)  #: of sources that are not in UTF-8

    @property
    def total_bytes(self) -> int:
        """Size of all files, for the progress."""
        return sum(source.size for source in self.sources)

    @cached_property
    def metadata(self) -> dict[bytes, bytes]:
        """The schema metadata that all Parquet files share, such as that of pandas and GeoPandas."""
        if any(source.kind != "parquet" for source in self.sources):
            return {}
        return shared_metadata([_schema_metadata(source) for source in self.sources])

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
                    continue
                yield block.slice(skip) if skip else block
                skip = 0
            before += source.size
            self.done_bytes = before

    def _read(self, source: Source, skip: int) -> Iterator[tuple[Block, float]]:
        """The blocks of one source, each with the bytes that have been read by then."""
        try:
            if source.kind == "parquet":
                for block, place in _parquet(source, skip):
                    yield replace(block, columns=block.columns.replace_schema_metadata(self.metadata)), place
            elif source.kind in ("csv", "tsv"):
                yield from self._delimited(source)
            elif source.kind == "arrow":
                yield from _arrow(source)
            else:
                yield from self._lines(source)
        except (pa.ArrowException, OSError, EOFError) as error:
            raise BadData(f"{source.name}: cannot be read as {source.kind} ({_first_line(error)})") from error
        finally:
            if isinstance(source.stream, io.BufferedRandom):  # the temporary file of a stream
                source.stream.close()

    def _lines(self, source: Source) -> Iterator[tuple[Block, float]]:
        """JSON lines, or one URL a line."""
        is_json = source.kind == "jsonl"
        check = text_lines.check_rows if is_json else text_lines.check_list
        with source.open() as (raw, text):
            for lines, place in text_lines.lined(source, raw, text, check):
                block = JsonBlock.of(source.name, lines) if is_json else _url_lines(source.name, lines)
                self._note_encoding(source, text)
                yield block.with_damage() if text.is_damaged else block, place

    def _delimited(self, source: Source) -> Iterator[tuple[Block, float]]:
        """Rows of text between delimiters; those that do not fit the header are rows with a problem."""
        with source.open() as (raw, text):
            header = Header.of(source, text, self.has_header, self.delimiter)
            unfit = UnfitRows(header)
            is_empty = True
            try:
                for table in _gathered(unfit.among(header.batches(unfit, text_lines.CHUNK_BYTES))):
                    columns = [column.cast(pa.string()) for column in table.columns]
                    problems = unfit.problems(columns.pop().to_pylist())
                    rows = pa.table(columns, names=header.names)
                    block = Block(source.name, rows, problems=problems, is_quoted=True)
                    self._note_encoding(source, text)
                    yield block.with_damage() if text.is_damaged else block, text_lines.place(raw, source)
                    is_empty = False
            finally:
                header.rows.stop()
            if is_empty:  # a table all the same, as an empty one of Parquet is
                none = pa.table({name: pa.array([], pa.string()) for name in header.names})
                yield Block(source.name, none), float(source.size)

    def _note_encoding(self, source: Source, text: Utf8Text) -> None:
        if text.encoding != "utf-8":
            self.encodings[source.name] = text.encoding
        if text.is_damaged:
            self.damaged.add(source.name)

    def columns_of(self, source: Source) -> list[str] | None:
        """The names of a file's columns, if they are known without reading its rows."""
        if source.stream is not None or source.kind == "jsonl":
            return None
        if source.kind == "text":
            return ["url"]
        if source.kind == "parquet":
            with open_parquet(source) as file:
                return list(file.schema_arrow.names)
        if source.kind == "arrow":
            with _open_arrow(source) as (reader, _):
                return list(reader.schema.names)
        with source.open() as (_, packed):
            return Header.of(source, packed, self.has_header, self.delimiter).names

    def folders(self) -> dict[str, dict[str, str | None]]:
        """Partition values by file name, except for columns that the files already have."""
        keys = dict.fromkeys(key for source in self.sources for key in source.folders)
        if not keys:
            return {}
        own = {name for source in self.sources for name in self.columns_of(source) or ()}
        return {
            source.name: {key: source.folders.get(key) for key in keys if key not in own}
            for source in self.sources
        }

    def check_columns(self) -> None:
        """Refuse files that cannot be one table before the first row is written; see ``writers.Tabled``."""
        first: list[str] | None = None
        for source in self.sources:
            names = self.columns_of(source)
            if names is None:
                return
            extra = [name for name in names if name not in (first or names)]
            if extra:
                raise BadData(not_before(source.name, extra[0], self.sources[0].name))
            first = first or names


def _url_lines(where: str, text: bytes) -> Block:
    """One URL a line; line ends of any system."""
    urls = text.removesuffix(b"\n").split(b"\n")
    if b"\r" in text:
        urls = [url.removesuffix(b"\r") for url in urls]
    return Block(where, pa.table({"url": pa.array(urls, pa.binary()).cast(pa.string())}))


# --- Parquet ------------------------------------------------------------------------------------


def open_parquet(source: Source, **options: Any) -> Any:
    """The file behind a Parquet source; ``options`` are those of ``ParquetFile``."""
    import pyarrow.parquet as pq

    try:
        # Buffered, so that a row group of any size is streamed and not held.
        place = _by_name(source.path) if source.is_local else source.open_raw()
        file = pq.ParquetFile(place, buffer_size=1 << 20, pre_buffer=False, **options)
        names = file.schema_arrow.names
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # names of columns may be any bytes
        raise BadData(f"{source.name}: not a Parquet file, or cut short ({_first_line(error)})") from error
    check_once(source, names)
    return file


def _by_name(path: Path) -> Any:
    """A file by its name; one whose name is not UTF-8, which Arrow would refuse, by the bytes of it."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return pa.OSFile(os.fsencode(path))
    return path


def _parquet_rows(source: Source) -> int:
    rows: int = _footer(source).num_rows
    return rows


def _schema_metadata(source: Source) -> dict[bytes, bytes]:
    try:
        return dict(_footer(source).metadata or {})
    except BadData:  # raised again when its rows are read
        return {}


def shared_metadata(files: list[dict[bytes, bytes]]) -> dict[bytes, bytes]:
    """The entries that are the same in all files and stay valid when columns are added.

    >>> shared_metadata([{b"geo": b"{}", b"ARROW:schema": b"..."}, {b"geo": b"{}", b"by": b"me"}])
    {b'geo': b'{}'}
    """
    return {
        key: value
        for key, value in files[0].items()
        if not _COLUMN_LIST.search(key)
        and all(file.get(key) == value for file in files)
        and (key != b"pandas" or _has_text_names(value))
    }


def _has_text_names(metadata: bytes) -> bool:
    """Whether pandas reads column names as text; it could not read the added names as numbers or tuples."""
    try:
        levels = json.loads(metadata)["column_indexes"]
        return len(levels) < 2 and all(one["pandas_type"] in ("unicode", "string", "empty") for one in levels)
    except (ValueError, LookupError, TypeError, RecursionError):
        return False


def _footer(source: Source) -> Any:
    if source.stream is not None:
        source.stream.seek(0)
    with open_parquet(source) as file:
        return file.metadata


def _parquet(source: Source, skip: int) -> Iterator[tuple[Block, float]]:
    """Row groups, large ones in several blocks and small ones together; those before row ``skip`` are not read."""
    file = open_parquet(source)
    metadata, done = file.metadata, 0
    rows = max(metadata.num_rows, 1)
    if metadata.num_rows == 0:
        yield Block(source.name, file.schema_arrow.empty_table()), float(source.size)

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal done, skip
        for group in range(metadata.num_row_groups):
            in_group = metadata.row_group(group).num_rows
            if skip >= in_group:
                skip, done = skip - in_group, done + in_group
                continue
            try:
                for batch in file.iter_batches(_batch_rows(source, file, group), row_groups=[group]):
                    done += batch.num_rows
                    rest = batch.slice(min(skip, batch.num_rows))
                    skip -= batch.num_rows - rest.num_rows
                    yield rest
            except (pa.ArrowException, OSError) as error:
                raise BadData(
                    f"{source.name}: row group {group} is damaged ({_first_line(error)})"
                ) from error

    try:
        for table in _gathered(batches()):
            yield Block(source.name, table), source.size * done / rows
    finally:
        file.close()


def _batch_rows(source: Source, file: Any, group: int) -> int:
    """How many rows of a row group are decoded at once: about a quarter of ``BLOCK_BYTES``.

    The footer has the encoded size of a column, in which a dictionary counts once:
    for dictionary columns the longest value is the estimate.
    """
    metadata = file.metadata.row_group(group)
    chunks = [metadata.column(i) for i in range(metadata.num_columns)]
    row_bytes = metadata.total_byte_size / max(metadata.num_rows, 1)
    text = {field.name for field in file.schema_arrow if _is_text(field.type)}
    repeated = [
        chunk.path_in_schema
        for chunk in chunks
        if chunk.path_in_schema in text and any("DICTIONARY" in name for name in chunk.encodings)
    ]
    if repeated and metadata.num_rows:
        with open_parquet(source, read_dictionary=repeated) as probe:
            first = next(probe.iter_batches(1, row_groups=[group], columns=repeated))
        lengths = [pc.max(pc.binary_length(column.dictionary)).as_py() or 0 for column in first.columns]
        row_bytes = max(row_bytes, sum(lengths))
    return int(min(max(BLOCK_BYTES / 4 / max(row_bytes, 1), 1), BATCH_ROWS, BLOCK_ROWS))


def _is_text(kind: pa.DataType) -> bool:
    is_a = pa.types
    return any(
        test(kind) for test in (is_a.is_string, is_a.is_large_string, is_a.is_binary, is_a.is_large_binary)
    )


# --- Arrow --------------------------------------------------------------------------------------


@contextmanager
def _open_arrow(source: Source) -> Iterator[tuple[Any, Iterable[pa.RecordBatch]]]:
    """The reader of an Arrow file or stream, and its record batches."""
    if source.stream is not None:
        source.stream.seek(0)
    file = pa.OSFile(os.fsencode(source.path)) if source.is_local else source.open_raw()
    is_file = file.read(6) == b"ARROW1"
    file.seek(0)
    try:
        reader = pa.ipc.open_file(file) if is_file else pa.ipc.open_stream(file)
        check_once(source, reader.schema.names)
        yield reader, map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
    finally:
        if source.stream is None:
            file.close()


def _arrow(source: Source) -> Iterator[tuple[Block, float]]:
    """Record batches, large ones in several blocks and small ones together."""
    with _open_arrow(source) as (reader, batches):
        n_rows = 0
        for table in _gathered(part for batch in batches for part in _bounded(batch)):
            n_rows += table.num_rows
            yield Block(source.name, table), 0.0
        if not n_rows:
            yield Block(source.name, reader.schema.empty_table()), float(source.size)


def _bounded(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """A batch in pieces of bounded size."""
    rows = max(1, BLOCK_BYTES * batch.num_rows // max(batch.nbytes, 1))
    return (batch.slice(first, rows) for first in range(0, batch.num_rows, rows))


# --- helpers of all kinds -----------------------------------------------------------------------


def _gathered(batches: Any) -> Iterator[pa.Table]:
    """Joins small batches, without a copy, into blocks for scoring."""
    waiting: list[pa.RecordBatch] = []
    n_rows = n_bytes = 0
    for batch in batches:
        waiting.append(batch)
        n_rows, n_bytes = n_rows + batch.num_rows, n_bytes + batch.nbytes
        if n_rows >= BLOCK_ROWS or n_bytes >= BLOCK_BYTES:
            yield pa.Table.from_batches(waiting)
            waiting, n_rows, n_bytes = [], 0, 0
    if n_rows:
        yield pa.Table.from_batches(waiting)


def _first_line(error: BaseException) -> str:
    text = (str(error).splitlines() or [type(error).__name__])[0]
    if text.startswith("straddling object"):  # Arrow's words for a row that does not end
        return f"{UNCLOSED}, or a row of several megabytes"
    return re.sub(r"(Expected \d+ columns, got \d+):.*", r"\1", text)  # the row itself may be any bytes

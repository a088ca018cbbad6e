"""Rows to bytes: one writer a file, by the kind of table and, by its name, packed."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from linksight.bulk.formats.arrow_values import values_of
from linksight.bulk.formats.json_writer import json_of, labelled_lines, plain
from linksight.bulk.row_block import Block, not_before
from linksight.bulk.sources import PACKERS
from linksight.errors import BadData
from linksight.urls.arrow_input import holds_bytes

Labelled = tuple[Block, pa.Table]


class Writer(Protocol):
    """Writes blocks of rows with their labels."""

    def write(self, items: Sequence[Labelled]) -> None:
        """Append the rows of blocks, each with its labels."""

    def close(self) -> None:
        """Finish and close the file; it is incomplete until then."""


def make_writer(form: str, sink: Any, packer: str | None, *, first: bool, schema: pa.Schema | None) -> Writer:
    """A writer on a path or an open binary file; ``first`` is false for a later part of a table.

    ``schema`` is that of the table continued, so that parts of one table are alike.
    """
    stream = (
        pa.OSFile(os.fsencode(sink), "w") if isinstance(sink, Path) else pa.PythonFile(_Open(sink), mode="w")
    )
    if form in ARROW_FORMS:
        return ARROW_FORMS[form](stream, schema)
    packed = pa.CompressedOutputStream(stream, packer) if packer else stream
    return JsonRows(packed) if form == "jsonl" else CsvRows(packed, first, schema)


def packer_of(name: str) -> str | None:
    """How a file of this name is packed.

    >>> packer_of("a.jsonl.zst"), packer_of("a.csv")
    ('zstd', None)
    """
    return PACKERS.get(Path(name.lower()).suffix)


class _Open:
    """A file that the caller owns and the writer never closes, such as standard output."""

    closed = False

    def __init__(self, file: Any) -> None:
        self.write, self.flush = file.write, file.flush

    def close(self) -> None:
        self.flush()


class JsonRows:
    """JSON lines; rows need not be alike."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, items: Sequence[Labelled]) -> None:
        for block, found in items:
            self._write(block, found)

    def _write(self, block: Block, found: pa.Table) -> None:
        if any(name.endswith("explanation") for name in found.column_names):
            for row, more in zip(block.records(), found.to_pylist(), strict=True):
                line = json_of(row | _explained(more))
                self._stream.write(f"{line}\n".encode("utf-8", "replace"))
            return
        self._stream.write(labelled_lines(block, found))

    def close(self) -> None:
        self._stream.close()


def _explained(found: dict[str, Any]) -> dict[str, Any]:
    """Explanations travel as JSON text."""
    return {
        name: json.loads(value) if name.endswith("explanation") and value else value
        for name, value in found.items()
    }


class Tabled:
    """Base class of CSV and Parquet writers: every block has the columns of the first one."""

    def __init__(self, schema: pa.Schema | None) -> None:
        self.schema = schema

    def joined(self, block: Block, found: pa.Table) -> pa.Table:
        """The block's columns and those found, as the schema wants them."""
        table = block.table()
        if not table.num_columns:  # not one row is an object: such a table forgets how many rows it has
            table = found
        else:
            for name in found.column_names:
                table = table.append_column(name, found[name])
        if self.schema is None:
            self.schema = table.schema
        return _fitted(table, self.schema, block.where)


def _fitted(table: pa.Table, schema: pa.Schema, where: str) -> pa.Table:
    """A table with the columns and types of the rows before: gaps where it lacks one, an error where it has another."""
    if extra := [name for name in table.column_names if name not in schema.names]:
        raise BadData(not_before(where, extra[0]))
    columns = []
    for field in schema:
        if field.name not in table.column_names:
            columns.append(pa.nulls(table.num_rows, field.type))
            continue
        column = table[field.name]
        try:
            columns.append(column if column.type == field.type else column.cast(field.type))
        except (pa.ArrowException, NotImplementedError) as error:
            raise BadData(
                f"{where}: column {field.name!r} holds {column.type} where the rows before held {field.type};"
                " write JSON lines (--format jsonl)"
            ) from error
    return pa.Table.from_arrays(columns, schema=schema)


class CsvRows(Tabled):
    """CSV, quoted where needed; lists and structs are written as JSON."""

    def __init__(self, stream: Any, first: bool, schema: pa.Schema | None) -> None:
        super().__init__(schema)
        self._stream, self._wants_header = stream, first

    def write(self, items: Sequence[Labelled]) -> None:
        import pyarrow.csv

        table = pa.concat_tables([self.joined(*item) for item in items])
        if self._wants_header:
            self._stream.write(_csv_line(table.column_names))
            self._wants_header = False
        cells = pa.table([flat(column) for column in table.columns], names=table.column_names)
        options = pyarrow.csv.WriteOptions(include_header=False, batch_size=16_384, quoting_style="needed")
        pyarrow.csv.write_csv(cells, self._stream, options)

    def close(self) -> None:
        self._stream.close()


def _csv_line(names: list[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(names)
    return line.getvalue().encode("utf-8", "replace")


def flat(column: pa.ChunkedArray) -> Any:
    """A column that Arrow's CSV writer accepts: numbers and times unchanged, other types as text."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return flat(column.cast(kind.value_type))
    if pa.types.is_string_view(kind):
        return column.cast(pa.large_string())
    if holds_bytes(kind) or pa.types.is_decimal(kind):
        return pa.array(
            [value if value is None else plain(value) for value in column.to_pylist()], pa.string()
        )
    if pa.types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType):
        return pa.array([_cell(value) for value in values_of(column)], pa.string())
    return column


def _cell(value: Any) -> str | None:
    """A list or struct as JSON; a text, or what JSON would write as one, without its quotation marks."""
    if value is None or isinstance(value, str):
        return value
    text = json_of(value)
    return str(json.loads(text)) if text.startswith('"') else text


class ParquetRows(Tabled):
    """Parquet writer; each write is a row group."""

    def __init__(self, sink: Any, schema: pa.Schema | None) -> None:
        super().__init__(schema)
        self._sink = sink
        self._writer: Any = None

    def write(self, items: Sequence[Labelled]) -> None:
        self.append(pa.concat_tables([self.joined(*item) for item in items]))

    def append(self, table: pa.Table) -> None:
        """Write a table that has the columns of the schema as one row group."""
        if self._writer is None:
            self._open([name for name in table.column_names if _repeats(table[name])])
        if table.num_rows:
            self._write(table)

    def close(self) -> None:
        if self._writer is None and self.schema is not None:
            self._open([])
        if self._writer is not None:
            self._writer.close()
        self._sink.close()

    def _write(self, table: pa.Table) -> None:
        self._writer.write_table(table, row_group_size=table.num_rows)

    def _open(self, repeating: list[str]) -> None:
        import pyarrow.parquet as pq

        assert self.schema is not None
        numbers = [field.name for field in self.schema if not _is_text(field.type)]
        self._writer = pq.ParquetWriter(
            self._sink,
            self.schema,
            compression="snappy",
            use_dictionary=repeating or False,
            write_statistics=numbers or False,
        )


class ArrowRows(ParquetRows):
    """Arrow IPC writer (Feather V2); each write is a record batch."""

    def _write(self, table: pa.Table) -> None:
        self._writer.write_table(table)

    def _open(self, repeating: list[str]) -> None:
        self._writer = pa.ipc.new_file(self._sink, self.schema)


ARROW_FORMS = {"parquet": ParquetRows, "arrow": ArrowRows}


def join_tables(parts: Sequence[Path], path: Path, form: str) -> None:
    """Write the rows of all parts, in order, as one file; one row group or batch is in memory at a time."""
    schema: pa.Schema | None = None
    with closing(ARROW_FORMS[form](pa.OSFile(os.fsencode(path), "w"), None)) as rows:
        for part in parts:
            with pa.OSFile(os.fsencode(part)) as stream:
                for table in _groups(stream, form):
                    rows.schema = schema = schema or table.schema
                    if table.schema != schema:
                        raise BadData(f"{part}: its columns differ from those of the parts before")
                    rows.append(table)


def _groups(stream: Any, form: str) -> Iterator[pa.Table]:
    """The row groups of a Parquet file, or the batches of an Arrow file; an empty file gives an empty table."""
    import pyarrow.parquet as pq

    if form == "parquet":
        file = pq.ParquetFile(stream)
        yield from map(file.read_row_group, range(file.num_row_groups))
        schema = file.schema_arrow
    else:
        file = pa.ipc.open_file(stream)
        yield from (pa.Table.from_batches([file.get_batch(i)]) for i in range(file.num_record_batches))
        schema = file.schema
    yield schema.empty_table()


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind))


def _repeats(column: pa.ChunkedArray, sample: int = 10_000) -> bool:
    """Whether a dictionary pays: URLs hardly repeat, languages do."""
    if pa.types.is_nested(column.type) or pa.types.is_dictionary(column.type):
        return bool(pa.types.is_dictionary(column.type))
    some = column.slice(0, sample)
    try:
        return len(some.unique()) * 2 < len(some)
    except pa.ArrowNotImplementedError:  # such as UUIDs, which do not repeat either
        return False

"""Columns of a user's table, read by the readers of ``linksight detect``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from linksight.bulk.formats.arrow_values import values_of
from linksight.bulk.readers import Reader, open_parquet
from linksight.bulk.row_block import decoded, values_in
from linksight.bulk.sources import Source, find_sources, not_utf8
from linksight.errors import BadData
from linksight.urls.arrow_input import holds_bytes

LIST = "text"  #: one address a line


@dataclass(frozen=True)
class Rows:
    """Some columns as plain values, and the malformed rows, with the reason."""

    names: list[str]  #: of all columns that the table has
    columns: dict[str, list[Any]]  #: the wanted ones that exist
    n_rows: int
    problems: dict[int, str] = field(default_factory=dict)
    is_list: bool = False  #: one address a line, by no name and no header a table

    def find(self, name: str) -> list[Any] | None:
        """A column by its name, else case-insensitively; None if it does not exist."""
        alike = [other for other in self.columns if other.strip().casefold() == name.casefold()]
        found = name if name in self.columns else alike[0] if len(alike) == 1 else None
        return None if found is None else self.columns[found]


def read_rows(path: str | os.PathLike[str], url: str, others: Iterable[str], kind: str | None = None) -> Rows:
    """The requested columns of a file, case-insensitively; ``kind`` overrides the extension; ``-`` is stdin.

    A text file is a list of URLs, its column is ``url``.
    """
    source = _source(path, kind)
    requested = (url, *others)
    folded_names = {name.casefold() for name in requested}
    names: list[str] = []
    columns: dict[str, list[Any]] = {}
    problems: dict[int, str] = {}
    n_rows = 0
    for table, n_more, bad in _tables(source, requested, names):
        names += [name for name in table.column_names if name not in names]
        for name in (*table.column_names, *(name for name in requested if name not in table.column_names)):
            values = values_in(table, name) if name.strip().casefold() in folded_names else None
            if values is not None:
                column = columns.setdefault(name, [])
                column += [None] * (n_rows - len(column))  # the rows before had no such column
                column += _plain(values)
        problems |= {n_rows + row: problem.partition(" (row ")[0] for row, problem in bad.items()}
        n_rows += n_more
    for column in columns.values():
        column += [None] * (n_rows - len(column))
    if problems and not names:
        raise BadData(f"{path}: cannot be read as {source.kind} ({next(iter(problems.values()))})")
    return Rows(names, columns, n_rows, problems, source.kind == LIST)


def _plain(values: Any) -> list[Any]:
    """A column's values; binary columns, as Hive and Impala write text, are decoded."""
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    return values_of(decoded(values.cast(pa.binary())) if holds_bytes(kind) else values)


def _source(path: str | os.PathLike[str], kind: str | None) -> Source:
    where = Path(path)
    if str(path) == "-":
        return find_sources(["-"], kind)[0]
    if not where.exists():
        raise BadData(f"{where}: no such file")
    if where.is_dir():
        raise BadData(f"{where}: a folder, where a file is needed")
    if where.is_file() and not where.stat().st_size:
        raise BadData(f"{where}: empty file")
    return find_sources([os.fspath(where)], kind)[0]


def _tables(
    source: Source, requested: tuple[str, ...], names: list[str]
) -> Iterator[tuple[pa.Table, int, dict[int, str]]]:
    """Tables in pieces, with the number of rows and the problems of malformed ones.

    Of Parquet only the requested columns are read; ``names`` receives the names of all.
    """
    if source.kind == "parquet":
        table = _parquet(source, requested, names)
        yield table, table.num_rows, {}
        return
    reader = Reader([source])
    for block in reader.blocks():
        table = block.table()
        urls = [name for name in table.column_names if name.strip().casefold() == requested[0].casefold()]
        problems = block.look(urls[0] if urls else None).problems if urls or not table.column_names else {}
        yield table, block.n_rows, problems
    if reader.damaged:
        raise BadData(not_utf8(source.name))


def _parquet(source: Source, requested: tuple[str, ...], names: list[str]) -> pa.Table:
    """All rows of a Parquet file at once: the caller needs complete columns."""
    folded_names = {name.casefold() for one in requested for name in (one, one.partition(".")[0])}
    try:
        with open_parquet(source) as file:
            names += file.schema_arrow.names
            return file.read([name for name in names if name.strip().casefold() in folded_names])
    except (pa.ArrowException, OSError) as error:
        raise BadData(
            f"{source.name}: cannot be read as {source.kind} ({str(error).splitlines()[0]})"
        ) from error

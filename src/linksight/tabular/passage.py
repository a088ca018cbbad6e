"""Parquet to Parquet without packing twice: the columns of the input go into the output as they are packed.

All rows are read, so damage is found, but only what is added to them is written, in row groups of the same
rows as the input's. At the end the bytes of each row group are copied, the added columns behind the others,
and a footer is written that names both. Inputs that cannot be handed on like that (row groups that are tiny
or very large, files whose columns differ, encrypted ones) are written anew instead.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import IO, Any, NamedTuple

import pyarrow as pa

from linksight.errors import BadData
from linksight.tabular.footers import MAGIC, copy_bytes, footer_bytes, read_footer
from linksight.tabular.notes import Notes
from linksight.tabular.readers import open_parquet
from linksight.tabular.sources import Source
from linksight.tabular.thrift import BINARY, I32, I64, LIST, STRUCT, Struct, read_struct, written

FEWEST_ROWS, MOST_ROWS = 16_384, 1 << 22  #: of a row group, on average and at most
# Fields of Parquet's structs, by their numbers in parquet.thrift.
_VERSION, _SCHEMA, _N_ROWS, _GROUPS, _NOTES, _MAKER, _ORDERS = 1, 2, 3, 4, 5, 6, 7
_N_CHILDREN = 5  # of an element of the schema
_CHUNKS, _UNPACKED_SIZE, _GROUP_ROWS, _GROUP_OFFSET, _PACKED_SIZE = 1, 2, 3, 5, 6
_CHUNK_OFFSET, _ABOUT = 2, 3
_CHUNK_ELSEWHERE = (1, 8, 9)  # in another file, encrypted
_CHUNK_INDEXES, _ABOUT_FILTER = (4, 5, 6, 7), (14, 15)  # they lie outside of the chunk
_ABOUT_SIZE, _ABOUT_PLACES = 7, (9, 10, 11)  # of data, index and dictionary

# What comes of files that are broken, or whose footers are structs but not as Parquet has them.
_NO_FOOTER = (pa.ArrowException, OSError, ValueError, LookupError, TypeError, AttributeError)


@dataclass(frozen=True)
class Passage:
    """Files that are handed through, and the columns of the output."""

    sources: list[Source]
    schema: pa.Schema

    @classmethod
    def of(cls, sources: Sequence[Source], added: pa.Schema, notes: Notes) -> Passage | None:
        """A passage for these files, with notes for the output, or none where they must be written anew."""
        if not sources or any(source.kind != "parquet" or source.stream is not None for source in sources):
            return None
        try:
            with open_parquet(sources[0]) as file:
                schema = pa.schema([*file.schema_arrow, *added], metadata=notes)
            first, _ = _footer_of(sources[0].path)
            rows = [n for source in sources for n in _rows_of(source, first[_SCHEMA])]
            empty = footer_bytes(_joined(first, _empty_footer(added), schema))
        except _NO_FOOTER:
            return None  # the reader says what is wrong
        if not rows or not 0 < min(rows) <= max(rows) <= MOST_ROWS or sum(rows) < FEWEST_ROWS * len(rows):
            return None
        return cls(list(sources), schema) if _is_read_as(schema, io.BytesIO(MAGIC + empty)) else None

    def join(self, parts: Sequence[Path], path: Path) -> None:
        """Write all row groups, those of the input with those of the parts, which hold what is added."""
        with path.open("wb") as target:
            self._join(parts, target)
        if not _is_read_as(self.schema, path):
            raise BadData(f"{self.sources[0].name}: its footer says what Arrow cannot read")

    def _join(self, parts: Sequence[Path], target: IO[bytes]) -> None:
        """Row group by row group the columns that were given, as they are packed, then those that were found."""
        target.write(MAGIC)
        place, n_rows = len(MAGIC), 0
        groups: list[bytes] = []
        whole: Struct = {}
        given = chain.from_iterable(_stored(source.path) for source in self.sources)
        found = chain.from_iterable(map(_stored, parts))
        for one, other in zip_longest(given, found):
            if one is None or other is None or one.group[_GROUP_ROWS] != other.group[_GROUP_ROWS]:
                raise BadData("a Parquet file does not have the rows that its footer says")
            group, added = one.group, other.group
            start = place
            for stored in (one, other):
                for chunk in _chunks(stored.group):
                    place += _copy_chunk(chunk, stored.stream, target, place)
            # As bytes they are small.
            groups.append(written(_joined_group(group, added, start, place - start)))
            n_rows += group[_GROUP_ROWS][1]
            whole = whole or _joined(one.footer, other.footer, self.schema)
        whole[_N_ROWS], whole[_GROUPS] = (I64, n_rows), (LIST, (STRUCT, groups))
        target.write(footer_bytes(whole))


def _footer_of(path: Path) -> tuple[Struct, int]:
    with path.open("rb") as stream:
        return read_footer(path, stream)


def _rows_of(source: Source, columns: tuple[int, Any]) -> list[int]:
    """The rows of each row group of a file that can be handed through."""
    open_parquet(source).close()  # Arrow has read its footer
    footer, end = _footer_of(source.path)
    if footer[_SCHEMA] != columns or not _is_whole(footer, end):
        raise BadData(f"{source.name}: its columns are others, or lie elsewhere")
    return [group[_GROUP_ROWS][1] for group in _groups(footer)]


class _Stored(NamedTuple):
    """A row group where it is stored."""

    footer: Struct
    group: Struct
    stream: IO[bytes]


def _stored(path: Path) -> Iterator[_Stored]:
    with path.open("rb") as stream:
        footer, _ = read_footer(path, stream)
        for group in _groups(footer):
            yield _Stored(footer, group, stream)


def _groups(footer: Struct) -> list[Struct]:
    groups: list[Struct] = footer[_GROUPS][1][1]
    return groups


def _chunks(group: Struct) -> list[Struct]:
    chunks: list[Struct] = group[_CHUNKS][1][1]
    return chunks


def _span(about: Struct) -> tuple[int, int]:
    """Where the pages of a chunk begin, and how many bytes they have."""
    places = [about[field][1] for field in _ABOUT_PLACES if field in about and about[field][1] > 0]
    return min(places, default=0), about[_ABOUT_SIZE][1]


def _is_whole(footer: Struct, end: int) -> bool:
    """Whether all chunks lie in the file, readable, and none of them twice."""
    chunks = [chunk for group in _groups(footer) for chunk in _chunks(group)]
    if any(_ABOUT not in chunk or any(field in chunk for field in _CHUNK_ELSEWHERE) for chunk in chunks):
        return False
    spans = sorted(_span(chunk[_ABOUT][1]) for chunk in chunks)
    ends = [len(MAGIC), *(start + size for start, size in spans)]
    starts = [*(start for start, _ in spans), end]
    ordered = all(before <= start for before, start in zip(ends, starts, strict=True))
    return ordered and all(size > 0 for _, size in spans)


def _copy_chunk(chunk: Struct, stream: IO[bytes], target: IO[bytes], place: int) -> int:
    """Copies a chunk's pages to where the output has come; gives their size. The chunk says where they are now."""
    about = chunk[_ABOUT][1]
    start, size = _span(about)
    stream.seek(start)
    copy_bytes(stream, target, size)
    for field in _CHUNK_INDEXES:
        chunk.pop(field, None)
    for field in _ABOUT_FILTER:
        about.pop(field, None)
    for field in _ABOUT_PLACES:
        if field in about and about[field][1] > 0:
            about[field] = (I64, about[field][1] - start + place)
    if chunk[_CHUNK_OFFSET][1] > 0:  # 0 in newer files
        chunk[_CHUNK_OFFSET] = (I64, place)
    return int(size)


def _joined_group(group: Struct, added: Struct, start: int, size: int) -> Struct:
    unpacked = group[_UNPACKED_SIZE][1] + added[_UNPACKED_SIZE][1]
    return {
        _CHUNKS: (LIST, (STRUCT, [*_chunks(group), *_chunks(added)])),
        _UNPACKED_SIZE: (I64, unpacked),
        _GROUP_ROWS: group[_GROUP_ROWS],
        _GROUP_OFFSET: (I64, start),
        _PACKED_SIZE: (I64, size),
    }


def _joined(footer: Struct, added: Struct, schema: pa.Schema) -> Struct:
    """A footer without row groups: the columns of both, how Arrow is to read them, and what else is noted."""
    root, *columns = footer[_SCHEMA][1][1]
    added_root, *added_columns = added[_SCHEMA][1][1]
    root = root | {_N_CHILDREN: (I32, root[_N_CHILDREN][1] + added_root[_N_CHILDREN][1])}
    arrow = base64.b64encode(schema.serialize().to_pybytes())
    notes = {b"ARROW:schema": arrow} | (schema.metadata or {})
    joined: Struct = {
        _VERSION: max(footer[_VERSION], added[_VERSION]),
        _SCHEMA: (LIST, (STRUCT, [root, *columns, *added_columns])),
        _N_ROWS: (I64, 0),
        _GROUPS: (LIST, (STRUCT, [])),
        _NOTES: (LIST, (STRUCT, [{1: (BINARY, key), 2: (BINARY, note)} for key, note in notes.items()])),
        _MAKER: added[_MAKER],
    }
    if _ORDERS in footer and _ORDERS in added:  # how values are compared in statistics, one a column
        joined[_ORDERS] = (LIST, (STRUCT, [*footer[_ORDERS][1][1], *added[_ORDERS][1][1]]))
    return joined


def _empty_footer(schema: pa.Schema) -> Struct:
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(schema.empty_table(), file)
    data = file.getvalue()
    return read_struct(data[-8 - int.from_bytes(data[-8:-4], "little") : -8])


def _is_read_as(schema: pa.Schema, file: Any) -> bool:
    """Whether Arrow finds these columns in a file."""
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as opened:
            return bool(opened.schema_arrow.remove_metadata() == schema)
    except _NO_FOOTER:
        return False

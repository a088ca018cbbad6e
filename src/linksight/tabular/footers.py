"""Parquet files put end to end, byte for byte: only the footer, a Thrift struct, is written anew.

Nothing is decoded or packed a second time, so a long job can be written in parts, each of them
whole on disk, and still end as one file at the price of a copy.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from linksight.errors import BadData
from linksight.tabular.thrift import I64, Struct, read_struct, written

MAGIC = b"PAR1"
# Fields of Parquet's structs that are used here, by their numbers in parquet.thrift.
_SCHEMA, _NUM_ROWS, _ROW_GROUPS = 2, 3, 4
_GROUP_COLUMNS, _GROUP_OFFSET, _GROUP_ORDINAL = 1, 5, 7
_CHUNK_OFFSET, _CHUNK_METADATA, _CHUNK_INDEXES = 2, 3, (4, 5, 6, 7)
_METADATA_OFFSETS = (9, 10, 11, 14)


def join_parquet(parts: Sequence[Path], target: IO[bytes]) -> None:
    """Write the rows of all parts, in order, as one Parquet file."""
    target.write(MAGIC)
    whole: Struct | None = None
    place = len(MAGIC)
    for path in parts:
        with path.open("rb") as stream:
            footer, end = read_footer(path, stream)
            shift = place - len(MAGIC)
            stream.seek(len(MAGIC))
            copy_bytes(stream, target, end - len(MAGIC))
        place += end - len(MAGIC)
        groups = footer[_ROW_GROUPS][1][1]
        for group in groups:
            _moved(group, shift)
        if whole is None:
            whole = footer
            continue
        if whole[_SCHEMA] != footer[_SCHEMA]:
            raise BadData(f"{path}: its columns are not those of the parts before")
        whole[_NUM_ROWS] = (I64, whole[_NUM_ROWS][1] + footer[_NUM_ROWS][1])
        whole[_ROW_GROUPS][1][1].extend(groups)
    if whole is None:
        raise BadData("no part to join")
    target.write(footer_bytes(whole))


def footer_bytes(footer: Struct) -> bytes:
    """The end of a Parquet file."""
    data = written(footer)
    return data + struct.pack("<I", len(data)) + MAGIC


def copy_bytes(stream: IO[bytes], target: IO[bytes], size: int) -> None:
    while size > 0:
        piece = stream.read(min(size, 1 << 22))
        if not piece:
            raise BadData("a part is shorter than its footer says")
        target.write(piece)
        size -= len(piece)


def join_bytes(parts: Sequence[Path], target: IO[bytes]) -> None:
    """Lines follow lines, and packed streams may follow each other in gzip, zstd and bzip2."""
    for path in parts:
        with path.open("rb") as stream:
            shutil.copyfileobj(stream, target, 1 << 22)


def read_footer(path: Path, stream: IO[bytes]) -> tuple[Struct, int]:
    """The footer, and where the row groups end."""
    size = path.stat().st_size
    stream.seek(max(size - 8, 0))
    length, magic = struct.unpack("<I4s", stream.read(8).rjust(8, b"\0"))
    end = size - 8 - length
    if magic != MAGIC or end < len(MAGIC):
        raise BadData(f"{path}: not a whole Parquet file")
    stream.seek(end)
    return read_struct(stream.read(length)), end


def _moved(group: Struct, shift: int) -> None:
    """Offsets are counted from the start of the file."""
    group.pop(_GROUP_ORDINAL, None)
    _add(group, _GROUP_OFFSET, shift)
    for chunk in group[_GROUP_COLUMNS][1][1]:
        for field in _CHUNK_INDEXES:  # page indexes hold offsets of their own; the parts have none
            chunk.pop(field, None)
        _add(chunk, _CHUNK_OFFSET, shift)
        for field in _METADATA_OFFSETS:
            _add(chunk[_CHUNK_METADATA][1], field, shift)


def _add(fields: Struct, field: int, shift: int) -> None:
    if field in fields and fields[field][1] > 0:  # 0: not used, since the file's first bytes are its magic
        kind, value = fields[field]
        fields[field] = (kind, value + shift)

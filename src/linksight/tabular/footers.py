"""Parquet files put end to end, byte for byte: only the footer, a Thrift struct, is written anew.

Nothing is decoded or packed a second time, so a long job can be written in parts, each of them
whole on disk, and still end as one file at the price of a copy.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from linksight.errors import BadData

MAGIC = b"PAR1"
# Thrift's compact protocol.
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_INTEGERS = (_I16, _I32, _I64)
# Fields of Parquet's structs that are used here, by their numbers in parquet.thrift.
_SCHEMA, _NUM_ROWS, _ROW_GROUPS = 2, 3, 4
_GROUP_COLUMNS, _GROUP_OFFSET, _GROUP_ORDINAL = 1, 5, 7
_CHUNK_OFFSET, _CHUNK_METADATA, _CHUNK_INDEXES = 2, 3, (4, 5, 6, 7)
_METADATA_OFFSETS = (9, 10, 11, 14)

Struct = dict[int, tuple[int, Any]]  # field number -> (type, value), in order


def join_parquet(parts: Sequence[Path], target: IO[bytes]) -> None:
    """Write the rows of all parts, in order, as one Parquet file."""
    target.write(MAGIC)
    whole: Struct | None = None
    place = len(MAGIC)
    for path in parts:
        with path.open("rb") as stream:
            footer, end = _read_footer(path, stream)
            shift = place - len(MAGIC)
            stream.seek(len(MAGIC))
            _copy(stream, target, end - len(MAGIC))
        place += end - len(MAGIC)
        groups = footer[_ROW_GROUPS][1][1]
        for group in groups:
            _moved(group, shift)
        if whole is None:
            whole = footer
            continue
        if whole[_SCHEMA] != footer[_SCHEMA]:
            raise BadData(f"{path}: its columns are not those of the parts before")
        whole[_NUM_ROWS] = (_I64, whole[_NUM_ROWS][1] + footer[_NUM_ROWS][1])
        whole[_ROW_GROUPS][1][1].extend(groups)
    if whole is None:
        raise BadData("no part to join")
    written = bytearray()
    _write_struct(written, whole)
    target.write(bytes(written) + struct.pack("<I", len(written)) + MAGIC)


def _copy(stream: IO[bytes], target: IO[bytes], size: int) -> None:
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


def _read_footer(path: Path, stream: IO[bytes]) -> tuple[Struct, int]:
    """The footer, and where the row groups end."""
    size = path.stat().st_size
    stream.seek(max(size - 8, 0))
    length, magic = struct.unpack("<I4s", stream.read(8))
    end = size - 8 - length
    if magic != MAGIC or end < len(MAGIC):
        raise BadData(f"{path}: not a whole Parquet file")
    stream.seek(end)
    return _Cursor(stream.read(length)).struct(), end


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


class _Cursor:
    """Reads Thrift's compact protocol from bytes."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def struct(self) -> Struct:
        fields: Struct = {}
        number = 0
        while byte := self.byte():
            delta, kind = byte >> 4, byte & 15
            number = number + delta if delta else self.integer()
            fields[number] = (kind, kind == _TRUE if kind in (_TRUE, _FALSE) else self.value(kind))
        return fields

    def value(self, kind: int) -> Any:
        if kind in _INTEGERS:
            return self.integer()
        if kind == _BINARY:
            return self.take(self.varint())
        if kind == _STRUCT:
            return self.struct()
        if kind in (_LIST, _SET):
            head = self.byte()
            size = self.varint() if head >> 4 == 15 else head >> 4
            return head & 15, [self.value(head & 15) for _ in range(size)]
        if kind == _DOUBLE:
            return self.take(8)
        if kind in (_TRUE, _FALSE, _BYTE):
            return self.byte()
        raise BadData(f"a Parquet footer with a Thrift type that Parquet does not use ({kind})")

    def byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def take(self, size: int) -> bytes:
        self.place += size
        return self.data[self.place - size : self.place]

    def varint(self) -> int:
        result = shift = 0
        while True:
            byte = self.byte()
            result |= (byte & 127) << shift
            if byte < 128:
                return result
            shift += 7

    def integer(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)


def _write_struct(out: bytearray, fields: Struct) -> None:
    last = 0
    for number, (kind, value) in fields.items():
        if kind in (_TRUE, _FALSE):
            kind = _TRUE if value else _FALSE
        if 0 < number - last < 16:
            out.append((number - last) << 4 | kind)
        else:
            out.append(kind)
            _write_integer(out, number)
        last = number
        if kind not in (_TRUE, _FALSE):
            _write_value(out, kind, value)
    out.append(0)


def _write_value(out: bytearray, kind: int, value: Any) -> None:
    if kind in _INTEGERS:
        _write_integer(out, value)
    elif kind == _BINARY:
        _write_varint(out, len(value))
        out += value
    elif kind == _STRUCT:
        _write_struct(out, value)
    elif kind in (_LIST, _SET):
        inner, items = value
        if len(items) < 15:
            out.append(len(items) << 4 | inner)
        else:
            out.append(0xF0 | inner)
            _write_varint(out, len(items))
        for item in items:
            _write_value(out, inner, item)
    elif kind == _DOUBLE:
        out += value
    else:
        out.append(value)


def _write_varint(out: bytearray, value: int) -> None:
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def _write_integer(out: bytearray, value: int) -> None:
    _write_varint(out, value << 1 if value >= 0 else (-value << 1) - 1)

"""Thrift's compact protocol, as far as Parquet's footers use it.

A struct is read as its fields by number and written back the same, those that nobody here knows included.
"""

from __future__ import annotations

from typing import Any

from linksight.errors import BadData

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_INTEGERS = (I16, I32, I64)
_DEEPEST = 32  #: structs within structs; Parquet has five

#: Field number -> (type, value), in order. A struct within another may be written already.
Struct = dict[int, tuple[int, Any]]


def read_struct(data: bytes) -> Struct:
    """The struct that the bytes begin with."""
    return _Cursor(data).struct()


def written(fields: Struct) -> bytes:
    """A struct as bytes.

    >>> read_struct(written({3: (I64, -7), 30: (BINARY, b"x")}))
    {3: (6, -7), 30: (8, b'x')}
    """
    out = bytearray()
    _write_struct(out, fields)
    return bytes(out)


class _Cursor:
    """Reads Thrift's compact protocol from bytes."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place, self.depth = data, 0, 0

    def struct(self) -> Struct:
        fields: Struct = {}
        number = 0
        self.depth += 1
        if self.depth > _DEEPEST:
            raise BadData("a Parquet footer with structs within structs")
        while byte := self.byte():
            delta, kind = byte >> 4, byte & 15
            number = number + delta if delta else self.integer()
            fields[number] = (kind, kind == TRUE if kind in (TRUE, FALSE) else self.value(kind))
        self.depth -= 1
        return fields

    def value(self, kind: int) -> Any:
        if kind in _INTEGERS:
            return self.integer()
        if kind == BINARY:
            return self.take(self.varint())
        if kind == STRUCT:
            return self.struct()
        if kind in (LIST, SET):
            return self.items()
        if kind == DOUBLE:
            return self.take(8)
        if kind in (TRUE, FALSE, BYTE):
            return self.byte()
        raise BadData(f"a Parquet footer with a Thrift type that Parquet does not use ({kind})")

    def items(self) -> tuple[int, list[Any]]:
        head = self.byte()
        size = self.varint() if head >> 4 == 15 else head >> 4
        self.depth += 1
        if self.depth > _DEEPEST:
            raise BadData("a Parquet footer with lists within lists")
        found = [self.value(head & 15) for _ in range(size)]
        self.depth -= 1
        return head & 15, found

    def byte(self) -> int:
        return self.take(1)[0]

    def take(self, size: int) -> bytes:
        self.place += size
        if self.place > len(self.data):
            raise BadData("a Parquet footer that is cut short")
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
        if kind in (TRUE, FALSE):
            kind = TRUE if value else FALSE
        if 0 < number - last < 16:
            out.append((number - last) << 4 | kind)
        else:
            out.append(kind)
            _write_integer(out, number)
        last = number
        if kind not in (TRUE, FALSE):
            _write_value(out, kind, value)
    out.append(0)


def _write_value(out: bytearray, kind: int, value: Any) -> None:
    if kind in _INTEGERS:
        _write_integer(out, value)
    elif kind == BINARY:
        _write_varint(out, len(value))
        out += value
    elif kind == STRUCT and isinstance(value, bytes):
        out += value
    elif kind == STRUCT:
        _write_struct(out, value)
    elif kind in (LIST, SET):
        inner, items = value
        if len(items) < 15:
            out.append(len(items) << 4 | inner)
        else:
            out.append(0xF0 | inner)
            _write_varint(out, len(items))
        for item in items:
            _write_value(out, inner, item)
    elif kind == DOUBLE:
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

"""Gzip from strangers, unpacked no further than a limit."""

from __future__ import annotations

import zlib


def gunzip(data: bytes, limit: int) -> tuple[bytes, bool]:
    """Unpack at most ``limit`` bytes; whether there was more. Damaged data give what can be read."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        text = unpacker.decompress(data, limit)
    except zlib.error:
        return b"", True
    return text, bool(unpacker.unconsumed_tail)


def gunzip_file(data: bytes, limit: int = 50_000_000) -> bytes:
    """The content of a gzip file, or the data themselves where they are none."""
    return gunzip(data, limit)[0] if data[:2] == b"\x1f\x8b" else data

"""Gunzip untrusted data up to a size limit."""

from __future__ import annotations

import zlib


def gunzip(data: bytes, limit: int) -> tuple[bytes, bool]:
    """At most ``limit`` unpacked bytes, and whether there were more. Damaged data are unpacked as far as possible."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        text = unpacker.decompress(data, limit)
    except zlib.error:
        return b"", True
    return text, bool(unpacker.unconsumed_tail)


def gunzip_file(data: bytes, limit: int = 50_000_000) -> bytes:
    """The content of a gzip file; other data unchanged."""
    return gunzip(data, limit)[0] if data[:2] == b"\x1f\x8b" else data

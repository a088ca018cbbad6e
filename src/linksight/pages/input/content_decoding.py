"""Decodes transfer and content encodings of WARC records.

warcio decodes chunks, gzip and deflate. For brotli it needs a package whose newer versions break it,
and it lacks zstd, which browsers accept since 2024. Arrow, already a dependency, decodes both.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import Any

CODECS = {"br": "brotli", "zstd": "zstd"}  #: names in HTTP, and those of Arrow
BLOCK_BYTES = 1 << 16
AUTO_WINDOW_BITS = zlib.MAX_WBITS | 32  #: zlib detects gzip or deflate by the header
GZIP, ZSTD, DEFLATE = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", (b"x\x01", b"x^", b"x\x9c", b"x\xda")


def body_of(record: Any, most: int) -> bytes:
    """The first ``most`` bytes of the page of a record of warcio's."""
    coding = (record.http_headers.get_header("Content-Encoding") or "") if record.http_headers else ""
    codec = CODECS.get(coding.strip().lower())
    if codec is None:
        return bytes(record.content_stream().read(most))
    return unpacked(_received(record).read(most), codec, most)


def unpacked(packed: bytes, codec: str, most: int) -> bytes:
    """The first ``most`` decompressed bytes; data that are not compressed, despite their header, are unchanged.

    >>> import pyarrow as pa
    >>> unpacked(pa.compress(b"goede morgen", "brotli", asbytes=True), "brotli", 5), unpacked(b"<p>", "zstd", 5)
    (b'goede', b'<p>')
    """
    import pyarrow as pa

    stream = pa.CompressedInputStream(pa.BufferReader(packed), codec)
    found: list[bytes] = []
    size = 0
    try:
        while size < most and (block := stream.read(min(BLOCK_BYTES, most - size))):
            found.append(block)
            size += len(block)
    except (OSError, ValueError):  # truncated: the decoded start is used
        pass
    return b"".join(found) or packed


def decompress(body: bytes, most: int) -> bytes:
    """The first ``most`` bytes of gzip, deflate or zstd data, detected by magic bytes; other data are unchanged.

    Raises zlib.error for invalid data with the magic bytes of gzip; text may begin like deflate (``x^2``).
    """
    if body.startswith(GZIP):
        return zlib.decompressobj(31).decompress(body, most)
    if body.startswith(ZSTD):
        return unpacked(body, "zstd", most)
    if body.startswith(DEFLATE):
        try:
            return zlib.decompressobj().decompress(body, most)
        except zlib.error:
            return body
    return body


def decode_content(packed: bytes, coding: str, most: int) -> bytes:
    """Decodes an HTTP content coding by its name.

    >>> decode_content(zlib.compress(b"goede morgen"), "deflate", 5), decode_content(b"<p>", "gzip", 5), decode_content(b"<p>", "no-such", 5)
    (b'goede', b'<p>', b'<p>')
    """
    name = coding.strip().lower().removeprefix("x-")
    if name in CODECS:
        return unpacked(packed, CODECS[name], most)
    # Some servers omit the deflate header; others declare compression and send plain data.
    for bits in {"gzip": (AUTO_WINDOW_BITS,), "deflate": (AUTO_WINDOW_BITS, -zlib.MAX_WBITS)}.get(name, ()):
        with suppress(zlib.error):
            return zlib.decompressobj(bits).decompress(packed, most) or packed
    return packed


def _received(record: Any) -> Any:
    """The stream of a record's body, its chunks put together."""
    from warcio.bufferedreaders import ChunkedDataReader

    chunked = (record.http_headers.get_header("Transfer-Encoding") or "").strip().lower() == "chunked"
    return ChunkedDataReader(record.raw_stream) if chunked else record.raw_stream

"""What a WARC record holds, as the browser saw it: transfer and content encodings undone.

warcio undoes chunks, gzip and deflate. Brotli it leaves to another package, whose newer versions it trips over,
and zstd, which browsers take since 2024, it does not know; Arrow, which is there anyway, undoes both.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import Any

CODECS = {"br": "brotli", "zstd": "zstd"}  #: names in HTTP, and those of Arrow
BLOCK_BYTES = 1 << 16
AUTO_WINDOW_BITS = zlib.MAX_WBITS | 32  #: gzip or deflate, whichever its head says
GZIP, ZSTD, DEFLATE = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", (b"x\x01", b"x^", b"x\x9c", b"x\xda")


def body_of(record: Any, most: int) -> bytes:
    """The first ``most`` bytes of the page of a record of warcio's."""
    coding = (record.http_headers.get_header("Content-Encoding") or "") if record.http_headers else ""
    codec = CODECS.get(coding.strip().lower())
    if codec is None:
        return bytes(record.content_stream().read(most))
    return unpacked(_received(record).read(most), codec, most)


def unpacked(packed: bytes, codec: str, most: int) -> bytes:
    """The first ``most`` bytes of what was packed; what was not, whatever its header says, stays as it is.

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
    except (OSError, ValueError):  # cut off: what came before is as good as the start of any page
        pass
    return b"".join(found) or packed


def opened(body: bytes, most: int) -> bytes:
    """The first ``most`` bytes of what begins as gzip, deflate or zstd does; anything else as it is.

    Raises zlib.error where it begins as gzip and is none; a text can begin as deflate does (``x^2``).
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


def undone(packed: bytes, coding: str, most: int) -> bytes:
    """The same by the name of a coding in HTTP, gzip and deflate among them.

    >>> undone(zlib.compress(b"goede morgen"), "deflate", 5), undone(b"<p>", "gzip", 5), undone(b"<p>", "no-such", 5)
    (b'goede', b'<p>', b'<p>')
    """
    name = coding.strip().lower().removeprefix("x-")
    if name in CODECS:
        return unpacked(packed, CODECS[name], most)
    # Some servers leave the head of deflate out; others do not pack what they say they do.
    for bits in {"gzip": (AUTO_WINDOW_BITS,), "deflate": (AUTO_WINDOW_BITS, -zlib.MAX_WBITS)}.get(name, ()):
        with suppress(zlib.error):
            return zlib.decompressobj(bits).decompress(packed, most) or packed
    return packed


def _received(record: Any) -> Any:
    """The stream of a record's body, its chunks put together."""
    from warcio.bufferedreaders import ChunkedDataReader

    chunked = (record.http_headers.get_header("Transfer-Encoding") or "").strip().lower() == "chunked"
    return ChunkedDataReader(record.raw_stream) if chunked else record.raw_stream

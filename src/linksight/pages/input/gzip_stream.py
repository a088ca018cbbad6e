"""Streaming gzip decompression of one or many members, or plain data; detects truncation.

>>> import gzip, io
>>> with Unpacked(io.BytesIO(gzip.compress(b"one ") + gzip.compress(b"two"))) as stream:
...     stream.read(), stream.read(), stream.is_cut
(b'one ', b'two', False)
>>> with Unpacked(io.BytesIO(gzip.compress(b"one " * 500)[:-9])) as stream:
...     len(stream.read()), stream.read(), stream.is_cut
(2000, b'', True)
"""

from __future__ import annotations

import zlib
from typing import BinaryIO

MAGIC = b"\x1f\x8b"
BLOCK_BYTES = 1 << 16  #: bytes that one read takes from the file, and returns at most


class Unpacked:
    """The bytes of a file that may be gzip of one or many members, in order, in bounded memory."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._packed = stream.read(BLOCK_BYTES)
        self._read = len(self._packed)
        self._is_gzip = self._packed.startswith(MAGIC)
        self._member = zlib.decompressobj(31)
        self._n_bytes_out = 0
        self._starts = {0: 0}
        self.last = b""  #: the last returned bytes
        self.is_cut = False  #: the file ends inside a gzip member

    def __enter__(self) -> Unpacked:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._stream.close()

    def tell(self) -> int:
        """The number of returned bytes."""
        return self._n_bytes_out

    def place(self, offset: int) -> str:
        """The position of a returned byte in the file, for error messages."""
        if not self._is_gzip:
            return f"offset {offset:,}"
        if offset in self._starts:
            return f"offset {self._starts[offset]:,}"
        return f"offset {offset:,} of the unpacked data"

    def read(self, size: int = BLOCK_BYTES) -> bytes:
        """The next bytes, up to ``size`` and of one member; empty at the end of the file."""
        data = self._plain(size) if not self._is_gzip else self._unpacked(size)
        self._n_bytes_out += len(data)
        self.last = (self.last + data)[-4:]
        return data

    def _more(self) -> bytes:
        data = self._stream.read(BLOCK_BYTES)
        self._read += len(data)
        return data

    def _plain(self, size: int) -> bytes:
        data = self._packed or self._more()
        self._packed = data[size:]
        return data[:size]

    def _unpacked(self, size: int) -> bytes:
        while True:
            if self._member.eof and not self._next_member():
                return b""
            if not self._packed:
                self._packed = self._more()
            data = self._member.decompress(self._packed, size)
            at_end = not self._packed and not data
            self._packed = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            if data:
                return data
            if at_end and not self._member.eof:
                self.is_cut = True
                return b""

    def _next_member(self) -> bool:
        """Starts the next member; ignores trailing data, as gzip does."""
        while len(self._packed) < len(MAGIC) and (more := self._more()):
            self._packed += more
        if not self._packed.startswith(MAGIC):
            self.is_cut = bool(self._packed.strip(b"\0"))
            return False
        self._member = zlib.decompressobj(31)
        self._starts = {self._n_bytes_out: self._read - len(self._packed)}
        return True

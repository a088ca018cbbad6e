"""Frames between a worker and its fetcher: a JSON head and a raw body, both length-prefixed."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

_SIZES = struct.Struct("<II")
MAX_FRAME_BYTES = 1 << 30


def pack(head: dict[str, Any], body: bytes = b"") -> bytes:
    """Pack a frame.

    >>> list(Frames().feed(pack({"id": 1}, b"page")))
    [({'id': 1}, b'page')]
    """
    packed = json.dumps(head).encode()
    return _SIZES.pack(len(packed), len(body)) + packed + body


def read_frame(link: int) -> dict[str, Any]:
    """Read exactly one frame without a body from a file descriptor."""
    head_size, _ = _SIZES.unpack(_read(link, _SIZES.size))
    head: dict[str, Any] = json.loads(_read(link, head_size))
    return head


def _read(link: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        if not (part := os.read(link, size - len(data))):
            raise EOFError("the worker is gone")
        data += part
    return data


class Frames:
    """Incremental decoder of frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[dict[str, Any], bytes]]:
        """Add bytes; returns the frames that are complete."""
        self._buffer += data
        frames, start = [], 0
        while len(self._buffer) - start >= _SIZES.size:
            head_size, size = _SIZES.unpack_from(self._buffer, start)
            end = start + _SIZES.size + head_size + size
            if head_size + size > MAX_FRAME_BYTES:
                raise ValueError(f"a frame of {head_size + size} bytes")
            if len(self._buffer) < end:
                break
            middle = start + _SIZES.size + head_size
            frames.append(
                (json.loads(self._buffer[start + _SIZES.size : middle]), bytes(self._buffer[middle:end]))
            )
            start = end
        if start:
            del self._buffer[:start]
        return frames

"""The body of a request: bounded in size and time, and decompressed if it is gzip."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Callable
from typing import Any

from starlette.exceptions import HTTPException

Receive = Callable[[], Any]
MAX_DRAINED_BYTES = 1 << 30  #: bytes of an unwanted body that are read before the connection closes
BODY_IDLE_SECONDS = 20.0  #: a body that stalls for longer ends the request
MIN_BYTES_PER_SECOND = 500  #: after these seconds a slower body ends the request, too
STREAM_IDLE_SECONDS = 600.0  #: streams may stall for longer: their clients wait for input


class RequestBody:
    """Receives a body; raises 413 as soon as it is too long, and 408 when it stalls or is too slow."""

    def __init__(self, receive: Receive, max_bytes: int, *, is_gzip: bool = False, is_stream: bool = False) -> None:  # fmt: skip
        self.receive, self.max_bytes, self.is_stream = receive, max_bytes, is_stream
        self.size, self.n_received, self.is_over = 0, 0, False
        self._waited = 0.0  #: seconds
        self._unpacker = zlib.decompressobj(31) if is_gzip else None

    async def __call__(self) -> Any:
        """The next message of the server."""
        message = await self._next()
        if self._unpacker is not None and message["type"] == "http.request":
            message = message | {"body": self._unpacked(message.get("body", b""))}
        self.size += len(message.get("body", b""))
        if self.size > self.max_bytes:
            raise HTTPException(413, too_large(self.max_bytes))
        return message

    async def drain(self) -> None:
        """Read and drop the rest: closing the connection earlier would lose the response."""
        size = 0
        while not self.is_over and size < MAX_DRAINED_BYTES:
            size += len((await self._next()).get("body", b""))

    async def _next(self) -> Any:
        if self.is_over:  # later calls wait for the end of the connection, which has no time limit
            return await self.receive()
        began = time.monotonic()
        try:
            message = await asyncio.wait_for(self.receive(), self._patience())
        except TimeoutError:
            self.is_over = True
            text = "the body is too slow, or stalled; send it without long pauses"
            raise HTTPException(408, text, {"connection": "close"}) from None
        self._waited += time.monotonic() - began
        self.n_received += len(message.get("body", b""))
        self.is_over = not message.get("more_body", False)
        return message

    def _patience(self) -> float:
        """Seconds to wait for the next piece."""
        if self.is_stream:
            return STREAM_IDLE_SECONDS
        return BODY_IDLE_SECONDS - max(0.0, self._waited - self.n_received / MIN_BYTES_PER_SECOND)

    def _unpacked(self, data: bytes) -> bytes:
        """The bytes of a gzipped piece, never more than one over the limit."""
        assert self._unpacker is not None
        try:
            found = self._unpacker.decompress(data, self.max_bytes - self.size + 1)
        except zlib.error:
            raise HTTPException(400, "the body is not gzip, although Content-Encoding names gzip") from None
        if self.is_over and not self._unpacker.eof and len(found) + self.size <= self.max_bytes:
            raise HTTPException(400, "the gzipped body is cut off: send all of it")
        return found


def too_large(max_bytes: int) -> str:
    """The sentence for a body over the limit.

    >>> too_large(64 << 20)
    'the body is larger than the 64 MiB that are allowed here'
    """
    shown = f"{max_bytes >> 20} MiB" if max_bytes >= 1 << 20 else f"{max_bytes:,} bytes"
    return f"the body is larger than the {shown} that are allowed here"

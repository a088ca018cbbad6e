"""The HTTP/1.1 protocol of uvicorn with limits: size and time of request heads, pipelined requests, slow readers."""

from __future__ import annotations

import json
from asyncio.events import TimerHandle
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 128 << 10  #: request line and headers; the parser takes request lines of 64 KiB
HEAD_SECONDS = 10.0  #: until the head of a request is complete
STALL_SECONDS = 60.0  #: a client that neither reads its answer nor sends anything for longer is disconnected
MAX_PIPELINED = 100  #: requests of a connection that wait for the answer to an earlier one


class LimitedHttpProtocol(HttpToolsProtocol):
    """Closes connections whose request head is too large or too slow, and those whose client does not read."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._head_bytes = 0
        self._is_in_head = True
        self._head_timer: TimerHandle | None = None
        self._stall_timer: TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_head_timer()
        self._stop_stall_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_in_head:
            self._head_bytes += len(data)
        if self._stall_timer is not None:  # clients may send all of their lines before they read
            self._start_stall_timer()
        super().data_received(data)
        if not self._is_in_head or self.transport.is_closing():
            return
        if self._head_bytes > MAX_HEAD_BYTES:
            text = f"the request line and the headers may have {MAX_HEAD_BYTES:,} bytes"
            self._refuse(431, "head-too-large", text)
        elif self._head_timer is None:  # most heads come in one piece and need no timer
            self._start_head_timer()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_bytes, self._is_in_head = 0, True

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._stop_head_timer()
        super().on_headers_complete()
        if len(self.pipeline) > MAX_PIPELINED:  # the error ends the parser; uvicorn answers 400 and closes
            raise ValueError("too many pipelined requests")

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.pipeline:  # uvicorn would read, and queue, more requests after each answer
            self.flow.pause_reading()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_stall_timer()

    def resume_writing(self) -> None:
        self._stop_stall_timer()
        super().resume_writing()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_in_head:  # trailers are dropped
            super().on_header(name, value)

    def _start_head_timer(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self.timeout_keep_alive_handler)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _start_stall_timer(self) -> None:
        self._stop_stall_timer()
        self._stall_timer = self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def _stop_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None

    def send_400_response(self, msg: str) -> None:
        """Answer a request that the parser cannot read."""
        self._refuse(400, "bad-request", msg)

    def _refuse(self, status: int, code: str, detail: str) -> None:
        title = HTTPStatus(status).phrase
        body = json.dumps({"type": f"/api#{code}", "title": title, "status": status, "code": code, "detail": detail,
                           "request_id": ""}).encode()  # fmt: skip
        head = f"HTTP/1.1 {status} {title}\r\ncontent-type: application/problem+json\r\ncontent-length: {len(body)}\r\n"
        self.transport.write(f"{head}connection: close\r\n\r\n".encode() + body)
        self.transport.close()

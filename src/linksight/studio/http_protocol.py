"""The HTTP/1.1 protocol of uvicorn with limits: size and time of request heads, pipelined requests, slow readers."""

from __future__ import annotations

import json
from asyncio.events import TimerHandle
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 320 << 10  #: request line and headers; a percent-encoded URL of 100,000 characters fits
HEAD_SECONDS = 10.0  #: until the head of a request is complete
STALL_SECONDS = 60.0  #: a client that neither reads its answer nor sends anything for longer is disconnected
MAX_PIPELINED = 100  #: requests of a connection that wait for the answer to an earlier one
_TOO_LARGE = json.dumps({"type": "/api#head-too-large", "title": "Request head too large", "status": 431, "code": "head-too-large",
                         "detail": f"the request line and the headers may have {MAX_HEAD_BYTES:,} bytes", "request_id": ""}).encode()  # fmt: skip


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
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._stop_stall_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_in_head:
            self._head_bytes += len(data)
        if self._stall_timer is not None:  # clients may send all of their lines before they read
            self._start_stall_timer()
        super().data_received(data)
        if self._is_in_head and self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            self._refuse()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_bytes, self._is_in_head = 0, True
        self._start_timer()

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._stop_timer()
        super().on_headers_complete()
        if len(self.pipeline) > MAX_PIPELINED:
            raise ValueError(
                "too many pipelined requests"
            )  # the parser stops; uvicorn answers 400 and closes

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

    def _start_timer(self) -> None:
        self._stop_timer()
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self.timeout_keep_alive_handler)

    def _stop_timer(self) -> None:
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

    def _refuse(self) -> None:
        head = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/problem+json\r\ncontent-length: %d\r\n"
        self.transport.write(head % len(_TOO_LARGE) + b"connection: close\r\n\r\n" + _TOO_LARGE)
        self.transport.close()

"""HTTP/1.1 by httptools, with one thing more than uvicorn's own: proposals of HTTP/2 are let pass.

Java's own client proposes HTTP/2 in its first request (``Upgrade: h2c``). A server may go on with
HTTP/1.1. The parser, however, takes the body that follows for another protocol, and the request would
be refused: so it never gets to see the proposal.
"""

from __future__ import annotations

import re

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_PROPOSAL = re.compile(rb"\r\nupgrade:[ \t]*h2c[ \t]*(?=\r\n)", re.IGNORECASE)


class Http1(HttpToolsProtocol):
    """A connection that stays with HTTP/1.1, whatever the client proposes."""

    _is_inside = False  #: a message, whose body may hold what it likes

    def data_received(self, data: bytes) -> None:
        """Take bytes as they come."""
        if not self._is_inside and b"h2c" in data:
            head, end, body = data.partition(b"\r\n\r\n")
            data = _PROPOSAL.sub(b"", head + b"\r\n", count=1)[:-2] + end + body
        super().data_received(data)

    def on_message_begin(self) -> None:
        """A request begins."""
        self._is_inside = True
        super().on_message_begin()

    def on_message_complete(self) -> None:
        """A request has ended."""
        self._is_inside = False
        super().on_message_complete()

"""Forwarded headers of a reverse proxy: visitor, host name and scheme of a request."""

from __future__ import annotations

from typing import Any

_MAX_ADDRESS_CHARACTERS = 45  #: characters of an IPv6 address


class ForwardedHeaders:
    """Reads visitor, host and scheme from the last entries, which the trusted proxy added.

    The proxy appends to ``X-Forwarded-For``; earlier entries come from the visitor and are not trusted.
    """

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            request_headers: dict[bytes, bytes] = dict(scope["headers"])
            visitor = _last(request_headers.get(b"x-forwarded-for", b""))
            host = _last(request_headers.get(b"x-forwarded-host", b""))
            scope = scope | {
                "scheme": "http"
                if _last(request_headers.get(b"x-forwarded-proto", b"")) == "http"
                else "https"
            }
            if visitor:
                scope["client"] = (visitor[:_MAX_ADDRESS_CHARACTERS], 0)
            if host:
                headers = [pair for pair in scope["headers"] if pair[0] != b"host"]
                scope["headers"] = [*headers, (b"host", host.encode("latin-1"))]
        await self.app(scope, receive, send)


def _last(value: bytes) -> str:
    """The entry of the nearest proxy.

    >>> _last(b"6.6.6.6, 203.0.113.7")
    '203.0.113.7'
    """
    return value.decode("latin-1").rpartition(",")[2].strip()

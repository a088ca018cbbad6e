"""HEAD, which health checks and link checkers send: whatever can be got, without its body."""

from __future__ import annotations

from typing import Any


class Heads:
    """An ASGI layer that answers HEAD as GET, with the same status and headers and nothing behind them."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_head(message: Any) -> None:
            if message["type"] == "http.response.body":
                message = message | {"body": b""}
            await send(message)

        # A scope of its own: the server knows by the first one that no body is to come.
        await self.app(scope | {"method": "GET"}, receive, send_head)

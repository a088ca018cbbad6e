"""HEAD as GET without a body, for health checks and link checkers."""

from __future__ import annotations

from typing import Any


class Heads:
    """An ASGI layer that answers HEAD with the status and headers of GET."""

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

        # A copy of the scope: the server reads HEAD from the original and sends no body.
        await self.app(scope | {"method": "GET"}, receive, send_head)

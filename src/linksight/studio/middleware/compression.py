"""Gzip for answers of the API and static files."""

from __future__ import annotations

from typing import Any

from starlette.middleware.gzip import GZipMiddleware

from linksight.studio.responses import is_for_programs

MIN_BYTES = 1_000


class Compression:
    """Compresses responses without secrets: compression would reveal the form tokens of pages (BREACH)."""

    def __init__(self, app: Any) -> None:
        self.app, self.packed = app, GZipMiddleware(app, MIN_BYTES, compresslevel=5)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        is_packed = scope["type"] == "http" and _may_pack(scope["path"])
        await (self.packed if is_packed else self.app)(scope, receive, send)


def _may_pack(path: str) -> bool:
    # A stream sends each line at once; the compressor would delay lines.
    return path.startswith("/static/") or (is_for_programs(path) and not path.endswith("/stream"))

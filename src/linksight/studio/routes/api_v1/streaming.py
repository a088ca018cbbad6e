"""Streaming detection: lines in, lines out, while the request is still open."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from linksight.results import UND
from linksight.studio.routes.api_v1.query_parameters import settings_of
from linksight.studio.routes.api_v1.schemas import ERRORS, EXAMPLE
from linksight.studio.services import language_service

router = APIRouter(prefix="/v1", tags=["detect"], responses=ERRORS)
MAX_LINE_BYTES = 1 << 20
IN_MEMORY, MAX_WAITING_BYTES = 1 << 20, 1 << 30  #: bytes of answers that wait: in memory, and at most
TOO_LONG = f"line longer than {MAX_LINE_BYTES:,} bytes"
NOT_JSON = "not JSON"
_LINES = {
    "requestBody": {
        "required": False,  # no lines are no error
        "content": {
            "text/plain": {"schema": {"type": "string"}, "example": f"{EXAMPLE}\n"},
            "application/x-ndjson": {
                "schema": {"type": "string"},
                "example": f'{{"url": "{EXAMPLE}", "id": 7}}\n',
            },
        },
    }
}


@router.post("/detect/stream", summary="URLs line by line", operation_id="detectStream",
             openapi_extra=_LINES,
             response_class=Response,
             responses={200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}})  # fmt: skip
async def detect_stream(
    request: Request,
    languages: str = Query("", description="choose among these only, e.g. nl,de"),
    rates: str = Query("", description="base rates, e.g. nl=0.02"),
) -> Response:
    """An answer for each line, in order, as soon as it is ready.

    A line is a URL, a JSON string, or a JSON object with ``url``; its other fields are returned unchanged.
    The answer sets ``language`` and ``probability``, and ``problem`` on unusable lines. Empty lines are skipped.
    """
    languages, rates = settings_of(request)
    among, base_rates = language_service.wanted_languages(languages), language_service.rates_of(rates)
    language_service.model(base_rates)  # invalid rates are an error before the first line

    async def answers() -> AsyncIterator[bytes]:
        async for lines in whole_lines(request.stream()):
            request.app.state.metrics.urls("urls", len(lines))
            yield await run_in_threadpool(answer_lines, lines, among, base_rates)

    return Duplex(answers())


def last_line(why: str) -> bytes:
    """The last row of a stream that is not read to its end, like the row of an unusable line."""
    row = {"url": None, "language": UND, "probability": 0.0, "problem": f"{why}; what follows was not read"}
    return f"{json.dumps(row)}\n".encode()


class Backlog:
    """Buffer of answers, in memory and then on disk, up to ``MAX_WAITING_BYTES``.

    Most clients send all of their lines before they read: waiting for them to read would be a deadlock.
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (closed by our own end)
        self._n_written = self._n_read = 0
        self._is_over = False
        self._changed = asyncio.Condition()

    def __enter__(self) -> Backlog:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    async def put(self, part: bytes) -> None:
        """Add an answer; blocks while the buffer is full."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._n_written - self._n_read < MAX_WAITING_BYTES)
            self._file.seek(self._n_written)
            self._n_written += self._file.write(part)
            self._changed.notify_all()

    async def take(self) -> bytes:
        """The next answers, as soon as they are available; empty at the end."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._n_read < self._n_written or self._is_over)
            self._file.seek(self._n_read)
            part = self._file.read(MAX_LINE_BYTES)
            self._n_read += len(part)
            if self._n_read == self._n_written:  # all are fetched: reuse the file
                self._n_written = self._n_read = 0
                self._file.truncate(0)
            self._changed.notify_all()
            return part

    async def end(self) -> None:
        """Mark the end of the stream."""
        async with self._changed:
            self._is_over = True
            self._changed.notify_all()


class Duplex(Response):
    """A response that is sent while the request body still arrives.

    Starlette's streaming response would consume the body while it listens for a disconnect.
    """

    media_type = "application/x-ndjson"

    def __init__(self, parts: AsyncIterator[bytes]) -> None:
        super().__init__()
        del self.headers["content-length"]
        self.parts = parts

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        first = await anext(self.parts, b"")  # so that an error in it still has its status
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": first, "more_body": True})
        with Backlog() as backlog:
            filling = asyncio.create_task(self._fill(backlog))
            try:
                while part := await backlog.take():
                    await send({"type": "http.response.body", "body": part, "more_body": True})
                await filling
            finally:
                filling.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _fill(self, backlog: Backlog) -> None:
        """Fill the buffer, whether or not the client reads."""
        try:
            async for part in self.parts:
                await backlog.put(part)
        except HTTPException as error:  # the status is sent already: the last line has the error
            await backlog.put(last_line(str(error.detail)))
        finally:
            await backlog.end()


async def whole_lines(stream: AsyncIterator[bytes]) -> AsyncIterator[list[bytes]]:
    """The lines of a body as they arrive; a line that is too long is cut one byte behind the limit."""
    rest = b""
    async for chunk in stream:
        *lines, rest = (rest + chunk).split(b"\n")
        rest = rest[: MAX_LINE_BYTES + 1]
        if lines:
            yield lines
    if rest:
        yield [rest]


def answer_lines(lines: list[bytes], among: tuple[str, ...] | None, rates: language_service.Rates) -> bytes:
    """Lines of JSON for lines of URLs; empty lines are left out.

    >>> lines = [b"http://www.zeitung.de/", b'{"url": "x:y", "id": 7}']
    >>> answers = [json.loads(line) for line in answer_lines(lines, ("de", "en"), ()).splitlines()]
    >>> answers[0]["language"], answers[1]["id"], "problem" in answers[1]
    ('de', 7, True)
    """
    rows = [_row(line) for line in lines if line.strip()]
    if not rows:
        return b""
    table = language_service.predict([row.get("url") for row in rows], among, rates).to_pydict()
    out = []
    found = zip(rows, table["language"], table["probability"], table["problem"], strict=True)
    for row, code, probability, problem in found:
        own = row.pop("problem", None)  # a client's own field of this name is replaced
        if own is TOO_LONG or own is NOT_JSON:
            problem = own
        answer = row | {"language": code, "probability": round(probability, 4)}
        out.append(_line(answer | ({"problem": problem} if problem else {})))
    return ("\n".join(out) + "\n").encode("utf-8", "replace")


def _line(row: dict[str, Any]) -> str:
    try:
        return json.dumps(row, allow_nan=False)
    except ValueError:  # Python reads numbers that JSON does not have, and 1e999 as one
        from linksight.bulk.formats.json_writer import json_of

        return json_of(row)


def _row(line: bytes) -> dict[str, Any]:
    if len(line) > MAX_LINE_BYTES:
        return {"url": None, "line": line[:1000].decode("utf-8", "replace"), "problem": TOO_LONG}
    text = line.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    if text[:1] not in ("{", '"'):
        return {"url": text}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {"url": None, "line": text[:200], "problem": NOT_JSON}
    return value if isinstance(value, dict) else {"url": value}

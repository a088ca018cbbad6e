"""A short way for the one question that is asked a thousand times a second: ``GET /v1/detect?url=…``.

Routing and validation take longer than the answer. Here only questions that are plainly in order are
answered; everything else, and every error, goes the long way and is answered there.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from linksight.errors import LinksightError
from linksight.studio import service
from linksight.studio.answers import Json
from linksight.studio.api.detection import LONGEST_URL, as_answer
from linksight.studio.metrics import Metrics

PATH = "/v1/detect"
_KNOWN = {"url", "languages", "rates"}


class _Route(NamedTuple):
    """What the counters of requests read."""

    path: str


class FastLane:
    """An ASGI layer that answers simple questions itself."""

    def __init__(self, app: Any, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        answer = None
        if scope["type"] == "http" and scope["path"] == PATH and scope["method"] == "GET":
            answer = quick_answer(scope["query_string"])
        if answer is None:
            await self.app(scope, receive, send)
            return
        scope["route"] = _Route(PATH)
        self.metrics.urls("urls", 1)
        await answer(scope, receive, send)


def quick_answer(query: bytes) -> Json | None:
    """The answer to a query that is in order; None where it takes a closer look.

    >>> quick_answer(b"url=http://www.zeitung.de/politik").status_code, quick_answer(b"url=x:y")
    (200, None)
    """
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    asked = dict(pairs)
    url = asked.get("url")
    if url is None or len(url) > LONGEST_URL or len(asked) < len(pairs) or not asked.keys() <= _KNOWN:
        return None
    try:
        among = service.wanted_languages(asked.get("languages"))
        return Json(
            as_answer(service.detect(url, among, service.rates_of(asked.get("rates"))), explain=False)
        )
    except LinksightError:
        return None

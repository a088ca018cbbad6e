"""Answers the most frequent request, ``GET /v1/detect?url=…``, without the framework around its route.

Routing and validation take several times as long as the prediction. Whatever is not plain (``explain``, unknown or
repeated parameters, errors) goes to the route in ``detect``, which has the same answer.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl

import orjson

from linksight.errors import LinksightError
from linksight.studio.middleware.metrics import Metrics
from linksight.studio.routes.api_v1.detect import as_answer
from linksight.studio.routes.api_v1.schemas import MAX_URL_CHARACTERS
from linksight.studio.services import language_service

PATH = "/v1/detect"
PARAMETERS = {"url", "languages", "rates"}
_ROUTE = SimpleNamespace(path=PATH)
_HEADER = (b"content-type", b"application/json")


class DirectDetect:
    """An ASGI layer in front of the routes."""

    def __init__(self, app: Any, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = None
        if scope["type"] == "http" and scope["path"] == PATH and scope["method"] == "GET":
            body = plain_answer(scope["query_string"])
        if body is None:
            await self.app(scope, receive, send)
            return
        scope["route"] = _ROUTE
        self.metrics.urls("urls", 1)
        headers = [_HEADER, (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def plain_answer(query: bytes) -> bytes | None:
    """The JSON of a simple request; None if the full route must handle it.

    >>> plain_answer(b"url=https://www.lemonde.fr/")[:40]
    b'{"url":"https://www.lemonde.fr/","langua'
    >>> plain_answer(b"url=x:y"), plain_answer(b"url=http://a.nl/&explain=true")
    (None, None)
    """
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    parameters = dict(pairs)
    if "url" not in parameters or len(parameters) < len(pairs) or not parameters.keys() <= PARAMETERS:
        return None
    if len(parameters["url"]) > MAX_URL_CHARACTERS:
        return None
    try:
        among = language_service.wanted_languages(parameters.get("languages"))
        found = language_service.detect(
            parameters["url"], among, language_service.rates_of(parameters.get("rates"))
        )
        return orjson.dumps(as_answer(found, False))
    except (LinksightError, TypeError):
        return None

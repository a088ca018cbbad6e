"""Responses: JSON, and errors as problem+json for programs (RFC 9457) or as a page for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from linksight.errors import BadData, BadLanguage, BadUrl, LinksightError, StoreError


class NotThere(BadData):
    """A run, site, crawl or job of this name or number does not exist."""


class Conflict(BadData):
    """Something of this name exists already."""


class Busy(BadData):
    """The limit of jobs or crawls is reached."""


class Json(JSONResponse):
    """JSON by orjson."""

    def render(self, content: Any) -> bytes:
        try:
            return orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS)
        except TypeError:  # a lone surrogate from a visitor's own JSON: written as an escape
            return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")


#: Titles of errors.
TITLES = {
    400: "Unreadable request", 401: "Token needed", 403: "Not allowed", 404: "Not found", 405: "Method not allowed",
    408: "Request timeout", 409: "Conflict", 413: "Too large", 415: "Unsupported type", 421: "Wrong host",
    422: "Invalid input", 429: "Too many requests", 500: "Unexpected error", 503: "Service unavailable",
}  # fmt: skip
Errors = Sequence[dict[str, str]]


def read_json(body: bytes) -> Any:
    """The body as JSON; status 400 if it is invalid."""
    try:
        return orjson.loads(body)
    except ValueError as error:
        try:  # orjson refuses NaN and lone surrogates; most JSON parsers accept them
            return json.loads(body)
        except (ValueError, RecursionError):
            raise HTTPException(400, f"the body is not JSON: {error}") from None


def is_for_programs(path: str) -> bool:
    """Whether a path belongs to the HTTP API."""
    return path == "/v1" or path.startswith(("/v1/", "/metrics", "/openapi.json"))


def problem(
    scope: Any,
    status: int,
    code: str,
    message: str,
    headers: dict[str, str] | None = None,
    errors: Errors = (),
) -> Response:
    """An error: problem+json for programs, a page for people.

    ``errors`` name the wrong parts: each has a JSON ``pointer`` into the body or a query ``parameter``.
    """
    title = TITLES.get(status) or HTTPStatus(status).phrase
    if is_for_programs(scope["path"]):
        body = {"type": f"/api#{code}", "title": title, "status": status, "detail": message, "code": code,
                "request_id": scope.get("request_id", "")}  # fmt: skip
        found = Json(body | ({"errors": list(errors)} if errors else {}), status, headers)
        found.headers["content-type"] = "application/problem+json"
        return found
    templates = getattr(scope["app"].state, "templates", None) if "app" in scope else None
    if templates is None:
        return Response(f"{message}\n", status, headers, "text/plain; charset=utf-8")
    request = Request(scope)
    again = _page_of_form(request) if status == 405 else _where_from(request)
    values = {"message": message, "status": status, "title": title, "again": again,
              "request_id": scope.get("request_id", "")}  # fmt: skip
    page: Response = templates.page(request, "problem.html", values, status)
    page.headers.update(headers or {})
    return page


def _page_of_form(request: Request) -> str:
    """The page with the form for an address: its parent, as ``/sites/1`` for ``/sites/1/forget``."""
    return "/" + quote(unquote(request.url.path).strip("/").rpartition("/")[0])


def _where_from(request: Request) -> str:
    """The URL for a retry: the page itself, or that of the form; never on another site."""
    path = request.url.path
    if request.method not in ("GET", "HEAD"):
        try:
            referer = urlsplit(request.headers.get("referer", ""))
        except ValueError:
            referer = urlsplit("")
        path = referer.path if referer.netloc == request.headers.get("host") else "/"
    return "/" + quote(unquote(path).lstrip("/"))  # two slashes would begin the name of a host


_STATUSES: tuple[tuple[type[LinksightError], int, str], ...] = (
    (NotThere, 404, "not-found"), (Conflict, 409, "conflict"), (Busy, 429, "busy"), (StoreError, 503, "store"), (BadUrl, 422, "bad-url"),
    (BadLanguage, 422, "bad-language"),
)  # fmt: skip


def status_and_code(error: LinksightError) -> tuple[int, str]:
    """The HTTP status and the code of a library error.

    >>> status_and_code(BadUrl("x", "no host")), status_and_code(BadData("two columns"))
    ((422, 'bad-url'), (422, 'invalid-input'))
    """
    return next(
        ((status, code) for kind, status, code in _STATUSES if isinstance(error, kind)),
        (422, "invalid-input"),
    )


#: The part of a question that an error of the library is about.
FIELDS = {"bad-url": "url", "bad-language": "languages"}


def errors_of(request: Request, code: str, message: str) -> Errors:
    """The invalid field of a request, if the error code has one."""
    if code not in FIELDS:
        return ()
    place = {"pointer": f"/{FIELDS[code]}"} if request.method == "POST" else {"parameter": FIELDS[code]}
    return ({**place, "detail": message},)

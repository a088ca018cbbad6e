"""Answers: JSON that cannot fail, and errors in one shape for programs and as a page for people."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from linksight.errors import BadData, BadLanguage, BadUrl, LinksightError, StoreError


class NotThere(BadData):
    """What was asked for by its name is not there, or no more."""


class Json(JSONResponse):
    """JSON in ASCII: a lone surrogate from a visitor's own JSON must not break the answer."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")


#: What a page of an error is called: for people, who do not speak HTTP.
TITLES = {
    400: "That cannot be read", 401: "A token is needed", 403: "That is not allowed", 404: "There is no such page", 405: "Nothing to be seen here",
    409: "Someone was quicker",
    413: "That is too large", 415: "That kind of file is not known", 421: "Wrong address", 422: "That did not work",
    429: "Too fast", 500: "Something went wrong", 503: "Not to be had now",
}  # fmt: skip


def read_json(body: bytes) -> Any:
    """The body as JSON; 400 where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is not JSON") from None


def is_for_programs(path: str) -> bool:
    """Whether a path belongs to the HTTP interface."""
    return path == "/v1" or path.startswith(("/v1/", "/metrics", "/openapi.json"))


def problem(
    scope: Any, status: int, code: str, message: str, headers: dict[str, str] | None = None
) -> Response:
    """An error: ``{"error": {"code": …, "message": …}}``, or a page that says it."""
    if is_for_programs(scope["path"]):
        return Json({"error": {"code": code, "message": message}}, status, headers)
    templates = getattr(scope["app"].state, "templates", None) if "app" in scope else None
    if templates is None:
        return Response(f"{message}\n", status, headers, "text/plain; charset=utf-8")
    request = Request(scope)
    title = TITLES.get(status) or HTTPStatus(status).phrase
    again = _page_of_form(request) if status == 405 else _where_from(request)
    values = {"message": message, "status": status, "title": title, "again": again}
    page: Response = templates.page(request, "problem.html", values, status)
    page.headers.update(headers or {})
    return page


def _page_of_form(request: Request) -> str:
    """The page with the form that is sent to an address: the folder that it lies in, as ``/sites/1`` for ``/sites/1/forget``."""
    return "/" + quote(unquote(request.url.path).strip("/").rpartition("/")[0])


def _where_from(request: Request) -> str:
    """Where to try again: the page itself, or that of the form that was sent; never another site's."""
    path = request.url.path
    if request.method not in ("GET", "HEAD"):
        try:
            asked = urlsplit(request.headers.get("referer", ""))
        except ValueError:
            asked = urlsplit("")
        path = asked.path if asked.netloc == request.headers.get("host") else "/"
    return "/" + quote(unquote(path).lstrip("/"))  # two slashes would begin the name of a host


def status_of(error: LinksightError) -> int:
    """The HTTP status for an error of the library: what was asked for was wrong, or it is not to be had."""
    if isinstance(error, NotThere):
        return 404
    return 503 if isinstance(error, StoreError) else 422


def code_of(error: LinksightError) -> str:
    """A slug for an error.

    >>> code_of(BadUrl("x", "no host"))
    'bad-url'
    """
    names = {BadUrl: "bad-url", BadLanguage: "bad-language", StoreError: "store", NotThere: "not-found"}
    return names.get(type(error), "bad-request")

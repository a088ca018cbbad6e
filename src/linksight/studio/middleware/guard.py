"""Admits or refuses a request: host name, origin, size, rate and token; adds headers, counts answers.

* The ``Host`` header must be a name of the studio: a foreign name that resolves to this machine (DNS
  rebinding) is refused.
* Where a token is set, every request needs it: ``Authorization: Bearer``, or the cookie of the login page.
* Requests that change something must come from the studio's own pages: ``Origin`` and ``Sec-Fetch-Site`` are
  checked for every unsafe method, and forms carry a signed token (``security.check_form``).
* Every answer has a content security policy that lets no inline or foreign script run, and a request id.
"""

from __future__ import annotations

import hmac
import random
import re
import time
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

from linksight.studio.config import LOOPBACK_NAMES, Settings
from linksight.studio.middleware.metrics import Metrics
from linksight.studio.middleware.rate_limits import Buckets
from linksight.studio.middleware.request_body import RequestBody, too_large
from linksight.studio.responses import is_for_programs, problem
from linksight.studio.security import API_HEADERS, HEADERS, sign, token_cookie

_PAGE_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
_API_HEADERS = [(name.encode(), value.encode()) for name, value in API_HEADERS.items()]
_CORS_EXPOSED = b"x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset"
CLIENT_CLOSED = 499  #: status in the counters if the client disconnects early, as in nginx
SAFE = ("GET", "HEAD", "OPTIONS")
OPEN_PATHS = ("/login", "/static/", "/v1/health")  #: need no token
MAX_LOGIN_BYTES = 16 << 10
MAX_QUESTION_BYTES = 1 << 20  #: of a JSON body about one URL, a site, a crawl
LOGIN_RATE, LOGIN_BURST = 0.2, 5  #: attempts a second and visitor, and at once
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_CORS_HEADERS = {
    "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers": "authorization, content-type, content-encoding, x-request-id",
    "access-control-max-age": "600",
}


Headers = dict[str, str]


def _headers(scope: Any) -> Headers:
    """The headers of a request; of a repeated one the first, as in Starlette, whose lookups are slower."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(scope["headers"])}


class Guard:
    """The checks of this module around an ASGI application."""

    def __init__(self, app: Any, settings: Settings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics
        self.buckets = Buckets(settings.rate, settings.burst or max(20, round(4 * settings.rate)))
        self.logins = Buckets(LOGIN_RATE, LOGIN_BURST)
        self.names = {*settings.names, settings.host.strip("[]").lower(), *LOOPBACK_NAMES}
        any_name = settings.host in ("0.0.0.0", "::") or (settings.behind_proxy and not settings.names)
        self.is_any_name = any_name

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, headers = time.perf_counter(), _headers(scope)
        scope["request_id"] = _request_id(headers)
        body = self._body(scope, headers, receive) if _has_body(headers) else None
        answer = _Answer(send, scope, body if _closes(scope, headers) else None, self._added(scope, headers))
        status = 0
        try:
            refusal = self._refusal(scope, headers)
            if refusal is not None:
                await refusal(scope, receive, answer)
            else:
                await self.app(scope, body or receive, answer)
        except ClientDisconnect:
            status = CLIENT_CLOSED
        finally:
            path = getattr(scope.get("route"), "path", "other")
            seconds = time.perf_counter() - began
            self.metrics.request(path, _method(scope["method"]), status or answer.status, seconds)

    def _body(self, scope: Any, headers: Headers, receive: Any) -> RequestBody:
        is_stream = scope["path"].endswith("/stream")
        is_gzip = headers.get("content-encoding", "").strip().lower() == "gzip"
        return RequestBody(
            receive, max_bytes(scope["path"], self.settings), is_gzip=is_gzip, is_stream=is_stream
        )

    def _added(self, scope: Any, headers: Headers) -> list[tuple[bytes, bytes]]:
        """The headers that every answer to this request gets, unless it has its own."""
        path = scope["path"]
        added = [*(_API_HEADERS if is_for_programs(path) else _PAGE_HEADERS),
                 (b"x-request-id", scope["request_id"].encode())]  # fmt: skip
        if self._is_cors(path, headers):
            origin = (b"access-control-allow-origin", headers["origin"].encode("latin-1"))
            added += [origin, (b"access-control-expose-headers", _CORS_EXPOSED), (b"vary", b"Origin")]
        return added

    def _is_cors(self, path: str, headers: Headers) -> bool:
        """Whether a page of an allowed foreign origin calls the API."""
        return headers.get("origin") in self.settings.cors_origins and is_for_programs(path)

    def _refusal(self, scope: Any, headers: Headers) -> Response | None:
        """The response to a refused request; None if it is admitted."""
        path, method = scope["path"], scope["method"]
        if not self._is_own_name(headers.get("host", "")):
            return problem(scope, 421, "wrong-host", "the studio is not called by this name; see --name")
        if limited := self._limited(scope, method, path):
            return limited
        if (
            self._is_cors(path, headers)
            and method == "OPTIONS"
            and "access-control-request-method" in headers
        ):
            return Response(status_code=204, headers=_CORS_HEADERS)
        if _has_body(headers) and (wrong := self._wrong_body(scope, headers)):
            return wrong
        if method not in SAFE and not self._is_own_origin(headers) and not self._is_cors(path, headers):
            text = "sent by a page of another site (a proxy must forward the Host header; for API calls see --cors-origin)"
            return problem(scope, 403, "foreign-origin", text)
        if self.settings.token and not path.startswith(OPEN_PATHS) and not self._has_token(scope, headers):
            return _token_needed(scope)
        return None

    def _limited(self, scope: Any, method: str, path: str) -> Response | None:
        """429 for a visitor over the rate limit; sign-in attempts have a stricter limit."""
        visitor = (scope.get("client") or ("?",))[0]
        wait = self.buckets.wait(visitor)
        rate = f"{self.settings.rate:g} a second"
        if not wait and path == "/login" and method == "POST":
            wait, rate = (
                self.logins.wait(visitor),
                f"{LOGIN_BURST} attempts, then one in {1 / LOGIN_RATE:g} s",
            )
        scope["rate_headers"] = self.buckets.headers(visitor)
        if not wait:
            return None
        text = f"too many requests: {rate} are allowed; try again in {max(wait, 0.1):.1f} s"
        return problem(scope, 429, "too-many-requests", text, {"retry-after": str(int(wait) + 1)})

    def _wrong_body(self, scope: Any, headers: Headers) -> Response | None:
        """The response to a body that is too long, or in an unsupported compression."""
        limit, length = max_bytes(scope["path"], self.settings), headers.get("content-length", "0")
        if length.isdecimal() and int(length) > limit:
            return problem(scope, 413, "too-large", too_large(limit))
        if "upgrade" in headers and "content-length" in headers:  # the HTTP parser drops such a body
            return problem(scope, 400, "bad-request", "a body cannot follow an Upgrade header; use HTTP/1.1")
        packing = headers.get("content-encoding", "identity").strip().lower()
        if packing not in ("identity", "gzip", ""):
            text = f"Content-Encoding {packing[:40]!r} is not supported: send the body plain or gzipped"
            return problem(scope, 415, "wrong-type", text)
        return None

    def _is_own_name(self, host: str) -> bool:
        name = _host_name(host)
        return name in self.names or (self.is_any_name and bool(name))

    def _is_own_origin(self, headers: Headers) -> bool:
        """Whether the request is same-origin; programs that send no origin are accepted."""
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return False
        origin = headers.get("origin")
        try:
            return origin is None or urlsplit(origin).netloc == headers.get("host")
        except ValueError:
            return False

    def _has_token(self, scope: Any, headers: Headers) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            # Header bytes arrive as Latin-1 text; encoded again they equal the token's bytes.
            return hmac.compare_digest(token.strip().encode("latin-1"), self.settings.token.encode())
        cookie = Request(scope).cookies.get(token_cookie(scope), "")
        return hmac.compare_digest(cookie.encode(), sign(self.settings, self.settings.token).encode())


class _Answer:
    """Sends an answer with the headers of the guard; reads the rest of a body before the connection closes."""

    def __init__(
        self, send: Any, scope: Any, unread: RequestBody | None, added: list[tuple[bytes, bytes]]
    ) -> None:
        self.send, self.scope, self.unread, self.added, self.status = send, scope, unread, added, 500

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = message["headers"] = list(message.get("headers", ()))
            names = {name for name, _ in headers}
            headers += [pair for pair in self.added if pair[0] not in names]
            for name, value in self.scope.get("rate_headers", {}).items():
                headers.append((name.encode(), value.encode()))
        elif self.unread is not None and not message.get("more_body"):
            await self.send(message | {"more_body": True})
            await self.unread.drain()
            message = {"type": "http.response.body"}
        await self.send(message)


def max_bytes(path: str, settings: Settings) -> int:
    """The limit on the body of a request to a path."""
    if path == "/login":
        return MAX_LOGIN_BYTES
    if path in ("/inspector", "/sites/learn", "/v1/detect/stream") or path.endswith("/evaluate"):
        return settings.max_upload
    if path == "/v1/identify":
        return min(settings.max_page, settings.max_body)
    if path == "/v1/detect" or path.startswith(("/v1/jobs", "/v1/crawls")):
        return min(MAX_QUESTION_BYTES, settings.max_body)
    if not is_for_programs(path):  # a form: a page that is pasted, one in a file, and some fields
        return min(2 * settings.max_page + MAX_QUESTION_BYTES, settings.max_body)
    return settings.max_body


@lru_cache(256)
def _host_name(host: str) -> str | None:
    """The name in a ``Host`` header, without the port."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _request_id(headers: Headers) -> str:
    request_id = headers.get("x-request-id", "")
    return (
        request_id if request_id and _REQUEST_ID.fullmatch(request_id) else f"{random.getrandbits(64):016x}"
    )


def _token_needed(scope: Any) -> Response:
    """The response to a visitor without the token: how to send it, or the sign-in page."""
    path, is_safe = scope["path"], scope["method"] in SAFE
    if is_for_programs(path) or not is_safe:
        text = "a token is needed: send it as Authorization: Bearer TOKEN"
        if not is_for_programs(path):  # a form of an earlier studio
            text = "a token is needed: enter it on the start page, come back here, and send the form again"
        return problem(scope, 401, "no-token", text, {"www-authenticate": "Bearer"})
    query = scope["query_string"].decode("latin-1")
    target = quote(path) + (f"?{query}" if query else "")
    return RedirectResponse("/login" + ("" if target == "/" else f"?{urlencode({'to': target})}"), 303)


def _has_body(headers: Headers) -> bool:
    return "content-length" in headers or "transfer-encoding" in headers


def _closes(scope: Any, headers: Headers) -> bool:
    """Whether the connection closes after the answer while a body may still arrive.

    A client that waits for ``100 Continue`` has not sent its body.
    """
    ends = scope.get("http_version") == "1.0" or headers.get("connection", "").lower() == "close"
    return ends and "expect" not in headers


def _method(method: str) -> str:
    return method if method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH") else "other"

"""Who may ask what: one ASGI layer around everything.

* The ``Host`` header must be one of the studio's own names: a foreign name that resolves to this
  machine (DNS rebinding) is turned away.
* Where a token is set it is demanded: ``Authorization: Bearer``, or the cookie that the login page sets.
* What changes something must come from the studio's own pages: ``Origin`` and ``Sec-Fetch-Site`` are
  checked here for every unsafe method, and forms carry a signed token besides (``check_form``).
* Every answer has a content security policy under which no inline or foreign script runs.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any
from urllib.parse import quote, urlencode, urlsplit

from fastapi import Depends
from starlette.datastructures import FormData, Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

from linksight.studio.config import LOOPBACK_NAMES, Settings
from linksight.studio.rate_limits import Buckets, Intake, too_large
from linksight.studio.request_metrics import Metrics
from linksight.studio.responses import is_for_programs, problem

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: For foreign pages: nothing runs, nothing is loaded, and the page has no origin.
FOREIGN_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    # Not no-referrer: browsers would then send our own forms with the origin "null", as foreign ones.
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    # Browsers would keep files for a tenth of their age unasked: reports that were rewritten, scripts of before an upgrade.
    "cache-control": "no-cache",
}
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
GONE = 499  #: in the counters: the visitor went away before the end of the request, as other servers count it
SAFE = ("GET", "HEAD", "OPTIONS")
CSRF_COOKIE = "linksight_csrf"
OPEN = ("/login", "/static/", "/v1/health")  #: seen without a token
UPLOADS = ("/inspector", "/sites", "/v1/detect/stream")  #: take files


class Guard:
    """The checks of this module, limits and counters, around an ASGI application."""

    def __init__(self, app: Any, settings: Settings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics
        self.buckets = Buckets(settings.rate, settings.burst or max(20, round(4 * settings.rate)))
        self.names = {*settings.names, settings.host.strip("[]").lower(), *LOOPBACK_NAMES}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500
        headers = Headers(scope=scope)

        async def send_safely(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = message["headers"] = list(message.get("headers", ()))
                names = {name for name, _ in given}
                given += [pair for pair in _RAW_HEADERS if pair[0] not in names]
            elif closes and not message.get("more_body"):
                await send(message | {"more_body": True})
                await body.drain()
                message = {"type": "http.response.body"}
            await send(message)

        body, closes = Intake(receive, self._most(scope["path"])), _closes(scope, headers)
        refusal = self._refusal(scope, headers)
        try:
            if refusal is not None:
                await refusal(scope, receive, send_safely)
            else:
                await self.app(scope, body, send_safely)
        except ClientDisconnect:  # who went away gets no answer, and is no error of ours to be logged
            status = GONE
        finally:
            path = getattr(scope.get("route"), "path", "other")
            self.metrics.request(path, _method(scope["method"]), status, time.perf_counter() - began)

    def _refusal(self, scope: Any, headers: Headers) -> Response | None:
        """The answer to a request that is not let in; None where it is."""
        path, method = scope["path"], scope["method"]
        if not self._is_own_name(headers.get("host", "")):
            return problem(scope, 421, "wrong-host", "the studio is not called by this name; see --name")
        visitor = (scope.get("client") or ("?",))[0]
        if wait := self.buckets.wait(visitor):
            text = f"too many requests: {self.settings.rate:g} a second are allowed; try again in {max(wait, 0.1):.1f} s"
            return problem(scope, 429, "too-many-requests", text, {"retry-after": str(int(wait) + 1)})
        most = self._most(path)
        if headers.get("content-length", "0").isdecimal() and int(headers.get("content-length", "0")) > most:
            return problem(scope, 413, "too-large", too_large(most))
        if "upgrade" in headers and "content-length" in headers:  # the HTTP parser drops such a body
            return problem(scope, 400, "bad-request", "a body cannot follow an Upgrade header; use HTTP/1.1")
        packing = headers.get("content-encoding", "identity").strip().lower()
        if packing not in ("identity", ""):
            text = f"a body is sent as it is, not packed ({packing[:40]})"
            return problem(scope, 415, "wrong-type", text)
        if method not in SAFE and not self._is_own_origin(headers):
            text = "asked by a page of another site (a server in front of the studio must hand on the Host header)"
            return problem(scope, 403, "foreign-origin", text)
        if self.settings.token and not path.startswith(OPEN) and not self._has_token(scope, headers):
            return _token_needed(scope)
        return None

    def _is_own_name(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:
            return False
        return name in self.names or (self.settings.host in ("0.0.0.0", "::") and bool(name))

    def _is_own_origin(self, headers: Headers) -> bool:
        """Browsers name the page that asks; other programs name none."""
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return False
        origin = headers.get("origin")
        try:
            return origin is None or urlsplit(origin).netloc == headers.get("host")
        except ValueError:
            return False

    def _has_token(self, scope: Any, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            # Headers are bytes that are shown as Latin-1: as bytes again they are the token's own.
            return hmac.compare_digest(given.strip().encode("latin-1"), self.settings.token.encode())
        cookie = Request(scope).cookies.get(token_cookie(scope), "")
        return hmac.compare_digest(cookie.encode(), sign(self.settings, self.settings.token).encode())

    def _most(self, path: str) -> int:
        return self.settings.max_upload if path.startswith(UPLOADS) else self.settings.max_body


def _token_needed(scope: Any) -> Response:
    """What a visitor without the token is told: programs how to send it, people where to enter it."""
    path, is_safe = scope["path"], scope["method"] in SAFE
    if is_for_programs(path) or not is_safe:
        text = "a token is needed: send it as Authorization: Bearer TOKEN"
        if not is_for_programs(path):  # a form of somebody who was let in by a studio that has ended since
            text = "a token is needed: enter it on the start page, come back here, and send the form again"
        return problem(scope, 401, "no-token", text, {"www-authenticate": "Bearer"})
    query = scope["query_string"].decode("latin-1")
    asked = quote(path) + (f"?{query}" if query else "")
    return RedirectResponse("/login" + ("" if asked == "/" else f"?{urlencode({'to': asked})}"), 303)


def token_cookie(scope: Any) -> str:
    """The name of the cookie that stands for the token: cookies know no ports, and two studios on one machine
    must not show each other's visitors the door."""
    return f"linksight_token_{(scope.get('server') or ('', 0))[1]}"


def sign(settings: Settings, text: str) -> str:
    """A text that only this server can have made from another."""
    return hmac.new(settings.secret, text.encode(), hashlib.sha256).hexdigest()


def csrf_token(request: Request) -> str:
    """What a form must carry to be taken from this visitor; makes the visitor's cookie, if new."""
    if not hasattr(request.state, "csrf"):
        request.state.csrf = request.cookies.get(CSRF_COOKIE) or secrets.token_urlsafe(18)
    return sign(request.app.state.settings, f"csrf:{request.state.csrf}")


async def check_form(request: Request) -> AsyncIterator[FormData]:
    """The form of a request, if it was made by one of the studio's own pages; its files end with it."""
    form = await _form(request)
    try:
        cookie = request.cookies.get(CSRF_COOKIE, "")
        wanted = sign(request.app.state.settings, f"csrf:{cookie}")
        if not cookie or not hmac.compare_digest(str(form.get("csrf", "")).encode(), wanted.encode()):
            raise HTTPException(
                403, "this form is too old or was not made by the studio: load the page again"
            )
        yield form
    finally:
        await form.close()


async def _form(request: Request) -> FormData:
    """The fields of a form; those that are pasted are bounded as a page is."""
    settings: Settings = request.app.state.settings
    try:
        return await request.form(max_files=4, max_fields=2_000, max_part_size=settings.max_page)
    except HTTPException as error:
        if "exceeded maximum size" not in str(error.detail):
            raise
        pasted = too_large(settings.max_page).replace("the body", "what was pasted")
        instead = (
            f"; a file may have {settings.max_upload >> 20} MiB"
            if request.url.path.startswith(UPLOADS)
            else ""
        )
        raise HTTPException(413, pasted + instead) from None


CheckedForm = Annotated[FormData, Depends(check_form)]


def _closes(scope: Any, headers: Headers) -> bool:
    """Whether the connection ends with the answer, while a body may be on its way still.

    Who waits to be told to go on (``Expect``) has not sent it, and need not.
    """
    has_body = "content-length" in headers or "transfer-encoding" in headers
    ends = scope.get("http_version") == "1.0" or headers.get("connection", "").lower() == "close"
    return has_body and ends and "expect" not in headers


def _method(method: str) -> str:
    return method if method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH") else "other"

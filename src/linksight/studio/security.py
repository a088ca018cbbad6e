"""Headers against foreign code, signed cookies, and forms that only the studio's own pages can send."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import Depends
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from linksight.studio.config import Settings
from linksight.studio.middleware.request_body import too_large

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
    # No page of another site keeps a handle on a window of the studio; the bookmarklet's window has its own policy.
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    # Browsers would keep files for a tenth of their age unasked: reports that were rewritten, scripts of before an upgrade.
    "cache-control": "no-cache",
}
#: For answers to programs, which no browser shows as a page.
API_HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    **{
        name: HEADERS[name]
        for name in ("x-content-type-options", "cross-origin-resource-policy", "cache-control")
    },
}
CSRF_COOKIE = "linksight_csrf"
UPLOADS = ("/inspector", "/sites")  #: pages whose forms take large files
MAX_FIELDS, MAX_UPLOAD_FIELDS = 2_000, 20
SameSite = Literal["lax", "strict"]


def token_cookie(scope: Any) -> str:
    """The name of the sign-in cookie. It names the port: cookies of two studios on one machine would collide."""
    return f"linksight_token_{(scope.get('server') or ('', 0))[1]}"


def sign(settings: Settings, text: str) -> str:
    """The HMAC of a text under the server's secret."""
    return hmac.new(settings.secret, text.encode(), hashlib.sha256).hexdigest()


def csrf_token(request: Request) -> str:
    """The token that a form of this visitor must carry; creates the visitor's cookie value, if new."""
    if not hasattr(request.state, "csrf"):
        request.state.csrf = request.cookies.get(CSRF_COOKIE) or secrets.token_urlsafe(18)
    return sign(request.app.state.settings, f"csrf:{request.state.csrf}")


async def check_form(request: Request) -> AsyncIterator[FormData]:
    """The form of a request, if one of the studio's own pages made it; its files close with the request."""
    form = await _form(request)
    try:
        cookie = request.cookies.get(CSRF_COOKIE, "")
        expected = sign(request.app.state.settings, f"csrf:{cookie}")
        if not cookie or not hmac.compare_digest(str(form.get("csrf", "")).encode(), expected.encode()):
            raise HTTPException(403, "this form is too old, or another site made it: load the page again")
        yield form
    finally:
        await form.close()


async def _form(request: Request) -> FormData:
    """The fields of a form; pasted text has the limit of a page, as text fields are held in memory."""
    settings: Settings = request.app.state.settings
    takes_files = request.url.path.startswith(UPLOADS) and not request.url.path.endswith("/annotate")
    max_fields = MAX_UPLOAD_FIELDS if takes_files else MAX_FIELDS
    try:
        return await request.form(max_files=4, max_fields=max_fields, max_part_size=settings.max_page)
    except HTTPException as error:
        if "exceeded maximum size" not in str(error.detail):
            raise
        pasted = too_large(settings.max_page).replace("the body", "the pasted text")
        instead = f"; a file may have {settings.max_upload >> 20} MiB" if takes_files else ""
        raise HTTPException(413, pasted + instead) from None


def set_cookie(request: Request, response: Response, name: str, value: str, same_site: SameSite) -> None:
    """Set a cookie that scripts cannot read; behind a TLS proxy the browser sends it over TLS only."""
    settings: Settings = request.app.state.settings
    secure = settings.behind_proxy or request.url.scheme == "https"
    response.set_cookie(name, value, httponly=True, samesite=same_site, secure=secure)


CheckedForm = Annotated[FormData, Depends(check_form)]

"""The doorway: the token, and the description of the HTTP interface."""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from linksight.studio.security import CheckedForm, sign, token_cookie
from linksight.studio.templating import shown

router = APIRouter()


@router.get("/login")
def ask(request: Request, to: str = "") -> Response:
    """The form for the token; it leads on to the page that was asked for."""
    return shown(request, "login.html", {"wrong": False, "to": to})


@router.post("/login")
def enter(request: Request, form: CheckedForm) -> Response:
    """Set the cookie that stands for the token."""
    settings = request.app.state.settings
    if not hmac.compare_digest(str(form.get("token", "")).strip().encode(), settings.token.encode()):
        return shown(request, "login.html", {"wrong": True, "to": str(form.get("to", ""))}, 403)
    answer = RedirectResponse(inside(str(form.get("to", ""))), 303)
    # Lax, not strict: the bookmarklet opens a window of the studio from pages of other sites.
    cookie = token_cookie(request.scope)
    answer.set_cookie(cookie, sign(settings, settings.token), httponly=True, samesite="lax")
    return answer


def inside(asked: str) -> str:
    """A page of the studio, whatever is asked for: two slashes would begin the name of another host.

    >>> inside("/sites/3?tab=tree"), inside("//evil.example/x"), inside("/\\\\evil.example"), inside("")
    ('/sites/3?tab=tree', '/x', '/evil.example', '/')
    """
    try:
        parts = urlsplit(asked)
    except ValueError:
        return "/"
    return "/" + parts.path.lstrip("/\\") + (f"?{parts.query}" if parts.query else "")


@router.get("/api")
def interface(request: Request) -> Response:
    """The routes of the HTTP interface, from their OpenAPI description."""
    described = request.app.openapi()
    routes = [
        (path, method.upper(), route)
        for path, methods in described["paths"].items()
        for method, route in methods.items()
    ]
    return shown(request, "api.html", {"routes": routes})

"""Sign in and out, and the page of the HTTP API."""

from __future__ import annotations

import hmac
import json
from typing import Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from linksight.studio.security import CheckedForm, set_cookie, sign, token_cookie
from linksight.studio.templating import shown

router = APIRouter()


@router.get("/login")
def ask(request: Request, to: str = "") -> Response:
    """The form for the token; it then opens the requested page."""
    return shown(request, "login.html", {"wrong": False, "to": to})


@router.post("/login")
def enter(request: Request, form: CheckedForm) -> Response:
    """Set the sign-in cookie."""
    settings = request.app.state.settings
    if not hmac.compare_digest(str(form.get("token", "")).strip().encode(), settings.token.encode()):
        return shown(request, "login.html", {"wrong": True, "to": str(form.get("to", ""))}, 403)
    answer = RedirectResponse(inside(str(form.get("to", ""))), 303)
    # Lax, not strict: the bookmarklet opens a window of the studio from pages of other sites.
    set_cookie(request, answer, token_cookie(request.scope), sign(settings, settings.token), "lax")
    return answer


@router.post("/logout")
def leave(request: Request, form: CheckedForm) -> Response:
    """Remove the cookie of the token."""
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(token_cookie(request.scope))
    return answer


def inside(target: str) -> str:
    """A path of the studio: two slashes would begin the name of another host.

    >>> inside("/sites/3?tab=tree"), inside("//evil.example/x"), inside("/\\\\evil.example"), inside("")
    ('/sites/3?tab=tree', '/x', '/evil.example', '/')
    """
    try:
        parts = urlsplit(target)
    except ValueError:
        return "/"
    return "/" + parts.path.lstrip("/\\") + (f"?{parts.query}" if parts.query else "")


@router.get("/api")
def interface(request: Request) -> Response:
    """The routes of the HTTP API, from their OpenAPI description."""
    described = request.app.openapi()
    schemas = described["components"]["schemas"]
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in described["paths"].items():
        for method, route in methods.items():
            content = route.get("requestBody", {}).get("content", {})
            shown_route = route | {
                "path": path, "method": method.upper(), "kind": next(iter(content), ""),
                "example": _example(content, schemas), "example_path": EXAMPLE_PATHS.get(route["operationId"], path),
            }  # fmt: skip
            groups.setdefault(route["tags"][0], []).append(shown_route)
    values = {"groups": groups, "description": described["info"]["description"]}
    return shown(request, "api.html", values)


EXAMPLE_PATHS = {
    "detectUrl": "/v1/detect?url=https://www.lemonde.fr/economie/&explain=true", "getSite": "/v1/sites/shop",
    "forgetSite": "/v1/sites/shop", "controlCrawl": "/v1/crawls/dutch/pause", "getCrawl": "/v1/crawls/dutch",
}  # fmt: skip


def _example(bodies: dict[str, Any], schemas: dict[str, Any]) -> str:
    """The first example of a body, as text."""
    for content in bodies.values():
        name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
        found = content.get("example") or next(iter(schemas.get(name, {}).get("examples", ())), None)
        if found:
            return found if isinstance(found, str) else json.dumps(found, indent=1)
    return ""

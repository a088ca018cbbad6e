"""Pages from templates: everything escaped, a form token for every visitor."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from linksight import __version__
from linksight.crawl.report.format_bytes import size
from linksight.errors import MissingExtra
from linksight.languages import registry, scripts
from linksight.sites.gathering.fetch_errors import reason_of
from linksight.studio.config import Settings
from linksight.studio.security import CSRF_COOKIE, csrf_token
from linksight.system.plural import counted

try:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup
except ImportError:
    raise MissingExtra("jinja2", "studio", "the studio") from None
from starlette.requests import Request
from starlette.responses import HTMLResponse

#: The parts of the studio, in the order of the menu: path, name.
PARTS = (
    ("/", "Inspector"),
    ("/pages", "Pages"),
    ("/links", "Links"),
    ("/sites", "Sites"),
    ("/crawls", "Crawls"),
    ("/reports", "Reports"),
    ("/model", "Model"),
    ("/api", "API"),
)
N_HUES = 16
#: The languages met most often have colours that are far apart; the others share them.
_OWN_HUES = {code: k for k, code in enumerate("en de fr es it nl ru zh ja pt pl ar tr sv cs ko".split())}


class Templates:
    """Renders the templates of a folder."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.environment = Environment(
            loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        self.environment.filters |= {
            "language": registry.name, "script": scripts.script_name, "percent": percent, "number": number, "hue": hue, "when": when,
            "duration": duration, "query": urlencode, "cut": cut, "size": size, "counted": counted,
            "reason": reason_of, "coded": coded,
        }  # fmt: skip
        self.environment.globals |= {"parts": PARTS, "release": __version__, "settings": settings}

    def page(
        self, request: Request, name: str, values: dict[str, Any] | None = None, status: int = 200
    ) -> HTMLResponse:
        """A page, or a part of one."""
        known = {"request": request, "path": request.url.path, "csrf": csrf_token(request)}
        text = self.environment.get_template(name).render(known | (values or {}))
        response = HTMLResponse(text.encode("utf-8", "replace"), status)
        if request.cookies.get(CSRF_COOKIE) != request.state.csrf:
            response.set_cookie(CSRF_COOKIE, request.state.csrf, httponly=True, samesite="strict")
        return response


def shown(
    request: Request, name: str, values: dict[str, Any] | None = None, status: int = 200
) -> HTMLResponse:
    """A page of the application that was asked."""
    templates: Templates = request.app.state.templates
    return templates.page(request, name, values, status)


def percent(share: float, digits: int = 1) -> str:
    """A share as people read it.

    >>> percent(0.123), percent(0.99999), percent(1.0), percent(0.00001)
    ('12.3 %', '>99.9 %', '100 %', '<0.1 %')
    """
    if 0 < share < 0.5 * 10 ** -(digits + 2):
        return f"<{10**-digits:g} %"
    if 1 - 0.5 * 10 ** -(digits + 2) < share < 1:
        return f">{100 - 10**-digits:g} %"
    return f"{share:.{digits}%}".replace("%", " %").replace(".0 ", " ")


def number(value: float) -> str:
    """A number with its thousands apart."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:,.2f}"


def hue(code: str) -> str:
    """The class that gives a language its colour, the same everywhere.

    >>> hue("und"), hue("nl") == hue("nl")
    ('hue-none', True)
    """
    if code in ("und", "zxx", ""):
        return "hue-none"
    return f"hue-{_OWN_HUES.get(code, zlib.crc32(code.encode()) % N_HUES)}"


def when(seconds: float) -> str:
    """A moment, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def duration(seconds: float) -> str:
    """A length of time.

    >>> duration(3.21), duration(75), duration(7300)
    ('3.2 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def coded(text: str) -> Markup:
    """A docstring for people: what stands in double backticks is code.

    >>> coded("one of ``a`` & b")
    Markup('one of <code>a</code> &amp; b')
    """
    parts = text.split("``")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if k % 2 else part for k, part in enumerate(parts)
    )


def cut(text: str, most: int = 100) -> str:
    """A text that fits.

    >>> cut("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"

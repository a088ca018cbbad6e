"""Renders templates: escaped, with a form token for every visitor."""

from __future__ import annotations

import re
import zlib
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from linksight import __version__
from linksight.crawl.report.format_bytes import size
from linksight.errors import MissingExtra
from linksight.languages import registry, scripts
from linksight.sites.gathering.fetch_errors import reason_of
from linksight.studio.config import Settings
from linksight.studio.security import CSRF_COOKIE, csrf_token, set_cookie
from linksight.system.plural import counted

try:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup
except ImportError:
    raise MissingExtra("jinja2", "studio", "the studio") from None
from starlette.requests import Request
from starlette.responses import HTMLResponse

#: The menu: groups of (path, name).
PARTS = (
    ("URLs", (("/", "Inspect"), ("/runs", "Lists"))),
    ("Pages", (("/pages", "Identify"), ("/links", "Links"))),
    ("Web sites", (("/sites", "Sites"), ("/crawls", "Crawls"))),
    ("About", (("/reports", "Reports"), ("/model", "Model"), ("/api", "API"))),
)
N_HUES = 16
N_OWN = 8  #: hues that no other language shares
_BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
#: Frequent languages have fixed colours that are far apart; the others share them.
_OWN_HUES = {code: k for k, code in enumerate("en de fr es it nl ru zh ja pt pl ar tr sv cs ko".split())}


class Templates:
    """Renders the templates of a folder."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.environment = Environment(
            loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True, finalize=without_bidi_controls,
        )  # fmt: skip
        self.environment.filters |= {
            "language": registry.name, "script": scripts.script_name, "percent": percent, "number": number, "hue": hue, "when": when,
            "duration": duration, "query": urlencode, "cut": cut, "size": size, "counted": counted,
            "reason": reason_of, "coded": coded,
        }  # fmt: skip
        self.environment.globals |= {"parts": PARTS, "release": __version__, "settings": settings,
                                     "language_names": language_names}  # fmt: skip

    def page(
        self, request: Request, name: str, values: dict[str, Any] | None = None, status: int = 200
    ) -> HTMLResponse:
        """Render a page, or a part of one."""
        known = {"request": request, "path": request.url.path, "csrf": csrf_token(request)}
        text = self.environment.get_template(name).render(known | (values or {}))
        response = HTMLResponse(text.encode("utf-8", "replace"), status)
        if request.cookies.get(CSRF_COOKIE) != request.state.csrf:
            set_cookie(request, response, CSRF_COOKIE, request.state.csrf, "strict")
        return response


def visitor_of(request: Request) -> str:
    """The visitor who sent a request, for quotas."""
    return request.client.host if request.client else "?"


def shown(
    request: Request, name: str, values: dict[str, Any] | None = None, status: int = 200
) -> HTMLResponse:
    """Render a page of the application of a request."""
    templates: Templates = request.app.state.templates
    return templates.page(request, name, values, status)


def percent(share: float, digits: int = 1) -> str:
    """A share in per cent, with fixed decimals.

    >>> percent(0.123), percent(0.99), percent(0.99999), percent(1.0), percent(0.00001)
    ('12.3 %', '99.0 %', '>99.9 %', '100 %', '<0.1 %')
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    if 0 < share < 0.5 * 10 ** -(digits + 2):
        return f"<{10**-digits:g} %"
    if 1 - 0.5 * 10 ** -(digits + 2) < share < 1:
        return f">{100 - 10**-digits:g} %"
    return f"{share:.{digits}%}".replace("%", " %")


def number(value: float) -> str:
    """A number with thousands separators."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:,.2f}"


def hue(code: str) -> str:
    """The CSS class of a language's colour.

    >>> hue("und"), hue("nl") == hue("nl")
    ('hue-none', True)
    """
    if code in ("und", "zxx", ""):
        return "hue-none"
    return f"hue-{_OWN_HUES.get(code, N_OWN + zlib.crc32(code.encode()) % (N_HUES - N_OWN))}"


def when(seconds: float) -> Markup:
    """A moment in UTC; the page's script shows it in local time."""
    moment = datetime.fromtimestamp(seconds, UTC)
    text = moment.strftime("%Y-%m-%d %H:%M UTC")
    return Markup('<time datetime="{}">{}</time>').format(moment.strftime("%Y-%m-%dT%H:%M:%SZ"), text)


def without_bidi_controls(value: Any) -> Any:
    """Text with the characters that reorder what follows percent-encoded: they make a URL look like another.

    >>> without_bidi_controls("http://a.nl/\u202egpj.exe")
    'http://a.nl/%E2%80%AEgpj.exe'
    """
    if isinstance(value, str) and _BIDI_CONTROLS.search(value):
        shown = _BIDI_CONTROLS.sub(lambda found: quote(found[0]), value)
        return Markup(shown) if isinstance(value, Markup) else shown
    return value


@cache
def language_names() -> tuple[tuple[str, str], ...]:
    """Codes and names of all languages, by name, for the suggestions of language fields."""
    return tuple(sorted(((code, registry.name(code)) for code in registry.known()), key=lambda pair: pair[1]))


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
    """A docstring as HTML: text in double backticks becomes code.

    >>> coded("one of ``a`` & b")
    Markup('one of <code>a</code> &amp; b')
    """
    parts = text.split("``")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if k % 2 else part for k, part in enumerate(parts)
    )


def cut(text: str, most: int = 100) -> str:
    """A text cut to a number of characters.

    >>> cut("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"

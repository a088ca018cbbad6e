"""Embedded URLs: the target URL in the path or query of redirectors, share links and web archives.

>>> embedded_url("http://a.dk/go?u=http%3A%2F%2Fwww.b.dk%2Fside%3Fid%3D1&x=2")
'http://www.b.dk/side?id=1'
>>> embedded_url("http://a.dk/ud?til=www.b.dk/side"), embedded_url("http://a.dk/?q=b.dk"), embedded_url("http://a.dk/x")
('http://www.b.dk/side', 'http://b.dk/', '')
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

from linksight.crawl.urls.url_normalize import canonical
from linksight.errors import BadUrl
from linksight.urls.parser import Url

_ABSOLUTE = re.compile(r"https?(?::|%3a)(?:/|%2f){1,2}", re.IGNORECASE)
_HOST = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,5}[a-z]{2,24}(?::\d{1,5})?(?:[/?#]|$)", re.IGNORECASE
)


@lru_cache(maxsize=20_000)
def embedded_url(url: str) -> str:
    """Return the URL embedded in the path or query of a URL, or an empty string."""
    start = url.find("/", 8)
    rest = url[start:] if start >= 0 else ""
    if found := _ABSOLUTE.search(rest):
        return canonical(_value_at(rest, found.start())) or ""
    for part in rest.partition("?")[2].split("&"):
        value = unquote(part.partition("=")[2]).removeprefix("//")
        if _HOST.match(value) and _has_public_suffix(value):
            return canonical(f"http://{value}") or ""
    return ""


def _value_at(rest: str, start: int) -> str:
    """Return the embedded URL: in a query to the end of the field, in a path to the end of the URL."""
    in_query = "?" in rest[:start]
    value = rest[start:].split("&", 1)[0] if in_query else rest[start:]
    head = value[:12].lower()
    value = unquote(value) if "%3a" in head or "%2f" in head else value
    scheme, _, place = value.partition(":")
    return f"{scheme}://{place.lstrip('/')}"


def _has_public_suffix(value: str) -> bool:
    """Whether the host of a value has a known top-level domain that is not a common file extension."""
    name = re.split(r"[/?#:]", value, maxsplit=1)[0]
    try:
        parsed = Url.parse(f"http://{name}/")
    except BadUrl:
        return False
    return bool(parsed.tld) and "." in parsed.host and parsed.tld not in _FILE_EXTENSIONS


#: Top-level domains that are more often file extensions.
_FILE_EXTENSIONS = frozenset(("zip", "mov", "md", "py", "pl", "ps", "rs", "sh", "so", "cc", "ai", "app"))

"""Page requisites: URLs of the style sheets, scripts, images, fonts and media that a page loads.

>>> requisites(b'<link rel=stylesheet href=/a.css><img srcset="b.png 1x, c.png 2x"><script src=d.js></script>', "http://a.nl/x/")
['http://a.nl/a.css', 'http://a.nl/x/b.png', 'http://a.nl/x/c.png', 'http://a.nl/x/d.js']
>>> of_style_sheet(b'@import "b.css"; p { background: url(../c.png) }', "http://a.nl/x/a.css")
['http://a.nl/x/b.css', 'http://a.nl/c.png']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from linksight.crawl.extract.links import base_of, parsed_html
from linksight.crawl.urls.url_normalize import canonical

MAX_REQUISITES = 300  #: URLs of one page or style sheet
_RELATIONS = frozenset(("stylesheet", "icon", "apple-touch-icon", "preload", "manifest", "mask-icon"))
_CSS_URL = re.compile(
    rb"""@import\s{1,9}["']([^"'\n]{1,2000})["']|url\(\s{0,9}["']?([^"')\s]{1,2000})["']?\s{0,9}\)""",
    re.IGNORECASE,
)


def requisites(body: bytes, url: str, encoding: str = "utf-8") -> list[str]:
    """Extract the requisites of an HTML page, each URL once."""
    root = parsed_html(body, encoding)
    if root is None:
        return []
    return _resolved(_element_urls(root), base_of(root, url))


def of_style_sheet(body: bytes, url: str) -> list[str]:
    """Extract the imports and images of a style sheet."""
    found = (first or second for first, second in _CSS_URL.findall(body))
    return _resolved((value.decode("utf-8", "replace") for value in found), url)


def _element_urls(root: Any) -> Iterator[str]:
    for element in root.iter(
        "link", "script", "img", "source", "audio", "video", "embed", "input", "style", "body", "div"
    ):
        if element.tag == "link":
            if _RELATIONS & set((element.get("rel") or "").lower().split()):
                yield element.get("href") or ""
        elif element.tag == "style":
            yield from _css_urls(element.text)
        else:
            yield element.get("src") or ""
            yield element.get("poster") or ""
            yield element.get("background") or ""
            for part in (element.get("srcset") or "").split(","):
                yield part.strip().partition(" ")[0]
        yield from _css_urls(element.get("style"))


def _css_urls(style: str | None) -> Iterator[str]:
    if style:
        for first, second in _CSS_URL.findall(style.encode("utf-8", "replace")):
            yield (first or second).decode("utf-8", "replace")


def _resolved(values: Iterable[str], base: str) -> list[str]:
    found: dict[str, None] = {}
    for value in values:
        if value and not value.startswith("data:") and (address := canonical(value, base)):
            found[address] = None
        if len(found) >= MAX_REQUISITES:
            break
    return list(found)

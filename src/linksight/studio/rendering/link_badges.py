"""Links of a page, and the sanitised page with a badge on every link.

Only elements and attributes of a short list remain: no script, style sheet, form, frame or picture, so the page
can neither run code nor load anything.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

from linksight.errors import MissingExtra
from linksight.languages import registry

try:
    import nh3
except ImportError:
    raise MissingExtra("nh3", "studio", "the studio") from None

if TYPE_CHECKING:
    from linksight.sites.gathering.fetcher import Page
    from linksight.sites.gathering.links import Link

_KEPT = frozenset(
    "a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd "
    "del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p "
    "pre q rp rt ruby s samp section small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr "
    "center font".split()
)
_ATTRIBUTES = {
    "*": {"lang", "dir", "title"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "span": {"class"},
}
#: Elements that go with all their text.
_WITH_TEXT = frozenset(
    "script style noscript template iframe object applet select textarea svg math title".split()
)
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\"'`]+", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;margin:1rem;max-width:60rem;overflow-wrap:anywhere;background:#fff;color:#222}
a{color:#06c;unicode-bidi:isolate} .ls-badge{unicode-bidi:isolate;direction:ltr;font:600 11px/1 system-ui,sans-serif;border-radius:3px;padding:2px 4px;margin-inline-start:4px;color:#fff;background:#666;white-space:nowrap}
.ls-und{background:#fff;color:#555;outline:1px solid #999}
"""


_NOWHERE = "http://page.invalid/"  #: placeholder for a page without a URL


def found_links(page: Page) -> tuple[list[Link], str]:
    """The links of a page that lead to web addresses, in its order, and its title."""
    from linksight.sites.gathering.links import parse_html, title_of

    tree = parse_html(page)
    title = title_of(tree) or page.url or "The page"
    return [link for link in _links(page, tree) if "page.invalid" not in link.url], title


def has_links(page: Page) -> bool:
    """Whether a page has links, relative ones of a page without an address among them."""
    from linksight.sites.gathering.links import parse_html

    return bool(_links(page, parse_html(page)))


def _links(page: Page, tree: Any) -> list[Link]:
    from linksight.sites.gathering.links import links_of

    links, _ = links_of(tree, page.url or _NOWHERE, page.url or _NOWHERE)
    return [link for link in links if link.problem in (None, "off-site", "file")]


def listed_links(text: str) -> list[Link]:
    """The addresses in a text such as a list of search results, with the words of their line.

    >>> [(link.url, link.anchor) for link in listed_links("Le Monde https://www.lemonde.fr/")]
    [('https://www.lemonde.fr/', 'Le Monde')]
    >>> [link.anchor for link in listed_links("Le Monde www.lemonde.fr nu www.nu.nl, www.taz.de")]
    ['Le Monde', 'nu', '']
    """
    from linksight.sites.gathering.links import Link

    found: dict[str, Link] = {}
    for line in text.splitlines():
        for match, words in zip(_ADDRESS.finditer(line), _titles(line), strict=True):
            url = match[0].rstrip(".,;:)]}>")
            found.setdefault(url, Link(url, words[:200]))
    return list(found.values())


def _titles(line: str) -> list[str]:
    """The words that belong to each address of a line: all of them where there is one, else those on its one side."""
    pieces = [" ".join(_TAG.sub(" ", piece).split()).strip(",;|·•") for piece in _ADDRESS.split(line)]
    if len(pieces) == 2:
        return [" ".join(_TAG.sub(" ", _ADDRESS.sub(" ", line)).split())]
    return pieces[:-1] if pieces[0] else pieces[1:]


def badged_page(page: Page, known: dict[str, tuple[str, float]]) -> str:
    """The page as harmless HTML, a badge after every link with the language behind it."""
    from lxml import html

    from linksight.sites.gathering.links import base_of, join, make_movable, parse_html, xml_text

    tree = make_movable(parse_html(page))
    base = base_of(tree, page.url or "http://page.invalid/")
    for element in tree.iter():
        if isinstance(element.tag, str):
            element.attrib.pop("class", None)  # a page cannot forge a badge
    for link in list(tree.iter("a")):
        url = join(base, (link.get("href") or "").strip())
        link.attrib.clear()
        if url in known:
            link.set("title", xml_text(url))
            _mark(link, *known[url])
    title = xml_text(tree.findtext(".//title") or "")
    text = sanitised(str(html.tostring(tree, encoding="unicode")))
    head = f"<title>{escape(title)}</title><style>{_STYLE}</style>"
    return f"<!doctype html>\n<html><head>{head}</head><body>{text}</body></html>"


def sanitised(text: str) -> str:
    """HTML with harmless elements and attributes only, by nh3.

    >>> sanitised("<p onclick=x()>a<script>b</script><custom>c</custom>")
    '<p>ac</p>'
    """
    return nh3.clean(text, tags=set(_KEPT), clean_content_tags=set(_WITH_TEXT), attributes=_ATTRIBUTES,
                     attribute_filter=_badge_class, link_rel=None)  # fmt: skip


def _badge_class(element: str, name: str, value: str) -> str | None:
    """No class but that of a badge."""
    return value if name != "class" or value.startswith("ls-badge ls-") else None


def _mark(link: Any, code: str, chance: float) -> None:
    from lxml import html

    badge = html.Element("span")
    badge.text = code if code != "und" else "?"
    badge.set("class", "ls-badge ls-und" if code == "und" else "ls-badge ls-known")
    badge.set("title", f"{registry.name(code)}, {chance:.0%}")
    badge.tail, link.tail = link.tail, None
    link.addnext(badge)

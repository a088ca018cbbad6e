"""Links of a page, and the page itself with a badge on every link, made harmless.

Only elements and attributes of a short list survive: no script, style sheet, form, frame or picture of
the page is left, so that nothing of it can run or call home.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from linksight.languages import registry

if TYPE_CHECKING:
    from linksight.sites.gathering.fetcher import Page
    from linksight.sites.gathering.links import Link

_KEPT = frozenset(
    "html head title body a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd "
    "del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p "
    "pre q rp rt ruby s samp section small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr "
    "center font".split()
)
_GONE = frozenset(
    "script style noscript template iframe frame frameset object embed applet form input button select textarea "
    "option meta base link svg math audio video source track canvas map area img picture dialog portal".split()
)
_ATTRIBUTES = frozenset(("lang", "dir", "title", "colspan", "rowspan"))
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\"'`]+", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;margin:1rem;max-width:60rem;overflow-wrap:anywhere;background:#fff;color:#222}
a{color:#06c;unicode-bidi:isolate} .ls-badge{unicode-bidi:isolate;direction:ltr;font:600 11px/1 system-ui,sans-serif;border-radius:3px;padding:2px 4px;margin-inline-start:4px;color:#fff;background:#666;white-space:nowrap}
.ls-und{background:#fff;color:#555;outline:1px solid #999}
"""


_NOWHERE = "http://page.invalid/"  #: the address of a page that has none


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
            element.attrib.pop("class", None)  # a page must not be able to forge a badge
    for link in list(tree.iter("a")):
        url = join(base, (link.get("href") or "").strip())
        link.attrib.clear()
        if url in known:
            link.set("title", xml_text(url))
            _mark(link, *known[url])
    sanitise(tree)
    style = html.Element("style")
    style.text = _STYLE
    head = tree.find("head")
    if head is None:
        head = html.Element("head")
        tree.insert(0, head)
    head.append(style)
    return "<!doctype html>\n" + str(html.tostring(tree, encoding="unicode"))


def sanitise(tree: Any) -> None:
    """Drop all but harmless elements and attributes, in place."""
    from lxml import etree

    for element in list(tree.iter()):
        if element is tree:
            _strip(element)
        elif not isinstance(element.tag, str) or element.tag.lower() in _GONE:
            _drop(element)  # no text for a tag: a comment or a processing instruction
        elif element.tag.lower() not in _KEPT:
            if element.getparent() is not None:
                element.drop_tag()
        else:
            _strip(element)
    etree.cleanup_namespaces(tree)


def _strip(element: Any) -> None:
    badge = element.get("class") if (element.get("class") or "").startswith("ls-badge ls-") else None
    for name in list(element.attrib):
        if name not in _ATTRIBUTES:
            del element.attrib[name]
    if badge and element.tag == "span":
        element.set("class", badge)


def _drop(element: Any) -> None:
    """Remove an element with all in it, but not the text after it."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _mark(link: Any, code: str, chance: float) -> None:
    from lxml import html

    badge = html.Element("span")
    badge.text = code if code != "und" else "?"
    badge.set("class", "ls-badge ls-und" if code == "und" else "ls-badge ls-known")
    badge.set("title", f"{registry.name(code)}, {chance:.0%}")
    badge.tail, link.tail = link.tail, None
    link.addnext(badge)

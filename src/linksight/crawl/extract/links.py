"""Link extraction: URLs, anchor texts and declared languages from HTML, HTTP headers, sitemaps and feeds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, islice
from typing import Any
from urllib.parse import quote

from linksight.crawl.fetch.robots import AGENT
from linksight.crawl.urls.url_normalize import canonical
from linksight.languages import registry
from linksight.pages.charset.labels import as_utf8
from linksight.sites.gathering.links import joined, refreshed_to

MAX_ANCHOR_CHARS = 120  #: longer anchor texts are truncated
#: Elements in a link that are read for its anchor text; an unclosed link contains the rest of the page.
MAX_LINK_ELEMENTS = 200
_TAGS = ("a", "area", "link", "meta", "frame", "iframe")
_RELATIONS = frozenset(("alternate", "canonical", "next", "prev", "home", "index", "contents"))
_FEEDS = ("application/rss+xml", "application/atom+xml", "application/rdf+xml")
#: Robots directives with a value after a colon; these are not robot names.
_VALUED_DIRECTIVES = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
_XML_DECLARATION = re.compile(
    rb"""\s{0,99}<\?xml\s[^>]{0,99}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["'][^>]{0,99}>"""
)
_AMPERSAND = re.compile(rb"&(?!(?:[A-Za-z][A-Za-z0-9]{0,30}|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)")
#: Country codes that webmasters write instead of a language code. Some are also codes of rare languages
#: (Kanuri, Twi); se can be Northern Sami or Sweden, so it is ignored.
_COUNTRIES = {
    "cn": "zh", "cz": "cs", "dk": "da", "gr": "el", "il": "he", "jp": "ja", "kr": "ko", "se": "", "tw": "zh",
    "ua": "uk", "vn": "vi",
}  # fmt: skip
_HEADER_LINK = re.compile(r"<([^<>]*)>([^<]*)")
# Unclosed tags nest elements hundreds deep: without ``huge_tree`` libxml2 drops the rest of the page.
_PARSER_OPTIONS: dict[str, Any] = {
    "recover": True,
    "no_network": True,
    "remove_comments": True,
    "huge_tree": True,
}


@dataclass(frozen=True, slots=True)
class Outlink:
    """A link of a page."""

    url: str
    anchor: str = ""
    hreflang: str = ""
    is_feed: bool = field(default=False, repr=False)  #: the link is a feed of the site


def outlinks(
    body: bytes,
    url: str,
    encoding: str = "utf-8",
    max_links: int = 2_000,
    *,
    feeds: bool = False,
    names: Sequence[str] = (AGENT,),
) -> list[Outlink]:
    """Extract the links of an HTML page, each URL once; with ``feeds``, its feeds too.

    A page with a ``nofollow`` meta element for this robot has no links. ``names``: the names of this robot.

    >>> page = b'<link rel=alternate hreflang=nl-BE href=/nl/><a href="b.html#x"> Lees <b>meer</b></a>'
    >>> outlinks(page, "http://a.be/x/")
    [Outlink(url='http://a.be/nl/', anchor='', hreflang='nl'), Outlink(url='http://a.be/x/b.html', anchor='Lees meer', hreflang='')]
    """
    root = parsed_html(body, encoding)
    found: list[Outlink] = []
    if root is None:
        return found
    seen: set[str] = {url}
    base = base_of(root, url)
    for element in root.iter(*_TAGS):
        if element.tag == "meta" and _forbids(element, names):
            return []
        for href, anchor, hreflang in _links_of(element):
            address = canonical(_as_sent(href, encoding), base)
            if address and address not in seen and len(found) < max_links:
                seen.add(address)
                found.append(Outlink(address, anchor, hreflang))
    return found + _feeds(root, base) if feeds else found


def _feeds(root: Any, base: str) -> list[Outlink]:
    """Extract the feeds from the ``link`` elements of a page."""
    hrefs = (
        link.get("href") or "" for link in root.iter("link") if (link.get("type") or "").lower() in _FEEDS
    )
    return [Outlink(address, is_feed=True) for href in hrefs if (address := canonical(href, base))]


def _as_sent(href: str, encoding: str) -> str:
    """Percent-encode the query of a link in the encoding of its page, as browsers do.

    >>> _as_sent("/caf\u00e9?q=caf\u00e9", "iso-8859-1"), _as_sent("/?q=caf\u00e9", "utf-8")
    ('/caf\u00e9?q=caf%E9', '/?q=caf\u00e9')
    """
    path, mark, rest = href.partition("?")
    if rest.isascii() or encoding.lower().startswith("utf"):
        return href
    query, sharp, fragment = rest.partition("#")
    try:
        runs = (("".join(run), is_ascii) for is_ascii, run in groupby(query, str.isascii))
        encoded = (
            run if is_ascii else quote(run.encode(encoding, "xmlcharrefreplace"), safe="")
            for run, is_ascii in runs
        )
        return f"{path}{mark}{''.join(encoded)}{sharp}{fragment}"
    except (LookupError, UnicodeError):
        return href


def base_of(root: Any, url: str) -> str:
    """Return the base URL of relative links: the first ``base`` element with an ``href``, as in browsers."""
    hrefs = (element.get("href") for element in root.iter("base") if element.get("href") is not None)
    return canonical(next(hrefs, ""), url) or url


def parsed_html(body: bytes, encoding: str) -> Any:
    """Parse HTML with libxml2; None if the page is empty or cannot be parsed."""
    from lxml import etree

    if not body.strip():
        return None
    try:
        # libxml2 drops everything after the first byte that is invalid in the encoding, so transcode first.
        root = etree.fromstring(as_utf8(body, encoding), _parser())
    except (etree.XMLSyntaxError, ValueError):
        return None
    return None if root is None else joined(root)


@lru_cache(maxsize=1)
def _parser() -> Any:
    from lxml import etree

    return etree.HTMLParser(encoding="utf-8", **_PARSER_OPTIONS)


def _forbids(meta: Any, names: Sequence[str]) -> bool:
    robot = (meta.get("name") or "").lower()
    return robot in ("robots", *names) and forbids_following(meta.get("content") or "")


def forbids_following(directives: str) -> bool:
    """Whether robots directives of a ``meta`` element or a header contain ``nofollow`` or ``none``.

    >>> [forbids_following(directives) for directives in ("noindex, NoFollow", "none", "index,max-image-preview:none")]
    [True, True, False]
    """
    words = [word.strip() for word in directives.lower().split(",")]
    return any(word == "none" or "nofollow" in word for word in words)


def select_directives(header: str, names: Sequence[str] = (AGENT,)) -> str:
    """Select the directives of an ``X-Robots-Tag`` header that apply to this crawler.

    >>> headers = ("nofollow", "otherbot: noindex, nofollow", "linksight: none", "max-snippet: 5, nofollow")
    >>> [select_directives(header) for header in headers]
    ['nofollow', '', ' none', 'max-snippet: 5, nofollow']
    """
    prefix, colon, rest = header.partition(":")
    if not colon or "," in prefix or prefix.strip().lower() in _VALUED_DIRECTIVES:
        return header
    return rest if prefix.strip().lower() in names else ""


def _links_of(element: Any) -> Iterator[tuple[str, str, str]]:
    """Yield ``href``, anchor text and declared language of the links in an element."""
    tag = element.tag
    if tag in ("a", "area"):
        if href := element.get("href") or element.get("xlink:href"):
            yield href, _text(element) or element.get("title") or "", _language(element)
    elif tag == "link":
        if element.get("href") and _is_page_link(element):
            yield element.get("href"), "", _language(element)
    elif tag in ("frame", "iframe") and element.get("src"):
        yield element.get("src"), "", ""
    elif tag == "meta" and (element.get("http-equiv") or "").lower() == "refresh":
        yield refreshed_to(element.get("content") or ""), "", ""


def _is_page_link(link: Any) -> bool:
    """Whether a ``link`` element or header points to another page."""
    rel = (link.get("rel") or "").lower().split()
    kind = link.get("type") or "text/html"
    return bool(_RELATIONS & set(rel)) and "stylesheet" not in rel and "html" in kind


def header_links(header: str, url: str) -> list[Outlink]:
    """Extract the pages in an HTTP ``Link`` header: language versions, the canonical URL and the like.

    >>> header_links('</nl/>; rel="alternate"; hreflang="nl-BE", </x.css>; rel=preload', "http://a.be/x")
    [Outlink(url='http://a.be/nl/', anchor='', hreflang='nl')]
    """
    found = []
    for target, rest in _HEADER_LINK.findall(header[:16_000]):
        parameters = (part.partition("=") for part in rest.split(";"))
        fields = {name.strip().lower(): value.strip(' \t,"') for name, _, value in parameters}
        address = canonical(target, url)
        if address and _is_page_link(fields):
            found.append(Outlink(address, "", _language(fields)))
    return found


def refresh_links(header: str, url: str) -> list[Outlink]:
    """Extract the target of an HTTP ``Refresh`` header.

    >>> refresh_links("0; url=/nl/", "http://a.be/x")
    [Outlink(url='http://a.be/nl/', anchor='', hreflang='')]
    """
    target = canonical(refreshed_to(header[:4_000]), url)
    return [Outlink(target)] if target else []


def _text(element: Any) -> str:
    """Return the text of an element, truncated, with single spaces."""
    if len(element) == 0:
        return " ".join((element.text or "")[:MAX_ANCHOR_CHARS].split())
    text = ""
    nodes = list(islice(element.iter(), MAX_LINK_ELEMENTS + 1))
    pieces = element.itertext() if len(nodes) <= MAX_LINK_ELEMENTS else (node.text or "" for node in nodes)
    for piece in pieces:
        text += piece
        if len(text) > MAX_ANCHOR_CHARS:
            break
    return " ".join(text[:MAX_ANCHOR_CHARS].split())


def _language(element: Any) -> str:
    """Return the code of the language that a link declares, or an empty string.

    >>> [_language({"hreflang": declared}) for declared in ("nl-BE", "x-default", "jp", "kr", "se", "sv-SE")]
    ['nl', '', 'ja', 'ko', '', 'sv']
    """
    declared = (element.get("hreflang") or "").strip().lower()
    if declared in ("", "x-default"):
        return ""
    return _COUNTRIES[declared] if declared in _COUNTRIES else registry.code_of(declared) or ""


def sitemap_links(body: bytes, max_urls: int = 50_000, base: str = "") -> tuple[list[Outlink], list[str]]:
    """Extract the pages and nested sitemaps of a sitemap or feed, from XML or from text with one URL a line.

    >>> sitemap_links(b"<urlset><url><loc>http://a.nl/x</loc></url></urlset>")
    ([Outlink(url='http://a.nl/x', anchor='', hreflang='')], [])
    >>> len(sitemap_links(b"http://a.nl/x\\nhttp://a.nl/y\\n")[0])
    2
    """
    from lxml import etree

    body = body.removeprefix(b"\xef\xbb\xbf")
    if body.lstrip()[:4].lower() == b"http":
        lines = (canonical(line.decode("utf-8", "replace")) for line in body.splitlines()[:max_urls])
        return [Outlink(address) for address in lines if address], []

    body = _as_xml(body)
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        return [], []
    if root is None:
        return [], []
    pages: list[Outlink] = []
    more: list[str] = []
    for element in root.iter("{*}loc", "{*}link", "{*}guid"):
        address = canonical(_url_in(element, etree.QName(element).localname), base)
        parent = element.getparent()
        if not address or parent is None or len(pages) + len(more) >= max_urls:
            continue
        if etree.QName(parent).localname == "sitemap":
            more.append(address)
        else:
            pages.append(Outlink(address, "", _language(element)))
    return pages, more


def _as_xml(body: bytes) -> bytes:
    """Convert a sitemap to UTF-8 and repair two common faults: unescaped ampersands and a wrong encoding.

    >>> _as_xml(b'<?xml version="1.0" encoding="utf-16"?><loc>/?a=1&b=2&amp;c=3</loc>')
    b'<loc>/?a=1&amp;b=2&amp;c=3</loc>'
    """
    if b"\0" in body[:4]:  # UTF-16 indeed
        return body
    if head := _XML_DECLARATION.match(body):
        encoding = head[1].decode("ascii", "replace").lower()
        body = body[head.end() :]
        # The XML declaration matched byte by byte, so the body cannot be UTF-16 or UTF-32.
        body = body if encoding.startswith(("utf-16", "utf-32")) else as_utf8(body, encoding)
    plain, *rest = body.split(b"<![CDATA[")
    parts = [part.partition(b"]]>") for part in rest]
    sections = (b"<![CDATA[" + text + end + _AMPERSAND.sub(b"&amp;", more) for text, end, more in parts)
    return _AMPERSAND.sub(b"&amp;", plain) + b"".join(sections)


def _url_in(element: Any, name: str) -> str:
    """Return the URL in an element of a sitemap or feed: from ``href`` if it has one, else from the text."""
    if name == "link" and element.get("href") is not None:
        # Other relations are the feed itself, its next part, comments or a media file.
        return str(element.get("href")) if element.get("rel", "alternate") == "alternate" else ""
    if name == "guid" and (element.get("isPermaLink") == "false" or ":" not in (element.text or "")):
        return ""
    return element.text or ""

"""Links of a page: where they lead, their anchor texts and the languages that they declare."""

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

ANCHOR = 120  #: characters of an anchor text that are read
#: Elements in a link that are looked at for it; a link that is never closed holds all that follows.
NODES = 200
_TAGS = ("a", "area", "link", "meta", "frame", "iframe")
_RELATIONS = frozenset(("alternate", "canonical", "next", "prev", "home", "index", "contents"))
_FEEDS = ("application/rss+xml", "application/atom+xml", "application/rdf+xml")
#: What robots are told with a value, which no name of a robot is.
_VALUED = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
_XML_HEAD = re.compile(
    rb"""\s{0,99}<\?xml\s[^>]{0,99}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["'][^>]{0,99}>"""
)
_AMPERSAND = re.compile(rb"&(?!(?:[A-Za-z][A-Za-z0-9]{0,30}|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)")
#: Countries that webmasters declare for the language spoken there. Some are codes of languages that hardly anybody
#: declares (Kanuri, Twi); se is Northern Sami and Sweden, so it says nothing.
_COUNTRIES = {
    "cn": "zh", "cz": "cs", "dk": "da", "gr": "el", "il": "he", "jp": "ja", "kr": "ko", "se": "", "tw": "zh",
    "ua": "uk", "vn": "vi",
}  # fmt: skip
_HEADER_LINK = re.compile(r"<([^<>]*)>([^<]*)")
# Where tags are never closed, elements lie in one another by the hundred: without ``huge_tree`` all behind is lost.
_READ: dict[str, Any] = {"recover": True, "no_network": True, "remove_comments": True, "huge_tree": True}


@dataclass(frozen=True, slots=True)
class Outlink:
    """A link of a page."""

    url: str
    anchor: str = ""
    hreflang: str = ""
    is_feed: bool = field(default=False, repr=False)  #: it lists what is new on the site


def outlinks(
    body: bytes,
    url: str,
    encoding: str = "utf-8",
    most: int = 2_000,
    *,
    feeds: bool = False,
    names: Sequence[str] = (AGENT,),
) -> list[Outlink]:
    """The links of an HTML page, each URL once, and if asked for its feeds; none where it asks robots not to follow them.

    ``names``: what pages may call this robot by.

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
            if address and address not in seen and len(found) < most:
                seen.add(address)
                found.append(Outlink(address, anchor, hreflang))
    return found + _feeds(root, base) if feeds else found


def _feeds(root: Any, base: str) -> list[Outlink]:
    """The feeds that a page names in its head."""
    named = (
        link.get("href") or "" for link in root.iter("link") if (link.get("type") or "").lower() in _FEEDS
    )
    return [Outlink(address, is_feed=True) for href in named if (address := canonical(href, base))]


def _as_sent(href: str, encoding: str) -> str:
    """A link whose query goes out in the encoding of its page, as browsers send it and such servers read it.

    >>> _as_sent("/caf\u00e9?q=caf\u00e9", "iso-8859-1"), _as_sent("/?q=caf\u00e9", "utf-8")
    ('/caf\u00e9?q=caf%E9', '/?q=caf\u00e9')
    """
    path, mark, rest = href.partition("?")
    if rest.isascii() or encoding.lower().startswith("utf"):
        return href
    query, sharp, fragment = rest.partition("#")
    try:
        runs = (("".join(run), plain) for plain, run in groupby(query, str.isascii))
        sent = (
            run if plain else quote(run.encode(encoding, "xmlcharrefreplace"), safe="") for run, plain in runs
        )
        return f"{path}{mark}{''.join(sent)}{sharp}{fragment}"
    except (LookupError, UnicodeError):
        return href


def base_of(root: Any, url: str) -> str:
    """What relative links begin with: as in browsers, the first element that names an address decides for all."""
    named = (element.get("href") for element in root.iter("base") if element.get("href") is not None)
    return canonical(next(named, ""), url) or url


def parsed_html(body: bytes, encoding: str) -> Any:
    from lxml import etree

    if not body.strip():
        return None
    try:
        # Of a page in another encoding libxml2 keeps nothing behind the first byte that is none of it.
        root = etree.fromstring(as_utf8(body, encoding), _parser())
    except (etree.XMLSyntaxError, ValueError):
        return None
    return None if root is None else joined(root)


@lru_cache(maxsize=1)
def _parser() -> Any:
    from lxml import etree

    return etree.HTMLParser(encoding="utf-8", **_READ)


def _forbids(meta: Any, names: Sequence[str]) -> bool:
    named = (meta.get("name") or "").lower()
    return named in ("robots", *names) and forbids_following(meta.get("content") or "")


def forbids_following(directives: str) -> bool:
    """Whether what a page tells robots, in a ``meta`` element or a header, keeps them from its links.

    >>> [forbids_following(told) for told in ("noindex, NoFollow", "none", "index,max-image-preview:none")]
    [True, True, False]
    """
    words = [word.strip() for word in directives.lower().split(",")]
    return any(word == "none" or "nofollow" in word for word in words)


def for_us(header: str, names: Sequence[str] = (AGENT,)) -> str:
    """What an ``X-Robots-Tag`` says to this crawler: what stands behind the name of another is not for us.

    >>> [for_us(told) for told in ("nofollow", "otherbot: noindex, nofollow", "linksight: none", "max-snippet: 5, nofollow")]
    ['nofollow', '', ' none', 'max-snippet: 5, nofollow']
    """
    named, colon, rest = header.partition(":")
    if not colon or "," in named or named.strip().lower() in _VALUED:
        return header
    return rest if named.strip().lower() in names else ""


def _links_of(element: Any) -> Iterator[tuple[str, str, str]]:
    tag = element.tag
    if tag in ("a", "area"):
        if href := element.get("href") or element.get("xlink:href"):
            yield href, _text(element) or element.get("title") or "", _language(element)
    elif tag == "link":
        if element.get("href") and _is_of_a_page(element):
            yield element.get("href"), "", _language(element)
    elif tag in ("frame", "iframe") and element.get("src"):
        yield element.get("src"), "", ""
    elif tag == "meta" and (element.get("http-equiv") or "").lower() == "refresh":
        yield refreshed_to(element.get("content") or ""), "", ""


def _is_of_a_page(link: Any) -> bool:
    """Whether a ``link``, element or header, leads to another page."""
    rel = (link.get("rel") or "").lower().split()
    kind = link.get("type") or "text/html"
    return bool(_RELATIONS & set(rel)) and "stylesheet" not in rel and "html" in kind


def header_links(header: str, url: str) -> list[Outlink]:
    """The pages that a ``Link`` header of HTTP names: versions in other languages, the canonical address and the like.

    >>> header_links('</nl/>; rel="alternate"; hreflang="nl-BE", </x.css>; rel=preload', "http://a.be/x")
    [Outlink(url='http://a.be/nl/', anchor='', hreflang='nl')]
    """
    found = []
    for target, rest in _HEADER_LINK.findall(header[:16_000]):
        named = (part.partition("=") for part in rest.split(";"))
        fields = {name.strip().lower(): value.strip(' \t,"') for name, _, value in named}
        address = canonical(target, url)
        if address and _is_of_a_page(fields):
            found.append(Outlink(address, "", _language(fields)))
    return found


def refresh_links(header: str, url: str) -> list[Outlink]:
    """Where a ``Refresh`` header sends its reader on to.

    >>> refresh_links("0; url=/nl/", "http://a.be/x")
    [Outlink(url='http://a.be/nl/', anchor='', hreflang='')]
    """
    target = canonical(refreshed_to(header[:4_000]), url)
    return [Outlink(target)] if target else []


def _text(element: Any) -> str:
    if len(element) == 0:
        return " ".join((element.text or "")[:ANCHOR].split())
    whole = ""
    nodes = list(islice(element.iter(), NODES + 1))
    pieces = element.itertext() if len(nodes) <= NODES else (node.text or "" for node in nodes)
    for piece in pieces:
        whole += piece
        if len(whole) > ANCHOR:
            break
    return " ".join(whole[:ANCHOR].split())


def _language(element: Any) -> str:
    """The language that a link declares, or nothing.

    >>> [_language({"hreflang": declared}) for declared in ("nl-BE", "x-default", "jp", "kr", "se", "sv-SE")]
    ['nl', '', 'ja', 'ko', '', 'sv']
    """
    declared = (element.get("hreflang") or "").strip().lower()
    if declared in ("", "x-default"):
        return ""
    return _COUNTRIES[declared] if declared in _COUNTRIES else registry.code_of(declared) or ""


def sitemap_links(body: bytes, most: int = 50_000, base: str = "") -> tuple[list[Outlink], list[str]]:
    """Pages and further sitemaps that a sitemap or a feed names, in XML or as text with an address a line.

    >>> sitemap_links(b"<urlset><url><loc>http://a.nl/x</loc></url></urlset>")
    ([Outlink(url='http://a.nl/x', anchor='', hreflang='')], [])
    >>> len(sitemap_links(b"http://a.nl/x\\nhttp://a.nl/y\\n")[0])
    2
    """
    from lxml import etree

    body = body.removeprefix(b"\xef\xbb\xbf")
    if body.lstrip()[:4].lower() == b"http":
        lines = (canonical(line.decode("utf-8", "replace")) for line in body.splitlines()[:most])
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
        address = canonical(_place(element, etree.QName(element).localname), base)
        parent = element.getparent()
        if not address or parent is None or len(pages) + len(more) >= most:
            continue
        if etree.QName(parent).localname == "sitemap":
            more.append(address)
        else:
            pages.append(Outlink(address, "", _language(element)))
    return pages, more


def _as_xml(body: bytes) -> bytes:
    """A sitemap in UTF-8, without two faults that many have: ampersands as in addresses, and an encoding that it is not in.

    >>> _as_xml(b'<?xml version="1.0" encoding="utf-16"?><loc>/?a=1&b=2&amp;c=3</loc>')
    b'<loc>/?a=1&amp;b=2&amp;c=3</loc>'
    """
    if b"\0" in body[:4]:  # UTF-16 indeed
        return body
    if head := _XML_HEAD.match(body):
        said = head[1].decode("ascii", "replace").lower()
        body = body[head.end() :]
        # Whose first line is read byte by byte is not in it, whatever the programs that write it so may say.
        body = body if said.startswith(("utf-16", "utf-32")) else as_utf8(body, said)
    plain, *rest = body.split(b"<![CDATA[")
    parts = [part.partition(b"]]>") for part in rest]
    marked = (b"<![CDATA[" + text + end + _AMPERSAND.sub(b"&amp;", more) for text, end, more in parts)
    return _AMPERSAND.sub(b"&amp;", plain) + b"".join(marked)


def _place(element: Any, name: str) -> str:
    """The address of a page in a sitemap or feed: attributes in Atom and of hreflang, texts elsewhere; else nothing."""
    if name == "link" and element.get("href") is not None:
        # Others are the feed itself, its next part, comments, or a recording.
        return str(element.get("href")) if element.get("rel", "alternate") == "alternate" else ""
    if name == "guid" and (element.get("isPermaLink") == "false" or ":" not in (element.text or "")):
        return ""
    return element.text or ""

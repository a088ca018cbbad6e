"""Extract the links of a page: targets, anchor texts, and reasons why some are skipped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urljoin, urlsplit

from linksight.errors import BadUrl, MissingExtra
from linksight.pages.charset.labels import as_utf8
from linksight.sites.gathering.fetcher import Page
from linksight.urls.parser import MAX_LENGTH, Url

MAX_LINKS = 100_000  #: of one page; further links are only counted
MAX_ANCHOR_CHARS = 200
ENCODING_ATTRIBUTE = "data-encoding"  #: the attribute of a tree's root with the encoding of the page

# Extensions of files other than HTML; anything else counts as a page.
_FILES = frozenset(
    "7z apk avi bmp bz2 css csv dmg doc docx eot epub exe flac gif gz ico ics iso jar jpeg jpg js json m4a m4v "
    "mkv mov mp3 mp4 mpeg mpg msi odp ods odt ogg ogv otf pdf png ppt pptx ps rar rpm rss svg swf tar tgz tif "
    "tiff torrent ttf txt wav webm webp wma wmv woff woff2 xls xlsx xml xz zip".split()
)
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1", "0.0.0.0"))
_NO_HOST = re.compile(r"https?:/{3,}|https?:/*\Z", re.IGNORECASE)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,7})\Z")


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a hub. ``problem`` is the reason if it leads to no page of the site."""

    url: str
    anchor: str = ""
    problem: str | None = None  #: ``scheme``, ``no-host``, ``file``, ``off-site``, ``too-long``


def parse_html(page: Page) -> Any:
    """Parse a page to an lxml tree; an empty tree if that fails."""
    try:
        from lxml import html
    except ImportError:
        raise MissingExtra("lxml", "crawl", "reading pages") from None
    from lxml.etree import LxmlError

    # libxml2 drops everything after the first byte that is invalid in the encoding, so the page becomes UTF-8.
    declared = page.charset
    body = as_utf8(page.body, declared).replace(b"\0", b"") if declared else page.body.replace(b"\0", b"")
    for charset in ("utf-8" if declared else None, None):
        try:
            parser = html.HTMLParser(encoding=charset, huge_tree=True)
            tree = html.document_fromstring(body, parser=parser, base_url=page.url)
        except (LxmlError, LookupError, ValueError, AssertionError):
            continue
        if declared and declared != "utf-8":
            tree.set(ENCODING_ATTRIBUTE, declared)
        return joined(tree)
    return html.document_fromstring("<html><body></body></html>", base_url=page.url)


def joined(tree: Any) -> Any:
    """Append what follows ``</html>`` to the tree: libxml2 2.14 makes it a sibling, browsers read it as part of the page."""
    for later in list(tree.itersiblings("html")):
        tree.extend(list(later))
    return tree


def links_of(tree: Any, page_url: str, home: str) -> tuple[list[Link], int]:
    """The links in document order, without duplicates, and the number over the limit."""
    base = base_of(tree, page_url)
    found: dict[str, Link] = {}
    n = 0
    for element, href in _hrefs(tree):
        n += 1
        if len(found) >= MAX_LINKS:
            continue
        link = _link(element, href, base, home)
        if link and (link.url not in found or (link.anchor and not found[link.url].anchor)):
            found[link.url] = link
    return list(found.values()), max(0, n - MAX_LINKS) if len(found) >= MAX_LINKS else 0


def title_of(tree: Any) -> str:
    """The page's title on one line."""
    return " ".join((tree.findtext(".//title") or "").split())[:MAX_ANCHOR_CHARS]


def is_on_site(url: str, home: str) -> bool:
    """Whether a URL belongs to the site of ``home``: the registered domain, or the address and port.

    >>> is_on_site("https://en.a.org/x", "http://www.a.org/"), is_on_site("http://b.org/", "http://a.org/")
    (True, False)
    """
    try:
        one, other = Url.parse(url), Url.parse(home)
    except BadUrl:
        return False
    if one.is_ip or other.is_ip or "." not in other.host:
        # An application on this machine may use another name of the loopback address.
        same = one.host == other.host or {one.host, other.host} <= _LOOPBACK
        return same and one.port == other.port
    return one.host == other.host or one.site == other.site


@lru_cache(maxsize=64)
def origin_of(url: str) -> str:
    """Scheme, host and port with the slash: most links of a site start with this.

    >>> origin_of("http://a.org:81/x/y")
    'http://a.org:81/'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/"


def file_extension(url: str) -> str | None:
    """The extension of a file that is not a page, else None.

    >>> file_extension("http://a.org/x/report.PDF?v=2"), file_extension("http://a.org/x.html")
    ('pdf', None)
    """
    found = _EXTENSION.search(urlsplit(url).path)
    extension = found[1].lower() if found else ""
    return extension if extension in _FILES else None


def base_of(tree: Any, page_url: str) -> str:
    """The base URL of a page: its ``<base>`` if that is a web address, else its own."""
    base = join(page_url, tree.xpath("string(//base[@href][1]/@href)")) or page_url
    return base if base.lower().startswith(("http://", "https://")) else page_url


def refreshed_to(content: str) -> str:
    """The target of a ``Refresh`` header or element, as browsers parse it; empty if there is no target.

    >>> [refreshed_to(content) for content in ("0; url='/nl/'", "0;/nl/", "5 URL = a b", "30", "url=/nl/")]
    ['/nl/', '/nl/', 'a b', '', '']
    """
    rest = content.strip().lstrip("0123456789.")
    address = rest.lstrip(";, \t\n\r\f")
    if address == rest:
        return ""
    name, sign, value = address.partition("=")
    address = value.strip() if sign and name.strip().lower() == "url" else address
    mark = address[:1]
    return address[1:].partition(mark)[0] if mark in ("'", '"') else address


def _hrefs(tree: Any) -> Iterator[tuple[Any, str]]:
    for element in tree.iter("a", "area", "frame", "iframe", "meta"):
        if element.tag == "meta":
            href = _redirect_target(element)
        else:
            href = element.get("href") if element.tag in ("a", "area") else element.get("src")
        if href is not None and href.strip() and not href.strip().startswith("#"):
            yield element, href.strip()


def _redirect_target(meta: Any) -> str:
    """The target of a refresh within ten seconds; a later one is mostly a page that reloads itself."""
    content = (meta.get("content") or "").strip()
    is_soon = len(content) - len(content.lstrip("0123456789.")) <= 1
    return refreshed_to(content) if is_soon and (meta.get("http-equiv") or "").lower() == "refresh" else ""


def _link(element: Any, href: str, base: str, home: str) -> Link | None:
    if len(href) > MAX_LENGTH:
        return Link(href[:200], problem="too-long")
    anchor = " ".join((element.text_content() or element.get("title") or "").split())[:MAX_ANCHOR_CHARS]
    if not anchor:
        anchor = " ".join(element.xpath(".//img/@alt"))[:MAX_ANCHOR_CHARS]
    url = None if _NO_HOST.match(href) else join(base, href)
    if url is None:
        return Link(href, anchor, "no-host")
    if not url.lower().startswith(("http://", "https://")):
        return Link(url, anchor, "scheme")
    if not url.startswith(origin_of(home)):
        try:
            Url.parse(url)
        except BadUrl:
            return Link(url, anchor, "no-host")
        if not is_on_site(url, home):
            return Link(url, anchor, "off-site")
    return Link(url, anchor, "file" if file_extension(url) else None)


def join(base: str, href: str) -> str | None:
    """The absolute URL of a link; None if it is invalid."""
    try:
        url = urljoin(base, "".join(href.split("\n")).strip())
        urlsplit(url)
    except ValueError:
        return None
    return url.encode("utf-8", "replace").decode("utf-8")


def xml_text(text: str) -> str:
    """Text that lxml accepts: control characters, which raise an exception, are replaced.

    >>> xml_text("a\\x01b")
    'a\ufffdb'
    """
    return _NOT_XML.sub("\ufffd", text)


def make_movable(tree: Any) -> Any:
    """Clean the texts of a tree so that they can be set again: lxml parses control characters but cannot set them."""
    for element in tree.iter():
        for place in ("text", "tail"):
            text = getattr(element, place)
            if text and _NOT_XML.search(text):
                setattr(element, place, xml_text(text))
    return tree

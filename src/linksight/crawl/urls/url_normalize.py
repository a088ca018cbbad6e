"""URL normalisation; also tests for media files and private hosts."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from functools import lru_cache
from urllib.parse import quote, urljoin, urlsplit

from linksight.errors import BadUrl
from linksight.system.private_networks import is_private
from linksight.urls.idna import wire_host
from linksight.urls.parser import Url, plain_address
from linksight.urls.query_names import PATH_SESSION, VISIT_FIELDS

_PLAIN = re.compile(r"[!#-;=?-\[\]_a-z~]*")
_PERCENT = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_SAFE = "!$&'()*+,/:;=?@%~-._[]|"

_MEDIA = frozenset(
    "jpg jpeg jpe png gif bmp svg webp ico tif tiff avif heic psd eps ai mp3 mp4 m4a m4v ogg oga ogv wav wma "
    "wmv avi mov mpg mpeg flv swf webm mkv aac flac css js mjs json map woff woff2 ttf otf eot zip gz tgz bz2 "
    "xz 7z rar tar iso dmg exe msi deb rpm apk jar bin doc docx xls xlsx ppt pptx odt ods odp pdf ps rtf epub "
    "mobi csv tsv ics vcf torrent".split()
)


def canonical(href: str, base: str = "") -> str | None:
    """Normalise the URL of a link, relative to ``base``; None if it is not a web page.

    >>> canonical("../b?utm_source=x&id=1#top", "HTTP://Example.COM:80/a/c")
    'http://example.com/b?id=1'
    >>> canonical("/%7Eme/caf%c3%a9", "http://a.nl/"), canonical("/~me/café", "http://a.nl/")
    ('http://a.nl/~me/caf%C3%A9', 'http://a.nl/~me/caf%C3%A9')
    >>> canonical("javascript:void(0)", "http://a.nl/") is None
    True
    """
    href = href.strip(" \t\n\r\f\x00")
    if "\\" in href:  # browsers treat it as a slash, except in queries
        place, mark, rest = href.partition("?")
        href = place.replace("\\", "/") + mark + rest
    if href.startswith("/") and not href.startswith("//"):
        # Most links of a site are the same on all its pages: worth a cache without the page's path.
        return _canonical(_origin(base) + href)
    if found := _SCHEME.match(href):
        return _canonical(href) if found[1].lower() in ("http", "https") else None
    if not href or href[0] == "#":
        return None
    try:
        return _canonical(urljoin(base, href))
    except ValueError:
        return None


def typed(raw: str) -> str:
    """Normalise a URL that a user typed, with or without scheme; raises ``BadUrl`` if invalid.

    >>> typed("www.nu.nl")
    'http://www.nu.nl/'
    >>> typed("mailto:me@a.nl")
    Traceback (most recent call last):
    linksight.errors.BadUrl: not a web address (mailto:): 'mailto:me@a.nl'
    """
    Url.parse(raw)
    url = canonical(plain_address(raw))
    if url is None:
        raise BadUrl(raw, "not a web address")
    return url


@lru_cache(maxsize=1024)
def _origin(base: str) -> str:
    try:
        parts = urlsplit(base)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}"


@lru_cache(maxsize=50_000)
def _canonical(url: str) -> str | None:
    try:
        parts = urlsplit(re.sub(r"[\t\n\r]", "", url))
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https") or not host or len(url) > 65_536:
        return None
    if not host.isascii():
        # As written: Python's lower() produces a final sigma, which host names do not have.
        host = parts.netloc.rpartition("@")[2].partition(":")[0]
    host = _wire_host(host.rstrip("."))
    if not host:
        return None
    if port and port != {"http": 80, "https": 443}[scheme]:
        host = f"{host}:{port}"
    path = _dots_resolved(PATH_SESSION.sub("", _one_spelling(parts.path))) or "/"
    query = VISIT_FIELDS.sub("", _one_spelling(parts.query)).lstrip("&")
    target = path + (f"?{query}" if query else "")
    return f"{scheme}://{host}{target if _PLAIN.fullmatch(target) else _quoted(target)}"


def _one_spelling(part: str) -> str:
    """Normalise percent codes by RFC 3986: capitals, and none for unreserved characters."""
    return _PERCENT.sub(_spelled, part) if "%" in part else part


def _spelled(code: re.Match[str]) -> str:
    value = int(code[1], 16)
    return chr(value) if value in _UNRESERVED else code[0].upper()


def _quoted(target: str) -> str:
    # Unicode becomes percent-encoded UTF-8, as in browsers; existing percent codes stay.
    return quote(target.encode("utf-8", "replace"), safe=_SAFE)


def _wire_host(host: str) -> str:
    if ":" in host:
        return f"[{host}]"
    try:
        return wire_host(host)
    except BadUrl:
        return ""


def _dots_resolved(path: str) -> str:
    if "/." not in path:
        return path
    resolved: list[str] = []
    parts = path.split("/")
    for part in parts:
        if part == "..":
            if len(resolved) > 1:
                resolved.pop()
        elif part != ".":
            resolved.append(part)
    if parts[-1] in (".", ".."):
        resolved.append("")
    return "/".join(resolved)


def host_key(url: str) -> str:
    """The host for delays and limits: with port, without ``www.``.

    >>> host_key("https://www.a.nl:8080/x"), host_key("http://blog.a.nl/")
    ('a.nl:8080', 'blog.a.nl')
    """
    return url.split("/", 3)[2].removeprefix("www.")


def origin_of(url: str) -> str:
    """Scheme, host and port: the scope of a robots.txt."""
    return "/".join(url.split("/", 3)[:3])


def digest_of(url: str) -> bytes:
    """16-byte BLAKE2b digest of a URL, its key in the seen-set."""
    return hashlib.blake2b(url.encode(), digest_size=16).digest()


def chance_of(digest: bytes, seed: int) -> float:
    """A uniform number in [0, 1), fixed for a URL digest and a seed.

    >>> chance_of(digest_of("http://a.nl/"), 1) == chance_of(digest_of("http://a.nl/"), 1)
    True
    """
    hashed = hashlib.blake2b(digest, digest_size=8, salt=seed.to_bytes(16, "little")).digest()
    return int.from_bytes(hashed, "little") / 2**64


def is_media(url: str) -> bool:
    """Whether a URL's file ending is that of an image, film, archive, style sheet or the like.

    >>> is_media("http://a.nl/x/logo.PNG?v=2"), is_media("http://a.nl/page.html"), is_media("http://a.pdf/")
    (True, False, False)
    """
    path = url.split("?", 1)[0].split("/", 3)
    _, dot, ending = path[3].rpartition("/")[2].rpartition(".") if len(path) > 3 else ("", "", "")
    return bool(dot) and ending.lower() in _MEDIA


def is_public(address: str) -> bool:
    """Whether an IP address is reachable from the public Internet.

    >>> [is_public(a) for a in ("8.8.8.8", "127.0.0.1", "10.0.0.1", "::ffff:127.0.0.1", "169.254.169.254")]
    [True, False, False, False, False]
    """
    try:
        return not is_private(address)
    except ValueError:
        return False


def names_private(url: str) -> bool:
    """Whether the URL's host is private by name or literal address; DNS is checked on connection."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return not is_public(host)

"""Parse URLs into host, port, path, query and fragment.

Lenient where browsers are (no scheme, upper case, spaces, backslashes, IDN), strict about what is
not a web address. ``text`` is what classifiers read: no scheme, lower case, ``xn--`` labels and
percent codes turned into letters.

    https://user@www.Ex%C3%A4mple.de:8080/a%20b?q=1#top
            └──┘ └──────────────┘ └──┘└────┘ └─┘ └─┘
            lost       host       port path query fragment
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from linksight.errors import BadUrl
from linksight.urls.percent_decoding import decode_percent, decode_utf8

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

MAX_LENGTH = 65_536  #: characters; servers refuse far shorter ones

#: Parts of nearly every URL in every language (Baykan et al. 2013, section 2.1).
EMPTY_WORDS = frozenset(("www", "index", "html", "htm", "http", "https"))

_SCHEMES_WITH_AT = frozenset(("mailto", "sip", "sips", "xmpp", "acct", "im", "pres", "mid", "cid"))
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_HOST = re.compile(r"[^\x00-\x20\x7f-\xa0\"#%/:<>?@\[\\\]^`{|}]+")
_BLANK = "\ufeff" + "".join(map(chr, range(0x21)))
#: What nobody sees around an address that was copied from somewhere: blanks, and marks without width.
UNSEEN = _BLANK + "\x85\xa0\xad\u1680\u205f\u3000" + "".join(
    chr(i) for first, last in ((0x2000, 0x200F), (0x2028, 0x202F), (0x2060, 0x2069)) for i in range(first, last + 1)
)  # fmt: skip
# What has no place in a host name and is left out, as in browsers (UTS 46), variants of emoji among them.
_LEFT_OUT = re.compile("[\xad\u034f\u180b-\u180f\u200b\u2060\u2064\ufe00-\ufe0f\ufeff]")
#: Around addresses in running text (RFC 3986, appendix C).
_PAIRS = ("<>", '""', "''", "()", "“”", "«»", "‘’")
_WRAPPERS = re.compile("(?:(?:url|feed|view-source):)+", re.IGNORECASE)  #: before complete addresses
_NUMBER_LAST = re.compile("(?:.*[.])?[0-9]+", re.DOTALL)
_NUMBER = re.compile("(0x)?[0-9a-f]*")
_AGAIN = re.compile("(?:(https?)://+)+", re.IGNORECASE)  # http://https://a.nl/: the last one was meant
# One definition of "letter" for Python and for the compiled kernel: a-z and everything beyond
# ASCII but for marks of punctuation, spaces, signs and private use. Combining marks count, or
# Hindi and Thai words would fall to pieces.
_LETTERS = re.compile(
    "[a-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2c00-\u2dff\u3005-\u3007\u3031-\ud7ff"
    "\uf900-\ufeff\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc\U00010000-\U0001efff\U00020000-\U0003ffff]+"
)


@dataclass(frozen=True, slots=True)
class Url:
    """A web address in its parts, each decoded and, but for ``raw``, ready to be read as text.

    >>> url = Url.parse("HTTPS://www.Zeitung.DE/politik/artikel-17?lang=de")
    >>> url.host, url.path, url.query
    ('www.zeitung.de', '/politik/artikel-17', 'lang=de')
    >>> url.words()
    ['zeitung', 'de', 'politik', 'artikel', 'lang', 'de']
    >>> Url.parse("http://xn--e1afmkfd.xn--p1ai/%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D1%8C").text
    'пример.рф/новость'
    """

    raw: str
    scheme: str
    host: str
    port: int | None
    path: str
    query: str
    fragment: str

    @classmethod
    def parse(cls, raw: str) -> Url:
        """Split an address, or raise :class:`BadUrl` with the reason."""
        return cls(raw, *_split(raw))

    @property
    def text(self) -> str:
        """Host, path and query in lower case: what a classifier reads."""
        return _join(self.host, self.path, self.query)

    @property
    def labels(self) -> tuple[str, ...]:
        """The host's labels: ``('www', 'zeitung', 'de')``."""
        return tuple(self.host.split("."))

    @property
    def is_ip(self) -> bool:
        """Whether the host is an IP address."""
        return _is_ip(self.host)

    @property
    def tld(self) -> str:
        """The last label, or nothing for an IP address."""
        return "" if self.is_ip else self.labels[-1]

    @property
    def suffix(self) -> str:
        """The public suffix, private ones such as ``github.io`` included."""
        return "" if self.is_ip else (_suffixes().publicsuffix(self.host) or self.tld)

    @property
    def site(self) -> str:
        """The registered domain, or the host where there is none.

        >>> Url.parse("https://chu.cam.ac.uk/").site, Url.parse("http://ltaa.epfl.ch/").site
        ('cam.ac.uk', 'epfl.ch')
        """
        if self.is_ip:
            return self.host
        # A suffix nobody registered: the last two labels are the best guess, as in browsers.
        return _suffixes().privatesuffix(self.host) or ".".join(self.labels[-2:])

    def words(self) -> list[str]:
        """The paper's tokens: runs of two letters or more, but for those that all URLs have.

        >>> Url.parse("http://www.internetwordstats.com/africa2.htm").words()
        ['internetwordstats', 'com', 'africa']
        """
        return words_of(self.text)

    def letters(self) -> str:
        """All letters run together across punctuation, the leading ``www`` left out.

        >>> Url.parse("http://www.hi-fly.de").letters()
        'hiflyde'
        """
        return "".join(_LETTERS.findall(self.text.removeprefix("www.")))

    def __str__(self) -> str:
        return self.raw


def words_of(text: str) -> list[str]:
    """Words of a URL's lower-case text; see :meth:`Url.words`."""
    return [word for word in _LETTERS.findall(text) if len(word) > 1 and word not in EMPTY_WORDS]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of the words of :func:`words_of`."""
    spans = (found.span() for found in _LETTERS.finditer(text))
    return [(start, end) for start, end in spans if end - start > 1 and text[start:end] not in EMPTY_WORDS]


def letter_places(text: str) -> list[int]:
    """The positions of the letters of :meth:`Url.letters` in a URL's text.

    >>> letter_places("www.a-b.de/")
    [4, 6, 8, 9]
    """
    first = 4 if text.startswith("www.") else 0
    return [i for found in _LETTERS.finditer(text, first) for i in range(*found.span())]


def texts_of(urls: list[Any]) -> list[tuple[str | None, str]]:
    """The text of each address, or None and the reason.

    >>> texts_of(["http://A.nl/x", "mailto:a@b.nl"])
    [('a.nl/x', ''), (None, 'not a web address (mailto:)')]
    """
    found: list[tuple[str | None, str]] = []
    for raw in urls:
        try:
            _, host, _, path, query, _ = _split(raw)
            found.append((_join(host, path, query), ""))
        except BadUrl as error:
            found.append((None, error.reason))
    return found


def plain_address(raw: str) -> str:
    """A URL with its scheme and without surrounding marks; percent codes stay.

    >>> plain_address(" <URL:http://A.nl/x> "), plain_address("A.nl/%D1")
    ('http://A.nl/x', 'http://A.nl/%D1')
    """
    scheme, rest = _split_scheme(raw, _clean(raw))
    return f"{scheme or 'http'}://{rest}"


def site_of(raw: str) -> str:
    """The registered domain of an address, or the text itself if it is not a URL.

    >>> site_of("http://m.a.co.uk/x")
    'a.co.uk'
    """
    try:
        return Url.parse(raw).site
    except BadUrl:
        return raw


def _split(raw: str) -> tuple[str, str, int | None, str, str, str]:
    """Scheme, host, port, path, query and fragment, decoded."""
    text = _clean(raw)
    scheme, rest = _split_scheme(raw, text)
    end = min((i for i in map(rest.find, "/?#") if i >= 0), default=len(rest))
    authority, rest = rest[:end], rest[end:]
    if not scheme and "@" in authority and not rest.startswith("/") and _is_mail(text, authority):
        raise BadUrl(raw, "an e-mail address")
    host, port = _split_authority(raw, authority, bool(scheme))
    if not scheme and not _looks_like_host(host):
        raise BadUrl(raw, "not a web address")
    rest, _, fragment = rest.partition("#")
    path, _, query = rest.partition("?")
    return scheme or "http", host, port, decode_percent(path) or "/", decode_percent(query), fragment


def _join(host: str, path: str, query: str) -> str:
    return f"{host}{path}?{query}".lower() if query else (host + path).lower()


def _clean(raw: str) -> str:
    """Strip surrounding blanks and brackets, and turn backslashes into slashes."""
    if not isinstance(raw, str):
        raise BadUrl(raw, "not text")
    if len(raw) > MAX_LENGTH:
        raise BadUrl(raw, f"longer than {MAX_LENGTH:,} characters")
    # As browsers do: blanks and controls around it go, tabs and line ends inside it too.
    text = raw.strip(_BLANK)
    if not text.isprintable():
        text = text.translate({9: None, 10: None, 13: None}).strip(UNSEEN)
    if text[:1] + text[-1:] in _PAIRS:
        text = text[1:-1].strip(UNSEEN)
    if not text:
        raise BadUrl(raw, "empty")
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    return text.replace("\\", "/")


def _split_scheme(raw: str, text: str) -> tuple[str, str]:
    """The scheme, empty where none was given, and what follows it."""
    if wrapped := _WRAPPERS.match(text):
        text = text[wrapped.end() :]
    found = _SCHEME.match(text)
    if found and found[1].lower() in ("http", "https"):
        scheme, rest = found[1].lower(), text[found.end() :].lstrip("/")
        if again := _AGAIN.match(rest):
            return again[1].lower(), rest[again.end() :]
        return scheme, rest
    if found and not _is_port_or_password(found[1], text[found.end() :]):
        raise BadUrl(raw, f"not a web address ({found[1].lower()}:)")
    return "", text[2:] if text.startswith("//") else text


def _is_port_or_password(before: str, after: str) -> bool:
    """Whether the first colon belongs to ``host:8080/`` or to ``user:word@host``, not to a scheme."""
    authority = re.split(r"[/?#]", after, maxsplit=1)[0]
    return authority.isdecimal() or ("@" in authority and before.lower() not in _SCHEMES_WITH_AT)


def _is_mail(text: str, authority: str) -> bool:
    """Whether ``me@host`` is an e-mail address: these are more frequent than users without a password."""
    return ":" not in authority and text.startswith(authority)


def _split_authority(raw: str, authority: str, has_scheme: bool) -> tuple[str, int | None]:
    """Host and port of ``user:word@host:8080``; numbers and ``xn--`` names in their plain form."""
    host = authority.rpartition("@")[2]
    if host.startswith("["):
        address, closed, rest = host[1:].partition("]")
        if not closed or "%" in address or not _is_ip(address):
            raise BadUrl(raw, "bad IPv6 address")
        return address.lower(), _port(raw, rest.removeprefix(":"))
    host, _, port = host.partition(":")
    host = _clean_host(raw, host)
    if has_scheme and host[-1] in "0123456789" and _NUMBER_LAST.fullmatch(host):
        host = _ipv4(raw, host)  # without a scheme 3.5 is a number
    if "xn--" in host:
        host = ".".join(map(_decode_label, host.split(".")))
    return host, _port(raw, port)


def _port(raw: str, port: str) -> int | None:
    if not port:
        return None
    digits = port.lstrip("0") or "0"  # as many zeros as anyone likes, but Python reads no endless number
    if not (port.isascii() and port.isdigit()) or len(digits) > 5 or int(digits) > 65_535:
        raise BadUrl(raw, "bad port")
    return int(digits)


def _clean_host(raw: str, host: str) -> str:
    if not (host.isascii() and "%" not in host):
        host = unicodedata.normalize("NFKC", _LEFT_OUT.sub("", decode_utf8(host))).replace("。", ".")
    host = host.lower().strip(".")
    if not host:
        raise BadUrl(raw, "no host")
    if not _HOST.fullmatch(host) or ".." in host or len(host) > 253:
        raise BadUrl(raw, "bad host name")
    return host


def _ipv4(raw: str, host: str) -> str:
    """An IPv4 address in four decimal numbers; it may have fewer, octal or hexadecimal ones, as in browsers."""
    try:
        *first, last = (_number(part) for part in host.split("."))
        value = last + sum(number << (24 - 8 * i) for i, number in enumerate(first))
        if len(first) < 4 and max(first, default=0) < 256 and last < 256 ** (4 - len(first)):
            return str(ipaddress.IPv4Address(value))
    except ValueError:
        pass
    raise BadUrl(raw, "bad IPv4 address")


def _number(part: str) -> int:
    found = _NUMBER.fullmatch(part)
    if not found or not part:
        raise ValueError(part)
    return int(part[2:] or "0", 16) if found[1] else int(part, 8 if part[0] == "0" else 10)


@lru_cache(maxsize=4096)  # endings come again and again
def _decode_label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        decoded = label[4:].encode("ascii").decode("punycode").lower()
        decoded.encode()  # half a surrogate pair is no character
    except (UnicodeError, OverflowError):
        return label
    # What is plain needs no code and no name has controls: browsers refuse both, and here they stay as they are.
    return label if decoded.isascii() or not _HOST.fullmatch(decoded) else decoded


def _looks_like_host(host: str) -> bool:
    """Whether a text without a scheme is a host: it ends in a real top-level domain."""
    return _is_ip(host) or ("." in host and is_top_level(host.rpartition(".")[2]))


def _is_ip(host: str) -> bool:
    if not host or host[-1] not in "0123456789abcdef:" or not (":" in host or host[0].isdigit()):
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


@cache
def _suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=False)


@lru_cache(maxsize=4096)
def is_top_level(label: str) -> bool:
    """Whether a label is a real top-level domain.

    >>> is_top_level("nl"), is_top_level("рф"), is_top_level("txt")
    (True, True, False)
    """
    return _suffixes().publicsuffix(label) is not None

"""robots.txt: allowed URLs, crawl delay and sitemaps of an origin."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from linksight.crawl.archive.warc_records import Exchange

AGENT = "linksight"  #: our product token in robots.txt
MAX_AGE_SECONDS = 24 * 3600.0  #: until it is fetched again
MAX_ROBOTS_BYTES = 512_000
MAX_DELAY_SECONDS = 120.0
MAX_HOPS = 5  #: redirects of a robots.txt that are followed (RFC 9309)
_VERSION = re.compile(r"(?im)^([ \t]{0,9}user-agent[ \t]{0,9}:[ \t]{0,9}[\w.-]{1,60})/[^\s#]*")
_WORD_END = re.compile(r"[\s(),;]")
_NAME = re.compile(r"[A-Za-z][\w.-]{0,60}")
#: Browser tokens that robots add to their user agent, to get the same pages as a browser.
_BROWSERS = frozenset("mozilla applewebkit khtml gecko chrome safari firefox version opr edg".split())


def names_of(user_agent: str) -> tuple[str, ...]:
    """Product tokens of a crawler, in robots.txt and on pages: those of its user agent, and ours.

    >>> names_of("KB-bot/2.0 (+https://kb.example)"), names_of("Mozilla/5.0 (compatible; kb.nl_bot; +https://kb.example/1)")
    (('kb-bot', 'linksight'), ('kb.nl_bot', 'linksight'))
    """
    words = [word.partition("/") for word in _WORD_END.split(user_agent) if word]
    before = ["compatible", *(name for name, _, _ in words)]
    found = [
        name.lower()
        for place, (name, _, version) in zip(before, words, strict=False)
        if _NAME.fullmatch(name) and (version[:1].isdigit() or place == "compatible")
    ]
    return tuple(dict.fromkeys([*(name for name in found if name not in _BROWSERS), AGENT]))


def rules_text(body: bytes) -> str:
    """Decode a robots.txt: UTF-8, or UTF-16 if it has a byte order mark.

    If the file is longer than the limit, its last line may be incomplete and is dropped.

    >>> rules_text("Disallow: /x".encode("utf-16")), rules_text(b"Disallow: /x\\nDisallow: /" + b"y" * MAX_ROBOTS_BYTES)
    ('Disallow: /x', 'Disallow: /x')
    """
    if len(body) >= MAX_ROBOTS_BYTES:
        body = body[:MAX_ROBOTS_BYTES].rpartition(b"\n")[0] or body
    encoding = "utf-16" if body[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8"
    return body.decode(encoding, "replace").replace("\x00", "")


@dataclass(frozen=True)
class Robots:
    """The rules of one origin.

    >>> rules = Robots.read(200, "User-agent: *\\nDisallow: /private\\nCrawl-delay: 3")
    >>> rules.allows("http://a.nl/private/x"), rules.allows("http://a.nl/x"), rules.delay
    (False, True, 3.0)
    """

    rules: Any
    names: str = AGENT  #: product tokens whose group applies to us; else the group for all
    closed: bool = False  #: robots.txt is unavailable; nothing is fetched until it is available

    @classmethod
    def read(cls, status: int, body: str, names: Sequence[str] = (AGENT,)) -> Robots:
        """Rules from a response, by RFC 9309: 4xx allows everything, 5xx forbids everything.

        429 is a 4xx but asks for a later retry: it is treated like 5xx.
        """
        us = " ".join(names)  # Protego looks for names at the beginnings of words, the longest first
        if 200 <= status < 300:
            # Protego parses a byte order mark as a part of the first word, and so loses the first group.
            # Nor does it accept a version behind our name, as server logs have it.
            return cls(_parsed(_VERSION.sub(r"\1", body.removeprefix("\ufeff"))), us)
        return cls(_parsed(""), us, closed=status >= 500 or status == HTTPStatus.TOO_MANY_REQUESTS)

    def allows(self, url: str) -> bool:
        """Whether the URL may be fetched."""
        return not self.closed and bool(self.rules.can_fetch(url, self.names))

    @property
    def delay(self) -> float:
        """Crawl delay in seconds."""
        delay = self.rules.crawl_delay(self.names) or 0.0
        return min(float(delay), MAX_DELAY_SECONDS)

    @property
    def sitemaps(self) -> list[str]:
        """The first 50 sitemaps: large sites have one for each language and each kind of page."""
        return list(self.rules.sitemaps)[:50]


@lru_cache(maxsize=2_000)
def _parsed(body: str) -> Any:
    from protego import Protego

    return Protego.parse(body)


@dataclass(frozen=True, slots=True)
class RobotsRequest:
    """A request for an origin's robots.txt, after ``hops`` redirects."""

    origin: str
    url: str
    hops: int = 0

    def is_known_by(self, at: float, status: int, body: str, now: float) -> bool:
        """Whether the stored response for this URL is still valid."""
        if self.url.count("/") != 3 or not self.url.endswith("/robots.txt"):
            return False
        return at > now - MAX_AGE_SECONDS and not Robots.read(status, body).closed


@dataclass(frozen=True, slots=True)
class FetchedRobots:
    """An origin's robots.txt as received."""

    origin: str
    status: int
    body: str
    mime: str = ""
    exchange: Exchange | None = None

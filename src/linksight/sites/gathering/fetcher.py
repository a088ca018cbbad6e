"""Fetching pages politely: one request at a time slot, robots.txt, limits on size and time.

A page that cannot be fetched is a :class:`Page` with a ``problem``, a slug that is counted. Server errors
raise no exception. Addresses of private networks are refused, also after a redirect and
at the moment of connecting, unless the user allows them.
"""

from __future__ import annotations

import http.client
import http.cookiejar
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urldefrag, urljoin, urlsplit, urlunsplit

from linksight import __version__
from linksight.errors import BadUrl, MissingExtra
from linksight.pages.charset import labels
from linksight.pages.html import declarations
from linksight.sites.gathering.bounded_gunzip import gunzip
from linksight.system.guarded_connections import PrivateAddress, opener
from linksight.urls.idna import wire_host
from linksight.urls.parser import Url

USER_AGENT = f"linksight/{__version__} (URL patterns; +https://linksight.example/bot)"
MAX_REDIRECTS = 8
MAX_DELAY_S = 120.0  #: whatever robots.txt asks for
_HTML_TYPES = ("text/html", "application/xhtml+xml", "")


@dataclass(frozen=True, slots=True)
class Page:
    """The response to a request."""

    url: str  #: after redirects
    status: int = 0
    content_type: str = ""
    body: bytes = b""
    seconds: float = 0.0
    cut: bool = False  #: longer than the limit; the rest was not read
    problem: str | None = None  #: why there is no usable page

    @property
    def is_html(self) -> bool:
        """Whether it can hold links."""
        return self.problem is None and self.content_type.partition(";")[0].strip().lower() in _HTML_TYPES

    @property
    def charset(self) -> str | None:
        """The encoding from the HTTP header, or else from the page."""
        for source, kind, value in declarations.scan(self.body, self.content_type):
            if kind == "encoding" and (encoding := labels.find(value)):
                # A page whose ASCII declaration is readable cannot be UTF-16 or UTF-32: browsers read it as UTF-8.
                wide = source != "http" and encoding.startswith(("utf-16", "utf-32"))
                return "utf-8" if wide else encoding
        return None


@dataclass(frozen=True, kw_only=True)
class FetchOptions:
    """Options of a fetcher."""

    delay_s: float = 1.0  #: seconds between the starts of two requests
    timeout_s: float = 20.0  #: for a connection and for each read; three times that for a page
    max_bytes: int = 5_000_000  #: of one page; the rest is not read
    retries: int = 2  #: after a network error or a 429 or 5xx
    obey_robots: bool = True
    allow_private: bool = False  #: loopback and private networks
    user_agent: str = USER_AGENT


@dataclass
class Fetcher:
    """Fetches from one site or more, at a polite rate for each host, from any number of threads."""

    options: FetchOptions = field(default_factory=FetchOptions)
    n_requests: int = 0
    problems: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._next: dict[str, float] = {}
        self._robots: dict[str, Any] = {}
        self._robots_locks: dict[str, threading.Lock] = {}
        self._unreadable: set[str] = set()  # hosts whose robots.txt gives an error
        self._cookies = http.cookiejar.CookieJar()
        self._opener = opener(self.options.allow_private)

    def get(self, url: str) -> Page:
        """Fetch a page."""
        return self.fetch("GET", url)

    def fetch(
        self, method: str, url: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Page:
        """Fetch, with retries; a failure is in the page's ``problem``."""
        page = Page(url, problem="no-answer")
        for attempt in range(self.options.retries + 1):
            page = self._follow(method, url, body, headers or {})
            if not _worth_retrying(page):
                break
            time.sleep(min(self.options.delay_s * 2**attempt, 10) if attempt < self.options.retries else 0)
        if page.problem:
            with self._lock:
                self.problems[page.problem] += 1
        return page

    def allows(self, url: str) -> bool:
        """Whether robots.txt allows a URL."""
        rules = self._rules(url) if self.options.obey_robots else None
        return rules is None or bool(rules.can_fetch(url, self.options.user_agent))

    def sitemaps(self, url: str) -> list[str]:
        """The sitemaps that robots.txt names."""
        rules = self._rules(url)
        return list(rules.sitemaps) if rules is not None else []

    def _follow(self, method: str, url: str, body: bytes | None, headers: dict[str, str]) -> Page:
        for _ in range(MAX_REDIRECTS):
            url = urldefrag(url).url
            try:
                Url.parse(url)
            except BadUrl:
                return Page(url, problem="bad-url")
            if not self.allows(url):
                unreadable = urlsplit(url).netloc in self._unreadable
                return Page(url, problem="robots-unreadable" if unreadable else "robots")
            page, location = self._request(method, url, body, headers)
            if not location:
                return page
            if page.status in (301, 302, 303) and method == "POST":
                method, body, headers = "GET", None, {}
            url = location
        return Page(url, problem="too-many-redirects")

    def _request(
        self, method: str, url: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[Page, str | None]:
        """One request: the page, and the target if it redirects."""
        self._wait_for_turn(url)
        began = time.monotonic()
        try:
            request = urllib.request.Request(request_url(url), data=body, method=method)
            for name, value in (*_HEADERS, ("User-Agent", self.options.user_agent), *headers.items()):
                request.add_header(name, value)
            with self._lock:
                self._cookies.add_cookie_header(request)
            response = self._open(request)
            with response:
                with self._lock:
                    self._cookies.extract_cookies(response, request)
                return self._read(url, response, began)
        except PrivateAddress:
            return Page(url, problem="private-address"), None
        except (TimeoutError, urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
            return Page(url, problem=_network_problem(error), seconds=time.monotonic() - began), None

    def _open(self, request: urllib.request.Request) -> Any:
        try:
            return self._opener.open(request, timeout=self.options.timeout_s)
        except urllib.error.HTTPError as answer:  # a response like any other, with a body and a status
            return answer
        except urllib.error.URLError as error:
            if isinstance(error.reason, PrivateAddress):
                raise error.reason from None
            raise

    def _read(self, url: str, response: Any, began: float) -> tuple[Page, str | None]:
        status = int(response.status)
        location = response.headers.get("Location")
        if status in (301, 302, 303, 307, 308) and location:
            return Page(url, status), urljoin(url, _latin_to_utf8(location))
        data, cut = self._read_body(response, began + 3 * self.options.timeout_s)
        problem = None if status < 400 else f"http-{status}"
        kind = response.headers.get("Content-Type") or ""
        return Page(url, status, kind, data, time.monotonic() - began, cut, problem), None

    def _read_body(self, response: Any, deadline: float) -> tuple[bytes, bool]:
        limit = self.options.max_bytes
        chunks, size, cut = [], 0, False
        while not cut:
            chunk = response.read1(65_536)
            if not chunk:
                break
            chunks.append(chunk)
            size += len(chunk)
            cut = size >= limit or time.monotonic() > deadline
        data = b"".join(chunks)
        if "gzip" in (response.headers.get("Content-Encoding") or "").lower():
            data, more = gunzip(data, limit)
            cut = cut or more
        return data[:limit], cut

    def _wait_for_turn(self, url: str) -> None:
        host = urlsplit(url).netloc
        rules = self._robots.get(host)
        delay = self.options.delay_s
        if rules is not None and self.options.obey_robots:
            robots_delay = float(rules.crawl_delay(self.options.user_agent) or 0)
            delay = max(delay, min(robots_delay, MAX_DELAY_S))
        while (wait := self._seconds_to_wait(host, delay)) > 0:
            time.sleep(wait)

    def _seconds_to_wait(self, host: str, delay: float) -> float:
        """Seconds left to wait; 0 reserves the slot, and the delay counts from now."""
        with self._lock:
            now = time.monotonic()
            wait = self._next.get(host, 0.0) - now
            if wait <= 0:
                self._next[host] = now + delay
                self.n_requests += 1
        return max(wait, 0.0)

    def _rules(self, url: str) -> Any:
        parts = urlsplit(url)
        with self._lock:
            lock = self._robots_locks.setdefault(parts.netloc, threading.Lock())
        with lock:
            if parts.netloc not in self._robots:
                self._robots[parts.netloc] = self._fetch_robots(f"{parts.scheme}://{parts.netloc}/robots.txt")
        return self._robots[parts.netloc]

    def _read_robots(self, url: str) -> Page:
        page = Page(url)
        for _ in range(5):
            page, location = self._request("GET", url, None, {})
            if not location:
                break
            url = location
        return page

    def _fetch_robots(self, url: str) -> Any:
        try:
            from protego import Protego
        except ImportError:
            raise MissingExtra("protego", "crawl", "fetching pages") from None
        page = self._read_robots(url)
        for attempt in range(self.options.retries):
            if page.status < 500:
                break
            time.sleep(min(max(self.options.delay_s, 0.5) * 2**attempt, 10))
            page = self._read_robots(url)
        if page.status >= 500:  # RFC 9309: a server error forbids everything
            self._unreadable.add(urlsplit(url).netloc)
            return Protego.parse("User-agent: *\nDisallow: /")
        usable = page.status == 200 and page.problem is None
        return Protego.parse(page.body[:512_000].decode("utf-8-sig", "replace") if usable else "")


_HEADERS = (
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5"),
    ("Accept-Encoding", "gzip"),
)


def _worth_retrying(page: Page) -> bool:
    return page.problem in ("timeout", "no-answer", "http-429", "http-502", "http-503", "http-504")


def _network_problem(error: BaseException) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return "timeout"
    if isinstance(reason, ssl.SSLError):
        return "bad-certificate"
    if isinstance(reason, socket.gaierror):
        return "unknown-host"
    return "bad-answer" if isinstance(error, (http.client.HTTPException, ValueError)) else "no-answer"


def request_url(url: str) -> str:
    """The URL as it is sent: spaces and letters beyond ASCII encoded, the host as IDNA, no user.

    >>> request_url("http://пример.рф:81/a b?é")
    'http://xn--e1afmkfd.xn--p1ai:81/a%20b?%C3%A9'
    """
    parts = urlsplit(url.strip())
    host = parts.netloc.rpartition("@")[2]
    if not host.isascii():
        name, sign, port = host.partition(":")
        host = wire_host(name) + sign + port
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
    return urlunsplit((parts.scheme, host, path or "/", query, ""))


def _latin_to_utf8(text: str) -> str:
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text

"""Sources of links other than a search form: sitemaps, a plain crawl, lists, CDX, WARC."""

from __future__ import annotations

import json
import random
import re
import zlib
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin

from linksight.errors import BadData, BadUrl, CrawlError, MissingExtra
from linksight.pages.input.content_decoding import body_of
from linksight.sites.gathering.bounded_gunzip import gunzip_file
from linksight.sites.gathering.fetch_errors import reason_of
from linksight.sites.gathering.fetcher import Fetcher, Page
from linksight.sites.gathering.hub_crawler import MAX_FAILURES, Progress
from linksight.sites.gathering.hub_pages import get_page, hub_of
from linksight.sites.gathering.links import Link, is_on_site, parse_html
from linksight.sites.gathering.url_files import open_text, text_lines
from linksight.sites.learning.hub_arrays import kind_of
from linksight.sites.learning.tokens import split_url
from linksight.sites.workbench.workbench import Hub
from linksight.system.plural import counted

if TYPE_CHECKING:
    from linksight.sites.gathering.browser import Browser
    from linksight.sites.patterns.pattern import PatternSet

MAX_SITEMAP_URLS = 100_000
MAX_SITEMAPS = 50
MIN_STATIC_LINKS = 3  #: of a first page with scripts; with fewer, scripts probably make the links
MIN_LEARNING_PAGES, MAX_LEARNING_PAGES = 5, 100  #: pages of a plain crawl whose links show the kinds of pages
N_CANDIDATES = 4  #: random URLs of each kind among which the next is chosen
MAX_KIND_WEIGHT = 50  #: waiting URLs of a kind that count at most
MAX_SEEN_URLS = 200_000  #: URLs that a plain crawl remembers
# Pages, not the images on them (``image:loc``), which shops list by the thousand.
_LOC = re.compile(rb"<(?:(?!image:|video:)\w+:)?loc>\s*(?:<!\[CDATA\[\s*)?([^<\]\s]+)", re.IGNORECASE)


def sitemap_urls(fetcher: Fetcher, home: str, notes: list[str] | None = None) -> list[str]:
    """The pages of a site that its sitemaps name, those of robots.txt first; skipped sitemaps are added to ``notes``."""
    todo = deque(dict.fromkeys([*fetcher.sitemaps(home), urljoin(home, "/sitemap.xml")]))
    seen, found = set(todo), dict[str, None]()
    n = 0
    while todo and n < MAX_SITEMAPS and len(found) < MAX_SITEMAP_URLS:
        n += 1
        page = fetcher.get(todo.popleft())
        if page.problem:
            continue
        body = gunzip_file(page.body)
        places = [unescape(raw.decode("utf-8", "replace")) for raw in _LOC.findall(body)]
        if b"<sitemapindex" in body[:2000].lower() or b":sitemapindex" in body[:2000].lower():
            todo += [place for place in places if place not in seen]
            seen.update(places)
        else:
            found.update((place, None) for place in places if is_on_site(place, home))
    if todo and notes is not None:
        notes.append(f"read {counted(n, 'sitemap')}, which is enough; {len(todo):,} more are left out")
    return list(found)[:MAX_SITEMAP_URLS]


@dataclass
class PlainCrawl:
    """Crawls a site; each page is a hub, and pages of the least visited kinds come first.

    The kinds are the patterns of the links seen so far, learnt each time that there are twice as many pages. A calendar
    or an endless pagination is one kind among others, so it cannot use up the budget.
    """

    fetcher: Fetcher
    home: str
    n_pages: int = 100
    progress: Progress = lambda done, wanted, what: None
    known: Sequence[Hub] = ()
    notes: list[str] = field(default_factory=list)
    browser: Browser | None = None
    seeds: Sequence[str] = ()  #: further URLs of the site to begin with

    def run(self) -> Iterator[Hub]:
        """Yield pages as hubs; those ``known`` from an earlier run are not fetched again."""
        self._waiting: dict[str, list[str]] = {}
        self._seen: set[str] = set()
        self._visits: Counter[str] = Counter()
        self._patterns: PatternSet | None = None
        self._random = random.Random(self.home)
        hubs = list(self.known)
        n, failures = len(self.known), 0
        self._seen.update(urldefrag(hub.url).url for hub in self.known)
        for urls in ([self.home], *(hub.urls for hub in self.known), self.seeds):
            self._add(urls)
        learn_at = MIN_LEARNING_PAGES
        while n < self.n_pages and self._waiting and failures < MAX_FAILURES:
            if len(hubs) >= learn_at:
                self._learn(hubs)
                learn_at = 2 * len(hubs)
            url = self._next()
            page = get_page(url, self.fetcher, self.browser)
            failures = failures + 1 if page.problem else 0
            if page.problem and url == self.home and not self.known:
                raise CrawlError(f"{self.home}: {reason_of(page.problem)}")
            if not page.is_html:
                continue
            if url == self.home and not is_on_site(page.url, self.home):
                self.notes.append(f"{self.home} leads to {page.url}, which is taken for the site")
                self.home = page.url
            hub = hub_of(page, parse_html(page), self.home)
            if (
                url == self.home
                and not self.browser
                and len(hub.urls) < MIN_STATIC_LINKS
                and b"<script" in page.body
            ):
                self.notes.append(
                    "the page makes its links with JavaScript, it seems: load it in a browser (--render)"
                )
            n += 1
            self.progress(n, self.n_pages, url)
            yield hub
            hubs.append(hub)
            self._add(hub.urls)
        if failures >= MAX_FAILURES:
            self.notes.append(f"stopped after {MAX_FAILURES} failures in a row; what was gathered is kept")

    def _add(self, urls: Iterable[str]) -> None:
        new = dict.fromkeys(urldefrag(url).url for url in urls)
        room = MAX_SEEN_URLS - len(self._seen)
        self._sort(
            list(new.keys() - self._seen)[:room]
            if len(new) > room
            else [u for u in new if u not in self._seen]
        )

    def _sort(self, urls: list[str]) -> None:
        """Queue URLs by kind: by their pattern, or by their shape until patterns are learnt."""
        found = self._patterns.match_indices(urls).tolist() if self._patterns and urls else [-1] * len(urls)
        for url, number in zip(urls, found, strict=True):
            self._seen.add(url)
            self._waiting.setdefault(shape_of(url) if number < 0 else str(number), []).append(url)

    def _learn(self, hubs: Sequence[Hub]) -> None:
        """Learn patterns from the hubs so far, and queue the waiting URLs by them."""
        from linksight.sites.learning.learner import learn_patterns

        try:
            self._patterns = learn_patterns([hub.urls for hub in hubs[-MAX_LEARNING_PAGES:]])
        except BadData:
            return
        visited = [urldefrag(hub.url).url for hub in hubs]
        self._visits = Counter(map(str, self._patterns.match_indices(visited).tolist()))
        self._visits.update(map(_section, visited))
        waiting, self._waiting = self._waiting, {}
        self._sort([url for urls in waiting.values() for url in urls])

    def _next(self) -> str:
        """Draw random URLs of each kind, and return the one whose kind and section were visited least."""
        candidates = [
            (kind, self._random.randrange(len(urls)))
            for kind, urls in sorted(self._waiting.items(), key=lambda pair: (len(pair[0]), pair[0]))
            for _ in range(min(len(urls), N_CANDIDATES))
        ]
        kind, chosen = min(candidates, key=lambda pair: self._visit_score(*pair))
        urls = self._waiting[kind]
        urls[chosen], urls[-1] = urls[-1], urls[chosen]
        url = urls.pop()
        self._visits.update([kind, _section(url)])
        if not urls:
            del self._waiting[kind]
        return url

    def _visit_score(self, kind: str, index: int) -> float:
        """Visits of the kind, relative to its size, times squared visits of the section: none is left out."""
        urls = self._waiting[kind]
        of_kind = (self._visits[kind] + 1) ** 2 / min(len(urls), MAX_KIND_WEIGHT)
        return of_kind * (self._visits[_section(urls[index])] + 1) ** 2


def _section(url: str) -> str:
    """The site and the first segment of the path."""
    return "/".join(url.split("/", 4)[:4])


def shape_of(url: str) -> str:
    """A rough key for the kind of a URL: the first segment, the depth, the names of the parameters.

    >>> shape_of("http://a.org/cal/2024/05?view=day&x=1") == shape_of("http://a.org/cal/2031/11?view=week&x=2")
    True
    >>> shape_of("http://a.org/login?next=/a/b"), shape_of("http://a.org/login?next=/login%3Fnext=/a")
    ('/login?next', '/login?next')
    """
    try:
        parts = split_url(url)
    except BadUrl:
        return "?"
    shape: list[str] = []
    in_query = False
    for depth, (run, token) in enumerate(zip(parts.runs[1:], parts.tokens[1:], strict=True)):
        names = run[-1:] in ("?", "&")
        in_query |= names
        if in_query and not names:  # a value may hold an address, and that another: ?next=/login?next=...
            continue
        literal = depth == 0 or names
        shape.append(run + (token if literal and kind_of(token) == 0 else str(kind_of(token))))
    return "".join(shape)


def kind_of_file(name: str) -> str:
    """The kind of a file of links, by its name: ``urls``, ``cdx`` or ``warc``.

    >>> kind_of_file("crawl.warc.gz"), kind_of_file("index.CDXJ"), kind_of_file("urls.txt.gz")
    ('warc', 'cdx', 'urls')
    """
    suffixes = {suffix.lower() for suffix in Path(name).suffixes[-2:]}
    return "warc" if ".warc" in suffixes else "cdx" if {".cdx", ".cdxj"} & suffixes else "urls"


def cdx_urls(path: str | Path) -> list[str]:
    """The pages in a CDX or CDXJ index: HTML answers only."""
    urls: dict[str, None] = {}
    with open_text(path) as lines:
        for line in text_lines(path, lines):
            if url := _cdx_url(line):
                urls[url] = None
    if not urls:
        raise BadData(f"{path}: no line of a CDX index with an HTML page")
    return list(urls)


def _cdx_url(line: str) -> str | None:
    head, brace, rest = line.partition("{")
    if brace:  # CDXJ: urlkey timestamp {json}
        try:
            row = json.loads(brace + rest)
        except (ValueError, RecursionError):
            return None
        mime, status, url = row.get("mime", "text/html"), str(row.get("status", "200")), row.get("url")
    else:  # classic: urlkey timestamp original mime status ...
        fields = head.split()
        if len(fields) < 5 or fields[0] == "CDX":
            return None
        url, mime, status = fields[2], fields[3], fields[4]
    usable = isinstance(url, str) and "html" in str(mime) and status in ("200", "-", "301", "302")
    return url if usable else None


def warc_hubs(paths: Iterable[str | Path], home: str | None = None) -> Iterator[Hub]:
    """A hub for each HTML page of WARC files, with its links; of one site, if ``home`` is given."""
    try:
        from warcio.archiveiterator import ArchiveIterator
        from warcio.exceptions import ArchiveLoadFailed

        from linksight.pages.input.warc_heads import limit_heads
    except ImportError:
        raise MissingExtra("warcio", "crawl", "reading WARC files") from None
    for path in paths:
        try:
            with Path(path).open("rb") as file:
                # warcio reads nearly any text as an old ARC file.
                if not gunzip_file(file.read(65_536), 100).startswith((b"WARC/", b"filedesc://")):
                    raise BadData(f"{path}: not a WARC file")
                file.seek(0)
                for record in limit_heads(ArchiveIterator(file)):
                    page = _page_of(record)
                    if page and page.is_html and (home is None or is_on_site(page.url, home)):
                        yield hub_of(page, parse_html(page), home or page.url)
        except OSError as error:
            raise BadData(f"{path}: {error.strerror or error}") from None
        except (
            ArchiveLoadFailed,
            EOFError,
            zlib.error,
            ValueError,
            AttributeError,
            TypeError,
            OverflowError,
        ) as error:
            if isinstance(error, BadData):
                raise
            raise BadData(f"{path}: not a WARC file, or a damaged one ({error})") from None


def _page_of(record: Any) -> Page | None:
    if record.rec_type != "response" or record.http_headers is None:
        return None
    kind = record.http_headers.get_header("Content-Type") or ""
    if record.http_headers.get_statuscode() != "200" or "html" not in kind.lower():
        return None
    body = body_of(record, 5_000_000)
    return Page(record.rec_headers.get_header("WARC-Target-URI") or "", 200, kind, body)


def hubs_from_urls(urls: Iterable[str], home: str | None = None) -> Hub:
    """One hub that holds a flat list of URLs; the learner partitions it into random hubs."""
    links = [
        Link(url, problem=None if home is None or is_on_site(url, home) else "off-site")
        for url in dict.fromkeys(urls)
    ]
    if not links:
        raise BadData("the list holds no URL")
    return Hub(links[0].url, links)

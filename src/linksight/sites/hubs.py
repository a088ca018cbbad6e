"""The hub crawler (the paper's Figure 6): ask the site's search form for rare words, keep the links.

M hubs are wanted (100), at most T rounds are made (5), N keywords are taken from each page (20). Each
hub is kept as it arrives; the crawl can be stopped, or killed, and goes on where it was.
"""

from __future__ import annotations

import logging
import math
import zlib
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np

from linksight.errors import CrawlError
from linksight.sites.fetch import Fetcher, Page
from linksight.sites.forms import (
    SEARCH_WORDS,
    OpenSearch,
    SearchForm,
    find_form,
    has_password,
    opensearch_links,
    read_opensearch,
)
from linksight.sites.links import Link, is_on_site, links_of, parse_html, title_of
from linksight.sites.words import rarest_words, text_of
from linksight.sites.workbench import Hub, Workbench

logger = logging.getLogger(__name__)

Request = tuple[str, str, bytes | None, dict[str, str]]
Progress = Callable[[int, int, str], None]  #: done, wanted, what was done

MAX_FAILURES = 10  #: in a row; then the site is left in peace
MAX_WAITING = 2_000
PROBE = "zqxvkjw"  #: a word that nothing holds: what an empty hub looks like


@dataclass(frozen=True, kw_only=True)
class HubOptions:
    """The constants of the paper's Table 2, and how many threads may wait for the site."""

    n_hubs: int = 100  #: M, hubs wanted
    n_rounds: int = 5  #: T, rounds at most
    n_keywords: int = 20  #: N, keywords taken from each page
    alpha: float = 0.05
    threads: int = 4


@dataclass
class HubCrawl:
    """Gathers the hubs of one site through its search form."""

    fetcher: Fetcher
    bench: Workbench
    site: int
    home: str
    options: HubOptions = field(default_factory=HubOptions)
    progress: Progress = lambda done, wanted, what: None
    load: Callable[[str], Page] | None = None  #: instead of a plain GET, e.g. a real browser

    def __post_init__(self) -> None:
        self.notes: list[str] = []
        self.tried: set[str] = set()
        self.waiting: list[str] = []
        self.failures = 0
        self.seen: set[str] = set()  # links
        self.gains: dict[str, int] = {}  # word -> new links of the page that it stands on
        self.pages_with: Counter[str] = Counter()  # word -> pages that it was seen on

    def run(self) -> list[str]:
        """Gather, and say what the user must know; raises :class:`CrawlError` where there is no way in."""
        page, tree = self._entry()
        form = self.find_search(page, tree)
        if form is None:
            wall = has_password(tree)
            raise CrawlError(
                f"{self.home}: "
                + ("a login wall, no search form before it" if wall else "no search form found")
            )
        logger.info("%s: searching with %s %s (%s)", self.home, form.method, form.action, form.name)
        self._remember(tree)
        for _ in range(self.options.n_rounds):
            if not self.waiting:
                self._refill()
            if self._n_usable() >= self.options.n_hubs or not self.waiting:
                break
            self._round(form)
            self.drop_empty_hubs()
            if self.failures >= MAX_FAILURES:
                break
        self._conclude()
        return self.notes

    def find_search(self, page: Page, tree: Any) -> SearchForm | OpenSearch | None:
        """The form of the page, of a page for searching that it links to, or an OpenSearch template."""
        form: SearchForm | OpenSearch | None = find_form(tree, page.url, self.home)
        if form:
            return form
        for url in _search_pages(tree, page.url, self.home)[:3]:
            other = self._get(url)
            if other.is_html and (form := find_form(parse_html(other), other.url, self.home)):
                return form
        for url in opensearch_links(tree, page.url)[:2]:
            description = self.fetcher.get(url)
            if not description.problem and (form := read_opensearch(description.body, description.url)):
                return form
        return None

    def drop_empty_hubs(self) -> int:
        """Mark the hubs without results; how many there are.

        A hub's own links are those that are not on nearly all hubs. By Cantelli's inequality a hub with
        far fewer of them than the others is empty, and one with none at all is empty by itself.
        """
        hubs = [h for h in self.bench.hubs(self.site, usable_only=False) if h.problem in (None, "empty")]
        if not hubs:
            return 0
        empty = empty_hubs([_without_echo(hub) for hub in hubs], self.options.alpha)
        changed: dict[int, str | None] = {}
        for hub, is_empty in zip(hubs, empty, strict=True):
            problem = "empty" if is_empty or hub.keyword == PROBE else None
            if hub.id is not None and problem != hub.problem:
                changed[hub.id] = problem
        self.bench.set_problems(changed)
        return int(sum(empty))

    def _entry(self) -> tuple[Page, Any]:
        page = self._get(self.home)
        if page.problem:
            raise CrawlError(f"{self.home}: {reason_of(page.problem)}")
        if not page.is_html:
            raise CrawlError(f"{self.home}: not a page but {page.content_type or 'something else'}")
        if not is_on_site(page.url, self.home):
            self.notes.append(f"{self.home} leads to {page.url}, which is taken for the site")
            self.home = page.url
        return page, parse_html(page)

    def _get(self, url: str) -> Page:
        if self.load and self.fetcher.allows(url):
            return self.load(url)
        return self.fetcher.get(url)

    def _remember(self, tree: Any) -> None:
        """The keywords of an earlier run, or those of the first page."""
        self.pages_with.update(rarest_words(text_of(tree), MAX_WAITING))
        known = self.bench.keywords(self.site)
        self.tried = {word for word, state in known if state == "tried"}
        if not known:
            words = rarest_words(text_of(tree), self.options.n_keywords)
            self.bench.add_keywords(self.site, [PROBE, *words])
            known = self.bench.keywords(self.site)
        self.waiting = [word for word, _ in known if word not in self.tried]

    def _round(self, form: SearchForm | OpenSearch) -> None:
        """Submit keywords until there are enough hubs or no more words."""
        usable = self._n_usable()
        with ThreadPoolExecutor(self.options.threads) as pool:
            while self.waiting and usable < self.options.n_hubs and self.failures < MAX_FAILURES:
                words = self._next_words(min(self.options.threads, self.options.n_hubs - usable))
                # Trees are not for several threads: what is sent is worked out here. Results are taken
                # in the order of the words, so that a crawl can be repeated.
                requests = [form.request(word) for word in words]
                pages = pool.map(self._submit, requests)
                for word, request, page in zip(words, requests, pages, strict=True):
                    if page.problem in ("http-403", "http-419") and request[0] == "POST":
                        page = self._submit_anew(form, word)
                    usable += self._keep(word, page)
                    self.progress(min(usable, self.options.n_hubs), self.options.n_hubs, word)

    def _next_words(self, n: int) -> list[str]:
        """Half from the pages that brought the most new links, half from anywhere in the queue.

        The words of one page lead to pages of one kind; where new links came from, there are more. The
        rest is chosen by a hash, so that a crawl can be repeated, and stopped and taken up again.
        """
        by_hash = sorted(self.waiting, key=lambda word: (word != PROBE, zlib.crc32(word.encode())))
        by_gain = sorted(by_hash, key=lambda word: -self.gains.get(word, 0))
        chosen = dict.fromkeys(word for pair in zip(by_hash, by_gain, strict=True) for word in pair)
        words = list(chosen)[:n]
        self.tried.update(words)
        self.waiting = [word for word in self.waiting if word not in words]
        return words

    def _submit(self, request: Request) -> Page:
        method, url, _, _ = request
        return self._get(url) if method == "GET" and self.load else self.fetcher.fetch(*request)

    def _submit_anew(self, form: SearchForm | OpenSearch, word: str) -> Page:
        """A form with a token that is good only once or only for a session: take a fresh one."""
        again = self.fetcher.get(getattr(form, "page_url", self.home))
        fresh = find_form(parse_html(again), again.url, self.home) if again.is_html else None
        return self.fetcher.fetch(*(fresh or form).request(word))

    def _keep(self, word: str, page: Page) -> int:
        """Keep what came back for a word; 1 if it is a hub."""
        self.failures = self.failures + 1 if page.problem else 0
        if not page.is_html:
            problem = page.problem or "not-html"
            self.bench.add_hub(self.site, Hub(page.url, [], word, seconds=page.seconds, problem=problem))
            return 0
        tree = parse_html(page)
        hub = hub_of(page, tree, self.home, word)
        if has_password(tree) and find_form(tree, page.url, self.home) is None:
            hub = Hub(page.url, [], word, hub.title, page.seconds, problem="login-wall")
        self.bench.add_hub(self.site, hub)
        self._take_words(tree, set(hub.urls))
        return int(hub.problem is None and word != PROBE)

    def _take_words(self, tree: Any, urls: set[str]) -> None:
        gain = len(urls - self.seen)
        self.seen |= urls
        if len(self.waiting) >= MAX_WAITING:
            return
        known = self.tried | set(self.waiting)
        words = rarest_words(text_of(tree), MAX_WAITING)
        self.pages_with.update(words)
        new = [word for word in words[: self.options.n_keywords] if word not in known]
        self.bench.add_keywords(self.site, new)
        self.waiting += new
        self.gains.update(dict.fromkeys(new, gain))

    def _refill(self) -> None:
        """When all words were tried: those that were not rare enough at first, the rarest of them first.

        On a page that lists many things of one vocabulary the rarest words are those of the menu.
        """
        left = [word for word in self.pages_with if word not in self.tried]
        left.sort(key=lambda word: (self.pages_with[word], zlib.crc32(word.encode())))
        self.waiting = left[: 2 * self.options.n_keywords]
        self.bench.add_keywords(self.site, self.waiting)

    def _n_usable(self) -> int:
        return self.bench.counts(self.site).get("usable", 0)

    def _conclude(self) -> None:
        counts = self.bench.counts(self.site)
        usable = counts.pop("usable", 0)
        for problem, n in sorted(counts.items()):
            if problem != "empty" and n > 0:
                self.notes.append(f"{n} searches failed: {reason_of(problem)}")
        if counts.get("empty", 0) > 1:
            self.notes.append(f"{counts['empty']} searches found nothing and were left out")
        if self.failures >= MAX_FAILURES:
            self.notes.append(f"stopped after {MAX_FAILURES} failures in a row; what was gathered is kept")
        elif usable < self.options.n_hubs and not self.waiting:
            self.notes.append(f"no more keywords after {usable} hubs of {self.options.n_hubs}")


def hub_of(page: Page, tree: Any, home: str, word: str | None = None) -> Hub:
    """A hub from a fetched page."""
    links, over = links_of(tree, page.url, home)
    if over:
        logger.info("%s: %d links over the limit were left out", page.url, over)
    return Hub(
        page.url, links, word, title_of(tree), page.seconds, page.cut or bool(over),
        language=language_of(page), content_type=page.content_type, body=page.body,
    )  # fmt: skip


def language_of(page: Page) -> str | None:
    """The language of a fetched page, where the page models are there to tell."""
    from linksight import identify

    try:
        return identify(page.body[:100_000], page.content_type or None, page.url).language
    except ImportError:
        return None


def _without_echo(hub: Hub) -> list[str]:
    """The links of a hub but for those that only repeat the search (sorted otherwise, as a file)."""
    word = (hub.keyword or "").casefold()
    return [
        url
        for url in hub.urls
        if not word or "?" not in url or word not in (v.casefold() for _, v in parse_qsl(urlsplit(url).query))
    ]


def empty_hubs(hubs: list[list[str]], alpha: float = 0.05, common: float = 0.9) -> list[bool]:
    """Which hubs are empty, by the links that are their own.

    >>> empty_hubs([["/home", "/a/1"], ["/home", "/a/2"], ["/home"], ["/home", "/a/3"]])
    [False, False, True, False]
    """
    seen = Counter(url for hub in hubs for url in set(hub))
    everywhere = {url for url, n in seen.items() if n >= common * len(hubs) and n > 1}
    own = np.array([len(set(hub) - everywhere) for hub in hubs], dtype=float)
    lower = own.mean() - math.sqrt(1 / alpha - 1) * own.std()
    return [bool(n == 0 or n < lower) for n in own]


#: Every problem of a page that was wanted for a hub, in words.
REASONS = {
    "robots": "robots.txt forbids it",
    "robots-unreadable": "robots.txt cannot be read (a server error), which forbids everything for now",
    "private-address": "an address of a private network; allow it on purpose (--allow-private)",
    "timeout": "no answer in time",
    "no-answer": "no connection",
    "unknown-host": "no such host",
    "bad-certificate": "its certificate is not valid",
    "bad-answer": "an answer that is no HTTP",
    "bad-url": "not a web address",
    "too-many-redirects": "it redirects in circles",
    "not-html": "the answer is no HTML page",
    "login-wall": "a login wall",
    "http-401": "a login wall (status 401)",
    "http-403": "the server refuses (status 403)",
    "http-429": "too many requests for the server (status 429): use a longer delay",
}


def reason_of(problem: str) -> str:
    """A problem in words."""
    return REASONS.get(problem) or problem.replace("http-", "the server answered with status ")


def _search_pages(tree: Any, page_url: str, home: str) -> list[str]:
    """Links that say that one can search there, the clearest first."""
    found = [
        link
        for link in links_of(tree, page_url, home)[0]
        if link.problem is None and (SEARCH_WORDS.search(link.anchor) or SEARCH_WORDS.search(_path(link)))
    ]
    return [link.url for link in sorted(found, key=lambda x: (len(x.anchor) > 30, len(x.url)))]


def _path(link: Link) -> str:
    return link.url.partition("://")[2].partition("/")[2]

"""The hub crawler (the paper's Figure 6): search the site for rare words and collect the links.

M hubs are wanted (100), at most T rounds are made (5), N keywords are taken from each page (20). Each
hub is stored as it arrives, so an interrupted crawl can be resumed.
"""

from __future__ import annotations

import logging
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from linksight.errors import CrawlError
from linksight.sites.gathering.fetch_errors import reason_of
from linksight.sites.gathering.fetcher import Fetcher, Page
from linksight.sites.gathering.hub_pages import empty_hubs, get_page, hub_of, links_without_echo
from linksight.sites.gathering.links import Link, is_on_site, links_of, parse_html
from linksight.sites.gathering.search_forms import (
    OpenSearch,
    SearchForm,
    changes_site,
    find_form,
    find_forms,
    has_password,
    names_search,
    opensearch_links,
    read_opensearch,
)
from linksight.sites.gathering.search_words import rarest_words, text_of
from linksight.sites.workbench.workbench import Hub, Workbench
from linksight.system.plural import counted

if TYPE_CHECKING:
    from linksight.sites.gathering.browser import Browser

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())  # no output unless the application configures logging

Request = tuple[str, str, bytes | None, dict[str, str]]
Progress = Callable[[int, int, str], None]  #: done, wanted, what was done

MAX_FORMS = 3  #: tried until one has results
N_TRIAL_WORDS = 24  #: words submitted to test a form
MAX_FAILURES = 10  #: in a row; then the crawl stops
_FORBIDDEN = Page("", problem="robots")
MAX_WAITING_WORDS = 2_000
PROBE_WORD = "zqxvkjw"  #: a word without results, to see what an empty hub looks like


class NoSearchForm(CrawlError):
    """The site has no usable search form; other sources may have links."""


@dataclass(frozen=True, kw_only=True)
class HubOptions:
    """The constants of the paper's Table 2, and the number of threads."""

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
    browser: Browser | None = None  #: loads pages and sends forms, for sites that need JavaScript

    def __post_init__(self) -> None:
        self.notes: list[str] = []
        self.first_links: set[str] = set()  #: of the entry page
        self.tried: set[str] = set()
        self.waiting: list[str] = []
        self.failures = 0
        self.seen: set[str] = set()  # links
        self.gains: dict[str, int] = {}  # word -> new links of the page that it is on
        self.pages_with: Counter[str] = Counter()  # word -> number of pages with it

    def run(self) -> list[str]:
        """Gather hubs and return notes for the user; raises :class:`CrawlError` if the entry page fails."""
        page, tree = self._entry()
        self.first_links = {link.url for link in links_of(tree, page.url, self.home)[0]}
        forms = self.find_searches(page, tree)
        if not forms:
            wall = has_password(tree)
            raise NoSearchForm(
                f"{self.home}: "
                + ("a login wall, no search form before it" if wall else "no search form found")
            )
        for n, form in enumerate(forms):
            logger.info("%s: searching with %s %s (%s)", self.home, form.method, form.action, form.name)
            self._load_words(tree, again=n > 0)
            if form.method == "POST" and self._changes_site(form):
                self.notes.append(
                    f"{form.action} ({form.name}) seems to change the site: it is not sent again"
                )
                continue
            if self._try(form):
                self._gather(form)
                break
            if n + 1 < len(forms):
                self.notes.append(f"{form.action} ({form.name}) finds nothing: trying another form")
        self._add_notes()
        return self.notes

    def _try(self, form: SearchForm | OpenSearch) -> bool:
        """Whether a form has results for a few rare words, or else for less rare ones."""
        for _ in range(2):
            if not self.waiting:
                self._refill()
            self._round(form, N_TRIAL_WORDS)
            self.drop_empty_hubs()
            if self._n_usable() or self.failures >= MAX_FAILURES:
                return True
        return False

    def _changes_site(self, form: SearchForm | OpenSearch) -> bool:
        """Whether a submitted word appears on another page, as a guestbook entry or a basket item does."""
        sent = self._submit(form, PROBE_WORD, form.request(PROBE_WORD))
        shown = self._get(getattr(form, "page_url", self.home))
        moved = sent.url.partition("?")[0] not in (form.action.partition("?")[0], shown.url.partition("?")[0])
        return PROBE_WORD.encode() in shown.body or (moved and changes_site(sent.url))

    def _gather(self, form: SearchForm | OpenSearch) -> None:
        """Figure 6: rounds until there are enough hubs or no more words."""
        for _ in range(self.options.n_rounds):
            if not self.waiting:
                self._refill()
            has_enough = self._n_usable() >= self.options.n_hubs
            if has_enough or not self.waiting or self.failures >= MAX_FAILURES:
                break
            self._round(form)
            self.drop_empty_hubs()

    def find_searches(self, page: Page, tree: Any) -> Sequence[SearchForm | OpenSearch]:
        """The search forms of the page or of a search page that it links to, or an OpenSearch template."""
        if found := find_forms(tree, page.url, self.home):
            return found[:MAX_FORMS]
        # Many sites have /search without a link on the home page.
        for url in dict.fromkeys(
            (*_search_pages(tree, page.url, self.home)[:3], urljoin(page.url, "search"))
        ):
            other = self._get(url)
            # The 404 page often has the form, too.
            shows = other.is_html or (other.problem == "http-404" and b"<form" in other.body)
            if shows and (found := find_forms(parse_html(other), other.url, self.home)):
                return found[:MAX_FORMS]
        for url in opensearch_links(tree, page.url)[:2]:
            description = self.fetcher.get(url)
            if not description.problem and (
                form := read_opensearch(description.body, description.url, self.home)
            ):
                return [form]
        return []

    def drop_empty_hubs(self) -> int:
        """Mark the hubs without results, and return their number.

        A hub's own links are those that are not on nearly all hubs. By Cantelli's inequality a hub with
        far fewer of them than the others is empty, and one without any is always empty.
        """
        hubs = [
            hub for hub in self.bench.hubs(self.site, usable_only=False)
            if hub.keyword is not None and hub.problem in (None, "empty")
        ]  # fmt: skip
        if not hubs:
            return 0
        empty = empty_hubs([links_without_echo(hub) for hub in hubs], self.options.alpha)
        changed: dict[int, str | None] = {}
        for hub, is_empty in zip(hubs, empty, strict=True):
            problem = "empty" if is_empty or hub.keyword == PROBE_WORD else None
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
        return get_page(url, self.fetcher, self.browser)

    def _load_words(self, tree: Any, again: bool) -> None:
        """Load the keywords of an earlier run, or extract those of the first page; all are retried for another form."""
        self.pages_with.update(rarest_words(text_of(tree), MAX_WAITING_WORDS))
        known = self.bench.keywords(self.site)
        self.tried = {word for word, state in known if state == "tried" and not again}
        if not known:
            words = rarest_words(text_of(tree), self.options.n_keywords)
            self.bench.add_keywords(self.site, [PROBE_WORD, *words])
            known = self.bench.keywords(self.site)
        self.waiting = [word for word, _ in known if word not in self.tried]

    def _round(self, form: SearchForm | OpenSearch, max_words: int = 1_000_000) -> None:
        """Submit at most ``max_words`` keywords, until there are enough hubs or no more words."""
        usable, last = self._n_usable(), len(self.tried) + max_words
        with ThreadPoolExecutor(self.options.threads) as pool:
            while self.waiting and usable < self.options.n_hubs and self.failures < MAX_FAILURES:
                if len(self.tried) >= last:
                    break
                words = self._next_words(min(self.options.threads, self.options.n_hubs - usable))
                # lxml trees are not thread-safe, so requests are built here. Results are processed in the
                # order of the words, so that a crawl is reproducible.
                requests = [form.request(word) for word in words]
                pages = pool.map(self._submit, repeat(form), words, requests)
                for word, request, page in zip(words, requests, pages, strict=True):
                    if page.problem in ("http-403", "http-419") and request[0] == "POST" and not self.browser:
                        page = self._resubmit(form, word)
                    usable += self._keep(word, page)
                    self.progress(min(usable, self.options.n_hubs), self.options.n_hubs, word)

    def _next_words(self, n: int) -> list[str]:
        """Half from the pages that brought the most new links, half from anywhere in the queue.

        The words of one page lead to pages of one kind, and a page with new links promises more. The other
        half is chosen by a hash, so that a crawl is reproducible and can be resumed.
        """
        by_hash = sorted(self.waiting, key=lambda word: (word != PROBE_WORD, zlib.crc32(word.encode())))
        by_gain = sorted(by_hash, key=lambda word: -self.gains.get(word, 0))
        chosen = dict.fromkeys(word for pair in zip(by_hash, by_gain, strict=True) for word in pair)
        words = list(chosen)[:n]
        self.tried.update(words)
        self.waiting = [word for word in self.waiting if word not in words]
        return words

    def _submit(self, form: SearchForm | OpenSearch, word: str, request: Request) -> Page:
        method, url, _, _ = request
        if not self.browser:
            return self.fetcher.fetch(*request)
        if method == "GET" or not isinstance(form, SearchForm):
            return self._get(url)
        return self.browser.submit(form.page_url, form.name, word) if self.fetcher.allows(url) else _FORBIDDEN

    def _resubmit(self, form: SearchForm | OpenSearch, word: str) -> Page:
        """Submit again with a fresh copy of the form, whose token was for one use or one session."""
        again = self.fetcher.get(getattr(form, "page_url", self.home))
        fresh = find_form(parse_html(again), again.url, self.home) if again.is_html else None
        return self.fetcher.fetch(*(fresh or form).request(word))

    def _keep(self, word: str, page: Page) -> int:
        """Store the response for a word; 1 if it is a usable hub."""
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
        return int(hub.problem is None and word != PROBE_WORD)

    def _take_words(self, tree: Any, urls: set[str]) -> None:
        gain = len(urls - self.seen)
        self.seen |= urls
        if len(self.waiting) >= MAX_WAITING_WORDS:
            return
        known = self.tried | set(self.waiting)
        words = rarest_words(text_of(tree), MAX_WAITING_WORDS)
        self.pages_with.update(words)
        new = [word for word in words[: self.options.n_keywords] if word not in known]
        self.bench.add_keywords(self.site, new)
        self.waiting += new
        self.gains.update(dict.fromkeys(new, gain))

    def _refill(self) -> None:
        """Queue less rare words once all words were tried, the rarest first.

        If all items of a page share one vocabulary, its rarest words are those of the menu.
        """
        left = [word for word in self.pages_with if word not in self.tried]
        left.sort(key=lambda word: (self.pages_with[word], zlib.crc32(word.encode())))
        self.waiting = left[: 2 * self.options.n_keywords]
        self.bench.add_keywords(self.site, self.waiting)

    def _n_usable(self) -> int:
        return self.bench.counts(self.site).get("usable", 0)

    def _add_notes(self) -> None:
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
            self.notes.append(f"no more keywords after {counted(usable, 'hub')} of {self.options.n_hubs}")


def _search_pages(tree: Any, page_url: str, home: str) -> list[str]:
    """Links to search pages by anchor or path, those with short anchors first."""
    found = [
        link
        for link in links_of(tree, page_url, home)[0]
        if link.problem is None and (names_search(link.anchor) or names_search(_path(link)))
    ]
    return [link.url for link in sorted(found, key=lambda x: (len(x.anchor) > 30, len(x.url)))]


def _path(link: Link) -> str:
    return link.url.partition("://")[2].partition("/")[2]

"""Gather the links of a site from its search form, its sitemap and a plain crawl, and report the result of each.

Pages of search results, as in the paper, link to the kinds of pages that are searched for; a plain crawl finds the
others. So every available source adds hubs. Lists of URLs, CDX indexes and WARC files are used as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linksight.errors import BadConfig, BadData, CrawlError
from linksight.sites.gathering.fetcher import Fetcher, FetchOptions
from linksight.sites.gathering.hub_crawler import HubCrawl, HubOptions, NoSearchForm, Progress
from linksight.sites.gathering.link_sources import (
    PlainCrawl,
    cdx_urls,
    hubs_from_urls,
    sitemap_urls,
    warc_hubs,
)
from linksight.sites.gathering.url_files import encoding_warning, main_sites, other_sites_warning, url_list
from linksight.sites.learning.learner import learn_patterns
from linksight.sites.learning.tokens import split_url
from linksight.sites.patterns.pattern import PatternSet
from linksight.sites.workbench.workbench import Workbench
from linksight.system.plural import counted

if TYPE_CHECKING:
    from linksight.sites.gathering.browser import Browser

SOURCES = ("auto", "form", "sitemap", "crawl", "urls", "cdx", "warc")
#: Singular and plural names of the kinds of files.
_KINDS = {
    "urls": ("list of URLs", "lists of URLs"),
    "cdx": ("CDX index", "CDX indexes"),
    "warc": ("WARC file", "WARC files"),
}
MIN_HUBS = 5  #: from a form; fewer are too few to learn from
MIN_SITEMAP_URLS = 50  #: fewer in a sitemap are not a list of the site's pages
MIN_FOUND_PAGES = 10  #: new pages that a search finds; a filter of a short list finds fewer


@dataclass
class Gathering:
    """A site whose links are being gathered into a workbench.

    >>> bench = Workbench("sqlite://")
    >>> gathering = Gathering(bench, "http://127.0.0.1:9/", fetch=FetchOptions(retries=0))
    >>> gathering.run()
    Traceback (most recent call last):
    linksight.errors.CrawlError: http://127.0.0.1:9/: an address of a private network; allow it on purpose (--allow-private)
    """

    bench: Workbench
    home: str
    name: str = ""
    source: str = "auto"
    files: tuple[str | Path, ...] = ()  #: of URLs, CDX or WARC
    hubs: HubOptions = field(default_factory=HubOptions)
    fetch: FetchOptions = field(default_factory=FetchOptions)
    progress: Progress = lambda done, wanted, what: None
    browser: Browser | None = None  #: for sites that need JavaScript
    column: str | None = None  #: with the URLs, in files that are tables

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise BadConfig(f"unknown source {self.source!r}; known: {', '.join(SOURCES)}")
        if self.source in ("urls", "cdx", "warc") and not self.files:
            raise BadConfig(f"the source {self.source!r} needs a file")
        if self.home and "//" not in self.home[:8]:
            self.home = f"http://{self.home}"
        self.name = self.name or site_name(self.home)
        self.fetcher = Fetcher(self.fetch)
        self.notes: list[str] = []

    def run(self) -> int:
        """Gather what is missing; the site's id in the workbench."""
        site = self.bench.open_site(self.name, self.home)
        row = self.bench.site(site)
        if row["state"] == "gathered" and not self.files:
            self.notes = [*row["notes"], "gathered before; nothing was fetched (--fresh gathers it anew)"]
            return site
        try:
            used = self._gather(site)
        finally:
            # Even after an error the hubs are stored, and so are the notes.
            self.bench.update_site(site, notes=self.notes, counts=self._counts(site))
        self.bench.update_site(site, source=used, state="gathered")
        return site

    def _gather(self, site: int) -> str:
        if self.source in ("urls", "cdx", "warc"):
            return self._from_files(site)
        gatherers: dict[str, Callable[[int], bool]] = {
            "form": self._form, "sitemap": self._sitemap, "crawl": self._crawl,
        }  # fmt: skip
        chosen = gatherers if self.source == "auto" else {self.source: gatherers[self.source]}
        used = [way for way, gather in chosen.items() if gather(site)]
        if not used:
            raise CrawlError(f"{self.home}: " + ("; ".join(self.notes) or f"the {self.source} gave nothing"))
        return used[0]

    def _form(self, site: int) -> bool:
        crawl = HubCrawl(self.fetcher, self.bench, site, self.home, self.hubs, self.progress, self.browser)
        try:
            self.notes += crawl.run()
        except NoSearchForm as error:
            if self.source == "form":
                raise
            self.notes.append(str(error).partition(": ")[2] or str(error))
            return False
        self.home = crawl.home
        hubs = [hub for hub in self.bench.hubs(site) if hub.keyword is not None]
        if self.source == "form":
            return bool(hubs)
        if len(hubs) < MIN_HUBS:
            self.notes.append(f"the search form gave only {counted(len(hubs), 'hub')}")
            return False
        found = {url for hub in hubs for url in hub.urls} - crawl.first_links
        if len({frozenset(hub.urls) for hub in hubs}) == 1 or len(found) < MIN_FOUND_PAGES:
            what = (
                "gives the same page for every word"
                if not found
                else f"finds only {counted(len(found), 'page')}"
            )
            self.notes.append(
                f"the search {what}: it may be a filter of a short list; its pages are left out"
            )
            self.bench.set_problems({hub.id: "filter" for hub in hubs if hub.id is not None})
            return False
        return True

    def _sitemap(self, site: int) -> bool:
        if any(hub.keyword is None and not hub.is_page for hub in self.bench.hubs(site)):
            return True  # of an earlier run
        urls = sitemap_urls(self.fetcher, self.home, self.notes)
        if not urls:
            self.notes.append("no sitemap")
            return False
        self.bench.add_hub(site, hubs_from_urls(urls, self.home))
        self.notes.append(f"learnt from {counted(len(urls), 'URL')} of the sitemap")
        # A short sitemap names the main pages only.
        return len(urls) >= MIN_SITEMAP_URLS or self.source == "sitemap"

    def _crawl(self, site: int) -> bool:
        hubs = self.bench.hubs(site)
        known = [hub for hub in hubs if hub.keyword is None and hub.is_page]
        seeds = [url for hub in hubs if hub not in known for url in hub.urls]
        crawl = PlainCrawl(
            self.fetcher, self.home, self.hubs.n_hubs, self.progress, known, browser=self.browser, seeds=seeds
        )
        n = len(known)
        for hub in crawl.run():
            n += 1
            self.bench.add_hub(site, hub)
        self.notes += [*crawl.notes, f"learnt from a plain crawl of {counted(n, 'page')}"]
        return n > 0

    def _from_files(self, site: int) -> str:
        if self.source == "warc":
            self._from_warcs(site)
        else:
            self._from_lists(site)
        files = counted(len(self.files), *_KINDS[self.source])
        self.notes.append(f"learnt from {files}; nothing was fetched")
        return self.source

    def _from_warcs(self, site: int) -> None:
        n = 0
        for hub in warc_hubs(self.files, self.home or None):
            if not n:
                self.bench.drop_hubs(site)  # files are read completely, so earlier hubs would be duplicates
            n += 1
            self.bench.add_hub(site, hub)
        if not n:
            raise BadData(f"{self.files[0]}: no HTML page" + (f" of {self.home}" if self.home else ""))

    def _from_lists(self, site: int) -> None:
        urls = [url for path in self.files for url in self._urls_in(path)]
        if not urls:
            raise BadData(f"{self.files[0]}: no URL in it")
        hub = hubs_from_urls(urls, self.home or None)
        if self.home and not hub.urls:
            raise BadData(
                f"{self.files[0]}: no URL of {self.home} in it, but of {main_sites(urls) or 'no site'}"
            )
        self.bench.drop_hubs(site)  # only once there is a replacement
        self.bench.add_hub(site, hub)
        n_again = len(urls) - len(set(urls))
        again = f"{counted(n_again, 'URL is', 'URLs are')} there a second time, which adds nothing"
        notes = (
            again if n_again else "",
            encoding_warning(urls),
            "" if self.home else other_sites_warning(urls),
        )
        self.notes += filter(None, notes)

    def _urls_in(self, path: str | Path) -> list[str]:
        return url_list(path, self.column) if self.source == "urls" else cdx_urls(path)

    def _counts(self, site: int) -> dict[str, Any]:
        problems = {f"request/{k}": v for k, v in self.fetcher.problems.items()}
        rendered = {"rendered_requests": self.browser.n_requests} if self.browser else {}
        return {"requests": self.fetcher.n_requests, **rendered, **problems, **self.bench.counts(site)}


def learn_site(bench: Workbench, site: int, **options: Any) -> PatternSet:
    """Learn the patterns of a gathered site, name and colour them, and keep them."""
    from linksight.sites.patterns.pattern_names import annotate

    hubs = bench.hubs(site)
    patterns = learn_patterns([hub.urls for hub in hubs], **options)
    before = bench.annotated(site)
    if before:
        patterns = before.restore_names(patterns)
    anchors = [(link.url, link.anchor) for hub in hubs for link in hub.links]
    patterns = annotate(patterns, anchors=[*anchors, *((hub.url, hub.title) for hub in hubs)])
    bench.save_patterns(site, patterns, "learn", **_plain(options))
    again, changes = before.reapply(patterns) if before else (patterns, "")
    if not changes or not len(again):  # a user who discarded every pattern starts again
        return patterns
    again = replace(again, learnt={**again.learnt, "as_before": changes})
    bench.save_patterns(site, again, "as before", was=[changes])  # a separate version, which can be undone
    return again


def site_name(home: str) -> str:
    """A short name for a site: host, and port where there is one.

    >>> site_name("http://www.a.org:8080/x")
    'www.a.org:8080'
    """
    parts = split_url(home)
    return ":".join(
        [parts.tokens[0], *(t for r, t in zip(parts.runs[1:2], parts.tokens[1:2], strict=True) if r == ":")]
    )


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in options.items()
        if isinstance(value, (str, int, float, bool, type(None)))
    }

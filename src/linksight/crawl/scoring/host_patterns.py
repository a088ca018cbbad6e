"""URL patterns of hosts, learnt during the crawl.

Each page is a hub: the set of its links to the same host. After ``FIRST_URLS`` URLs of a host its patterns
are learnt (:func:`linksight.sites.learn_patterns`), and again at each doubling up to ``MAX_URLS``. The
languages of a pattern's pages are evidence beyond host and folder: ``/?lang=nl&id=7`` and
``/?lang=fr&id=7`` share both.

Memory is bounded by a number of hosts and of URLs for each; the least recently used host is evicted.

>>> patterns = HostPatterns(first=8)
>>> for page in range(6):
...     hub = [f"http://a.ch/{code}-{word}-{page}" for code in ("nl", "fr") for word in ("aa", "bb")]
...     patterns.meet("http://a.ch/", hub)
>>> patterns.learnt()[0].host
'a.ch'
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from linksight.crawl.urls.url_normalize import host_key
from linksight.errors import LinksightError
from linksight.results import UND, ZXX
from linksight.url_model.site_prior import logit

FIRST_URLS = 40  #: of a host, from which its patterns are learnt first
MAX_URLS = 320  #: of a host, from which its patterns are learnt
MAX_HOSTS = 500  #: in memory
MAX_PAGES = 100  #: of a host whose languages are remembered for the next learning
MAX_LOG_ODDS = 3.0  #: of the evidence


@dataclass(frozen=True, slots=True)
class Learnt:
    """The patterns of a host, as stored in the database."""

    host: str
    urls: int
    texts: tuple[str, ...]


@dataclass(slots=True)
class _Host:
    """State of one host: hubs until ``MAX_URLS``, patterns, and the languages of its pages."""

    hubs: list[tuple[str, ...]] = field(default_factory=list)
    urls: set[str] = field(default_factory=set)
    learnt_from: int = 0  #: number of URLs at the latest learning
    patterns: Any = None
    pages: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=MAX_PAGES))
    languages: dict[str, Counter[str]] = field(default_factory=dict)  # by pattern

    def recount(self) -> None:
        """Recount the remembered pages by the current patterns."""
        self.languages = {}
        for url, language in self.pages:
            self.count(url, language)

    def count(self, url: str, language: str) -> None:
        if text := self.text_of(url):
            self.languages.setdefault(text, Counter())[language] += 1

    def text_of(self, url: str) -> str:
        """The text of a URL's pattern, followed by the language codes in the URL, which the pattern generalises."""
        from linksight.sites.patterns.language_marks import MarkedUrl

        try:
            pattern = self.patterns.match(url) if self.patterns is not None else None
        except LinksightError:
            return ""
        if pattern is None:
            return ""
        return " ".join((pattern.text, *(language for _, language in MarkedUrl.read(url).marks)))


class HostPatterns:
    """URL patterns and the languages of their pages, by host."""

    def __init__(self, defaults: Any = None, first: int = FIRST_URLS) -> None:
        self.first = first
        self._defaults = defaults  # a set of patterns from a file, for hosts without learnt patterns
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._fresh: dict[str, Learnt] = {}

    def meet(self, page: str, links: Iterable[str]) -> None:
        """Add the links of a page to its own host."""
        name = host_key(page)
        hub = tuple(url for url in links if host_key(url) == name)
        if not hub:
            return
        host = self._host(name)
        if host.learnt_from >= MAX_URLS:
            return
        host.hubs.append(hub)
        host.urls.update(hub)
        if len(host.urls) >= max(self.first, 2 * host.learnt_from):
            self._learn(name, host)

    def _learn(self, name: str, host: _Host) -> None:
        from linksight.sites import learn_patterns

        try:
            host.patterns = learn_patterns(host.hubs)
        except LinksightError:  # no pattern in these URLs; more URLs may have one
            host.patterns = None
        host.learnt_from = len(host.urls)
        if host.learnt_from >= MAX_URLS:
            host.hubs, host.urls = [], set()
        if host.patterns is not None:
            texts = tuple(pattern.text for pattern in host.patterns)
            self._fresh[name] = Learnt(name, host.learnt_from, texts)
        host.recount()

    def observe(self, url: str, language: str) -> None:
        """Count the language of a page."""
        if language in (UND, ZXX):
            return
        host = self._host(host_key(url))
        if len(host.pages) == MAX_PAGES:
            oldest, its_language = host.pages[0]
            if (counts := host.languages.get(host.text_of(oldest))) is not None:
                counts[its_language] -= 1
        host.pages.append((url, language))
        host.count(url, language)

    def log_odds(self, url: str, languages: Collection[str], elsewhere: float) -> float:
        """Evidence of a URL's pattern in log-odds, beyond ``elsewhere``, the share by host and folder."""
        host = self._hosts.get(host_key(url))
        counts = host.languages.get(host.text_of(url)) if host is not None and host.languages else None
        seen = sum(counts.values()) if counts else 0
        if counts is None or seen < 1:
            return 0.0
        share = (sum(counts[code] for code in languages) + elsewhere) / (seen + 1.0)
        return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, logit(share) - logit(elsewhere)))

    def learnt(self) -> Sequence[Learnt]:
        """Patterns learnt since the previous call."""
        fresh, self._fresh = list(self._fresh.values()), {}
        return fresh

    def restore(self, rows: Iterable[tuple[str, int, str]]) -> None:
        """Restore stored patterns: host, number of URLs, patterns as JSON."""
        from linksight.sites import PatternSet

        for name, urls, texts in rows:
            host = self._host(name)
            if urls > host.learnt_from:
                host.learnt_from = urls
                host.patterns = PatternSet.from_texts(json.loads(texts), site=name)
                host.recount()

    def _host(self, name: str) -> _Host:
        host = self._hosts.pop(name, None) or _Host(patterns=self._defaults)
        self._hosts[name] = host
        while len(self._hosts) > MAX_HOSTS:
            self._hosts.popitem(last=False)
        return host

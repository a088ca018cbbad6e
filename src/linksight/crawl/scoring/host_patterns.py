"""URL patterns of hosts, learnt while the crawl goes on.

Each page is a hub: the addresses that it links to on its own host are met together. Once a host has
shown enough of them its patterns are learnt (:func:`linksight.sites.learn_patterns`), and again at each
doubling until nothing new is to be expected. What the pages of a pattern were then tells of the others
beyond what host and folder say: ``/?lang=nl&id=7`` and ``/?lang=fr&id=7`` share both.

Memory is bounded: so many hosts, and so many addresses of each; the least recently met host is forgotten.

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

FIRST = 40  #: addresses of a host from which its patterns are learnt first
MOST = 320  #: addresses of a host that are kept
HOSTS = 500  #: hosts that are kept
PAGES = 100  #: pages of a host whose languages are remembered for the next learning
LIMIT = 3.0  #: in log-odds


@dataclass(frozen=True, slots=True)
class Learnt:
    """The patterns of a host, as they are kept in the store."""

    host: str
    urls: int
    texts: tuple[str, ...]


@dataclass(slots=True)
class _Host:
    """What is known of one host: its hubs until enough was learnt from them, its patterns, and what its pages were."""

    hubs: list[tuple[str, ...]] = field(default_factory=list)
    met: set[str] = field(default_factory=set)
    learnt_from: int = 0
    patterns: Any = None
    pages: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=PAGES))
    languages: dict[str, Counter[str]] = field(default_factory=dict)  # by pattern

    def read(self) -> None:
        """Sort the pages that are remembered by the patterns that are known now."""
        self.languages = {}
        for url, language in self.pages:
            self.count(url, language)

    def count(self, url: str, language: str) -> None:
        if text := self.text_of(url):
            self.languages.setdefault(text, Counter())[language] += 1

    def text_of(self, url: str) -> str:
        """The text of a URL's pattern, followed by the languages that the URL names: a pattern has all of them."""
        from linksight.sites.patterns.language_marks import MarkedUrl

        try:
            pattern = self.patterns.match(url) if self.patterns is not None else None
        except LinksightError:
            return ""
        if pattern is None:
            return ""
        return " ".join((pattern.text, *(language for _, language in MarkedUrl.read(url).marks)))


class HostPatterns:
    """Patterns and their languages, host by host."""

    def __init__(self, given: Any = None, first: int = FIRST) -> None:
        self.first = first
        self._given = given  # a set of patterns from a file, for hosts that have none of their own yet
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._fresh: dict[str, Learnt] = {}

    def meet(self, page: str, links: Iterable[str]) -> None:
        """Take in the addresses of its own host that a page links to."""
        name = host_key(page)
        hub = tuple(url for url in links if host_key(url) == name)
        if not hub:
            return
        host = self._host(name)
        if host.learnt_from >= MOST:
            return
        host.hubs.append(hub)
        host.met.update(hub)
        if len(host.met) >= max(self.first, 2 * host.learnt_from):
            self._learn(name, host)

    def _learn(self, name: str, host: _Host) -> None:
        from linksight.sites import learn_patterns

        try:
            host.patterns = learn_patterns(host.hubs)
        except LinksightError:  # no pattern in these addresses; more of them may show one
            host.patterns = None
        host.learnt_from = len(host.met)
        if host.learnt_from >= MOST:
            host.hubs, host.met = [], set()
        if host.patterns is not None:
            texts = tuple(pattern.text for pattern in host.patterns)
            self._fresh[name] = Learnt(name, host.learnt_from, texts)
        host.read()

    def observe(self, url: str, language: str) -> None:
        """Remember what the page at an address was."""
        if language in (UND, ZXX):
            return
        host = self._host(host_key(url))
        if len(host.pages) == PAGES:
            old, was = host.pages[0]
            if (counts := host.languages.get(host.text_of(old))) is not None:
                counts[was] -= 1
        host.pages.append((url, language))
        host.count(url, language)

    def log_odds(self, url: str, languages: Collection[str], elsewhere: float) -> float:
        """What a URL's pattern adds to ``elsewhere``, the share that host and folder speak of."""
        host = self._hosts.get(host_key(url))
        counts = host.languages.get(host.text_of(url)) if host is not None and host.languages else None
        seen = sum(counts.values()) if counts else 0
        if counts is None or seen < 1:
            return 0.0
        share = (sum(counts[code] for code in languages) + elsewhere) / (seen + 1.0)
        return max(-LIMIT, min(LIMIT, logit(share) - logit(elsewhere)))

    def learnt(self) -> Sequence[Learnt]:
        """What was learnt since this was last asked."""
        fresh, self._fresh = list(self._fresh.values()), {}
        return fresh

    def restore(self, rows: Iterable[tuple[str, int, str]]) -> None:
        """Take up what was learnt before: host, number of addresses, the patterns as JSON."""
        from linksight.sites import PatternSet

        for name, urls, texts in rows:
            host = self._host(name)
            if urls > host.learnt_from:
                host.learnt_from = urls
                host.patterns = PatternSet.from_texts(json.loads(texts), site=name)
                host.read()

    def _host(self, name: str) -> _Host:
        host = self._hosts.pop(name, None) or _Host(patterns=self._given)
        self._hosts[name] = host
        while len(self._hosts) > HOSTS:
            self._hosts.popitem(last=False)
        return host

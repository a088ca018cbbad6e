"""Link scorer: collects the evidence for links and applies the strategy.

It owns the stateful parts that strategies do not have: URL model, site memory and host patterns.
"""

from __future__ import annotations

import unicodedata
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from linksight.crawl.extract.embedded_urls import embedded_url
from linksight.crawl.extract.links import Outlink
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring import inlinks
from linksight.crawl.scoring.host_patterns import HostPatterns
from linksight.crawl.scoring.model_protocols import UrlModel, tld_of
from linksight.crawl.scoring.online_model import Lessons
from linksight.crawl.scoring.strategies import Link, Policy, make_policy
from linksight.crawl.urls.near_duplicates import Novelty
from linksight.crawl.urls.session_parameters import SessionParameters
from linksight.crawl.urls.url_normalize import chance_of, digest_of, host_key
from linksight.results import UND, ZXX, Decision, PageLabel
from linksight.url_model.site_prior import MAX_LOG_ODDS, SiteMemory, logit
from linksight.urls.parser import site_of

#: URLs without evidence for any language: the model's mean score for them is its baseline.
NEUTRAL_URLS = ("http://192.0.2.1/", "http://192.0.2.17:8080/1/2", "http://198.51.100.3/12345.html")
ANCHOR_WEIGHT = 0.4
ANCHOR_LIMIT = 2.0


class Judge:
    """Evidence and decisions for links, for the target languages."""

    def __init__(
        self,
        config: CrawlConfig,
        model: UrlModel,
        memory: SiteMemory | None = None,
        policy: Policy | None = None,
        patterns: Any = None,
    ) -> None:
        self.config = config
        self.language = config.language
        self.model = model
        self.memory = memory or SiteMemory()
        self.policy = policy or make_policy(config)
        self.patterns = HostPatterns(patterns)
        self.learns_sites = bool(getattr(self.policy, "learns_sites", False))
        self.asks_model = bool(getattr(self.policy, "asks_model", True))
        self.bar = float(getattr(self.policy, "bar", 0.0))
        self.found = 0
        self.targets = frozenset(config.languages)  #: languages whose quota is not met
        known = list(model.languages)
        self._columns = {code: known.index(code) for code in config.languages if code in known}
        self.neutral = sum(self.log_odds(NEUTRAL_URLS)) / len(NEUTRAL_URLS)
        self._scores: OrderedDict[str, float] = OrderedDict()
        self._anchors: OrderedDict[str, float] = OrderedDict()
        self.lessons = Lessons()
        self.novelty = Novelty()
        self.sessions = SessionParameters()

    # -- evidence ----------------------------------------------------------------------------------

    def log_odds(self, urls: Sequence[str]) -> list[float]:
        """The URL model's log-odds of the target language."""
        if not urls:
            return []
        columns = [self._columns[code] for code in sorted(self.targets & self._columns.keys())]
        if not columns:
            return [-13.0] * len(urls)
        column = np.asarray(self.model.predict_proba(list(urls)))[:, columns].astype(np.float64).sum(axis=1)
        column = np.clip(column, 1e-6, 1 - 1e-6)
        return [float(x) for x in np.log(column / (1 - column))]

    def _known_log_odds(self, urls: Sequence[str]) -> list[float]:
        """Cached :meth:`log_odds`."""
        fresh = [url for url in dict.fromkeys(urls) if url not in self._scores]
        self._scores.update(zip(fresh, self.log_odds(fresh), strict=True))
        scores = [self._scores[url] for url in urls]
        while len(self._scores) > 50_000:
            self._scores.popitem(last=False)
        return scores

    def bonus(self, host: str) -> float:
        """The priority bonus of a host for all its URLs, from its languages and its near-duplicates."""
        return self._site_evidence(host) + self.novelty.log_odds(host) if self.learns_sites else 0.0

    def _site_evidence(self, host: str) -> float:
        """Evidence of the host's pages so far, in log-odds."""
        if not self.learns_sites:
            return 0.0
        log_odds = logit(self._share(f"http://{host}/", deepest=1))
        return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, log_odds))

    def _share(self, url: str, deepest: int = 3) -> float:
        """The share of the target languages at a URL, by its site, host and folders."""
        prior = 0.5 / max(len(self.targets), 1)
        return min(sum(self.memory.share(url, code, prior, deepest) for code in self.targets), 1.0)

    def close_language(self, code: str) -> None:
        """Remove a language whose quota is met from the targets."""
        if code in self.targets:
            self.targets -= {code}
            self._scores.clear()
            self._anchors.clear()

    def links(
        self,
        found: Sequence[Outlink],
        depth: int,
        referrer: str = "",
        label: PageLabel | None = None,
        known: Mapping[str, str] | None = None,
    ) -> list[Link]:
        """The links of a page with their evidence.

        ``known``: the sites that already link to known URLs (``inlinks.py``).
        """
        # A redirector URL is scored by the URL that it contains.
        model = (
            self._known_log_odds([embedded_url(link.url) or link.url for link in found])
            if self.asks_model
            else [0.0] * len(found)
        )
        share = share_of(label, self.targets) if label else None
        site = site_of(referrer) if referrer else ""
        if referrer and self.learns_sites and self.config.learn_patterns:
            self.patterns.meet(referrer, [link.url for link in found])
        # Within a site SiteMemory is better evidence than an anchor text.
        anchors = self._anchor_evidence(["" if site_of(link.url) == site else link.anchor for link in found])
        links = []
        for outlink, score, anchor in zip(found, model, anchors, strict=True):
            self.found += 1
            url = outlink.url
            link = Link(
                url=url,
                tld=tld_of(url),
                depth=depth,
                order=self.found,
                chance=chance_of(digest_of(url), self.config.seed ^ 0x5EED),
                model=score,
                neutral=self.neutral,
                referrer=share,
                same_site=bool(site) and site_of(url) == site,
                others=inlinks.count(known.get(url, ""), site) if known else 0,
                anchor=anchor,
                hreflang=(outlink.hreflang in self.targets) if outlink.hreflang else None,
                memory=self._site_evidence(host_key(url)),
                prefix=self.prefix(url),
                repeats=self._repeats(url),
                lesson=self.lessons.score(url) if self.learns_sites else 0.0,
                pattern=self._pattern_evidence(url),
            )
            links.append(link)
        return links

    def heard(self, known: str, url: str, referrer: str, label: PageLabel | None) -> str:
        """The sites that link to a URL, with the referring page's site if the page is in the language."""
        is_target = label is not None and label.language in self.targets and self.learns_sites
        site = site_of(referrer) if is_target and referrer else ""
        return inlinks.add_site(known, site) if site and site_of(url) != site else known

    def prefix(self, url: str) -> float:
        """Evidence of the folder, in log-odds beyond that of the host."""
        if not self.learns_sites:
            return 0.0
        added = logit(self._share(url)) - logit(self._share(url, deepest=1))
        return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, added))

    def _repeats(self, url: str) -> float:
        """Near-duplicate penalty of the folder, in log-odds beyond that of the host."""
        if not self.learns_sites:
            return 0.0
        host = host_key(url)
        return self.novelty.log_odds(host, url) - self.novelty.log_odds(host)

    def _anchor_evidence(self, anchors: Sequence[str]) -> list[float]:
        """Evidence of anchor texts: their words as a URL, scored by the URL model with a lower weight."""
        if not self.learns_sites:
            return [0.0] * len(anchors)
        texts = {text: _as_address(text) for text in anchors if len(text) >= 8 and text not in self._anchors}
        texts = {text: address for text, address in texts.items() if address}
        for text, score in zip(texts, self.log_odds(list(texts.values())), strict=True):
            value = ANCHOR_WEIGHT * (score - self.neutral)
            self._anchors[text] = max(-ANCHOR_LIMIT, min(ANCHOR_LIMIT, value))
        while len(self._anchors) > 20_000:
            self._anchors.popitem(last=False)
        return [self._anchors.get(text, 0.0) for text in anchors]

    def _pattern_evidence(self, url: str) -> float:
        """Evidence of the URL pattern, in log-odds beyond host and folder."""
        if not self.learns_sites:
            return 0.0
        return self.patterns.log_odds(url, self.targets, self._share(url))

    # -- decisions and learning --------------------------------------------------------------------

    def decide(self, links: Sequence[Link]) -> list[Decision]:
        """The strategy's decision on each link."""
        return [self.policy.decide(link) for link in links]

    def observe(self, url: str, language: str, predicted: float | None = None) -> None:
        """Learn from a page's language and its predicted log-odds."""
        self.memory.observe(url, language)
        if predicted is not None and language not in (UND, ZXX):
            self.lessons.learn(url, predicted, language in self.targets)
        if self.learns_sites:
            self.patterns.observe(url, language)

    def still_wanted(self, url: str, base: float, evidence: dict[str, float]) -> bool:
        """Whether a queued URL would still be accepted by the current evidence."""
        if not self.learns_sites:
            return True
        host = host_key(url)
        if len(self.targets) < len(self.config.languages) and self.asks_model:
            score = max(-9.0, min(9.0, self._known_log_odds([url])[0] - self.neutral))
            base += score - evidence.get("model", 0.0)
        then = evidence.get("prefix", 0.0) + evidence.get("repeats", 0.0)
        now = base - then + self.prefix(url) + self._site_evidence(host)
        return now >= self.bar - 0.5

    def repeats(self, url: str) -> float:
        """The probability of a near-duplicate; 0 if the strategy does not learn sites."""
        return self.novelty.repeats(host_key(url), url) if self.learns_sites else 0.0


def share_of(label: PageLabel, languages: Collection[str]) -> float | None:
    """The probability that a page is in one of the languages, or None if its language is undetermined.

    >>> share_of(PageLabel("nl", "Latn", "utf-8", 0.9), {"nl"})
    0.9
    """
    if label.language in (UND, ZXX):
        return None
    if label.language in languages:
        return max(label.confidence, 0.5)
    return min(sum(p for code, p in label.candidates if code in languages), 0.5)


def _as_address(text: str) -> str:
    """An anchor text as the path of a URL; combining marks, such as vowel signs, are kept.

    >>> _as_address("Het laatste nieuws!"), _as_address("ताज़ा समाचार")
    ('http://anchor.invalid/het-laatste-nieuws', 'http://anchor.invalid/ताज़ा-समाचार')
    """
    words = ["".join(c for c in word if unicodedata.category(c)[0] in "LM") for word in text.lower().split()]
    words = [word for word in words if word]
    return f"http://anchor.invalid/{'-'.join(words)}" if len(words) > 1 else ""

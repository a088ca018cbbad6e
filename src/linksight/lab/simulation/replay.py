"""Replay: strategies on a stored web, with no network, so that a policy is judged before it touches the web.

The strategies, the judge and the memory are those of the real crawl; the queue is one in memory
that keeps the same order as the one in SQL.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linksight.crawl.extract.links import Outlink
from linksight.crawl.report.sampling_statistics import Share
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring.link_scorer import Judge
from linksight.crawl.scoring.model_protocols import UrlModel
from linksight.crawl.scoring.strategies import Policy
from linksight.crawl.urls.url_normalize import chance_of, digest_of, host_key
from linksight.lab.simulation.warc_web import StoredWeb
from linksight.results import PageLabel

NEW, QUEUED, REJECTED, DONE = range(4)


class TableModel:
    """A URL model's answers for all URLs of a web, computed once; of others it asks the model."""

    def __init__(self, model: UrlModel, urls: Sequence[str], language: str) -> None:
        self.languages = (language, "und")
        self._model = model
        self._column = list(model.languages).index(language)
        self._rows = np.concatenate([self._ask(urls[i : i + 50_000]) for i in range(0, len(urls), 50_000)])
        self._number = {url: row for row, url in enumerate(urls)}

    def _ask(self, urls: Sequence[str]) -> Any:
        target = np.asarray(self._model.predict_proba(list(urls)))[:, self._column]
        return np.column_stack([target, 1 - target]).astype(np.float32)

    def predict_proba(self, urls: Any) -> Any:
        rows = [self._number.get(url, -1) for url in urls]
        return self._ask(urls) if -1 in rows else self._rows[rows]


class MemoryQueue:
    """The frontier in memory: best first by base + host's bonus, the same order as in SQL."""

    def __init__(self) -> None:
        self.bonus: defaultdict[str, float] = defaultdict(float)
        self._base: dict[int, float] = {}
        self._host: dict[int, str] = {}
        self._of_host: defaultdict[str, set[int]] = defaultdict(set)
        self._heap: list[tuple[float, int]] = []

    def __len__(self) -> int:
        return len(self._base)

    def __contains__(self, page: int) -> bool:
        return page in self._base

    def push(self, page: int, host: str, base: float) -> None:
        """Queue a page, or raise one that is queued with less."""
        if base > self._base.get(page, float("-inf")):
            self._base[page], self._host[page] = base, host
            self._of_host[host].add(page)
            heapq.heappush(self._heap, (-(base + self.bonus[host]), page))

    def pop(self) -> tuple[int, float] | None:
        """The best page, with its base."""
        while self._heap:
            key, page = heapq.heappop(self._heap)
            if page not in self._base:
                continue
            base, host = self._base[page], self._host[page]
            now = -(base + self.bonus[host])
            if now > key + 1e-9:  # its host has come down since
                heapq.heappush(self._heap, (now, page))
                continue
            del self._base[page]
            self._of_host[host].discard(page)
            return page, base
        return None

    def set_bonus(self, host: str, bonus: float) -> None:
        """Move all pages of a host."""
        if bonus > self.bonus[host] + 1e-9:
            for page in self._of_host[host]:
                heapq.heappush(self._heap, (-(self._base[page] + bonus), page))
        self.bonus[host] = bonus


@dataclass
class Run:
    """What one strategy made of the web."""

    strategy: str
    order: list[int] = field(default_factory=list)  #: pages in the order of their download
    hits: list[bool] = field(default_factory=list)  #: whether each was in the target language
    bytes: int = 0
    hosts: int = 0
    unlabelled: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    rejected: list[int] = field(default_factory=list)
    missed: Share | None = None  #: share of the target among the rejected, from a sample
    missed_truth: float = 0.0
    seconds: float = 0.0

    @property
    def found(self) -> int:
        return sum(self.hits)

    @property
    def precision(self) -> float:
        return self.found / len(self.hits) if self.hits else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "strategy": self.strategy,
            "downloads": len(self.order),
            "found": self.found,
            "precision": round(self.precision, 4),
            "bytes": self.bytes,
            "hosts": self.hosts,
            "unlabelled": self.unlabelled,
            "rejected": len(self.rejected),
            "missed": self.missed.as_dict() if self.missed else None,
            "missed_truth": round(self.missed_truth, 5),
            "reasons": dict(self.reasons.most_common()),
            "seconds": round(self.seconds, 2),
        }


def replay(
    web: StoredWeb,
    config: CrawlConfig,
    model: UrlModel,
    seeds: Sequence[int],
    budget: int,
    *,
    policy: Policy | None = None,
    sample: int = 0,
    on_page: Callable[[], None] | None = None,
) -> Run:
    """One strategy from the seeds until ``budget`` downloads are spent or nothing is wanted."""
    return _Replay(web, config, model, policy).run(seeds, budget, sample or config.sample, on_page)


class _Replay:
    """One run: what became of each page so far, and what was learnt, as a crawl has them in its database."""

    def __init__(self, web: StoredWeb, config: CrawlConfig, model: UrlModel, policy: Policy | None) -> None:
        self.web = web
        self.config = config
        self.judge = Judge(config, model, policy=policy)
        self.queue = MemoryQueue()
        self.state = [NEW] * len(web)
        self.base: dict[int, float] = {}
        self.prefix: dict[int, float] = {}
        self.predicted: dict[int, float] = {}
        self.heard: dict[str, str] = {}  # the sites that speak for a URL
        self.lasting: set[int] = set()  # seeds and explored pages, fetched whatever is learnt
        self.rejected_of: defaultdict[str, set[int]] = defaultdict(set)
        self.taken: Counter[str] = Counter()
        self.result = Run(config.strategy)

    def run(self, seeds: Sequence[int], budget: int, sample: int, on_page: Callable[[], None] | None) -> Run:
        began = time.perf_counter()
        self._judge(seeds, 0, None)
        depth = dict.fromkeys(seeds, 0)
        while len(self.result.order) < budget and (head := self.queue.pop()):
            page, base = head
            if self._turned(page, base):
                continue
            self._visit(page)
            self._learn(page)
            fresh = self._judge(self._fresh(page), depth[page] + 1, page)
            for target in fresh:
                depth.setdefault(target, depth[page] + 1)
            if on_page is not None:
                on_page()
        self.result.hosts = len({host_key(self.web.urls[page]) for page in self.result.order})
        self._estimate(sample)
        self.result.seconds = time.perf_counter() - began
        return self.result

    def _turned(self, page: int, base: float) -> bool:
        """Whether what was learnt since the page was queued speaks against it, or its host is full."""
        url = self.web.urls[page]
        most = self.config.max_pages_per_host
        if most and self.taken[host_key(url)] >= most:
            self.state[page] = DONE
            self.result.reasons["host-cap"] += 1
            return True
        if page in self.lasting or self.judge.still_wanted(url, base, {"prefix": self.prefix.get(page, 0.0)}):
            return False
        self._reject(page, base, "site-turned")
        return True

    def _visit(self, page: int) -> None:
        self.state[page] = DONE
        self.taken[host_key(self.web.urls[page])] += 1
        self.result.order.append(page)
        self.result.hits.append(self.web.languages[page] == self.config.language)
        self.result.bytes += self.web.sizes[page]
        self.result.unlabelled += self.web.labels[page].language in ("und", "zxx")

    def _fresh(self, page: int) -> list[int]:
        """The links of a page that are judged: new ones; from a page in the language also those that wait or were rejected."""
        hit = self.web.labels[page].language == self.config.language
        again = (QUEUED, REJECTED) if hit and self.judge.learns_sites else ()
        return [int(t) for t in self.web.links[page] if self.state[t] == NEW or self.state[t] in again]

    def _judge(self, targets: Sequence[int], depth: int, page: int | None) -> Sequence[int]:
        """Queue or reject the targets of links on ``page``; without one they are seeds."""
        web = self.web
        links = [self._outlink(page, target) for target in targets]
        label = None if page is None else web.labels[page]
        referrer = "" if page is None else web.urls[page]
        judged = self.judge.links(links, depth, referrer, label, self.heard)
        for target, link, decision in zip(targets, judged, self.judge.decide(judged), strict=True):
            self._hear(link.url, referrer, label)
            base = decision.priority - link.memory
            reason = "seed" if page is None else decision.reason
            if decision.fetch or page is None:
                if self.state[target] == REJECTED:
                    self.rejected_of[host_key(link.url)].discard(target)
                if reason in ("seed", "exploring"):
                    self.lasting.add(target)
                self.state[target] = QUEUED
                self.prefix[target] = link.prefix
                if decision.evidence:
                    self.predicted[target] = sum(decision.evidence.values())
                self.queue.push(target, host_key(link.url), base)
                self.result.reasons[reason] += 1
            elif self.state[target] == NEW:
                self._reject(target, base, reason)
        return targets

    def _hear(self, url: str, referrer: str, label: PageLabel | None) -> None:
        before = self.heard.get(url, "")
        if (now := self.judge.heard(before, url, referrer, label)) != before:
            self.heard[url] = now

    def _outlink(self, page: int | None, target: int) -> Outlink:
        known = self.web.anchors.get((page, target)) if page is not None else None
        return known or Outlink(self.web.urls[target])

    def _reject(self, page: int, base: float, reason: str) -> None:
        self.state[page] = REJECTED
        self.base[page] = base
        self.rejected_of[host_key(self.web.urls[page])].add(page)
        self.result.reasons[reason] += 1

    def _learn(self, page: int) -> None:
        """Take in what a page was; where its host has turned out well, rejected pages of it come back."""
        url = self.web.urls[page]
        self.judge.observe(url, self.web.labels[page].language, self.predicted.get(page))
        if not self.judge.learns_sites:
            return
        host = host_key(url)
        bonus, before = self.judge.bonus(host), self.queue.bonus[host]
        self.queue.set_bonus(host, bonus)
        if bonus > before + 0.5:
            for other in [p for p in self.rejected_of[host] if self.base[p] + bonus >= self.judge.bar]:
                self.rejected_of[host].discard(other)
                self.state[other] = QUEUED
                self.queue.push(other, host, self.base[other])
                self.result.reasons["second-chance"] += 1

    def _estimate(self, size: int) -> None:
        """As the crawl does: the rejected with the lowest draws are the sample."""
        rejected = [page for page, state in enumerate(self.state) if state == REJECTED]
        self.result.rejected = rejected
        draws = sorted(rejected, key=lambda p: chance_of(digest_of(self.web.urls[p]), self.config.seed))[
            :size
        ]
        hits = sum(self.web.languages[page] == self.config.language for page in draws)
        self.result.missed = Share.of(hits, len(draws), len(rejected))
        truth = sum(self.web.languages[page] == self.config.language for page in rejected)
        self.result.missed_truth = truth / len(rejected) if rejected else 0.0

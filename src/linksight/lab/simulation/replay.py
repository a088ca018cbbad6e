"""Replay: simulates the crawl of a stored web without a network, to evaluate strategies.

Strategies, link scorer and site memory are those of a real crawl. The queue is in memory and has the same
order as the one in SQL.
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
    """Precomputed predictions of a URL model for all URLs of a web; other URLs go to the model."""

    def __init__(self, model: UrlModel, urls: Sequence[str], language: str) -> None:
        self.languages = (language, "und")
        self._model = model
        self._column = list(model.languages).index(language)
        self._rows = np.concatenate(
            [self._predict(urls[i : i + 50_000]) for i in range(0, len(urls), 50_000)]
        )
        self._number = {url: row for row, url in enumerate(urls)}

    def _predict(self, urls: Sequence[str]) -> Any:
        target = np.asarray(self._model.predict_proba(list(urls)))[:, self._column]
        return np.column_stack([target, 1 - target]).astype(np.float32)

    def predict_proba(self, urls: Any) -> Any:
        rows = [self._number.get(url, -1) for url in urls]
        return self._predict(urls) if -1 in rows else self._rows[rows]


class MemoryQueue:
    """In-memory frontier: best first by base + host bonus, the same order as in SQL."""

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
        """Queue a page, or raise the base of a queued one."""
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
            if now > key + 1e-9:  # its host's bonus is lower since
                heapq.heappush(self._heap, (now, page))
                continue
            del self._base[page]
            self._of_host[host].discard(page)
            return page, base
        return None

    def set_bonus(self, host: str, bonus: float) -> None:
        """Set the bonus of a host, which moves all its pages."""
        if bonus > self.bonus[host] + 1e-9:
            for page in self._of_host[host]:
                heapq.heappush(self._heap, (-(self._base[page] + bonus), page))
        self.bonus[host] = bonus


@dataclass
class Run:
    """Result of one strategy on a web."""

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
    """Run one strategy from the seeds until ``budget`` downloads, or until the queue is empty."""
    return _Replay(web, config, model, policy).run(seeds, budget, sample or config.sample, on_page)


class _Replay:
    """One run: the state of each page and the learnt evidence, which a crawl has in its database."""

    def __init__(self, web: StoredWeb, config: CrawlConfig, model: UrlModel, policy: Policy | None) -> None:
        self.web = web
        self.config = config
        self.judge = Judge(config, model, policy=policy)
        self.queue = MemoryQueue()
        self.state = [NEW] * len(web)
        self.base: dict[int, float] = {}
        self.prefix: dict[int, float] = {}
        self.predicted: dict[int, float] = {}
        self.heard: dict[str, str] = {}  # sites that link to a URL from a page in the language
        self.lasting: set[int] = set()  # seeds and explored pages, which newer evidence does not reject
        self.rejected_of: defaultdict[str, set[int]] = defaultdict(set)
        self.host_pages: Counter[str] = Counter()
        self.result = Run(config.strategy)

    def run(self, seeds: Sequence[int], budget: int, sample: int, on_page: Callable[[], None] | None) -> Run:
        began = time.perf_counter()
        self._score(seeds, 0, None)
        depth = dict.fromkeys(seeds, 0)
        while len(self.result.order) < budget and (head := self.queue.pop()):
            page, base = head
            if self._reject_if_unwanted(page, base):
                continue
            self._visit(page)
            self._learn(page)
            fresh = self._score(self._links_to_score(page), depth[page] + 1, page)
            for target in fresh:
                depth.setdefault(target, depth[page] + 1)
            if on_page is not None:
                on_page()
        self.result.hosts = len({host_key(self.web.urls[page]) for page in self.result.order})
        self._estimate(sample)
        self.result.seconds = time.perf_counter() - began
        return self.result

    def _reject_if_unwanted(self, page: int, base: float) -> bool:
        """Reject a page that newer evidence rules out or whose host is full; returns whether it did."""
        url = self.web.urls[page]
        limit = self.config.max_pages_per_host
        if limit and self.host_pages[host_key(url)] >= limit:
            self.state[page] = DONE
            self.result.reasons["host-cap"] += 1
            return True
        if page in self.lasting or self.judge.still_wanted(url, base, {"prefix": self.prefix.get(page, 0.0)}):
            return False
        self._reject(page, base, "site-turned")
        return True

    def _visit(self, page: int) -> None:
        self.state[page] = DONE
        self.host_pages[host_key(self.web.urls[page])] += 1
        self.result.order.append(page)
        self.result.hits.append(self.web.languages[page] == self.config.language)
        self.result.bytes += self.web.sizes[page]
        self.result.unlabelled += self.web.labels[page].language in ("und", "zxx")

    def _links_to_score(self, page: int) -> list[int]:
        """The links of a page to score: new ones, and from a page in the language also queued and rejected ones."""
        hit = self.web.labels[page].language == self.config.language
        again = (QUEUED, REJECTED) if hit and self.judge.learns_sites else ()
        return [int(t) for t in self.web.links[page] if self.state[t] == NEW or self.state[t] in again]

    def _score(self, targets: Sequence[int], depth: int, page: int | None) -> Sequence[int]:
        """Queue or reject the targets of links on ``page``; if it is None they are seeds."""
        web = self.web
        links = [self._outlink(page, target) for target in targets]
        label = None if page is None else web.labels[page]
        referrer = "" if page is None else web.urls[page]
        scored = self.judge.links(links, depth, referrer, label, self.heard)
        for target, link, decision in zip(targets, scored, self.judge.decide(scored), strict=True):
            self._note_inlink(link.url, referrer, label)
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

    def _note_inlink(self, url: str, referrer: str, label: PageLabel | None) -> None:
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
        """Learn from a page; if the bonus of its host rises, queue its rejected pages that are above the threshold."""
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
        """Estimate the missed share as a crawl does: the rejected pages with the lowest numbers are the sample."""
        rejected = [page for page, state in enumerate(self.state) if state == REJECTED]
        self.result.rejected = rejected
        draws = sorted(rejected, key=lambda p: chance_of(digest_of(self.web.urls[p]), self.config.seed))[
            :size
        ]
        hits = sum(self.web.languages[page] == self.config.language for page in draws)
        self.result.missed = Share.of(hits, len(draws), len(rejected))
        truth = sum(self.web.languages[page] == self.config.language for page in rejected)
        self.result.missed_truth = truth / len(rejected) if rejected else 0.0

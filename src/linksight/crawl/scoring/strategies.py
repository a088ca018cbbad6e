"""Crawl strategies: pure functions that order the queue.

A strategy maps a :class:`Link`, the evidence for a URL before its fetch, to a
:class:`~linksight.results.Decision`: fetch or not, priority, and reason. It has no access to
database, network or clock. A new strategy is a frozen class with ``decide``:

>>> @dataclass(frozen=True)
... class ShortestFirst:
...     '''Fetch the shortest URLs first.'''
...     language: str
...
...     def decide(self, link: Link) -> Decision:
...         return Decision(True, -len(link.url), "short")
>>> ShortestFirst("nl").decide(Link("http://a.nl/"))
Decision(fetch=True, priority=-12, reason='short', evidence={})

Use it on the command line with ``--strategy path/to/file.py:ShortestFirst``.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from linksight.errors import BadConfig
from linksight.languages import tlds
from linksight.results import Decision
from linksight.url_model.site_prior import logit

if TYPE_CHECKING:
    from linksight.crawl.run.config import CrawlConfig


@dataclass(frozen=True, slots=True)
class Link:
    """Evidence for a URL before its fetch, in log-odds of the target language."""

    url: str
    tld: str = ""
    depth: int = 0
    order: int = 0  #: number of URLs found before this one
    chance: float = 0.5  #: a uniform number in 0..1, fixed for this URL in this crawl
    model: float = 0.0  #: the URL model's log-odds
    neutral: float = 0.0  #: the model's log-odds for URLs without evidence
    referrer: float | None = None  #: probability that the referring page is in the target language
    same_site: bool = False  #: whether the referring page is on the same site
    others: int = 0  #: number of other sites that link here from a page in the target language
    anchor: float = 0.0  #: the anchor text
    hreflang: bool | None = None  #: whether a declared language is the target
    memory: float = 0.0  #: SiteMemory of the site and host
    prefix: float = 0.0  #: SiteMemory of the path prefix, beyond site and host
    repeats: float = 0.0  #: near-duplicate penalty of the folder, beyond the host's; for the priority only
    lesson: float = 0.0  #: score of the online model for the URL's words
    pattern: float = 0.0  #: pages of the same URL pattern of the host
    behind: Mapping[str, float] | None = None  #: evidence for the URL that redirects here


class Policy(Protocol):
    """Interface of strategies.

    Two optional attributes: ``asks_model = False`` skips the URL model if the strategy does not use
    it; ``learns_sites = True`` adapts the priorities of a host's URLs to the languages of its pages.
    """

    def decide(self, link: Link) -> Decision: ...


@dataclass(frozen=True)
class BreadthFirst:
    """All pages, nearest to the seeds first."""

    language: str
    asks_model = False

    def decide(self, link: Link) -> Decision:
        return Decision(True, -link.depth - link.order * 1e-9, "in-turn")


@dataclass(frozen=True)
class Random:
    """All pages, in random order: the paper's baseline."""

    language: str
    asks_model = False

    def decide(self, link: Link) -> Decision:
        return Decision(True, link.chance, "by-chance")


@dataclass(frozen=True)
class CountryDomain:
    """Only pages under the language's top-level domains, in random order: the paper's ccTLD."""

    language: str
    asks_model = False

    @cached_property
    def tlds(self) -> frozenset[str]:
        return tlds_of(self.language)

    def decide(self, link: Link) -> Decision:
        if link.tld in self.tlds:
            return Decision(True, link.chance, "right-tld")
        return Decision(False, link.chance, "other-tld")


@dataclass(frozen=True)
class Classifier:
    """Best first by the URL model's confidence: the paper's SVM crawl, with any model."""

    language: str

    def decide(self, link: Link) -> Decision:
        return Decision(True, link.model, "best-first", {"model": link.model})


@dataclass(frozen=True)
class Filter:
    """Hogewind et al.: the ccTLD, else the classifier; no links from pages in another language."""

    language: str

    @cached_property
    def tlds(self) -> frozenset[str]:
        # The paper checks for .nl only, the domain of the language's own country.
        return frozenset((self.language,)) & tlds_of(self.language) or tlds_of(self.language)

    def decide(self, link: Link) -> Decision:
        turn = -link.order * 1e-9
        if link.referrer is not None and link.referrer < 0.5:
            return Decision(False, turn, "behind-other-language", {"referrer": logit(link.referrer)})
        if link.tld in self.tlds:
            return Decision(True, turn, "right-tld")
        if link.model > 0:
            return Decision(True, turn, "looks-right", {"model": link.model})
        return Decision(False, turn, "looks-wrong", {"model": link.model})


@dataclass(frozen=True)
class Adaptive:
    """The default: sum of all evidence in log-odds, with some exploration.

    The terms are: URL model, language of the referring page, anchor text, declared ``hreflang``, pages
    of the site so far, and their URL pattern. Queued URLs are rescored when a site's pages change its
    evidence (``learns_sites``).
    """

    language: str
    threshold: float = 0.5
    explore: float = 0.02
    # Log-odds of a link by the language of the page that it is on, target or not: across sites
    # 70 % of links keep to their page's language (lab/simulation/language_locality.py), and few lead to a language
    # that is rare; within a site SiteMemory, which includes the page, is the main evidence.
    across: tuple[float, float] = (0.85, -4.0)
    # Log-odds of each further site that links here from a page in the language. The same measurement
    # gives 4 to 5 for independent sites; sites on the web copy links from each other.
    further: float = 2.0
    within: tuple[float, float] = (2.0, -1.0)
    unread: float = -1.0  # the page's language is not known
    declared: tuple[float, float] = (4.0, -4.0)
    limit: float = 9.0  # bound of the URL model, so that it cannot outweigh all other evidence

    learns_sites = True

    @property
    def bar(self) -> float:
        """The log-odds from which a URL is fetched."""
        return logit(self.threshold)

    def evidence(self, link: Link) -> dict[str, float]:
        """The non-zero evidence terms in log-odds."""
        model = max(-self.limit, min(self.limit, link.model - link.neutral))
        terms = {"model": model, "anchor": link.anchor, "site": link.memory}
        terms |= {"prefix": link.prefix, "pattern": link.pattern, "lesson": link.lesson}
        yes, no = self.within if link.same_site else self.across
        share = link.referrer
        terms["referrer"] = self.unread if share is None else yes * share + no * (1 - share)
        terms["referrer"] += self.further * link.others
        if link.hreflang is not None:
            terms["hreflang"] = self.declared[0] if link.hreflang else self.declared[1]
        if link.behind is not None:
            # A link to a URL that redirects, as most http:// URLs do, is evidence for the target.
            terms |= {name: link.behind.get(name, 0.0) for name in ("referrer", "anchor", "hreflang")}
        return {name: round(value, 3) for name, value in terms.items() if value}

    def decide(self, link: Link) -> Decision:
        evidence = self.evidence(link)
        score = sum(evidence.values())
        repeats = {"repeats": round(link.repeats, 3)} if link.repeats else {}
        decision = self._decide(link, score, evidence)
        return replace(decision, priority=score + link.repeats, evidence=evidence | repeats)

    def _decide(self, link: Link, score: float, evidence: dict[str, float]) -> Decision:
        if link.referrer is None and link.depth == 0:
            return Decision(True, score, "seed", evidence)
        if score >= self.bar:
            return Decision(True, score, _top_reason(evidence), evidence)
        # Exploration: fetch some rejected URLs, with a probability that grows towards the threshold.
        if link.chance < self.explore * math.exp(min(0.0, score - self.bar) / 3):
            return Decision(True, score, "exploring", evidence)
        return Decision(False, score, "looks-wrong", evidence)


_REASONS = {
    "model": "looks-right", "referrer": "right-neighbour", "anchor": "right-anchor", "site": "right-site",
    "prefix": "right-folder", "pattern": "right-pattern", "hreflang": "declared", "lesson": "right-words",
}  # fmt: skip


def _top_reason(evidence: dict[str, float]) -> str:
    """The reason for a fetch: that of the largest evidence term."""
    best = max(evidence, key=lambda name: evidence[name], default="model")
    return _REASONS[best]


#: The built-in strategies by name; ``--strategy`` also accepts ``file.py:Class``.
STRATEGIES: dict[str, type] = {
    "adaptive": Adaptive,
    "breadth-first": BreadthFirst,
    "random": Random,
    "cctld": CountryDomain,
    "classifier": Classifier,
    "filter": Filter,
}


def tlds_of(language: str) -> frozenset[str]:
    """Top-level domains with the language as their main one; those of the paper for its five languages.

    >>> sorted(tlds_of("it")), "nl" in tlds_of("nl"), "com" in tlds_of("en")
    (['it', 'va'], True, False)
    """
    return frozenset(tlds.PAPER_TLDS.get(language) or tlds.tlds_of_language(language, papers=False))


def make_policy(config: CrawlConfig) -> Policy:
    """Create the strategy of a configuration."""
    kind = STRATEGIES.get(config.strategy) or _load_class(config.strategy)
    if kind is Adaptive:
        return Adaptive(config.language, threshold=config.threshold, explore=config.explore)
    try:
        policy: Policy = kind(config.language)
    except TypeError as error:
        raise BadConfig(f"strategy {config.strategy}: cannot be made from a language ({error})") from None
    return policy


def _load_class(name: str) -> Callable[[str], Policy]:
    file, colon, attribute = name.rpartition(":")
    if not colon or not file.endswith(".py"):
        raise BadConfig(f"strategy: no {name!r}; known: {', '.join(STRATEGIES)}, or file.py:Class")
    path = Path(file)
    spec = importlib.util.spec_from_file_location(f"linksight_strategy_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise BadConfig(f"strategy: no such file: {file}")
    module = importlib.util.module_from_spec(spec)
    # With string annotations, dataclasses look up their module in sys.modules.
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the user's file may raise anything: report it in one line
        del sys.modules[spec.name]
        raise BadConfig(f"strategy {file}: {type(error).__name__}: {error}") from error
    found: Callable[[str], Policy] | None = getattr(module, attribute, None)
    if found is None or not hasattr(found, "decide"):
        raise BadConfig(f"strategy {file}: no class {attribute!r} with a method decide(link)")
    return found

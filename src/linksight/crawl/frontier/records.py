"""Values that worker and frontier exchange: jobs, found links and outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from linksight.crawl.archive.warc_records import Exchange
from linksight.crawl.frontier import states
from linksight.crawl.frontier.sql_schema import Kind, State
from linksight.crawl.run.config import CrawlConfig
from linksight.results import Decision

#: The reason of URLs that the strategy accepts but that exceed the maximum depth.
TOO_DEEP = "too-deep"

# Evidence names that are not about the language.
HOPS = "hops"  #: the number of redirects that led to a URL
REPEATS = "repeats"  #: near-duplicates in its folder
LEADS_TO = "leads to "  #: prefix of the stored redirect target


@dataclass(frozen=True, slots=True)
class Job:
    """A URL that a worker has claimed."""

    id: int
    url: str
    host: str
    host_id: int
    kind: Kind
    depth: int
    attempts: int
    base: float
    bonus: float
    sampled: bool
    reason: str
    evidence: dict[str, float]
    not_before: float
    heard: str = ""  #: of a sitemap: the other sites that it lists pages of (``inlinks.py``)
    failures: int = 0  #: requests to its host that failed in a row
    host_answered: bool = False  #: whether its host has ever answered
    crashes: int = 0  #: processes that died while they had it
    seed: int | None = None  #: the seed that it descends from
    via: str = ""  #: the page that it was found on
    previous: dict[str, Any] | None = None  #: of a recapture: the row of the latest page

    @property
    def log_odds(self) -> float | None:
        """The predicted log-odds of the language; None without evidence."""
        known = [value for name, value in self.evidence.items() if name not in (HOPS, REPEATS)]
        return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class Found:
    """A link and the decision on it."""

    url: str
    depth: int
    decision: Decision
    memory: float = 0.0  #: the host's bonus in the decision's priority
    referrer: int | None = None
    kind: Kind = Kind.PAGE
    refused: bool = False  #: it must not be fetched, independent of the language
    again: bool = False  #: a known URL with new evidence
    heard: str = ""  #: sites that link to it from a page in the language (``inlinks.py``)
    sampled: bool = False  #: a URL of the sample redirects to it
    seed: int | None = None  #: the seed that it descends from

    def as_row(self) -> list[Any]:
        """Plain values for the inbox; :meth:`from_row` reads them."""
        decided = self.decision
        return [
            self.url, self.depth, decided.fetch, decided.priority, decided.reason, decided.evidence, self.memory,
            self.referrer, int(self.kind), self.refused, self.again, self.heard, self.sampled, self.seed,
        ]  # fmt: skip

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> Found:
        """The link that :meth:`as_row` wrote."""
        (
            url,
            depth,
            fetch,
            priority,
            reason,
            evidence,
            memory,
            referrer,
            kind,
            refused,
            again,
            heard,
            sampled,
            seed,
        ) = row
        decision = Decision(fetch, priority, reason, evidence)
        return cls(url, depth, decision, memory, referrer, Kind(kind), refused, again, heard, sampled, seed)


@dataclass(slots=True)
class Outcome:
    """The outcome of a claimed URL."""

    job: Job
    state: State
    reason: str
    problem: str | None = None
    address: str = ""
    page: dict[str, Any] | None = None  #: the row of ``pages``, without its place in a WARC file
    exchange: Exchange | None = None  #: to be written to the WARC file
    #: status and type of an archived response without a row of ``pages``
    archived: dict[str, Any] | None = None
    wait: float = 0.0  #: seconds before the next request to the host
    is_unreachable: bool = False  #: whether its host could not be reached
    counts: bool = True  #: whether it counts as an attempt of the URL
    base: float | None = None  #: its new priority; None: unchanged
    started: float = 0.0  #: when the request actually started; 0: there was no request
    found: list[Found] = field(default_factory=list)
    answer: Any = None  #: the response (``fetch/response.py``), for the log

    @property
    def is_taken(self) -> bool:
        """Whether it counts towards the page limits of its host and site: pages and parsed sitemaps do."""
        was_read = self.job.kind == Kind.SITEMAP and self.state == State.DONE and bool(self.started)
        return (self.page is not None and self.job.reason != states.DUE_AGAIN) or was_read


@dataclass(frozen=True, slots=True)
class Known:
    """A URL that the frontier has seen before."""

    id: int
    state: State
    base: float
    heard: str = ""  #: sites that link to it from a page in the language
    reason: str = ""
    depth: int = 0

    @property
    def waits(self) -> bool:
        """Whether it is queued or rejected, so that further evidence counts."""
        return self.state in (State.QUEUED, State.REJECTED)

    @property
    def is_too_deep(self) -> bool:
        """Whether it exceeds the maximum depth; a smaller depth or a larger limit queues it again."""
        return self.state == State.REFUSED and self.reason == TOO_DEEP


def listing(
    url: str, depth: int, decision: Decision, job: Job, config: CrawlConfig, heard: str = ""
) -> Found:
    """A link to a sitemap or feed of a job's host; refused if its pages, at ``depth`` + 1, would be too deep.

    ``heard``: the other sites that it lists pages of.
    """
    is_too_deep = bool(config.max_depth) and depth >= config.max_depth
    if is_too_deep:
        decision = replace(decision, reason=TOO_DEEP)
    return Found(
        url, depth, decision, job.bonus, job.id, Kind.SITEMAP, refused=is_too_deep, heard=heard, seed=job.seed
    )

"""What travels between worker and frontier: jobs, links found, and what became of a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from linksight.crawl.archive.warc_records import Exchange
from linksight.crawl.frontier import states
from linksight.crawl.frontier.sql_schema import Kind, State
from linksight.crawl.run.config import CrawlConfig
from linksight.results import Decision

#: The reason of URLs that the strategy wants and that are further from the seeds than allowed.
TOO_DEEP = "too-deep"

# Names in the evidence that say nothing of the language.
HOPS = "hops"  #: the number of redirects that led to a URL
REPEATS = "repeats"  #: near-duplicates in its folder
LEADS_TO = "leads to "  #: how what is kept of a redirect begins; where it leads follows


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
    crashes: int = 0  #: processes that ended while they had it
    seed: int | None = None  #: the seed that it descends from
    via: str = ""  #: the page that it was found on
    previous: dict[str, Any] | None = None  #: of a URL that is captured again: the row of its latest page

    @property
    def log_odds(self) -> float | None:
        """The log-odds of the language before the fetch; None where there was no evidence."""
        known = [value for name, value in self.evidence.items() if name not in (HOPS, REPEATS)]
        return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class Found:
    """A link with what was decided about it."""

    url: str
    depth: int
    decision: Decision
    memory: float = 0.0  #: the host's bonus that the decision counted in
    referrer: int | None = None
    kind: Kind = Kind.PAGE
    refused: bool = False  #: it must not be fetched, whatever its language
    again: bool = False  #: it is known already; the evidence is new
    heard: str = ""  #: the sites that speak for it (``referrals.py``)
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
    """What became of a claimed URL."""

    job: Job
    state: State
    reason: str
    problem: str | None = None
    address: str = ""
    page: dict[str, Any] | None = None  #: the row of ``pages``, without its place in a WARC file
    exchange: Exchange | None = None  #: what is to be kept of it as WARC
    archived: dict[str, Any] | None = (
        None  #: status and type of a response that is kept and has no row of ``pages``
    )
    wait: float = 0.0  #: seconds that the host is left alone
    is_unreachable: bool = False  #: whether its host could not be reached
    counts: bool = True  #: whether it counts as an attempt of the URL
    base: float | None = None  #: its new priority; None: as it was
    started: float = 0.0  #: when the request for it really started; 0: there was none
    found: list[Found] = field(default_factory=list)
    answer: Any = None  #: the response that it came of (``fetch/response.py``), for the log

    @property
    def is_taken(self) -> bool:
        """Whether it counts against the caps of its host and site: pages do, and sitemaps that were read."""
        was_read = self.job.kind == Kind.SITEMAP and self.state == State.DONE and bool(self.started)
        return (self.page is not None and self.job.reason != states.DUE_AGAIN) or was_read


@dataclass(frozen=True, slots=True)
class Known:
    """A URL that the frontier has seen before."""

    id: int
    state: State
    base: float
    heard: str = ""  #: the sites that spoke for it
    reason: str = ""
    depth: int = 0

    @property
    def waits(self) -> bool:
        """Whether it is queued or was rejected: what is said of it now still counts."""
        return self.state in (State.QUEUED, State.REJECTED)

    @property
    def is_too_deep(self) -> bool:
        """Whether it was only met too far from the seeds; a shorter way to it, or a larger limit, brings it back."""
        return self.state == State.REFUSED and self.reason == TOO_DEEP


def listing(
    url: str, depth: int, decision: Decision, job: Job, config: CrawlConfig, heard: str = ""
) -> Found:
    """A sitemap or feed that names pages of the job's host, each a link further than ``depth``; maybe too far to read it.

    ``heard``: the sites that it speaks for besides its own.
    """
    far = bool(config.max_depth) and depth >= config.max_depth
    if far:
        decision = replace(decision, reason=TOO_DEEP)
    return Found(
        url, depth, decision, job.bonus, job.id, Kind.SITEMAP, refused=far, heard=heard, seed=job.seed
    )

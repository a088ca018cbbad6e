"""Statistics of a worker: counters since its start, and the event log."""

from __future__ import annotations

import json
import time
import traceback
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linksight.crawl.frontier.records import Outcome
from linksight.crawl.frontier.sql_schema import State

LOG = "log.jsonl"
MAX_TRACEBACK = 8_000  #: characters of a traceback that are logged


@dataclass
class Tally:
    """Counters of one worker since its start."""

    language: str
    strategy: str = "adaptive"
    worker: str = ""
    targets: tuple[str, ...] = ()  #: all target languages
    pages: int = 0
    hits: int = 0
    bytes: int = 0
    sampled: int = 0
    failures: int = 0
    queued: int = 0  #: links that were queued
    rejected: int = 0  #: links that were rejected
    in_hand: int = 0  #: requests in flight
    waiting: int = 0  #: URLs in the queue, of all workers
    waiting_hosts: int = 0  #: hosts of the URLs in the queue
    phase: str = "crawling"
    stopped: str = ""  #: the signal that ended this worker
    limit: str = ""  #: the setting that ended the crawl with URLs still queued
    stored: int = 0  #: pages of the crawl, by all workers and runs
    languages: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)  #: remarks that the command prints at the end
    started: float = field(default_factory=time.monotonic)
    _times: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=200))

    def count(self, outcomes: Iterable[Outcome]) -> None:
        """Count committed outcomes."""
        for outcome in outcomes:
            for link in outcome.found:
                self.reasons[link.decision.reason] += 1
                self.queued += link.decision.fetch and not link.refused
                self.rejected += not link.decision.fetch
            if outcome.page is None or outcome.reason == "redirect":
                self.failures += bool(outcome.wait)
                # A URL that will be retried keeps its reason for queueing, which does not describe the failure.
                if outcome.state != State.QUEUED:
                    self.reasons[outcome.reason] += 1
                continue
            if outcome.job.sampled:
                self.sampled += 1
                continue
            self.pages += 1
            self.bytes += outcome.page["size"]
            self.languages[outcome.page["language"]] += 1
            self.hits += outcome.page["language"] in (self.targets or (self.language,))
            self.hosts[outcome.job.host] += 1
        if len(self.hosts) > 2_000:
            self.hosts = Counter(dict(self.hosts.most_common(500)))
        self._times.append((time.monotonic(), self.pages))

    @property
    def rate(self) -> float:
        """Pages a second during the last ten seconds."""
        recent = [entry for entry in self._times if entry[0] > time.monotonic() - 10]
        if len(recent) < 2:
            return self.pages / max(time.monotonic() - self.started, 1e-9)
        return (recent[-1][1] - recent[0][1]) / max(recent[-1][0] - recent[0][0], 1e-3)

    @property
    def harvest(self) -> float:
        """Harvest rate: the share of pages in the target languages."""
        return self.hits / self.pages if self.pages else 0.0

    @property
    def ending(self) -> str:
        """Describe how the crawl ended.

        >>> Tally("nl", phase="done", limit="max_pages").ending, Tally("nl", stopped="SIGINT").ending
        ('stopped at --max-pages', 'stopped by you')
        """
        if self.stopped:
            return "stopped by you" if self.stopped == "SIGINT" else "stopped, as it was asked to"
        if self.phase == "done" and self.limit:
            return f"stopped at --{self.limit.replace('_', '-')}"
        return self.phase

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        names = ("phase", "pages", "hits", "bytes", "sampled", "failures", "queued", "rejected", "in_hand",
                 "waiting", "waiting_hosts")  # fmt: skip
        values = {name: getattr(self, name) for name in names}
        return values | {
            "rate": round(self.rate, 2),
            "harvest": round(self.harvest, 4),
            "languages": dict(self.languages.most_common(20)),
            "reasons": dict(self.reasons.most_common(40)),
        }


class Journal:
    """Event log: JSON lines, one for each event of a worker."""

    def __init__(self, folder: Path, worker: str) -> None:
        self._path = folder / LOG
        self._worker = worker
        self._next_progress = 0.0

    def note_progress(self, seconds: float, tally: Tally) -> None:
        """Log the counters: every second at first, then less often, down to once a minute."""
        if seconds >= self._next_progress:
            self._next_progress = seconds + min(seconds / 60, 60.0)
            self.note("progress", **tally.as_dict())

    def note_error(self, event: str, error: Exception, **values: Any) -> None:
        """Log an exception with its traceback."""
        trace = "".join(traceback.format_exception(error))[-MAX_TRACEBACK:]
        self.note(event, **values, traceback=trace.encode("utf-8", "backslashreplace").decode())

    def note(self, event: str, **values: Any) -> None:
        """Log an event."""
        line = {"at": round(time.time(), 3), "worker": self._worker, "event": event} | values
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

"""Crawl log in the format of Heritrix: one line a URL, for tools that read ``crawl.log``.

    time, status, size, URL, path of discovery, found on, type, worker, start+duration, digest, seed, notes

The path has a letter for each hop: L link, R redirect, E embedded, M sitemap. A negative status is Heritrix's
code for a URL without a response.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from linksight.crawl.archive.warc_records import digest
from linksight.crawl.frontier.records import HOPS, Outcome
from linksight.crawl.frontier.sql_schema import Kind, State

FILE = "crawl.log"
MAX_PATH_LETTERS = 50  #: longer discovery paths are truncated
_CODES = {
    "dns": -1, "connection": -2, "download": -3, "timeout": -4, "processing-error": -5, "robots": -9998,
    "robots-unavailable": -61, "private-address": -5001, "session-parameter": -5000, "quarantined": -3000,
    "site-turned": -5000, "scheme": -7, "too-large": -5,
}  # fmt: skip
_KINDS = {Kind.PAGE: "", Kind.SITEMAP: "M", Kind.REQUISITE: "E"}


class CrawlLog:
    """Appends to the crawl log of a folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def write(self, outcomes: Iterable[Outcome]) -> None:
        """Append a line for each outcome."""
        if lines := [line_of(outcome) for outcome in outcomes]:
            with self._path.open("a", encoding="utf-8") as file:
                file.write("".join(lines))


def line_of(outcome: Outcome) -> str:
    """Format the log line of an outcome."""
    job, answer = outcome.job, outcome.answer
    reason = (outcome.problem or outcome.reason) if outcome.state == State.QUEUED else outcome.reason
    status = (
        answer.status if answer is not None and answer.status else _CODES.get(reason.partition(":")[0], -6)
    )
    has_response = answer is not None and bool(answer.status)
    path = "L" * job.depth + "R" * int(job.evidence.get(HOPS, 0)) + _KINDS[job.kind]
    notes = [reason.replace(" ", "_")] + ([f"language:{outcome.page['language']}"] if outcome.page else [])
    fields = [
        _stamp(datetime.now(UTC), "%Y-%m-%dT%H:%M:%S."),
        f"{status:>5}",
        f"{len(answer.payload) if has_response else '-':>10}",
        job.url,
        path[:MAX_PATH_LETTERS] or "-",
        job.via or "-",
        answer.mime.replace(" ", "") or "unknown" if has_response else "unknown",
        "#001",
        f"{_stamp(datetime.fromtimestamp(answer.at, UTC), '%Y%m%d%H%M%S')}+{answer.took * 1000:.0f}" if has_response else "-",
        digest(answer.payload) if has_response else "-",
        "-" if job.seed is None else f"seed:{job.seed}",
        ",".join(notes),
    ]  # fmt: skip
    return " ".join(fields) + "\n"


def _stamp(at: datetime, layout: str) -> str:
    """Format a time with milliseconds; ``Z`` follows if the layout has dashes."""
    return f"{at.strftime(layout)}{at.microsecond // 1000:03}" + ("Z" if "-" in layout else "")

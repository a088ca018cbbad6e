"""The papers' claims (``claims.json``: quote, statistic and threshold, fixed before a run) and verdicts on their tables."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from linksight.lab.papers.report.results import Section

#: Verdicts, the best first.
VERDICTS = ("reproduced", "partly", "not reproduced", "not comparable", "not run")
WHERE = {"random": "at random", "site": "by domain", "": ""}
_RELATIONS = {
    "at least": lambda value, threshold: value >= threshold,
    "at most": lambda value, threshold: value <= threshold,
    "above": lambda value, threshold: value > threshold,
}


@dataclass(frozen=True)
class Claim:
    """One sentence of a paper and the statistic that tests it."""

    id: str
    section: str
    quote: str
    statistic: str
    relation: str
    threshold: float
    in_english: str = ""  #: a translation, where the paper is in another language

    def cited(self) -> str:
        """The sentence in quotation marks, with its translation."""
        return f"“{self.quote}”" + (f" ({self.in_english})" if self.in_english else "")

    def holds(self, value: float) -> bool:
        """Whether a measured statistic agrees with the sentence."""
        return bool(_RELATIONS[self.relation](value, self.threshold))


@dataclass(frozen=True)
class PaperTable:
    """A table or figure of a paper."""

    paper: str
    table: str
    what: str
    experiment: str  #: the section of the report that has it; empty: no experiment
    reason: str  #: why it cannot be compared, or the likely reason where it differs
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Check:
    """A claim on one split: the measured statistic and whether it holds."""

    claim: Claim
    split: str
    value: float
    holds: bool


@dataclass(frozen=True)
class Verdict:
    """The verdict of a rerun on one table or figure."""

    table: PaperTable
    verdict: str
    reason: str
    checks: tuple[Check, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


@cache
def paper_tables() -> tuple[PaperTable, ...]:
    """Every table and figure of the five papers, in their order."""
    registered = json.loads(Path(__file__).with_name("claims.json").read_text(encoding="utf-8"))
    found = []
    for row in registered["tables"]:
        claims = tuple(
            Claim(**{("relation" if k == "is" else k): v for k, v in one.items()}) for one in row["claims"]
        )
        found.append(PaperTable(**row | {"paper": registered["papers"][row["paper"]], "claims": claims}))
    return tuple(found)


def judge(sections: Iterable[Section]) -> list[Verdict]:
    """The verdicts on the tables whose experiments were run; on all tables after a complete run."""
    run = {section.key: section for section in sections}
    experiments = {table.experiment for table in paper_tables()} - {""}
    complete = experiments <= set(run)
    return [
        _verdict(table, run.get(table.experiment))
        for table in paper_tables()
        if table.experiment in run or (complete and not table.experiment)
    ]


def _verdict(table: PaperTable, section: Section | None) -> Verdict:
    if section is not None and section.unfinished:
        return Verdict(table, "not run", section.missing)
    checks = tuple(_checks(table.claims, section.statistics if section else {}))
    if not checks:
        missing = section.missing if section and table.claims else ""
        return Verdict(table, "not comparable", missing or table.reason or "nothing was measured")
    n_held = sum(check.holds for check in checks)
    measured = {check.claim for check in checks}
    left = [claim.statistic for claim in table.claims if claim not in measured]
    reasons = [table.reason] if n_held < len(checks) and table.reason else []
    reasons += [f"not measured: {'; '.join(left)}"] if left else []
    verdict = (
        "not reproduced" if not n_held else "reproduced" if n_held == len(checks) and not left else "partly"
    )
    return Verdict(table, verdict, "; ".join(reasons), checks)


def _checks(claims: Sequence[Claim], statistics: Mapping[str, Mapping[str, float | None]]) -> Iterable[Check]:
    for claim in claims:
        for split, value in statistics.get(claim.id, {}).items():
            if value is not None and not math.isnan(value):
                yield Check(claim, split, round(float(value), 4), claim.holds(value))


def verdict_line(verdicts: Sequence[Verdict]) -> str:
    """One line for a run.

    >>> verdict_line([])
    'no table of the papers was rerun'
    """
    if not verdicts:
        return "no table of the papers was rerun"
    counts = Counter(verdict.verdict for verdict in verdicts)
    checks = [check for verdict in verdicts for check in verdict.checks]
    parts = []
    for name, splits in (("as in the papers", ("random", "")), ("by domain", ("site",))):
        mine = [check.holds for check in checks if check.split in splits]
        parts += [f"{sum(mine)} of {len(mine)} {name}"] if mine else []
    claims_text = f"; claims that hold: {', '.join(parts)}" if parts else ""
    return f"{len(verdicts)} tables and figures: {', '.join(f'{counts[name]} {name}' for name in VERDICTS if counts[name] or name != 'not run')}{claims_text}"

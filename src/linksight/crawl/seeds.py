"""Seeds: the addresses that a crawl begins at, judged like links and fetched whatever the judgement."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from linksight.crawl.addresses import typed
from linksight.crawl.jobs import Found
from linksight.crawl.outlinks import Outlink
from linksight.records import Decision

if TYPE_CHECKING:
    from linksight.crawl.digest import Digester
    from linksight.crawl.frontier import Frontier
    from linksight.crawl.judge import Judge
    from linksight.crawl.tally import Journal


def plant(
    seeds: Iterable[str], judge: Judge, digester: Digester, frontier: Frontier, journal: Journal
) -> None:
    """Put the seeds into the queue; those that may not be fetched are noted with the reason."""
    judged = judge.links([Outlink(typed(seed)) for seed in seeds], 0)
    found = []
    for link, decision in zip(judged, judge.decide(judged), strict=True):
        # A seed is fetched whatever the strategy thinks of it: the user has spoken.
        decision = Decision(True, decision.priority, "seed", decision.evidence)
        refusal = digester.refusal(link.url, 0)
        if refusal:
            decision = Decision(False, 0.0, refusal)
            journal.note("seed-refused", url=link.url, reason=refusal)
        found.append(Found(link.url, 0, decision, link.memory, refused=bool(refusal)))
    frontier.add(found)

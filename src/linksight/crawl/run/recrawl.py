"""Recrawl scheduling: pages due for recapture, by age and observed change rate.

Changes are modelled as a Poisson process (Cho and Garcia-Molina 2003). The rate after ``X`` changes in ``T``
seconds is about (X + 0.5) / T, so a page that never changes waits longer each time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from sqlalchemy import select

from linksight.crawl.frontier import sql_schema, states
from linksight.crawl.frontier.batches import chunks
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.urls.near_duplicates import are_alike

MIN_CHANGE_PROBABILITY = 0.3  #: threshold for another capture
Capture = tuple[float, str, int | None]  #: time, digest and fingerprint


def queue_due(frontier: Frontier, before: float) -> int:
    """Requeue the pages that are due and whose latest capture is before a time; return their number."""
    n_due = 0
    for ids in chunks(_due(frontier, before)):
        with frontier.begin() as connection:
            hosts = states.fetch_again(connection, ids, states.DUE_AGAIN)
            frontier.lock_hosts(connection, hosts)
            frontier.rank(connection, hosts)
        n_due += len(hosts)
    return n_due


def _due(frontier: Frontier, before: float) -> Iterator[int]:
    """Yield the ids of the URLs whose pages are due."""
    p, now = sql_schema.pages.c, frontier.clock()
    query = select(p.url_id, p.fetched_at, p.digest, p.simhash).where(p.reason != "redirect")
    with frontier.engine.connect() as connection:
        rows = connection.execution_options(stream_results=True).execute(query.order_by(p.url_id, p.id))
        for id_, captures in groupby(rows, key=lambda row: row.url_id):
            if is_due([(row.fetched_at, row.digest, row.simhash) for row in captures], before, now):
                yield int(id_)


def is_due(captures: Sequence[Capture], before: float, now: float) -> bool:
    """Whether a page is due for recapture; ``captures`` are sorted by time.

    >>> day = 86_400.0
    >>> same, other = [(0.0, "a", None), (4 * day, "a", None)], [(0.0, "a", None), (4 * day, "b", None)]
    >>> [is_due(captures, 9 * day, at * day) for captures in (same, other) for at in (6, 7)]
    [False, True, True, True]
    """
    last = captures[-1][0]
    if last > before:
        return False
    observed_seconds = last - captures[0][0]
    if observed_seconds <= 0:
        return True
    changes = sum(_has_changed(one, other) for one, other in pairwise(captures))
    return 1 - math.exp(-(changes + 0.5) / observed_seconds * (now - last)) >= MIN_CHANGE_PROBABILITY


def _has_changed(one: Capture, other: Capture) -> bool:
    if one[1] == other[1]:
        return False
    return one[2] is None or other[2] is None or not are_alike(one[2], other[2])

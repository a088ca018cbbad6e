"""Filtered and unfiltered crawls of the Dutch web, replayed: Tables 1 and 2 of Hogewind et al. 2020."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

from linksight.lab.papers import published
from linksight.lab.papers.report.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials

_SEEDS = {"mixed": (5, 5), "Dutch": (10, 0)}  #: seeds in Dutch and in other languages
_FILTERS = {"breadth-first": "all", "filter": "filter"}  #: strategy -> its published crawl
_DUTCH_SHARE = 0.05  #: of the pages of the web that are Dutch
_SAMPLE_URLS = 500  #: rejected URLs that are looked at


def dutch_crawls(trials: Trials) -> Section:
    """The four crawls of Hogewind et al., on a stored web."""
    title, paper = "Crawls with and without a URL filter, replayed (Tables 1 and 2)", "Hogewind et al. 2020"
    if trials.folder is None:
        return Section("dutch-crawls", title, paper, missing="Needs LINKSIGHT_DATA to build a web from.")
    found = trials.cached("dutch_crawls", partial(_crawls, trials))
    crawls: list[list[str | Cell]] = []
    rejected: list[list[str | Cell]] = []
    for seeds, runs in found.items():
        for strategy, kind in _FILTERS.items():
            one, printed = runs[strategy], published.CRAWLS_2020[seeds][kind]
            crawls.append([
                seeds, "used" if kind == "filter" else "not used", Cell(one["downloads"], None, printed[0], digits=0),
                Cell(one["found"], None, printed[1], digits=0), Cell(100 * one["precision"], None, printed[2]),
            ])  # fmt: skip
        missed, printed = runs["filter"]["missed"], published.CRAWLS_2020[seeds]["rejected"]
        rejected.append([
            seeds, Cell(100 * missed["value"], None, printed[0]), f"{100 * missed['low']:.1f} to {100 * missed['high']:.1f}",
            f"{missed['sample']:,}", f"{runs['filter']['rejected']:,}", Cell(100 * runs["filter"]["missed_truth"]),
        ])  # fmt: skip
    tables = [
        Table(
            "Table 1: Dutch pages among the rejected URLs, %",
            ["seeds", "share", "95 % interval", "sample", "rejected URLs", "truth"],
            rejected,
        ),
        Table("Table 2: the four crawls", ["seeds", "URL filter", "pages", "Dutch pages", "% Dutch"], crawls),
    ]
    text = f"A web of {trials.scale.web:,} labelled URLs, {100 * _DUTCH_SHARE:.0f} % of them Dutch; {trials.scale.crawl:,} downloads a crawl. The paper crawled the live web for 4.5 hours. The classifier is maximum entropy on all-grams, trained on other sites."
    return Section("dutch-crawls", title, paper, [text], tables, statistics=_statistics(found))


def _statistics(found: dict[str, dict[str, Any]]) -> dict[str, dict[str, float | None]]:
    gains, lows, distances = {}, [], []
    for seeds, runs in found.items():
        before, after = runs["breadth-first"], runs["filter"]
        gains[seeds] = 100 * (after["precision"] - before["precision"])
        error = sqrt(
            sum(
                one["precision"] * (1 - one["precision"]) / max(one["downloads"], 1)
                for one in (before, after)
            )
        )
        lows.append(gains[seeds] - 196 * error)
        distances.append(100 * (after["precision"] - after["missed_truth"]))
    return {
        "rejected": {"": min(distances)}, "filter-yield": {"": min(lows)}, "filter-mixed": {"": gains["mixed"] - gains["Dutch"]},
    }  # fmt: skip


def _crawls(trials: Trials) -> dict[str, dict[str, Any]]:
    from linksight.lab.simulation.experiment import set_stage

    stage = set_stage(
        language="nl",
        data=trials.folder,
        pages=trials.scale.web,
        share=_DUTCH_SHARE,
        seed=1 + trials.corpus.seed,
    )
    found: dict[str, dict[str, Any]] = {}
    for seeds, (yes, no) in _SEEDS.items():
        result = stage.compare(
            ",".join(_FILTERS), budget=trials.scale.crawl, n_seeds=yes, n_others=no, sample=_SAMPLE_URLS
        )
        found[seeds] = {name: runs[0].as_dict() for name, runs in result.runs.items()}
    return found

"""Language-focused crawls on a stored web: Tables XVII to XIX and Figure 7 of 2013."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from linksight.lab.evaluation.labelled_urls import PAPER_LANGUAGES
from linksight.lab.papers import published
from linksight.lab.papers.report import svg_plots
from linksight.lab.papers.report.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import name as name_of

PAPER = "Baykan, Henzinger, Weber 2013"


def crawl(trials: Trials) -> Section:
    """Crawls replayed on a stored web: Tables XVII to XIX and Figure 7."""
    title = "Language-focused crawls, replayed"
    if trials.folder is None:
        return Section("table-xvii", title, PAPER, missing="Needs LINKSIGHT_DATA to build a web from.")
    found = {}
    for language in ("de",) if trials.scale.name == "quick" else PAPER_LANGUAGES:
        found[language] = trials.cached(f"crawl_{language}", partial(_crawl, trials, language))
    rows: list[list[str | Cell]] = []
    places = {"random": 0, "cctld": 1, "classifier": 2}
    for language, strategies in found.items():
        for name, one in strategies.items():
            at = places.get(name)
            printed = [
                table[language][at] if at is not None else None
                for table in (published.TABLE_XVII, published.TABLE_XVIII, published.TABLE_XIX)
            ]
            rows.append([
                name_of(language), name, f"{one['downloads']:,}", Cell(one["hosts"], None, printed[0], digits=0),
                Cell(one["unlabelled"], None, printed[1]), Cell(one["precision"], None, printed[2]),
            ])  # fmt: skip
    figures = [
        (f"Figure 7: {name_of(language)}, share in the language of each stretch of downloads", svg_plots.lines(
            {name: [(x, y, 0.0) for x, y in one["curve"]] for name, one in strategies.items()}, "downloads", "% in the language"))
        for language, strategies in found.items()
    ]  # fmt: skip
    return Section(
        "table-xvii", title, PAPER,
        [f"A web of {trials.scale.web:,} labelled URLs, 20 % of them in the language, linked as links between languages were measured; seeds in and outside the language, at most ten pages a host. The paper crawled the live web of 2010 from one news site each. The classifier is maximum entropy on all-grams trained on other sites."],
        [Table("Tables XVII to XIX: hosts visited, % without a label, % in the language", ["language", "strategy", "pages", "hosts", "% unlabelled", "precision"], rows)],
        figures, statistics={claim: {"": value} for claim, value in _statistics(found).items()},
    )  # fmt: skip


def _statistics(found: dict[str, dict[str, Any]]) -> dict[str, float]:
    """The statistics of the claims over the languages that were crawled."""
    three = ("random", "cctld", "classifier")
    crawls = list(found.values())

    def share(holds: Callable[[dict[str, Any]], bool], of: Sequence[dict[str, Any]] = crawls) -> float:
        return 100 * sum(map(holds, of)) / len(of) if of else float("nan")

    def change(crawl: dict[str, Any], name: str) -> float:
        return float(crawl[name]["curve"][-1][1] - crawl[name]["curve"][0][1])

    return {
        "crawl-random-hosts": share(
            lambda one: one["random"]["hosts"] == max(one[name]["hosts"] for name in three)
        ),
        "crawl-svm-hosts": share(
            lambda one: one["classifier"]["hosts"] == min(one[name]["hosts"] for name in three)
        ),
        "crawl-90": min(one["classifier"]["precision"] for one in crawls),
        "crawl-random-last": min(
            one[name]["precision"] - one["random"]["precision"] for one in crawls for name in three[1:]
        ),
        "random-falls": share(
            lambda one: change(one, "random") < 0,
            [one for language, one in found.items() if language != "en"],
        ),
        "focused-stable": max(abs(change(one, name)) for one in crawls for name in three[1:]),
    }


def _crawl(trials: Trials, language: str) -> dict[str, Any]:
    from linksight.lab.simulation.experiment import compare

    result = compare(
        language=language, strategies="random,cctld,classifier,adaptive", data=trials.folder, pages=trials.scale.web,
        share=0.2, budget=trials.scale.crawl, seed=1 + trials.corpus.seed, max_pages_per_host=10,
    )  # fmt: skip
    found = {}
    stretch = max(1, trials.scale.crawl // 5)
    for name, runs in result.runs.items():
        run = runs[0]
        pieces = range(0, len(run.hits), stretch)
        found[name] = {
            "downloads": len(run.order), "hosts": run.hosts, "precision": 100 * run.precision,
            "unlabelled": 100 * run.unlabelled / max(1, len(run.order)),
            "curve": [(min(i + stretch, len(run.hits)), 100 * float(np.mean(run.hits[i : i + stretch]))) for i in pieces],
        }  # fmt: skip
    return found

"""Language-focused crawls on a stored web: Tables XVII to XIX and Figure 7 of 2013."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from linksight.lab.evaluation.labelled_urls import PAPER_LANGUAGES
from linksight.lab.papers import published, svg_plots
from linksight.lab.papers.results import Cell, Section, Table
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
        found[language] = trials.kept(f"crawl_{language}", partial(_crawl, trials, language))
    rows: list[list[str | Cell]] = []
    places = {"random": 0, "cctld": 1, "classifier": 2}
    for language, strategies in found.items():
        for name, one in strategies.items():
            at = places.get(name)
            told = [
                table[language][at] if at is not None else None
                for table in (published.TABLE_XVII, published.TABLE_XVIII, published.TABLE_XIX)
            ]
            rows.append([
                name_of(language), name, f"{one['downloads']:,}", Cell(one["hosts"], None, told[0], digits=0),
                Cell(one["unlabelled"], None, told[1]), Cell(one["precision"], None, told[2]),
            ])  # fmt: skip
    figures = [
        (f"Figure 7: {name_of(language)}, share in the language of each stretch of downloads", svg_plots.lines(
            {name: [(x, y, 0.0) for x, y in one["curve"]] for name, one in strategies.items()}, "downloads", "% in the language"))
        for language, strategies in found.items()
    ]  # fmt: skip
    ordered = all(
        one["classifier"]["precision"] > one["random"]["precision"]
        and one["cctld"]["precision"] > one["random"]["precision"]
        for one in found.values()
    )
    return Section(
        "table-xvii", title, PAPER,
        [f"A web of {trials.scale.web:,} labelled URLs, 20 % of them in the language, linked as links between languages were measured; seeds in and outside the language, at most ten pages a host. The paper crawled the live web of 2010 from one news site each. The classifier is maximum entropy on all-grams trained on other sites."],
        [Table("Tables XVII to XIX: hosts visited, % without a label, % in the language", ["language", "strategy", "pages", "hosts", "% unlabelled", "precision"], rows)],
        figures, agreements=[("random crawls are the least precise, the country code and the classifier far above", ordered)],
    )  # fmt: skip


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

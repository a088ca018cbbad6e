"""URL patterns of sites: Table 3, Figures 14 and 15 of Hernández et al. 2016."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from linksight.errors import LinksightError
from linksight.lab.papers import published
from linksight.lab.papers.other_papers import cala2016_local_sites
from linksight.lab.papers.report import svg_plots
from linksight.lab.papers.report.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.system.processes import n_cores

Measured = dict[tuple[str, str], dict[str, Any]]  # site and learner -> measures
_COLUMNS = (
    "site", "learner", "URLs", "tokens a URL", "P", "R", "F1", "P unsupervised", "R unsupervised", "F1 unsupervised",
    "F1 with unmatched as errors", "% unmatched", "s to learn", "s to download",
)  # fmt: skip


def sites(trials: Trials) -> Section:
    """Patterns of sites: Table 3, Figures 14 and 15 of the CALA paper."""
    at_once = n_cores() if trials.scale.name == "quick" else 1  # at once is quicker, and every time longer
    lacking = cala2016_local_sites.lacking()
    names = [name for name in cala2016_local_sites.CLASSES if name not in lacking]
    measured = _measured(trials, names, at_once, lacking)
    as_published: list[list[str | Cell]] = [
        [site, f"{int(v[0]):,}", *(f"{one:.2f}" for one in v[1:5])]
        for site, v in published.SITES_2016.items()
    ]
    caption = "Table 3 as published: sites of 2016"
    tables = [Table(caption, ["site", "URLs", "tokens a URL", "P", "R", "F1"], as_published)]
    figures = []
    if measured:
        tables = [_results(measured), _times(measured), *tables]
        background = [(v[3], v[2]) for v in published.SITES_2016.values()]
        picture = svg_plots.scatter(_points(measured), "recall", "precision", background=background)
        figures = [("Figure 14: precision and recall, supervised; published sites in grey", picture)]
    mean = float(np.mean([v[4] for v in published.SITES_2016.values()]))
    return Section(
        "sites", "URL patterns of sites (Table 3)", "Hernández et al. 2016",
        [
            "Hubs are gathered through the search form of each site with the paper's constants; patterns are learnt from half of them and "
            f"tested on the links of the other half. The paper's sites need a network; their mean F1 is {mean:.2f}. Ours are a real Trac, a real "
            "Wagtail, a real Roundup and a shop with words in its addresses. “paper” is the paper's algorithm alone, “refined” is what "
            f"linksight does by default. {at_once} ran at a time."
        ],
        tables, figures, "Not run here: " + "; ".join(lacking.values()) + "." if lacking else "",
        statistics=_statistics(measured),
    )  # fmt: skip


def _measured(trials: Trials, names: list[str], at_once: int, lacking: dict[str, str]) -> Measured:
    """The measures of each site by learner; a site that fails goes to ``lacking``, with the reason."""

    def learners(name: str) -> list[dict[str, Any]]:
        try:
            rows: list[dict[str, Any]] = trials.cached(
                f"sites_{name}", partial(cala2016_local_sites.measure, name)
            )
            return rows
        except LinksightError as error:
            lacking[name] = str(error)
            return []

    with ThreadPoolExecutor(at_once) as pool:
        found = list(pool.map(learners, names))
    return {(name, one["learner"]): one for name, rows in zip(names, found, strict=True) for one in rows}


def _results(measured: Measured) -> Table:
    rows: list[list[str | Cell]] = [
        [
            name, learner, f"{one['n_urls']:,}", f"{one['tokens_per_url']:.1f}",
            *(Cell(one[mode][i], digits=2) for mode in ("supervised", "unsupervised") for i in range(3)),
            Cell(one["f1_of_all"], digits=2), Cell(100 * one["unmatched"]), f"{one['learning_s']:.2f}", f"{one['download_s']:.1f}",
        ]
        for (name, learner), one in measured.items()
    ]  # fmt: skip
    return Table("Table 3: sites run on this machine", _COLUMNS, rows)


def _times(measured: Measured) -> Table:
    rows: list[list[str | Cell]] = [
        [name, *(f"{value:,.1f}" for value in (1e6 * one["classify_s"], 1e6 * one["page_s"], one["page_s"] / one["classify_s"]))]
        for (name, learner), one in measured.items()
        if learner == "paper"
    ]  # fmt: skip
    caption = "Figure 15: microseconds to classify a URL and to download a page"
    return Table(caption, ["site", "classify", "download", "ratio"], rows)


def _points(measured: Measured) -> dict[str, list[tuple[float, float]]]:
    """Recall and precision of each site, by learner."""
    found: dict[str, list[tuple[float, float]]] = {}
    for (_, learner), one in measured.items():
        precision, recall, _ = one["supervised"]
        found.setdefault(learner, []).append((recall, precision))
    return found


def _statistics(measured: Measured) -> dict[str, dict[str, float | None]]:
    ours = [one for (_, learner), one in measured.items() if learner == "paper"]
    if not ours:
        return {}
    corner = [min(one["supervised"][:2]) >= 0.9 for one in ours]
    return {
        "cala-f1": {"": float(np.mean([one["supervised"][2] for one in ours]))},
        "cala-two-minutes": {"": max(one["learning_s"] + one["download_s"] for one in ours)},
        "cala-corner": {"": 100 * float(np.mean(corner))},
        "cala-eight-times": {"": min(one["page_s"] / one["classify_s"] for one in ours if one["classify_s"])},
    }

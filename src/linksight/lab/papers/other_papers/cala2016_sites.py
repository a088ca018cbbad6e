"""URL patterns of sites: Table 3, Figures 14 and 15 of Hernández et al. 2016."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from linksight.lab.papers import published
from linksight.lab.papers.other_papers import cala2016_local_sites
from linksight.lab.papers.report import svg_plots
from linksight.lab.papers.report.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.system.processes import n_cores


def sites(trials: Trials) -> Section:
    """Patterns of sites: Table 3, Figures 14 and 15 of the CALA paper."""
    published_rows: list[list[str | Cell]] = [
        [site, f"{int(v[0]):,}", *(f"{one:.2f}" for one in v[1:5])]
        for site, v in published.SITES_2016.items()
    ]
    columns = ["site", "URLs", "tokens a URL", "P", "R", "F1"]
    as_published = Table("Table 3 as published: sites of 2016", columns, published_rows)
    rows: list[list[str | Cell]] = []
    measured: dict[tuple[str, str], dict[str, Any]] = {}
    lacking = cala2016_local_sites.lacking()
    names = [name for name in cala2016_local_sites.CLASSES if name not in lacking]
    at_once = n_cores() if trials.scale.name == "quick" else 1  # at once is quicker, and every time longer
    with ThreadPoolExecutor(at_once) as pool:
        found = pool.map(
            lambda name: trials.kept(f"sites_{name}", partial(cala2016_local_sites.measure, name)), names
        )
    for name, learners in zip(names, found, strict=True):
        for one in learners:
            rows.append([
                name, one["learner"], f"{one['n_urls']:,}", f"{one['tokens_per_url']:.1f}",
                *(Cell(one[mode][i], digits=2) for mode in ("supervised", "unsupervised") for i in range(3)),
                Cell(one["f1_of_all"], digits=2), Cell(100 * one["unmatched"]), f"{one['learning_s']:.2f}", f"{one['download_s']:.1f}",
            ])  # fmt: skip
            measured[name, one["learner"]] = one
    ours = [
        "site", "learner", "URLs", "tokens a URL", "P", "R", "F1", "P unsupervised", "R unsupervised", "F1 unsupervised",
        "F1 with unmatched as errors", "% unmatched", "s to learn", "s to download",
    ]  # fmt: skip
    tables = [Table("Table 3: sites run on this machine", ours, rows)] if rows else []
    if measured:
        times: list[list[str | Cell]] = [
            [
                name,
                f"{1e6 * one['classify_s']:,.1f}",
                f"{1e6 * one['page_s']:,.0f}",
                f"{one['page_s'] / one['classify_s']:,.0f}",
            ]
            for (name, learner), one in measured.items()
            if learner == "paper"
        ]
        tables.append(
            Table(
                "Figure 15: microseconds to classify a URL and to download a page",
                ["site", "classify", "download", "ratio"],
                times,
            )
        )
    mean = float(np.mean([v[4] for v in published.SITES_2016.values()]))
    return Section(
        "sites", "URL patterns of sites (Table 3)", "Hernández et al. 2016",
        [
            "Hubs are gathered through the search form of each site with the paper's constants; patterns are learnt from half of them and "
            f"tested on the links of the other half. The paper's sites need a network; their mean F1 is {mean:.2f}. Ours are a real Trac, a real Wagtail, a real Roundup and a shop with "
            "words in its addresses. “paper” is the paper's algorithm alone, “refined” is what linksight does by default. "
            f"{at_once} ran at a time."
        ],
        [*tables, as_published],
        missing="Not run here: " + "; ".join(lacking.values()) + "." if lacking else "",
        figures=[("Figure 14: precision and recall, supervised; published sites in grey", svg_plots.scatter(_points(measured), "recall", "precision", background=[(v[3], v[2]) for v in published.SITES_2016.values()]))] if measured else (),
        statistics=_statistics(measured),
    )  # fmt: skip


def _points(measured: dict[tuple[str, str], dict[str, Any]]) -> dict[str, list[tuple[float, float]]]:
    """Recall and precision of each site, by learner."""
    found: dict[str, list[tuple[float, float]]] = {}
    for (_, learner), one in measured.items():
        precision, recall, _ = one["supervised"]
        found.setdefault(learner, []).append((recall, precision))
    return found


def _statistics(measured: dict[tuple[str, str], dict[str, Any]]) -> dict[str, dict[str, float | None]]:
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

"""URL patterns of sites: Table 3 of Hernández et al. 2016."""

from __future__ import annotations

from functools import partial

import numpy as np

from linksight.lab.papers import published
from linksight.lab.papers.other_papers import cala2016_local_sites
from linksight.lab.papers.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials


def sites(trials: Trials) -> Section:
    """Patterns of sites: Table 3 of the CALA paper."""
    published_rows: list[list[str | Cell]] = [
        [site, f"{int(v[0]):,}", *(f"{one:.2f}" for one in v[1:5])]
        for site, v in published.SITES_2016.items()
    ]
    columns = ["site", "URLs", "tokens a URL", "P", "R", "F1"]
    as_published = Table("Table 3 as published: sites of 2016", columns, published_rows)
    rows: list[list[str | Cell]] = []
    lacking = cala2016_local_sites.lacking()
    for name in cala2016_local_sites.CLASSES:
        if name in lacking:
            continue
        for one in trials.kept(f"sites_{name}", partial(cala2016_local_sites.measure, name)):
            rows.append([
                name, one["learner"], f"{one['n_urls']:,}", f"{one['tokens_per_url']:.1f}",
                *(Cell(one[mode][i], digits=2) for mode in ("supervised", "unsupervised") for i in range(3)),
                f"{one['learning_s']:.2f}", f"{one['download_s']:.1f}",
            ])  # fmt: skip
    ours = [
        "site", "learner", "URLs", "tokens a URL", "P", "R", "F1", "P unsupervised", "R unsupervised", "F1 unsupervised",
        "s to learn", "s to download",
    ]  # fmt: skip
    tables = [Table("Table 3: sites run on this machine", ours, rows)] if rows else []
    refined = [row[6].value or 0 for row in rows if row[1] == "refined" and isinstance(row[6], Cell)]
    mean = float(np.mean([v[4] for v in published.SITES_2016.values()]))
    return Section(
        "sites", "URL patterns of sites (Table 3)", "Hernández et al. 2016",
        [
            "Hubs are gathered through the search form of each site with the paper's constants; patterns are learnt from half of them and "
            f"tested on the links of the other half. The paper's sites need a network; their mean F1 is {mean:.2f}. Ours are a real Trac, a real Wagtail and a shop with "
            "words in its addresses. “paper” is the paper's algorithm alone, “refined” is what linksight does by default."
        ],
        [*tables, as_published],
        missing="Not run here: " + "; ".join(lacking.values()) + "." if lacking else "",
        agreements=[("F1 is .9 or better on every site", min(refined) >= 0.9)] if refined else (),
    )  # fmt: skip

"""All experiments: what each is called, what it must train, and the function that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from linksight.errors import BadConfig
from linksight.lab.evaluation.cross_validation import SPLITS, Run, Way
from linksight.lab.papers.baykan2013 import (
    algorithms,
    comparisons,
    countries,
    crawls,
    data_sets,
    growth,
    ngrams,
    readable_tree,
    unseen_domains,
)
from linksight.lab.papers.baykan2013.classifier_specs import (
    BASELINES,
    BEST,
    CUSTOM,
    FEATURES,
    GRAMS,
    HOSTED,
    NGRAMS,
    RIVALS,
    SHARES,
    SHIPPED,
    THREE,
    WORDS,
)
from linksight.lab.papers.other_papers import (
    baykan2008_combinations,
    baykan2008_page_text,
    cala2016_sites,
    chew2011_pages,
    hogewind2020_crawls,
    hogewind2020_dutch,
)
from linksight.lab.papers.report.results import Section
from linksight.lab.papers.runner import Scale, Trials

_SHARE_OF_WORK = {"full": 1.0, "middle": 0.3, "quick": 0.08}


@dataclass(frozen=True)
class Experiment:
    """One table or figure."""

    line: str  #: for the list
    show: Callable[[Trials], Section]
    ways: tuple[Way, ...] = ()
    shares: tuple[float, ...] = (1.0,)
    grid: tuple[Way, ...] = ()  #: ways to choose among, on the scale's share of the training URLs
    cost: float = 1.0  #: seconds of the work that is no fold, at full scale
    own: bool = True  #: whether it says something about any labelled URLs, not only those of LINKSIGHT_DATA

    def cost_at(self, scale: Scale) -> float:
        """The seconds of the work that is no fold, roughly."""
        return self.cost * _SHARE_OF_WORK[scale.name]

    def runs(self, hosted: bool, scale: Scale) -> list[Run]:
        """The runs that it needs; those by hosting country where these are known."""
        grid = [Run(way, split, scale.grid_share) for way in self.grid for split in SPLITS]
        ways = [way for way in self.ways if hosted or way not in HOSTED.values()]
        return grid + [
            Run(way, split, share)
            for way in ways
            for split in SPLITS
            # What is not trained has no size of training.
            for share in (self.shares if way.features else (1.0,))
        ]


_SHIPPED = tuple(SHIPPED.values())
_COMPARED = (*BEST.values(), *HOSTED.values(), *_SHIPPED)

#: name on the command line -> experiment, in the order of the report
EXPERIMENTS = {
    "data-sets": Experiment("the data: Tables I to IV and XV", data_sets.data_sets, cost=20, own=False),
    "table-v": Experiment("the country code alone; Figure 1", countries.table_v, (*BASELINES.values(), *_SHIPPED)),
    "table-vi": Experiment("confusion of the country code", countries.table_vi, (*BASELINES.values(), *_SHIPPED)),
    "table-vii": Experiment("the country of the server, and Table VIII (needs --hosting)", countries.table_vii),
    "table-ix": Experiment("words with five algorithms", algorithms.table_ix, (*WORDS.values(), *_SHIPPED)),
    "table-x": Experiment("the best n-grams of each algorithm", ngrams.table_x, grid=tuple(Way(name, one) for name in NGRAMS for one in GRAMS), cost=300),
    "table-xi": Experiment("SVM with 17 feature sets", ngrams.table_xi, tuple(FEATURES.values())),
    "table-xii": Experiment("custom features with five algorithms", algorithms.table_xii, (*CUSTOM.values(), *_SHIPPED)),
    "table-xiii": Experiment("empty URLs; Figure 3", comparisons.table_xiii, (*THREE.values(), Way("dt", "custom"))),
    "table-xiv": Experiment("the best of each kind; Figure 4", comparisons.table_xiv, _COMPARED),
    "section-4.3.1": Experiment("domains seen in training", comparisons.section_431, (Way("svm", "words"),)),
    "figure-2": Experiment("the top of the decision tree", readable_tree.figure_2, cost=20),
    "figure-5": Experiment("training size, and Figure 6", growth.figure_5, _COMPARED, SHARES),
    "table-xvi": Experiment("multimedia URLs", comparisons.table_xvi, _COMPARED),
    "table-xvii": Experiment("replayed crawls: Tables XVII to XIX, Figure 7", crawls.crawl, cost=600, own=False),
    "2008-selection": Experiment("forward selection of custom features", baykan2008_combinations.selection, cost=250),
    "2008-combinations": Experiment("Table 9: the best combinations", baykan2008_combinations.combinations, cost=700),
    "2008-content": Experiment("Table 10: training on content", baykan2008_page_text.content, cost=200, own=False),
    "2008-domains": Experiment("memorised domains", baykan2008_combinations.memorised, (*baykan2008_combinations.DOMAINS.values(), *_SHIPPED)),
    "2008-sizes": Experiment("words and 3-grams by training size", baykan2008_combinations.sizes, tuple(baykan2008_combinations.SIZES.values()), SHARES),
    "2008-humans": Experiment("the human baseline, as published", baykan2008_combinations.humans, cost=0.1, own=False),
    "dutch": Experiment("Hogewind et al.: Dutch or not", hogewind2020_dutch.dutch, cost=300, own=False),
    "dutch-crawls": Experiment("Hogewind et al.: Tables 1 and 2", hogewind2020_crawls.dutch_crawls, cost=60, own=False),
    "pages": Experiment("Chew et al.: Tables 1, 6 and 8 to 10", chew2011_pages.pages, cost=170, own=False),
    "sites": Experiment("Hernández et al.: Table 3, Figures 14 and 15", cala2016_sites.sites, cost=200, own=False),
    "beyond": Experiment("all classifiers and the bundled model on unseen domains", unseen_domains.unseen, tuple(RIVALS.values()), own=False),
    "lengths": Experiment("short and long URLs", unseen_domains.lengths, tuple(RIVALS.values())),
    "languages": Experiment("the bundled model language by language", unseen_domains.by_language, cost=2, own=False),
    "needs": Experiment("what a language would need", growth.needs, (BEST["SVM all-grams"],), tuple(share for share in SHARES if share >= 0.01)),
}  # fmt: skip


# Tables and figures that stand in the section of another, by the numbers that their papers give them.
_ALSO = {
    "figure-1": "table-v", "table-i": "data-sets", "table-ii": "data-sets", "table-iii": "data-sets", "table-iv": "data-sets",
    "table-xv": "data-sets", "figure-14": "sites", "figure-15": "sites", "table-viii": "table-vii", "figure-3": "table-xiii", "figure-4": "table-xiv",
    "figure-6": "figure-5", "table-xviii": "table-xvii", "table-xix": "table-xvii", "figure-7": "table-xvii",
    "table-8": "pages", "table-3": "sites",
}  # fmt: skip
_ROMAN = {
    str(number): roman
    for number, roman in enumerate(
        "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix".split(), start=1
    )
}
_ARABIC = {
    "1": ("pages", "dutch-crawls"),
    "2": ("2008-humans", "dutch-crawls"),
    "3": ("2008-humans", "sites"),
    "6": ("pages",),
    "9": ("2008-combinations", "pages"),
    "10": ("2008-content", "pages"),
}


def chosen(names: Sequence[str], own: bool = False) -> dict[str, Experiment]:
    """The experiments asked for, in the order of the menu; where none is named all that make sense.

    >>> list(chosen(["Table XI", "figure-1"]))
    ['table-v', 'table-xi']
    """
    written = ["-".join(name.lower().replace("_", " ").split()) for name in names]
    wanted = [_ALSO.get(name, name) for name in written]
    for name in wanted:
        if name not in EXPERIMENTS:
            near = _numbered(name) or get_close_matches(name, EXPERIMENTS, n=1)
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "--list shows them"
            raise BadConfig(f"no experiment {name!r}: {hint}")
    if not wanted:
        return {name: one for name, one in EXPERIMENTS.items() if one.own or not own}
    return {name: one for name, one in EXPERIMENTS.items() if name in wanted}


def _numbered(name: str) -> list[str]:
    """The tables that have a number: Roman in one paper, Arabic in the others.

    >>> _numbered("table-9"), _numbered("table11")
    (['table-ix', '2008-combinations', 'pages'], ['table-xi'])
    """
    number = name.removeprefix("table").lstrip("-")
    roman = f"table-{_ROMAN.get(number, number)}"
    found = [_ALSO.get(roman, roman), *_ARABIC.get(number, ())]
    return [one for one in found if one in EXPERIMENTS]


def all_runs(menu: Iterable[Experiment], hosted: bool, scale: Scale) -> list[Run]:
    """What a choice of experiments must train, each once."""
    return sorted({run for experiment in menu for run in experiment.runs(hosted, scale)})

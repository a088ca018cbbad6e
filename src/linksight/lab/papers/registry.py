"""Registry of the experiments: names, required runs, and functions that build their sections."""

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
from linksight.lab.papers.claims import paper_tables
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
    own: bool = True  #: whether it applies to any labelled URLs, not only those of LINKSIGHT_DATA

    def cost_at(self, scale: Scale) -> float:
        """The approximate seconds of work outside folds."""
        return self.cost * _SHARE_OF_WORK[scale.name]

    def runs(self, hosted: bool, scale: Scale) -> list[Run]:
        """The required runs; those by hosting country only if the countries are known."""
        grid = [Run(way, split, scale.grid_share) for way in self.grid for split in SPLITS]
        ways = [way for way in self.ways if hosted or way not in HOSTED.values()]
        return grid + [
            Run(way, split, share)
            for way in ways
            for split in SPLITS
            # Untrained classifiers have no training size.
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


_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix".split()


def chosen(names: Sequence[str], own: bool = False) -> dict[str, Experiment]:
    """The selected experiments, in the order of the registry; without names all applicable ones.

    Tables and figures are also found by their names in the papers.

    >>> list(chosen(["Table XV", "table-xi"]))
    ['data-sets', 'table-xi']
    """
    names_to_run = set()
    for name in ("-".join(name.lower().replace("_", " ").split()) for name in names):
        found = [name] if name in EXPERIMENTS else _experiments_of(name)
        if len(found) != 1:
            near = _numbered(name) or found or get_close_matches(name, EXPERIMENTS, n=1)
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "--list shows them"
            raise BadConfig(f"no experiment {name!r}: {hint}")
        names_to_run.add(found[0])
    if not names_to_run:
        return {name: one for name, one in EXPERIMENTS.items() if one.own or not own}
    return {name: one for name, one in EXPERIMENTS.items() if name in names_to_run}


def _experiments_of(name: str) -> list[str]:
    """The experiments that have a table or figure of this name, one for each paper that has it."""
    names = (table.experiment for table in paper_tables() if table.table.lower().replace(" ", "-") == name)
    return list(dict.fromkeys(filter(None, names)))


def _numbered(name: str) -> list[str]:
    """The tables that have a number: Roman in one paper, Arabic in the others.

    >>> _numbered("table-9"), _numbered("table11")
    (['table-ix', '2008-combinations', 'pages'], ['table-xi'])
    """
    number = name.removeprefix("table").lstrip("-")
    roman = _ROMAN[int(number) - 1] if number.isdigit() and 0 < int(number) <= len(_ROMAN) else number
    return _experiments_of(f"table-{roman}") + _experiments_of(f"table-{number}") * (number != roman)


def all_runs(menu: Iterable[Experiment], hosted: bool, scale: Scale) -> list[Run]:
    """The runs of a selection of experiments, without duplicates."""
    return sorted({run for experiment in menu for run in experiment.runs(hosted, scale)})

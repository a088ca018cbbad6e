"""The slides of 2008: selection, combinations, memorised domains, people."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.lab.evaluation.cross_validation import (
    SPLITS,
    Run,
    Way,
    answers_of,
    both_answers,
    count_accepted,
)
from linksight.lab.evaluation.significance_tests import Spread, measures_of, winner
from linksight.lab.papers import published
from linksight.lab.papers.baykan2013.classifier_specs import SHARES, SHIPPED
from linksight.lab.papers.report import svg_plots
from linksight.lab.papers.report.report_tables import (
    BUNDLED,
    averaged,
    by_split,
    caveat,
    dev_cells,
    dev_columns,
)
from linksight.lab.papers.report.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import name as name_of
from linksight.models.algorithms.decision_tree import DecisionTree
from linksight.models.forward_selection import parts

PAPER = "Baykan, Henzinger, Weber 2008"
DOMAINS = {
    "NB words": Way("nb", "words"),
    "ME words": Way("me", "words"),
    "RE 3-grams": Way("re", "3-grams-from-word"),
    "DT custom": Way("dt", "custom"),
}
SIZES = {"NB words": Way("nb", "words"), "NB 3-grams": Way("nb", "3-grams-from-word")}
_TEST_SETS = ("pages", "dev")  #: rows that are only tested on
_N_SELECTIONS = 3  # draws of rows to select features on
_MAX_SELECTION_ROWS = 8_000


def selection(trials: Trials) -> Section:
    """Forward selection: 74 features down to 15."""
    series, everything, rows, losses = {}, {}, [], []
    for language in trials.languages[: trials.scale.n_selection]:
        found = [
            trials.cached(f"2008-selection_{language}_{part}", partial(_select, trials, language, part))
            for part in range(_N_SELECTIONS)
        ]  # fmt: skip
        curves = [Spread(tuple(one["curve"][i] for one in found)) for i in range(len(found[0]["curve"]))]
        every = Spread(tuple(one["all"] for one in found))
        series[name_of(language)] = [(i + 1.0, one.mean, one.sd) for i, one in enumerate(curves)]
        everything[name_of(language)] = [(1.0, every.mean, 0.0), (float(len(curves)), every.mean, 0.0)]
        loss = Spread(tuple(one["all"] - one["curve"][-1] for one in found))
        losses.append(loss.mean)
        cells: list[str | Cell] = [
            name_of(language), ", ".join(found[0]["columns"]), Cell.of(curves[-1]), Cell.of(every), Cell.of(loss, 3.0)
        ]  # fmt: skip
        rows.append(cells)
    columns = ["language", "chosen, best first", "F1 of these", "F1 of all 74", "loss"]
    return Section(
        "2008-selection", "Forward selection of custom features", PAPER,
        [f"Trees and trained dictionaries learn from half of up to 8,000 rows, a quarter chooses the features, F1 is that of the last quarter; mean of {_N_SELECTIONS} such draws, the features are those of the first. The paper lost .03 of F with 15 features."],
        [Table("Custom features of 2008 chosen greedily", columns, rows)],
        [("F1 of the first, the first two, … features chosen; dashed: all 74", svg_plots.lines(series, "features", "F1", dashed=everything))],
        statistics={"selection": {"": max(losses, default=None)}},
    )  # fmt: skip


def _select(trials: Trials, language: str, part: int) -> dict[str, Any]:
    """Chosen on rows that nothing has learnt from, measured on rows that chose nothing."""
    corpus = trials.corpus
    task = corpus.task(language)
    drawn = np.random.default_rng((corpus.seed, part)).permutation(task)[:_MAX_SELECTION_ROWS]
    labels = corpus.labels[drawn]
    learn, choose, judge = parts(len(drawn), len(drawn), (2, 1, 1), corpus.seed)
    tree = DecisionTree("custom-2008", language=language)
    urls = [corpus.urls[i] for i in drawn]
    tried = tree.trials(urls, labels, (labels == language).astype(np.int64), (language,), learn)

    def f1(columns: Sequence[int]) -> float:
        measures = measures_of(language, count_accepted(labels[judge], tried.answers(columns, judge) == 1))
        return 100 * measures.f1 if measures else 0.0

    chosen = tried.select(trials.scale.n_wanted, choose).columns
    return {
        "columns": [tried.columns[i] for i in chosen],
        "curve": [f1(chosen[: i + 1]) for i in range(len(chosen))],
        "all": f1(range(len(tried.columns))),
    }


def combinations(trials: Trials) -> Section:
    """The best pair of classifiers for each language."""
    rows: list[list[str | Cell]] = []
    means: dict[str, list[float]] = {split: [] for split in SPLITS}
    for language in trials.languages:
        printed = published.COMBINATIONS_2008.get(language)
        for split in SPLITS:
            found = [
                trials.cached(f"2008-combinations_{language}_{split}_{fold}", partial(_combine, trials, language, split, fold))
                for fold in range(trials.scale.n_folds)
            ]  # fmt: skip
            found = [one for one in found if one]
            if not found:
                rows.append([name_of(language), split, "–", Cell(None), "–", *[Cell(None)] * 4])
                continue
            single, pair = (Spread(tuple(one[f"{kind}_f1"] for one in found)) for kind in ("single", "pair"))
            names = [Counter(one[kind] for one in found).most_common(1)[0][0] for kind in ("single", "pair")]
            best = winner({"single": single, "pair": pair})
            sets = {"": pair} | {
                name: Spread(values)
                for name in _TEST_SETS
                if (values := tuple(one[name] for one in found if one.get(name) is not None))
            }
            mean = float(np.mean([one.mean for one in sets.values()]))
            published_f = [100 * printed[i] if printed and split == "random" else None for i in (0, 2, 1, 3)]
            rows.append([
                name_of(language), split, names[0], Cell.of(single, None, best == "single"), names[1],
                Cell.of(pair, published_f[0], best == "pair"),
                *(Cell.of(sets.get(name), published_f[i + 1]) for i, name in enumerate(_TEST_SETS)), Cell(mean, None, published_f[3]),
            ])  # fmt: skip
            means[split].append(mean)
    columns = [
        "language",
        "split",
        "best single",
        "F1",
        "best combination",
        "F1",
        "F1 on real pages",
        "F1 on curated sites",
        "mean",
    ]
    return Section(
        "2008-combinations", "The best combination for each language (Table 9)", PAPER,
        ["Two classifiers joined by “both” or “either”. In each fold chosen on the next fold, which training leaves out, and measured on its own; named is the choice of most folds. It is then tested on two further test sets: real page URLs (urls/pages_dev.parquet) for the paper's web crawl, curated URLs of unseen domains (urls/dev.parquet) for its search engine results."],
        [Table("Best single classifier and best combination, means over folds", columns, rows)],
        statistics={"combinations": by_split(lambda split: min(means[split], default=None))},
    )  # fmt: skip


def _combine(trials: Trials, language: str, split: str, fold: int) -> dict[str, Any]:
    """One fold; empty where it has too few domains to train, choose and measure on."""
    n_folds = trials.scale.n_folds
    train, test = trials.corpus.split(language, split, n_folds, fold)
    _, choose = trials.corpus.split(language, split, n_folds, (fold + 1) % n_folds)
    train = np.setdiff1d(train, choose)
    if not all(both_answers(trials.corpus.labels[rows] == language) for rows in (train, choose, test)):
        return {}
    extras = {name: trials.corpus.extras[name] for name in _TEST_SETS if name in trials.corpus.extras}
    tested = np.concatenate([choose, test, *extras.values()])
    ways = {**DOMAINS, "ccTLD": Way("cctld")}
    yes = {label: answers_of(trials.corpus, way, train, tested, language) for label, way in ways.items()}
    joined = dict(yes)
    for one, other in itertools.combinations(ways, 2):
        joined[f"{one} and {other}"] = yes[one] & yes[other]
        joined[f"{one} or {other}"] = yes[one] | yes[other]
    labels = trials.corpus.labels[tested]
    first, second = slice(0, len(choose)), slice(len(choose), len(choose) + len(test))

    def f1(answers: NDArray[np.bool_], rows: slice) -> float:
        measures = measures_of(language, count_accepted(labels[rows], answers[rows]))
        return 100 * measures.f1 if measures else 0.0

    single = max(yes, key=lambda label: f1(yes[label], first))
    pair = max(joined, key=lambda label: f1(joined[label], first))
    more: dict[str, float] = {}
    start = second.stop
    for name, rows in extras.items():
        more[name] = f1(joined[pair], slice(start, start + len(rows)))
        start += len(rows)
    return more | {
        "single": single, "single_f1": f1(yes[single], second), "pair": pair, "pair_f1": f1(joined[pair], second),
    }  # fmt: skip


def memorised(trials: Trials) -> Section:
    """Domains learnt by heart."""
    rows: list[list[str | Cell]] = []
    losses = {}
    for label, way in {**DOMAINS, **SHIPPED}.items():
        overall, by_domain = (averaged(trials, Run(way, split)) for split in SPLITS)
        seen, unseen = (averaged(trials, Run(way), "f1", group) for group in ("seen", "unseen"))
        cells = [Cell.of(overall), Cell.of(seen), Cell.of(unseen), Cell.of(by_domain)]
        rows.append([label, *cells, *dev_cells(trials, way)])
        if overall and by_domain and label != BUNDLED:
            losses[label] = overall.mean - by_domain.mean
    columns = ["classifier", "all", "domain seen", "domain unseen", "split by domain", *dev_columns(trials)]
    words, grams = losses.get("NB words"), losses.get("RE 3-grams")
    more = words - grams if words is not None and grams is not None else None
    return Section(
        "2008-domains", "Memorised domains", PAPER, [caveat(trials)],
        [Table("Macro F1 by whether the domain was in training", columns, rows)],
        statistics={"memorised": {"": more}},
    )  # fmt: skip


def sizes(trials: Trials) -> Section:
    """Words and 3-grams by the size of training: the chart “Zależność od ilości danych”."""
    f1 = {
        (label, split, share): averaged(trials, Run(way, split, share))
        for label, way in SIZES.items()
        for split in SPLITS
        for share in SHARES
    }
    rows: list[list[str | Cell]] = [
        [label, split, *(Cell.of(f1[label, split, share]) for share in SHARES)]
        for label in SIZES
        for split in SPLITS
    ]

    def words_above(split: str, share: float) -> float | None:
        words, grams = (f1[label, split, share] for label in SIZES)
        return words.mean - grams.mean if words and grams else None

    few = {split: words_above(split, SHARES[1]) for split in SPLITS}
    return Section(
        "2008-sizes", "Words and 3-grams by the size of training", PAPER, ["No share goes below ten URLs."],
        [Table("Macro F1 by the share of the training URLs", ["classifier", "split", *(f"{100 * share:g} %" for share in SHARES)], rows)],
        statistics={
            "few-trigrams": {split: None if gap is None else -gap for split, gap in few.items()},
            "many-words": by_split(lambda split: words_above(split, 1.0)),
        },
    )  # fmt: skip


def humans(trials: Trials) -> Section:
    """Human accuracy on URLs: published figures only."""
    rows: list[list[str | Cell]] = [
        [name_of(language), *(f"{100 * value:.0f}" for value in figures)]
        for language, figures in published.HUMANS.items()
    ]
    confused: list[list[str | Cell]] = [
        [name_of(language), *(f"{share:.0f}" for share in shares)]
        for language, shares in published.HUMAN_CONFUSION.items()
    ]
    means = [
        f"{100 * float(np.mean([figures[i] for figures in published.HUMANS.values()])):.0f}" for i in range(4)
    ]
    return Section(
        "2008-humans", "The human baseline, as published", PAPER,
        ["Two people judged 1,260 URLs of a web crawl; those URLs were not published, so we have no figures."],
        [
            Table("Table 2: two raters on the web crawl", ["language", "P", "R", "p(−|−)", "F"], [*rows, ["macro average", *means]]),
            Table("Table 3: what they took for what, %", ["URLs in", *map(name_of, published.HUMAN_CONFUSION)], confused),
        ],
    )  # fmt: skip

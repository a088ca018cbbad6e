"""N-grams: the best set of each algorithm, and the support vector machine on all of them (Tables X and XI of 2013)."""

from __future__ import annotations

from linksight.lab.evaluation.cross_validation import SPLITS, Run, Way
from linksight.lab.evaluation.significance_tests import Spread, winner
from linksight.lab.papers import published
from linksight.lab.papers.baykan2013.algorithms import PAPER
from linksight.lab.papers.baykan2013.classifier_specs import ALLGRAMS, FEATURES, GRAMS, NGRAMS, SHIPPED
from linksight.lab.papers.report_tables import (
    BUNDLED,
    averaged,
    caveat,
    dev_cells,
    dev_columns,
    macro,
    measured,
)
from linksight.lab.papers.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import name as name_of


def table_x(trials: Trials) -> Section:
    """The best n-grams of each algorithm."""
    share = trials.scale.grid_share
    best = {algorithm: best_set(trials, algorithm) for algorithm in NGRAMS}
    top = {algorithm: macro(trials, Way(algorithm, name)) for algorithm, name in best.items()}
    text = [f"Every n-gram set of Table XI was run with every algorithm{_on(share)}; the best of each is shown first, then all of them."]  # fmt: skip
    tables = [_by_language(trials, split) for split in SPLITS]
    if share < 1:
        text.append(
            "The set of each algorithm that is the best over the languages was then run on all training URLs."
        )
        tables += [_on_all(trials, best, split) for split in SPLITS]
    tables += [_every_set(trials, split) for split in SPLITS]
    return Section(
        "table-x", "N-grams: the best of each algorithm", PAPER, [*text, caveat(trials)], tables,
        agreements=[("SVM is above every other algorithm on n-grams", max(top, key=lambda k: top[k]) == "svm"), ("rank order is the weakest on n-grams", min(top, key=lambda k: top[k]) == "ros")],
    )  # fmt: skip


def best_set(trials: Trials, algorithm: str) -> str:
    """The n-grams with which an algorithm has the highest macro F1, found on the grid's share of the training URLs."""
    means = {
        name: averaged(trials, Run(Way(algorithm, name), share=trials.scale.grid_share)) for name in GRAMS
    }
    return max(GRAMS, key=lambda name: found.mean if (found := means[name]) is not None else 0.0)


def _on(share: float) -> str:
    return "" if share == 1 else f" on {share:.0%} of the training URLs"


def _by_language(trials: Trials, split: str) -> Table:
    """For each language and algorithm the n-grams with the highest F1."""
    share = trials.scale.grid_share
    rows: list[list[str | Cell]] = []
    for language in trials.languages:
        chosen = _best_sets(trials, language, split)
        star = winner({algorithm: spread for algorithm, (_, spread) in chosen.items()})
        for algorithm, (name, spread) in chosen.items():
            told = published.TABLE_X.get(language, {}).get(algorithm) if split == "random" else None
            figure = told[1] if told and share == 1 else None  # the paper's is of all training URLs
            rows.append([
                name_of(language), algorithm.upper(), name, told[0] if told else "", Cell.of(spread, figure, star == algorithm),
                *dev_cells(trials, Way(algorithm, name), language, share=share),
            ])  # fmt: skip
        rows.append([name_of(language), BUNDLED, "", "", *_bundled(trials, language, split)])
    columns = ["language", "algorithm", "n-grams here", "n-grams in the paper", "F1", *dev_columns(trials)]
    return Table(f"Table X: the best n-grams of each algorithm{_on(share)} ({SPLITS[split]})", columns, rows)


def _best_sets(trials: Trials, language: str, split: str) -> dict[str, tuple[str, Spread]]:
    """For each algorithm the n-grams with the highest F1."""
    chosen = {}
    for algorithm in NGRAMS:
        spreads = {
            name: measured(trials, Run(Way(algorithm, name), split, trials.scale.grid_share), language)
            for name in GRAMS
        }
        known = {name: spread for name, spread in spreads.items() if spread is not None}
        if known:
            chosen[algorithm] = max(known.items(), key=lambda item: item[1].mean)
    return chosen


def _on_all(trials: Trials, best: dict[str, str], split: str) -> Table:
    """Each algorithm with its best set, trained on all training URLs, beside the paper's best."""
    rows: list[list[str | Cell]] = []
    for language in trials.languages:
        found = {
            algorithm: spread
            for algorithm, name in best.items()
            if (spread := measured(trials, Run(Way(algorithm, name), split), language)) is not None
        }
        star = winner(found)
        for algorithm, spread in found.items():
            told = published.TABLE_X.get(language, {}).get(algorithm) if split == "random" else None
            rows.append([
                name_of(language), algorithm.upper(), best[algorithm], Cell.of(spread, told[1] if told else None, star == algorithm),
                *dev_cells(trials, Way(algorithm, best[algorithm]), language),
            ])  # fmt: skip
    columns = ["language", "algorithm", "n-grams", "F1", *dev_columns(trials)]
    return Table(f"Table X on all training URLs ({SPLITS[split]})", columns, rows)


def _every_set(trials: Trials, split: str) -> Table:
    """Macro F1 of every algorithm with every n-gram set."""
    share = trials.scale.grid_share
    found = {
        (name, algorithm): averaged(trials, Run(Way(algorithm, name), split, share))
        for algorithm in NGRAMS
        for name in GRAMS
    }
    stars = {
        algorithm: winner({name: spread for name in GRAMS if (spread := found[name, algorithm]) is not None})
        for algorithm in NGRAMS
    }
    rows: list[list[str | Cell]] = []
    for name in GRAMS:
        cells: list[str | Cell] = [
            Cell.of(found[name, algorithm], None, stars[algorithm] == name) for algorithm in NGRAMS
        ]
        rows.append([name, *cells])
    columns = ["n-grams", *(algorithm.upper() for algorithm in NGRAMS)]
    return Table(f"All n-grams with all algorithms{_on(share)}: macro F1 ({SPLITS[split]})", columns, rows)


def _bundled(trials: Trials, language: str | None, split: str) -> list[Cell]:
    """The bundled model's F1, where it may be asked, and on unseen domains."""
    way = SHIPPED[BUNDLED]
    run = Run(way, split)
    found = measured(trials, run, language) if language else averaged(trials, run)
    return [Cell.of(found), *dev_cells(trials, way, language)]


def table_xi(trials: Trials) -> Section:
    """The support vector machine on 17 feature sets."""
    means = {name: macro(trials, way) for name, way in FEATURES.items()}
    sizes = [name for name in means if name.endswith("-word")]
    return Section(
        "table-xi", "SVM on words and n-grams", PAPER, [caveat(trials)], [_svm_sets(trials, split) for split in SPLITS],
        agreements=[
            ("all-grams from words are above words", means[ALLGRAMS] > means["words"]),
            ("all-grams from words are the best of the 17 sets, or within 0.3 of it", means[ALLGRAMS] > max(means.values()) - 0.3),
            ("n-grams from words are above the same from the URL", sum(means[name] > means[name.replace("-word", "-url")] for name in sizes) > len(sizes) / 2),
        ],
    )  # fmt: skip


def _svm_sets(trials: Trials, split: str) -> Table:
    stars = {}
    for language in trials.languages:
        spreads = {name: measured(trials, Run(way, split), language) for name, way in FEATURES.items()}
        stars[language] = winner({name: spread for name, spread in spreads.items() if spread is not None})
    rows: list[list[str | Cell]] = []
    for name, way in {**FEATURES, **SHIPPED}.items():
        told = published.TABLE_XI.get(name, {}) if split == "random" else {}
        cells: list[str | Cell] = [
            Cell.of(measured(trials, Run(way, split), language), told.get(language), stars[language] == name)
            for language in trials.languages
        ]
        rows.append([name, *cells, Cell.of(averaged(trials, Run(way, split))), *dev_cells(trials, way)])
    columns = ["features", *(name_of(language) for language in trials.languages), "macro"]
    return Table(f"Table XI: F1 of SVM ({SPLITS[split]})", [*columns, *dev_columns(trials)], rows)

"""N-grams: the best set of each algorithm, and the support vector machine on all of them (Tables X and XI of 2013)."""

from __future__ import annotations

from linksight.lab.evaluation.cross_validation import SPLITS, Run, Way
from linksight.lab.evaluation.significance_tests import SIGNIFICANCE_LEVEL, Spread, p_value, winner
from linksight.lab.papers import published
from linksight.lab.papers.baykan2013.algorithms import PAPER
from linksight.lab.papers.baykan2013.classifier_specs import ALLGRAMS, FEATURES, GRAMS, NGRAMS, SHIPPED
from linksight.lab.papers.report.report_tables import (
    BUNDLED,
    averaged,
    by_split,
    caveat,
    dev_cells,
    dev_columns,
    measured,
    star_of,
    winners,
)
from linksight.lab.papers.report.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import name as name_of


def table_x(trials: Trials) -> Section:
    """The best n-grams of each algorithm."""
    share = trials.scale.grid_share
    best = {algorithm: best_set(trials, algorithm) for algorithm in NGRAMS}
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
        statistics={
            "ngrams-svm": by_split(
                lambda split: sum(one == "svm" for one in winners(trials, {a: Way(a, n) for a, n in best.items()}, split).values())
            ),
            "ngrams-allgrams": by_split(
                lambda split: sum(_best_is_allgrams(trials, algorithm, split) for algorithm in ("me", "svm", "re", "ros"))
            ),
        },
    )  # fmt: skip


def best_set(trials: Trials, algorithm: str) -> str:
    """The n-grams with which an algorithm has the highest macro F1, found on the grid's share of the training URLs."""
    means = {
        name: averaged(trials, Run(Way(algorithm, name), share=trials.scale.grid_share)) for name in GRAMS
    }
    return max(GRAMS, key=lambda name: found.mean if (found := means[name]) is not None else 0.0)


def _best_is_allgrams(trials: Trials, algorithm: str, split: str) -> bool:
    """Whether all-grams, from words or from the URL, are significantly above the algorithm's other n-grams."""
    share = trials.scale.grid_share
    found = {name: averaged(trials, Run(Way(algorithm, name), split, share)) for name in GRAMS}
    allgrams = max(
        (name for name in GRAMS if name.startswith("allgrams")),
        key=lambda name: one.mean if (one := found[name]) else 0.0,
    )
    rivals = {name: one for name, one in found.items() if name == allgrams or not name.startswith("allgrams")}
    return star_of(rivals) == allgrams


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
            printed = published.TABLE_X.get(language, {}).get(algorithm) if split == "random" else None
            figure = (
                printed[1] if printed and share == 1 else None
            )  # the paper's figure is for all training URLs
            rows.append([
                name_of(language), algorithm.upper(), name, printed[0] if printed else "", Cell.of(spread, figure, star == algorithm),
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
            printed = published.TABLE_X.get(language, {}).get(algorithm) if split == "random" else None
            rows.append([
                name_of(language), algorithm.upper(), best[algorithm], Cell.of(spread, printed[1] if printed else None, star == algorithm),
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
    """The bundled model's F1, where it can be measured, and on unseen domains."""
    way = SHIPPED[BUNDLED]
    run = Run(way, split)
    found = measured(trials, run, language) if language else averaged(trials, run)
    return [Cell.of(found), *dev_cells(trials, way, language)]


def table_xi(trials: Trials) -> Section:
    """The support vector machine on 17 feature sets."""
    return Section(
        "table-xi", "SVM on words and n-grams", PAPER, [caveat(trials)], [_svm_sets(trials, split) for split in SPLITS],
        statistics={
            "svm-allgrams": by_split(lambda split: sum(one == ALLGRAMS for one in winners(trials, FEATURES, split).values())),
            "svm-words-worst": by_split(lambda split: sum(_words_are_worst(trials, one, split) for one in ("en", "fr", "it", "es"))),
        } if not trials.own else {},
    )  # fmt: skip


def _words_are_worst(trials: Trials, language: str, split: str) -> bool:
    """Whether every n-gram set is significantly above words in a language."""
    found = {name: measured(trials, Run(way, split), language) for name, way in FEATURES.items()}
    words = found.pop("words")
    return words is not None and all(
        one is not None and p_value(one.values, words.values) < SIGNIFICANCE_LEVEL for one in found.values()
    )


def _svm_sets(trials: Trials, split: str) -> Table:
    stars = {}
    for language in trials.languages:
        spreads = {name: measured(trials, Run(way, split), language) for name, way in FEATURES.items()}
        stars[language] = winner({name: spread for name, spread in spreads.items() if spread is not None})
    rows: list[list[str | Cell]] = []
    for name, way in {**FEATURES, **SHIPPED}.items():
        printed = published.TABLE_XI.get(name, {}) if split == "random" else {}
        cells: list[str | Cell] = [
            Cell.of(
                measured(trials, Run(way, split), language), printed.get(language), stars[language] == name
            )
            for language in trials.languages
        ]
        rows.append([name, *cells, Cell.of(averaged(trials, Run(way, split))), *dev_cells(trials, way)])
    columns = ["features", *(name_of(language) for language in trials.languages), "macro"]
    return Table(f"Table XI: F1 of SVM ({SPLITS[split]})", [*columns, *dev_columns(trials)], rows)

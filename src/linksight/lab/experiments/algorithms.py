"""Features with every algorithm: Tables IX to XII of 2013."""

from __future__ import annotations

from linksight.features.dictionaries import without_dictionary
from linksight.lab import published
from linksight.lab.experiments.ways import (
    ALLGRAMS,
    CUSTOM,
    FEATURES,
    GRAMS,
    NGRAMS,
    SHIPPED,
    WORDS,
)
from linksight.lab.findings import Cell, Section, Table
from linksight.lab.layouts import (
    BUNDLED,
    averaged,
    caveat,
    comparison,
    dev_cells,
    dev_columns,
    macro,
    measured,
)
from linksight.lab.protocols import SPLITS, Run, Way
from linksight.lab.statistics import Spread, winner
from linksight.lab.trials import Trials
from linksight.languages import name as name_of

PAPER = "Baykan, Henzinger, Weber 2013"


def table_ix(trials: Trials) -> Section:
    """Words with five algorithms."""
    table = comparison(
        trials, {**WORDS, **SHIPPED}, lambda language, label: published.TABLE_IX.get(language, {}).get(label.lower()),
        caption="Table IX: words as features",
    )  # fmt: skip
    worst = min(WORDS, key=lambda label: macro(trials, WORDS[label]))
    best = max(WORDS, key=lambda label: macro(trials, WORDS[label]))
    return Section(
        "table-ix", "Words as features", PAPER, [caveat(trials)], [table],
        agreements=[("rank order is the weakest on words", worst == "ROS"), ("SVM or RE is the best on words", best in ("SVM", "RE"))],
    )  # fmt: skip


def table_x(trials: Trials) -> Section:
    """The best n-grams of each algorithm."""
    tables = []
    for split in SPLITS:
        rows: list[list[str | Cell]] = []
        for language in trials.languages:
            chosen = _best_sets(trials, language, split)
            star = winner({algorithm: spread for algorithm, (_, spread) in chosen.items()})
            for algorithm, (name, spread) in chosen.items():
                told = published.TABLE_X.get(language, {}).get(algorithm) if split == "random" else None
                rows.append([
                    name_of(language), algorithm.upper(), name, told[0] if told else "",
                    Cell.of(spread, told[1] if told else None, star == algorithm),
                    *dev_cells(trials, Way(algorithm, name), language),
                ])  # fmt: skip
            rows.append([name_of(language), BUNDLED, "", "", *_bundled(trials, language, split)])
        columns = [
            "language",
            "algorithm",
            "n-grams here",
            "n-grams in the paper",
            "F1",
            *dev_columns(trials),
        ]
        tables.append(Table(f"Table X: the best n-grams of each algorithm ({SPLITS[split]})", columns, rows))
    tables += [_every_set(trials, split) for split in SPLITS]
    top = {name: max(macro(trials, Way(name, one)) for one in sets) for name, sets in NGRAMS.items()}
    return Section(
        "table-x", "N-grams: the best of each algorithm", PAPER,
        ["Every n-gram set of Table XI was run with every algorithm; the best of each is shown first, then all of them.", caveat(trials)], tables,
        agreements=[("SVM is above every other algorithm on n-grams", max(top, key=lambda k: top[k]) == "svm"), ("rank order is the weakest on n-grams", min(top, key=lambda k: top[k]) == "ros")],
    )  # fmt: skip


def _best_sets(trials: Trials, language: str, split: str) -> dict[str, tuple[str, Spread]]:
    """For each algorithm the n-grams with the highest F1."""
    chosen = {}
    for algorithm, sets in NGRAMS.items():
        spreads = {name: measured(trials, Run(Way(algorithm, name), split), language) for name in sets}
        known = {name: spread for name, spread in spreads.items() if spread is not None}
        if known:
            name = max(known, key=lambda one, known=known: known[one].mean)  # type: ignore[misc]
            chosen[algorithm] = (name, known[name])
    return chosen


def _every_set(trials: Trials, split: str) -> Table:
    """Macro F1 of every algorithm with every n-gram set."""
    rows: list[list[str | Cell]] = []
    found = {
        (name, algorithm): averaged(trials, Run(Way(algorithm, name), split))
        for algorithm, sets in NGRAMS.items()
        for name in sets
    }
    stars = {
        algorithm: winner({name: spread for name in sets if (spread := found[name, algorithm]) is not None})
        for algorithm, sets in NGRAMS.items()
    }
    for name in GRAMS:
        cells: list[str | Cell] = [
            Cell.of(found[name, algorithm], None, stars[algorithm] == name) for algorithm in NGRAMS
        ]
        rows.append([name, *cells])
    columns = ["n-grams", *(algorithm.upper() for algorithm in NGRAMS)]
    return Table(f"All n-grams with all algorithms: macro F1 ({SPLITS[split]})", columns, rows)


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


def table_xii(trials: Trials) -> Section:
    """Custom features with five algorithms."""
    table = comparison(
        trials, {**CUSTOM, **SHIPPED}, lambda language, label: published.TABLE_XII.get(language, {}).get(label.lower()),
        caption="Table XII: custom features",
    )  # fmt: skip
    best = max(CUSTOM, key=lambda label: macro(trials, CUSTOM[label]))
    text = [caveat(trials)]
    if trials.corpus.hosting is None:
        text.append(
            "The feature “hosted where the language is spoken” is 0 here, as no hosting countries are known."
        )
    if lacking := without_dictionary(trials.languages):
        names = ", ".join(map(name_of, lacking))
        text.append(f"There is no dictionary here of {names}: those features are 0. A hunspell file helps.")
    return Section(
        "table-xii", "Custom features", PAPER, text, [table], agreements=[("the decision tree is the best on custom features", best == "DT")]
    )  # fmt: skip

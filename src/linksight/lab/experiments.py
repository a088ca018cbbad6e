"""The tables and figures of Baykan, Henzinger and Weber (2013), one small function each."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from linksight.lab import plots, published
from linksight.lab.findings import Cell, Section, Table
from linksight.lab.layouts import BUNDLED, CAVEAT, comparison, confusion, f1_bars, macro
from linksight.lab.protocols import SPLITS, Run, Way, count_taken
from linksight.lab.statistics import macro_of, measures_of, share_of, spread_of, winner
from linksight.lab.trials import Trials
from linksight.languages import name as name_of
from linksight.models.drawing import draw_tree
from linksight.models.tree import DecisionTree
from linksight.models.trees import TreeArrays

_MOST_LEAVES = 7  # what the paper's figure shows
_DEEPEST = 12
PAPER = "Baykan, Henzinger, Weber 2013"
NO_DNS = (
    "Not run: where a server stands needs name look-ups and a database from address to country. "
    "Give one with --hosting FILE.mmdb on a machine with a network. The published figures are shown alone."
)
ALLGRAMS = "allgrams-from-word"
BASELINES = {"ccTLD": Way("cctld"), "ccTLD+": Way("cctld+")}
SHIPPED = {BUNDLED: Way("bundled")}
WORDS = {name.upper(): Way(name, "words") for name in ("nb", "me", "re", "ros", "svm")}
CUSTOM = {name.upper(): Way(name, "custom") for name in ("nb", "me", "re", "svm", "dt")}
GRAMS = tuple(name for name in published.TABLE_XI if name != "words")
#: Every n-gram set with every algorithm: Table X shows the best of each.
NGRAMS = {name: GRAMS for name in ("nb", "me", "svm", "re", "ros", "markov")}
FEATURES = {name: Way("svm", name) for name in published.TABLE_XI}
THREE = {"words": Way("svm", "words"), "all-grams": Way("svm", ALLGRAMS), "custom": Way("svm", "custom")}
BEST = {
    "ccTLD": Way("cctld"),
    "SVM all-grams": Way("svm", ALLGRAMS),
    "DT custom": Way("dt", "custom"),
    "RE all-grams": Way("re", ALLGRAMS),
}
HOSTED = {"IP": Way("ip"), "SVM all-grams + IP": Way("svm+ip", ALLGRAMS)}
SHARES = (0.001, 0.01, 0.1, 1.0)


def best_ways(trials: Trials) -> dict[str, Way]:
    """The classifiers of Table XIV; those that need hosting countries where these are known."""
    return {**BEST, **(HOSTED if trials.corpus.hosting is not None else {}), **SHIPPED}


def table_v(trials: Trials) -> Section:
    """The country code alone."""
    keys = {"ccTLD": "cctld", "ccTLD+": "cctld+"}
    table = comparison(
        trials, {**BASELINES, **SHIPPED}, lambda language, label: published.TABLE_V.get(keys.get(label, ""), {}).get(language),
        caption="Table V: the country code, and with .com and .org as English (ccTLD+)",
    )  # fmt: skip
    figure = f1_bars(trials, BASELINES, lambda language, label: published.TABLE_V[keys[label]].get(language))
    high = all(
        (found := spread_of(trials.folds(Run(Way("cctld"))), one, "precision")) and found.mean > 90
        for one in trials.languages
    )
    return Section(
        "table-v", "The country code alone", PAPER, [CAVEAT], [table],
        [("Figure 1: F1 of the baselines, ± one standard deviation; black: published", figure)],
        agreements=[("precision of the country code is above 90 for every language", high)],
    )  # fmt: skip


def table_vi(trials: Trials) -> Section:
    """What the country code takes for what."""
    tables = [
        confusion(trials, Way("cctld"), "Table VI: confusion of the country code, %", published.TABLE_VI)
    ]
    if "en" in trials.languages:
        shares = confusion(trials, Way("cctld+"), "").rows
        column = 1 + trials.languages.index("en")
        rows = [
            [
                row[0],
                Cell(
                    cell.value if isinstance(cell := row[column], Cell) else None,
                    None,
                    published.TABLE_VI_PLUS.get(language),
                ),
            ]
            for row, language in zip(shares, trials.languages, strict=True)
        ]
        tables.append(
            Table("Table VI in brackets: taken for English by ccTLD+, %", ["URLs in", "English"], rows)
        )
    tables.append(confusion(trials, Way("bundled"), "The same for the bundled model†, %"))
    return Section("table-vi", "Confusion of the country code", PAPER, [CAVEAT], tables)


def table_vii(trials: Trials) -> Section:
    """Where the server stands."""
    if trials.corpus.hosting is not None:
        table = comparison(
            trials, {"IP": Way("ip")}, lambda language, _: published.TABLE_XIV.get(language, {}).get("ip"), caption="Table VII",
        )  # fmt: skip
        matrix = confusion(trials, Way("ip"), "Table VIII: confusion, %", published.TABLE_VIII)
        return Section("table-vii", "The country of the server", PAPER, (), [table, matrix])
    rows: list[list[str | Cell]] = [
        [name_of(language), *(f"{value:.1f}" for value in figures["ip"])]
        for language, figures in published.TABLE_XIV.items()
    ]
    alone = Table("Table VII as published", ["language", "P", "R", "p(−|−)", "F1"], rows)
    return Section(
        "table-vii", "The country of the server (Tables VII and VIII)", PAPER, (), [alone], missing=NO_DNS
    )


def table_ix(trials: Trials) -> Section:
    """Words with five algorithms."""
    table = comparison(
        trials, {**WORDS, **SHIPPED}, lambda language, label: published.TABLE_IX.get(language, {}).get(label.lower()),
        caption="Table IX: words as features",
    )  # fmt: skip
    worst = min(WORDS, key=lambda label: macro(trials, WORDS[label]))
    best = max(WORDS, key=lambda label: macro(trials, WORDS[label]))
    return Section(
        "table-ix", "Words as features", PAPER, [CAVEAT], [table],
        agreements=[("rank order is the weakest on words", worst == "ROS"), ("SVM or RE is the best on words", best in ("SVM", "RE"))],
    )  # fmt: skip


def table_x(trials: Trials) -> Section:
    """The best n-grams of each algorithm."""
    tables = []
    for split in SPLITS:
        rows: list[list[str | Cell]] = []
        for language in trials.languages:
            chosen = {}
            for algorithm, sets in NGRAMS.items():
                spreads = {
                    name: spread_of(trials.folds(Run(Way(algorithm, name), split)), language) for name in sets
                }
                known = {name: spread for name, spread in spreads.items() if spread is not None}
                if known:
                    name = max(known, key=lambda one, known=known: known[one].mean)  # type: ignore[misc]
                    chosen[algorithm] = (name, known[name])
            star = winner({algorithm: spread for algorithm, (_, spread) in chosen.items()})
            for algorithm, (name, spread) in chosen.items():
                told = published.TABLE_X.get(language, {}).get(algorithm) if split == "random" else None
                rows.append([
                    name_of(language), algorithm.upper(), name, told[0] if told else "",
                    Cell.of(spread, told[1] if told else None, star == algorithm),
                ])  # fmt: skip
        caption = f"Table X: the best n-grams of each algorithm ({SPLITS[split]})"
        tables.append(
            Table(caption, ["language", "algorithm", "n-grams here", "n-grams in the paper", "F1"], rows)
        )
    top = {name: max(macro(trials, Way(name, one)) for one in sets) for name, sets in NGRAMS.items()}
    return Section(
        "table-x", "N-grams: the best of each algorithm", PAPER,
        ["Every n-gram set of Table XI was run with every algorithm; the best of each is shown, the second table has all of them."], tables,
        agreements=[("SVM is above every other algorithm on n-grams", max(top, key=lambda k: top[k]) == "svm"), ("rank order is the weakest on n-grams", min(top, key=lambda k: top[k]) == "ros")],
    )  # fmt: skip


def table_xi(trials: Trials) -> Section:
    """The support vector machine on 17 feature sets."""
    tables = []
    for split in SPLITS:
        folds = {name: trials.folds(Run(way, split)) for name, way in FEATURES.items()}
        stars = {}
        for language in trials.languages:
            spreads = {name: spread_of(found, language) for name, found in folds.items()}
            stars[language] = winner({name: spread for name, spread in spreads.items() if spread is not None})
        rows: list[list[str | Cell]] = []
        for name, found in folds.items():
            told = published.TABLE_XI[name] if split == "random" else {}
            cells: list[str | Cell] = [
                Cell.of(spread_of(found, language), told.get(language), stars[language] == name)
                for language in trials.languages
            ]
            rows.append([name, *cells, Cell.of(macro_of(found))])
        columns = ["features", *(name_of(language) for language in trials.languages), "macro"]
        tables.append(Table(f"Table XI: F1 of SVM ({SPLITS[split]})", columns, rows))
    means = {name: macro(trials, way) for name, way in FEATURES.items()}
    sizes = [name for name in means if name.endswith("-word")]
    return Section(
        "table-xi", "SVM on words and n-grams", PAPER, (), tables,
        agreements=[
            ("all-grams from words are above words", means[ALLGRAMS] > means["words"]),
            ("all-grams from words are the best of the 17 sets, or within 0.3 of it", means[ALLGRAMS] > max(means.values()) - 0.3),
            ("n-grams from words are above the same from the URL", sum(means[name] > means[name.replace("-word", "-url")] for name in sizes) > len(sizes) / 2),
        ],
    )  # fmt: skip


def table_xii(trials: Trials) -> Section:
    """Custom features with five algorithms."""
    table = comparison(
        trials, {**CUSTOM, **SHIPPED}, lambda language, label: published.TABLE_XII.get(language, {}).get(label.lower()),
        caption="Table XII: custom features",
    )  # fmt: skip
    best = max(CUSTOM, key=lambda label: macro(trials, CUSTOM[label]))
    text = [CAVEAT]
    if trials.corpus.hosting is None:
        text.append(
            "The feature “hosted where the language is spoken” is 0 here, as no hosting countries are known."
        )
    return Section(
        "table-xii", "Custom features", PAPER, text, [table], agreements=[("the decision tree is the best on custom features", best == "DT")]
    )  # fmt: skip


def table_xiii(trials: Trials) -> Section:
    """Empty URLs in and out."""
    keys = {"words": "words", "all-grams": ALLGRAMS, "custom": "custom"}
    rows: list[list[str | Cell]] = []
    for language in trials.languages:
        folds = {label: trials.folds(Run(way)) for label, way in THREE.items()}
        spreads = {label: spread_of(found, language) for label, found in folds.items()}
        star = winner({label: spread for label, spread in spreads.items() if spread})
        for label, found in folds.items():
            told = published.TABLE_XIII.get(language, {}).get(keys[label]) or (None,) * 10
            n_urls = sum(n for outcome in found for n, _ in outcome[language]["all"].values())
            taken = sum(yes for outcome in found for _, yes in outcome[language]["empty"].values())
            filled = [
                Cell.of(spread_of(found, language, name, "filled"), told[6 + i])
                for i, name in enumerate(("precision", "recall"))
            ]
            rows.append([
                name_of(language), label, Cell.of(spreads[label], told[3], star == label),
                Cell(share_of(found, language, "empty"), None, told[4]), Cell(100 * taken / n_urls, None, told[5]),
                *filled, Cell.of(spread_of(found, language, "f1", "filled"), told[9]),
            ])  # fmt: skip
    columns = [
        "language",
        "features",
        "F1",
        "% empty",
        "% empty and taken",
        "P without",
        "R without",
        "F1 without",
    ]
    figure = f1_bars(
        trials,
        {"SVM words": THREE["words"], "SVM all-grams": THREE["all-grams"], "DT custom": Way("dt", "custom")},
    )
    gains = {label: macro(trials, way, group="filled") - macro(trials, way) for label, way in THREE.items()}
    return Section(
        "table-xiii", "Empty URLs, and features compared", PAPER,
        ["Empty URLs have only words that were never seen in training, or com and net."],
        [Table("Table XIII: SVM with and without empty URLs (10-fold at random)", columns, rows)],
        [("Figure 3: F1 of three classifiers, ± one standard deviation", figure)],
        agreements=[("words gain most when empty URLs are left out", max(gains, key=lambda k: gains[k]) == "words")],
    )  # fmt: skip


def table_xiv(trials: Trials) -> Section:
    """The best of each kind."""
    ways = best_ways(trials)
    keys = {
        "ccTLD": "cctld",
        "IP": "ip",
        "SVM all-grams": "svm",
        "DT custom": "dt",
        "RE all-grams": "re",
        "SVM all-grams + IP": "svm+ip",
    }

    def told(language: str, label: str) -> tuple[float, ...] | None:
        return published.TABLE_XIV.get(language, {}).get(keys.get(label, ""))

    table = comparison(trials, ways, told, caption="Table XIV: the best of each kind")
    figure = plots.bars(
        list(ways),
        {split: [(one.mean, one.sd) if (one := macro_of(trials.folds(Run(way, split)))) else (0, 0) for way in ways.values()] for split in SPLITS},
        "macro F1",
        {"random": [sum(values[3] for one in published.TABLE_XIV if (values := told(one, label))) / 5 or None for label in ways]},
    )  # fmt: skip
    svm = macro(trials, BEST["SVM all-grams"])
    return Section(
        "table-xiv", "Comparison", PAPER, [CAVEAT], [table], [("Figure 4: macro F1, at random and by domain; black: published", figure)],
        missing="" if trials.corpus.hosting is not None else NO_DNS.replace("The published figures are shown alone.", "The rows IP and SVM + IP are left out."),
        agreements=[
            ("SVM on all-grams is above RE on all-grams", svm > macro(trials, BEST["RE all-grams"])),
            ("every trained classifier is far (10 points) above the country code", min(svm, macro(trials, BEST["DT custom"])) > macro(trials, BEST["ccTLD"]) + 10),
        ],
    )  # fmt: skip


def section_431(trials: Trials) -> Section:
    """Domains that were seen in training."""
    folds, by_domain = (trials.folds(Run(Way("svm", "words"), split)) for split in SPLITS)
    rows: list[list[str | Cell]] = []
    for language in trials.languages:
        seen = published.SECTION_431["seen"].get(language)
        rows.append([
            name_of(language), Cell(share_of(folds, language, "seen"), None, seen),
            Cell(share_of(folds, language, "multi"), None, published.SECTION_431["multi"].get(language)),
            Cell(share_of(by_domain, language, "seen")),
            Cell.of(spread_of(folds, language, "f1", "seen")), Cell.of(spread_of(folds, language, "f1", "unseen")),
        ])  # fmt: skip
    columns = ["language", "% seen", "% of several languages", "% seen, by domain", "F1 seen", "F1 unseen"]
    gap = macro(trials, Way("svm", "words"), group="seen") - macro(
        trials, Way("svm", "words"), group="unseen"
    )
    return Section(
        "section-4.3.1", "Domains seen in training", PAPER,
        ["A domain of several languages is one that training holds in two languages or more; the paper does not define it."],
        [Table("Section 4.3.1: test URLs whose registered domain was seen in training, and SVM on words", columns, rows)],
        agreements=[("words do better on domains they have seen", gap > 0)],
    )  # fmt: skip


def table_xvi(trials: Trials) -> Section:
    """Multimedia URLs, which are only tested on."""
    if "media" not in trials.corpus.extras:
        return Section(
            "table-xvi",
            "Multimedia URLs",
            PAPER,
            missing="No URL here ends like an image, sound, film or PDF.",
        )
    keys = {
        "ccTLD": "cctld",
        "IP": "ip",
        "SVM all-grams": "svm",
        "DT custom": "dt",
        "RE all-grams": "re",
        "SVM all-grams + IP": "svm+ip",
    }
    table = comparison(
        trials, best_ways(trials), lambda language, label: published.TABLE_XVI.get(language, {}).get(keys.get(label, "")),
        caption="Table XVI: URLs of images, sounds, films, Flash and PDF; published: Flash", group="media",
    )  # fmt: skip
    n_media = len(trials.corpus.extras["media"])
    return Section(
        "table-xvi",
        "Multimedia URLs",
        PAPER,
        [f"{n_media:,} URLs, nearly all PDF, none trained on.", CAVEAT],
        [table],
    )


def figure_5(trials: Trials) -> Section:
    """How F1 grows with training."""
    figures, tables = [], []
    for group, caption in {"all": "Figure 5: test folds", "media": "Figure 6: multimedia URLs"}.items():
        if group != "all" and group not in trials.corpus.extras:
            continue
        series, rows = {}, []
        for label, way in BEST.items():
            points = []
            for share in SHARES:
                run = Run(way, "random", share if way.features else 1.0)
                spread = macro_of(trials.folds(run), "f1", group)
                n_train = trials.n_train(Run(BEST["RE all-grams"], "random", share))
                if spread is not None:
                    points.append((float(n_train), spread.mean, spread.sd))
            series[label] = points
            cells: list[str | Cell] = [Cell(mean, sd) for _, mean, sd in points]
            rows.append([label, *cells])
        if not all(len(row) == 1 + len(SHARES) for row in rows):
            continue
        columns = ["classifier", *(f"{x:,.0f} URLs" for x, _, _ in series["RE all-grams"])]
        tables.append(
            Table(f"{caption}: macro F1 by training size (0.1, 1, 10, 100 % of the folds)", columns, rows)
        )
        figures.append(
            (
                f"{caption}, by URLs that a classifier is trained on",
                plots.lines(series, "training URLs", "macro F1", log=True),
            )
        )
    small = {
        label: macro_of(trials.folds(Run(way, "random", 0.01))) for label, way in BEST.items() if way.features
    }
    drops = {label: macro(trials, BEST[label]) - spread.mean for label, spread in small.items() if spread}
    return Section(
        "figure-5", "Training size", PAPER,
        ["No share goes below ten URLs. The paper has 450,000 URLs at 100 %."], tables, figures,
        agreements=[("the tree on custom features loses most when 1 % of the training is left", max(drops, key=lambda k: drops[k]) == "DT custom")],
    )  # fmt: skip


def figure_2(trials: Trials) -> Section:
    """The top of the English tree."""
    language = trials.languages[0]
    found = trials.kept("figure-2", lambda: _pruned(trials, language))
    tree = TreeArrays(**{name: np.array(values) for name, values in found["tree"].items()})
    names = (f"not {name_of(language)}", name_of(language))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.svg"
        draw_tree(tree, found["columns"], names, path, depth=_DEEPEST)
        picture = plots.plain_svg(path.read_text(encoding="utf-8"))
    text = [
        f"Pruned until {_MOST_LEAVES} leaves or fewer were left of {found['leaves']:,}. f(+) and f(−) are the shares of the "
        f"positive and negative test URLs that end at a leaf. F1 of the whole tree {found['f1'][0]:.1f}, of this one {found['f1'][1]:.1f}."
    ]
    if trials.corpus.hosting is None:
        text.append("The paper's root is the country of the server, which is not known here.")
    return Section(
        "figure-2", f"The pruned tree for {name_of(language)}", PAPER, text, (),
        [("Figure 2: the tree on custom features, pruned", picture)],
    )  # fmt: skip


def _pruned(trials: Trials, language: str) -> dict[str, Any]:
    """The tree of the first fold, pruned until a person can read it, and how test URLs fall through it."""
    corpus = trials.corpus
    train, test = corpus.split(language, "random", trials.scale.n_folds, 0)
    matrix = corpus.customs.matrix(train, corpus.labels[train], np.concatenate([train, test]))
    targets, truth = ((corpus.labels[rows] == language).astype(np.int64) for rows in (train, test))
    grown = DecisionTree("custom", language=language).grow(matrix[: len(train)], targets, 2)
    pruning, tree = 1e-4, grown
    while (tree.left < 0).sum() > _MOST_LEAVES:
        tree = DecisionTree("custom", language=language, pruning=pruning).grow(
            matrix[: len(train)], targets, 2
        )
        pruning *= 1.5
    asked = matrix[len(train) :]
    f1 = []
    for one in (grown, tree):
        shares = one.shares(asked)
        measures = measures_of(language, count_taken(corpus.labels[test], shares[:, 1] > shares[:, 0]))
        f1.append(100 * measures.f1 if measures else 0.0)
    shown = replace(tree, counts=tree.passed(asked, truth, 2))
    return {
        "columns": list(corpus.customs.columns), "tree": {name: values.tolist() for name, values in shown.as_dict().items()},
        "leaves": int((grown.left < 0).sum()), "f1": f1,
    }  # fmt: skip

"""The best of each kind: Tables XIII, XIV and XVI, Figures 3 and 4, section 4.3.1 of 2013."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from linksight.lab.evaluation.cross_validation import SPLITS, Outcome, Run, Way
from linksight.lab.evaluation.significance_tests import NAMES, share_of, spread_of, winner
from linksight.lab.papers import published
from linksight.lab.papers.baykan2013.classifier_specs import ALLGRAMS, BEST, SHIPPED, THREE, best_ways
from linksight.lab.papers.report import svg_plots
from linksight.lab.papers.report.report_tables import (
    BUNDLED,
    NO_FIGURE,
    averaged,
    by_split,
    caveat,
    comparison,
    confusion,
    dev_cells,
    dev_columns,
    f1_bars,
    is_measurable,
    macro,
    measured,
    winners,
)
from linksight.lab.papers.report.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import name as name_of

PAPER = "Baykan, Henzinger, Weber 2013"
#: Names of the classifiers in the published tables.
_KEYS = {
    "ccTLD": "cctld", "IP": "ip", "SVM all-grams": "svm", "DT custom": "dt", "RE all-grams": "re",
    "SVM all-grams + IP": "svm+ip",
}  # fmt: skip


_TREE = BEST["DT custom"]


def table_xiii(trials: Trials) -> Section:
    """Empty URLs in and out."""
    keys = {"words": "words", "all-grams": ALLGRAMS, "custom": "custom"}
    rows: list[list[str | Cell]] = []
    for language in trials.languages:
        folds = {label: trials.folds(Run(way)) for label, way in THREE.items()}
        spreads = {label: spread_of(found, language) for label, found in folds.items()}
        star = winner({label: spread for label, spread in spreads.items() if spread})
        for label, found in folds.items():
            printed = published.TABLE_XIII.get(language, {}).get(keys[label]) or (None,) * 10
            overall, filled = (
                [Cell.of(spread_of(found, language, name, group), printed[first + i]) for i, name in enumerate(NAMES[:3])]
                for group, first in (("all", 0), ("filled", 6))
            )  # fmt: skip
            rows.append([
                name_of(language), label, Cell.of(spreads[label], printed[3], star == label),
                *dev_cells(trials, THREE[label], language), *overall,
                Cell(share_of(found, language, "empty"), None, printed[4]), Cell(_share_of_empty_accepted(found, language), None, printed[5]),
                Cell.of(spread_of(found, language, "f1", "filled"), printed[9]), *filled,
            ])  # fmt: skip
        if dev_columns(trials):
            bundled_cells = dev_cells(trials, SHIPPED[BUNDLED], language)
            rows.append([name_of(language), BUNDLED, NO_FIGURE, *bundled_cells, *[NO_FIGURE] * 9])
    columns = [
        "language", "features", "F1", *dev_columns(trials), "P", "R", "p(−|−)", "% empty", "% empty and taken", "F1 without", "P without", "R without",
        "p(−|−) without",
    ]  # fmt: skip
    figure = f1_bars(
        trials,
        {"SVM words": THREE["words"], "SVM all-grams": THREE["all-grams"], "DT custom": _TREE},
    )
    return Section(
        "table-xiii", "Empty URLs, and features compared", PAPER,
        ["Empty URLs have only words that were never seen in training, or com and net. “Without” leaves them out.", caveat(trials)],
        [Table("Table XIII: SVM with and without empty URLs (folds at random)", columns, rows)],
        [("Figure 3: F1 of three classifiers, ± one standard deviation", figure)],
        statistics={
            "allgrams-best": by_split(lambda split: _n_won(trials, THREE, "all-grams", split, ("en", "fr", "es", "it"))),
            "empty-words": by_split(lambda split: _gain_of_words(trials, split)),
            "above-words": by_split(
                lambda split: sum(
                    _n_won(trials, {"words": THREE["words"], "other": way}, "other", split) for way in (THREE["all-grams"], _TREE)
                )
            ),
            "tree-above-svm": by_split(
                lambda split: _n_won(trials, {"svm": THREE["all-grams"], "tree": _TREE}, "tree", split, ("de", "it"))
            ),
        },
    )  # fmt: skip


def _gain_of_words(trials: Trials, split: str) -> float:
    """How much more macro F1 words gain without empty URLs than the next feature set does."""
    gains = {
        label: macro(trials, way, split, "filled") - macro(trials, way, split) for label, way in THREE.items()
    }
    return gains.pop("words") - max(gains.values())


def _n_won(
    trials: Trials, ways: Mapping[str, Way], name: str, split: str, languages: Sequence[str] | None = None
) -> int:
    """In how many of the languages one classifier is significantly above all others."""
    found = winners(trials, ways, split)
    return sum(found.get(one) == name for one in languages or found)


def _share_of_empty_accepted(folds: Sequence[Outcome], language: str) -> float:
    """The share of the test URLs that are empty and accepted, in percent."""
    n_urls = sum(n for outcome in folds for n, _ in outcome[language]["all"].values())
    n_accepted = sum(yes for outcome in folds for _, yes in outcome[language]["empty"].values())
    return 100 * n_accepted / max(1, n_urls)


def table_xiv(trials: Trials) -> Section:
    """The best of each kind."""
    ways = best_ways(trials)

    def printed(language: str, label: str) -> tuple[float, ...] | None:
        figures: tuple[float, ...] | None = published.TABLE_XIV.get(language, {}).get(_KEYS.get(label, ""))
        return figures

    table = comparison(trials, ways, printed, caption="Table XIV: the best of each kind")
    columns: dict[str, tuple[str, str]] = {"at random": ("random", "all"), "by domain": ("site", "all")}
    if dev_columns(trials):
        columns["dev: unseen domains"] = ("random", "dev")
    bars = {
        name: [
            (one.mean, one.sd) if (one := averaged(trials, Run(way, split), "f1", group)) else None
            for way in ways.values()
        ]
        for name, (split, group) in columns.items()
    }
    means = [
        sum(values[3] for one in published.TABLE_XIV if (values := printed(one, label))) / 5 or None
        for label in ways
    ]
    figure = svg_plots.bars(list(ways), bars, "macro F1", {"at random": means})
    groups = {"all": "folds at random"} | ({"dev": "urls/dev.parquet"} if dev_columns(trials) else {})
    confused = [
        confusion(trials, BEST["SVM all-grams"], f"Confusion of SVM on all-grams, % ({where})", group=group)
        for group, where in groups.items()
    ]
    return Section(
        "table-xiv", "Comparison", PAPER, [caveat(trials)], [table, *confused], [("Figure 4: macro F1 ± one standard deviation; black: published", figure)],
        missing=f"{trials.no_hosting} The rows IP and SVM + IP are left out." if trials.no_hosting else "",
        statistics=_best_statistics(trials, ways),
    )  # fmt: skip


def _best_statistics(trials: Trials, ways: Mapping[str, Way]) -> dict[str, dict[str, float | None]]:
    rivals = {label: way for label, way in ways.items() if label != BUNDLED}
    found = {
        "best-svm-dt": by_split(
            lambda split: (
                _n_won(trials, rivals, "SVM all-grams", split, ("en",))
                + _n_won(trials, rivals, "DT custom", split, ("de",))
            )
        ),
        "far-above-baseline": by_split(
            lambda split: (
                min(macro(trials, way, split) for way in BEST.values() if way.features)
                - macro(trials, BEST["ccTLD"], split)
            )
        ),
        "re-near-svm": by_split(
            lambda split: abs(
                macro(trials, BEST["SVM all-grams"], split) - macro(trials, BEST["RE all-grams"], split)
            )
        ),
    }
    if trials.corpus.hosting is not None:
        found["best-svm-ip"] = by_split(
            lambda split: _n_won(trials, rivals, "SVM all-grams + IP", split, ("fr", "it", "es"))
        )
    return found


def section_431(trials: Trials) -> Section:
    """Domains that were seen in training."""
    folds, by_domain = (trials.folds(Run(Way("svm", "words"), split)) for split in SPLITS)
    rows: list[list[str | Cell]] = []
    for language in trials.languages:
        seen = published.SECTION_431["seen"].get(language)
        rows.append([
            name_of(language), Cell(share_of(folds, language, "seen"), None, seen),
            Cell(share_of(folds, language, "multi"), None, published.SECTION_431["multi"].get(language)),
            Cell(_right(folds, [language], "multi")), Cell(share_of(by_domain, language, "seen")),
            Cell.of(spread_of(folds, language, "f1", "seen")), Cell.of(spread_of(folds, language, "f1", "unseen")),
        ])  # fmt: skip
    columns = [
        "language",
        "% seen",
        "% of several languages",
        "% right on those",
        "% seen, by domain",
        "F1 seen",
        "F1 unseen",
    ]
    gaps = [gap for language in trials.languages if (gap := _gap(folds, language)) is not None]
    return Section(
        "section-4.3.1", "Domains seen in training", PAPER,
        ["A domain of several languages is one that training holds in two languages or more; the paper does not define it."],
        [Table("Section 4.3.1: test URLs whose registered domain was seen in training, and SVM on words", columns, rows)],
        statistics={
            "domains-help": {"random": sum(gaps) / len(gaps) if gaps else None},
            "multilingual-domains": {"random": _right(folds, trials.languages, "multi")},
        },
    )  # fmt: skip


def _gap(folds: Sequence[Outcome], language: str) -> float | None:
    """The F1 difference between seen and unseen domains; None if one of them is unknown."""
    seen, unseen = (spread_of(folds, language, "f1", group) for group in ("seen", "unseen"))
    return seen.mean - unseen.mean if seen and unseen else None


def _right(folds: Sequence[Outcome], languages: Sequence[str], group: str) -> float | None:
    """The share of a group that the classifiers of some languages got right, in percent; None without a URL."""
    n_urls = n_right = 0
    for outcome, language in product(folds, languages):
        for label, (n, n_accepted) in outcome[language][group].items():
            n_urls += n
            n_right += n_accepted if label == language else n - n_accepted
    return 100 * n_right / n_urls if n_urls else None


def table_xvi(trials: Trials) -> Section:
    """Multimedia URLs, which are only tested on."""
    if "media" not in trials.corpus.extras:
        return Section(
            "table-xvi",
            "Multimedia URLs",
            PAPER,
            missing="No URL here ends like an image, sound, film or PDF.",
        )
    ways = {label: way for label, way in best_ways(trials).items() if is_measurable(trials, way, "media")}
    table = comparison(
        trials, ways, lambda language, label: published.TABLE_XVI.get(language, {}).get(_KEYS.get(label, "")),
        caption="Table XVI: URLs of images, sounds, films, Flash and PDF; published: Flash", group="media",
    )  # fmt: skip
    best = [
        max((found.mean for way in ways.values() if (found := measured(trials, Run(way), language, "f1", "media"))), default=None)
        for language in trials.languages
    ]  # fmt: skip
    known = [one for one in best if one is not None]
    n_media = len(trials.corpus.extras["media"])
    note = (
        ""
        if trials.own
        else "The bundled model is left out: these URLs were in its training, and too few others are known."
    )
    return Section(
        "table-xvi",
        "Multimedia URLs",
        PAPER,
        [f"{n_media:,} URLs, nearly all PDF, only tested on. {note}"],
        [table],
        statistics={
            "flash-95": {"random": min(known) if len(known) == len(best) else None},
            "flash-baseline": {"random": macro(trials, BEST["ccTLD"], group="media") - macro(trials, BEST["ccTLD"])},
            "flash-ip": {"random": min((found.mean for one in trials.languages if "IP" in ways and (found := measured(trials, Run(ways["IP"]), one, "f1", "media"))), default=None)},
        },
    )  # fmt: skip

"""Learning curves: Figures 5 and 6 of 2013, extrapolated to F1 goals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from linksight.lab.evaluation.cross_validation import Run
from linksight.lab.evaluation.significance_tests import spread_of
from linksight.lab.papers.baykan2013.classifier_specs import BEST, SHARES, best_ways
from linksight.lab.papers.report import svg_plots
from linksight.lab.papers.report.report_tables import BUNDLED, averaged, by_split, is_measurable, macro
from linksight.lab.papers.report.results import BEYOND, Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import name as name_of

PAPER = "Baykan, Henzinger, Weber 2013"
_GOALS = (90, 95, 97)
_MIN_SIZE_RATIO = 2  # minimum ratio of two training sizes for a slope
_MIN_SHARE = 0.01  # below, ten URLs or so, the curve is noise
_GROUPS = {
    "all": "Figure 5: test folds",
    "media": "Figure 6: multimedia URLs",
    "dev": "Beyond: domains that no training has seen",
}


def figure_5(trials: Trials) -> Section:
    """F1 by the size of the training set."""
    figures, tables = [], []
    for group, caption in _GROUPS.items():
        if group != "all" and group not in trials.corpus.extras:
            continue
        series = _curves(trials, group)
        if not all(len(points) == len(SHARES) for points in series.values()):
            continue
        rows: list[list[str | Cell]] = [
            [label, *(Cell(mean, sd) for _, mean, sd in points)] for label, points in series.items()
        ]
        columns = ["classifier", *(f"{x:,.0f} URLs" for x, _, _ in series["RE all-grams"])]
        tables.append(
            Table(f"{caption}: macro F1 by training size (0.1, 1, 10, 100 % of the folds)", columns, rows)
        )
        picture = svg_plots.lines(series, "training URLs", "macro F1", log=True)
        figures.append((f"{caption}, by URLs that a classifier is trained on", picture))
    return Section(
        "figure-5", "Training size", PAPER,
        ["No share goes below ten URLs. The paper has 450,000 URLs at 100 %. What needs no training here is a level line; the bundled model, trained on other rows, is shown on unseen domains."],
        tables, figures, statistics=_size_statistics(trials),
    )  # fmt: skip


def _size_statistics(trials: Trials) -> dict[str, dict[str, float | None]]:
    trained = {label: way for label, way in BEST.items() if way.features}

    def f1(label: str, share: float, split: str = "random", group: str = "all") -> float:
        return macro(trials, trained[label], split, group, share)

    def tree_loss(split: str, share: float) -> float:
        losses = {label: f1(label, 1.0, split) - f1(label, share, split) for label in trained}
        return losses.pop("DT custom") - max(losses.values())

    def distance(split: str) -> float:
        return max(
            abs(f1("SVM all-grams", share, split) - f1("RE all-grams", share, split)) for share in SHARES
        )

    found = {
        "tree-small-training": by_split(lambda split: min(tree_loss(split, share) for share in SHARES[:2])),
        "re-near-svm-sizes": by_split(distance),
    }
    if trials.corpus.hosting is not None:
        found["ip-small-training"] = by_split(partial(_gain_of_hosting, trials))
    if "media" in trials.corpus.extras:
        drops = {
            (label, group): f1(label, 1.0, group=group) - f1(label, 0.001, group=group)
            for label in ("SVM all-grams", "RE all-grams")
            for group in ("all", "media")
        }
        less = sum(drops[label, "media"] < drops[label, "all"] for label in ("SVM all-grams", "RE all-grams"))
        found["flash-drops"] = {"random": less}
    return found


def _gain_of_hosting(trials: Trials, split: str) -> float:
    """SVM with the country of the server above the best other classifier, at the smallest share, in points."""
    ways = {label: way for label, way in best_ways(trials).items() if label != BUNDLED}
    share = SHARES[0]
    f1 = {
        label: macro(trials, way, split, share=share if way.features else 1.0) for label, way in ways.items()
    }
    return f1.pop("SVM all-grams + IP") - max(f1.values())


def _curves(trials: Trials, group: str) -> dict[str, list[tuple[float, float, float]]]:
    """Training URLs, macro F1 and its deviation of each classifier at each share."""
    series = {}
    for label, way in best_ways(trials).items():
        if not is_measurable(trials, way, group):
            continue
        points = []
        for share in SHARES:
            spread = averaged(trials, Run(way, "random", share if way.features else 1.0), "f1", group)
            n_train = trials.n_train(Run(BEST["RE all-grams"], "random", share))
            if spread is not None:
                points.append((float(n_train), spread.mean, spread.sd))
        series[label] = points
    return series


def needs(trials: Trials) -> Section:
    """Training URLs that a language needs for each F1 goal, by extrapolation."""
    rows: list[list[str | Cell]] = []
    series, dashed = {}, {}
    for language in trials.languages:
        points = _points(trials, language)
        if len(points) < 2:
            rows.append([name_of(language), "–", *[Cell(None)] * 2, *["–"] * len(_GOALS)])
            continue
        sizes, means = [x for x, _, _ in points], [y for _, y, _ in points]
        a, b = power_law(sizes, means)
        series[name_of(language)] = points
        reach = np.geomspace(sizes[0], 100 * sizes[-1], 20)
        dashed[name_of(language)] = [(float(x), 100 - a * float(x) ** -b, 0.0) for x in reach]
        predicted = None
        if len(points) > 2:
            before, slope = power_law(sizes[:-1], means[:-1])
            predicted = 100 - before * sizes[-1] ** -slope
        n_needed = [_needed(a, b, goal) for goal in _GOALS]
        rows.append([
            name_of(language), f"{sizes[-1]:,.0f}", Cell(means[-1], points[-1][2]), Cell(predicted), *n_needed,
        ])  # fmt: skip
    columns = ["language", "training URLs", "F1 now", "F1 predicted", *(f"for F1 {goal}" for goal in _GOALS)]
    return Section(
        "needs", "What a language would need", BEYOND,
        ["SVM on all-grams, split by domain: 100 − F1 = a·n^−b through the measured points. Half of the URLs are of the language. “Predicted” is what the same line drawn through the smaller sizes alone says of all training URLs: how far it is off is how far drawn-out figures may be off, and more. No number of URLs helps beyond the errors in the labels. Run it on your own file with --data."],
        [Table("Training URLs that a given F1 on unseen domains would take", columns, rows)],
        [("Learning curves by domain; dashed: drawn out", svg_plots.lines(series, "training URLs", "F1", log=True, dashed=dashed))] if series else (),
    )  # fmt: skip


def _points(trials: Trials, language: str) -> list[tuple[float, float, float]]:
    """Training URLs, F1 by domain and its deviation, for one language; empty where its domains cannot be split.

    Small shares are all of about ten URLs; a line through these alone is noise, so the largest replaces them.
    """
    points: list[tuple[float, float, float]] = []
    for share in (share for share in SHARES if share >= _MIN_SHARE):
        run = Run(BEST["SVM all-grams"], "site", share)
        found = spread_of(trials.folds(run), language)
        if found is None:
            return []
        size = float(trials.n_train_of(run, language))
        if points and size < _MIN_SIZE_RATIO * points[-1][0]:
            points.pop()
        points.append((size, found.mean, found.sd))
    return points


def power_law(sizes: Sequence[float], scores: Sequence[float]) -> tuple[float, float]:
    """The a and b of 100 − score = a·size^−b that fit best.

    >>> a, b = power_law([100, 1_000, 10_000], [80.0, 90.0, 95.0])
    >>> round(a), round(b, 2)
    (80, 0.3)
    """
    errors = np.log(np.maximum(100 - np.asarray(scores), 0.01))
    slope, start = np.polyfit(np.log(np.asarray(sizes)), errors, 1)
    return float(np.exp(start)), float(-slope)


def _needed(a: float, b: float, goal: float) -> str:
    if b <= 0.01:
        return "not by more URLs"
    size = (a / (100 - goal)) ** (1 / b)
    return "over 100 million" if size > 1e8 else f"{float(f'{size:.1g}'):,.0f}"

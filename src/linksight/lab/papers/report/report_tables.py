"""Layouts that several experiments share: comparisons of classifiers, confusions, bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from linksight.lab.evaluation.cross_validation import SPLITS, Run, Way
from linksight.lab.evaluation.labelled_urls import PAPER_LANGUAGES
from linksight.lab.evaluation.significance_tests import (
    NAMES,
    Spread,
    confusion_of,
    macro_of,
    spread_of,
    winner,
)
from linksight.lab.papers.report import svg_plots
from linksight.lab.papers.report.results import Cell, Table
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import name as name_of

Published = Callable[[str, str], Sequence[float] | None]  # language, label -> P, R, p(-|-), F1
BUNDLED = "bundled model†"
UNSEEN = ("dev", "fresh", "pages")  #: groups of rows whose domains the bundled model was not trained on
#: shown with tables that hold the bundled model beside classifiers trained on rows of its training file
CAVEAT = (
    "† The bundled model is trained on the file that these URLs come from, so it has no figure for them. "
    "The column “F1 dev” compares all classifiers on urls/dev.parquet, whose domains no training has seen."
)
CAVEAT_OWN = "† The bundled model is not trained on these rows, but some of their domains may have been in its training."
NO_FIGURE = Cell(None)


def unpublished(language: str, label: str) -> None:
    """Empty published figures, for rows that no paper has."""


def caveat(trials: Trials) -> str:
    """The note on the bundled model beside these URLs."""
    return CAVEAT_OWN if trials.own else CAVEAT


def is_measurable(trials: Trials, way: Way, group: str = "all") -> bool:
    """Whether a classifier can be measured on a group: the bundled model not on its own training rows."""
    return way.algorithm != "bundled" or trials.own or group.startswith(UNSEEN)


def measured(trials: Trials, run: Run, language: str, name: str = "f1", group: str = "all") -> Spread | None:
    """A measure over the folds of a run; None if the model was trained on these rows."""
    return (
        spread_of(trials.folds(run), language, name, group) if is_measurable(trials, run.way, group) else None
    )


def averaged(trials: Trials, run: Run, name: str = "f1", group: str = "all") -> Spread | None:
    """The same, the mean over languages."""
    return macro_of(trials.folds(run), name, group) if is_measurable(trials, run.way, group) else None


def dev_columns(trials: Trials, group: str = "all") -> list[str]:
    """The column for domains that no training has seen, where there are such."""
    return ["F1 dev"] if "dev" in trials.corpus.extras and group == "all" else []


def dev_cells(
    trials: Trials, way: Way, language: str | None = None, group: str = "all", share: float = 1.0
) -> list[Cell]:
    """The cells of that column: of one language, or the mean over languages."""
    if not dev_columns(trials, group):
        return []
    run = Run(way, share=share)
    found = measured(trials, run, language, "f1", "dev") if language else averaged(trials, run, "f1", "dev")
    return [Cell.of(found)]


def comparison(
    trials: Trials, ways: Mapping[str, Way], published: Published = unpublished, *, caption: str, group: str = "all"
) -> Table:  # fmt: skip
    """F1 at random and by domain, P, R, p(-|-), F1 on dev; a star where one is significantly the best."""
    rows: list[list[str | Cell]] = []
    for language in (*trials.languages, None):
        f1 = {
            (label, split): _one(trials, Run(way, split), language, "f1", group)
            for label, way in ways.items()
            for split in SPLITS
        }
        best = {split: star_of({label: f1[label, split] for label in ways}) for split in SPLITS}
        for label, way in ways.items():
            printed = published(language, label) if language else _mean(trials, published, label)
            rest = [_one(trials, Run(way), language, measure, group) for measure in NAMES[:3]]
            rows.append([
                name_of(language) if language else "macro average", label,
                Cell.of(f1[label, "random"], printed[3] if printed else None, best["random"] == label),
                Cell.of(f1[label, "site"], None, best["site"] == label), *dev_cells(trials, way, language, group),
                *(Cell.of(found, printed[i] if printed else None) for i, found in enumerate(rest)),
            ])  # fmt: skip
    columns = [
        "language",
        "classifier",
        "F1",
        "F1 by domain",
        *dev_columns(trials, group),
        "P",
        "R",
        "p(−|−)",
    ]
    return Table(caption, columns, rows)


def star_of(spreads: Mapping[str, Spread | None]) -> str | None:
    """Which of those that have figures is significantly above all others, the bundled model among them."""
    found = {label: spread for label, spread in spreads.items() if spread is not None}
    lengths = {len(spread.values) for spread in found.values()}
    return winner(found) if len(lengths) == 1 else None


def _one(trials: Trials, run: Run, language: str | None, name: str, group: str) -> Spread | None:
    if language is None:
        return averaged(trials, run, name, group)
    return measured(trials, run, language, name, group)


def _mean(trials: Trials, published: Published, label: str) -> list[float] | None:
    """The published figures averaged over the languages, where all of them have some."""
    printed = [published(language, label) for language in trials.languages]
    known = [figures for figures in printed if figures]
    return (
        [sum(values) / len(known) for values in zip(*known, strict=True)]
        if len(known) == len(printed)
        else None
    )


def confusion(
    trials: Trials,
    way: Way,
    caption: str,
    published: Mapping[str, Sequence[float]] | None = None,
    group: str = "all",
) -> Table:
    """Of the URLs in a language (row), the percentage that each binary classifier (column) took."""
    shares = confusion_of(trials.folds(Run(way)), trials.languages, group)
    rows: list[list[str | Cell]] = []
    for language, cells in zip(trials.languages, shares, strict=True):
        figures = (published or {}).get(language)
        row: list[str | Cell] = [name_of(language)]
        for column, share in zip(trials.languages, cells, strict=True):
            printed = (
                figures[PAPER_LANGUAGES.index(column)] if figures and column in PAPER_LANGUAGES else None
            )
            row.append(Cell(share, None, printed))
        rows.append(row)
    return Table(caption, ["URLs in", *(name_of(language) for language in trials.languages)], rows)


def f1_bars(
    trials: Trials,
    ways: Mapping[str, Way],
    published: Published = unpublished,
    split: str = "random",
    group: str = "all",
) -> str:
    """F1 by language with error bars; black marks are the published figures."""
    series, printed = {}, {}
    for label, way in ways.items():
        found = [measured(trials, Run(way, split), language, "f1", group) for language in trials.languages]
        series[label] = [(one.mean, one.sd) if one else None for one in found]
        figures = [published(language, label) for language in trials.languages]
        printed[label] = [figure[3] if figure else None for figure in figures]
    return svg_plots.bars([name_of(language) for language in trials.languages], series, "F1", printed)


def by_split(statistic: Callable[[str], float | None]) -> dict[str, float | None]:
    """A statistic on the papers' split and by domain."""
    return {split: statistic(split) for split in SPLITS}


def winners(
    trials: Trials, ways: Mapping[str, Way], split: str, languages: Sequence[str] | None = None
) -> dict[str, str | None]:
    """For each language which classifier is significantly above all others."""
    return {
        language: star_of({label: measured(trials, Run(way, split), language) for label, way in ways.items()})
        for language in languages or trials.languages
    }


def macro(trials: Trials, way: Way, split: str = "random", group: str = "all", share: float = 1.0) -> float:
    """The macro-averaged F1 of a classifier, trained on a share of the training URLs."""
    found = macro_of(trials.folds(Run(way, split, share)), "f1", group)
    return found.mean if found else float("nan")

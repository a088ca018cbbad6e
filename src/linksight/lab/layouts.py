"""Layouts that several experiments share: comparisons of classifiers, confusions, bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from linksight.lab import plots
from linksight.lab.findings import Cell, Table
from linksight.lab.protocols import SPLITS, Outcome, Run, Way
from linksight.lab.statistics import NAMES, Spread, confusion_of, macro_of, spread_of, winner
from linksight.lab.trials import Trials
from linksight.languages import name as name_of

Published = Callable[[str, str], Sequence[float] | None]  # language, label -> P, R, p(-|-), F1
NOTHING: Published = lambda _language, _label: None  # noqa: E731
BUNDLED = "bundled model†"
#: said wherever the bundled model stands on rows that it was trained on
CAVEAT = (
    "† The bundled model is trained on the file these URLs are drawn from, so here it is asked about what it "
    "knows; the section “beyond” compares on domains that no classifier has seen."
)


def comparison(
    trials: Trials,
    ways: Mapping[str, Way],
    published: Published = NOTHING,
    *,
    caption: str,
    group: str = "all",
) -> Table:
    """F1 at random and by domain, then P, R and p(-|-) at random; a star where one is significantly the best."""
    folds = {(label, split): trials.folds(Run(way, split)) for label, way in ways.items() for split in SPLITS}
    rows: list[list[str | Cell]] = []
    contenders = [label for label in ways if label != BUNDLED]
    for language in trials.languages:
        f1 = {key: spread_of(found, language, "f1", group) for key, found in folds.items()}
        best = {split: winner(_known({label: f1[label, split] for label in contenders})) for split in SPLITS}
        for label in ways:
            told = published(language, label)
            cells: list[str | Cell] = [name_of(language), label]
            cells.append(Cell.of(f1[label, "random"], told[3] if told else None, best["random"] == label))
            cells.append(Cell.of(f1[label, "site"], None, best["site"] == label))
            for i, measure in enumerate(NAMES[:3]):
                found = spread_of(folds[label, "random"], language, measure, group)
                cells.append(Cell.of(found, told[i] if told else None))
            rows.append(cells)
    rows += _macros(trials, list(ways), folds, published, group)
    return Table(caption, ["language", "classifier", "F1", "F1 by domain", "P", "R", "p(−|−)"], rows)


def _macros(
    trials: Trials,
    labels: list[str],
    folds: Mapping[tuple[str, str], list[Outcome]],
    published: Published,
    group: str,
) -> list[list[str | Cell]]:
    rows: list[list[str | Cell]] = []
    contenders = [label for label in labels if label != BUNDLED]
    spreads = {key: macro_of(found, "f1", group) for key, found in folds.items()}
    best = {split: winner(_known({label: spreads[label, split] for label in contenders})) for split in SPLITS}
    for label in labels:
        told = [published(language, label) for language in trials.languages]
        means = [
            sum(figures[i] for figures in told if figures) / len(told) if all(told) and told else None
            for i in range(4)
        ]
        cells: list[str | Cell] = ["macro average", label]
        cells.append(Cell.of(spreads[label, "random"], means[3], best["random"] == label))
        cells.append(Cell.of(spreads[label, "site"], None, best["site"] == label))
        for i, measure in enumerate(NAMES[:3]):
            cells.append(Cell.of(macro_of(folds[label, "random"], measure, group), means[i]))
        rows.append(cells)
    return rows


def confusion(
    trials: Trials,
    way: Way,
    caption: str,
    published: Mapping[str, Sequence[float]] | None = None,
    split: str = "random",
) -> Table:
    """Of the URLs in a language (row), the percentage that each binary classifier (column) took."""
    paper = ("en", "de", "fr", "es", "it")
    shares = confusion_of(trials.folds(Run(way, split)), trials.languages)
    rows: list[list[str | Cell]] = []
    for language, cells in zip(trials.languages, shares, strict=True):
        told = (published or {}).get(language)
        row: list[str | Cell] = [name_of(language)]
        for column, share in zip(trials.languages, cells, strict=True):
            printed = told[paper.index(column)] if told and column in paper else None
            row.append(Cell(share, None, printed))
        rows.append(row)
    return Table(caption, ["URLs in", *(name_of(language) for language in trials.languages)], rows)


def f1_bars(
    trials: Trials,
    ways: Mapping[str, Way],
    published: Published = NOTHING,
    split: str = "random",
    group: str = "all",
) -> str:
    """F1 by language with error bars; black marks are the published figures."""
    series, told = {}, {}
    for label, way in ways.items():
        found = [
            spread_of(trials.folds(Run(way, split)), language, "f1", group) for language in trials.languages
        ]
        series[label] = [(one.mean, one.sd) if one else (0.0, 0.0) for one in found]
        figures = [published(language, label) for language in trials.languages]
        told[label] = [figure[3] if figure else None for figure in figures]
    return plots.bars([name_of(language) for language in trials.languages], series, "F1", told)


def macro(trials: Trials, way: Way, split: str = "random", group: str = "all") -> float:
    """The macro-averaged F1 of a way."""
    found = macro_of(trials.folds(Run(way, split)), "f1", group)
    return found.mean if found else float("nan")


def _known(spreads: Mapping[str, Spread | None]) -> dict[str, Spread]:
    found = {label: spread for label, spread in spreads.items() if spread is not None}
    lengths = {len(spread.values) for spread in found.values()}
    return found if len(lengths) == 1 else {}

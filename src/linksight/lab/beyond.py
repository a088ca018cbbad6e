"""Beyond the papers: domains that nobody saw, the bundled model, lengths, and what a language would need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from linksight.lab import plots
from linksight.lab.data import load_labelled
from linksight.lab.experiments import ALLGRAMS, BEST, SHARES, SHIPPED
from linksight.lab.findings import Cell, Section, Table
from linksight.lab.layouts import BUNDLED, CAVEAT, comparison, f1_bars, macro
from linksight.lab.metrics import evaluate_answers
from linksight.lab.protocols import LENGTHS, SPLITS, Run, Way
from linksight.lab.statistics import Spread, macro_of, spread_of
from linksight.lab.trials import Trials
from linksight.languages import name as name_of

PAPER = "beyond the papers"
RIVALS = {**BEST, "SVM words": Way("svm", "words"), "ME all-grams": Way("me", ALLGRAMS), **SHIPPED}
_GOALS = (90, 95, 97)


def unseen(trials: Trials) -> Section:
    """Every classifier and the bundled model on domains that none of them has seen."""
    title = "On domains nobody has seen, beside the bundled model"
    if "dev" not in trials.corpus.extras:
        return Section("beyond", title, PAPER, missing="Needs urls/dev.parquet of LINKSIGHT_DATA.")
    table = comparison(
        trials,
        RIVALS,
        caption="urls/dev.parquet: curated labels, other domains than any training",
        group="dev",
    )
    n_urls = len(trials.corpus.extras["dev"])
    ahead = macro(trials, SHIPPED[BUNDLED], group="dev") > max(
        macro(trials, way, group="dev") for label, way in RIVALS.items() if label != BUNDLED
    )
    return Section(
        "beyond", title, PAPER,
        [f"{n_urls:,} URLs. The classifiers of the papers are trained on the folds above; the bundled model on all of urls/train.parquet (135 languages), and tuned on these dev URLs, not trained on them. It is told which languages there are."],
        [table], [("F1 on unseen domains", f1_bars(trials, RIVALS, group="dev"))],
        agreements=[("the bundled model is above every classifier of the papers", ahead)],
    )  # fmt: skip


def lengths(trials: Trials) -> Section:
    """F1 by the number of words in the URL."""
    names = [f"{low}–{high}" if high < 1000 else f"{low} or more" for low, high in LENGTHS]
    tables, figures = [], []
    for split in SPLITS:
        series: dict[str, list[tuple[float, float, float]]] = {}
        rows: list[list[str | Cell]] = []
        for label, way in RIVALS.items():
            spreads = [macro_of(trials.folds(Run(way, split)), "f1", f"words {low}") for low, _ in LENGTHS]
            series[label] = [(i, s.mean, s.sd) for i, s in enumerate(spreads) if s is not None]
            rows.append([label, *(Cell.of(spread) for spread in spreads)])
        tables.append(Table(f"Macro F1 by words in the URL ({SPLITS[split]})", ["classifier", *names], rows))
        figures.append(
            (
                f"By words in the URL: {', '.join(names)} ({SPLITS[split]})",
                plots.lines(series, "words in the URL", "macro F1", ticks=names),
            )
        )
    return Section("lengths", "Short and long URLs", PAPER, [CAVEAT], tables, figures)


def by_language(trials: Trials) -> Section:
    """The bundled model language by language."""
    title = "The bundled model, language by language"
    if trials.folder is None or not (trials.folder / "urls" / "dev.parquet").exists():
        return Section("languages", title, PAPER, missing="Needs urls/dev.parquet of LINKSIGHT_DATA.")
    from linksight.scorer import load

    rows = load_labelled(trials.folder / "urls" / "dev.parquet", skip_unknown=True)
    model = load()
    found = evaluate_answers(model.predict(list(rows.urls)), rows.languages, model.languages, least=30)
    sizes = Counter(rows.languages)
    ordered = sorted(found.measures, key=lambda measure: -measure.f1)
    lines: list[list[str | Cell]] = [
        [
            name_of(m.language),
            f"{sizes[m.language]:,}",
            Cell(100 * m.precision),
            Cell(100 * m.recall),
            Cell(100 * m.f1),
        ]
        for m in ordered
    ]
    lines.append(
        [
            "macro average",
            f"{len(rows):,}",
            Cell(100 * found.macro("precision")),
            Cell(100 * found.macro("recall")),
            Cell(100 * found.macro("f1")),
        ]
    )
    return Section(
        "languages", title, PAPER,
        [f"{len(rows):,} URLs of urls/dev.parquet on domains that training does not hold, all languages open; those with 30 URLs or more are shown. Right answers: {100 * (found.accuracy or 0):.1f} %."],
        [Table("One language against all others", ["language", "URLs", "P", "R", "F1"], lines)],
    )  # fmt: skip


def needs(trials: Trials) -> Section:
    """How many labelled URLs a language would need: a learning curve, drawn out."""
    way = BEST["SVM all-grams"]
    shares = [share for share in SHARES if share >= 0.01]
    rows: list[list[str | Cell]] = []
    series, dashed = {}, {}
    for language in trials.languages:
        sizes = [float(trials.n_train(Run(way, "site", share))) for share in shares]
        spreads = [
            spread_of(trials.folds(Run(way, "site", share)), language) or Spread((0.0,)) for share in shares
        ]
        a, b = power_law(sizes, [spread.mean for spread in spreads])
        series[name_of(language)] = [(x, s.mean, s.sd) for x, s in zip(sizes, spreads, strict=True)]
        reach = np.geomspace(sizes[0], 100 * sizes[-1], 20)
        dashed[name_of(language)] = [(float(x), 100 - a * float(x) ** -b, 0.0) for x in reach]
        wanted = [_needed(a, b, goal) for goal in _GOALS]
        rows.append([name_of(language), Cell.of(spreads[-1]), f"{sizes[-1]:,.0f}", *wanted])
    columns = ["language", "F1 now", "training URLs", *(f"for F1 {goal}" for goal in _GOALS)]
    return Section(
        "needs", "What a language would need", PAPER,
        ["SVM on all-grams, split by domain: 100 − F1 = a·n^−b through the measured points. Half of the URLs are of the language. Drawn-out figures are guesses: labels are not free of errors, and no number of URLs helps beyond those. Run it on your own file with --data."],
        [Table("Training URLs that a given F1 on unseen domains would take", columns, rows)],
        [("Learning curves by domain; dashed: drawn out", plots.lines(series, "training URLs", "F1", log=True, dashed=dashed))],
    )  # fmt: skip


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

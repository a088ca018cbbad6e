"""Beyond the papers: unseen domains, the bundled model, short and long URLs."""

from __future__ import annotations

from collections import Counter

from linksight.lab.evaluation.classification_metrics import evaluate_answers
from linksight.lab.evaluation.cross_validation import LENGTHS, SPLITS, Run
from linksight.lab.evaluation.labelled_urls import load_labelled
from linksight.lab.papers.baykan2013.classifier_specs import RIVALS
from linksight.lab.papers.report import svg_plots
from linksight.lab.papers.report.report_tables import averaged, comparison, f1_bars, is_measurable
from linksight.lab.papers.report.results import BEYOND, Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import name as name_of

_SHOWN = ("precision", "recall", "f1")


def unseen(trials: Trials) -> Section:
    """Every classifier and the bundled model on domains that are in no training set."""
    from linksight.url_model.model import load

    title = "On unseen domains, beside the bundled model"
    if "dev" not in trials.corpus.extras:
        return Section("beyond", title, BEYOND, missing="Needs urls/dev.parquet of LINKSIGHT_DATA.")
    table = comparison(
        trials,
        RIVALS,
        caption="urls/dev.parquet: curated labels, other domains than any training",
        group="dev",
    )
    pages = []
    if "pages" in trials.corpus.extras:
        n_pages = len(trials.corpus.extras["pages"])
        pages.append(
            comparison(
                trials, RIVALS, caption=f"urls/pages_dev.parquet: {n_pages:,} real page URLs", group="pages"
            )
        )
    n_urls, n_languages = len(trials.corpus.extras["dev"]), len(load().languages)
    return Section(
        "beyond", title, BEYOND,
        [f"{n_urls:,} URLs. The classifiers of the papers are trained on the folds above; the bundled model on all of urls/train.parquet ({n_languages} languages), and tuned on these dev URLs, not trained on them. It receives the list of languages."],
        [table, *pages], [("F1 on unseen domains", f1_bars(trials, RIVALS, group="dev"))],
    )  # fmt: skip


def lengths(trials: Trials) -> Section:
    """F1 by the number of words in the URL."""
    names = [f"{low}–{high}" if high < 1000 else f"{low} or more" for low, high in LENGTHS]
    groups = {where: (split, "") for split, where in SPLITS.items()}
    if "dev" in trials.corpus.extras:
        groups["urls/dev.parquet, domains that no training has seen"] = ("random", "dev ")
    tables, figures = [], []
    for where, (split, group) in groups.items():
        series: dict[str, list[tuple[float, float, float]]] = {}
        rows: list[list[str | Cell]] = []
        for label, way in RIVALS.items():
            if not is_measurable(trials, way, group):
                continue
            spreads = [averaged(trials, Run(way, split), "f1", f"{group}words {low}") for low, _ in LENGTHS]
            series[label] = [(i, s.mean, s.sd) for i, s in enumerate(spreads) if s is not None]
            rows.append([label, *(Cell.of(spread) for spread in spreads)])
        tables.append(Table(f"Macro F1 by words in the URL ({where})", ["classifier", *names], rows))
        picture = svg_plots.lines(series, "words in the URL", "macro F1", ticks=names)
        figures.append((f"By words in the URL: {', '.join(names)} ({where})", picture))
    return Section("lengths", "Short and long URLs", BEYOND, [], tables, figures)


def by_language(trials: Trials) -> Section:
    """The bundled model language by language."""
    title = "The bundled model, language by language"
    if trials.folder is None or not (trials.folder / "urls" / "dev.parquet").exists():
        return Section("languages", title, BEYOND, missing="Needs urls/dev.parquet of LINKSIGHT_DATA.")
    from linksight.url_model.model import load

    rows = load_labelled(trials.folder / "urls" / "dev.parquet", skip_unknown=True)
    model = load()
    found = evaluate_answers(model.predict(list(rows.urls)), rows.languages, model.languages, least=30)
    sizes = Counter(rows.languages)
    ordered = sorted(found.measures, key=lambda measure: -measure.f1)
    lines: list[list[str | Cell]] = [
        [name_of(m.language), f"{sizes[m.language]:,}", *(Cell(100 * getattr(m, name)) for name in _SHOWN)]
        for m in ordered
    ]
    means = [Cell(100 * found.macro(name)) for name in _SHOWN]
    lines.append(["macro average", f"{len(rows):,}", *means])
    points = {name_of(m.language): (100 * m.f1, 100 * m.precision, 100 * m.recall) for m in ordered}
    return Section(
        "languages", title, BEYOND,
        [f"{len(rows):,} URLs of urls/dev.parquet on domains that training does not hold, all languages open; those with 30 URLs or more are shown. Right answers: {100 * (found.accuracy or 0):.1f} %."],
        [Table("One language against all others", ["language", "URLs", "P", "R", "F1"], lines)],
        [("F1 of each language, between its balanced precision and its recall", svg_plots.ladder(points, "F1"))],
    )  # fmt: skip

"""The country code and the country of the server: Tables V to VIII and Figure 1 of 2013."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from linksight.lab.evaluation.cross_validation import Run, Way
from linksight.lab.papers import published
from linksight.lab.papers.baykan2013.classifier_specs import BASELINES, SHIPPED
from linksight.lab.papers.report.report_tables import (
    by_split,
    caveat,
    comparison,
    confusion,
    f1_bars,
    measured,
    winners,
)
from linksight.lab.papers.report.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import name as name_of

PAPER = "Baykan, Henzinger, Weber 2013"


def table_v(trials: Trials) -> Section:
    """The country code alone."""
    keys = {"ccTLD": "cctld", "ccTLD+": "cctld+"}
    table = comparison(
        trials, {**BASELINES, **SHIPPED}, lambda language, label: published.TABLE_V.get(keys.get(label, ""), {}).get(language),
        caption="Table V: the country code, and with .com and .org as English (ccTLD+)",
    )  # fmt: skip
    figure = f1_bars(trials, BASELINES, lambda language, label: published.TABLE_V[keys[label]].get(language))
    return Section(
        "table-v", "The country code alone", PAPER, [caveat(trials)], [table],
        [("Figure 1: F1 of the baselines, ± one standard deviation; black: published", figure)],
        statistics={
            "cctld-precision": by_split(lambda split: min(_of(trials, "cctld", split, "precision").values(), default=None)),
            "cctld-recall": by_split(lambda split: min(_of(trials, "cctld", split, "recall").values(), default=None)),
            "cctld-extremes": by_split(lambda split: _extremes(_of(trials, "cctld", split), "en", "de")),
        },
    )  # fmt: skip


def _of(trials: Trials, algorithm: str, split: str, measure: str = "f1") -> dict[str, float]:
    """One measure of a baseline by language."""
    found = {one: measured(trials, Run(Way(algorithm), split), one, measure) for one in trials.languages}
    return {language: spread.mean for language, spread in found.items() if spread}


def _extremes(f1: Mapping[str, float], lowest: str, highest: str) -> float:
    """How many of the two languages are where the paper has them: at the lowest and at the highest F1."""
    return (min(f1, key=lambda one: f1[one]) == lowest) + (max(f1, key=lambda one: f1[one]) == highest)


def table_vi(trials: Trials) -> Section:
    """The confusion matrix of the country-code baselines."""
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
    group = "all" if trials.own else "dev"
    if group == "all" or group in trials.corpus.extras:
        where = "" if group == "all" else " on urls/dev.parquet"
        tables.append(confusion(trials, Way("bundled"), f"The bundled model†{where}, %", group=group))
    statistics = {}
    if not trials.own:
        statistics["cctld-plus"] = by_split(partial(_plus, trials, "recall"))
        statistics["cctld-plus-precision"] = by_split(lambda split: -_plus(trials, "precision", split))
        generic = [
            row[1].value for row in tables[1].rows if isinstance(row[1], Cell) and row[1].value is not None
        ]
        statistics["com-org"] = {"random": min(generic)}
    return Section(
        "table-vi", "Confusion of the country code", PAPER, [caveat(trials)], tables, statistics=statistics
    )


def _plus(trials: Trials, measure: str, split: str) -> float:
    """The gain from .com and .org in a measure of the English classifier, in points."""
    return _of(trials, "cctld+", split, measure)["en"] - _of(trials, "cctld", split, measure)["en"]


def table_vii(trials: Trials) -> Section:
    """The country of the server."""
    if trials.corpus.hosting is not None:
        table = comparison(
            trials, {"IP": Way("ip")}, lambda language, _: published.TABLE_XIV.get(language, {}).get("ip"), caption="Table VII",
        )  # fmt: skip
        matrix = confusion(trials, Way("ip"), "Table VIII: confusion, %", published.TABLE_VIII)
        figure = f1_bars(
            trials,
            {"ccTLD": Way("cctld"), "IP": Way("ip")},
            lambda language, label: published.TABLE_XIV.get(language, {}).get(label.lower()),
        )
        return Section(
            "table-vii", "The country of the server", PAPER, (), [table, matrix],
            [("Figure 1: F1 of ccTLD and IP, ± one standard deviation; black: published", figure)],
            statistics=_server_statistics(trials, matrix),
        )  # fmt: skip
    rows: list[list[str | Cell]] = [
        [name_of(language), *(f"{value:.1f}" for value in figures["ip"])]
        for language, figures in published.TABLE_XIV.items()
    ]
    alone = Table("Table VII as published", ["language", "P", "R", "p(−|−)", "F1"], rows)
    confused = Table(
        "Table VIII as published: of the URLs in a language (row), % hosted where a language (column) is spoken",
        ["URLs in", *map(name_of, published.TABLE_VIII)],
        [[name_of(one), *map(str, shares)] for one, shares in published.TABLE_VIII.items()],
    )
    return Section(
        "table-vii",
        "The country of the server (Tables VII and VIII)",
        PAPER,
        (),
        [alone, confused],
        missing=f"{trials.no_hosting} The published figures are shown alone.",
    )


def _server_statistics(trials: Trials, matrix: Table) -> dict[str, dict[str, float | None]]:
    pair = {"ccTLD": Way("cctld"), "IP": Way("ip")}
    english = {row[0]: row[1].value or 0.0 for row in matrix.rows if isinstance(row[1], Cell)}
    apart = [
        abs(english[name_of(one)] - published.TABLE_VIII[one][0])
        for one in ("es", "fr", "it")
        if name_of(one) in english
    ]
    return {
        "ip-above-cctld": by_split(
            lambda split: sum(one == "IP" for one in winners(trials, pair, split).values())
        ),
        "ip-extremes": by_split(lambda split: _extremes(_of(trials, "ip", split), "es", "de")),
        "ip-english": {"": max(apart, default=None)},
    }

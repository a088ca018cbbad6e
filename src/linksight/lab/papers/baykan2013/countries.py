"""The country code and the country of the server: Tables V to VIII and Figure 1 of 2013."""

from __future__ import annotations

from linksight.lab.evaluation.cross_validation import Run, Way
from linksight.lab.evaluation.significance_tests import spread_of
from linksight.lab.papers import published
from linksight.lab.papers.baykan2013.classifier_specs import BASELINES, SHIPPED
from linksight.lab.papers.report_tables import caveat, comparison, confusion, f1_bars
from linksight.lab.papers.results import Cell, Section, Table
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
    high = all(
        (found := spread_of(trials.folds(Run(Way("cctld"))), one, "precision")) and found.mean > 90
        for one in trials.languages
    )
    return Section(
        "table-v", "The country code alone", PAPER, [caveat(trials)], [table],
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
    group = "all" if trials.own else "dev"
    if group == "all" or group in trials.corpus.extras:
        where = "" if group == "all" else " on urls/dev.parquet"
        tables.append(confusion(trials, Way("bundled"), f"The bundled model†{where}, %", group=group))
    return Section("table-vi", "Confusion of the country code", PAPER, [caveat(trials)], tables)


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
        "table-vii",
        "The country of the server (Tables VII and VIII)",
        PAPER,
        (),
        [alone],
        missing=f"{trials.no_hosting} The published figures are shown alone.",
    )

"""Language of pages from their bytes: Tables 8 to 10 of Chew et al. 2011."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np

from linksight.lab.papers import published
from linksight.lab.papers.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import code_of

EXPERIMENTS_2011: dict[str, dict[str, Any]] = {
    "one": {"corpora": "A", "parser": "characters", "converter": False},
    "two": {"corpora": "AB", "parser": "characters", "converter": False},
    "three": {"corpora": "AB", "parser": "bytes", "converter": False},
    "four": {"corpora": "AB", "parser": "bytes", "converter": True},
}
SYSTEMS = {
    "Latn": "Latin alphabet", "Cyrl": "other alphabet", "Grek": "other alphabet", "Armn": "other alphabet",
    "Geor": "other alphabet", "Hang": "other alphabet", "Kore": "other alphabet", "Arab": "abjad", "Hebr": "abjad",
    "Hans": "Chinese", "Hant": "Chinese", "Hani": "Chinese", "Jpan": "Japanese",
}  # fmt: skip


def pages(trials: Trials) -> Section:
    """Language from the bytes of pages: the four experiments of Chew et al."""
    title, paper = "Language of pages from their bytes", "Chew, Mikami, Nagano 2011"
    if trials.folder is None or not (trials.folder / "pages" / "dev.parquet").exists():
        return Section("pages", title, paper, missing="Needs pages/dev.parquet of LINKSIGHT_DATA.")
    found = _identify_pages(trials)  # ours is never kept, as the bundled model may change
    right, systems = {**found["right"], "bundled": found["bundled"]}, found["systems"]
    rows: list[list[str | Cell]] = [
        [name, settings, Cell(100 * float(np.mean(right[name])), None, published.PAGES_2011.get(name), digits=2)]
        for name, settings in {
            "one": "Declaration, character parser", "two": "and the Bible", "three": "and byte parser",
            "four": "and entities", "bundled": "linksight.identify",
        }.items()
    ]  # fmt: skip
    lost = sum(one and not two for one, two in zip(right["one"], right["two"], strict=True))
    won = sum(two and not one for one, two in zip(right["one"], right["two"], strict=True))
    by_system: list[list[str | Cell]] = []
    for system, n in Counter(systems).most_common():
        mine = [i for i, one in enumerate(systems) if one == system]
        told = published.SCRIPTS_2011.get(system)
        cells = [100 * float(np.mean([right[name][i] for i in mine])) for name in ("four", "bundled")]
        by_system.append([system, f"{n:,}", Cell(cells[0], None, told[1] if told else None), Cell(cells[1])])
    means = [float(np.mean(right[name])) for name in ("one", "two", "three", "four")]
    return Section(
        "pages", title, paper, [f"{len(systems):,} pages of pages/dev.parquet; the paper's 1,660 were not published."],
        [
            Table("Table 8: pages whose language is right, %", ["experiment", "what", "accuracy"], rows),
            Table("Table 9: what a larger training set changes", ["", "pages"], [["right in one, wrong in two", Cell(lost, None, published.OVERTRAINED_2011, digits=0)], ["wrong in one, right in two", Cell(won, digits=0)]]),
            Table("Table 10: by writing system, %", ["system", "pages", "experiment four", "bundled model"], by_system),
        ],
        agreements=[
            ("the Bible adds to the Declaration", means[1] > means[0]), ("the byte parser does not lose", means[2] >= means[1]),
            ("converting entities does not lose", means[3] >= means[2]),
        ],
    )  # fmt: skip


def _identify_pages(trials: Trials) -> dict[str, Any]:
    """Page by page whether each experiment of the paper was right, and linksight; the writing systems."""
    import linksight

    rows = _web_pages(trials)
    right: dict[str, list[bool]] = {
        name: trials.kept(f"pages_{name}", partial(_are_right, rows, settings))
        for name, settings in EXPERIMENTS_2011.items()
    }
    labels = [linksight.identify(row["body"]) for row in rows]
    ours = [label.language == _code(row["language"]) for label, row in zip(labels, rows, strict=True)]
    systems = [SYSTEMS.get(label.script, "abugida") for label in labels]
    return {"right": right, "bundled": ours, "systems": systems}


def _are_right(rows: list[dict[str, Any]], settings: dict[str, Any]) -> list[bool]:
    from linksight.pages import chew2011

    return [chew2011.identify(row["body"], **settings).language == _code(row["language"]) for row in rows]


def _web_pages(trials: Trials) -> list[dict[str, Any]]:
    import pyarrow.parquet

    assert trials.folder is not None
    rows = pyarrow.parquet.read_table(trials.folder / "pages" / "dev.parquet").to_pylist()
    rows = [row for row in rows if row["section"] == "web" and row["language_basis"] != "source-mixed"]
    order = np.random.default_rng(trials.corpus.seed).permutation(len(rows))[: trials.scale.n_pages]
    return [rows[i] for i in order.tolist()]


def _code(tag: str) -> str:
    return code_of(tag) or tag

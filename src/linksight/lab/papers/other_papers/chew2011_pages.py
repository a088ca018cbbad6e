"""Language of pages from their bytes: Tables 8 to 10 of Chew et al. 2011."""

from __future__ import annotations

from collections import Counter
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from linksight.lab.papers import published
from linksight.lab.papers.report.results import Cell, Section, Table
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
    attribute = found["attribute"]
    means = [float(np.mean(right[name])) for name in ("one", "two", "three", "four")]
    return Section(
        "pages", title, paper, [f"{len(systems):,} pages of pages/dev.parquet; the paper's 1,660 were not published. The character parser of experiments one and two takes the encoding from the publisher, the page, Mozilla's detector (chardet) or UTF-8, in this order."],
        [
            Table("Table 1: the lang attribute", ["pages", "right", "pages with it", "% right"], [
                ["with a lang attribute", f"{attribute[0]:,}", f"{attribute[1]:,}", Cell(100 * attribute[0] / max(1, attribute[1]), None, 72.49)],
                ["all", f"{attribute[0]:,}", f"{attribute[2]:,}", Cell(100 * attribute[0] / attribute[2], None, 30.48)],
            ]),
            _corpora(),
            Table("Table 8: pages whose language is right, %", ["experiment", "what", "accuracy"], rows),
            Table("Table 9: what a larger training set changes", ["", "pages"], [["right in one, wrong in two", Cell(lost, None, published.OVERTRAINED_2011, digits=0)], ["wrong in one, right in two", Cell(won, digits=0)]]),
            Table("Table 10: by writing system, %", ["system", "pages", "experiment four", "bundled model"], by_system),
        ],
        statistics={
            "lang-attribute": {"": 100 * attribute[0] / attribute[2]}, "bible-helps": {"": 100 * (means[1] - means[0])},
            "byte-parser-helps": {"": 100 * (means[2] - means[1])}, "entities-help": {"": 100 * (means[3] - means[2])},
            "accuracy-four": {"": 100 * means[3]}, "over-training": {"": lost}, **_by_script(by_system),
        },
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
    declared = [row["html_lang"] for row in rows]
    named = sum(map(bool, declared))
    agree = sum(
        bool(tag) and _code(tag.split("-")[0].lower()) == _code(row["language"])
        for tag, row in zip(declared, rows, strict=True)
    )
    return {"right": right, "bundled": ours, "systems": systems, "attribute": (agree, named, len(rows))}


def _are_right(rows: list[dict[str, Any]], settings: dict[str, Any]) -> list[bool]:
    from linksight.pages import chew2011

    found = []
    for row in rows:
        header = _content_type(row, detect=settings["parser"] == "characters")
        found.append(chew2011.identify(row["body"], header, **settings).language == _code(row["language"]))
    return found


def _content_type(row: dict[str, Any], *, detect: bool) -> str | None:
    """The encoding that the publisher gives; else, for the character parser, that of Mozilla's detector (chardet)."""
    from linksight.pages.html import declarations

    if row["encoding_basis"] == "source":
        return f"text/html; charset={row['encoding']}"
    if (
        not detect
        or find_spec("chardet") is None
        or any(one.kind == "encoding" for one in declarations.read(row["body"], None))
    ):
        return None
    import chardet

    encoding = chardet.detect(row["body"][:200_000])["encoding"]
    return f"text/html; charset={encoding}" if encoding else None


def _corpora() -> Table:
    """Languages, scripts and encodings of the training corpora."""
    from linksight.pages import chew2011

    models = chew2011.load().models
    rows: list[list[str | Cell]] = []
    for at, name in enumerate(("languages", "scripts", "encodings")):
        sizes = [len({model[at] for model in models if model[3] in corpus}) for corpus in ("A", "B", "AB")]
        rows.append(
            [name, *map(str, sizes[:2]), Cell(sizes[2], None, published.CORPORA_2011[name], digits=0)]
        )
    return Table("Table 6: the training corpora", ["", "A", "B", "A and B"], rows)


def _by_script(rows: list[list[str | Cell]]) -> dict[str, dict[str, float | None]]:
    """The statistics of the claims on Table 10, where there are pages of the script."""
    share = {
        str(row[0]): cell.value for row in rows if isinstance(cell := row[2], Cell) and cell.value is not None
    }
    logographic = [share[name] for name in ("Chinese", "Japanese") if name in share]
    others = [value for name, value in share.items() if name != "abugida"]
    last = share["abugida"] - min(others) if "abugida" in share and others else None
    return {"logographic": {"": min(logographic, default=None)}, "abugida-last": {"": last}}


def _web_pages(trials: Trials) -> list[dict[str, Any]]:
    import pyarrow.parquet

    assert trials.folder is not None
    rows = pyarrow.parquet.read_table(trials.folder / "pages" / "dev.parquet").to_pylist()
    rows = [row for row in rows if row["section"] == "web" and row["language_basis"] != "source-mixed"]
    order = np.random.default_rng(trials.corpus.seed).permutation(len(rows))[: trials.scale.n_pages]
    return [rows[i] for i in order.tolist()]


def _code(tag: str) -> str:
    return code_of(tag) or tag

"""Language of pages from their bytes: Tables 1, 6 and 8 to 10 of Chew et al. 2011."""

from __future__ import annotations

from collections import Counter
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linksight
from linksight.lab.papers import published
from linksight.lab.papers.report.results import Cell, Section, Table
from linksight.lab.papers.runner import Trials
from linksight.languages.registry import code_of

Hits = NDArray[np.bool_]  #: whether the language of each page is right
_MIN_ENTITIES = 100
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
    rows = _pages(trials)
    right = {
        name: np.array(trials.cached(f"pages_{name}", partial(_are_right, rows, settings)))
        for name, settings in EXPERIMENTS_2011.items()
    }
    labels = [linksight.identify(row["body"]) for row in rows]  # never stored: the bundled model may change
    right["bundled"] = np.array(
        [label.language == _code(row["language"]) for label, row in zip(labels, rows, strict=True)]
    )
    groups = {"undeclared legacy pages": _are_undeclared(rows), "entity pages": _have_entities(rows)}
    scripts = _by_script([SYSTEMS.get(label.script, "abugida") for label in labels], right)
    one, two, three, four = (right[name] for name in EXPERIMENTS_2011)
    detector = (
        "a descendant of Mozilla's detector (chardet)"
        if find_spec("chardet")
        else "UTF-8 (chardet is not installed)"
    )
    attribute, statistics = _attribute(rows)
    return Section(
        "pages", title, paper,
        [
            f"{len(rows):,} pages of pages/dev.parquet; the paper's 1,660 were not published. The character parser of experiments one and two takes "
            f"the encoding from the HTTP header, the page, {detector} or UTF-8, in this order. Undeclared legacy pages name no encoding and are "
            f"neither ASCII nor Unicode; entity pages have {_MIN_ENTITIES} numeric entities or more."
        ],
        [
            attribute,
            _corpora(),
            _experiments(right, groups),
            Table("Table 9: what a larger training set changes", ["", "pages"], [
                ["right in one, wrong in two", Cell(float((one & ~two).sum()), None, published.OVERTRAINED_2011, digits=0)],
                ["wrong in one, right in two", Cell(float((~one & two).sum()), digits=0)],
            ]),
            scripts,
        ],
        statistics=statistics | {claim: {"": value} for claim, value in {
            "bible-helps": _gain(one, two), "byte-parser-helps": _gain(two, three), "entities-help": _gain(three, four),
            "accuracy-four": 100 * float(four.mean()), "over-training": float((one & ~two).sum()),
            "byte-parser-undeclared": _gain(two, three, groups["undeclared legacy pages"]),
            "entities-pages": _share(four, groups["entity pages"] & ~three),
        }.items()} | _script_statistics(scripts),
    )  # fmt: skip


def _gain(before: Hits, after: Hits, where: Hits | None = None) -> float | None:
    """How many points more are right after than before."""
    ends = [_share(hits, where) for hits in (before, after)]
    return None if ends[0] is None or ends[1] is None else ends[1] - ends[0]


def _share(hits: Hits, where: Hits | None = None) -> float | None:
    """The share of hits in percent, among some of the pages; None without pages."""
    chosen = hits if where is None else hits[where]
    return 100 * float(chosen.mean()) if len(chosen) else None


def _attribute(rows: list[dict[str, Any]]) -> tuple[Table, dict[str, dict[str, float | None]]]:
    """Table 1: how often there is a lang attribute, and how often it is right."""
    tags = [row["html_lang"] for row in rows]
    n_declared = sum(map(bool, tags))
    agree = sum(
        bool(tag) and _code(tag.split("-")[0].lower()) == _code(row["language"])
        for tag, row in zip(tags, rows, strict=True)
    )
    lines: list[list[str | Cell]] = [
        [name, f"{agree:,}", f"{n:,}", Cell(100 * agree / max(1, n), None, printed, digits=2)]
        for name, n, printed in (("with a lang attribute", n_declared, 72.49), ("all", len(rows), 30.48))
    ]
    table = Table("Table 1: the lang attribute", ["pages", "right", "pages with it", "% right"], lines)
    return table, {"lang-attribute": {"": 100 * agree / len(rows)}}


def _experiments(right: dict[str, Hits], groups: dict[str, Hits]) -> Table:
    """Table 8, on all pages and on those that a step of the paper is for."""
    lines: list[list[str | Cell]] = [
        [
            name, settings, Cell(_share(right[name]), None, published.PAGES_2011.get(name), digits=2),
            *(Cell(_share(right[name], where), digits=2) for where in groups.values()),
        ]
        for name, settings in {
            "one": "Declaration, character parser", "two": "and the Bible", "three": "and byte parser",
            "four": "and entities", "bundled": "linksight.identify",
        }.items()
    ]  # fmt: skip
    columns = [f"{name} ({int(where.sum()):,})" for name, where in groups.items()]
    return Table(
        "Table 8: pages whose language is right, %", ["experiment", "what", "accuracy", *columns], lines
    )


def _are_right(rows: list[dict[str, Any]], settings: dict[str, Any]) -> list[bool]:
    from linksight.pages import chew2011

    found = []
    for row in rows:
        header = _content_type(row, detect=settings["parser"] == "characters")
        found.append(chew2011.identify(row["body"], header, **settings).language == _code(row["language"]))
    return found


def _header(row: dict[str, Any]) -> str | None:
    """The HTTP header of a manual whose publisher serves each file with its encoding."""
    by_server = row["section"] == "docs" and row["encoding_basis"] == "source"
    return f"text/html; charset={row['encoding']}" if by_server else None


def _is_declared(row: dict[str, Any]) -> bool:
    from linksight.pages.html import declarations

    if _header(row):
        return True
    return any(kind == "encoding" for _, kind, _ in declarations.scan(row["body"]))


def _content_type(row: dict[str, Any], *, detect: bool) -> str | None:
    """The header; for the character parser, where nothing is declared, the answer of Mozilla's detector (chardet)."""
    if not detect or find_spec("chardet") is None or _is_declared(row):
        return _header(row)
    import chardet

    encoding = chardet.detect(row["body"][:200_000])["encoding"]
    return f"text/html; charset={encoding}" if encoding else None


def _are_undeclared(rows: list[dict[str, Any]]) -> Hits:
    return np.array(
        [not row["encoding"].startswith(("utf", "ascii")) and not _is_declared(row) for row in rows]
    )


def _have_entities(rows: list[dict[str, Any]]) -> Hits:
    return np.array([(row["numeric_entities"] or 0) >= _MIN_ENTITIES for row in rows])


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


def _by_script(systems: list[str], right: dict[str, Hits]) -> Table:
    """Table 10."""
    lines: list[list[str | Cell]] = []
    for system, n in Counter(systems).most_common():
        mine = np.array([one == system for one in systems])
        printed = published.SCRIPTS_2011.get(system)
        lines.append([system, f"{n:,}", Cell(_share(right["four"], mine), None, printed[1] if printed else None), Cell(_share(right["bundled"], mine))])  # fmt: skip
    return Table(
        "Table 10: by writing system, %", ["system", "pages", "experiment four", "bundled model"], lines
    )


def _script_statistics(table: Table) -> dict[str, dict[str, float | None]]:
    """The statistics of the claims on Table 10, where there are pages of the script."""
    share = {
        str(row[0]): cell.value
        for row in table.rows
        if isinstance(cell := row[2], Cell) and cell.value is not None
    }
    logographic = [share[name] for name in ("Chinese", "Japanese") if name in share]
    others = [value for name, value in share.items() if name != "abugida"]
    last = share["abugida"] - min(others) if "abugida" in share and others else None
    return {"logographic": {"": min(logographic, default=None)}, "abugida-last": {"": last}}


def _pages(trials: Trials) -> list[dict[str, Any]]:
    """Pages in one language: web pages, manuals and test files of encodings."""
    import pyarrow.parquet

    assert trials.folder is not None
    rows = pyarrow.parquet.read_table(trials.folder / "pages" / "dev.parquet").to_pylist()
    rows = [row for row in rows if row["language_basis"] != "source-mixed"]
    order = np.random.default_rng(trials.corpus.seed).permutation(len(rows))[: trials.scale.n_pages]
    return [rows[i] for i in order.tolist()]


def _code(tag: str) -> str:
    return code_of(tag) or tag

"""Writes the figures of docs/research/reproduction.md from the report of a rerun.

    linksight reproduce --full --out full
    python recipes/reproduction.py full/report.json

Keeps what the page shows in docs/reproduction.json; without an argument the page is written again from that.
The figures of a smaller run leave those of the last full run as a table below.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from kept_figures import between

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "docs" / "reproduction.json"
PAGE = ROOT / "docs" / "research" / "reproduction.md"
MARKS = "<!-- figures: begin (recipes/reproduction.py) -->", "<!-- figures: end -->"
#: sections whose tables have rows "macro average"
COMPARED = ("table-v", "table-ix", "table-xii", "table-xiv", "table-xvi", "beyond")
BUNDLED = "bundled model†"
NEAR = 2.0
FAR = 4.0
#: A table whose figures are far from the paper's -> why they may be.
FAR_REASONS = {
    "table-v": "how many URLs of a language stand under its country codes is a property of the collection, not of the method",
    "table-xii": "the country of the server is not known here, and the dictionaries are others",
    "section-4.3.1": "how many pages a domain has differs from the paper's sources",
    "table-xvi": "the paper's multimedia URLs were found by queries for the language; ours are mostly PDF files of other sources "
    "than the training rows, with few words in their names",
    "table-xvii": "the crawls are replayed on a web built from labelled URLs, not run on the web of 2010",
    "2008-content": "the paper trains on the pages behind its URLs; here content is running text and pages of other sites, whose words "
    "are seldom those of URLs",
    "pages": "the paper's pages are of 2010, many in encodings of one script; nearly all of ours are UTF-8, and there are fewer of each language",
}


def distilled(report: dict[str, Any]) -> dict[str, Any]:
    """What the page shows of a report."""
    sections = report["sections"]
    return {
        "facts": report["about"]["facts"],
        "verdicts": [verdict_row(one) for one in report["verdicts"]],
        "claims": [row for one in report["verdicts"] for row in claim_rows(one)],
        "missing": [[s["key"], s["title"], s["missing"]] for s in sections if s["missing"]],
        "macro": [row for s in sections if s["key"] in COMPARED for row in macro_rows(s)],
        "near": [row for s in sections for row in nearness(s)],
    }


def verdict_row(verdict: dict[str, Any]) -> list[str]:
    """Paper, table, what it has, verdict, reason."""
    table = verdict["table"]
    return [table["paper"], table["table"], table["what"], verdict["verdict"], verdict["reason"]]


def claim_rows(verdict: dict[str, Any]) -> list[list[Any]]:
    """Place, sentence, statistic, threshold, then the value at random (or without a split) and by domain, each with its result."""
    table = verdict["table"]
    found = []
    for claim in table["claims"]:
        values = {
            check["split"]: [check["value"], check["holds"]]
            for check in verdict["checks"]
            if check["claim"] == claim
        }
        paper, site = (
            values.get("random") or values.get("") or [None, None],
            values.get("site") or [None, None],
        )
        bound = f"{claim['relation']} {claim['threshold']:g}"
        sentence = f"“{claim['quote']}”" + (f" ({claim['in_english']})" if claim["in_english"] else "")
        where = f"{table['paper']}, {table['table']}, section {claim['section']}"
        found.append(
            [
                where.replace("section slide", "slide").replace("section caption", "caption"),
                sentence,
                claim["statistic"],
                bound,
                *paper,
                *site,
            ]
        )
    return found


def macro_rows(section: dict[str, Any]) -> list[list[Any]]:
    """Table, classifier, F1 at random, by domain and on dev, published."""
    rows = []
    for table in section["tables"][:1]:
        for row in table["rows"]:
            if row[0] == "macro average":
                cells = dict(zip(table["columns"], row, strict=True))
                dev = cells.get("F1 dev") or (cells["F1"] if section["key"] == "beyond" else {})
                own = {} if section["key"] == "beyond" else cells["F1"]
                by_domain = {} if section["key"] == "beyond" else cells["F1 by domain"]
                rows.append(
                    [section["key"], row[1], *(_rounded(one.get("value")) for one in (own, by_domain, dev)),
                     _rounded(own.get("published"))]
                )  # fmt: skip
    return rows


def nearness(section: dict[str, Any]) -> list[list[Any]]:
    """Table, how many figures have a published one beside them, mean difference, mean distance, share that is near."""
    apart = [
        cell["value"] - cell["published"]
        for table in section["tables"]
        for row in table["rows"]
        for cell in row
        if isinstance(cell, dict)
        and cell["published"] is not None
        and cell["value"] is not None
        and cell["digits"]
    ]
    if len(apart) < 3:
        return []
    mean, distance = sum(apart) / len(apart), sum(map(abs, apart)) / len(apart)
    near = 100 * sum(abs(one) <= NEAR for one in apart) / len(apart)
    return [[section["key"], len(apart), round(mean, 1), round(distance, 1), round(near)]]


def page_of(kept: dict[str, Any]) -> str:
    """The part of the page that is written here."""
    lines = ["## What was run", ""]
    lines += [
        f"- {name}: {f'`{value}`' if name == 'command' else value}" for name, value in kept["facts"].items()
    ]
    lines += ["", *_verdict_lines(kept), *_macro_lines("Macro F1, next to the papers", kept)]
    lines += ["", f"How near all figures are to the published ones, in points; near is within {NEAR:g}:", ""]
    lines += ["| table | figures | mean difference | mean distance | near, % |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(_shown(value) for value in row)} |" for row in kept["near"]]
    lines += ["", f"Where the mean distance is above {FAR:g} points, the likely reason:", ""]
    lines += [
        f"- `{key}`: {FAR_REASONS.get(key, 'not known')}."
        for key, _n, _mean, distance, _near in kept["near"]
        if distance > FAR
    ] or ["- There is no such table."]
    lines += ["", "## What was not run", ""]
    lines += [f"- {title} (`{key}`): {why}" for key, title, why in kept["missing"]] or ["Everything was."]
    if full := kept.get("full"):
        lines += ["", *_macro_lines("Macro F1 with all rows", full)[:2]]
        lines += [
            f"An earlier version, run in several parts: {full['facts']['URLs']}; 10 folds. No verdict rests on it.",
            "",
        ]
        lines += _macro_lines("", full)[2:]
    return "\n".join(lines) + "\n"


def _macro_lines(title: str, kept: dict[str, Any]) -> list[str]:
    """A table of macro F1 under its title."""
    head = ["| table | classifier | at random | by domain | dev | published |", "|---|---|---|---|---|---|"]
    return [
        f"## {title}",
        "",
        *head,
        *(f"| {' | '.join(_shown(value) for value in row)} |" for row in kept["macro"]),
    ]


def _verdict_lines(kept: dict[str, Any]) -> list[str]:
    """A row for each table and figure, and a row for each claim."""
    counts = Counter(row[3] for row in kept["verdicts"])
    held = [sum(row[at] is True for row in kept["claims"]) for at in (5, 7)]
    asked = [sum(row[at] is not None for row in kept["claims"]) for at in (5, 7)]
    lines = [
        f"Of {len(kept['verdicts'])} tables and figures, {counts['reproduced']} are reproduced, {counts['partly']} partly, "
        f"{counts['not reproduced']} not reproduced and {counts['not comparable']} not comparable.",
        f"Of the claims, {held[0]} of {asked[0]} hold on the paper's split and {held[1]} of {asked[1]} by domain.",
        "",
        "## Every table and figure",
        "",
    ]
    for paper, rows in groupby(kept["verdicts"], key=lambda row: row[0]):
        lines += [f"### {paper}", "", "| table | what | verdict | reason |", "|---|---|---|---|"]
        lines += [
            f"| {table} | {what} | {verdict} | {reason or '–'} |" for _, table, what, verdict, reason in rows
        ]
        lines += [""]
    lines += [
        "## Every claim",
        "",
        "| place | sentence | statistic | threshold | here | by domain |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {place} | {sentence} | {statistic} | {bound} | {_result(*ours)} | {_result(*site)} |"
        for place, sentence, statistic, bound, *rest in kept["claims"]
        for ours, site in [(rest[:2], rest[2:])]
    ]
    return [*lines, ""]


def _result(value: float | None, holds: bool | None) -> str:
    return "–" if value is None else f"{value:.4g} {'✓' if holds else '✗'}"


def written(page: str, figures: str) -> str:
    """The page with its figures replaced."""
    return between(page, MARKS, figures)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def _shown(value: Any) -> str:
    return "–" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)


def _is_full(kept: dict[str, Any]) -> bool:
    return "“full”" in kept["facts"]["folds"]


def main() -> None:
    if len(sys.argv) > 1:
        found = distilled(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
        before = json.loads(KEPT.read_text(encoding="utf-8"))
        if not _is_full(found):
            full = before if _is_full(before) else before.get("full", {})
            found["full"] = {name: full[name] for name in ("facts", "macro") if name in full}
        KEPT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), page_of(kept)), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The report: one HTML page that needs nothing else, and the same figures as CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from linksight.lab.papers.claims import WHERE, Verdict, verdict_line
from linksight.lab.papers.report.results import Cell, Section, Table
from linksight.system.atomic_write import write_whole

_MAX_PAGE_ROWS = 16  # rows that print on one page
_MIN_URLS = 10_000  # URLs of a language; true claims may fail on fewer
_MAX_UNBROKEN_LETTERS = 34  # longer text may be broken into lines
_STYLE = Path(__file__).with_name("report.css")


def write_report(
    folder: Path, sections: Sequence[Section], about: Mapping[str, Any], verdicts: Sequence[Verdict] = ()
) -> Path:
    """Write ``report.html``, ``report.json`` and a CSV file for each table, each file atomically."""
    figures = {
        "about": dict(about), "verdicts": [one.as_dict() for one in verdicts], "sections": [section.as_dict() for section in sections],
    }  # fmt: skip
    write_whole(folder / "report.json", json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    tables = folder / "tables"
    tables.mkdir(exist_ok=True)
    for section in sections:
        for number, table in enumerate(section.tables, start=1):
            write_whole(tables / f"{section.key}-{number}.csv", csv_of(table))
    page = folder / "report.html"
    write_whole(page, html_of(sections, about, verdicts))
    return page


def csv_of(table: Table) -> str:
    """A table as CSV."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(table.flat())
    return stream.getvalue()


def html_of(sections: Sequence[Section], about: Mapping[str, Any], verdicts: Sequence[Verdict] = ()) -> str:
    """The page."""
    links = "".join(f'<li><a href="#{escape(s.key)}">{escape(s.title)}</a></li>' for s in sections)
    facts = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in about["facts"].items()
    )
    body = "".join(_section(section) for section in sections)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>linksight: the papers rerun</title><style>{_STYLE.read_text(encoding='utf-8')}</style></head><body><main>"
        "<h1>The papers rerun, beside the published figures</h1>"
        f"<dl>{facts}</dl>"
        "<p>Figures are percentages, means over folds; small beside them the standard deviation, small below the published figure. "
        "<b>*</b> marks the one that is significantly above all others in its comparison (one-tailed paired t-tests over folds, level 0.025). "
        "“By domain” means that no registered domain is in training and test at once. P is that of as many URLs of the language as of others. "
        "“–”: nothing can be measured, such as by domain where all URLs of a language are of one.</p>"
        f"{_verdicts(verdicts, about)}"
        f"<nav><b>Contents</b><ul>{links}</ul></nav>{body}</main></body></html>\n"
    )


def _verdicts(verdicts: Sequence[Verdict], about: Mapping[str, Any]) -> str:
    """A row for each table of the papers, and every claim with its quote, statistic and threshold."""
    if not verdicts:
        return ""
    fewest = min(about.get("urls", {}).values(), default=_MIN_URLS)
    chance = f" With {fewest:,} URLs of a language some differences are chance." if fewest < _MIN_URLS else ""
    rows = [
        [one.table.paper, one.table.table, one.table.what, one.verdict, one.reason or "–"] for one in verdicts
    ]
    claims = [
        [f"{one.table.paper}, {check.claim.section}: {check.claim.cited()}", one.table.table, WHERE[check.split] or "–", check.claim.statistic,
         f"{check.claim.relation} {check.claim.threshold:g}", Cell(check.value, digits=2), "holds" if check.holds else "differs"]
        for one in verdicts for check in one.checks
    ]  # fmt: skip
    return (
        f"<h2>Verdicts</h2><p>{escape(verdict_line(verdicts))}.{chance}</p>"
        + _table(
            Table("One row for each table and figure", ["paper", "table", "what", "verdict", "reason"], rows)
        )
        + _table(
            Table(
                "Claims, registered before the run",
                ["sentence", "table", "split", "statistic", "threshold", "here", "result"],
                claims,
            )
        )
    )


def _section(section: Section) -> str:
    parts = [
        f'<section id="{escape(section.key)}"><h2>{escape(section.title)}</h2>'
        f'<p class="from">{escape(" · ".join(filter(None, (section.key, section.paper))))}</p>'
    ]
    if section.missing:
        parts.append(f'<p class="none">{escape(section.missing)}</p>')
    parts += [f"<p>{escape(text)}</p>" for text in section.text if text]
    parts += [_table(table) for table in section.tables]
    parts += [
        f'<figure role="img" aria-label="{escape(caption)}">{svg}<figcaption>{escape(caption)}</figcaption></figure>'
        for caption, svg in section.figures
    ]
    return "".join(parts) + "</section>"


def _table(table: Table) -> str:
    """The table; where its first column repeats itself, that becomes a heading above each group of rows."""
    grouped = _repeats(table)
    first = 1 if grouped else 0
    numeric = [
        any(isinstance(row[i], Cell) or _is_number(row[i]) for row in table.rows)
        for i in range(first, len(table.columns))
    ]
    kinds = ["" if one else " t" for one in numeric]
    head = "".join(
        f'<th scope="col" class="{kind.strip()}">{escape(name)}</th>'
        for name, kind in zip(table.columns[first:], kinds, strict=True)
    )
    bodies = []
    for heading, rows in groupby(table.rows, key=lambda row: str(row[0]) if grouped else ""):
        title = (
            f'<tr><th class="group" colspan="{len(kinds)}" scope="rowgroup"><span>{escape(heading)}</span></th></tr>'
            if grouped
            else ""
        )
        bodies.append(f"<tbody>{title}{''.join(_row(row[first:], kinds) for row in rows)}</tbody>")
    short = " short" if len(table.rows) <= _MAX_PAGE_ROWS else ""
    return (
        f'<div class="wide{short}"><p>{escape(table.caption)}</p><table aria-label="{escape(table.caption)}">'
        f"<thead><tr>{head}</tr></thead>{''.join(bodies)}</table></div>"
    )


def _row(row: Sequence[str | Cell], kinds: Sequence[str]) -> str:
    cells = []
    for value, kind in zip(row, kinds, strict=True):
        long = " long" if isinstance(value, str) and len(value) > _MAX_UNBROKEN_LETTERS else ""
        cells.append(f'<td class="{(kind + long).strip()}">{_cell(value)}</td>')
    return f"<tr>{''.join(cells)}</tr>".replace(' class=""', "")


def _cell(value: str | Cell) -> str:
    if isinstance(value, str):
        return escape(value)
    shown = escape(value.shown())
    text = f'<span class="best">{shown}</span>' if value.best else shown
    if value.sd and value.value is not None:  # untrained classifiers are the same in every fold
        text += f' <span class="sd">±{value.sd:.1f}</span>'
    if value.published is not None:
        digits = 0 if value.digits == 0 else max(1, value.digits)
        text += f'<span class="pub">paper {value.published:,.{digits}f}</span>'
    return text


def _is_number(value: str | Cell) -> bool:
    return isinstance(value, str) and value.replace(",", "").replace(".", "").isdigit()


def _repeats(table: Table) -> bool:
    firsts = [row[0] for row in table.rows]
    return len(set(map(str, firsts))) < len(firsts)

"""Report of a crawl: one self-contained HTML file, and the same figures as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from linksight.crawl.report.crawl_queries import WINDOW, Ledger, running, windowed
from linksight.crawl.report.explain import explain
from linksight.crawl.report.format_bytes import size
from linksight.crawl.report.svg_charts import bar_chart, line_chart
from linksight.crawl.run.config import CrawlConfig
from linksight.languages import registry
from linksight.system.atomic_write import write_whole
from linksight.system.plural import counted

_BAYKAN = "Baykan, Henzinger and Weber (2013)"
_HOGEWIND = "Hogewind et al., Crawling the Dutch Web (2020)"
SAMPLED_STATE = "rejected, fetched as a sample"  #: name of the state ``sampled`` in tables
_STYLE = """
:root { color-scheme: light dark; --ink: #222; --soft: #555; --line: #ddd; --paper: #fff; --tint: #f4f4f4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --soft: #a9a9a9; --line: #444; --paper: #16181b; --tint: #202428; }
  svg { background: #fff; border-radius: 4px; } }
@media print { :root { --ink: #000; --soft: #333; --line: #999; --paper: #fff; --tint: #eee; } .wide { overflow: visible; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line); }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin: .6rem 0; } td, th { padding: .2rem .7rem; text-align: left; border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; } th { font-weight: 600; } svg { max-width: 100%; height: auto; }
.big { display: flex; gap: 2rem; flex-wrap: wrap; } .big div { min-width: 7rem; } .big b { display: block; font-size: 1.7rem; }
.note { color: var(--soft); max-width: 46rem; } code { background: var(--tint); padding: 0 .25rem; overflow-wrap: anywhere; }
"""


def write_report(ledger: Ledger, folder: Path) -> tuple[Path, Path]:
    """Write ``report.html`` and ``report.json``; return their paths."""
    html_path, json_path = folder / "report.html", folder / "report.json"
    figures = ledger.as_dict()
    write_whole(json_path, json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    write_whole(html_path, html_report(ledger, figures))
    return html_path, json_path


def html_report(ledger: Ledger, figures: dict[str, Any]) -> str:
    """Render the report as HTML."""
    name = registry.name(figures["language"])
    sections = [
        _headline(figures, name),
        f"<h2>Harvest over time</h2>{_harvest_charts(ledger, name)}",
        f"<h2>What was missed</h2>{_missed(figures, name)}",
        f"<h2>Languages and hosts</h2>{_languages(figures)}{_hosts(figures, name)}",
        f"<h2>Seeds</h2>{_seeds(figures, name)}",
        f"<h2>Why</h2>{_reasons(figures)}",
        f"<h2>What failed</h2>{_failures(figures)}",
        f"<h2>Was the prediction right?</h2>{_calibration(figures)}",
        f"<h2>Beside published crawls</h2>{_paper_tables(figures, name)}",
        f"<h2>Settings</h2>{_settings(figures)}",
    ]
    return document(f"{name}: report of a crawl", sections)


def document(title: str, sections: Iterable[str]) -> str:
    """Render an HTML document from its sections."""
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    body = "\n".join(sections)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body><main>'
        f'<h1>{escape(title)}</h1><p class="note">linksight, {made}</p>{body}</main></body></html>\n'
    )


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Render an HTML table with escaped cells, right-aligned numbers and horizontal scrolling.

    >>> table(["a"], [["<b>"]])
    '<div class="wide"><table><tr><th scope="col">a</th></tr><tr><td>&lt;b&gt;</td></tr></table></div>'
    """
    lines = [list(row) for row in rows]
    side = [
        ' class="n"' if lines and all(_is_number(row[column]) for row in lines) else ""
        for column in range(len(head))
    ]
    top = "".join(
        f'<th scope="col"{where}>{escape(name)}</th>' for name, where in zip(head, side, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{at}>{_cell(value)}</td>" for value, at in zip(row, side, strict=True))
        + "</tr>"
        for row in lines
    )
    return f'<div class="wide"><table><tr>{top}</tr>{body}</table></div>'


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return value[:1].isdigit() and not value.strip("0123456789.,% ()to")
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.3g}"
    if isinstance(value, (list, tuple)):
        return escape(", ".join(map(str, value[:10]))) + (
            f" and {len(value) - 10} more" if len(value) > 10 else ""
        )
    return escape(str(value))


def _headline(figures: dict[str, Any], name: str) -> str:
    totals, states = figures["totals"], figures["states"]
    headline = [
        (f"{totals['hits']:,}", f"pages in {name}"),
        (f"{totals['harvest']:.1%}", "of all pages fetched"),
        (f"{totals['pages']:,}", "pages fetched"),
        (f"{totals['unique']:,}", "of them unique"),
        (f"{totals['hosts']:,}", "host" if totals["hosts"] == 1 else "hosts"),
        (size(totals["bytes"]), "downloaded"),
        (f"{states.get('queued', 0):,}", f"{_urls(states.get('queued', 0))} still queued"),
        (f"{figures['missed']['population']:,}", f"{_urls(figures['missed']['population'])} rejected"),
    ]
    boxes = "".join(f"<div><b>{escape(value)}</b>{escape(what)}</div>" for value, what in headline)
    line = f"<p>Strategy <code>{escape(figures['strategy'])}</code>. {_ending(figures)}</p>"
    return f'{line}<div class="big">{boxes}</div>{_savings(figures)}'


def _urls(number: int) -> str:
    return "URL" if number == 1 else "URLs"


def _ending(figures: dict[str, Any]) -> str:
    """Describe the state of the crawl, or how it ended."""
    phase, queued = figures["totals"]["phase"], figures["states"].get("queued", 0)
    if phase == "sampling":
        return "The sample of rejected URLs is being fetched."
    if phase != "done":
        return "The crawl is not complete: it runs, or was stopped and goes on with <code>linksight crawl resume</code>."
    if not queued:
        return "The crawl is complete."
    if limit := figures["totals"]["limit"]:
        flag, value = f"--{limit.replace('_', '-')}", figures["config"][limit]
        return f"The crawl stopped at <code>{flag} {value:g}</code>; with more, <code>linksight crawl resume</code> goes on."
    return "The crawl is complete, except for URLs of hosts at their page limit."


def _savings(figures: dict[str, Any]) -> str:
    saved = figures["savings"]
    if not saved:
        return ""
    return (
        f"<p>Without a strategy the same {figures['totals']['hits']:,} pages would have cost about "
        f"{saved['requests_without']:,.0f} requests: <b>{saved['requests_saved']:,.0f} requests</b> "
        f"({saved['requests_saved_low']:,.0f} to {saved['requests_saved_high']:,.0f}) and "
        f"<b>{size(saved['bytes_saved'])}</b> were saved.</p>"
    )


def _harvest_charts(ledger: Ledger, name: str) -> str:
    hits = ledger.timeline()
    curves = {
        "all pages": [(0.0, 0.0), (float(len(hits)), float(len(hits)))],
        f"pages in {name}": running(hits),
    }
    window = min(WINDOW, max(10, len(hits) // 10))
    return line_chart("Pages found", curves, "pages fetched", "pages") + line_chart(
        f"Share of {name} in each {window} pages",
        {name: windowed(hits, window)}, "pages fetched", "share", percent=True,
    ) + f'<p class="note">The second curve is drawn as Figure 7 of {_BAYKAN}.</p>'  # fmt: skip


def _missed(figures: dict[str, Any], name: str) -> str:
    missed = figures["missed"]
    if not missed["population"]:
        return "<p>The strategy rejected no URL.</p>"
    if not missed["sample"]:
        rejected = counted(missed["population"], "URL was", "URLs were")
        return f"<p>{rejected} rejected; no sample of them has been fetched.</p>"
    low, high = missed["low"] * missed["population"], missed["high"] * missed["population"]
    row = [
        f"{missed['value']:.2%} ({missed['low']:.2%} to {missed['high']:.2%})",
        missed["sample"],
        missed["population"],
        f"{missed['value'] * missed['population']:,.0f} ({low:,.0f} to {high:,.0f})",
    ]
    head = [f"share of {name} among rejected URLs (95 %)", "sampled", "rejected", "pages missed (95 %)"]
    return (
        table(head, [row]) + '<p class="note">A random sample of the rejected URLs was fetched and read '
        f"(as for Table 1 of {_HOGEWIND}). Those that are dead or no pages count as not in the language; redirects were followed. Pages that no fetched page links to are not counted: nobody knows them.</p>"
    )


def _languages(figures: dict[str, Any]) -> str:
    bars = [(registry.name(code), float(n)) for code, n in list(figures["languages"].items())[:15]]
    return bar_chart("Pages by language", bars, "pages")


def _hosts(figures: dict[str, Any], name: str) -> str:
    rows = [[h["host"], h["pages"], h["hits"], f"{h['hits'] / h['pages']:.0%}"] for h in figures["hosts"]]
    return table(["host", "pages", f"in {name}", "share"], rows)


def _seeds(figures: dict[str, Any], name: str) -> str:
    rows = [
        [seed["url"], seed["label"], seed["note"], seed["pages"], seed["hits"]] for seed in figures["seeds"]
    ]
    return table(["seed", "label", "note", "pages found by it", f"in {name}"], rows)


def _reasons(figures: dict[str, Any]) -> str:
    rows = [
        [SAMPLED_STATE if state == "sampled" else state, reason, explain(reason), n]
        for state, reasons in figures["reasons"].items()
        for reason, n in reasons.items()
    ]
    return table(["state", "reason", "in words", "URLs"], rows)


def _failures(figures: dict[str, Any]) -> str:
    rows = [["given up", explain(reason), n] for reason, n in figures["problems"].items()]
    rows += [["tried again later", explain(reason), n] for reason, n in figures["retries"].items()]
    return table(["", "what happened last", "URLs"], rows) if rows else "<p>Nothing.</p>"


def _calibration(figures: dict[str, Any]) -> str:
    if not figures["calibration"]:
        return "<p>This strategy predicts nothing.</p>"
    rows = [[f"{mean:.0%}", f"{share:.0%}", n] for mean, share, n in figures["calibration"]]
    return table(["predicted", "came true", "pages"], rows)


def _paper_tables(figures: dict[str, Any], name: str) -> str:
    totals = figures["totals"]
    pages = max(totals["pages"], 1)
    head = ["language", "strategy", "pages", "hosts visited (XVII)", "no label (XVIII)", "precision (XIX)"]
    labelled = max(pages - totals["unlabelled"], 1)
    row = [
        name, figures["strategy"], totals["pages"], totals["hosts"],
        f"{totals['unlabelled'] / pages:.1%}", f"{totals['hits'] / labelled:.1%}",
    ]  # fmt: skip
    second = ["seeds", "URL filter", "total pages", f"{name} pages", f"portion of {name}"]
    used = "not used" if figures["strategy"] in ("breadth-first", "random") else figures["strategy"]
    row2 = [
        len(figures["config"]["seeds"]),
        used,
        totals["pages"],
        totals["hits"],
        f"{totals['harvest']:.1%}",
    ]
    return (
        '<p class="note">The same figures as two papers give them for their crawls.</p>'
        f"<p>{_BAYKAN}, Tables XVII to XIX:</p>{table(head, [row])}"
        f"<p>{_HOGEWIND}, Table 2:</p>{table(second, [row2])}"
    )


def _settings(figures: dict[str, Any]) -> str:
    meanings = {spec.name: spec.metadata["help"] for spec in fields(CrawlConfig)}
    rows = [[name, value if isinstance(value, (bool, list)) else str(value), meanings.get(name, "")]
            for name, value in figures["config"].items()]  # fmt: skip
    return (
        table(["setting", "value", "meaning"], rows)
        + '<p class="note">Most are options of <code>linksight crawl run</code> (max_pages is --max-pages); every one '
        "can stand in the [crawl] table of a file given with --config.</p>"
    )

"""The figures of docs/crawl.md: kept in docs/crawl.json, and written into the page's tables from there.

    python benchmarks/crawl_figures.py            write the tables anew

The measurements call :func:`keep`; so one rerun of a benchmark brings figures and page up to date.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
FIGURES = DOCS / "crawl.json"
PAGE = DOCS / "crawl.md"
NAMES = {"nl": "Dutch", "fr": "French", "pt": "Portuguese"}
ORDER = ("adaptive", "filter", "classifier", "cctld", "breadth-first", "random")


def keep(section: str, values: Any) -> None:
    """Put figures down and write the page's tables."""
    known = figures() | {section: values}
    FIGURES.write_text(
        json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    write_tables()


def figures() -> dict[str, Any]:
    return json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}


def write_tables() -> None:
    """Fill the parts of the page that stand between ``<!-- name -->`` and ``<!-- /name -->``."""
    text = PAGE.read_text(encoding="utf-8")
    for name, table in (("replay", replay_table), ("ratios", ratio_table), ("speed", speed_table)):
        mark = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.S)
        parts = mark.split(text)
        text = "".join([parts[0], parts[1], table(figures()), *parts[2:]]) if len(parts) > 1 else text
    PAGE.write_text(text, encoding="utf-8")


def replay_table(known: dict[str, Any]) -> str:
    told = known.get("replay", {})
    head = "| | " + " | | ".join(NAMES[code] for code in told) + " | |\n|---|" + "---|---|" * len(told) + "\n"
    head += "| | " + " | ".join("found | precision" for _ in told) + " |\n"
    rows = ""
    for strategy in ORDER:
        cells = [told[code]["strategies"][strategy] for code in told]
        mark = "**" if strategy == "adaptive" else ""
        rows += (
            f"| `{strategy}` | "
            + " | ".join(f"{mark}{row['found']:,.0f}{mark} | {row['precision']:.1%}" for row in cells)
            + " |\n"
        )
    return head + rows


def ratio_table(known: dict[str, Any]) -> str:
    told = known.get("replay", {})
    rows = "| the default finds, times | " + " | ".join(NAMES[code] for code in told) + " | aim |\n"
    rows += "|---|" + "---|" * len(told) + "---|\n"
    for name, aim in (("adaptive / breadth-first", "5"), ("adaptive / better of cctld, classifier", "1.15")):
        other = name.partition(" / ")[2]
        cells = [told[code]["intervals"][name] for code in told]
        rows += (
            f"| what {other} finds | "
            + " | ".join(f"{c['value']:.2f} ({c['low']:.2f}–{c['high']:.2f})" for c in cells)
            + f" | {aim} |\n"
        )
    return rows


def speed_table(known: dict[str, Any]) -> str:
    rows = "| | ratio | measured by |\n|---|---|---|\n"
    for strategy, what in (
        ("breadth-first", "pages/s beside a bare Scrapy spider (no frontier, no WARC, no language), both breadth-first"),
        ("adaptive", "pages/s of the default strategy, which reads every page and judges every link, beside that spider"),
    ):  # fmt: skip
        if told := known.get(f"bare {strategy}"):
            rows += f"| {what} | {told['median']:.2f} ({min(told['ratios']):.2f}–{max(told['ratios']):.2f} in {len(told['ratios'])} run(s)) | `crawl_speed.py bare --strategy {strategy}` |\n"
    if told := known.get("workers"):
        rows += f"| two workers on one PostgreSQL beside one, {told['latency']} s latency | {told['ratio']:.2f} | `crawl_speed.py workers` |\n"
    if told := known.get("memory"):
        rows += f"| memory with 200,000 queued URLs beside 10,000 | {told['ratio']:.3f} | `crawl_speed.py memory` |\n"
    return rows


if __name__ == "__main__":
    write_tables()

"""The figures of docs/research/crawl-figures.md: kept in docs/crawl.json, and written into the page's tables from there.

    python benchmarks/crawl_figures.py            write the tables anew

The measurements call :func:`keep`; so one rerun of a benchmark brings figures and page up to date.
tests/crawl/test_crawl_figures.py holds the page to the figures.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kept_figures import between

DOCS = Path(__file__).parents[1] / "docs"
FIGURES = DOCS / "crawl.json"
PAGE = DOCS / "research" / "crawl-figures.md"
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
    """Bring the page up to date."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), figures()), encoding="utf-8")


def filled(text: str, known: dict[str, Any]) -> str:
    """The page with the parts that stand between ``<!-- name -->`` and ``<!-- /name -->`` written anew."""
    for name, part in PARTS.items():
        text = between(text, (f"<!-- {name} -->", f"<!-- /{name} -->"), part(known), gap="\n")
    return text


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
        if strategy == "adaptive" and all("one_referrer" in told[code] for code in told):
            alone = " | | ".join(f"{told[code]['one_referrer']:,.0f}" for code in told)
            rows += f"| … without what further sites say | {alone} | |\n"
    draws = {c["draws"] for code in told for c in told[code]["intervals"].values()}
    return head + rows + f"\nThe mean of {min(draws, default=0)} draws of seeds.\n"


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
    most = [told[code]["budget"] / better(told[code]["strategies"]) for code in told]
    return rows + "| the most that any strategy could | " + " | ".join(f"{m:.2f}" for m in most) + " | |\n"


def better(strategies: dict[str, Any]) -> float:
    """What the better of the two that the default is held against finds."""
    return max(strategies[name]["found"] for name in ("cctld", "classifier"))


def web_table(known: dict[str, Any]) -> str:
    told = known.get("replay", {})
    if any("web" not in one for one in told.values()):
        return "The figures above are of an earlier build of this web, without texts, `hreflang` and the share of front pages.\n"
    rows = "| pages in the language | " + " | ".join(NAMES[code] for code in told) + " |\n"
    rows += "|---|" + "---|" * len(told) + "\n"
    for name, what in (
        ("own_tlds", "under its top-level domains"),
        ("own_tlds_labelled", "the same among all its labelled URLs"),
        ("front", "front pages"),
        ("front_others", "front pages among the other languages"),
    ):
        rows += f"| {what} | " + " | ".join(f"{told[code]['web'][name]:.1%}" for code in told) + " |\n"
    return rows


def coverage_line(known: dict[str, Any]) -> str:
    told = known.get("coverage")
    if not told:
        return "(not measured)\n"
    return f"It covered the truth in **{told['covered']} of {told['runs']}** draws of seeds (`python recipes/crawl_pictures.py coverage`; 90 are wanted).\n"


def kills_line(known: dict[str, Any]) -> str:
    told = known.get("kills")
    if not told:
        return "(not measured)\n"
    return (
        f"`python benchmarks/crawl_kill.py` killed a crawl of {told['pages']:,} pages {told['kills']} times, read every record back with its\n"
        f"digests, and counted: {told['stored']:,} stored, {told['missing']} missing, {told['twice']} twice, {told['broken']} records broken.\n"
    )


def nuisances_line(known: dict[str, Any]) -> str:
    told = known.get("nuisances")
    if not told:
        return "(not measured)\n"
    return (
        f"`python benchmarks/crawl_nuisances.py --webs {told['webs']} --seed {told['seed']}` crawls {told['pages']} pages of {told['webs']} webs of 76 hosts, "
        f"some of which repeat one text, count sessions or never end.\nUnique pages in Danish are {told['precision']['adaptive']:.0%} of what the default fetches: "
        f"{told['ratios']['breadth-first']:.2f} times as many as breadth-first finds, and {told['ratios']['filter']:.2f} times as many as `filter`.\n"
    )


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


PARTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "replay": replay_table,
    "ratios": ratio_table,
    "web": web_table,
    "coverage": coverage_line,
    "nuisances": nuisances_line,
    "kills": kills_line,
    "speed": speed_table,
}


if __name__ == "__main__":
    write_tables()

"""What was measured, as the tables of docs/how-to/scale.md: the figures, the cost model, the arithmetic to a billion pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kept_figures import write_between

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "scale.md"
FIGURES_MARKS = "<!-- figures: benchmarks/scale.py table -->", "<!-- end of figures -->"
ARITHMETIC_MARKS = "<!-- arithmetic: benchmarks/scale.py table -->", "<!-- end of arithmetic -->"
BILLION, DAYS, LINKS = 1e9, 30, 20  #: the crawl of the arithmetic: pages, days, links a page


def write_page(known: dict[str, Any], price: float) -> None:
    """Write the tables into docs/how-to/scale.md."""
    write_between(PAGE, FIGURES_MARKS, rendered(known, price))
    write_between(PAGE, ARITHMETIC_MARKS, arithmetic(known))


def arithmetic(known: dict[str, Any]) -> str:
    """What a billion pages need, from what was measured."""
    rate = BILLION / (DAYS * 86_400)
    lines = ["| for a billion pages in 30 days | from the measurement | needed |", "|---|---|---|"]
    if "workers" in known:
        run = known["workers"]["runs"][0]
        cpu = run["cpu_s"] / run["pages"]
        lines.append(
            f"| cores for fetching, parsing, deciding, storing | {1000 * cpu:.0f} ms of a core a page, the start of the worker included | {rate * cpu:,.0f} cores |"
        )
    if "files" in known:
        turn = known["files"][-1]
        hours = BILLION * LINKS * turn["job_cpu_s"] / turn["rows"] / 3600
        lines.append(
            f"| scoring {LINKS} links a page | {1e6 * turn['job_cpu_s'] / turn['rows']:.1f} µs of a core a URL | {hours:,.0f} core-hours, {hours / DAYS / 24:.1f} cores |"
        )
    if "pages" in known:
        turn = known["pages"]
        hours = BILLION * turn["cpu_s"] / turn["pages"] / 3600
        lines.append(
            f"| labelling the pages | {1000 * turn['cpu_s'] / turn['pages']:.1f} ms of a core a page | {hours:,.0f} core-hours, {hours / DAYS / 24:.1f} cores |"
        )
    lines.append(
        f"| hosts ready at every moment, one request a second each | {rate:.0f} pages/s | {rate:.0f}, and some ten times as many queued |"
    )
    return "\n".join(lines) + "\n"


def rendered(known: dict[str, Any], price: float) -> str:
    """The measurements as Markdown."""
    machine = known["machine"]
    lines = [
        f"Measured on {machine['cores']} cores ({machine['system']}, Python {machine['python']}); a load of {machine.get('load', '?')} before the last of these measurements, which were not all made at once.",
        "",
    ]
    parts = {"files": file_lines, "kinds": kind_lines, "spark": spark_lines, "workers": worker_lines}
    for name, part in parts.items():
        if name in known:
            lines += [*part(known[name]), ""]
    return "\n".join(lines + cost_lines(known, price))


def file_lines(turns: list[dict[str, Any]]) -> list[str]:
    lines = [
        "| Parquet to Parquet | rows/s | rows/s a core | of the kernel's rate, wall | by processor time | peak memory |",
        "|---|---|---|---|---|---|",
    ]
    for turn in turns:
        lines.append(
            f"| {turn['rows']:,} rows | {turn['rows'] / turn['job_s']:,.0f} | {turn['rows'] / turn['job_cpu_s']:,.0f} "
            f"| {turn['ratio']:.0%} | {turn['cpu_ratio']:.0%} | {turn['peak_mb']:,.0f} MB |"
        )
    return lines


def kind_lines(told: dict[str, Any]) -> list[str]:
    first = told["jobs"][0]
    lines = [
        f"| {told['rows']:,} rows from | to | rows/s | rows/s a core | of Parquet to Parquet, wall | by processor time |",
        "|---|---|---|---|---|---|",
    ]
    for job in told["jobs"]:
        lines.append(
            f"| {job['from']} | {job['to']} | {told['rows'] / job['job_s']:,.0f} | {told['rows'] / job['job_cpu_s']:,.0f} "
            f"| {first['job_s'] / job['job_s']:.0%} | {first['job_cpu_s'] / job['job_cpu_s']:.0%} |"
        )
    return [
        *lines,
        "",
        f"A file a language: {told['languages']} files with {told['row_groups']} row groups in all.",
    ]


def spark_lines(turn: dict[str, Any]) -> list[str]:
    """How Spark does, and how much of it is Spark itself."""
    rate = turn["rows"] / turn["seconds"]
    text = f"Spark, local[2]: {turn['rows']:,} rows at {rate:,.0f} rows/s, {turn['ratio']:.0%} of the kernel alone on all cores"
    if "files_ratio" in turn:
        text += f" and {turn['files_ratio']:.0%} of `linksight detect` from file to file"
    if "bare_seconds" in turn:
        text += (
            f". With a Python function that does nothing Spark takes {turn['rows'] / turn['bare_seconds']:,.0f} rows/s:"
            f" {turn['bare_cpu_s'] / turn['cpu_s']:.0%} of the processor time is its own"
        )
    return [f"{text}."]


def worker_lines(told: dict[str, Any]) -> list[str]:
    runs = told["runs"]
    one = runs[0]["pages"] / runs[0]["seconds"]
    lines = [
        f"Crawl workers on one PostgreSQL; a web that answers after {told['latency']} s, {told['concurrency']} requests at a time a worker:", "",
        "| workers | pages | pages/s | of one worker | WARC kB a page |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for run in runs:
        rate = run["pages"] / run["seconds"]
        lines.append(
            f"| {run['workers']} | {run['pages']:,} | {rate:,.0f} | {rate / one:.2f} | {1000 * run['warc_mb'] / run['pages']:.1f} |"
        )
    return lines


def cost_lines(known: dict[str, Any], price: float) -> list[str]:
    lines = [
        f"| what a million costs | core-hours | at {price:g} a core-hour | a core-hour does |",
        "|---|---|---|---|",
    ]
    costs = []
    if "files" in known:
        turn = known["files"][-1]
        costs.append(("million URLs, file to file", 1e6 * turn["job_cpu_s"] / turn["rows"] / 3600, "URLs"))
    if "spark" in known:
        turn = known["spark"]
        by_clock = " (2 cores by the wall clock of a shared machine: no more than)"
        name = "million URLs, in Spark, Java included" + ("" if "cpu_s" in turn else by_clock)
        seconds = turn.get("cpu_s", 2 * turn["seconds"])
        costs.append((name, 1e6 * seconds / turn["rows"] / 3600, "URLs"))
    if "pages" in known:
        turn = known["pages"]
        costs.append(
            ("million pages identified from bytes", 1e6 * turn["cpu_s"] / turn["pages"] / 3600, "pages")
        )
    if "workers" in known:
        run = known["workers"]["runs"][0]
        name = (
            "million pages crawled: fetched, parsed, labelled, decided, stored; a worker's start on each 400"
        )
        costs.append((name, 1e6 * run["cpu_s"] / run["pages"] / 3600, "pages"))
    for name, hours, unit in costs:
        lines.append(f"| {name} | {hours:.4f} | {hours * price:.6f} | {1e6 / hours:,.0f} {unit} |")
    return lines

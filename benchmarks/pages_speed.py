"""Raw pages a second on one core, as a ratio to CLD2 on the same HTML in the same run.

    LINKSIGHT_DATA=... python benchmarks/pages_speed.py [--rounds 5] [--keep]

Both take the bytes of the page as they came. Processor time, the best of several rounds in turn, so that
other work on the machine disturbs both alike. ``--keep`` writes the figures into the documentation.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

os.environ.setdefault("LINKSIGHT_PAGES", "compiled")
sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from kept_figures import keep

import linksight


def seconds(read: Callable[[bytes], object], bodies: list[bytes]) -> float:
    began = time.process_time()
    for body in bodies:
        read(body)
    return time.process_time() - began


def installed() -> dict[str, Callable[[bytes], object]]:
    """linksight, and CLD2 where it is there."""
    readers: dict[str, Callable[[bytes], object]] = {"linksight": linksight.identify}
    try:
        import pycld2

        def cld2(body: bytes) -> object:
            try:
                return pycld2.detect(body, isPlainText=False)
            except pycld2.error:
                return None

        readers["CLD2 on HTML"] = cld2
    except ImportError:
        print("not installed: pycld2", file=sys.stderr)
    return readers


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--pages",
        type=Path,
        default=Path(os.environ.get("LINKSIGHT_DATA", "../shared/data")) / "pages/dev.parquet",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", action="store_true", help="write the figures into the documentation")
    options = parser.parse_args()
    rows = pq.read_table(options.pages, columns=["section", "body"]).to_pylist()
    bodies = [row["body"] for row in rows if row["section"] == "web"]
    readers = installed()
    for read in readers.values():  # compile, load, warm up
        seconds(read, bodies[:100])
    best = dict.fromkeys(readers, float("inf"))
    for _ in range(options.rounds):
        for name, read in readers.items():
            best[name] = min(best[name], seconds(read, bodies))
    size = sum(map(len, bodies)) / 1e6
    lines = ["| | pages a second | MB a second |", "|---|---|---|"]
    lines += [f"| {name} | {len(bodies) / spent:,.0f} | {size / spent:.0f} |" for name, spent in best.items()]
    figures: dict[str, object] = {name: round(len(bodies) / spent) for name, spent in best.items()}
    if "CLD2 on HTML" in best:
        figures["ratio"] = round(best["CLD2 on HTML"] / best["linksight"], 2)
        lines.append(f"| ratio to CLD2 | {figures['ratio']} | |")
    print("\n".join(lines))
    if options.keep:
        keep("pages", "pages_speed", figures, "\n".join(lines))


if __name__ == "__main__":
    main()

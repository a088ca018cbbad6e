"""What each idea of Martins and Silva is worth, on whole pages and on pages with little text.

    LINKSIGHT_DATA=... python benchmarks/pages_ideas.py [--keep]

The ideas, as Chew, Mikami and Nagano tell them: meta-data are read, the title weighs more than the rest, and where it is
hard to decide the largest block counts three times. A page with little text is one of the same pages,
cut 2,500 bytes behind ``<body>``. Percent right; ``--keep`` writes the table into the documentation.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from kept_figures import keep

from linksight.lab.compare.peers import code_of
from linksight.pages import pipeline
from linksight.pages.jit.compile_on_demand import Pace
from linksight.pages.langid.scoring import Emphasis

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
IDEAS = {
    "as it is: metas are read, all text counts alike": Emphasis(),
    "metas are not read": Emphasis(metas=False),
    "the title counts twice": Emphasis(title=2.0),
    "the largest block counts three times where the lead is under 4": Emphasis(hard=4.0),
    "the same where it is under 10": Emphasis(hard=10.0),
}
SECTIONS = ("web", "docs", "encodings")


def cut(body: bytes) -> bytes:
    """The page up to 2,500 bytes behind the tag that begins its body."""
    tag = body.lower().find(b"<body")
    begin = body.find(b">", tag) + 1 if tag >= 0 else 0
    return body[: begin + 2_500]


def shares(rows: list[dict], emphasis: Emphasis) -> list[float]:
    """Of each section, whole and cut, the share that is right."""
    found = []
    for section in SECTIONS:
        own = [row for row in rows if row["section"] == section]
        for change in (bytes, cut):
            hits = [
                pipeline.identify(change(row["body"]), emphasis=emphasis).language == code_of(row["language"])
                for row in own
            ]
            found.append(sum(hits) / len(hits))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", action="store_true", help="write the figures into the documentation")
    options = parser.parse_args()
    pipeline._PACE = Pace("compiled")
    rows = pq.read_table(DATA / "pages/dev.parquet").to_pylist()
    lines = [
        "| | web | cut | docs | cut | charset test files | cut |",
        "|---|---|---|---|---|---|---|",
    ]
    figures: dict[str, object] = {}
    for name, emphasis in IDEAS.items():
        found = shares(rows, emphasis)
        figures[name] = [round(share, 4) for share in found]
        lines.append(f"| {name} | " + " | ".join(f"{100 * share:.1f}" for share in found) + " |")
    print("\n".join(lines))
    if options.keep:
        keep("pages", "pages_ideas", figures, "\n".join(lines))


if __name__ == "__main__":
    main()

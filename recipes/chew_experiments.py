"""The four experiments of Chew, Mikami and Nagano (2011), Table 8, on pages/dev.parquet.

    LINKSIGHT_DATA=... python recipes/chew_experiments.py

One: corpus A (the Declaration), character-sequence parser. Two: corpora A and B (the Bible too). Three: byte-sequence
parser. Four: with the entity converter. Besides all pages, those that each step is for: pages in languages
that only corpus B has, pages in a legacy encoding that is not declared, pages with many entities.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from linksight.errors import BadLanguage
from linksight.languages import registry
from linksight.pages import chew2011
from linksight.pages.html import declarations

DATA = Path(os.environ.get("LINKSIGHT_DATA", "../shared/data"))
EXPERIMENTS = {
    "one: A, characters": {"corpora": "A", "parser": "characters", "converter": False},
    "two: A and B, characters": {"corpora": "AB", "parser": "characters", "converter": False},
    "three: A and B, bytes": {"corpora": "AB", "parser": "bytes", "converter": False},
    "four: and entities": {"corpora": "AB", "parser": "bytes", "converter": True},
}
PAPER = (74.76, 86.99, 90.00, 94.04)


def code_of(tag: str) -> str:
    try:
        return registry.find(tag)
    except BadLanguage:
        return tag


def groups(rows: list[dict]) -> dict[str, list[int]]:
    """The pages that each step of the paper is for."""
    sets = chew2011.load()
    only_b = {model[0] for model in sets.models} - {model[0] for model in sets.models if model[3] == "A"}
    legacy = []
    for number, row in enumerate(rows):
        declared = any(d.kind == "encoding" for d in declarations.read(row["body"]))
        if (
            not declared
            and row["encoding"] not in ("utf-8", "ascii")
            and not row["encoding"].startswith("utf")
        ):
            legacy.append(number)
    return {
        "all": list(range(len(rows))),
        "languages of B": [n for n, row in enumerate(rows) if code_of(row["language"]) in only_b],
        "undeclared legacy": legacy,
        "entity pages": [n for n, row in enumerate(rows) if (row["numeric_entities"] or 0) >= 100],
    }


def main() -> None:
    rows = [
        row
        for row in pq.read_table(DATA / "pages/dev.parquet").to_pylist()
        if row["language_basis"] != "source-mixed"
    ]
    parts = groups(rows)
    print(
        "| experiment | paper | " + " | ".join(f"{name} ({len(own)})" for name, own in parts.items()) + " |"
    )
    print("|---|---|" + "---|" * len(parts))
    for (name, setting), published in zip(EXPERIMENTS.items(), PAPER, strict=True):
        hits = [
            chew2011.identify(row["body"], **setting).language == code_of(row["language"]) for row in rows
        ]
        cells = [
            f"{100 * sum(hits[n] for n in own) / len(own):.2f}" if own else "–" for own in parts.values()
        ]
        print(f"| {name} | {published:.2f} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()

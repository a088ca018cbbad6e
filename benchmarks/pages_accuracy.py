"""Accuracy on pages beside the peers that are installed: one table, one command.

    LINKSIGHT_DATA=... python benchmarks/pages_accuracy.py [--pages FILE] [--chew]

Languages on real web pages, on manuals and on charset test files; encodings on trusted labels. Peers for
languages read text that resiliparse extracted, CLD2 also the page itself; peers that are not installed are named.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from linksight.lab.bench import alike
from linksight.lab.peers import Ask, Peer, code_of, extracted, on_bytes, on_pages, on_texts
from linksight.pages import identify

warnings.filterwarnings("ignore")
TRUSTED = {"source", "valid", "declared", "bom", "ascii"}
SECTIONS = ("web", "docs", "encodings")


def ready(peers: Iterable[Peer]) -> dict[str, Ask]:
    """The peers that can be asked; the others are named on stderr."""
    found: dict[str, Ask] = {}
    for peer in peers:
        ask, reason = peer.ready()
        if ask is None:
            print(f"{peer.name}: {reason}", file=sys.stderr)
        else:
            found[f"{peer.name} {peer.version}"] = ask
    return found


def line(name: str, rows: list[dict], answers: list[str]) -> str:
    cells = []
    for section in SECTIONS:
        hits: dict[str, list[bool]] = defaultdict(list)
        for row, answer in zip(rows, answers, strict=True):
            if row["section"] == section:
                hits[code_of(row["language"])].append(code_of(answer) == code_of(row["language"]))
        every = [hit for own in hits.values() for hit in own]
        cells += [sum(every) / len(every), sum(sum(own) / len(own) for own in hits.values()) / len(hits)]
    return f"| {name} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--pages",
        type=Path,
        default=Path(os.environ.get("LINKSIGHT_DATA", "../shared/data")) / "pages/dev.parquet",
    )
    parser.add_argument(
        "--errors", action="store_true", help="list the pages that the default method gets wrong"
    )
    options = parser.parse_args()
    rows = [row for row in pq.read_table(options.pages).to_pylist() if row["section"] in SECTIONS]
    print(
        "| | "
        + " | ".join(
            f"{section} ({sum(r['section'] == section for r in rows)}) | mean over languages"
            for section in SECTIONS
        )
        + " |"
    )
    print("|---|" + "---|" * 2 * len(SECTIONS))
    labels = [identify(row["body"]) for row in rows]
    print(line("linksight", rows, [label.language for label in labels]))
    if options.errors:
        for row, label in zip(rows, labels, strict=True):
            if label.language != code_of(row["language"]):
                print(
                    row["path"],
                    label.language,
                    label.candidates[:3],
                    label.encoding,
                    label.reason or "",
                    file=sys.stderr,
                )
    print(
        line(
            "linksight, method chew2011",
            rows,
            [identify(row["body"], method="chew2011").language for row in rows],
        )
    )
    bodies = [row["body"] for row in rows]
    texts = [extracted(body) for body in bodies]
    for peers, given in ((on_pages(), bodies), (on_texts(), texts)):
        for name, ask in ready(peers).items():
            print(line(name, rows, ask(given)))
    print(line("the page's own lang attribute", rows, [row["html_lang"] or "und" for row in rows]))
    trusted = [
        (row, label) for row, label in zip(rows, labels, strict=True) if row["encoding_basis"] in TRUSTED
    ]
    print("\n| encoding right, or one that decodes alike | all trusted | charset test files |\n|---|---|---|")
    charsets = {"linksight": [label.encoding for _, label in trusted]}
    charsets |= {name: ask([row["body"] for row, _ in trusted]) for name, ask in ready(on_bytes()).items()}
    for name, answers in charsets.items():
        hits = [
            alike(row["body"], row["encoding"], answer)
            for (row, _), answer in zip(trusted, answers, strict=True)
        ]
        own = [hit for hit, (row, _) in zip(hits, trusted, strict=True) if row["section"] == "encodings"]
        print(f"| {name} | {sum(hits) / len(hits):.3f} | {sum(own) / len(own):.3f} |")


if __name__ == "__main__":
    main()

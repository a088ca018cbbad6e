"""Accuracy on pages beside the peers that are installed: one table, one command.

    LINKSIGHT_DATA=... python benchmarks/pages_accuracy.py [--pages FILE] [--errors] [--keep]

Languages on real web pages, on manuals and on charset test files; encodings on trusted labels. Peers for
languages read text that resiliparse extracted, CLD2 also the page itself; peers that are not installed are named.
``--keep`` writes the tables into the documentation.
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
from kept_figures import keep

from linksight.lab.compare.benchmark import alike
from linksight.lab.compare.peers import Ask, Peer, code_of, extracted, on_bytes, on_pages, on_texts
from linksight.pages import identify
from linksight.results import PageLabel

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


def texts_of(bodies: list[bytes]) -> list[str]:
    """What peers for languages read; nothing, and a word on stderr, where it cannot be extracted."""
    try:
        return [extracted(body) for body in bodies]
    except ImportError as error:
        print(f"peers for languages: {error}; resiliparse extracts what they read", file=sys.stderr)
        return []


def shares(rows: list[dict], answers: list[str]) -> list[float]:
    """Of each section the share that is right, and the mean of that over languages."""
    found = []
    for section in SECTIONS:
        hits: dict[str, list[bool]] = defaultdict(list)
        for row, answer in zip(rows, answers, strict=True):
            if row["section"] == section:
                hits[code_of(row["language"])].append(code_of(answer) == code_of(row["language"]))
        every = [hit for own in hits.values() for hit in own]
        found += [sum(every) / len(every), sum(sum(own) / len(own) for own in hits.values()) / len(hits)]
    return found


def table(heads: list[str], figures: dict[str, list[float]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += [
        f"| {name} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |" for name, cells in figures.items()
    ]
    return "\n".join(lines)


def of_languages(rows: list[dict], labels: list[PageLabel]) -> dict[str, list[float]]:
    """What linksight and each peer get right of the languages."""
    found = {"linksight": shares(rows, [label.language for label in labels])}
    by_sets = [identify(row["body"], method="chew2011").language for row in rows]
    found["linksight, method chew2011"] = shares(rows, by_sets)
    bodies = [row["body"] for row in rows]
    for name, ask in ready(on_pages()).items():
        found[name] = shares(rows, ask(bodies))
    if asked := ready(on_texts()):
        texts = texts_of(bodies)
        found |= {name: shares(rows, ask(texts)) for name, ask in asked.items() if texts}
    found["the page's own lang attribute"] = shares(rows, [row["html_lang"] or "und" for row in rows])
    return found


def of_encodings(rows: list[dict], labels: list[PageLabel]) -> dict[str, list[float]]:
    """What linksight and each peer get right of the encodings: on all trusted labels, and on charset test files."""
    chosen = [
        (row, label) for row, label in zip(rows, labels, strict=True) if row["encoding_basis"] in TRUSTED
    ]
    trusted = [row for row, _ in chosen]
    answers = {"linksight": [label.encoding for _, label in chosen]}
    answers |= {name: ask([row["body"] for row in trusted]) for name, ask in ready(on_bytes()).items()}
    found = {}
    for name, own in answers.items():
        hits = [alike(row["body"], row["encoding"], one) for row, one in zip(trusted, own, strict=True)]
        files = [hit for hit, row in zip(hits, trusted, strict=True) if row["section"] == "encodings"]
        found[name] = [sum(hits) / len(hits), sum(files) / len(files)]
    return found


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
    parser.add_argument("--keep", action="store_true", help="write the tables into the documentation")
    options = parser.parse_args()
    rows = [row for row in pq.read_table(options.pages).to_pylist() if row["section"] in SECTIONS]
    labels = [identify(row["body"]) for row in rows]
    if options.errors:
        for row, label in zip(rows, labels, strict=True):
            if label.language != code_of(row["language"]):
                told = (row["path"], label.language, label.candidates[:3], label.encoding, label.reason or "")
                print(*told, file=sys.stderr)
    counts = {section: sum(row["section"] == section for row in rows) for section in SECTIONS}
    heads = ["", *(head for s in SECTIONS for head in (f"{s} ({counts[s]})", "mean over languages"))]
    languages, encodings = of_languages(rows, labels), of_encodings(rows, labels)
    both = table(heads, languages) + "\n\n"
    both += table(
        ["encoding right, or one that decodes alike", "all trusted", "charset test files"], encodings
    )
    print(both)
    if options.keep:
        keep("pages", "pages_accuracy", {"languages": languages, "encodings": encodings}, both)


if __name__ == "__main__":
    main()

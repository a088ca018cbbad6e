"""What `train --extend` does to the language that is taught, and to all others: 42 cases on dev.

    LINKSIGHT_DATA=... python benchmarks/extend_quality.py [--docs] [--languages fi,se]

Each of eight languages that the bundled model knows and six that it does not is taught in three ways: by
its words (of the Universal Declaration), by fifty addresses, and by both. Addresses of known languages
are real, of fifty domains; of unknown ones there are none, so they are made up from the odd words of the
text, and what was learnt is asked on addresses made up from the even ones. What is spoilt is measured on
all of dev, which neither the model nor the teaching has seen. --docs keeps the figures in
docs/extension.json and writes them into docs/classifiers.md.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import zipfile
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from kept_figures import write_between

import linksight
from linksight.languages import registry

ROOT = Path(__file__).parents[1]
FIGURES, PAGE = ROOT / "docs" / "extension.json", ROOT / "docs" / "classifiers.md"
MARKS = "<!-- figures: benchmarks/extend_quality.py --docs -->", "<!-- end of figures -->"
KNOWN = ("cs", "da", "fi", "hr", "hu", "id", "tr", "vi")  #: with fifty domains of trust 1, and in dev
UNKNOWN = ("fur", "hsb", "ilo", "kea", "pam", "se")
WAYS = {"words": (True, False), "addresses": (False, True), "both": (True, True)}
N_ADDRESSES = 50


def words_of(data: Path, language: str) -> list[str]:
    """The words of the Universal Declaration, in the order of the text, each once."""
    with zipfile.ZipFile(data / "texts" / "udhr2.zip") as texts:
        (path,) = [name for name in texts.namelist() if name.endswith(f"/{registry.iso3(language)}.txt")]
        text = texts.read(path).decode("utf-8", "replace").lower()
    return list(dict.fromkeys(re.findall(r"[^\W\d_]{3,}", text)))


def made_up(words: list[str], n: int, seed: int) -> list[str]:
    """Addresses of sites and articles that words of the text might name."""
    draw = np.random.default_rng(seed)
    return [
        f"https://www.{a}{b}.{end}/{c}/{d}-{e}-{f}.html"
        for a, b, c, d, e, f, end in (
            (*draw.choice(words, 6), draw.choice(["com", "net", "org", "info"])) for _ in range(n)
        )
    ]


def real(data: Path, language: str) -> list[str]:
    """Addresses of fifty domains of the training data; none of them is in dev."""
    rows = pq.read_table(data / "urls/train.parquet", columns=["url", "language", "domain", "trust"])
    rows = rows.filter(pc.and_(pc.equal(rows["language"], language), pc.equal(rows["trust"], 1)))
    by_domain = dict(zip(rows["domain"].to_pylist(), rows["url"].to_pylist(), strict=True))
    domains = np.random.default_rng(0).permutation(sorted(by_domain))[:N_ADDRESSES]
    return [by_domain[domain] for domain in domains.tolist()]


def measured(data: Path, language: str) -> list[dict[str, Any]]:
    """The three ways to teach one language."""
    model = linksight.load()
    dev = pq.read_table(data / "urls/dev.parquet", columns=["url", "language"])
    own = np.array(dev["language"].to_pylist()) == language
    words, known = words_of(data, language), language in model.languages
    addresses = real(data, language) if known else made_up(words[1::2], N_ADDRESSES, seed=0)
    asked = dev["url"].filter(own.tolist()).to_pylist() if known else made_up(words[::2], 200, seed=1)
    truth = np.array(dev["language"].to_pylist())[~own]
    others = dev["url"].filter((~own).tolist())
    right = (np.array(model.predict(others)) == truth).mean()
    before = model.predict(asked).count(language) / len(asked)
    found = []
    for way, (with_words, with_addresses) in WAYS.items():
        taught = model.with_language(
            language,
            urls=addresses if with_addresses else [],
            words=(words if known else words[1::2]) if with_words else [],
        )
        answers = np.array(taught.predict(others))
        found.append({
            "language": language, "known": known, "way": way, "asked": len(asked), "recall_before": round(before, 4),
            "recall": round(taught.predict(asked).count(language) / len(asked), 4),
            "others": len(truth), "others_change": round(float((answers == truth).mean() - right), 4),
            "taken": int((answers == language).sum() - (np.array(model.predict(others)) == language).sum()),
        })  # fmt: skip
    return found


def rendered(found: dict[str, Any]) -> str:
    """The figures as Markdown."""
    lines = [
        f"| taught | before | by {' | by '.join(WAYS)} | others, at worst |",
        "|---" * (len(WAYS) + 3) + "|",
    ]
    for language, cases in groupby(found["cases"], key=lambda case: case["language"]):
        ways = {case["way"]: case for case in cases}
        first = ways[next(iter(WAYS))]
        after = " | ".join(f"{ways[way]['recall']:.3f}" for way in WAYS)
        worst = min(case["others_change"] for case in ways.values())
        lines.append(
            f"| {registry.name(language)} (`{language}`, {'known' if first['known'] else 'new'}) |"
            f" {first['recall_before']:.3f} | {after} | {worst:+.4f} |"
        )
    changes = [case["others_change"] for case in found["cases"]]
    n_others = max(case["others"] for case in found["cases"])
    return "\n".join([
        *lines, "",
        f"Recall before and after. *Others, at worst*: how the accuracy of all other languages on dev (some {n_others:,} URLs)"
        f" changes; in the {len(changes)} cases by {min(changes):+.4f} to {max(changes):+.4f}, {np.median(changes):+.4f}"
        " in the median. Recall of known languages is on dev; of new ones on addresses made up from words that were not"
        " taught, so it says that the words are recognised, not how real sites of the language fare.",
        "",
    ])  # fmt: skip


def main() -> None:
    """Measure, show, and with --docs keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--languages", default=",".join((*KNOWN, *UNKNOWN)))
    chosen = parser.parse_args()
    cases: list[dict[str, Any]] = []
    for language in chosen.languages.split(","):
        for case in measured(Path(os.environ["LINKSIGHT_DATA"]), language):
            print(json.dumps(case), flush=True)
            cases.append(case)
    found = {"cases": cases}
    if chosen.docs:
        FIGURES.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        write_between(PAGE, MARKS, rendered(found))


if __name__ == "__main__":
    main()

"""The papers' classifiers on our data: their own random split, and beside it domains never seen.

    LINKSIGHT_DATA=... python recipes/paper_split.py [--json FILE] [--only svm,re] [--size 40000]

Five languages, 40,000 URLs each from urls/train.parquet (curated ones first), one binary classifier
a language, 90/10; then Dutch against the rest on urls/dutch.parquet, 80/20.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np

from linksight.lab.evaluation.classification_metrics import Evaluation, evaluate_binary
from linksight.lab.evaluation.labelled_urls import PAPER_LANGUAGES, LabelledUrls, dutch_sample, paper_sample
from linksight.models import make_classifier

CLASSIFIERS = [
    ("svm", "allgrams-from-word"),
    ("svm", "words"),
    ("me", "allgrams-from-word"),
    ("re", "allgrams-from-word"),
    ("nb", "allgrams-from-word"),
    ("nb", "words"),
    ("markov", "4-grams-from-word"),
    ("ros", "allgrams-from-word"),
    ("dt", "custom"),
    ("cctld", "tld"),
    ("cctld+", "tld"),
]
DUTCH = ("nb+cctld", "words+3-grams-from-word")


def evaluate(
    algorithm: str, features: str, train: LabelledUrls, test: LabelledUrls, languages: tuple[str, ...]
) -> Evaluation:
    """Train one binary classifier a language and ask each about every test URL."""
    taken = {}
    for language in languages:
        classifier = make_classifier(algorithm, features=features, language=language)
        classifier.fit(train.urls, train.languages)
        taken[language] = classifier.predict(test.urls) == language
    return evaluate_binary(taken, test.languages)


def run(
    rows: LabelledUrls, classifiers: list[tuple[str, str]], languages: tuple[str, ...], n_folds: int
) -> list[dict]:
    """Every classifier on the first fold, once random and once by site."""
    results = []
    for algorithm, features in classifiers:
        result = {"algorithm": algorithm, "features": features}
        for split in ("random", "site"):
            test = rows.folds(split, n_folds) == 0
            start = time.perf_counter()
            found = evaluate(algorithm, features, rows.take(~test), rows.take(test), languages)
            result[split] = found.as_dict()
            result[f"{split}_seconds"] = round(time.perf_counter() - start, 1)
        results.append(result)
        show(result)
    return results


def show(result: dict) -> None:
    """One line a classifier: macro F1 and F1 by language, for each split."""
    line = f"{result['algorithm']:9}{result['features']:24}"
    for split in ("random", "site"):
        f1 = [100 * language["f1"] for language in result[split]["languages"]]
        line += f"  {split:6} {np.mean(f1):5.2f}  (" + " ".join(f"{value:.1f}" for value in f1) + ")"
    print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, help="write all measures to this file")
    parser.add_argument("--only", default="", help="algorithms, with commas")
    parser.add_argument("--size", type=int, default=40_000, help="URLs a language")
    options = parser.parse_args()
    folder = os.environ["LINKSIGHT_DATA"]
    wanted = [pair for pair in CLASSIFIERS if not options.only or pair[0] in options.only.split(",")]
    print(f"five languages ({' '.join(PAPER_LANGUAGES)}), F1 x 100, random split and unseen domains")
    results = {"five": run(paper_sample(folder, size=options.size), wanted, PAPER_LANGUAGES, 10)}
    if not options.only or DUTCH[0] in options.only.split(","):
        print("Dutch or not, 80/20")
        results["dutch"] = run(
            dutch_sample(folder), [DUTCH, ("nb", DUTCH[1]), ("svm", "allgrams-from-word")], ("nl",), 5
        )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Patterns on the URL schemes of web applications: F1, transfer and patterns for each class, beside the paper's learner.

    python benchmarks/sites_applications.py [--only NAME] [--show] [--seeds 2] [--keep]

The sites are those of tests/sites/applications.py. *F1* is the unsupervised score of patterns learnt from a plain crawl, on
the links of other pages. *Transfer* is the share of links that only other pages had and whose pattern stands for their
class, where pages of results and a crawl were learnt from. *Patterns* is the largest number that stand for one class.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from kept_figures import keep

import linksight
from linksight.sites.evaluation.metrics import class_of_patterns, unsupervised_scores

FOLDER = Path(__file__).parents[1] / "tests" / "sites"


def module(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found
    spec.loader.exec_module(found)
    return found


def measure(sample: Any, *, refine: bool, show: bool = False) -> tuple[float, float, int]:
    """Unsupervised F1, transfer, and the most patterns for one class."""
    labels = sample.labels
    crawl = linksight.learn_patterns(sample.crawled, refine=refine)
    tested = list(dict.fromkeys(url for page in sample.unseen for url in page if url in labels))
    found = crawl.match_indices(tested).tolist()
    truth = [labels[url] for url in tested]
    f1 = unsupervised_scores(found, truth)[2] * sum(n >= 0 for n in found) / len(found)
    known = [*sample.found, *sample.crawled]
    patterns = linksight.learn_patterns(known, refine=refine)
    classes = class_of_patterns(patterns, known, labels)
    seen = {url for page in known for url in page}
    new = [url for url in tested if url not in seen]
    hits = [
        classes.get(n) == labels[url]
        for url, n in zip(new, patterns.match_indices(new).tolist(), strict=True)
    ]
    if show:
        for index, pattern in enumerate(patterns):
            print(f"    {pattern.n_urls:6} {classes.get(index, '-'):14} {pattern.text[:150]}")
        wrong = Counter(labels[url] for url, hit in zip(new, hits, strict=True) if not hit)
        print("    wrong:", dict(wrong), [url for url, hit in zip(new, hits, strict=True) if not hit][:5])
    return f1, sum(hits) / len(hits), max(Counter(classes.values()).values())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", help="one application")
    parser.add_argument("--show", action="store_true", help="print the patterns")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--keep", action="store_true", help="write the figures into the documentation")
    options = parser.parse_args()
    applications = module("applications")
    rows, figures = [], {}
    for name in [options.only] if options.only else applications.APPLICATIONS:
        for seed in range(1, options.seeds + 1):
            sample = applications.sample(name, options.pages, seed)
            ours, paper = measure(sample, refine=True, show=options.show), measure(sample, refine=False)
            figures[f"{name} {seed}"] = {"ours": ours, "paper": paper}
            cells = (
                f"{ours[0]:.2f}",
                f"{paper[0]:.2f}",
                f"{ours[1]:.2f}",
                f"{paper[1]:.2f}",
                ours[2],
                paper[2],
            )
            rows.append(f"| {name} | {' | '.join(map(str, cells))} |")
    head = "| application | F1 | paper | transfer | paper | patterns | paper |\n|---|---|---|---|---|---|---|"
    print("\n".join([head, *rows]))
    if options.keep:
        keep("sites", "sites_applications", figures, "\n".join([head, *rows]))


if __name__ == "__main__":
    main()

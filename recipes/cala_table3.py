"""The paper's Table 3 (CALA, 2016) on sites that anyone can run: Trac, Wagtail, Roundup, the shop of the tests.

    python recipes/cala_table3.py [--write]

Starts the sites on loopback, gathers hubs through their search forms with the paper's constants, learns
from half of the hubs and tests on the links of the other half; once with the paper's algorithm alone and
once with refinement. Then the same for the URL schemes of the tests, where classes are on 40 % of the
hubs only. About three minutes. ``--write`` puts the table into docs/sites.md and the figures into docs/sites.json.
"""

from __future__ import annotations

import importlib.util
import statistics
import sys
from itertools import product
from pathlib import Path
from typing import Any

from linksight.lab.papers.other_papers import cala2016_local_sites
from linksight.sites.evaluation.metrics import MODES, evaluate

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from kept_figures import keep

TESTS = Path(__file__).resolve().parent.parent / "tests" / "sites"


def schemes() -> Any:
    spec = importlib.util.spec_from_file_location("schemes", TESTS / "schemes.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"{TESTS} is not there: run this from a checkout")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def show(site: str, one: dict[str, Any]) -> None:
    scores = "   ".join(" ".join(f"{value:5.2f}" for value in one[mode]) for mode in MODES)
    print(
        f"{site:12} {one['learner']:8} {one['n_urls']:6} {one['tokens_per_url']:6.2f}  {scores}   "
        f"{one['learning_s']:5.2f} {one['download_s']:6.2f} {one['classify_s']:8.1e} {one['page_s']:6.3f}",
        flush=True,
    )


def real_sites() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    lacking = cala2016_local_sites.lacking()
    for name in cala2016_local_sites.CLASSES:
        if name in lacking:
            print(lacking[name])
            continue
        for row in cala2016_local_sites.measure(name):
            show(name, row)
            rows.append({"site": name, **row})
    return rows


def write(rows: list[dict[str, Any]]) -> None:
    """The table of the documentation, and the figures beside it."""
    lines = ["| site | learner | URLs | tokens/URL | P | R | F1 | P | R | F1 | LT | HDT |", "|---" * 12 + "|"]
    for row in rows:
        scores = [f"{value:.2f}".removeprefix("0") for mode in MODES for value in row[mode]]
        lines.append(
            f"| {row['site']} | {row['learner']} | {row['n_urls']:,} | {row['tokens_per_url']:.1f} "
            f"| {' | '.join(scores)} | {row['learning_s']:.2f} | {row['download_s']:.1f} |"
        )
    keep("sites", "cala_table3", rows, "\n".join(lines), folder="recipes")


def sparse_schemes() -> None:
    module, scores = schemes(), {False: [], True: []}  # type: ignore[var-annotated]
    for name, seed in product(module.SCHEMES, range(101, 106)):
        hubs, labels = module.hubs_of(name, 60, seed=seed, keep=0.4)
        for refine, kept in scores.items():
            kept.append([evaluate(hubs, labels, m, refine=refine).f1 for m in MODES])
    for refine, kept in scores.items():
        means = [statistics.fmean(column) for column in zip(*kept, strict=True)]
        worst = [min(column) for column in zip(*kept, strict=True)]
        print(
            f"{len(module.SCHEMES)} schemes, 5 times, classes on 40% of the hubs, {'refined' if refine else 'paper'}: "
            f"mean F1 {means[0]:.3f} supervised, {means[1]:.3f} unsupervised; worst {worst[0]:.3f}, {worst[1]:.3f}"
        )


def main() -> None:
    print(f"{'':34}  supervised          unsupervised        seconds")
    print(
        f"{'site':12} {'learner':8} {'URLs':>6} {'tok/URL':>6}  {'P':>5} {'R':>5} {'F1':>5}   {'P':>5} {'R':>5} {'F1':>5}   "
        f"{'LT':>5} {'HDT':>6} {'MCT':>8} {'MDT':>6}"
    )
    rows = real_sites()
    if "--write" in sys.argv:
        write(rows)
    sparse_schemes()


if __name__ == "__main__":
    main()

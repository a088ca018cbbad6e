"""Train the network that decides which tokens of a site's URLs are keywords and which are values.

    python recipes/site_literals.py [--held-out] [--output FILE]

The sites are made up, after the URL schemes of real software: tests/sites/applications.py, tests/sites/schemes.py and
recipes/site_graphs.py, each with the true classes of its URLs. A continuation of a prefix is a value if other continuations
lead to pages of the same classes, otherwise a keyword. ``--held-out`` trains six times, each time without a sixth of the applications, and reports their F1 and transfer, as
benchmarks/sites_applications.py measures them.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import site_graphs
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

import linksight
from linksight.sites.learning import learner, literal_tokens
from linksight.sites.learning.hub_arrays import CODE, NUMBER
from linksight.sites.learning.literal_features import sibling_features

ROOT = Path(__file__).parents[1]
OUTPUT = ROOT / "src" / "linksight" / "data" / "site_literals.json"
SIZES, SEEDS, TEST_SEED = (25, 60), (1, 2, 3), 7
N_PARTS = 6  #: of the applications, one of which is left out
N_NETWORKS, HIDDEN, PENALTY, EPOCHS = 3, 16, 0.5, 40
RARE_SHARE = 0.06  #: of the values with a single URL, which are most, those that are learnt from


def module(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests" / "sites" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found
    spec.loader.exec_module(found)
    return found


def sites() -> Iterator[tuple[str, list[list[str]], dict[str, str]]]:
    """Name of the application, pages of a crawl as hubs, and the class of each URL."""
    applications, schemes = module("applications"), module("schemes")
    for seed in SEEDS:
        for n in SIZES:
            for name in site_graphs.GRAPHS:
                sample = site_graphs.sample(name, n, seed)
                yield name, sample.crawled, sample.labels
            for name in applications.APPLICATIONS:
                sample = applications.sample(name, n, seed)
                yield name, sample.crawled, sample.labels
        for keep in (1.0, 0.4):
            for name in schemes.SCHEMES:
                yield f"scheme {name}", *schemes.hubs_of(name, 60, seed=seed + 10, keep=keep)


class Oracle:
    """Decides by the true classes, and keeps what it saw."""

    def __init__(self, labels: dict[str, str]) -> None:
        self.labels = labels
        self.features: list[Any] = []
        self.keyword: list[Any] = []
        self.weight: list[Any] = []

    def keywords(self, evidence: Any, siblings: Any, literal: Any) -> Any:
        """Stand in for ``literal_tokens.keywords``."""
        classes: list[Counter[str]] = [Counter() for _ in siblings.tokens]
        owners: defaultdict[str, set[int]] = defaultdict(set)
        for row, which in zip(siblings.rows.tolist(), siblings.which.tolist(), strict=True):
            if kind := self.labels.get(evidence.corpus.urls[row]):
                classes[which][kind] += 1
                owners[kind].add(which)
        keyword, weight = literal.copy(), np.full(len(literal), 0.1)
        for index, counts in enumerate(classes):
            if not counts:
                continue
            weight[index] = 1 + np.log2(counts.total())
            if (
                len(counts) and literal[index] and counts.total() == 1
            ):  # pages of a menu are few among all tokens
                weight[index] = 3
            code = evidence.kinds[siblings.tokens[index]] in (NUMBER, CODE)
            if len(classes) == 1:
                keyword[index] = literal[index] or (counts.total() >= 3 and not code)
            else:
                shared = sum(n for kind, n in counts.items() if len(owners[kind]) > 1)
                keyword[index] = not code and 2 * shared < counts.total()
        self.features.append(sibling_features(evidence, siblings, literal))
        self.keyword.append(keyword)
        self.weight.append(weight)
        return keyword


def examples() -> tuple[Any, Any, Any, Any]:
    """Features, whether a keyword, weights, and the application of each."""
    parts, names, rng = [], [], np.random.default_rng(0)
    for name, hubs, labels in sites():
        oracle = Oracle(labels)
        with (
            mock.patch.object(learner, "keywords", oracle.keywords),
            mock.patch.object(learner, "_unmatched_held_out", return_value=0.0),
        ):
            linksight.learn_patterns(hubs)
        features, keyword, weight = (
            np.concatenate(part) for part in (oracle.features, oracle.keyword, oracle.weight)
        )
        kept = (features[:, 0] > np.log2(2) / 8) | keyword | (rng.random(len(keyword)) < RARE_SHARE)
        parts.append((features[kept], keyword[kept], weight[kept]))
        names += [name] * int(kept.sum())
    features, keyword, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
    return features, keyword, weight, np.array(names)


def fit(features: Any, keyword: Any, weight: Any) -> dict[str, Any]:
    """Networks with different seeds, side by side in one: their mean."""
    scaler = StandardScaler().fit(features, sample_weight=weight)
    scale = np.maximum(scaler.scale_, 0.05)
    parts = []
    for seed in range(N_NETWORKS):
        network = MLPClassifier(
            (HIDDEN,), activation="tanh", alpha=PENALTY, max_iter=EPOCHS, batch_size=256, learning_rate_init=3e-3, random_state=seed
        )  # fmt: skip
        network.fit((features - scaler.mean_) / scale, keyword, sample_weight=weight)
        hidden = network.coefs_[0] / scale[:, None]
        bias = network.intercepts_[0] - scaler.mean_ @ hidden
        parts.append((hidden, bias, network.coefs_[1][:, 0] / N_NETWORKS, network.intercepts_[1]))
    hidden, bias, output, output_bias = zip(*parts, strict=True)
    return {
        "hidden": np.hstack(hidden), "hidden_bias": np.concatenate(bias),
        "output": np.concatenate(output), "output_bias": np.mean(output_bias),
    }  # fmt: skip


def report_held_out(features: Any, keyword: Any, weight: Any, names: Any) -> None:
    """F1, transfer and patterns for each class of applications that the network did not learn from."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from sites_applications import measure

    applications = module("applications")
    everything = sorted(set(names.tolist()))
    rows = []
    for part in range(N_PARTS):
        tested = everything[part::N_PARTS]
        learnt = ~np.isin(names, tested)
        weights = fit(features[learnt], keyword[learnt], weight[learnt])
        with mock.patch.object(literal_tokens, "literal_model", return_value=weights):
            for name in tested:
                if name in site_graphs.GRAPHS:
                    rows.append(measure(site_graphs.sample(name, 50, TEST_SEED), refine=True))
                elif name in applications.APPLICATIONS:
                    rows.append(measure(applications.sample(name, 60, TEST_SEED), refine=True))
                else:
                    continue
                print(
                    f"{name:14} F1 {rows[-1][0]:.2f}  transfer {rows[-1][1]:.2f}  patterns {rows[-1][2]}",
                    flush=True,
                )
    table = np.array(rows)
    print(f"{len(rows)} applications left out: mean F1 {table[:, 0].mean():.3f}, transfer {table[:, 1].mean():.3f}; "
          f"F1 from .85 {(table[:, 0] >= 0.85).sum()}, transfer from .8 {(table[:, 1] >= 0.8).sum()}, "
          f"at most 3 patterns {(table[:, 2] <= 3).sum()}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--held-out", action="store_true", help="report figures of applications left out")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="file of the weights")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # the epochs are few on purpose
    found = examples()
    print(f"{len(found[1]):,} tokens, {found[1].mean():.1%} keywords")
    if options.held_out:
        report_held_out(*found)
        return
    weights = fit(*found[:3])
    rounded = {name: np.round(values, 3).tolist() for name, values in weights.items()}
    options.output.write_text(json.dumps(rounded, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()

"""The features of the page model and their weights: naive Bayes with Dirichlet smoothing, as many as there is room for."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from linksight.native.pages.ngrams import walk
from linksight.pages.langid import ngrams
from linksight.pages.langid.segment_scores import normal

EQUAL = 1_000_000  # features: classes with less text are read as if they had nearly as much
LITTLE = 300_000  # and none as if it had less than this


def keys_of(text: str) -> np.ndarray:
    points = ngrams.points_of(normal(text))
    keys = np.empty(4 * len(points) + 16, np.uint32)
    return keys[: walk(points, 0, len(points), ngrams.kinds(), keys)]


def count(
    texts: dict[str, list[tuple[str, list[str]]]],
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(key, class, count) of every feature seen, and the number of features read of each class."""
    keys, kinds, counts, totals = [], [], [], []
    for number, sources in enumerate(texts.values()):
        found = keys_of("\n".join(line for _, lines in sources for line in lines))
        unique, times = np.unique(found.astype(np.uint32), return_counts=True)
        totals.append(len(found))
        if len(found) > 200_000:  # a feature seen once in a long text is noise
            unique, times = unique[times > 1], times[times > 1]
        keys.append(unique)
        kinds.append(np.full(len(unique), number, np.uint16))
        counts.append(times.astype(np.float32))
    return np.concatenate(keys), np.concatenate(kinds), np.concatenate(counts), np.array(totals, np.float64)


def choose(keys, kinds, counts, totals, mu):
    """Every feature with its weights, and what each is worth: the rows' keys and where they begin, then the pairs."""
    share = counts / totals[kinds]
    order = np.lexsort((kinds, keys))
    keys, kinds, share, counts = keys[order], kinds[order], share[order], counts[order]
    unique, first = np.unique(keys, return_index=True)
    row = np.repeat(np.arange(len(unique)), np.diff(np.append(first, len(keys))))
    n_classes = len(totals)
    q = np.add.reduceat(share, first) / n_classes + 1e-9  # background: the mean over classes
    # Dirichlet smoothing trusts classes with more text; a class with little would otherwise hardly ever win.
    # A class with little text forgives what it has not seen, but not too much: it would gather what nobody knows.
    trust = np.sqrt(totals * EQUAL)
    weight = np.log1p(share * trust[kinds] / (mu * q[row]))
    bias = np.log(mu / (np.maximum(trust, LITTLE) + mu))
    # Worth: how much a class would lose without the feature, per letter of its text.
    worth = np.maximum.reduceat(share * np.maximum(weight + bias[kinds], 0), first)
    print(f"{len(unique):,} features, {len(keys):,} pairs")
    return unique, first, row, kinds, weight, worth, bias


def build(keys, kinds, counts, totals, *, mu=20_000.0, n_pairs=2_600_000, row_most=64, floor=0.5):
    """The table that is kept: keys, then the row, class and weight of each pair, and the bias of each class."""
    unique, first, row, kinds, weight, worth, bias = choose(keys, kinds, counts, totals, mu)
    # Within a row only the classes near the top: the others are as good as not listed.
    top = np.maximum.reduceat(weight, first)
    keep = (weight > floor) & (weight > top[row] - 6.0)
    # rank within row by weight
    order = np.lexsort((-weight, row))
    rank = np.empty(len(row), np.int64)
    rank[order] = np.arange(len(row)) - first[row[order]]
    keep &= rank < row_most
    size = np.add.reduceat(keep.astype(np.int64), first)
    # Greedy: rows by worth for their room, one row a bucket, until the room is used.
    value = worth / np.sqrt(np.maximum(size, 1))
    value[size == 0] = 0
    by_value = np.argsort(-value, kind="stable")
    bucket = unique >> 12
    _, firsts = np.unique(bucket[by_value], return_index=True)
    alone = np.zeros(len(unique), bool)
    alone[by_value[firsts]] = True
    by_value = by_value[alone[by_value] & (value[by_value] > 0)]
    used = np.cumsum(size[by_value])
    chosen = by_value[used <= n_pairs]
    print(
        f"kept {len(chosen):,} rows, {int(size[chosen].sum()):,} pairs, least value {value[chosen[-1]]:.2e}"
    )
    in_row = np.zeros(len(unique), bool)
    in_row[chosen] = True
    keep &= in_row[row]
    return unique, row[keep], kinds[keep], weight[keep], bias

"""The loops of ``vector_loops.h`` for modules that run uncompiled; arrays in place of pointers."""

from __future__ import annotations

from typing import Any

import numpy as np


def sum_rows(rows: Any, found: Any, first: int, stop: int, dim: int, sums: Any) -> int:
    """Add rows of a table to ``sums``; the row is the lower half of an entry. Returns the sum of the upper halves."""
    entries = [found[i] for i in range(first, stop)]
    which = [entry & 0xFFFFFFFF for entry in entries]
    np.asarray(sums)[:dim] = np.asarray(rows)[which].sum(axis=0, dtype=np.int32) if which else 0
    return sum(entry >> 32 for entry in entries)


def multiply(vectors: Any, n: int, depth: int, output: Any, width: int, scores: Any) -> None:
    """``scores = vectors @ output``."""
    np.asarray(scores)[:n] = np.asarray(vectors)[:n, :depth] @ np.asarray(output)[:depth, :width]


def posterior(
    scores: Any, n: int, width: int, shift: Any, weights: Any, added: Any, tops: Any, totals: Any
) -> None:
    """Unnormalised posterior probabilities, weights * softmax(scores - shift) + added; tops and sums of rows."""
    shifted = np.asarray(scores)[:n] - np.asarray(shift)
    powers = np.exp(shifted - shifted.max(axis=1, keepdims=True))
    found = powers / powers.sum(axis=1, keepdims=True) * np.asarray(weights) + np.asarray(added)
    np.asarray(scores)[:n] = found
    np.asarray(tops)[:n] = np.asarray(scores)[:n].max(axis=1)
    np.asarray(totals)[:n] = found.sum(axis=1)


def first_columns(values: Any, n: int, width: int, tops: Any, columns: Any) -> None:
    """The first column with each row's largest value."""
    np.asarray(columns)[:n] = np.asarray(values)[:n].argmax(axis=1)

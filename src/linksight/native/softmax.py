"""From the calibrated scores of some rows to chances, and to the likeliest language of each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.native.jit import compiled, compiled_fast, inlined

_SIGN, _REST = np.int32(31), np.int32(0x7FFFFFFF)
LEAST = np.int32(-(2**31))


@compiled
def weigh(logits: Any, odds: Any, sums: Any) -> None:
    """Writes each column's chance by Bayes' rule over its logit, not yet divided by the row's sum.

    The largest chance of each row goes into ``sums[0]``, the sum of all into ``sums[1]``; ``odds`` are those of
    ``Calibration.odds``. Three small loops over the rows are faster than one: each fits the processor's registers.
    """
    tops, totals = sums[0], sums[1]
    _find_tops(logits, odds.shift, tops)
    _exponentials(logits, odds.shift, tops, totals)
    _mix(logits, odds.weights, odds.added, tops, totals)


@compiled
def find_best(logits: Any, odds: Any, sums: Any, columns: Any, probabilities: Any) -> None:
    """The first column of each row that has its largest chance, and how likely it is; uses up the logits."""
    weigh(logits, odds, sums)
    n, k = logits.shape
    for r in range(n):
        column = np.int32(k - 1)
        for j in range(k):
            column = min(column, np.int32(j) if logits[r, j] == sums[0, r] else np.int32(k))
        columns[r] = column
        probabilities[r] = sums[0, r] / sums[1, r]


@compiled
def _find_tops(logits: Any, shift: Any, tops: Any) -> None:
    # Among whole numbers in the same order as the floats: of these many are compared in one step.
    for r in range(len(logits)):
        top = LEAST
        for j in range(logits.shape[1]):
            top = max(top, ordered(np.float32(logits[r, j] - shift[j]).view(np.int32)))
        tops[r] = np.int32(ordered(top)).view(np.float32)


@compiled_fast
def _exponentials(logits: Any, shift: Any, tops: Any, totals: Any) -> None:
    for r in range(len(logits)):
        top, total = tops[r], np.float32(0)
        for j in range(logits.shape[1]):
            told = _exp(logits[r, j] - shift[j] - top)
            logits[r, j] = told
            total += told
        totals[r] = total


@compiled_fast
def _mix(chances: Any, weights: Any, added: Any, tops: Any, totals: Any) -> None:
    for r in range(len(chances)):
        share = np.float32(1) / totals[r]
        top, total = np.int32(0), np.float32(0)
        for j in range(chances.shape[1]):
            chance = share * weights[j] * chances[r, j] + added[j]
            chances[r, j] = chance
            total += chance
            top = max(top, np.float32(chance).view(np.int32))  # in their order, as none is below zero
        tops[r], totals[r] = np.int32(top).view(np.float32), total


@inlined
def ordered(bits: Any) -> Any:
    """The bits of a float as a whole number in the order of floats; done twice, the bits again."""
    return bits ^ ((bits >> _SIGN) & _REST)


@inlined
def _exp(x: Any) -> Any:
    """``e ** x`` of what is not above zero, to a float's own precision.

    2 to the nearest whole number is written by its bits, and a polynomial is for the rest.
    """
    t = max(x * np.float32(1.44269504), np.float32(-126))
    whole = np.rint(t)
    f = t - whole
    power = np.int32((np.int32(whole) + np.int32(127)) << np.int32(23)).view(np.float32)
    return power * (
        np.float32(1) + f * (np.float32(0.693147) + f * (np.float32(0.24022242) + f * (
            np.float32(0.055507336) + f * (np.float32(0.009671513) + f * np.float32(0.0013264725)))))
    )  # fmt: skip

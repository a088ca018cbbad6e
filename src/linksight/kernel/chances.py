"""From the scores of some rows to the chance of the likeliest language of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.kernel.compiler import compiled_fast


@compiled_fast
def chances_of(scores: Any, columns: Any, chances: Any) -> None:
    """The probability (softmax) of one column of each row, its largest."""
    n, k = scores.shape
    for r in range(n):
        top = scores[r, columns[r]]
        total = np.float32(0)
        for j in range(k):
            # 2 ** t, the whole part by its bits, the rest by a polynomial (error under 1e-6)
            t = max((scores[r, j] - top) * np.float32(1.44269504), np.float32(-126))
            whole = np.floor(t)
            f = t - whole
            power = np.int32((np.int32(whole) + np.int32(127)) << np.int32(23)).view(np.float32)
            total += power * (
                np.float32(1) + f * (np.float32(0.6931472) + f * (np.float32(0.2402265) + f * (
                    np.float32(0.0555041) + f * (np.float32(0.0096181) + f * np.float32(0.0013333)))))
            )  # fmt: skip
        chances[r] = np.float32(1) / total

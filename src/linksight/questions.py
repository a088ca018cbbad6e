"""What is asked of the calibrated scores of some rows: the likeliest language of each, or all probabilities.

Few rows are answered as the specification does it (``Calibration.probabilities``), many by compiled code,
a block at a time while its scores are in the processor's cache: they are written over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.calibration import Calibration, Odds
from linksight.compiled import BLOCK

Floats = NDArray[np.float32]
BEST = np.dtype([("column", np.int16), ("probability", np.float32)], align=True)


@dataclass(frozen=True)
class Question:
    """A calibration, with a user's base rates where there are any, and the columns that are asked for."""

    calibration: Calibration
    columns: Sequence[int] | None = None  #: None for all

    def probabilities(self, logits: Floats) -> Floats:
        """All probabilities of each row; those of columns that are not asked for are zero."""
        if len(logits) < BLOCK:
            return self.calibration.probabilities(logits, self.columns)
        from linksight.kernel import weigh

        sums = np.empty((2, len(logits)), np.float32)
        weigh(logits, self._odds, sums)
        found: Floats = logits / sums[1][:, None]
        return found

    def best(self, logits: Floats) -> NDArray[Any]:
        """The likeliest column of each row and its probability."""
        found = np.empty(len(logits), BEST)
        if len(logits) < BLOCK:
            chances = self.calibration.probabilities(logits, self.columns)
            found["column"], found["probability"] = chances.argmax(axis=1), chances.max(axis=1)
            return found
        from linksight.kernel import find_best

        sums = np.empty((2, len(logits)), np.float32)
        find_best(logits, self._odds, sums, found["column"], found["probability"])
        return found

    @cached_property
    def _odds(self) -> Odds:
        return self.calibration.odds(self.columns)

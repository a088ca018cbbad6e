"""What is asked of some rows: the likeliest language of each, or all probabilities.

A few rows of calibrated scores are answered as the specification does it (``Calibration.probabilities``), a block of
them by compiled code, which writes over them. Rows of the kernel have no scores yet: they are made and used there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.url_model.calibration import Calibration, Odds

if TYPE_CHECKING:
    from linksight.native.numba_scoring import Rows

Floats = NDArray[np.float32]
BLOCK = 512  #: rows of scores that are worth compiled code
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
        return self._weighed(logits)

    def probabilities_of(self, rows: Rows) -> Floats:
        """The same, of rows of the kernel."""
        from linksight.native.numba_scoring import score_rows

        logits = np.empty((len(rows.vectors), rows.output.shape[1]), np.float32)
        score_rows(rows, logits)
        return self._weighed(logits)

    def _weighed(self, logits: Floats) -> Floats:
        from linksight.native.numba_scoring import weigh

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
        from linksight.native.numba_scoring import find_best

        sums = np.empty((2, len(logits)), np.float32)
        find_best(logits, self._odds, sums, found["column"], found["probability"])
        return found

    def best_of(self, rows: Rows) -> NDArray[Any]:
        """The same, of rows of the kernel."""
        from linksight.native.numba_scoring import best_of_rows, room_for_best

        found = np.empty(len(rows.vectors), BEST)
        best_of_rows(
            rows, self._odds, *room_for_best(rows.output.shape[1]), found["column"], found["probability"]
        )
        return found

    @cached_property
    def _odds(self) -> Odds:
        return self.calibration.odds(self.columns)

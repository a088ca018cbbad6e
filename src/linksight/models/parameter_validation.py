"""Validates numeric parameters before any data are read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linksight.errors import BadConfig


@dataclass(frozen=True)
class Limits:
    """A number from ``least`` to ``most``, both allowed but for nought where it is to be above it."""

    least: float = 0
    most: float = math.inf
    is_integer: bool = False
    above: bool = False  #: whether ``least`` itself is too little
    unset: Any = ...  #: the value that means "not set"

    def check(self, what: str, value: Any) -> None:
        """Refuse a value that lies outside."""
        kinds = int | np.integer if self.is_integer else int | float | np.integer | np.floating
        fits = isinstance(value, kinds) and not isinstance(value, bool | np.bool_) and math.isfinite(value)
        if not fits or not self.least <= value <= self.most or (self.above and value == self.least):
            raise BadConfig(f"{what} must be {self}, not {value!r}")

    def __str__(self) -> str:
        kind = "a whole number" if self.is_integer else "a number"
        if self.most < math.inf:
            return f"{kind} from {self.least} to {self.most}"
        return f"{kind} above {self.least}" if self.above else f"{kind} of {self.least} or more"


_ABOVE_NOUGHT = Limits(above=True)
_COUNT = Limits(least=1, is_integer=True)

#: by the name of the parameter, which means the same wherever it is one
LIMITS = {
    "smoothing": _ABOVE_NOUGHT,
    "cost": _ABOVE_NOUGHT,
    "tolerance": _ABOVE_NOUGHT,
    "variance": _ABOVE_NOUGHT,
    "rate": _ABOVE_NOUGHT,
    "pruning": Limits(),
    "n_epochs": _COUNT,
    "n_ranks": _COUNT,
    "min_leaf": _COUNT,
    "n_features": Limits(least=1, is_integer=True, unset=None),
    "bits": Limits(least=1, most=30, is_integer=True, unset=None),
}

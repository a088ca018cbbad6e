"""From short vectors to what is asked of them, in one call: each call from Python costs as much as ten rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linksight.native.gemm import multiply
from linksight.native.jit import compiled
from linksight.native.segmentation import Vocabulary, ask_names
from linksight.native.softmax import find_best

#: Rows whose scores are made and used together: few enough for a core's own cache, and enough names among them that
#: the waits for the words of one are over when it is cut.
_ROWS = 192


class Rows(NamedTuple):
    """Short vectors of some rows, where their names are, and what turns both into scores."""

    vectors: NDArray[np.float32]
    output: NDArray[np.float32]
    words: Vocabulary
    shift: NDArray[np.float32]
    data: NDArray[np.uint8]
    hosts: NDArray[np.uint8]
    spans: NDArray[np.int64]
    ways: NDArray[np.uint64]
    costs: NDArray[np.uint64]


@compiled
def score_rows(rows: Any, scores: Any) -> None:
    """Writes the calibrated scores of all rows."""
    for first in range(0, len(scores), _ROWS):
        _score(rows, first, scores[first : first + _ROWS])


@compiled
def best_of_rows(rows: Any, odds: Any, scores: Any, sums: Any, columns: Any, probabilities: Any) -> None:
    """The likeliest column of each row and how likely it is; ``scores`` and ``sums`` are room for some rows."""
    for first in range(0, len(columns), _ROWS):
        some = columns[first : first + _ROWS]
        made = scores[: len(some)]
        _score(rows, first, made)
        find_best(made, odds, sums, some, probabilities[first : first + _ROWS])


@compiled
def _score(rows: Any, first: Any, scores: Any) -> None:
    last = first + len(scores)
    multiply(rows.vectors[first:last], rows.output, scores)
    if len(rows.words.columns):
        ask_names(
            rows.words, rows.data, rows.hosts, rows.spans[first:last], rows.shift, rows.ways, rows.costs, scores
        )  # fmt: skip


def room_for_best(n_languages: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Room for the scores and sums of ``best_of_rows``."""
    return np.empty((_ROWS, n_languages), np.float32), np.empty((2, _ROWS), np.float32)

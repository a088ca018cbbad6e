"""The URL kernels that numba compiles, until they are ported: the entry points of ``url_model``."""

from __future__ import annotations

from linksight.native.embedding_sums import Scratch, scratch, vectors_of
from linksight.native.memory_layout import Weights, weights_of
from linksight.native.predict import Rows, best_of_rows, room_for_best, score_rows
from linksight.native.segmentation import vocabulary_of
from linksight.native.softmax import find_best, weigh

__all__ = [
    "Rows", "Scratch", "Weights", "best_of_rows", "find_best", "room_for_best", "score_rows", "scratch", "vectors_of", "vocabulary_of",
    "weigh", "weights_of",
]  # fmt: skip

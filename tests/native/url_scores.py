"""Calibrated scores of URLs by the compiled path, and by adding up what an explanation lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.url_model.model import Scorer
from linksight.url_model.predict import _keep_scores, _stretches


def compiled_scores(model: Scorer, column: Any) -> tuple[np.ndarray, dict[int, str]]:
    """Scores of a column, with n-grams summed by the trie, and why rows could not be used."""
    k = len(model.languages)
    parts = list(_stretches(model, column, _keep_scores(model), (k, np.float32), 1))
    scores = np.concatenate([part for part, _ in parts]) if parts else np.zeros((0, k), np.float32)
    return scores, {row: reason for _, problems in parts for row, reason in problems.items()}


def explained_scores(model: Scorer, url: str) -> np.ndarray:
    """The score of one URL, feature by feature, each found by its hash."""
    return model.explain(url).scores

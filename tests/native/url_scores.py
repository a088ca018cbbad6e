"""Calibrated scores of URLs by the compiled path, and by adding up what an explanation lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.url_model.model import UrlLanguageModel
from linksight.url_model.predict import _collect_scores, _score_chunks


def compiled_scores(model: UrlLanguageModel, column: Any) -> tuple[np.ndarray, dict[int, str]]:
    """Scores of a column, with n-grams summed by the trie, and why rows could not be used."""
    k = len(model.languages)
    parts = list(_score_chunks(model, column, _collect_scores(model), (k, np.float32), 1))
    scores = np.concatenate([part for part, _ in parts]) if parts else np.zeros((0, k), np.float32)
    return scores, {row: reason for _, problems in parts for row, reason in problems.items()}


def explained_scores(model: UrlLanguageModel, url: str) -> np.ndarray:
    """The score of one URL, feature by feature, each found by its hash."""
    return model.explain(url).scores

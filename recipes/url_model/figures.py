"""The figures by which a URL model is judged, from its probabilities on ``urls/dev.parquet``."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

GENERIC = frozenset(
    "com org net info biz io dev top xyz online site app blog news club shop pro live space tech".split()
)
PAPER = ("en", "de", "fr", "es", "it")
FOLDS = 3  # of ``pages_dev`` by domain: the first one calibrates and judges, training learns from the others


def fold_of(domain: str) -> int:
    """The fold of a registered domain."""
    return zlib.crc32(domain.encode()) % FOLDS


def balanced_f1(said: NDArray, true: NDArray) -> float:
    """F1 with as many negatives as positives (section 3.3 of Baykan et al. 2013)."""
    recall, specificity = said[true].mean(), (~said[~true]).mean()
    precision = recall / max(recall + 1 - specificity, 1e-12)
    return 2 * precision * recall / max(precision + recall, 1e-12)


def f1(said: NDArray, true: NDArray) -> float:
    hits = (said & true).sum()
    return 2 * hits / max(said.sum() + true.sum(), 1)


def calibration_error(confidence: NDArray, right: NDArray, n_bins: int = 15) -> float:
    bins = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    gaps = [
        abs(confidence[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean()
        for b in np.unique(bins)
    ]
    return float(sum(gaps))


def figures(probabilities: NDArray, table, languages: list[str], large: set[str]) -> dict[str, float]:
    """``table``: pandas with language, trust, kind, domain; ``large``: languages with 1,000 rows or more."""
    names = np.array(languages)
    guess, confidence = names[probabilities.argmax(1)], probabilities.max(1)
    true, curated = table.language.to_numpy(str), (table.trust == 1).to_numpy()
    right = guess == true
    known = curated & np.isin(true, list(large))
    generic = table.domain.str.rpartition(".")[2].isin(GENERIC).to_numpy()
    page = (table.kind == "page").to_numpy()
    tested = [language for language in names if ((true == language) & curated).sum() >= 20]
    return {
        "accuracy": right[known].mean(),
        "generic": right[known & generic].mean(),
        "pages": right[known & page].mean(),
        "hosts": right[known & ~page].mean(),
        "macro_f1": float(np.mean([f1((guess == k)[curated], (true == k)[curated]) for k in tested])),
        "five": float(np.mean([balanced_f1((guess == k)[curated], (true == k)[curated]) for k in PAPER])),
        "all_rows": right.mean(),
        "calibration_error": calibration_error(confidence[known], right[known]),
        "calibration_error_all": calibration_error(confidence, right),
        "below_0.25": float((confidence[known] < 0.25).mean()),
        "right_below_0.25": float(right[known & (confidence < 0.25)].mean()),
    }

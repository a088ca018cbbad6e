"""URL texts as rows of hashed features."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from linksight.features.feature_hash import MIX, fnv1a
from linksight.features.url_features import default_settings
from linksight.native.urls.extract import Extractor

MAX_FEATURES = 400  # of a group
HINT, HOST, PATH, SITE = range(4)
SITE_PLACE = 5  # of the registered name among the structural features
_UNMIX = np.uint64(pow(MIX, -1, 2**64))
_OFFSET = np.uint64(32)


def _hashes(*names: str) -> np.ndarray:
    return np.array([fnv1a(name) for name in names], np.uint64)


#: What a made-up host has no length, digits or hyphens to learn from.
_DIGIT_RUNS = _hashes(*(f"m:{n}" for n in range(7)))
_SHAPES = _hashes(*(f"y:{n}" for n in range(4)), *(f"j:{n}" for n in range(13)))


def hashed(job: tuple[list[str], Container[str] | None]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Feature hashes, their groups and how many each row has; of made-up URLs with the sites that are real."""
    texts, sites = job
    encoded = [text.encode("utf-8", "replace") for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    spans = np.stack([np.r_[0, ends[:-1]], ends], 1)
    buffer = b"".join(encoded) or b"\0"
    extractor = Extractor(np.zeros(1, np.uint64), default_settings().arrays, 2048, every_gram=True)
    _, names, stops = extractor.buffers()
    parts, first = [], 0
    while first < len(texts):
        n = extractor.gather(buffer, spans, first)
        parts.append(_rows(names, stops[:n], texts[first : first + n], sites))
        first += n
    hashes, groups, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    return hashes.view(np.int64), groups, counts


def _rows(names: np.ndarray, stops: np.ndarray, texts: list[str], sites: Container[str] | None):
    """The features of one call of the extractor."""
    host, path, end = stops[:, 2], stops[:, 3], stops[:, 4]
    start = np.r_[0, end[:-1]]
    raw = names[: end[-1]] * _UNMIX
    raw ^= raw >> _OFFSET
    sizes = np.stack([host - start, path - host, end - path], 1)
    groups = np.repeat(np.tile(np.array([HOST, PATH, HINT], np.uint8), len(texts)), sizes.ravel())
    begins = np.stack([start, host, path], 1)
    place = np.arange(len(raw)) - np.repeat(begins.ravel(), sizes.ravel())
    kept = place < MAX_FEATURES
    rows = np.repeat(np.arange(len(texts)), end - start)
    for row, text in enumerate(texts):
        name = text.removeprefix("www.").partition("/")[0]
        at = path[row] + SITE_PLACE
        if "." not in name or at >= end[row] or name.rpartition(".")[2].isdigit():
            continue
        if name.count(".") == 1:
            groups[at] = SITE
        if sites is not None and ".".join(name.split(".")[-2:]) not in sites:
            kept[at] = False
    if sites is not None:
        hints = groups == HINT
        runs = hints & np.isin(raw, _DIGIT_RUNS)
        kept &= ~(runs | np.r_[runs[1:], False] | (hints & np.isin(raw, _SHAPES)))
    return raw[kept], groups[kept], np.bincount(rows[kept], minlength=len(texts)).astype(np.int32)

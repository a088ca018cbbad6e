"""The rows of a comparison: drawn from labelled files, the same for the same seed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np

from linksight.errors import BadData
from linksight.lab.compare.benchmark import Page
from linksight.lab.evaluation.labelled_urls import LabelledUrls, load_labelled

_TRUSTED = ("source", "valid", "declared", "bom", "ascii")
_COLUMNS = ["section", "language", "encoding", "encoding_basis", "body"]


def draw_urls(path: Path, size: int, seed: int = 0) -> LabelledUrls:
    """``size`` rows of a labelled file at random, or all of them for 0."""
    rows = load_labelled(path, skip_unknown=True)
    if not 0 < size < len(rows):
        return rows
    drawn = rows.take(np.sort(np.random.default_rng(seed).choice(len(rows), size, replace=False)))
    return replace(drawn, dropped=rows.dropped)


def draw_page_urls(path: Path, size: int, seed: int = 0) -> LabelledUrls:
    """``size`` URLs of real pages with a reliable label, or all of them for 0."""
    import pyarrow.parquet

    if not path.exists():
        raise BadData(f"{path}: no such file; is that the folder of labelled data?")
    table = pyarrow.parquet.read_table(path, columns=["url", "language"], filters=[("sure", "=", 1)])
    order = np.sort(np.random.default_rng(seed).permutation(table.num_rows)[: size or None])
    return LabelledUrls.of(*(table[name].take(order).to_pylist() for name in ("url", "language")))


def draw_training(path: Path | None, size: int, seed: int = 0) -> LabelledUrls:
    """``size`` rows of ``urls/train.parquet`` at random among those of the best trust; no rows without a file."""
    import pyarrow.parquet

    if path is None or not path.exists() or size <= 0:
        return LabelledUrls((), ())
    table = pyarrow.parquet.read_table(path, columns=["url", "language"], filters=[("trust", "=", 1)])
    order = np.random.default_rng(seed).permutation(table.num_rows)[:size]
    chosen = table.take(order)
    return LabelledUrls(tuple(chosen["url"].to_pylist()), tuple(chosen["language"].to_pylist()))


def draw_pages(
    path: Path, size: int, sections: tuple[str, ...], seed: int = 0, by: str = "language"
) -> list[Page]:
    """``size`` pages of some sections, spread over languages or encodings, or all of them for 0."""
    import pyarrow.parquet

    if not path.exists():
        raise BadData(f"{path}: no such file; is that the folder of labelled data?")
    try:
        table = pyarrow.parquet.read_table(path, columns=_COLUMNS, filters=[("section", "in", sections)])
    except (OSError, ValueError, KeyError) as error:
        raise BadData(f"{path}: not a file of labelled pages ({str(error).splitlines()[0][:200]})") from None
    rows = table.to_pylist()
    if by == "encoding":
        rows = [row for row in rows if row["encoding_basis"] in _TRUSTED and row["encoding"]]
    groups: dict[str, list[int]] = defaultdict(list)
    for index in np.random.default_rng(seed).permutation(len(rows)).tolist():
        groups[rows[index][by]].append(index)
    turns = sorted((turn, index) for own in groups.values() for turn, index in enumerate(own))
    chosen = [index for _, index in turns][: size or None]
    return [_page(rows[index]) for index in sorted(chosen)]


def _page(row: dict[str, object]) -> Page:
    body, trusted = row["body"], row["encoding_basis"] in _TRUSTED
    assert isinstance(body, bytes)
    return Page(body, str(row["language"]), str(row["encoding"] or "") if trusted else "")

"""URL sources of the experiments: the shared data, or a user's file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData
from linksight.features.url_buffer import parsed
from linksight.lab.evaluation.labelled_urls import PAPER_LANGUAGES, LabelledUrls, load_labelled, paper_sample

_MEDIA = "jpe?g|png|gif|webp|svg|tiff?|mp3|wav|ogg|wma|mp4|avi|mpe?g|mov|wmv|flv|webm|swf|pdf"
_ENDING = re.compile(rf"\.(?:{_MEDIA})(?:[?#]|$)", re.IGNORECASE)
_MAX_MEDIA_ROWS = 400  # of one language
_MIN_ROWS = 60  # of a user's language


def is_media(url: str) -> bool:
    """Whether a URL ends like an image, a sound, a film, Flash or PDF.

    >>> is_media("http://a.example/plan.PDF?x=1"), is_media("http://a.example/pdf/")
    (True, False)
    """
    path = url.partition("//")[2].partition("/")[2]
    return _ENDING.search(path) is not None


def paper_urls(folder: Path, size: int, seed: int = 0) -> tuple[LabelledUrls, dict[str, LabelledUrls]]:
    """URLs of the paper's five languages, and test-only sets: media URLs, unseen domains."""
    train = folder / "urls" / "train.parquet"
    if not train.exists():
        raise BadData(f"{train}: no such file; LINKSIGHT_DATA is the folder of the labelled data")
    rows = without_media(paper_sample(folder, size=size, seed=seed))
    extras = {"media": _media_of(train, seed)}
    dev = folder / "urls" / "dev.parquet"
    if dev.exists():
        extras["dev"] = without_media(load_labelled(dev, skip_unknown=True).of_languages(PAPER_LANGUAGES))
    if (pages := folder / "urls" / "pages_dev.parquet").exists():
        extras["pages"] = _sure_pages(pages)
    return rows, extras


def _sure_pages(path: Path) -> LabelledUrls:
    """Real page URLs in the paper's languages with a reliable label."""
    import pyarrow.parquet

    filters = [("language", "in", PAPER_LANGUAGES), ("sure", "=", 1)]
    table = pyarrow.parquet.read_table(path, columns=["url", "language"], filters=filters)
    return without_media(LabelledUrls.of(table["url"].to_pylist(), table["language"].to_pylist()))


def own_urls(path: Path, size: int, seed: int = 0) -> tuple[LabelledUrls, dict[str, LabelledUrls]]:
    """A user's labelled URLs; skipped rows are counted by reason."""
    read = load_labelled(path, skip_unknown=True)
    usable = np.array([url is not None for url in parsed(read.urls)], dtype=bool)
    dropped = Counter(read.dropped)
    dropped["no web address"] = int((~usable).sum())
    usable_once = once(read.urls, usable)
    dropped["the same URL again"] = int(usable.sum() - usable_once.sum())
    rows = read.take(usable_once)
    found = Counter(rows.languages)
    enough = [language for language, n in found.items() if n >= _MIN_ROWS]
    if len(enough) < 2:
        there = ", ".join(f"{language} {n:,}" for language, n in found.most_common(5)) or "none"
        out = "".join(f"; {n:,} left out: {reason}" for reason, n in dropped.items() if n)
        raise BadData(
            f"{path}: two languages or more with {_MIN_ROWS} rows each are needed; there are: {there}{out}"
        )
    dropped[f"a language with fewer than {_MIN_ROWS} rows"] = sum(n for n in found.values() if n < _MIN_ROWS)
    rows = rows.of_languages(enough)
    media = np.array([is_media(url) for url in rows.urls], dtype=bool)
    selected = sampled(rows.take(~media), size, seed)
    dropped["beyond the size asked for"] = int((~media).sum()) - len(selected)
    return replace(selected, dropped=+dropped), {"media": rows.take(media)}


def once(urls: Sequence[str], usable: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The first row of each URL: duplicates would be in both training and test.

    >>> once(["http://a.nl/", "-", "http://a.nl/"], np.array([True, False, True])).tolist()
    [True, False, False]
    """
    first = {url: row for row, url in reversed(list(enumerate(urls))) if usable[row]}
    return np.isin(np.arange(len(urls)), list(first.values()))


def sampled(rows: LabelledUrls, size: int, seed: int = 0) -> LabelledUrls:
    """At most ``size`` rows of each language, in their order."""
    rng = np.random.default_rng(seed)
    labels = np.array(rows.languages)
    samples = [rng.permutation(np.flatnonzero(labels == label))[:size] for label in np.unique(labels)]
    return rows.take(np.sort(np.concatenate(samples))) if samples else rows


def without_media(rows: LabelledUrls) -> LabelledUrls:
    """The rows whose URLs are of pages."""
    return rows.take(np.array([not is_media(url) for url in rows.urls], dtype=bool))


def _media_of(train: Path, seed: int) -> LabelledUrls:
    import pyarrow.compute as pc
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(
        train, columns=["url", "language", "domain"], filters=[("language", "in", PAPER_LANGUAGES)]
    )
    table = table.filter(pc.match_substring_regex(table["url"], _ENDING.pattern, ignore_case=True))
    rows = LabelledUrls(
        tuple(table["url"].to_pylist()), tuple(table["language"].to_pylist()), Counter(),
        tuple(table["domain"].to_pylist()),
    )  # fmt: skip
    return sampled(
        rows.take(np.array([is_media(url) for url in rows.urls], dtype=bool)), _MAX_MEDIA_ROWS, seed
    )

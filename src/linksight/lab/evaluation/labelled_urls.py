"""Labelled URLs: read from a file, sampled as in the papers, split at random or by site."""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData
from linksight.lab.evaluation.table_reader import Rows, read_rows
from linksight.languages import registry
from linksight.system.plural import counted
from linksight.urls.parser import site_of, texts_of

#: The five languages of Baykan et al.
PAPER_LANGUAGES = ("en", "de", "fr", "es", "it")


@dataclass(frozen=True)
class LabelledUrls:
    """URLs and the languages of their pages.

    >>> rows = LabelledUrls.of(["http://a.de/", "http://b.nl/"], ["German", "nld"])
    >>> rows.languages, len(rows)
    (('de', 'nl'), 2)
    """

    urls: tuple[str, ...]
    languages: tuple[str, ...]
    dropped: Counter[str] = field(default_factory=Counter)  #: rows left out, by reason
    sites: tuple[str, ...] | None = None  #: registered domains, if already computed

    @classmethod
    def of(cls, urls: Sequence[str], labels: Sequence[str]) -> LabelledUrls:
        """From columns in memory."""
        if len(urls) != len(labels):
            raise BadData(f"{len(urls):,} URLs but {len(labels):,} languages")
        codes = _codes(dict.fromkeys(labels), "these rows")
        return cls(tuple(urls), tuple(codes[label] for label in labels))

    def __len__(self) -> int:
        return len(self.urls)

    def take(self, which: NDArray[Any]) -> LabelledUrls:
        """Some of the rows, by number or by a mask."""
        rows = np.arange(len(self))[which].tolist()
        sites = tuple(self.sites[i] for i in rows) if self.sites is not None else None
        return LabelledUrls(
            tuple(self.urls[i] for i in rows), tuple(self.languages[i] for i in rows), Counter(), sites
        )

    def of_languages(self, languages: Sequence[str]) -> LabelledUrls:
        """The rows of some languages."""
        chosen = set(registry.find_all(languages))
        chosen_rows = self.take(np.array([language in chosen for language in self.languages], dtype=bool))
        if not len(chosen_rows):
            raise BadData(f"no row is in any of the languages {', '.join(sorted(chosen))}")
        return replace(chosen_rows, dropped=self.dropped)

    def of_addresses(self) -> LabelledUrls:
        """The rows whose URL is a web address; the others are left out and counted by reason.

        >>> LabelledUrls.of(["http://a.de/", "mailto:a@b.nl"], ["de", "nl"]).of_addresses().dropped
        Counter({'not a web address (mailto:)': 1})
        """
        reasons = [reason if text is None else None for text, reason in texts_of(list(self.urls))]
        valid_rows = self.take(np.array([reason is None for reason in reasons], dtype=bool))
        if not len(valid_rows):
            raise BadData(
                f"not one web address in {counted(len(self), 'row')}, the first is {self.urls[0]!r}"
            )
        return replace(valid_rows, dropped=self.dropped + Counter(filter(None, reasons)))

    def random_folds(self, n_folds: int, seed: int = 0) -> NDArray[np.int64]:
        """A fold for each row, each language spread evenly: the paper's stratified folds."""
        rng = np.random.default_rng(seed)
        labels = np.array(self.languages)
        folds = np.empty(len(self), dtype=np.int64)
        for language in np.unique(labels):
            rows = rng.permutation(np.flatnonzero(labels == language))
            folds[rows] = (np.arange(len(rows)) + rng.integers(n_folds)) % n_folds
        return folds

    def site_folds(self, n_folds: int, seed: int = 0) -> NDArray[np.int64]:
        """A fold for each row, all pages of a registered domain in one, so that test domains are unseen."""
        sites = self.sites if self.sites is not None else map(site_of, self.urls)
        folds = [zlib.crc32(f"{seed}:{site}".encode("utf-8", "replace")) % n_folds for site in sites]
        return np.array(folds, dtype=np.int64)

    def folds(self, split: str, n_folds: int, seed: int = 0) -> NDArray[np.int64]:
        """Folds by the name of a split: ``random`` or ``site``."""
        if split not in ("random", "site"):
            raise BadData(f"unknown split {split!r}; known: random, site")
        return self.random_folds(n_folds, seed) if split == "random" else self.site_folds(n_folds, seed)


def load_labelled(
    path: str | os.PathLike[str], *, url_column: str = "url", language_column: str = "language",
    kind: str | None = None, skip_unknown: bool = False, language: str | None = None,
) -> LabelledUrls:  # fmt: skip
    """Read a CSV, TSV, JSON lines or Parquet file, plain or packed (gzip, zstd, bzip2); ``-`` is stdin.

    Rows without URL or language are left out and counted; an unknown language is an error, or with
    ``skip_unknown`` a skipped row. With ``language`` the file may lack languages, or be a list of
    URLs, one a line: all rows get that language.
    """
    rows = read_rows(path, url_column, (language_column,), kind)
    if rows.is_list and language is None:
        raise BadData(f"{path}: {_no_table(rows, path)}")
    found = {column: rows.find(column) for column in (url_column, language_column)}
    if language is not None and found[language_column] is None:
        found[language_column] = [language] * rows.n_rows
    for column, values in found.items():
        if values is None:
            raise BadData(f"{path}: no column {column!r}; there are: {', '.join(rows.names) or 'none'}")
    urls, labels = ([_text(value) for value in values or ()] for values in found.values())
    if rows.is_list:
        urls = ["" if url.startswith("#") else url for url in urls]
    usable = (label for i, label in enumerate(labels) if label and i not in rows.problems)
    codes = _codes(dict.fromkeys(usable), path, skip_unknown)
    problems = [
        rows.problems.get(i) or _problem(url, label, codes)
        for i, (url, label) in enumerate(zip(urls, labels, strict=True))
    ]
    valid_rows = [i for i, problem in enumerate(problems) if problem is None]
    dropped = Counter(problem for problem in problems if problem is not None)
    if not valid_rows:
        raise BadData(f"{path}: no rows with a URL and a language" + _reasons(dropped))
    return LabelledUrls(
        tuple(urls[i] for i in valid_rows), tuple(codes[labels[i]] for i in valid_rows), dropped
    )


def _no_table(rows: Rows, path: object) -> str:
    """The error for a file without labels: a list of URLs, or an unknown format."""
    if any("://" in str(url) for url in rows.columns.get("url", ())[:10]):
        return (
            "addresses without languages; a table has columns url and language, and a list of one"
            " language is for: train --extend -l LANGUAGE"
        )
    known = "give --from" if str(path) == "-" else "name it .csv, .tsv, .jsonl or .parquet"
    return f"cannot tell the kind of table; {known}"


def _problem(url: str, label: str, codes: Mapping[str, str]) -> str | None:
    """The reason to skip a row."""
    if not url:
        return "no URL"
    if not label:
        return "no language"
    return None if label in codes else "unknown language"


def _codes(labels: Mapping[str, Any], where: object, skip_unknown: bool = False) -> dict[str, str]:
    """The code of each label; raises an error that lists the invalid ones."""
    codes, unknown = {}, []
    for label in labels:
        if code := registry.code_of(label):
            codes[label] = code
        else:
            unknown.append(repr(label))
    if unknown and not skip_unknown:
        more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
        raise BadData(
            f"{where}: unknown languages: {', '.join(unknown[:5])}{more}; "
            "correct them or leave their rows out (--skip-unknown)"
        )
    return codes


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else "" if value is None else str(value)


def _reasons(dropped: Counter[str]) -> str:
    return f" ({', '.join(f'{reason}: {n:,}' for reason, n in dropped.items())})" if dropped else ""


def paper_sample(folder: str | os.PathLike[str], *, size: int = 40_000, seed: int = 0) -> LabelledUrls:
    """The paper's five languages, ``size`` URLs each from ``urls/train.parquet``.

    Curated rows come first, then the rest by trust, in random order within a level; each URL occurs once.
    """
    import pyarrow.compute as pc
    import pyarrow.parquet

    path = Path(folder) / "urls" / "train.parquet"
    columns = ["url", "language", "strength", "trust", "domain"]
    table = pyarrow.parquet.read_table(path, columns=columns, filters=[("language", "in", PAPER_LANGUAGES)])
    rng = np.random.default_rng(seed)
    weaker = pc.not_equal(table["strength"].cast("string"), "human").to_numpy(zero_copy_only=False)
    order = np.lexsort((rng.random(table.num_rows), table["trust"].to_numpy(), weaker))
    labels = table["language"].cast("string")
    first = []
    for language in PAPER_LANGUAGES:
        is_own = pc.equal(labels, language).to_numpy(zero_copy_only=False)
        first.append(np.flatnonzero(is_own[order])[:size])
    best = order[np.sort(np.concatenate(first))]
    once = np.sort(
        np.unique(np.array(table["url"].take(best).to_pylist(), dtype=object), return_index=True)[1]
    )
    chosen = table.take(rng.permutation(best[once]))
    urls, languages, sites = (tuple(chosen[name].to_pylist()) for name in ("url", "language", "domain"))
    return LabelledUrls(urls, languages, Counter(), sites)


def dutch_sample(folder: str | os.PathLike[str]) -> LabelledUrls:
    """The Dutch task of Hogewind et al.: ``nl``, or ``und`` for any other language."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(Path(folder) / "urls" / "dutch.parquet")
    labels = tuple("nl" if dutch else "und" for dutch in table["dutch"].to_pylist())
    return LabelledUrls(
        tuple(table["url"].to_pylist()), labels, Counter(), tuple(table["domain"].to_pylist())
    )

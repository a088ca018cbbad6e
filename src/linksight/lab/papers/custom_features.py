"""Custom features for many folds: dictionaries looked up once, trained dictionaries by matrices.

Equivalent to ``CustomFeatures.learnt(...).matrix(...)``, which reads every URL again for every
fold; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from linksight.features.custom import CustomFeatures
from linksight.features.dictionaries import (
    MIN_LETTERS,
    MIN_PURITY,
    MIN_SHARE,
    MIN_URLS,
    Lexicon,
    lexicon_of,
    without_dictionary,
)
from linksight.features.url_buffer import parsed
from linksight.urls.parser import words_of


class CustomTable:
    """The 60 features of 2013 for a list of URLs, independent of the training rows."""

    def __init__(self, urls: Sequence[str], languages: Sequence[str], hosting: Any = None) -> None:
        self.languages = tuple(sorted(languages))
        self.features = CustomFeatures(
            languages=self.languages, lexicon=known_lexicon(self.languages), hosting=hosting
        )
        self.columns = self.features.columns
        self.fixed = self.features.matrix(urls)
        vocabulary: dict[str, int] = {}
        host: list[list[int]] = []
        path: list[list[int]] = []
        for url in parsed(urls):
            text, length = (url.text, len(url.host)) if url is not None else ("", 0)
            for numbers, part in ((host, text[:length]), (path, text[length:])):
                numbers.append([vocabulary.setdefault(word, len(vocabulary)) for word in words_of(part)])
        self.host, self.path = _matrix(host, len(vocabulary)), _matrix(path, len(vocabulary))
        self.present = ((self.host + self.path) > 0).astype(np.int32).tocsr()
        self.long = np.array([len(word) >= MIN_LETTERS for word in vocabulary], dtype=bool)

    def matrix(
        self, train: NDArray[np.int64], labels: NDArray[np.str_], wanted: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """The features of the wanted rows, trained dictionaries learnt from the rows to train on."""
        found = self.fixed[wanted].copy()
        host, path = self.host[wanted], self.path[wanted]
        total = self._seen(train)
        for language in self.languages:
            own, others = self.dictionaries(train, labels, language, total)
            at = self.columns.index
            found[:, at(f"trained-host-{language}")] = host @ own
            found[:, at(f"trained-path-{language}")] = path @ own
            found[:, at(f"trained_not-{language}")] = host @ others + path @ others
        return found

    def dictionaries(
        self,
        train: NDArray[np.int64],
        labels: NDArray[np.str_],
        language: str,
        total: NDArray[np.float64] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The trained dictionaries of a language and of all others: 1 for each word in them."""
        mine = labels == language
        seen, total = self._seen(train[mine]), self._seen(train) if total is None else total
        n_own = int(mine.sum())
        return self._learnt(seen, total, n_own), self._learnt(total - seen, total, len(train) - n_own)

    def _seen(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """How many of the rows have each word."""
        return np.asarray(self.present[rows].sum(axis=0), dtype=float).ravel()

    def _learnt(
        self, mine: NDArray[np.float64], total: NDArray[np.float64], n_urls: int
    ) -> NDArray[np.float64]:
        enough = max(MIN_SHARE * n_urls, MIN_URLS)
        return (self.long & (mine >= enough) & (mine >= MIN_PURITY * total)).astype(float)


def known_lexicon(languages: Sequence[str]) -> Lexicon:
    """The dictionaries and cities of these languages; empty for a language without a dictionary here."""
    lacking = without_dictionary(languages)
    found = lexicon_of(tuple(language for language in languages if language not in lacking))
    empty: dict[str, frozenset[str]] = dict.fromkeys(lacking, frozenset())
    return replace(found, words={**found.words, **empty}, cities={**found.cities, **empty})


def _matrix(rows: list[list[int]], n_columns: int) -> Any:
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    columns = np.array([column for row in rows for column in row], dtype=np.int32)
    # The same word twice in a URL counts twice: SciPy sums values of one cell.
    found = csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(rows), n_columns))
    found.sum_duplicates()
    return found

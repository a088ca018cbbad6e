"""The corpus of the experiments: labelled URLs, tasks, folds, and cached features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadData
from linksight.features import parse_features
from linksight.features.feature_hash import bucket, fnv1a
from linksight.features.hashed_counts import Counts
from linksight.lab.evaluation.labelled_urls import LabelledUrls
from linksight.lab.papers.custom_features import CustomTable
from linksight.models.labels import balanced_rows
from linksight.urls.parser import site_of

if TYPE_CHECKING:
    from linksight.url_model.model import UrlLanguageModel

Rows = NDArray[np.int64]
_TRIVIAL = ("com", "net")  # the paper's list; www, index and html are no words anyway
_CHUNK_URLS = 100_000  # URLs whose probabilities are in memory at a time
_MAX_CACHED_FEATURES = 2  # feature sets in memory: all-grams of a million URLs take a gigabyte


class Corpus:
    """The URLs for training and testing, and ``extras`` for testing only.

    Rows are numbered through: first those of ``rows``, then those of each extra set.
    """

    def __init__(
        self, rows: LabelledUrls, extras: Mapping[str, LabelledUrls] | None = None, *, bits: int = 22,
        seed: int = 0, hosting: Any = None, languages: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        self.rows = rows
        self.bits = bits
        self.seed = seed
        self.hosting = hosting
        parts = [rows, *(extras or {}).values()]
        self.urls: list[str] = [url for part in parts for url in part.urls]
        self.labels = np.array([label for part in parts for label in part.languages])
        seen = tuple(np.unique(self.labels[: len(rows)]).tolist())
        if len(seen) < 2:
            raise BadData(f"all rows are labelled {seen[0]!r}: two languages or more are needed")
        self.languages: tuple[str, ...] = tuple(sorted(languages)) if languages is not None else seen
        ends = np.cumsum([len(part) for part in parts])
        self.extras = {
            name: np.arange(ends[i], ends[i + 1]) for i, name in enumerate(extras or {}) if len(parts[i + 1])
        }
        names, codes = np.unique(self.labels, return_inverse=True)
        self.names: tuple[str, ...] = tuple(names.tolist())
        self.codes: Rows = codes.astype(np.int64)  #: the language of each row, as its number in ``names``
        #: rows to train and test on that are also counted apart, by a name
        self.masks: dict[str, NDArray[np.bool_]] = {}
        #: positions of the groups that are counted apart, by language, split, folds and fold
        self.groups: dict[tuple[str, str, int, int], dict[str, Rows]] = {}
        self._folds: dict[tuple[str, int], Rows] = {}
        self._counts: dict[str, Counts] = {}
        self._answers: dict[str, NDArray[np.str_]] = {}
        self._lock = Lock()

    def task(self, language: str) -> Rows:
        """The rows of one language's binary task: all rows of it, and as many others, evenly sampled."""
        labels = self.labels[: len(self.rows)]
        return balanced_rows(labels == language, labels, language, self.seed)

    def split(self, language: str, split: str, n_folds: int, fold: int) -> tuple[Rows, Rows]:
        """The rows to train on and those to test on."""
        if (split, n_folds) not in self._folds:
            self._folds[split, n_folds] = self.rows.folds(split, n_folds, self.seed)
        task = self.task(language)
        mine = self._folds[split, n_folds][task] == fold
        return task[~mine], task[mine]

    def counts(self, features: str) -> Counts:
        """The feature counts of all rows, cached while in use; columns renumbered."""
        with self._lock:
            if features not in self._counts:
                while len(self._counts) >= _MAX_CACHED_FEATURES:
                    self._counts.pop(next(iter(self._counts)))
                self._counts[features] = Counts.of(self.urls, parse_features(features), self.bits).compact()
            return self._counts[features]

    @cached_property
    def words(self) -> Counts:
        """The words of all rows, to find the empty URLs."""
        return Counts.of(self.urls, parse_features("words"), self.bits)

    @cached_property
    def customs(self) -> CustomTable:
        """The custom features of all rows, except those that training fits."""
        return CustomTable(self.urls, self.languages, self.hosting)

    @cached_property
    def sites(self) -> NDArray[np.int64]:
        """The registered domain of each row, as a number."""
        known: tuple[str, ...] = self.rows.sites or tuple(map(site_of, self.rows.urls))
        rest = tuple(map(site_of, self.urls[len(self.rows) :]))
        found: NDArray[np.int64] = np.unique(np.array(known + rest), return_inverse=True)[1]
        return found

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The number of words of each URL."""
        found: NDArray[np.int64] = np.bincount(
            self.words.rows, self.words.values, minlength=len(self.urls)
        ).astype(np.int64)
        return found

    def empty(self, train: Rows, test: Rows) -> NDArray[np.bool_]:
        """The test URLs with only unseen or trivial words."""
        seen = self.words.take(train).frequencies() > 0
        for word in _TRIVIAL:
            seen[bucket(fnv1a(f"w:{word}"), self.bits)] = False
        tested = self.words.take(test)
        known = np.bincount(tested.rows, seen[tested.columns], minlength=len(test))
        empty: NDArray[np.bool_] = known == 0
        return empty

    def seen_domains(self, train: Rows, test: Rows) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The test URLs of a domain seen in training, and those of one seen in several languages."""
        names, numbers = np.unique(self.labels[train], return_inverse=True)
        of_site = np.zeros((int(self.sites.max()) + 1, len(names)), dtype=bool)
        of_site[self.sites[train], numbers] = True
        n_languages = of_site.sum(axis=1)[self.sites[test]]
        return n_languages > 0, n_languages > 1

    def bundled_answers(self, language: str) -> NDArray[np.str_]:
        """The answers of the bundled model for every row, as a binary classifier of one language.

        Its priors are the class shares of the other classifiers' training: half of the rows in this language, the
        other half evenly in the others.
        """
        with self._lock:
            name = f"bundled:{language}"
            if name not in self._answers:
                from linksight.url_model.model import load

                self._answers[name] = _predict(load(), self.urls, sorted(set(self.labels.tolist())), language)
            return self._answers[name]

    def table_answers(self, algorithm: str, language: str) -> NDArray[np.str_]:
        """The answers of a classifier without training for every row."""
        from linksight.models import make_classifier

        name = f"{algorithm}:{language}"
        if name not in self._answers:
            options = {"hosting": self.hosting} if algorithm == "ip" else {}
            self._answers[name] = make_classifier(algorithm, language=language, **options).predict(self.urls)
        return self._answers[name]


def _predict(
    model: UrlLanguageModel, urls: Sequence[str], languages: list[str], language: str
) -> NDArray[np.str_]:
    """The language or ``und`` for each URL; the likeliest language if the model lacks some of them."""
    if not all(one in model.languages for one in languages):
        return np.array(model.predict(urls))
    rest = 0.5 / (len(languages) - 1)
    priors = {one: 0.5 if one == language else rest for one in languages}
    column = model.languages.index(language)
    yes = [
        model.predict_proba(urls[start : start + _CHUNK_URLS], languages=languages, priors=priors)[:, column]
        > 0.5
        for start in range(0, len(urls), _CHUNK_URLS)
    ]
    return np.where(np.concatenate(yes), language, "und")

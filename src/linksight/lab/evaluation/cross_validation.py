"""Cross-validation as in section 3.2 of Baykan et al. 2013, at random and by registered domain.

A run is one classifier under one split; each of its folds trains one binary classifier a language.
A fold's outcome is counts only: the test URLs of each language and how many of them
the classifier accepted, for all URLs and for groups such as empty URLs. All measures derive from them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.features.hashed_counts import Counts
from linksight.lab.papers.experiment_corpus import Corpus, Rows
from linksight.models import make_classifier
from linksight.models.additive import HashedClassifier
from linksight.models.algorithms.decision_tree import DecisionTree
from linksight.models.algorithms.markov import Markov, contexts_of
from linksight.system.processes import n_cores

SPLITS = {"random": "folds at random, as in the paper", "site": "by registered domain, each on one side"}
LENGTHS = ((0, 2), (3, 4), (5, 8), (9, 10**6))  #: words of a URL, for the curve by length
_MIN_TRAINING_ROWS = 10

AcceptedCounts = dict[str, list[int]]  # language of the URLs -> [number, number accepted]
Outcome = dict[str, dict[str, AcceptedCounts]]  # language of the classifier -> group -> accepted


@dataclass(frozen=True, order=True)
class Way:
    """A classifier's algorithm and features."""

    algorithm: str
    features: str = ""

    @property
    def family(self) -> str:
        """Specifications of one family share the features of a fold."""
        return self.features or "none"

    def __str__(self) -> str:
        return f"{self.algorithm} {self.features}".strip()


@dataclass(frozen=True, order=True)
class Run:
    """One classifier under one split, trained on all training rows of a fold or a share of them."""

    way: Way
    split: str = "random"
    share: float = 1.0

    def key(self, fold: int) -> str:
        """The name of a fold of this run in the ledger."""
        return f"{self.way.algorithm}_{self.way.family}_{self.split}_{self.share:g}_{fold}"


@dataclass(frozen=True)
class Fold:
    """The part that runs with the same features, split and share have in common."""

    features: str
    split: str
    share: float
    number: int
    n_folds: int


def run_fold(corpus: Corpus, fold: Fold, algorithms: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The outcome of one fold for several algorithms on the same features."""
    began = time.perf_counter()
    if fold.features not in ("", "custom"):
        corpus.counts(fold.features)  # computed before the threads start
    if "markov" in algorithms:
        corpus.counts(contexts_of(fold.features).spec)
    with ThreadPoolExecutor(max_workers=min(4, n_cores())) as pool:
        found = list(pool.map(lambda language: _one(corpus, fold, algorithms, language), corpus.languages))
    seconds = round((time.perf_counter() - began) / max(1, len(algorithms)), 3)
    outcomes: dict[str, dict[str, Any]] = {}
    for algorithm in algorithms:
        outcome = {
            language: answers[algorithm]
            for language, (answers, _) in zip(corpus.languages, found, strict=True)
        }
        n_train = int(np.mean([n for _, n in found]))
        outcomes[algorithm] = {"outcome": outcome, "n_train": n_train, "seconds": seconds}
    return outcomes


def _one(
    corpus: Corpus, fold: Fold, algorithms: Sequence[str], language: str
) -> tuple[dict[str, dict[str, AcceptedCounts]], int]:
    """One language's classifiers on one fold."""
    train, test = corpus.split(language, fold.split, fold.n_folds, fold.number)
    key = (language, fold.split, fold.n_folds, fold.number)
    if key not in corpus.groups:  # the same for every way to classify, so found once
        corpus.groups[key] = _groups(corpus, train, test)
    groups = corpus.groups[key]
    train = thinned(train, corpus.labels[train] == language, fold.share, corpus.seed)
    if fold.features and not both_answers(corpus.labels[train] == language):
        # All URLs of the language may be of one domain: there is nothing to train on, and nothing is counted.
        return {algorithm: {name: {} for name in groups} for algorithm in algorithms}, len(train)
    tested = np.concatenate([test, *corpus.extras.values()])
    prepared = _prepare(corpus, fold.features, train, tested, language)
    answers = {}
    codes = corpus.codes[tested]
    for algorithm in algorithms:
        yes = prepared.accepted_rows(algorithm)
        answers[algorithm] = {
            name: count_codes(corpus.names, codes[which], yes[which]) for name, which in groups.items()
        }
    return answers, len(train)


def _groups(corpus: Corpus, train: Rows, test: Rows) -> dict[str, NDArray[np.int64]]:
    """Row positions, in test rows followed by extras, of the groups that are counted separately."""
    seen, multilingual = corpus.seen_domains(train, test)
    empty = corpus.empty(train, test)
    masks = {
        "all": np.ones(len(test), bool),
        "filled": ~empty,
        "empty": empty,
        "seen": seen,
        "multi": multilingual,
    }
    masks["unseen"] = ~seen
    lengths = corpus.lengths[test]
    for low, high in LENGTHS:
        masks[f"words {low}"] = (lengths >= low) & (lengths <= high)
    masks |= {name: mask[test] for name, mask in corpus.masks.items()}
    found = {name: np.flatnonzero(mask) for name, mask in masks.items()}
    start = len(test)
    for name, rows in corpus.extras.items():
        found[name] = np.arange(start, start + len(rows))
        for low, high in LENGTHS:
            long_enough = (corpus.lengths[rows] >= low) & (corpus.lengths[rows] <= high)
            found[f"{name} words {low}"] = start + np.flatnonzero(long_enough)
        start += len(rows)
    return found


def thinned(rows: Rows, positive: NDArray[np.bool_], share: float, seed: int) -> Rows:
    """A stratified sample of the rows, at least five of either class."""
    if share >= 1:
        return rows
    rng = np.random.default_rng(seed)
    samples = []
    for side in (rows[positive], rows[~positive]):
        size = max(round(share * len(side)), _MIN_TRAINING_ROWS // 2)
        samples.append(rng.permutation(side)[:size])
    return np.sort(np.concatenate(samples))


def both_answers(positive: NDArray[np.bool_]) -> bool:
    """Whether there are rows of a language and rows of others."""
    return bool(positive.any() and not positive.all())


def count_accepted(labels: NDArray[np.str_], yes: NDArray[np.bool_]) -> AcceptedCounts:
    """The number of URLs of each language, and of those accepted.

    >>> count_accepted(np.array(["de", "en", "en"]), np.array([True, True, False]))
    {'de': [1, 1], 'en': [2, 1]}
    """
    names, codes = np.unique(labels, return_inverse=True)
    return count_codes(names.tolist(), codes, yes)


def count_codes(names: Sequence[str], codes: NDArray[np.int64], yes: NDArray[np.bool_]) -> AcceptedCounts:
    """``count_accepted`` for languages as indices of ``names``.

    >>> count_codes(["de", "en"], np.array([0, 1, 1]), np.array([True, True, False]))
    {'de': [1, 1], 'en': [2, 1]}
    """
    total = np.bincount(codes, minlength=len(names)).tolist()
    n_accepted = np.bincount(codes[yes], minlength=len(names)).tolist()
    return {name: [n, m] for name, n, m in zip(names, total, n_accepted, strict=True) if n}


class _Table:
    """Classifiers without training on these rows."""

    def __init__(self, corpus: Corpus, train: Rows, tested: Rows, language: str) -> None:
        self.corpus, self.tested, self.language = corpus, tested, language

    def accepted_rows(self, algorithm: str) -> NDArray[np.bool_]:
        if algorithm == "bundled":
            answers = self.corpus.bundled_answers(self.language)
        else:
            answers = self.corpus.table_answers(algorithm, self.language)
        yes: NDArray[np.bool_] = answers[self.tested] == self.language
        return yes


class _Counted:
    """Classifiers over words and n-grams, counted once for all of them."""

    def __init__(self, corpus: Corpus, train: Rows, tested: Rows, language: str, features: str) -> None:
        self.corpus, self.train, self.tested, self.language = corpus, train, tested, language
        self.features = features
        counts = corpus.counts(features)
        self.counts, self.questions = counts.take(train), counts.take(tested)
        self.positive = corpus.labels[train] == language

    def accepted_rows(self, algorithm: str) -> NDArray[np.bool_]:
        """The tested rows that this algorithm accepts for the language."""
        if algorithm == "svm+ip":
            hosted = self.corpus.table_answers("ip", self.language)[self.tested] == self.language
            either: NDArray[np.bool_] = self.accepted_rows("svm") | hosted
            return either
        options = {"bits": self.corpus.bits, "seed": self.corpus.seed}
        classifier = make_classifier(algorithm, self.features, self.language, **options)
        if isinstance(classifier, Markov):
            contexts = self.corpus.counts(contexts_of(self.features).spec)
            pair, tested = (
                (self.counts, contexts.take(self.train)),
                (self.questions, contexts.take(self.tested)),
            )
            return classifier.takes_pairs(pair, self.positive, tested)
        if algorithm == "nb+cctld":  # it reads more than these features
            urls = self.corpus.urls
            classifier.fit([urls[i] for i in self.train], self.corpus.labels[self.train].tolist())
            yes: NDArray[np.bool_] = classifier.predict([urls[i] for i in self.tested]) == self.language
            return yes
        assert isinstance(classifier, HashedClassifier)
        return classifier.fit_counts(self.counts, self.positive).takes_counts(self.questions)


class _Custom:
    """Classifiers over custom features, with the fold's trained dictionaries."""

    def __init__(self, corpus: Corpus, train: Rows, tested: Rows, language: str) -> None:
        self.seed, self.language = corpus.seed, language
        labels = corpus.labels[train]
        self.positive = labels == language
        matrix = corpus.customs.matrix(train, labels, np.concatenate([train, tested]))
        self.train, self.tested = matrix[: len(train)], matrix[len(train) :]

    def accepted_rows(self, algorithm: str) -> NDArray[np.bool_]:
        classifier = make_classifier(algorithm, "custom", self.language, seed=self.seed)
        if isinstance(classifier, DecisionTree):
            tree = classifier.grow(self.train, self.positive.astype(np.int64), 2)
            shares = tree.shares(self.tested)
            more: NDArray[np.bool_] = shares[:, 1] > shares[:, 0]
            return more
        assert isinstance(classifier, HashedClassifier)
        classifier.fit_counts(Counts.of_matrix(self.train), self.positive)
        return classifier.takes_counts(Counts.of_matrix(self.tested))


def answers_of(corpus: Corpus, way: Way, train: Rows, tested: Rows, language: str) -> NDArray[np.bool_]:
    """The rows that one classifier accepts, for experiments that need more than counts."""
    return _prepare(corpus, way.features, train, tested, language).accepted_rows(way.algorithm)


def _prepare(
    corpus: Corpus, features: str, train: Rows, tested: Rows, language: str
) -> _Custom | _Counted | _Table:
    if features == "custom":
        return _Custom(corpus, train, tested, language)
    if features:
        return _Counted(corpus, train, tested, language, features)
    return _Table(corpus, train, tested, language)

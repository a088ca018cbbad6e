"""Runs experiments: scale, corpus and cached folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from linksight.features import parse_features
from linksight.lab.evaluation.cross_validation import Fold, Outcome, Run, run_fold, thinned
from linksight.lab.evaluation.labelled_urls import PAPER_LANGUAGES
from linksight.lab.papers.experiment_corpus import Corpus
from linksight.lab.papers.fold_cache import Ledger

_FIRST = ("", "words", "custom", "allgrams-from-word")
#: Approximate cost of a fold in seconds of processor time at full scale, for the progress bar.
_SIZES = {"": 0.02, "words": 0.35, "custom": 1.0}
_WEIGHTS = {"svm": 27.0, "me": 27.0, "markov": 8.0, "svm+ip": 27.0, "bundled": 10.0}
_MIN_COST = 0.1
_GRID_URLS = 25_000  # URLs a language


@dataclass(frozen=True)
class Scale:
    """The size of the experiments."""

    name: str
    size: int  #: most URLs a language
    n_folds: int
    bits: int  #: features are hashed to 2**bits columns
    n_pages: int  #: pages for the experiments on bytes
    n_dutch: int
    n_selection: int  #: languages for forward selection
    n_wanted: int  #: features that forward selection is to find
    web: int  #: pages of the web for the replayed crawl
    crawl: int  #: pages that a replayed crawl downloads

    @property
    def grid_share(self) -> float:
        """The share of the training URLs for the grid of all algorithms and n-gram sets.

        A hundred classifiers over all rows would take a night and select the same sets.
        """
        return min(1.0, _GRID_URLS / self.size)


SCALES = {
    scale.name: scale
    for scale in (
        Scale("quick", 1_000, 3, 17, 400, 12_000, 1, 8, 8_000, 400),
        Scale("middle", 10_000, 10, 20, 600, 60_000, 2, 15, 40_000, 1_000),
        Scale("full", 250_000, 10, 22, 10_000, 200_000, 5, 15, 100_000, 1_000),
    )
}


class Unfinished(Exception):
    """An experiment needs a missing result, and the run may not compute it."""


class Trials:
    """Runs the folds that are missing in the ledger, with shared features, and returns outcomes."""

    def __init__(
        self, scale: Scale, corpus: Corpus, ledger: Ledger, *, folder: Path | None = None,
        prefix: str = "", step: Callable[[float, str], None] = lambda _cost, _text: None, so_far: bool = False,
        no_hosting: str = "",
    ) -> None:  # fmt: skip
        self.scale = scale
        self.corpus = corpus
        self.ledger = ledger
        self.folder = folder  #: the shared data; None on a user's own URLs
        self.prefix = prefix  #: separates the folds of different sets of URLs
        self.step = step
        self.no_hosting = no_hosting  #: reason why the countries of servers are unknown
        self.so_far = so_far  #: train nothing, return only stored results

    @property
    def own(self) -> bool:
        """Whether the URLs are a user's own, and not those that the bundled model was trained on."""
        return self.folder is None

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the experiments, the paper's in the paper's order."""
        order = {language: i for i, language in enumerate(PAPER_LANGUAGES)}
        return tuple(sorted(self.corpus.languages, key=lambda language: (order.get(language, 9), language)))

    def folds(self, run: Run) -> list[Outcome]:
        """The outcomes of a run's folds; missing ones are computed."""
        self.complete([run])
        return [self.ledger.get(self._key(run, fold))["outcome"] for fold in range(self.scale.n_folds)]

    def n_train_of(self, run: Run, language: str) -> int:
        """The number of training URLs of one language's classifier."""
        train, _ = self.corpus.split(language, run.split, self.scale.n_folds, 0)
        return len(thinned(train, self.corpus.labels[train] == language, run.share, self.corpus.seed))

    def n_train(self, run: Run) -> int:
        """The number of training URLs of a run's classifiers, the mean over languages."""
        self.complete([run])
        return int(self.ledger.get(self._key(run, 0))["n_train"])

    def _key(self, run: Run, fold: int) -> str:
        """The name of a fold in the ledger."""
        return self.prefix + run.key(fold)

    def missing(self, runs: Iterable[Run]) -> list[tuple[Fold, list[Run]]]:
        """The missing folds, grouped by features."""
        ordered = sorted({run for run in runs}, key=_sort_key)
        found = []
        for (features, split, share), group in groupby(ordered, key=_group_key):
            same = list(group)
            for number in range(self.scale.n_folds):
                left = [run for run in same if self.ledger.get(self._key(run, number)) is None]
                if left:
                    found.append((Fold(features, split, share, number, self.scale.n_folds), left))
        return found

    def complete(self, runs: Iterable[Run]) -> None:
        """Run the missing folds; every finished fold is stored at once."""
        left_over = self.missing(runs)
        if self.so_far and left_over:
            raise Unfinished(f"{sum(len(left) for _, left in left_over):,} folds are left to run")
        for fold, left in left_over:
            outcomes = run_fold(self.corpus, fold, [run.way.algorithm for run in left])
            for run in left:
                self.ledger.keep(self._key(run, fold.number), outcomes[run.way.algorithm])
            self.step(
                cost_of(fold, left, self.scale),
                f"{fold.features or 'tables'}, {fold.split}, fold {fold.number + 1}",
            )

    def cached(self, key: str, make: Callable[[], Any]) -> Any:
        """A cached value from the ledger; computed and stored if missing."""
        found = self.ledger.get(key)
        if found is None and self.so_far:
            raise Unfinished("it has not been run")
        if found is None:
            self.ledger.keep(key, make())
            found = self.ledger.get(key)
        return found

    def about(self) -> dict[str, Any]:
        """Facts about the run, for the report."""
        sizes = {
            language: int((self.corpus.labels[: len(self.corpus.rows)] == language).sum())
            for language in self.languages
        }
        extras = {name: len(rows) for name, rows in self.corpus.extras.items()}
        return {"scale": asdict(self.scale), "urls": sizes, "only_tested": extras}


def cost_of(fold: Fold, runs: list[Run], scale: Scale) -> float:
    """The approximate cost of a fold, in seconds."""
    size = _SIZES.get(fold.features)
    if size is None:
        parts = parse_features(fold.features).parts
        n_sizes = sum(part.plan[2] - part.plan[1] + 1 for part in parts if part.plan is not None)
        size = min(0.25 + 0.15 * n_sizes, 1.0)  # longer n-grams are fewer
    weight = sum(_WEIGHTS.get(run.way.algorithm, 3.0) for run in runs)
    return _MIN_COST * len(runs) + weight * size * fold.share * scale.size / SCALES["full"].size


def _sort_key(run: Run) -> tuple[int, str, float, str]:
    """Sort key: the runs that most tables need come first, so that a stopped run has results; each feature set once."""
    features = run.way.features
    first = _FIRST.index(features) if features in _FIRST else len(_FIRST)
    return first, features, -run.share, run.split


def _group_key(run: Run) -> tuple[str, str, float]:
    return run.way.features, run.split, run.share

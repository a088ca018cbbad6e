"""Markov models (Dunning 1994): how likely a language is to go on from the letters before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadConfig
from linksight.features import FeatureSet, parse_features
from linksight.features.hashed_counts import Counts
from linksight.features.ngrams import Ngrams
from linksight.models.additive import AdditiveClassifier
from linksight.models.estimator import Weights

_N_LETTERS = 27  # possible next symbols: the Latin letters and the word boundary


class Markov(AdditiveClassifier):
    """Sums ln p(last letter | letters before) over the n-grams of a URL.

    That probability is (c(n-gram) + a) / (c(context) + 27 a). Its logarithm is a difference, so
    n-grams and contexts are features with separate weights and the model stays additive. Unseen
    features weigh the same in every language and are left out.
    """

    algorithm = "markov"

    def __init__(
        self, features: str | FeatureSet = "4-grams-from-word", *, language: str | None = None,
        smoothing: float = 1.0, bits: int | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        self.features = features
        self.language = language
        self.smoothing = smoothing
        self.bits = bits
        self.seed = seed

    def check_parameters(self) -> None:
        super().check_parameters()
        contexts_of(self.features)

    def _learn(
        self, urls: list[Any], targets: NDArray[np.int64], n_classes: int, weights: Weights = None
    ) -> None:
        grams, contexts = parse_features(self.features), contexts_of(self.features)
        self.features_ = FeatureSet(grams.parts + contexts.parts)
        self.bits_ = self.bits or 22
        # N-grams and contexts are counted one after the other, because each has its own smoothing.
        table = self._log_growth(Counts.of(urls, grams, self.bits_), targets, n_classes, weights=weights)
        table -= self._log_growth(
            Counts.of(urls, contexts, self.bits_), targets, n_classes, _N_LETTERS, weights
        )
        self._set_table(table, np.zeros(n_classes))

    def _log_growth(
        self,
        counts: Counts,
        targets: NDArray[np.int64],
        n_classes: int,
        n_outcomes: int = 1,
        weights: Weights = None,
    ) -> NDArray[np.float64]:
        return np.log1p(counts.sums(targets, n_classes, weights) / (self.smoothing * n_outcomes))

    def takes_pairs(
        self, pairs: tuple[Counts, Counts], positive: NDArray[np.bool_], tested: tuple[Counts, Counts]
    ) -> NDArray[np.bool_]:
        """Train on n-grams and contexts counted before; for which of the other rows the answer is yes."""
        score = np.zeros(len(tested[0]))
        for counts, questions, n_outcomes, sign in zip(pairs, tested, (1, _N_LETTERS), (1, -1), strict=True):
            table = self._log_growth(counts, positive.astype(np.int64), 2, n_outcomes)
            score += sign * questions.scores(table[:, 1:] - table[:, :1])[:, 0]
        return score > 0


def contexts_of(features: str | FeatureSet) -> FeatureSet:
    """The contexts on which a Markov model of these n-grams conditions.

    >>> contexts_of("4-grams-from-word").spec
    '4-contexts-from-word'
    """
    return FeatureSet(tuple(_contexts(part) for part in parse_features(features).parts))


def _contexts(part: object) -> Ngrams:
    if isinstance(part, Ngrams) and part.kind.startswith("grams") and part.low > 1:
        return Ngrams(part.kind.replace("grams", "contexts"), part.low, part.high)
    raise BadConfig("markov reads n-grams of two letters or more, such as 4-grams-from-word")

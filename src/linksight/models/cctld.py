"""The baselines by country code: the top-level domain says the language."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight import languages
from linksight.errors import BadConfig
from linksight.features import parse_features
from linksight.features.hashing import bucket, fnv1a
from linksight.features.texts import as_list
from linksight.models.base import AdditiveClassifier
from linksight.records import UND

if TYPE_CHECKING:
    from linksight.scorer import Scorer

TABLES = ("paper", "full")


class CcTld(AdditiveClassifier):
    """Table I of the paper: ``.at`` is German, ``.com`` is nothing. Needs no training.

    ``table="full"`` takes each country's first language for all countries instead; ``tlds`` gives
    the top-level domains of a binary classifier's language by hand.
    """

    algorithm = "cctld"
    looks_up = True
    needs_training = False
    english_besides: tuple[str, ...] = ()

    def __init__(
        self, features: str = "tld", *, language: str | None = None, table: str = "paper",
        tlds: tuple[str, ...] | None = None, bits: int | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        self.features = features
        self.language = language
        self.table = table
        self.tlds = tlds
        self.bits = bits
        self.seed = seed

    def fit(self, urls: Any = None, languages: Any = None) -> CcTld:
        """Nothing is learnt but, without ``language``, which languages there are."""
        if self.language is None and languages is not None:
            super().fit(urls, languages)
        else:
            numbers = None if languages is None else self._numbers(as_list(languages))
            self._look_up(languages_of_table(self.language, self.table))
            self._answer_in(numbers)
        return self

    def _learn(self, urls: list[Any], targets: NDArray[np.int64], n_classes: int) -> None:
        pass  # the table is made when the languages are known

    def _set_languages(self, names: tuple[str, ...]) -> None:
        self._look_up(names)

    def _look_up(self, names: tuple[str, ...]) -> None:
        super()._set_languages(names)
        self.features_ = parse_features("tld")
        self.bits_ = self.bits or 20
        table = np.zeros((2**self.bits_, len(names)))
        for k, name in enumerate(names):
            for tld in self._tlds_of(name):
                table[bucket(fnv1a(f"t:{tld}"), self.bits_), k] = 1.0
        self._set_table(table, np.full(len(names), -0.5))

    def _tlds_of(self, language: str) -> tuple[str, ...]:
        own = self.tlds if self.tlds is not None and self.language is not None else None
        found = own or tlds_of(language, self.table)
        return found + self.english_besides if language == "en" else found

    def _check_fitted(self) -> None:
        if not self.is_fitted:
            self.fit()

    def compile(self) -> Scorer:
        """The scorer; where no language has the top-level domain it is in doubt, as the classifier is."""
        scorer, n = super().compile(), len(self.languages_)
        if self.language is not None:
            return scorer
        none, one = 1 / n, math.e / (math.e + n - 1)  # the softmax of scores of -0.5, and one of +0.5
        return replace(scorer, calibration=replace(scorer.calibration, doubt=(none + one) / 2))

    def _answers(self, scores: NDArray[np.float64]) -> NDArray[np.str_]:
        if self.language is None:
            return np.where(scores.max(axis=1) > 0, super()._answers(scores), UND)
        return super()._answers(scores)


class CcTldPlus(CcTld):
    """The same with ``.com`` and ``.org`` taken for English."""

    algorithm = "cctld+"
    english_besides = ("com", "org")


def tlds_of(language: str, table: str = "paper") -> tuple[str, ...]:
    """The top-level domains that stand for a language; what the papers do not list is looked up in full.

    >>> tlds_of("de"), tlds_of("nl"), tlds_of("cs")
    (('at', 'ch', 'de', 'li', 'lu'), ('nl',), ('cz',))
    """
    _check_table(table)
    return languages.tlds_for(language, papers=table == "paper")


def language_of_country(country: str | None, table: str = "paper") -> str:
    """The language that a country stands for, ``und`` where it is not known.

    >>> language_of_country("CH"), language_of_country("cn"), language_of_country("cn", "full")
    ('de', 'und', 'zh')
    """
    if not country:
        return UND
    country = country.lower()
    if table == "paper":
        mine = [code for code, tlds in languages.PAPER_TLDS.items() if country in tlds]
        return mine[0] if mine else ("nl" if country in languages.PAPER_TLDS_DUTCH else UND)
    return (languages.of_country(country) or (UND,))[0]


def languages_of_table(language: str | None, table: str) -> tuple[str, ...]:
    """The one language asked for, or all that a table knows."""
    _check_table(table)
    if language is not None:
        return (languages.find(language),)
    if table == "paper":
        return tuple(sorted((*languages.PAPER_TLDS, "nl")))
    return tuple(sorted({languages.of_tld(tld)[0] for tld in languages.tlds()}))


def _check_table(table: str) -> None:
    if table not in TABLES:
        raise BadConfig(f"unknown table {table!r}; known: {', '.join(TABLES)}")

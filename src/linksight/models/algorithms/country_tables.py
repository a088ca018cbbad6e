"""Country-to-language tables of the papers, and the classifiers that look them up."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadConfig
from linksight.features import parse_features
from linksight.languages import registry as known_languages
from linksight.languages.countries import languages_of_country
from linksight.languages.tlds import (
    PAPER_TLDS,
    PAPER_TLDS_DUTCH,
    all_tlds,
    languages_of_tld,
    tlds_of_language,
)
from linksight.models.estimator import UrlClassifier, Weights
from linksight.results import UND

TABLES = ("paper", "full")


class LookUp(UrlClassifier):
    """A classifier without training: its ``table`` maps countries to languages."""

    looks_up = True
    needs_training = False
    table: str

    def fit(self, urls: Any = None, languages: Any = None, sample_weight: Any = None) -> Self:
        """Without data: the language, or all that the table has. With labels: those; they calibrate probabilities."""
        self.check_parameters()
        if languages is not None and (self.language is None or urls is not None):
            return super().fit(urls, languages, sample_weight)
        self.features_ = parse_features(self.features)
        self._set_languages(languages_of_table(self.language, self.table))
        answers = [*self.languages_, UND] if self.language is not None else self.languages_
        self.classes_ = np.unique(np.array(answers))
        self.labels_are_languages_ = True
        return self

    def _learn(
        self, urls: list[Any], targets: NDArray[np.int64], n_classes: int, weights: Weights = None
    ) -> None:
        """The table has everything."""

    def _check_fitted(self) -> None:
        if not self.is_fitted:
            self.fit()

    def _answers(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """The country's language; ``und`` if the table lacks it."""
        found = super()._answers(scores)
        return found if self.language is not None else np.where(scores.max(axis=1) > 0, found, UND)


def tlds_of(language: str, table: str = "paper") -> tuple[str, ...]:
    """The top-level domains of a language; languages that the papers do not list use the full table.

    >>> tlds_of("de"), tlds_of("nl"), tlds_of("cs")
    (('at', 'ch', 'de', 'li', 'lu'), ('nl',), ('cz',))
    """
    _check_table(table)
    return tlds_of_language(language, papers=table == "paper")


def language_of_country(country: str | None, table: str = "paper") -> str:
    """The language of a country, ``und`` if it is unknown.

    >>> language_of_country("CH"), language_of_country("cn"), language_of_country("cn", "full")
    ('de', 'und', 'zh')
    """
    if not country:
        return UND
    country = country.lower()
    if table == "paper":
        mine = [code for code, tlds in PAPER_TLDS.items() if country in tlds]
        return mine[0] if mine else ("nl" if country in PAPER_TLDS_DUTCH else UND)
    return (languages_of_country(country) or (UND,))[0]


def languages_of_table(language: str | None, table: str) -> tuple[str, ...]:
    """The requested language, or all languages of a table."""
    _check_table(table)
    if language is not None:
        return (known_languages.find(language),)
    if table == "paper":
        return tuple(sorted((*PAPER_TLDS, "nl")))
    return tuple(sorted({languages_of_tld(tld)[0] for tld in all_tlds()}))


def _check_table(table: str) -> None:
    if table not in TABLES:
        raise BadConfig(f"unknown table {table!r}; known: {', '.join(TABLES)}")

"""The baseline by hosting: the country of the server says the language."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadConfig
from linksight.features import FeatureSet
from linksight.features.hosting import HostingCountries
from linksight.features.texts import as_list, parsed
from linksight.models.base import UrlClassifier
from linksight.models.cctld import language_of_country, languages_of_table
from linksight.records import UND


class Ip(UrlClassifier):
    """DNS gives the address, ``hosting`` its country, Table I the language. Needs no training.

    ``hosting`` is the path of an ``.mmdb`` database or, to choose name servers and time-outs, a
    :class:`~linksight.features.hosting.HostingCountries`.
    """

    algorithm = "ip"
    looks_up = True
    needs_training = False

    def __init__(
        self, *, language: str | None = None, hosting: HostingCountries | str | os.PathLike[str] | None = None,
        table: str = "paper", seed: int = 0,
    ) -> None:  # fmt: skip
        self.language = language
        self.hosting = hosting
        self.table = table
        self.seed = seed

    features = FeatureSet(())

    def check_parameters(self) -> None:
        languages_of_table(self.language, self.table)
        if self.hosting is None:
            raise BadConfig(
                f"{self.algorithm} needs hosting= (--hosting), an .mmdb database from address to country"
            )

    def fit(self, urls: Any = None, languages: Any = None) -> Ip:
        """Nothing is learnt but, without ``language``, which languages there are."""
        self.check_parameters()
        if self.language is None and languages is not None:
            super().fit(urls, languages)
        else:
            self.features_ = self.features
            numbers = None if languages is None else self._numbers(as_list(languages))
            self._set_languages(languages_of_table(self.language, self.table))
            self._answer_in(numbers)
        return self

    def _learn(self, urls: list[Any], targets: NDArray[np.int64], n_classes: int) -> None:
        pass

    def _check_fitted(self) -> None:
        if not self.is_fitted:
            self.fit()

    def _hosting(self) -> HostingCountries:
        if not isinstance(self.hosting, HostingCountries):
            self.check_parameters()
            if not hasattr(self, "hosting_"):
                self.hosting_ = HostingCountries(self.hosting or "")
            return self.hosting_
        return self.hosting

    def _scores(self, urls: list[Any]) -> NDArray[np.float64]:
        addresses = parsed(urls)
        hosts = [url.host for url in addresses if url is not None]
        countries = dict(zip(hosts, self._hosting().countries(hosts), strict=True))
        spoken = [
            language_of_country(countries[url.host], self.table) if url is not None else UND
            for url in addresses
        ]
        hits = np.array(spoken, dtype=str)[:, np.newaxis] == np.array(self.languages_)[np.newaxis]
        scores: NDArray[np.float64] = hits - 0.5
        return scores

    def _answers(self, scores: NDArray[np.float64]) -> NDArray[np.str_]:
        if self.language is None:
            return np.where(scores.max(axis=1) > 0, super()._answers(scores), UND)
        return super()._answers(scores)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {}, {}

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        pass

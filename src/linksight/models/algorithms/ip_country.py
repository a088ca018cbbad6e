"""Baseline by hosting: the country of the server determines the language."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.errors import BadConfig
from linksight.features import FeatureSet
from linksight.features.geo import HostingCountries
from linksight.features.url_buffer import parsed
from linksight.models.algorithms.country_tables import LookUp, language_of_country, languages_of_table
from linksight.results import UND


class Ip(LookUp):
    """DNS gives the address, ``hosting`` its country, Table I the language. Needs no training.

    ``hosting`` is the path of an ``.mmdb`` database or, to choose name servers and time-outs, a
    :class:`~linksight.features.geo.HostingCountries`.
    """

    algorithm = "ip"
    features = FeatureSet(())  # nothing of the address but its host is read

    def __init__(
        self, *, language: str | None = None, hosting: HostingCountries | str | os.PathLike[str] | None = None,
        table: str = "paper", seed: int = 0,
    ) -> None:  # fmt: skip
        self.language = language
        self.hosting = hosting
        self.table = table
        self.seed = seed

    def check_parameters(self) -> None:
        languages_of_table(self.language, self.table)
        if self.hosting is None:
            raise BadConfig(
                f"{self.algorithm} needs hosting= (--hosting), an .mmdb database from address to country"
            )

    def _hosting(self) -> HostingCountries:
        """The hosting countries; opens a database path once."""
        self.check_parameters()
        if isinstance(self.hosting, HostingCountries):
            return self.hosting
        if not hasattr(self, "hosting_"):
            self.hosting_ = HostingCountries(self.hosting or "")
        return self.hosting_

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

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {}, {}

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Nothing was learnt."""

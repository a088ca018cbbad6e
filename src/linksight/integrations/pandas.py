"""Languages of URLs in pandas; importing this module adds the accessor ``linksight`` to series.

>>> import pandas, linksight.pandas
>>> pandas.Series(["https://www.lemonde.fr/economie/"], index=["a"]).linksight.language()
a    fr
Name: language, dtype: str
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from linksight.integrations.columns import ColumnModel

if TYPE_CHECKING:
    from linksight.url_model.model import UrlLanguageModel


@pd.api.extensions.register_series_accessor("linksight")  # type: ignore[untyped-decorator, unused-ignore]
class UrlSeries:
    """``frame["url"].linksight``: answers have the index of the URLs."""

    def __init__(self, urls: pd.Series) -> None:
        self._urls = urls

    def detect(
        self, model: UrlLanguageModel | str | os.PathLike[str] | None = None, *, languages: Iterable[str] | str | None = None,
        priors: Mapping[str, float] | None = None,
    ) -> pd.DataFrame:  # fmt: skip
        """A frame with language, probability and problem: ``frame.join(frame["url"].linksight.detect())``."""
        found = ColumnModel.of(model, languages, priors).table(self._urls)
        return found.to_pandas().set_index(self._urls.index)

    def language(
        self, model: UrlLanguageModel | str | os.PathLike[str] | None = None, *, languages: Iterable[str] | str | None = None,
        priors: Mapping[str, float] | None = None,
    ) -> pd.Series:  # fmt: skip
        """The language of each URL, ``und`` in doubt."""
        return self.detect(model, languages=languages, priors=priors)["language"]

    def probability(
        self, model: UrlLanguageModel | str | os.PathLike[str] | None = None, *, languages: Iterable[str] | str | None = None,
        priors: Mapping[str, float] | None = None,
    ) -> pd.Series:  # fmt: skip
        """The probability of the likeliest language of each URL."""
        return self.detect(model, languages=languages, priors=priors)["probability"]

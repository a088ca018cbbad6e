"""Languages of URLs as Polars expressions; importing this module adds the namespace ``linksight``.

>>> import polars, linksight.polars
>>> df = polars.DataFrame({"url": ["https://www.lemonde.fr/economie/"]})
>>> df.select(polars.col("url").linksight.language())["url"].to_list()
['fr']
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from linksight.integrations.columns import ColumnModel

if TYPE_CHECKING:
    from linksight.url_model.model import UrlLanguageModel

_TYPES = {"language": pl.String, "probability": pl.Float32, "problem": pl.String}


@pl.api.register_expr_namespace("linksight")
class UrlExpressions:
    """``polars.col("url").linksight``: eager and lazy, also in streaming queries."""

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def language(
        self, model: UrlLanguageModel | str | os.PathLike[str] | None = None, *, languages: Iterable[str] | str | None = None,
        priors: Mapping[str, float] | None = None,
    ) -> pl.Expr:  # fmt: skip
        """The language of each URL, ``und`` in doubt."""
        return self._column("language", ColumnModel.of(model, languages, priors))

    def probability(
        self, model: UrlLanguageModel | str | os.PathLike[str] | None = None, *, languages: Iterable[str] | str | None = None,
        priors: Mapping[str, float] | None = None,
    ) -> pl.Expr:  # fmt: skip
        """The probability of the likeliest language of each URL."""
        return self._column("probability", ColumnModel.of(model, languages, priors))

    def detect(
        self, model: UrlLanguageModel | str | os.PathLike[str] | None = None, *, languages: Iterable[str] | str | None = None,
        priors: Mapping[str, float] | None = None,
    ) -> pl.Expr:  # fmt: skip
        """Language, probability and problem of each URL as a struct; ``.struct.unnest()`` makes columns of it."""
        prepared = ColumnModel.of(model, languages, priors)

        def score(urls: pl.Series) -> pl.Series:
            table: Any = pl.from_arrow(prepared.table(urls))
            structs: pl.Series = table.to_struct(urls.name)
            return structs

        return self._expression.map_batches(score, return_dtype=pl.Struct(_TYPES), is_elementwise=True)

    def _column(self, name: str, prepared: ColumnModel) -> pl.Expr:
        def score(urls: pl.Series) -> pl.Series:
            return pl.Series(urls.name, prepared.column(urls, name), dtype=_TYPES[name])

        return self._expression.map_batches(score, return_dtype=_TYPES[name], is_elementwise=True)

"""The URL model with its options, applied to one column; shared by DuckDB, Polars and pandas."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from linksight.url_model.model import UrlLanguageModel


@dataclass(frozen=True)
class ColumnModel:
    """A model, the languages that it may predict, and their base rates."""

    model: UrlLanguageModel
    languages: tuple[str, ...] | str | None = None
    priors: Mapping[str, float] | None = None

    @classmethod
    def of(
        cls,
        model: UrlLanguageModel | str | os.PathLike[str] | None = None,
        languages: Iterable[str] | str | None = None,
        priors: Mapping[str, float] | None = None,
    ) -> ColumnModel:
        """Load the model and check the options, before any row is read."""
        import linksight

        loaded = linksight.load(model) if model is None or isinstance(model, str | os.PathLike) else model
        wanted = languages if languages is None or isinstance(languages, str) else tuple(languages)
        column_model = cls(loaded, wanted, priors)
        column_model.table([])  # validates the options
        return column_model

    def table(self, urls: Any) -> pa.Table:
        """Language, probability and problem of each URL."""
        return self.model.predict_table(urls, languages=self.languages, priors=self.priors)

    def column(self, urls: Any, name: str) -> pa.Array:
        """One column of :meth:`table`, as an Arrow array in one piece."""
        return self.table(urls)[name].combine_chunks()

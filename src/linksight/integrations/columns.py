"""The URL model with its options, over one column at a time: what DuckDB, Polars and pandas share."""

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
    """A model, the languages that it may answer, and their base rates."""

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
        made = cls(loaded, wanted, priors)
        made.table([])
        return made

    def table(self, urls: Any) -> pa.Table:
        """Language, probability and problem of each URL."""
        return self.model.predict_table(urls, languages=self.languages, priors=self.priors)

    def column(self, urls: Any, name: str) -> pa.Array:
        """One column of :meth:`table`, as an Arrow array in one piece."""
        return self.table(urls)[name].combine_chunks()

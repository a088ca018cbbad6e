"""Languages of URLs as SQL functions in DuckDB.

>>> import duckdb, linksight.duckdb
>>> con = duckdb.connect()
>>> linksight.duckdb.register(con)
>>> con.sql("SELECT url_language('https://www.lemonde.fr/economie/')").fetchall()
[('fr',)]
>>> con.close()
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from linksight.integrations.columns import ColumnModel

if TYPE_CHECKING:
    from linksight.url_model.model import UrlLanguageModel

_FUNCTIONS = {"url_language": ("language", "VARCHAR"), "url_language_probability": ("probability", "FLOAT")}


def register(
    connection: Any,
    model: UrlLanguageModel | str | os.PathLike[str] | None = None,
    *,
    languages: Iterable[str] | str | None = None,
    priors: Mapping[str, float] | None = None,
) -> None:
    """Add ``url_language(url)`` and ``url_language_probability(url)`` to a connection; NULL gives NULL.

    ``model`` is a loaded model or a file, ``languages`` restricts the answers, ``priors`` are base rates. Calling it
    again replaces the functions.
    """
    prepared = ColumnModel.of(model, languages, priors)
    for name, (column, kind) in _FUNCTIONS.items():
        _remove(connection, name)
        connection.create_function(name, _make_function(prepared, column), ["VARCHAR"], kind, type="arrow")


def _make_function(prepared: ColumnModel, column: str) -> Any:
    return lambda urls: prepared.column(urls, column)


def _remove(connection: Any, name: str) -> None:
    known = connection.execute("SELECT count(*) FROM duckdb_functions() WHERE function_name = ?", [name])
    if known.fetchall()[0][0]:
        connection.remove_function(name)

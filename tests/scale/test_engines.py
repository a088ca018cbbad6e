"""pandas, Polars, DuckDB and Arrow columns, as the docs show them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import linksight
from linksight.errors import BadData

URLS = [
    "http://www.zeitung.de/politik",
    "https://www.lemonde.fr/economie/",
    None,
    "mailto:a@b.org",
    "https://www.volkskrant.nl/nieuws",
]
LANGUAGES = ["de", "fr", "und", "und", "nl"]


def columns() -> dict[str, Any]:
    import numpy
    import pandas
    import polars

    text = pa.array(["unseen", *URLS])
    return {
        "list": URLS,
        "numpy": numpy.array(URLS, dtype=object),
        "pandas objects": pandas.Series(URLS, dtype=object),
        "pandas default": pandas.Series(URLS),
        "pandas arrow": pandas.Series(URLS, dtype=pandas.ArrowDtype(pa.string())),
        "polars": polars.Series(URLS),
        "polars sliced": polars.Series(["unseen", *URLS])[1:],
        "arrow slice": text.slice(1),
        "arrow large": text.slice(1).cast(pa.large_string()),
        "arrow view": pa.array(URLS, pa.string_view()),
        "arrow dictionary": pa.array(URLS).dictionary_encode(),
        "arrow chunked": pa.chunked_array([URLS[:2], URLS[2:]]),
    }


@pytest.mark.parametrize("name", columns())
def test_columns_of_every_engine(name):
    found = linksight.load().predict_table(columns()[name])
    assert found["language"].to_pylist() == LANGUAGES
    assert found["problem"].null_count == 3


def test_a_column_of_numbers_is_refused():
    with pytest.raises(BadData, match="must hold text"):
        linksight.load().predict_table(pa.array([1, 2]))


def test_duckdb_relation_and_function():
    import duckdb

    model, table = linksight.load(), pa.table({"n": range(5), "url": URLS})
    db = duckdb.connect()
    found = table.append_column("language", model.predict_table(table["url"])["language"])  # noqa: F841 (SQL reads it)
    assert db.sql("SELECT language FROM found ORDER BY n").fetchall() == [(code,) for code in LANGUAGES]
    db.create_function(
        "language_of", lambda urls: model.predict_table(urls)["language"].combine_chunks(), ["VARCHAR"], "VARCHAR", type="arrow"
    )  # fmt: skip
    rows = db.sql('SELECT language_of(url) FROM "table" WHERE url IS NOT NULL ORDER BY n').fetchall()
    db.close()
    assert rows == [(code,) for code, url in zip(LANGUAGES, URLS, strict=True) if url]

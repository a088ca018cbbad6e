"""What is taken for a column of URLs, and what is refused, however many rows there are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pytest

import linksight
from linksight.errors import BadConfig, BadData
from linksight.models import make_classifier
from linksight.urls.arrow_input import arrow_chunks

FRENCH = b"https://www.lemonde.fr/economie/"
MANY = 2_500  # enough for compiled code


@pytest.fixture(scope="module")
def model():
    return linksight.load()


@pytest.fixture(scope="module")
def patterns():
    return linksight.learn_patterns(
        [[f"http://a.nl/x/{20 * hub + i}" for i in range(20)] for hub in range(4)]
    )


@pytest.mark.parametrize("n", [3, MANY])
def test_columns_of_bytes_are_text(model, n):
    learnt = make_classifier("nb", features="words").fit(
        pa.array([FRENCH, b"http://krant.nl/"]), ["fr", "nl"]
    )
    for column in (
        np.array([FRENCH] * n),
        pa.array([FRENCH] * n),
        pa.array([FRENCH] * n, pa.large_binary()),
        pa.array([FRENCH] * n, pa.binary(len(FRENCH))),
        pl.Series([FRENCH] * n),
        pandas.Series([FRENCH] * n, dtype=pandas.ArrowDtype(pa.binary())),
    ):
        assert set(model.predict(column)) == {"fr"}
        assert set(learnt.predict(column)) == {"fr"}
    assert model.predict(pa.array([FRENCH, b"\xff", None] * n))[:3] == ["fr", "und", "und"]


def test_a_list_needs_neither_arrow_nor_pandas():
    """Their imports would take most of the time and memory of the first answers of a process."""
    code = (
        "import sys, linksight; model = linksight.load(); urls = ['http://www.nu.nl/sport', None];"
        "assert model.predict(urls) == ['nl', 'und']; assert len(model.predict_proba(urls)) == 2;"
        "assert 'pyarrow' not in sys.modules;"
        "assert model.predict_table(urls, top_k=2).num_rows == model.predict_table(urls).num_rows == 2;"
        "assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


class Address(pa.ExtensionType):
    """Text under a name of somebody's own."""

    def __init__(self) -> None:
        super().__init__(pa.string(), "example.address")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> Address:
        return cls()


@pytest.mark.parametrize("n", [4, MANY])
def test_text_in_every_way_that_arrow_keeps_it(model, n):
    texts = pa.array([FRENCH.decode(), None, "https://www.nu.nl/sport", FRENCH.decode()] * (n // 4))
    expected = model.predict(texts)
    for column in (
        texts.cast(pa.string_view()),
        texts.cast(pa.binary_view()),
        texts.dictionary_encode(),
        texts.cast(pa.binary()).dictionary_encode(),
        pc.run_end_encode(texts),
        pa.ExtensionArray.from_storage(Address(), texts),
    ):
        assert model.predict(column) == expected, column.type
        assert model.predict(pa.chunked_array([column[:3], column[3:3], column[3:]])) == expected, column.type
    with pytest.raises(BadData, match="must hold text, not int64"):
        model.predict(pa.array([1, 2]).dictionary_encode())


@pytest.mark.parametrize(
    "kind", ["string[pyarrow]", pandas.ArrowDtype(pa.string()), pandas.ArrowDtype(pa.large_string())], ids=str
)
def test_columns_of_pandas_that_are_of_arrow_are_read_where_they_lie(kind):
    column = pandas.Series([FRENCH.decode(), None] * 3, dtype=kind)[1:]
    (chunk,) = arrow_chunks(column)
    (behind,) = column.array.__arrow_array__().chunks
    assert chunk.buffers()[2].address == behind.buffers()[2].address
    assert chunk.to_pylist() == [None, FRENCH.decode()] * 2 + [None]


@pytest.mark.parametrize(
    ("kind", "value"), [("category", FRENCH.decode()), (pandas.ArrowDtype(pa.binary()), FRENCH)]
)
def test_categories_and_bytes_of_pandas_are_read_as_those_of_arrow(model, kind, value):
    assert model.predict(pandas.Series([value, value], dtype=kind)) == ["fr", "fr"]


def test_numbers_of_arrow_in_pandas_are_refused_as_those_of_arrow(model):
    with pytest.raises(BadData, match="must hold text, not int64"):
        model.predict(pandas.Series([7, 8], dtype=pandas.ArrowDtype(pa.int64())))


@pytest.mark.parametrize("n", [1, MANY])
def test_bytes_in_a_list_are_no_text_however_long_the_list(model, n):
    found = model.predict_table([FRENCH, FRENCH.decode(), np.bytes_(FRENCH), 7] * n)
    assert found["language"].to_pylist()[:4] == ["und", "fr", "und", "und"]
    assert found["problem"].to_pylist()[-4:] == ["not text", None, "not text", "not text"]
    for odd in (bytearray(FRENCH), memoryview(FRENCH)):
        assert model.predict([odd, FRENCH.decode()] * n)[:2] == ["und", "fr"]


@pytest.mark.parametrize("n", [1, MANY])
def test_objects_of_polars_are_read_one_by_one(model, n):
    column = pl.Series([FRENCH.decode(), object()] * n, dtype=pl.Object)
    assert model.predict(column)[:2] == ["fr", "und"]


@pytest.mark.parametrize("n", [1, MANY])
def test_nothing_is_empty_in_every_kind_of_column(model, n):
    """As in files: a gap is no value of the wrong kind."""
    url = FRENCH.decode()
    for column in (
        pa.array([None, url, ""] * n),
        pa.chunked_array([[None, url], [""] + [None, url, ""] * (n - 1)]),
        pandas.Series([None, url, float("nan")] * n, dtype=object),
        pandas.Series([None, url, pandas.NA] * n, dtype="string", index=range(7, 7 + 3 * n)),
        pl.Series([None, url, ""] * n),
        np.array([None, url, float("nan")] * n, dtype=object),
        [None, url, pandas.NA] * n,
        pandas.Series([pandas.NaT, url, None] * n, dtype=object),
        np.ma.array([url, url, url] * n, mask=[True, False, True] * n),
        iter([None, url, float("nan")] * n),
    ):
        assert model.predict_table(column)["problem"].to_pylist()[-3:] == ["empty", None, "empty"]
    odd = model.predict_table(pa.array([None, b"\xff", FRENCH] * n))
    assert odd["problem"].to_pylist()[-3:] == ["empty", "not text", None]


NO_COLUMNS = [
    None,
    7,
    "http://a.nl/",
    b"http://a.nl/",
    bytearray(b"http://a.nl/"),
    memoryview(b"http://a.nl/"),
    Path("a.txt"),
    pa.scalar("http://a.nl/"),
    np.array("http://a.nl/"),
    np.array([["http://a.nl/", "http://b.nl/"]]),
    pl.DataFrame({"url": ["http://a.nl/"]}).lazy(),
    pandas.MultiIndex.from_tuples([("http://a.nl/", "http://b.nl/")]),
]


@pytest.mark.parametrize("given", NO_COLUMNS, ids=lambda given: type(given).__name__)
def test_what_is_no_column_is_refused(model, patterns, given):
    learnt = make_classifier("nb", features="words").fit(
        ["http://a.nl/een", "http://b.de/eins"], ["nl", "de"]
    )
    for ask in (model.predict, model.predict_proba, model.predict_table, patterns.match_all, learnt.predict):
        with pytest.raises(BadData):
            ask(given)


@pytest.mark.parametrize("given", [None, 7, "http://a.nl/", pl.DataFrame({"url": ["http://a.nl/"]})])
def test_what_holds_no_hubs_is_refused(given):
    with pytest.raises(BadData, match="each an iterable of URLs, not"):
        linksight.learn_patterns(given)


def test_nothing_is_learnt_from_no_web_address():
    with pytest.raises(BadData, match="not one web address in 2 rows, the first is None"):
        make_classifier("nb", features="words").fit([None, "mailto:a@b.nl"], ["de", "nl"])


def test_base_rates_are_taken_wherever_languages_are(model):
    url = "https://www.voorbeeld.org/index"
    rates = {"fy": 0.999}
    wanted = model.with_priors(rates)
    assert linksight.detect(url, priors=rates) == model.detect(url, priors=rates) == wanted.detect(url)
    assert model.detect(url, priors=rates, explain=True).reasons
    assert model.predict([url], priors=rates) == wanted.predict([url]) != model.predict([url])
    assert model.predict_table([url], priors=rates) == wanted.predict_table([url])


@pytest.mark.parametrize("priors", [["nl"], "nl=0.5", {"nl": "much"}, {"nl": None}, {"nl": 2}, {"kv": 0.1}])
def test_base_rates_that_are_none_are_refused(model, priors):
    with pytest.raises(BadConfig):
        model.detect("https://www.nu.nl/", priors=priors)


def test_a_stream_of_tables_is_refused_by_its_columns(model):
    table = pa.table({"id": [1], "url": ["http://a.nl/"]})
    for stream in (table.to_reader(), pyarrow.dataset.dataset(table)):
        with pytest.raises(BadData, match="take one of its columns: id, url"):
            model.predict(stream)

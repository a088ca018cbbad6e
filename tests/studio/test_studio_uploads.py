"""Files of URLs that people drop: every kind, and what is no such file."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from linksight.bulk.row_block import Block
from linksight.errors import BadData
from linksight.studio.services import extra_columns
from linksight.studio.services.extra_columns import ExtraColumns
from linksight.studio.services.upload_limits import TableLimits
from linksight.studio.services.uploads import from_file

LIMITS = TableLimits(10, 1 << 20)


def read(data: bytes, *settings: Any) -> pa.ChunkedArray:
    """The URLs of a file as a form hands it over: in memory, and on disk once another process reads it."""
    with tempfile.SpooledTemporaryFile(1 << 20) as file:
        file.write(data)
        file.seek(0)
        return from_file(file, *settings)


URLS = ["http://www.zeitung.de/politik", "https://www.nu.nl/sport"]


def parquet(**columns: list[object]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def twins() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table([URLS, [1, 2], [3, 4]], names=["url", "n", "n"]), sink)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", "\r\n".join(URLS).encode()),
        ("a.csv", f"id,Link\n1,{URLS[0]}\n2,{URLS[1]}\n".encode()),
        ("a.tsv", f"text\tn\n{URLS[0]}\t1\n{URLS[1]}\t2\n".encode()),
        ("a.jsonl", "\n".join(json.dumps({"n": 1, "href": url}) for url in URLS).encode()),
        ("a.csv.gz", gzip.compress(f"url\n{URLS[0]}\n{URLS[1]}\n".encode())),
        ("a.parquet", parquet(n=[1, 2], address=URLS)),
        ("noname", "\n".join(URLS).encode()),
    ],
)
def test_every_kind_of_file(name, data):
    assert read(data, name, LIMITS).to_pylist() == URLS


def test_lines_that_are_no_json_are_rows_without_a_url():
    """A lone null once ended the process: Arrow's own reader crashes on it."""
    data = b'null\n{"url": "http://a.nl/"}\n{"url": 7}\n'
    assert read(data, "a.jsonl", LIMITS).to_pylist() == [None, "http://a.nl/", None]


def test_a_table_without_names_is_read_all_the_same():
    """Nobody at a browser can give an option of the command."""
    beside = ExtraColumns()
    found = read(b"7,http://a.nl/\n8,http://b.de/\n", "a.csv", LIMITS, beside)
    assert found.to_pylist() == ["http://a.nl/", "http://b.de/"]
    assert beside.table().column_names == ["column_1", "column_2"]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.parquet", b"PAR1 not", "not a Parquet file"),
        ("a.parquet", parquet(n=[1, 2]), "no column of URLs"),
        ("a.parquet", twins(), "two columns are named 'n'"),
        ("a.csv", b"url,n,n\nhttp://a.nl/,1,2\n", "two columns are named 'n'"),
        ("a.txt", b"", "no URLs in it"),
        ("a.csv.gz", gzip.compress(b"url\nhttp://a.nl/\n" * 3)[:-9], "cannot be read"),
        ("a.txt", b"http://a.nl/\n" * 11, "more than the 10 rows"),
    ],
)
def test_what_is_no_such_file_is_named_with_the_reason(name, data, reason):
    with pytest.raises(BadData, match=reason):
        read(data, name, LIMITS)


def block_of(**columns: object) -> Block:
    return Block("a", pa.table(columns))


def test_columns_are_joined_over_blocks_that_disagree():
    beside = ExtraColumns()
    for block in (block_of(url=["a"], n=[1]), block_of(url=["b"], n=[2.5], new=["x"]), block_of(url=["c"])):
        beside.add(block, block.table().column_names)
    table = beside.table()
    assert table is not None
    assert table.to_pydict() == {"url": ["a", "b", "c"], "n": ["1", "2.5", None], "new": [None, "x", None]}


def test_a_file_of_one_column_has_no_companions():
    beside = ExtraColumns()
    read(b"url\nhttp://a.nl/\n", "a.csv", LIMITS, beside)
    assert (beside.table(), beside.left_out) == (None, "")


def test_companions_that_are_too_large_are_let_go(monkeypatch):
    monkeypatch.setattr(extra_columns, "MAX_BYTES", 1 << 20)
    beside = ExtraColumns()
    for _ in range(3):
        beside.add(block_of(url=["a"], text=["x" * 600_000]), ["url", "text"])
    assert (beside.table(), beside.left_out) == (None, "they are larger than 1 MiB")


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.tsv"])
def test_a_file_that_is_not_utf8_is_told_of(visitor, name):
    """Its letters are lost, and the page showed it without a word."""
    for encoding, told in (("latin-1", True), ("utf-8", False)):
        rows = "url\nhttp://www.lemonde.fr/société\nhttp://www.lemonde.fr/économie\n".encode(encoding)
        shown = visitor.submit("/inspector", {}, files={"file": (name, rows)}).text
        assert ("Not all of the file is UTF-8" in shown) == told, encoding
        assert ("économie" in shown) == (not told)


TYPES = {
    "string_view": pa.array(["=1+1", "-2.5"], pa.string_view()),
    "binary_view": pa.array([b"=1+1", b"-2.5"], pa.binary_view()),
    "fixed_binary": pa.array([b"=1+1", b"-2.5"], pa.binary(4)),
    "large_binary": pa.array([b"=1+1", b"-2.5"], pa.large_binary()),
    "coded": pa.array(["=1+1", "-2.5"]).dictionary_encode(),
}


@pytest.mark.parametrize("kind", TYPES)
def test_a_column_of_any_type_is_handed_back_and_no_formula_in_a_spreadsheet(kind):
    given = pa.table({"url": URLS, "x": TYPES[kind]})
    none = pa.nulls(2, pa.string())
    rows = pa.table({"row": [2, 1], "language": ["nl", "de"], "probability": [0.9, 0.8], "problem": none})
    found = {}
    for form in ("csv", "jsonl", "parquet"):
        sink = io.BytesIO()
        extra_columns.write_labelled(rows, given, form, sink)
        found[form] = sink.getvalue()
    assert [row["x"] for row in csv.DictReader(io.StringIO(found["csv"].decode()))] == ["-2.5", "'=1+1"]
    assert [json.loads(line)["x"] for line in found["jsonl"].splitlines()] == ["-2.5", "=1+1"]
    assert pq.read_table(io.BytesIO(found["parquet"]))["x"].type == given["x"].type


def test_a_day_at_infinity_beside_the_urls_is_no_bug():
    data = parquet(day=pa.array([2**31 - 1, 0], pa.date32()), address=URLS)
    assert read(data, "a.parquet", LIMITS).to_pylist() == URLS

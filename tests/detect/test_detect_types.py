"""Columns of every type that other engines write: they are kept in each kind of output."""

from __future__ import annotations

import csv
import io
import json
import uuid
from datetime import date

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from linksight.bulk.formats.arrow_values import values_of

DUTCH = "https://www.nu.nl/sport"
KEY = uuid.UUID("00000000-0000-4000-8000-000000000007")
BYTES = b"\xff\x00a"
ODD = {
    "large_binary": (pa.array([BYTES, None], pa.large_binary()), "\ufffd\0a"),
    "binary_view": (pa.array([BYTES, None], pa.binary_view()), "\ufffd\0a"),
    "fixed_binary": (pa.array([BYTES, None], pa.binary(3)), "\ufffd\0a"),
    "coded_binary": (pa.array([BYTES, None], pa.binary()).dictionary_encode(), "\ufffd\0a"),
    "coded_text": (pa.array(["é", None]).dictionary_encode(), "é"),
    "infinity": (pa.array([2**31 - 1, None], pa.date32()), "<value out of range: 2147483647>"),
    "far_day": (pa.array([3_000_000, None], pa.date32()), "10183-09-21"),
    "old_second": (pa.array([-(2**36) * 1000, None], pa.timestamp("ms")), "-0208-05-13 16:27:44.000"),
}
if hasattr(pa, "json_"):  # types that older Arrow reads as what they are kept in
    ODD |= {
        "uuid": (pa.array([KEY.bytes, None], pa.uuid()), str(KEY)),
        "json": (pa.array(['{"a": 1}', None], pa.json_()), '{"a": 1}'),
    }


@pytest.fixture(params=ODD)
def odd(request, tmp_path):
    """A file with a column of an unusual type, and what its first value is as text."""
    column, text = ODD[request.param]
    path = tmp_path / "odd.parquet"
    pq.write_table(pa.table({"url": [DUTCH, None], "x": column}), path)
    return path, text


def test_json_lines_have_it_as_text(run, odd):
    path, text = odd
    found = run("-i", path)
    assert found.is_done, found.output
    assert [json.loads(line)["x"] for line in found.stdout.splitlines()] == [text, None]


def test_csv_has_it_as_text(run, odd):
    path, text = odd
    found = run("-i", path, "--format", "csv")
    assert found.is_done, found.output
    assert [row["x"] for row in csv.DictReader(io.StringIO(found.stdout))] == [text, ""]


def test_explanations_have_it_as_text(run, odd):
    path, text = odd
    found = run("-i", path, "--explain", "--format", "jsonl")
    assert found.is_done, found.output
    assert json.loads(found.stdout.splitlines()[0])["x"] == text


def test_parquet_has_it_as_it_was(run, odd, tmp_path):
    path, _ = odd
    assert run("-i", path, "-o", tmp_path / "o.parquet").is_done
    assert run("-i", path, "--split-by-language", tmp_path / "by").is_done
    given = pq.read_table(path)["x"]
    assert pq.read_table(tmp_path / "o.parquet")["x"].equals(given)
    assert pq.read_table(tmp_path / "by/nl.parquet")["x"].equals(given.slice(0, 1))


def test_lists_and_structs_in_csv_are_json_that_everybody_reads(run, tmp_path):
    table = pa.table({"url": [DUTCH], "x": [{"a": float("nan"), "b": ["é", BYTES.decode("latin1")]}]})
    pq.write_table(table, tmp_path / "a.parquet")
    found = run("-i", tmp_path / "a.parquet", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(found.stdout))
    assert row["x"].startswith('{"a": null, "b": ["é"')


def test_a_day_that_python_has_not_changes_no_other_and_is_null_in_a_list():
    assert values_of(pa.array([0, 2**31 - 1], pa.date32()))[0] == date(1970, 1, 1)
    assert values_of(pa.array([[0], [2**31 - 1]], pa.list_(pa.date32()))) == [[date(1970, 1, 1)], None]

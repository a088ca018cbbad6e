"""The schema metadata of other programs is kept where it stays valid."""

from __future__ import annotations

import json

import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from linksight.bulk.readers import shared_metadata

URLS = ["https://www.nu.nl/sport", "https://www.lemonde.fr/economie/", "http://www.zeitung.de/politik"]
GEO = json.dumps({"version": "1.1.0", "primary_column": "place", "columns": {}}).encode()


def noted(path):
    return pq.read_metadata(path).metadata


def write(path, notes, **columns):
    table = pa.table({"url": URLS} | columns)
    pq.write_table(table.replace_schema_metadata(notes), path)
    return path


def test_notes_are_kept(run, tmp_path):
    path = write(tmp_path / "in.parquet", {b"geo": GEO, b"org.apache.spark.version": b"3.5.0"})
    assert run("-i", path, "-o", tmp_path / "o.parquet").is_done
    found = noted(tmp_path / "o.parquet")
    assert (found[b"geo"], found[b"org.apache.spark.version"]) == (GEO, b"3.5.0")
    assert pq.read_schema(tmp_path / "o.parquet").metadata[b"geo"] == GEO


def test_a_frame_gets_its_index_back(run, tmp_path):
    index = pandas.Index(["a", "b", "c"], name="key")
    pandas.DataFrame({"url": URLS}, index=index).to_parquet(tmp_path / "in.parquet")
    assert run("-i", tmp_path / "in.parquet", "-o", tmp_path / "o.parquet").is_done
    frame = pandas.read_parquet(tmp_path / "o.parquet")
    assert (list(frame.index), frame.index.name) == (["a", "b", "c"], "key")
    assert list(frame.columns) == ["url", "language", "probability", "problem"]


def test_files_by_language_and_standard_output_keep_them(run, tmp_path):
    path = write(tmp_path / "in.parquet", {b"geo": GEO})
    assert run("-i", path, "--split-by-language", tmp_path / "by").is_done
    assert noted(tmp_path / "by/nl.parquet")[b"geo"] == GEO
    piped = run("-i", path, "--format", "parquet")
    assert pq.read_table(pa.BufferReader(piped.stdout_bytes)).schema.metadata[b"geo"] == GEO


def test_of_several_files_what_all_say_alike_is_kept(run, tmp_path):
    write(tmp_path / "a.parquet", {b"by": b"me", b"geo": GEO})
    write(tmp_path / "b.parquet", {b"by": b"me", b"geo": b"{}"})
    assert run("-i", tmp_path / "*.parquet", "-o", tmp_path / "o.parquet").is_done
    found = noted(tmp_path / "o.parquet")
    assert (found[b"by"], found.get(b"geo")) == (b"me", None)


def test_a_list_of_all_columns_is_not_kept_since_some_are_added(run, tmp_path):
    spark = b'{"type":"struct","fields":[{"name":"url","type":"string","nullable":true,"metadata":{}}]}'
    path = write(tmp_path / "in.parquet", {b"org.apache.spark.sql.parquet.row.metadata": spark})
    assert run("-i", path, "-o", tmp_path / "o.parquet").is_done
    assert b"org.apache.spark.sql.parquet.row.metadata" not in noted(tmp_path / "o.parquet")


@pytest.mark.parametrize("columns", [[0, 1], pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y")])])
def test_frames_whose_names_are_no_texts_are_still_read(run, tmp_path, columns):
    frame = pandas.DataFrame([[url, 1] for url in URLS], columns=columns)
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "in.parquet")
    name = pq.read_schema(tmp_path / "in.parquet").names[0]
    assert run("-i", tmp_path / "in.parquet", "--column", name, "-o", tmp_path / "o.parquet").is_done
    assert list(pandas.read_parquet(tmp_path / "o.parquet")["language"]) == ["nl", "fr", "de"]


@pytest.mark.parametrize("note", [b"", b"[]", b"{}", b"\xff", b'{"column_indexes": [7]}', b"[" * 99_999])
def test_a_note_of_pandas_that_is_none_is_left_out(note):
    assert shared_metadata([{b"pandas": note, b"by": b"me"}]) == {b"by": b"me"}

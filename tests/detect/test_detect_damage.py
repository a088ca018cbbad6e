"""Files and rows that are not what they should be."""

from __future__ import annotations

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.usefixtures("small_blocks")


def test_damaged_row_group(run, tmp_path, big):
    data = bytearray(big.read_bytes())
    place = pq.ParquetFile(big).metadata.row_group(5).column(1).data_page_offset
    data[place : place + 40] = b"\xff" * 40
    big.write_bytes(data)
    result = run("-i", big, "-o", tmp_path / "o.parquet")
    assert result.exit_code == 1
    assert "big.parquet: row group 5 is damaged" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big.parquet"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("t.parquet", b"PAR1 and nothing more", "not a Parquet file, or cut short"),
        ("t.parquet", b"", "not a Parquet file, or cut short"),
        ("t.csv", b"", "empty file"),
        ("t.csv", b"a,b\n1,2\n", "no column 'url'"),
        ("t.csv", b"url,url\n1,2\n", "two columns are named 'url'"),
        ("t.txt", b"", "no rows in the input"),
        ("t.txt.gz", b"\x1f\x8b\x08 not gzip after all", "cannot be read as text"),
        ("t.jsonl.zst", b"\x28\xb5\x2f\xfd broken", "cannot be read as jsonl"),
    ],
)
def test_files_that_are_no_tables(run, tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    result = run("-i", tmp_path / name, "-o", tmp_path / "o.jsonl")
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_column_of_numbers_is_an_error_and_mixed_types_are_rows(run, tmp_path, tables):
    pq.write_table(pa.table({"url": [1, 2]}), tmp_path / "n.parquet")
    assert "column 'url' holds int64, not text" in run("-i", tmp_path / "n.parquet").stderr
    (tmp_path / "m.jsonl").write_text(
        '{"url": "http://www.zeitung.de/politik"}\n{"url": 5}\nnope\n{"url": ["a"]}\n'
    )
    result = run("-i", tmp_path / "m.jsonl", "-o", tmp_path / "o.csv")
    assert "3 could not be used: not text 2, not a JSON object 1" in result.stderr
    assert [row["language"] for row in tables.read(tmp_path / "o.csv")] == ["de", "und", "und", "und"]
    assert run("-i", tmp_path / "m.jsonl", "-o", tmp_path / "o.jsonl").is_done
    assert tables.read(tmp_path / "o.jsonl")[1]["url"] == 5


def test_rows_with_too_many_fields_and_foreign_bytes_are_counted(run, tmp_path, tables):
    (tmp_path / "t.csv").write_bytes(
        b"url,x\nhttp://www.zeitung.de/politik,1\na,b,c\nhttp://caf\xe9.fr/economie,2\n"
    )
    result = run("-i", tmp_path / "t.csv", "-o", tmp_path / "o.csv")
    assert "wrong number of fields 1" in result.stderr
    assert [row["language"] for row in tables.read(tmp_path / "o.csv")] == ["de", "und", "fr"]


@pytest.mark.parametrize("block", [7, 1 << 16])
def test_a_row_may_have_too_many_fields_and_foreign_bytes_at_once(run, tmp_path, tables, monkeypatch, block):
    # Letters lie across the ends of what is read.
    monkeypatch.setattr("linksight.bulk.formats.csv._HEAD_BYTES", block)
    rows = [
        b"http://a\xe9.de/,1,2",
        b"\xff,\xe2\x82",
        "http://www.zeitung.de/\u20ac,\u20ac".encode(),
        b"\xe2\x82",
    ]
    (tmp_path / "t.csv").write_bytes(b"\n".join([b"url,x", *rows]))
    result = run("-i", tmp_path / "t.csv", "-o", tmp_path / "o.csv")
    assert result.is_done
    assert "wrong number of fields 2, not in its encoding 1" in result.stderr
    assert [row["url"] for row in tables.read(tmp_path / "o.csv")] == [
        "http://a\ufffd.de/",
        "\ufffd",
        "http://www.zeitung.de/\u20ac",
        "\ufffd",
    ]


def test_a_row_without_an_end_is_told_and_nothing_else(tmp_path):
    """Arrow reads ahead in a thread of its own: Python may not end while that one asks it for more."""
    (tmp_path / "t.csv").write_bytes(b"url,b\nhttp://a.de/," + b"x" * 60_000_000 + b"\n")
    command = [sys.executable, "-m", "linksight", "detect", "-i", "t.csv", "--format", "csv"]
    for _ in range(3):
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (found.returncode, found.stderr.count("\n")) == (1, 1), found.stderr
        assert "quotation mark not closed, or a row of several megabytes" in found.stderr


def test_two_columns_of_one_name_are_named(run, tmp_path):
    twice = pa.table([pa.array(["http://a.de/"]), pa.array([1]), pa.array([2])], names=["url", "n", "n"])
    pq.write_table(twice, tmp_path / "t.parquet")
    for form in ("jsonl", "csv", "parquet"):
        result = run("-i", tmp_path / "t.parquet", "-o", tmp_path / f"o.{form}")
        assert (result.exit_code, "t.parquet: two columns are named 'n'" in result.stderr) == (1, True)


def test_a_mark_before_the_first_address_is_not_of_it(run, tmp_path, tables):
    (tmp_path / "t.txt").write_bytes(b"\xef\xbb\xbfhttp://www.zeitung.de/\nhttp://www.lemonde.fr/\n")
    assert run("-i", tmp_path / "t.txt", "-o", tmp_path / "o.csv").is_done
    rows = tables.read(tmp_path / "o.csv")
    assert [(row["url"], row["language"]) for row in rows] == [
        ("http://www.zeitung.de/", "de"),
        ("http://www.lemonde.fr/", "fr"),
    ]


def test_what_json_has_no_number_for_is_null(run, tmp_path):
    odd = [float("nan"), float("inf"), 1.5]
    columns = {"wide": pa.array(odd), "narrow": pa.array(odd, pa.float32()), "lists": pa.array([odd] * 3)}
    pq.write_table(pa.table({"url": ["http://www.zeitung.de/"] * 3, **columns}), tmp_path / "t.parquet")
    for options in ((), ("--explain",)):
        result = run("-i", tmp_path / "t.parquet", *options)
        rows = [json.loads(line, parse_constant=pytest.fail) for line in result.stdout.splitlines()]
        assert [row["wide"] for row in rows] == [row["narrow"] for row in rows] == [None, None, 1.5]
        assert rows[0]["lists"] == [None, None, 1.5]


def test_views_are_written_as_csv(run, tmp_path, tables):
    urls = ["http://www.zeitung.de/", None, "http://www.lemonde.fr/"]
    table = pa.table({"url": pa.array(urls, pa.string_view()), "b": pa.array([b"x"] * 3, pa.binary_view())})
    pq.write_table(table, tmp_path / "t.parquet")
    assert run("-i", tmp_path / "t.parquet", "-o", tmp_path / "o.csv").is_done
    rows = tables.read(tmp_path / "o.csv")
    assert [(row["b"], row["language"]) for row in rows] == [("x", "de"), ("x", "und"), ("x", "fr")]

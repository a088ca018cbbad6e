"""Text between delimiters: no row is lost, whatever stands between its fields and however many there are."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.bulk.readers import Reader
from linksight.bulk.sources import Source
from linksight.errors import BadData

GERMAN, DUTCH = "http://www.zeitung.de/politik", "https://www.volkskrant.nl/nieuws"


def labelled(run, path, *options):
    result = run("-i", path, "--format", "jsonl", *options)
    assert result.is_done, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()], result.stderr


# --- rows that do not fit -----------------------------------------------------------------------


def test_rows_of_a_wrong_number_of_fields_stay_in_their_places(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        f"id,adres,note\n1,{GERMAN},a\n2,{GERMAN}\n3,{DUTCH},b\n4,{DUTCH},c,d\n\n5\n6,{DUTCH},e\n7\n"
    )
    rows, told = labelled(run, path, "--column", "adres")
    assert [row["id"] for row in rows] == list("1234567")
    assert [row["language"] for row in rows] == ["de", "und", "nl", "und", "und", "nl", "und"]
    assert rows[1] | {} == {
        "id": "2", "adres": GERMAN, "note": None, "language": "und", "probability": 0.0,
        "problem": "wrong number of fields (row 3: 2 instead of 3)",
    }  # fmt: skip
    assert (rows[3]["note"], rows[4]["adres"]) == ("c,d", None)
    assert "7 rows: und 4" in told
    assert "4 could not be used: wrong number of fields 4" in told


@pytest.mark.parametrize("output", ["o.csv", "o.parquet", "o.jsonl"])
def test_they_are_in_files_of_every_kind(run, tmp_path, tables, output):
    (tmp_path / "t.csv").write_text(f"id,url\n1,{GERMAN}\n2\n3,{DUTCH},x\n")
    assert run("-i", tmp_path / "t.csv", "-o", tmp_path / output).is_done
    rows = tables.read(tmp_path / output)
    assert [(str(row["id"]), row["language"]) for row in rows] == [("1", "de"), ("2", "und"), ("3", "und")]
    assert [bool(row["problem"]) for row in rows] == [False, True, True]


def test_a_file_may_hold_nothing_else(run, tmp_path):
    (tmp_path / "t.csv").write_text("id,url\n" + "1,2,3\n" * 3)
    rows, _ = labelled(run, tmp_path / "t.csv")
    assert [row["problem"][:33] for row in rows] == [
        f"wrong number of fields (row {i}: 3 " for i in (2, 3, 4)
    ]


def test_a_file_of_very_many_of_them_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("linksight.bulk.formats.csv._MAX_UNFIT_ROWS", 100)
    source = Source("t.csv", "csv", 0, io.BytesIO(b"id,url\n" + b"1,2,3\n" * 101))
    with pytest.raises(BadData, match=r"t.csv: cannot be read as csv .*Expected 2 columns, got 3"):
        list(Reader([source]).blocks())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=200), st.integers(0, 220))
def test_every_row_comes_once_and_in_order(counts, skip):
    """However they lie across the blocks that are read, from any row on."""
    lines = [",".join([str(i), *"abcd"[: n - 1]]) for i, n in enumerate(counts)]
    data = "\n".join(["n,x,y", *lines]).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("linksight.bulk.formats.text_lines.CHUNK_BYTES", 64)
        patch.setattr("linksight.bulk.readers.BLOCK_ROWS", 16)
        blocks = list(Reader([Source("t.csv", "csv", 0, io.BytesIO(data))]).blocks(skip))
    numbers = [int(n) for block in blocks for n in block.columns["n"].to_pylist()]
    assert numbers == list(range(len(counts)))[skip:]
    unfit = [int(block.columns["n"][row].as_py()) for block in blocks for row in sorted(block.problems)]
    assert unfit == [i for i, n in enumerate(counts) if n != 3 and i >= skip]


# --- what stands between fields -----------------------------------------------------------------


@pytest.mark.parametrize("mark", [";", "\t", "|", ","])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz"])
def test_the_header_tells_the_delimiter(run, tmp_path, name, mark):
    import gzip

    out = io.StringIO()
    writer = csv.writer(out, delimiter=mark)
    writer.writerows([["id", "titel", "adres"], [1, f"a{mark}b, c", GERMAN], [4, "mail", "mailto:x@y.nl"]])
    data = ("\ufeff" + out.getvalue()).encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    rows, _ = labelled(run, tmp_path / name, "--column", "adres")
    assert [row["language"] for row in rows] == ["de", "und"]
    assert rows[0]["titel"] == f"a{mark}b, c"


def test_excel_may_say_it_in_a_line_of_its_own(run, tmp_path):
    (tmp_path / "t.csv").write_text(f"sep=;\r\nid;url\r\n1;{GERMAN}\r\n2\r\n")
    rows, _ = labelled(run, tmp_path / "t.csv")
    assert [row["language"] for row in rows] == ["de", "und"]
    assert "(row 4:" in rows[1]["problem"]


def test_the_delimiter_can_be_given(run, tmp_path):
    (tmp_path / "t.csv").write_text(f"id:n^url\n1:2^{GERMAN}\n")
    rows, _ = labelled(run, tmp_path / "t.csv", "--delimiter", "^")
    assert rows[0]["id:n"] == "1:2"
    assert "--delimiter is one character" in run("-i", tmp_path / "t.csv", "--delimiter", "::").stderr


def test_addresses_without_a_header_are_not_cut_at_their_own_signs(run, tmp_path):
    (tmp_path / "one.csv").write_text(f"{GERMAN}/x;y\n{DUTCH}\n")
    rows, _ = labelled(run, tmp_path / "one.csv", "--no-header")
    assert [row["column_1"] for row in rows] == [f"{GERMAN}/x;y", DUTCH]
    (tmp_path / "two.csv").write_text(f"1;{GERMAN}\n2;{DUTCH}\n")
    rows, _ = labelled(run, tmp_path / "two.csv", "--no-header", "--column", "column_2")
    assert [row["language"] for row in rows] == ["de", "nl"]


def test_an_address_is_no_header(run, tmp_path):
    (tmp_path / "t.csv").write_text(f"{GERMAN}\n{DUTCH}\n")
    result = run("-i", tmp_path / "t.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "give --no-header" in result.stderr


# --- what is no table ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("t.xlsx", b"PK\x03\x04\x14\0\x06\0more", "not a text file but a spreadsheet or zip archive; save it as CSV"),
        ("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a spreadsheet of an old Excel"),
        ("t.csv", b"PK\x03\x04\x14\0\x06\0more", "save it as CSV"),
        ("t.csv", b"ARROW1\0\0\xff\xff\xff\xff", "not a text file but an Arrow file; give --from arrow"),
        ("t.arrow", b"ARROW1\0\0\xff\xff\xff\xff", "cannot be read as arrow"),
        ("t.avro", b"Obj\x01\x04\x16avro.schema", "not a text file but an Avro file; save it as Parquet"),
        ("t.txt", b"%PDF-1.7\n1 0 obj", "a PDF document"),
        ("t.csv", b"PAR1....", "give --from parquet"),
    ],
)  # fmt: skip
def test_what_is_no_text_is_refused(run, tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    result = run("-i", tmp_path / name)
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"{name}: " in result.stderr
    assert message in result.stderr


# --- several files ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_columns_that_differ_are_told_before_the_first_row(run, tmp_path, form):
    (tmp_path / "urls.txt").write_text(f"{GERMAN}\n")
    (tmp_path / "list.csv").write_text(f"id;url\n1;{DUTCH}\n")
    result = run("-i", tmp_path / "urls.txt", "-i", tmp_path / "list.csv", "--format", form)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "list.csv: column 'id' is not in the rows before" in result.stderr
    both = run("-i", tmp_path / "list.csv", "-i", tmp_path / "urls.txt", "--format", form)
    assert both.is_done


@pytest.mark.parametrize("name", ["out.tsv", "out.xlsx", "out"])
def test_a_name_that_tells_no_format_is_answered_with_those_that_do(run, tmp_path, name):
    (tmp_path / "urls.txt").write_text(f"{GERMAN}\n")
    result = run("-i", tmp_path / "urls.txt", "--out", tmp_path / name)
    assert result.exit_code == 2
    assert ".jsonl, .ndjson, .json, .csv, .parquet or .arrow" in result.stderr


def test_a_quotation_mark_that_is_never_closed_is_named(run, tmp_path, monkeypatch):
    monkeypatch.setattr("linksight.bulk.formats.text_lines.CHUNK_BYTES", 1 << 10)
    rows = "https://www.nu.nl/sport,1\n" * 200
    (tmp_path / "t.csv").write_text(f'url,id\n{rows}"https://www.nu.nl/,1\n{rows}')
    found = run("-i", tmp_path / "t.csv")
    assert found.exit_code == 1
    assert "t.csv: cannot be read as csv (quotation mark not closed" in found.stderr


def test_a_table_that_is_read_as_a_list_is_told_how_to_be_read(run, tmp_path):
    """Excel saves text with tabs as .txt: all rows were addresses that are none, without a next step."""
    (tmp_path / "list.txt").write_text(f"nr\tlink\n1\t{GERMAN}\n2\t{DUTCH}\n")
    done = run("-i", tmp_path / "list.txt")
    assert done.stderr.endswith("list.txt: if it is a table, say so: --from csv\n")
    assert (
        "if it is a table, say so: --from csv" in run("-i", tmp_path / "list.txt", "--column", "link").stderr
    )
    done = run("-i", tmp_path / "list.txt", "--column", "link", "--from", "csv")
    assert "2 rows: de 1, nl 1" in done.stderr

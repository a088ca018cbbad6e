"""JSON lines: every byte of a row is kept, broken lines are counted; other kinds as JSON lines."""

from __future__ import annotations

import datetime
import decimal
import json
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.bulk.formats.json_writer import labelled_lines
from linksight.bulk.formats.jsonl import NOT_JSON, JsonBlock, lines_of
from linksight.bulk.row_block import Block

LINES = [
    b'{"url": "https://www.lemonde.fr/", "n": 1.50, "big": 12345678901234567890123}',
    b'{ "url":"http://www.zeitung.de/" ,"s":"\\u00e9\\/" } ',
    b'{"n": [1, {"a": null}], "url": "http://a.nl/x"}\r',
    b'{"url": "http://a.nl/", "url": "http://b.de/"}',
]


def found_for(n: int, problems: dict[int, str] | None = None) -> pa.Table:
    reasons = [(problems or {}).get(i) for i in range(n)]
    return pa.table({"language": ["nl"] * n, "probability": pa.array([0.25] * n, pa.float32()),
                     "problem": pa.array(reasons, pa.string())})  # fmt: skip


def test_rows_are_kept_byte_for_byte(run, tmp_path):
    (tmp_path / "t.jsonl").write_bytes(b"\n".join(LINES))
    result = run("-i", tmp_path / "t.jsonl", "-o", tmp_path / "o.jsonl")
    assert result.is_done, result.output
    for line, out in zip(LINES, (tmp_path / "o.jsonl").read_bytes().splitlines(), strict=True):
        assert out.startswith(line.rstrip()[:-1] + b', "language": "')
        assert json.loads(out)["language"] in ("fr", "de", "nl")


def test_broken_lines_are_rows_with_a_reason(run, tmp_path):
    lines = [
        b"null",
        b"{",
        b"[1]",
        '{"url": "http://www.zeitung.de/é"}'.encode(),
        b"",
        b"{}",
        b"\xff",
        b'{"a": 1} null',
        b'"x"',
    ]
    (tmp_path / "t.jsonl").write_bytes(b"\n".join(lines))
    result = run("-i", tmp_path / "t.jsonl", "-o", tmp_path / "o.jsonl")
    assert f"{NOT_JSON} 6" in result.stderr
    rows = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert [row["language"] for row in rows] == ["und", "und", "und", "de", "und", "und", "und", "und"]
    assert [row.get("line") for row in rows] == [
        "null",
        "{",
        "[1]",
        None,
        None,
        "\ufffd",
        '{"a": 1} null',
        '"x"',
    ]
    assert rows[4].keys() == {"language", "probability", "problem"}


def test_long_numbers_keep_their_digits_in_parquet(run, tmp_path):
    (tmp_path / "t.jsonl").write_bytes(
        LINES[0] + b"\n" + b'{"url": "http://a.nl/", "id": 9007199254740993}\n'
    )
    assert run("-i", tmp_path / "t.jsonl", "-o", tmp_path / "o.parquet").is_done
    table = pq.read_table(tmp_path / "o.parquet")
    assert table["id"].to_pylist() == [None, 9007199254740993]
    assert table["big"].to_pylist() == ["12345678901234567890123", None]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3), max_leaves=8,
)  # fmt: skip
objects = st.dictionaries(
    st.text(max_size=6).filter(lambda name: name not in ("language", "probability", "problem")),
    values,
    max_size=4,
)


@settings(max_examples=80, deadline=None)
@given(st.lists(objects, min_size=1, max_size=6), st.booleans())
def test_any_objects_come_back_as_they_were(rows, ascii_only):
    text = "\n".join(json.dumps(row, ensure_ascii=ascii_only) for row in rows).encode(
        "utf-8", "surrogatepass"
    )
    block = JsonBlock.of("x", text)
    problems = {i: "null" for i, row in enumerate(rows) if not isinstance(row.get("url"), str)}
    problems |= block._scanned("url")[0].problems  # lone surrogates that are not escaped are no UTF-8
    out = labelled_lines(block, found_for(len(rows), problems)).decode("utf-8", "surrogatepass")
    for i, (row, line) in enumerate(zip(rows, out.split("\n")[:-1], strict=True)):
        told = json.loads(line)
        assert told.pop("language") == "nl"
        assert told.pop("probability") == 0.25
        assert told.pop("problem") == problems.get(i)
        assert told == row or problems.get(i) == NOT_JSON


@settings(max_examples=40, deadline=None)
@given(st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), max_size=12))
def test_lines_are_those_that_are_not_empty(lines):
    assert lines_of(b"\n".join(lines)).to_pylist() == [line + b"\n" for line in lines if line.strip()]


@pytest.mark.parametrize("pick", [[0, 2], [3], [1, 1, 0]])
def test_rows_that_are_taken_or_sliced_are_themselves(pick):
    import numpy as np

    block = JsonBlock.of("x", b"\n".join(LINES))
    assert block.take(np.array(pick)).lines.to_pylist() == [LINES[i] + b"\n" for i in pick]
    kept = block.slice(2)
    assert labelled_lines(kept, found_for(2)).count(b"\n") == 2
    assert kept.look("url").urls.to_pylist() == ["http://a.nl/x", "http://b.de/"]


def test_columns_of_every_type_are_json():
    table = pa.table({
        "text": ['a"b\\', None, "\x01\n", "é日"], "whole": [1, None, -5, 2**62], "real": [1.0, 0.1, None, 1e300],
        "single": pa.array([0.1, None, 1.0, float("inf")], pa.float32()), "flag": [True, None, False, True],
        "none": pa.nulls(4), "list": [[1], None, [], [2, 3]], "kind": pa.array(["x", "y", None, "x"]).dictionary_encode(),
        "day": [datetime.date(2024, 1, 2)] * 4, "exact": [decimal.Decimal("1.50")] * 4, "bytes": [b"a\xff", None, b"", b"b"],
        'odd "name"': ["1", "2", "3", "4"],
    })  # fmt: skip
    for some in (table, table.slice(1, 2), pa.concat_tables([table, table])):
        lines = labelled_lines(Block("x", some), found_for(some.num_rows)).decode().split("\n")[:-1]
        for row, line in zip(some.to_pylist(), lines, strict=True):
            told = json.loads(line)
            for name in ("text", "whole", "real", "flag", "none", "list", "kind", 'odd "name"'):
                assert told[name] == row[name], name
            if row["single"] is None or math.isinf(row["single"]):  # JSON has no infinity
                assert told["single"] is None
            else:
                assert told["single"] == pytest.approx(row["single"])
            assert (told["day"], told["exact"]) == ("2024-01-02", "1.50")


def test_languages_are_gathered_into_few_row_groups(run, tmp_path, monkeypatch):
    monkeypatch.setattr("linksight.bulk.readers.BLOCK_ROWS", 100)
    urls = [
        f"http://www.zeitung{i}.de/politik" if i % 10 else f"https://journal{i}.fr/economie"
        for i in range(3_000)
    ]
    pq.write_table(pa.table({"url": urls}), tmp_path / "t.parquet", row_group_size=100)
    assert run("-i", tmp_path / "t.parquet", "--split-by-language", tmp_path / "by").is_done
    german = pq.ParquetFile(tmp_path / "by" / "de.parquet")
    assert german.metadata.num_row_groups == 1
    assert german.read()["url"].to_pylist() == [url for url in urls if ".de/" in url]


def test_what_is_held_for_languages_is_bounded(tmp_path):
    from linksight.bulk.partitioned_writer import Files

    files = Files(folder=tmp_path, form="parquet", packer=None, schema=None, split_by="language",
                  is_new=lambda name: True, held_bytes=50_000)  # fmt: skip
    for _ in range(20):
        block = Block("x", pa.table({"url": ["http://www.example.org/" + "x" * 80] * 100}))
        files.write((block, found_for(100)))
        assert sum(files._sizes.values()) <= 50_000
    files.close()
    assert pq.read_table(tmp_path / "nl.parquet").num_rows == 2_000
    assert 2 <= pq.ParquetFile(tmp_path / "nl.parquet").metadata.num_row_groups <= 6

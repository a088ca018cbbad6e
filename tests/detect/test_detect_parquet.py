"""From Parquet to Parquet: all columns are kept, and other programs can read the file."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight import load
from linksight.bulk.annotate import Labels
from linksight.bulk.job import Job
from linksight.bulk.readers import Reader
from linksight.bulk.sources import find_sources
from linksight.errors import BadData, LinksightError

N = 300
URLS = [
    f"http://www.zeitung{i}.de/politik/{i}" if i % 3 else f"https://journal{i}.fr/economie" for i in range(N)
]
URLS[7] = URLS[290] = None


@pytest.fixture(autouse=True)
def small_sizes(monkeypatch):
    """Row groups of 100 rows in blocks of 30: a small table is a long one."""
    monkeypatch.setattr("linksight.bulk.readers.BLOCK_ROWS", 30)


def table() -> pa.Table:
    """Columns of many kinds."""
    return pa.table(
        {
            "n": pa.array(range(N), pa.int32()),
            "url": pa.array(URLS, pa.large_string()),
            "tags": [[i, None] if i % 4 else None for i in range(N)],
            "kind": pa.array([f"k{i % 5}" for i in range(N)]).dictionary_encode(),
            "seen": pa.array(
                [datetime(2024, 1, 1 + i % 9, tzinfo=UTC) for i in range(N)], pa.timestamp("ms", "UTC")
            ),
            "cost": pa.array([Decimal(i) / 100 for i in range(N)], pa.decimal128(9, 2)),
            "about": [{"a": i, "b": [str(i)]} for i in range(N)],
            "raw": pa.array([bytes([i % 251]) * 4 for i in range(N)], pa.binary(4)),
        }
    )


def job(sources: list[Path], output: Path, **options: object) -> Job:
    reader = Reader(find_sources([str(source) for source in sources]))
    return Job(reader=reader, labels=Labels(scorer=load()), form="parquet", output=output, **options)


@pytest.mark.parametrize("options", [
    {}, {"compression": "zstd"}, {"compression": "gzip", "use_dictionary": False}, {"compression": "none"},
    {"data_page_version": "2.0", "version": "2.4"}, {"write_page_index": True}, {"store_schema": False},
    {"write_statistics": False, "data_page_size": 200}, {"bloom_filter_options": {"n": {"ndv": 300}}},
])  # fmt: skip
def test_all_columns_are_kept(tmp_path, options):
    try:
        pq.write_table(table(), tmp_path / "in.parquet", row_group_size=100, **options)
    except TypeError:
        pytest.skip("this Arrow cannot write it")
    summary = job([tmp_path / "in.parquet"], tmp_path / "out.parquet", part_rows=120).run()
    found, given = (pq.read_table(tmp_path / name) for name in ("out.parquet", "in.parquet"))
    assert found.select(given.column_names).equals(given)
    assert found.column_names[-3:] == ["language", "probability", "problem"]
    assert summary.n_rows == N
    assert summary.problems == {"empty": 2}


def test_several_files_become_one(tmp_path):
    for i, some in enumerate([table().slice(0, 130), table().slice(130)]):
        pq.write_table(some, tmp_path / f"{i}.parquet", row_group_size=70)
    work = job([tmp_path / "0.parquet", tmp_path / "1.parquet"], tmp_path / "out.parquet")
    work.run()
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.select(table().column_names).equals(table())


def test_a_killed_job_goes_on_behind_its_finished_parts(tmp_path):
    pq.write_table(table(), tmp_path / "in.parquet", row_group_size=100)
    job([tmp_path / "in.parquet"], tmp_path / "whole.parquet").run()
    work = job([tmp_path / "in.parquet"], tmp_path / "out.parquet", part_rows=40)

    def stop(n_rows: int) -> None:
        if n_rows > 250:
            raise RuntimeError("power cut")

    work.on_rows = stop
    with pytest.raises(RuntimeError, match="power cut"):
        work.run()
    assert 0 < work.finished_rows() < N
    job([tmp_path / "in.parquet"], tmp_path / "out.parquet", part_rows=40).run(resume=True)
    assert pq.read_table(tmp_path / "out.parquet").equals(pq.read_table(tmp_path / "whole.parquet"))


@pytest.mark.parametrize("reason", ["order of columns", "nullable or not", "empty"])
def test_files_that_differ_become_one(tmp_path, reason):
    rows = table().select(["n", "url"])
    inputs = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    pq.write_table(rows, inputs[0], row_group_size=100)
    other = {"order of columns": rows.select(["url", "n"]), "empty": rows.slice(0, 0)}.get(reason, rows)
    if reason == "nullable or not":
        other = rows.cast(pa.schema([pa.field("n", pa.int32(), nullable=False), rows.schema.field("url")]))
    pq.write_table(other, inputs[1], row_group_size=100)
    job(inputs, tmp_path / "out.parquet", part_rows=120).run()
    found = pq.read_table(tmp_path / "out.parquet")["url"].to_pylist()
    assert found == URLS * (1 if reason == "empty" else 2)


def test_files_without_row_groups_are_passed_over(tmp_path):
    inputs = [tmp_path / f"{i}.parquet" for i in range(3)]
    for path in (inputs[0], inputs[2]):
        pq.ParquetWriter(path, table().schema).close()
    pq.write_table(table(), inputs[1], row_group_size=100)
    job(inputs, tmp_path / "out.parquet").run()
    assert pq.read_table(tmp_path / "out.parquet").select(table().column_names).equals(table())


def test_columns_of_the_same_name_are_refused_as_before(tmp_path):
    pq.write_table(
        table().append_column("language", table()["kind"]), tmp_path / "in.parquet", row_group_size=100
    )
    with pytest.raises(BadData, match="there is a column 'language' already"):
        job([tmp_path / "in.parquet"], tmp_path / "out.parquet").run()


def test_damage_in_any_column_is_found(tmp_path):
    pq.write_table(table(), tmp_path / "in.parquet", row_group_size=100)
    place = pq.ParquetFile(tmp_path / "in.parquet").metadata.row_group(1).column(0).data_page_offset
    data = bytearray((tmp_path / "in.parquet").read_bytes())
    data[place : place + 40] = b"\xff" * 40
    (tmp_path / "in.parquet").write_bytes(data)
    with pytest.raises(BadData, match="row group 1 is damaged"):
        job([tmp_path / "in.parquet"], tmp_path / "out.parquet").run()
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("reader", ["duckdb", "polars", "pandas"])
def test_others_read_it(tmp_path, reader):
    rows = table().drop_columns(["about", "raw"])
    pq.write_table(rows, tmp_path / "in.parquet", row_group_size=100)
    job([tmp_path / "in.parquet"], tmp_path / "out.parquet").run()
    path, engine = str(tmp_path / "out.parquet"), pytest.importorskip(reader)
    if reader == "duckdb":
        found = engine.sql(
            f"select n, url, kind, language, probability, problem from '{path}' where n >= 50"
        ).arrow()
        found = found.read_all() if hasattr(found, "read_all") else found
    else:
        read = engine.read_parquet(path)
        read = read.filter(read["n"] >= 50) if reader == "polars" else read[read["n"] >= 50]
        found = read.to_arrow() if reader == "polars" else pa.Table.from_pandas(read)
    expected = pq.read_table(path).slice(50)
    for name in ("n", "url", "kind", "language", "problem"):
        assert [value or None for value in found[name].to_pylist()] == [
            value or None for value in expected[name].to_pylist()
        ]
    assert found["probability"].to_pylist() == expected["probability"].to_pylist()


def test_statistics_still_choose_row_groups(tmp_path):
    pq.write_table(table(), tmp_path / "in.parquet", row_group_size=100)
    job([tmp_path / "in.parquet"], tmp_path / "out.parquet").run()
    metadata = pq.ParquetFile(tmp_path / "out.parquet").metadata
    last = metadata.row_group(metadata.num_row_groups - 1)
    assert last.column(0).statistics.max == N - 1
    assert pq.read_table(tmp_path / "out.parquet", filters=[("n", "==", 210)])["url"].to_pylist() == [
        URLS[210]
    ]


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("good") / "in.parquet"
    pq.write_table(table().select(["n", "url"]), path, row_group_size=100, store_schema=False)
    return path.read_bytes()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damaged_footers_raise_no_other_errors(tmp_path_factory, good, data):
    folder = tmp_path_factory.mktemp("damaged")
    broken = bytearray(good)
    length = int.from_bytes(good[-8:-4], "little")
    for _ in range(data.draw(st.integers(1, 3))):
        broken[data.draw(st.integers(len(good) - 8 - length, len(good) - 9))] = data.draw(st.integers(0, 255))
    (folder / "in.parquet").write_bytes(broken)
    try:
        job([folder / "in.parquet"], folder / "out.parquet").run()
        pq.ParquetFile(folder / "out.parquet").close()
    except LinksightError:
        assert not (folder / "out.parquet").exists()
    shutil.rmtree(folder)


def test_column_names_that_are_no_text_are_refused(tmp_path, good):
    (tmp_path / "in.parquet").write_bytes(good.replace(b"url", b"ur\xeb"))
    with pytest.raises(BadData, match="not a Parquet file"):
        job([tmp_path / "in.parquet"], tmp_path / "out.parquet").run()

"""Blocks of rows: read from any row on, row groups streamed, parts joined."""

from __future__ import annotations

import bz2

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.bulk.readers import Reader
from linksight.bulk.sources import _packer, find_sources
from linksight.bulk.writers import join_tables
from linksight.errors import BadData

pytestmark = pytest.mark.usefixtures("small_blocks")


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.tuples(st.integers(-(2**62), 2**62), st.text(max_size=8) | st.none()), max_size=40), min_size=1, max_size=5),
    st.sampled_from(["snappy", "zstd", "none"]),
)  # fmt: skip
def test_joined_parquet_holds_the_rows_of_its_parts(tmp_path_factory, parts, compression):
    folder = tmp_path_factory.mktemp("join")
    schema = pa.schema([("n", pa.int64()), ("text", pa.string()), ("both", pa.list_(pa.string()))])
    paths, rows = [], []
    for i, part in enumerate(parts):
        some = [{"n": n, "text": text, "both": [text, "x"] if n % 2 else None} for n, text in part]
        clean = [row for row in some if row["text"] is None or row["text"].isprintable()]
        paths.append(folder / f"{i}.parquet")
        pq.write_table(
            pa.Table.from_pylist(clean, schema=schema), paths[-1], compression=compression, row_group_size=7
        )
        rows += clean
    join_tables(paths, folder / "all.parquet", "parquet")
    joined = pq.ParquetFile(folder / "all.parquet")
    assert joined.read().to_pylist() == rows
    assert joined.schema_arrow == schema
    assert joined.metadata.num_rows == len(rows)
    if rows:
        filtered = pq.read_table(folder / "all.parquet", filters=[("n", "==", rows[-1]["n"])])
        assert rows[-1] in filtered.to_pylist()


def test_parts_that_do_not_fit_are_refused(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"b": ["x"]}), tmp_path / "2.parquet")
    with pytest.raises(BadData, match="its columns differ"):
        join_tables([tmp_path / "1.parquet", tmp_path / "2.parquet"], tmp_path / "all.parquet", "parquet")


def test_large_row_groups_are_streamed(tmp_path, many_urls):
    """One row group of many rows comes in blocks, each read when it is wanted."""
    pq.write_table(pa.table({"url": many_urls * 10}), tmp_path / "one.parquet", row_group_size=1_000_000)
    sizes = [block.n_rows for block in Reader(find_sources([str(tmp_path / "one.parquet")])).blocks()]
    assert sum(sizes) == 9000
    assert max(sizes) <= 100


@pytest.mark.parametrize("skip", [0, 1, 99, 100, 101, 450, 899, 900])
@pytest.mark.parametrize("kind", ["parquet", "txt", "jsonl"])
def test_reading_from_a_row_on(tmp_path, tables, many_urls, kind, skip):
    path = tables.write(tmp_path / f"t.{kind}", [{"url": url} for url in many_urls])
    urls = [
        url
        for block in Reader(find_sources([str(path)])).blocks(skip)
        for url in block.look("url").urls.to_pylist()
    ]
    assert urls == many_urls[skip:]


@pytest.mark.parametrize("data", [b"", b"http://www.zeitung.de/\n" * 3])
def test_bzip2_is_read_and_what_begins_like_it_is_text(tmp_path, data):
    assert _packer(bz2.compress(data)) == "bz2"
    assert _packer(b"BZh9.example.org/\n") is None

"""Blocks are bounded by bytes, and finished parts are on the disk before a later run trusts them."""

import os

import pyarrow as pa
import pyarrow.parquet as pq

import linksight
from linksight.bulk.annotate import Labels
from linksight.bulk.job import Job
from linksight.bulk.readers import BLOCK_BYTES, Reader
from linksight.bulk.sources import find_sources


def written(path, n_rows, n_bytes):
    bodies = [os.urandom(n_bytes // 2).hex() for _ in range(n_rows)]
    pq.write_table(pa.table({"url": [f"https://www.nu.nl/{i}" for i in range(n_rows)], "body": bodies}), path)
    return Reader(find_sources([str(path)]))


def test_blocks_of_large_rows_are_small(tmp_path):
    reader = written(tmp_path / "pages.parquet", 80, 1 << 20)
    blocks = list(reader.blocks())
    assert sum(block.n_rows for block in blocks) == 80
    assert max(block.n_bytes for block in blocks) < 2 * BLOCK_BYTES


def test_blocks_of_a_large_value_that_repeats_are_small(tmp_path):
    """In the file it stands once, in the dictionary of its column."""
    table = pa.table({"url": ["https://www.nu.nl/"] * 200, "body": ["x" * (1 << 20)] * 200})
    pq.write_table(table, tmp_path / "pages.parquet")
    blocks = list(Reader(find_sources([str(tmp_path / "pages.parquet")])).blocks())
    assert sum(block.n_rows for block in blocks) == 200
    assert max(block.n_bytes for block in blocks) < 2 * BLOCK_BYTES


def test_parts_are_synced_before_they_count(tmp_path, monkeypatch):
    reader = written(tmp_path / "urls.parquet", 10, 16)
    synced, replaced = [], []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    job = Job(
        reader=reader, labels=Labels(scorer=linksight.load()), form="jsonl", output=tmp_path / "out.jsonl", by_language=False
    )  # fmt: skip
    rename = type(job.output).replace

    def watched(path, target):
        inside = [path, *path.iterdir()] if path.is_dir() else [path]
        replaced.append({one.stat().st_ino for one in inside} <= set(synced))
        return rename(path, target)

    monkeypatch.setattr(type(job.output), "replace", watched)
    job.run(resume=False, overwrite=False)
    assert replaced
    assert all(replaced)

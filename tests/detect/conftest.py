"""Tables of URLs in every kind, and the command as a user runs it."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import linksight
from linksight.cli import main

ROWS = [
    {"id": 1, "url": "https://www.lemonde.fr/economie/", "note": 'a, "b"'},
    {"id": 2, "url": "mailto:someone@example.org", "note": "no"},
    {"id": 3, "url": "http://www.zeitung.de/politik", "note": None},
    {"id": 4, "url": None, "note": "NA"},
    {"id": 5, "url": "https://www.volkskrant.nl/nieuws-achtergrond/", "note": "été"},
]
LANGUAGES = ["fr", "und", "de", "und", "nl"]


@pytest.fixture
def run() -> Callable[..., Result]:
    """``linksight detect`` with these arguments; ``is_done`` if it exits with 1 exactly where rows have a problem."""

    def invoke(*arguments: object, stdin: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(main, ["detect", *map(str, arguments)], input=stdin)
        has_problems = " could not be used: " in result.stderr
        result.is_done = result.exit_code == has_problems and "Error" not in result.stderr  # type: ignore[attr-defined]
        return result

    return invoke


def write_table(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    """Rows as a file of the kind that its name says."""
    packed = path.suffix in (".gz", ".zst")
    kind = path.with_suffix("").suffix if packed else path.suffix
    table = pa.Table.from_pylist(rows)
    if kind == ".parquet":
        pq.write_table(table, path, row_group_size=2)
        return path
    if kind == ".jsonl":
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    elif kind == ".csv":
        sink = pa.BufferOutputStream()
        pyarrow.csv.write_csv(table, sink)
        data = sink.getvalue().to_pybytes()
    else:
        data = "".join(f"{row['url'] or ''}\n" for row in rows).encode()
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".zst":
        data = pa.compress(data, "zstd", asbytes=True)
    path.write_bytes(data)
    return path


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of an output, by its name."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    elif path.suffix == ".zst":
        data = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
    if ".jsonl" in path.name:
        return [json.loads(line) for line in data.splitlines()]
    return pyarrow.csv.read_csv(pa.BufferReader(data)).to_pylist()


@pytest.fixture
def tables() -> SimpleNamespace:
    """Five rows, their languages, and how to write and read them."""
    return SimpleNamespace(rows=ROWS, languages=LANGUAGES, write=write_table, read=read_rows)


@pytest.fixture
def environment() -> dict[str, str]:
    """For child processes: the package under test, wherever it lies."""
    return os.environ | {"PYTHONPATH": str(Path(linksight.__file__).parents[1])}


@pytest.fixture
def many_urls() -> list[str]:
    """More than a block of small ones holds."""
    return [
        f"http://www.zeitung{i}.de/politik/{i}" if i % 3 else f"https://journal{i}.fr/economie/{i}"
        for i in range(900)
    ]


@pytest.fixture
def big(tmp_path: Path, many_urls: list[str]) -> Path:
    """A Parquet file of nine row groups."""
    path = tmp_path / "big.parquet"
    table = pa.table({"n": range(900), "url": many_urls, "tags": [[i, i + 1] for i in range(900)]})
    pq.write_table(table, path, row_group_size=100)
    return path


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 100 rows, so that a small table is a long one."""
    monkeypatch.setattr("linksight.bulk.readers.BLOCK_ROWS", 100)
    monkeypatch.setattr("linksight.bulk.formats.text_lines.CHUNK_BYTES", 4096)

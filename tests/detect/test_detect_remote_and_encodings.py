"""Remote files, Arrow files, and text that is not in UTF-8."""

from __future__ import annotations

import functools
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

WESTERN = "url,titel\nhttp://www.zeitung.de/politik,Größe\nhttp://www.lemonde.fr/économie,été\n"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The URL of a web server with the files of the folder; it does not answer ranges."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path))
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.jsonl", "t.parquet", "t.txt"])
def test_files_of_web_servers_are_read(run, tables, tmp_path, served, name):
    tables.write(tmp_path / name)
    result = run("-i", f"{served}/{name}", "-o", tmp_path / "o.jsonl")
    assert result.is_done, result.stderr
    assert [row["language"] for row in tables.read(tmp_path / "o.jsonl")] == ["fr", "und", "de", "und", "nl"]


def test_a_missing_file_of_a_web_server_is_an_error_of_one_line(run, served):
    result = run("-i", f"{served}/none.csv")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert "404" in result.stderr


def test_a_file_system_of_fsspec_is_read_and_written(run, tmp_path):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    for i, url in enumerate(("http://www.zeitung.de/", "http://www.nu.nl/")):
        memory.pipe(f"/in/{i}.csv", f"url\n{url}\n".encode())
    memory.pipe("/in/README", b"not a table")
    for given in ("memory://in", "memory://in/*.csv"):
        result = run("-i", given, "-o", "memory://out/found.parquet", "--overwrite")
        assert result.is_done, result.stderr
        table = pq.read_table(pa.BufferReader(memory.cat("/out/found.parquet")))
        assert table["language"].to_pylist() == ["de", "nl"]


@pytest.mark.parametrize("make", [pa.ipc.new_file, pa.ipc.new_stream])
def test_arrow_files_and_streams_are_read_and_written(run, tmp_path, make):
    table = pa.table({"url": ["http://www.zeitung.de/", "http://www.nu.nl/"], "n": [[1], None]})
    with pa.OSFile(str(tmp_path / "t.arrow"), "w") as sink, make(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=1)
    result = run("-i", tmp_path / "t.arrow", "-o", tmp_path / "o.arrow")
    assert result.is_done, result.stderr
    with pa.OSFile(str(tmp_path / "o.arrow")) as source:
        found = pa.ipc.open_file(source).read_all()
    assert found.select(["url", "n"]).equals(table)
    assert found["language"].to_pylist() == ["de", "nl"]


@pytest.mark.parametrize("encoding", ["windows-1252", "utf-16"])
@pytest.mark.parametrize("options", [(), ("--encoding",)])
def test_another_encoding_is_detected_or_given(run, tables, tmp_path, encoding, options):
    (tmp_path / "t.csv").write_bytes(WESTERN.encode(encoding))
    result = run("-i", tmp_path / "t.csv", "-o", tmp_path / "o.jsonl", *options, *[encoding] * len(options))
    assert (result.exit_code, f"t.csv: read as {encoding}" in result.stderr) == (0, True)
    rows = tables.read(tmp_path / "o.jsonl")
    assert [row["titel"] for row in rows] == ["Größe", "été"]
    assert rows[1]["url"].endswith("/économie")


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("kind", ["csv", "txt", "jsonl"])
def test_replaced_bytes_are_never_a_success(run, tables, tmp_path, kind, form):
    rows = ["http://www.nu.nl/é", "http://www.zeitung.de/\xe9", "http://www.zeitung.de/"]
    lines = [json.dumps({"url": row}, ensure_ascii=False) if kind == "jsonl" else row for row in rows]
    text = "\n".join(["url", *lines] if kind == "csv" else lines)
    (tmp_path / f"t.{kind}").write_bytes(text.encode("latin-1").replace(b"nl/\xe9", "nl/é".encode()))
    result = run("-i", tmp_path / f"t.{kind}", "-o", tmp_path / f"o.{form}")
    assert result.exit_code == 1
    assert "not in its encoding 1" in result.stderr
    assert [row["language"] for row in tables.read(tmp_path / f"o.{form}")] == ["nl", "und", "de"]


def test_an_unknown_encoding_is_refused(run, tmp_path):
    (tmp_path / "t.txt").write_text("http://www.nu.nl/\n")
    result = run("-i", tmp_path / "t.txt", "--encoding", "klingon")
    assert (result.exit_code, "unknown encoding: 'klingon'" in result.stderr) == (1, True)

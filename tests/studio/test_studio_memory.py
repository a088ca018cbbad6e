"""Uploads and bodies that would take gigabytes are refused with little memory."""

from __future__ import annotations

import gzip
import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

SRC = Path(__file__).parents[2] / "src"
MAX_GROWTH = 300 << 20


def dictionary_parquet() -> bytes:
    """A few kilobytes that stand for 131 GB: one text of 1 MB, repeated by reference."""
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 131_072, pa.int32()), pa.array(["h" * (1 << 20)]))
    sink = io.BytesIO()
    pq.write_table(pa.table({"url": column}), sink, compression="zstd")
    return sink.getvalue()


def nested_parquet() -> bytes:
    """The same in a list beside the URLs."""
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 131_072, pa.int32()), pa.array(["h" * (1 << 20)]))
    column = pa.ListArray.from_arrays(pa.array(range(131_073), pa.int32()), texts)
    sink = io.BytesIO()
    pq.write_table(pa.table({"url": ["http://a.nl/"] * 131_072, "more": column}), sink, compression="zstd")
    return sink.getvalue()


def one_cell_parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"url": ["h" * (400 << 20)]}), sink, compression="zstd", use_dictionary=False)
    return sink.getvalue()


def wide_parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({f"c{n}": ["http://a.nl/"] for n in range(20_000)}), sink)
    return sink.getvalue()


ATTACKS = {
    "dictionary": ("a.parquet", dictionary_parquet),
    "nested dictionary": ("a.parquet", nested_parquet),
    "one cell": ("a.parquet", one_cell_parquet),
    "quotation mark": ("a.csv.gz", lambda: gzip.compress(b'url,b\n"' + b"x" * (64 << 20))),
    "quoted lines": ("a.csv.gz", lambda: gzip.compress(b'url,b\n"' + b"http://a.nl/\n" * (1 << 22))),
    "newlines": ("a.txt.gz", lambda: gzip.compress(b"\n" * (64 << 20))),
    "one line": ("a.txt.gz", lambda: gzip.compress(b"x" * (64 << 20))),
    "wide parquet": ("a.parquet", wide_parquet),
    "wide csv": ("a.csv", lambda: ",".join(f"c{n}" for n in range(20_000)).encode() + b"\nhttp://a.nl/\n"),
    "wide json": ("a.jsonl", lambda: b"".join(b"{%s}\n" % b",".join(b'"c%d": 1' % (200 * row + k) for k in range(200)) for row in range(100))),
}  # fmt: skip


class Served:
    """A studio in a process whose memory is watched."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "linksight", "serve", "--port", "0", "--data-dir", str(folder)]
        env = os.environ | {"PYTHONPATH": str(SRC)}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)
        self.url = re.search(r"http://\S+:\d+", self.process.stderr.readline())[0]
        self.client = httpx.Client(base_url=self.url, timeout=60, follow_redirects=True)
        self.client.post("/v1/detect/batch", json={"urls": ["http://a.nl/"]})
        self.submit("/inspector", ("a.parquet", small_parquet()))

    def submit(self, path: str, file: tuple[str, bytes]) -> httpx.Response:
        token = re.search(r'name="csrf" value="(\w+)"', self.client.get("/").text)[1]
        data = {"csrf": token, "source": "urls", "name": "attack", "seeds": "http://a.nl/", "language": "nl",
                "contact": "crawls@library.example", "strategy": "filter"}  # fmt: skip
        return self.client.post(path, data=data, files={"labels" if path == "/crawls" else "file": file})

    def peak(self) -> int:
        """The highest resident memory so far, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) << 10

    def stop(self) -> None:
        self.client.close()
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        self.process.stderr.close()


def small_parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"url": ["http://a.nl/", "http://b.de/"]}), sink)
    return sink.getvalue()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    studio = Served(tmp_path_factory.mktemp("served"))
    yield studio
    studio.stop()


ELSEWHERE = [
    (path, attack) for path in ("/sites/learn", "/crawls") for attack in ("dictionary", "quoted lines")
]


@pytest.mark.parametrize(("path", "attack"), [*(("/inspector", attack) for attack in ATTACKS), *ELSEWHERE])
def test_an_upload_that_would_take_gigabytes_is_refused(served, path, attack):
    name, make = ATTACKS[attack]
    body, before = make(), served.peak()
    answer = served.submit(path, (name, body))
    assert answer.status_code == 422, answer.text[:500]
    assert name in answer.text
    assert served.peak() - before < MAX_GROWTH


@pytest.mark.parametrize(
    ("body", "kind"),
    [(b"\n" * (60 << 20), "text/plain"), (b"\r" * (60 << 20), "text/plain"), (b"+AAo-" * (12 << 20), "text/plain; charset=utf-7"), (b'{"urls":[' + b'"",' * (20 << 20) + b'""]}', "application/json"),
     (b'{"urls":[' + b"[]," * (20 << 20) + b"[]]}", "application/json")],
    ids=["newlines", "returns", "charset", "empty", "lists"],
)  # fmt: skip
def test_a_batch_of_too_many_rows_is_refused_before_it_is_decoded(served, body, kind):
    before = served.peak()
    for headers, sent in (({}, body), ({"content-encoding": "gzip"}, gzip.compress(body, 1))):
        answer = served.client.post(
            "/v1/detect/batch", content=sent, headers={"content-type": kind, **headers}
        )
        assert answer.status_code == 413
    assert served.peak() - before < MAX_GROWTH


def test_a_match_of_too_many_rows_is_refused_before_it_is_decoded(served):
    before = served.peak()
    body = b'{"patterns":[],"urls":[' + b"[]," * (20 << 20) + b"[]]}"
    answer = served.client.post(
        "/v1/patterns/match", content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 413
    assert served.peak() - before < MAX_GROWTH


def test_strings_with_shared_prefixes_are_read(served):
    """Arrow cannot read this encoding as a dictionary; DuckDB and Spark write it."""
    sink = io.BytesIO()
    table = pa.table({"url": ["https://www.nu.nl/sport", "https://www.lemonde.fr/economie/"]})
    pq.write_table(table, sink, use_dictionary=False, column_encoding={"url": "DELTA_BYTE_ARRAY"})
    answer = served.submit("/inspector", ("delta.parquet", sink.getvalue()))
    assert answer.status_code == 200
    assert "www.lemonde.fr" in answer.text


def test_the_studio_still_answers(served):
    assert served.client.get("/v1/health").status_code == 200

"""A local Spark, and WARC files to read with it."""

from __future__ import annotations

import gc
import gzip
import os
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linksight

PAGES = {
    "de": "Die Bibliothek sammelt alle Seiten, die in deutscher Sprache geschrieben sind, und bewahrt sie auf.",
    "fr": "La bibliothèque recueille toutes les pages écrites en langue française et les conserve pour toujours.",
    "nl": "De bibliotheek verzamelt alle pagina's die in het Nederlands geschreven zijn en bewaart ze voor later.",
}


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A Spark with two workers on this machine."""
    pytest.importorskip("pyspark")
    from pyspark.sql import SparkSession

    source = str(Path(linksight.__file__).parents[1])
    builder = SparkSession.builder.master("local[2,4]").appName("linksight tests")  # four tries a task
    settings = {
        "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1", "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "500",
    }  # fmt: skip
    for name, value in settings.items():
        builder = builder.config(name, value)
    with pytest.MonkeyPatch.context() as patch:  # what its workers are started with is settled then
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", source, prepend=os.pathsep)
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
    gc.collect()  # sockets that Spark leaves open are collected here, not in somebody else's test


@pytest.fixture
def warc(tmp_path: Path):
    """Makes WARC files with one page in each of three languages."""

    def make(name: str, copies: int = 1) -> Path:
        path = tmp_path / name
        pages = [(f"http://{code}{i}.example/", text) for i in range(copies) for code, text in PAGES.items()]
        path.write_bytes(b"".join(gzip.compress(_record(url, text)) for url, text in pages))
        return path

    return make


def _record(url: str, text: str) -> bytes:
    body = f"<html><body><p>{text * 3}</p></body></html>".encode()
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:{uuid.uuid4()}>\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"

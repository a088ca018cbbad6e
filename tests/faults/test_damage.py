"""Files that were cut off or damaged: the command says which and how, ends with an error, and shows no traceback."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from faults_places import LABELLED, run_in

import linksight
from linksight.models import make_classifier


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    urls, languages = [url for url, _ in LABELLED], [language for _, language in LABELLED]
    (tmp_path / "urls.txt").write_text("\n".join(urls))
    pq.write_table(pa.table({"url": urls * 50, "language": languages * 50}), tmp_path / "table.parquet")
    make_classifier("nb", features="words").fit(urls, languages).save(tmp_path / "mine.model")
    bundled = Path(linksight.__file__).parent / "data" / "urls.linksight"
    (tmp_path / "bundled.linksight").write_bytes(bundled.read_bytes())
    hubs = [[f"http://shop.example/item/{20 * hub + i}" for i in range(20)] for hub in range(5)]
    linksight.learn_patterns(hubs).save(tmp_path / "patterns.json")
    page = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
        + b"<p>Dit is een gewone zin in het Nederlands.</p>" * 40
    )
    head = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{n}>\r\n"
    head += "WARC-Target-URI: http://a.example/{n}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {size}\r\n\r\n"
    records = [
        gzip.compress(head.format(n=n, size=len(page)).encode() + page + b"\r\n\r\n") for n in range(4)
    ]
    (tmp_path / "pages.warc.gz").write_bytes(b"".join(records))
    return tmp_path


def _cut(folder: Path, name: str, share: float) -> None:
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: int(len(data) * share)])


COMMANDS = {
    "half a table, labelled": (
        "table.parquet",
        ["detect", "-i", "table.parquet", "--column", "url", "-o", "out.csv"],
    ),
    "half a table, measured on": ("table.parquet", ["evaluate", "bundled", "table.parquet"]),
    "half a table, trained on": ("table.parquet", ["train", "table.parquet", "-o", "out.model", "-q"]),
    "half a classifier": ("mine.model", ["evaluate", "mine.model", "table.parquet"]),
    "half a model": (
        "bundled.linksight",
        ["detect", "-i", "urls.txt", "--model", "bundled.linksight", "-o", "out.csv"],
    ),
    "half a model for one URL": (
        "bundled.linksight",
        ["detect", "http://a.nl/", "--model", "bundled.linksight"],
    ),
    "half a pattern file": (
        "patterns.json",
        ["site", "match", "patterns.json", "http://shop.example/item/7"],
    ),
    "half a pattern file, exported": ("patterns.json", ["site", "export", "patterns.json", "-o", "out.json"]),
}


@pytest.mark.parametrize("share", [0.0, 0.5, 0.98])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_that_is_cut_off_is_named_with_the_reason(name: str, share: float, folder: Path) -> None:
    file, words = COMMANDS[name]
    if share != 0.5 and "half a table" not in name and "classifier" not in name:
        share = 0.5 if share else 0.1
    _cut(folder, file, share)
    done = run_in(folder, words)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert file in done.stderr
    assert not [path for path in folder.rglob("*out*") if path.is_file()]


def test_an_archive_that_is_cut_off_gives_the_pages_before_the_cut_and_says_so(folder: Path) -> None:
    _cut(folder, "pages.warc.gz", 0.6)
    done = run_in(folder, ["identify", "pages.warc.gz", "--format", "csv"])
    assert "Traceback" not in done.stderr
    assert done.stdout.count(",nl,Latn,") == 2
    assert "pages.warc.gz" in done.stdout.splitlines()[-1]
    assert "unreadable" in done.stderr
    assert done.returncode == 1, "something could not be read, and that is no success"


@pytest.mark.parametrize(
    "words", [["identify", "pages.warc.gz"], ["site", "learn", "pages.warc.gz", "--store", "s.db"]]
)
def test_an_archive_that_is_none_is_refused(words: list[str], folder: Path) -> None:
    (folder / "pages.warc.gz").write_bytes(b"\x1f\x8b but not packed")
    done = run_in(folder, words)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "pages.warc.gz" in done.stdout + done.stderr

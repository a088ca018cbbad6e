"""Files that were cut off or damaged: the command says which and how, ends with an error, and shows no traceback."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from faults_places import LABELLED, invoke_in

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
    """Cut the file off; what was cut off at a larger share before is cut off further."""
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: int(len(data) * share)])


#: name -> (the file that is cut off, the shares of it that are left, the words of the command)
COMMANDS: dict[str, tuple[str, tuple[float, ...], list[str]]] = {
    "detect a table": ("table.parquet", (0.0, 0.5, 0.98), ["detect", "-i", "table.parquet", "-o", "out.csv"]),
    "evaluate on a table": ("table.parquet", (0.0, 0.5, 0.98), ["evaluate", "bundled", "table.parquet"]),
    "train on a table": ("table.parquet", (0.0, 0.5, 0.98), ["train", "table.parquet", "-o", "out.model", "-q"]),
    "evaluate a classifier": ("mine.model", (0.0, 0.5, 0.98), ["evaluate", "mine.model", "table.parquet"]),
    "detect a list with a model": ("bundled.linksight", (0.1, 0.5), ["detect", "-i", "urls.txt", "--model", "bundled.linksight", "-o", "out.csv"]),
    "detect a URL with a model": ("bundled.linksight", (0.1, 0.5), ["detect", "http://a.nl/", "--model", "bundled.linksight"]),
    "match patterns": ("patterns.json", (0.1, 0.5), ["site", "match", "patterns.json", "http://shop.example/item/7"]),
    "export patterns": ("patterns.json", (0.1, 0.5), ["site", "export", "patterns.json", "-o", "out.json"]),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_that_is_cut_off_is_named_with_the_reason(name: str, folder: Path) -> None:
    file, shares, words = COMMANDS[name]
    for share in sorted(shares, reverse=True):
        _cut(folder, file, share)
        done = invoke_in(folder, words)
        assert done.returncode == 1, f"{share}: {done.stdout + done.stderr}"
        assert file in done.stderr
        assert not [path for path in folder.rglob("*out*") if path.is_file()]


def test_an_archive_that_is_cut_off_gives_the_pages_before_the_cut_and_says_so(folder: Path) -> None:
    _cut(folder, "pages.warc.gz", 0.6)
    done = invoke_in(folder, ["identify", "pages.warc.gz", "--format", "csv"])
    assert done.stdout.count(",nl,Latn,") == 2
    assert "pages.warc.gz" in done.stdout.splitlines()[-1]
    assert "unreadable" in done.stderr
    assert done.returncode == 1, "something could not be read, and that is no success"


@pytest.mark.parametrize(
    "words", [["identify", "pages.warc.gz"], ["site", "learn", "pages.warc.gz", "--store", "s.db"]]
)
def test_an_archive_that_is_none_is_refused(words: list[str], folder: Path) -> None:
    (folder / "pages.warc.gz").write_bytes(b"\x1f\x8b but not packed")
    done = invoke_in(folder, words)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "pages.warc.gz" in done.stdout + done.stderr

"""What has no end is read up to a limit: lines, pages, records, pattern files, sitemaps, packed uploads."""

from __future__ import annotations

import gzip
import io
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import linksight
from linksight.bulk.formats import text_lines
from linksight.bulk.readers import Reader
from linksight.bulk.sources import Source
from linksight.errors import BadData, ModelFormatError
from linksight.pages.input.sources import MAX_PAGE_BYTES, from_file
from linksight.sites.gathering import link_sources
from linksight.sites.gathering.fetcher import Page
from linksight.sites.patterns import pattern_files
from linksight.sites.patterns.pattern import PatternSet
from linksight.studio.services import uploads
from linksight.studio.services.upload_limits import TableLimits


class _Endless(io.RawIOBase):
    """A line that never ends; it says how much of it was read."""

    taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, into: memoryview) -> int:  # type: ignore[override]
        into[:] = b"x" * len(into)
        self.taken += len(into)
        return len(into)


@pytest.mark.parametrize("kind", ["text", "jsonl"])
def test_a_line_that_never_ends_is_refused(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_lines, "CHUNK_BYTES", 1 << 16)
    monkeypatch.setattr(text_lines, "MAX_LINE_BYTES", 1 << 20)
    endless = _Endless()
    with pytest.raises(BadData, match="is no row of a table"):
        list(Reader([Source("list", kind, 0, io.BufferedReader(endless))]).blocks())
    assert endless.taken < 1 << 22


def test_a_pattern_file_beyond_the_limit_is_refused_and_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "patterns.json"
    PatternSet.from_texts(["http://a.org/p/*"]).save(path)
    assert len(linksight.load_patterns(path)) == 1
    path.write_bytes(path.read_bytes() + b" " * 10_000)  # as good as it was, and longer
    monkeypatch.setattr(pattern_files, "MAX_FILE_BYTES", 5_000)
    with pytest.raises(ModelFormatError, match="larger than 5,000 bytes"):
        linksight.load_patterns(path)


def _warc(body: bytes) -> bytes:
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    head = (
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:0>\r\n"
        f"WARC-Target-URI: http://a.example/\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {len(page)}\r\n\r\n"
    )
    return head.encode() + page + b"\r\n\r\n"


@pytest.mark.parametrize(
    ("name", "made"),
    [("page.html", bytes), ("pages.warc", _warc), ("pages.warc.gz", lambda body: gzip.compress(_warc(body)))],
)
def test_of_a_page_as_much_is_read_as_its_label_needs(
    name: str, made: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(made(b"<p>woord" * (3 * MAX_PAGE_BYTES // 8)))
    (page,) = from_file(tmp_path / name)
    assert len(page.body) == MAX_PAGE_BYTES


@dataclass
class _Sitemaps:
    """A host whose sitemaps name one another without end, or pages without end."""

    pages: int = 0
    asked: list[str] = field(default_factory=list)
    serial: itertools.count[int] = field(default_factory=itertools.count)

    def sitemaps(self, home: str) -> list[str]:
        return []

    def get(self, url: str) -> Page:
        self.asked.append(url)
        what = "urlset" if self.pages else "sitemapindex"
        places = "".join(f"<loc>http://a.org/{next(self.serial)}</loc>" for _ in range(self.pages or 3))
        return Page(url, 200, "text/xml", f"<{what}>{places}</{what}>".encode())


def test_sitemaps_that_name_one_another_end() -> None:
    host, notes = _Sitemaps(), list[str]()
    assert link_sources.sitemap_urls(host, "http://a.org/", notes) == []  # type: ignore[arg-type]
    assert len(host.asked) == link_sources.MAX_SITEMAPS
    assert notes == ["read 50 sitemaps, which is enough; 101 more are left out"]


def test_of_a_sitemap_so_many_pages_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_sources, "MAX_SITEMAP_URLS", 100)
    found = link_sources.sitemap_urls(_Sitemaps(pages=500), "http://a.org/")  # type: ignore[arg-type]
    assert len(found) == 100


def test_an_upload_is_unpacked_up_to_its_limit() -> None:
    packed = gzip.compress(b"http://a.nl/\n" * 1_000)
    assert len(uploads.from_file(io.BytesIO(packed), "urls.txt.gz", TableLimits(1_000, 13_000))) == 1_000
    with pytest.raises(BadData, match=r"urls\.txt\.gz"):
        uploads.from_file(io.BytesIO(packed), "urls.txt.gz", TableLimits(1_000, 12_000))

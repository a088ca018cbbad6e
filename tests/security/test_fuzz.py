"""Files of any kind with any bytes in them: read, or refused with an error of linksight's own."""

from __future__ import annotations

import contextlib
import gzip
import io
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import linksight
from linksight.cli import main
from linksight.crawl.fetch.robots import MAX_DELAY_SECONDS, Robots
from linksight.crawl.run.config import CrawlConfig
from linksight.errors import LinksightError, ModelFormatError
from linksight.lab.evaluation.labelled_urls import load_labelled
from linksight.models import load as load_classifier
from linksight.pages.input.sources import from_file, from_warc
from linksight.pages.langid.array_file import pack, unpack
from linksight.sites.evaluation.class_rules import read_rules
from linksight.sites.gathering.link_sources import cdx_urls, warc_hubs
from linksight.sites.gathering.url_files import url_list

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
BYTES = st.binary(max_size=400)
NESTED = b"[" * 100_000


@QUICK
@example(data=NESTED)
@example(data=b'{"format": "linksight-patterns", "version": 1, "patterns": ' + NESTED)
@given(data=BYTES)
def test_any_bytes_as_model_or_patterns_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    for load in (linksight.load, linksight.load_patterns, load_classifier):
        with pytest.raises(LinksightError):
            load(path)


@QUICK
@example(line=NESTED)
@example(line=b'{"arrays": {"a": ["uint8", -1]}, "digest": ""}')
@example(line=b'{"arrays": {"a": ["uint8", 1e300]}, "digest": ""}')
@given(line=BYTES)
def test_any_manifest_of_a_page_model_is_refused(line: bytes) -> None:
    whole = pack("linksight-test 1", {}, {}).split(b"\n", 2)
    with pytest.raises(ModelFormatError):
        unpack("linksight-test 1", b"\n".join((whole[0], line.replace(b"\n", b" "), whole[2])), "here")


def _damaged() -> bytes:
    """A Parquet file whose footer is whole, and whose rows are not."""
    sink = io.BytesIO()
    pq.write_table(pa.table({"url": ["http://a.de/"], "language": ["de"]}), sink)
    whole = sink.getvalue()
    return whole[:4] + b"\xff" * 60 + whole[64:]


@QUICK
@example(kind="parquet", data=_damaged())
@example(kind="jsonl", data=NESTED)
@example(kind="csv", data=b'url,language\n"unclosed,de\n')
@example(kind="csv", data=b"\x1f\x8b not packed")
@given(
    kind=st.sampled_from(["csv", "tsv", "jsonl", "parquet"]),
    data=BYTES | BYTES.map(lambda d: b"url,language\n" + d),
)
def test_any_table_is_read_or_refused(tmp_path: Path, kind: str, data: bytes) -> None:
    path = tmp_path / f"table.{kind}"
    path.write_bytes(data)
    with contextlib.suppress(LinksightError):
        load_labelled(path, skip_unknown=True)


def _record(n: int) -> bytes:
    page = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Dit is een gewone zin in het Nederlands.</p>"
    )
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{n}>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        f"WARC-Target-URI: http://a.example/{n}\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(page)}\r\n\r\n"
    )
    return head.encode() + page + b"\r\n\r\n"


WARC = _record(0) + _record(1)


@QUICK
@given(at=st.integers(0, len(WARC) - 1), new=st.binary(max_size=6), cut=st.booleans(), packed=st.booleans())
def test_a_damaged_archive_gives_pages_or_problems(
    tmp_path: Path, at: int, new: bytes, cut: bool, packed: bool
) -> None:
    data = WARC[:at] + new + (b"" if cut else WARC[at + len(new) :])
    path = tmp_path / "pages.warc.gz"
    path.write_bytes(gzip.compress(data) if packed else data)
    with path.open("rb") as stream:
        pages = list(from_warc(stream, str(path)))
    assert len(pages) <= 5
    assert all(page.name.startswith(str(path)) for page in pages)
    with contextlib.suppress(LinksightError):
        list(warc_hubs([path]))


def _zipped(name: str, data: bytes) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("site/a.html", b"<p>Dit is een gewone zin.</p>" * 9)
        archive.writestr(name, data)
    return sink.getvalue()


ZIPS = (_zipped("archive/a.warc", WARC), _zipped("b.html", b"<p>En dit is er nog een."))


@QUICK
@example(data=ZIPS[1], at=6, new=b"\x01", cut=False, ending="zip")  # it says that it is locked
@example(data=ZIPS[1], at=50, new=b"\xff\xff\xff", cut=False, ending="zip")
@given(
    data=st.sampled_from(ZIPS),
    at=st.integers(0, 400),
    new=st.binary(max_size=6),
    cut=st.booleans(),
    ending=st.sampled_from(["zip", "wacz", "docx"]),
)
def test_a_damaged_zip_gives_pages_or_problems(
    tmp_path: Path, data: bytes, at: int, new: bytes, cut: bool, ending: str
) -> None:
    path = tmp_path / f"pages.{ending}"
    path.write_bytes(data[:at] + new + (b"" if cut else data[at + len(new) :]))
    pages = list(from_file(path))
    assert pages
    assert all(page.name.startswith(str(path)) for page in pages)


def test_a_whole_archive_gives_its_pages(tmp_path: Path) -> None:
    (tmp_path / "pages.warc").write_bytes(WARC)
    with (tmp_path / "pages.warc").open("rb") as stream:
        pages = list(from_warc(stream, "pages.warc"))
    assert [page.url for page in pages] == ["http://a.example/0", "http://a.example/1"]


@QUICK
@example(data=b"[crawl]\na = " + NESTED)
@example(data=NESTED)
@given(data=BYTES | st.text(max_size=200).map(lambda text: b"[crawl]\n" + text.encode("utf-8", "replace")))
def test_any_settings_are_refused_with_the_reason(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "settings.toml").write_bytes(data)
    (tmp_path / "crawl.json").write_bytes(data)
    for read in (
        lambda: CrawlConfig.from_toml(tmp_path / "settings.toml"),
        lambda: CrawlConfig.load(tmp_path),
    ):
        with contextlib.suppress(LinksightError):
            read()
    with contextlib.suppress(LinksightError):
        read_rules(tmp_path / "settings.toml")


@QUICK
@example(data=b"CDX N b a m s k r M S V g\n" + b"x " * 11)
@example(data=b'com,example)/ 2020 {"url": ' + NESTED)
@example(data=b"\x1f\x8b\x08 packed, but not")
@given(data=BYTES | BYTES.map(lambda data: b"com,a)/ 20200101 " + data))
def test_any_list_or_index_of_urls_is_read_or_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    for read in (cdx_urls, url_list):
        with contextlib.suppress(LinksightError):
            assert all(isinstance(url, str) for url in read(path))


@QUICK
@example(body="User-agent: *\nDisallow: " + "*" * 200 + "\nCrawl-delay: 1e999\nSitemap: ftp://x")
@example(body="Disallow: /\n" * 2_000)
@example(body="User-agent: *\nCrawl-delay: 86400")
@example(body="".join(f"Sitemap: http://a.example/{i}.xml\n" for i in range(500)))
@given(
    body=st.text(max_size=300)
    | st.text(max_size=100).map(lambda text: f"User-agent: *\nDisallow: {text}\nCrawl-delay: {text}")
)
def test_any_robots_txt_is_obeyed_or_ignored(body: str) -> None:
    rules = Robots.read(200, body)
    assert rules.allows("http://a.example/b") in (True, False)
    assert 0 <= rules.delay <= MAX_DELAY_SECONDS
    assert len(rules.sitemaps) <= 50


@QUICK
@example(kind="jsonl", data=NESTED)
@example(kind="parquet", data=b"PAR1" + b"\xff" * 60 + b"PAR1")
@example(kind="csv", data=b'url\n"' + b"a" * 300)
@example(kind="csv", data=b'url,n\nhttp://a.nl/,1\n"' + b"a" * (9 << 20))  # a row that does not end
@given(kind=st.sampled_from(["txt", "csv", "tsv", "jsonl", "parquet", "txt.gz", "jsonl.zst"]), data=BYTES)
def test_any_list_is_labelled_or_refused_and_nothing_half_is_left(
    tmp_path: Path, kind: str, data: bytes
) -> None:
    source, target = tmp_path / f"list.{kind}", tmp_path / "out.csv"
    source.write_bytes(data)
    done = CliRunner().invoke(main, ["detect", "-i", str(source), "-o", str(target), "--overwrite", "-q"])
    assert done.exit_code in (0, 1), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    is_refused = "Error: " in done.stderr  # else 1 is the exit code of rows with a problem
    assert (target.exists(), done.exit_code) in ((not is_refused, 1), (True, 0))
    target.unlink(missing_ok=True)

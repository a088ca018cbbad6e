"""WARC files: readable by others, whole after every kind of end."""

import gzip
import io
import tracemalloc

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from linksight.crawl.archive import warc_writer
from linksight.crawl.archive.warc_records import (
    Exchange,
    Original,
    digest,
    http_head,
    request_head,
    request_headers,
)
from linksight.crawl.archive.warc_writer import path_of
from linksight.crawl.extract.links import header_links, outlinks, sitemap_links
from linksight.crawl.fetch.ipc import Frames, pack
from linksight.crawl.fetch.response import unpacked


def write(writer, url: str = "http://a.nl/", body: bytes = b"<p>tekst") -> tuple[str, int, int]:
    return writer.append(*exchange(url, body).records())


def exchange(url: str = "http://a.nl/", body: bytes = b"<p>tekst", value: str = "x") -> Exchange:
    headers = [("Content-Type", "text/html"), ("Transfer-Encoding", "chunked"), ("X-Odd", value)]
    head = http_head(200, "OK", headers, len(body))
    request = request_head(url, request_headers("us"))
    return Exchange(url, head, body, digest(body), 1.5, "192.0.2.1", request, {"language": "nl"})


def records_of(data: bytes):
    found = []
    for record in ArchiveIterator(io.BytesIO(data), check_digests="raise"):
        found.append((record.rec_type, record.rec_headers, record.content_stream().read()))
    return found


@pytest.fixture
def writer(tmp_path):
    made = warc_writer.WarcWriter(tmp_path, "w-1", {"software": "linksight"}, max_bytes=10_000)
    yield made
    made.close()


def test_records_are_read_back_by_warcio(writer, tmp_path):
    write(writer, body=b"<p>\xff tekst")
    writer.sync()
    writer.settle()
    kinds = records_of(path_of(tmp_path, writer.name).read_bytes())
    assert [kind for kind, _, _ in kinds] == ["warcinfo", "response", "request", "metadata"]
    assert kinds[1][2] == b"<p>\xff tekst"
    assert kinds[1][1].protocol == "WARC/1.1"
    named = kinds[1][1].get_header("WARC-Record-ID")
    assert kinds[3][1].get_header("WARC-Refers-To") == named
    assert kinds[2][1].get_header("WARC-Concurrent-To") == named


def test_a_revisit_has_the_headers_and_says_where_the_bytes_are():
    original = Original(7, "http://a.nl/first", 0.5)
    revisit = records_of(b"".join(exchange("http://a.nl/again").records(original)))
    kind, fields, body = revisit[0]
    assert (kind, body) == ("revisit", b"")
    assert fields.get_header("WARC-Refers-To-Target-URI") == "http://a.nl/first"
    assert fields.get_header("WARC-Refers-To-Date") == "1970-01-01T00:00:00.500000Z"
    assert fields.get_header("WARC-Payload-Digest") == digest(b"<p>tekst")
    assert fields.get_header("WARC-Profile").endswith("identical-payload-digest")


@given(st.binary(max_size=3000), st.text(max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_body_and_header_comes_back(body, value):
    response = exchange(body=body, value=value).records()[0]
    assert records_of(response)[0][2] == body


def test_a_rollback_leaves_no_trace(writer, tmp_path):
    write(writer)
    writer.sync()
    writer.settle()
    before = path_of(tmp_path, writer.name).read_bytes()
    write(writer, "http://b.nl/")
    writer.rollback(len(before))
    assert path_of(tmp_path, writer.name).read_bytes() == before
    _, offset, _ = write(writer, "http://c.nl/")
    assert offset == len(before)


def test_a_file_without_a_page_is_not_left_behind(writer, tmp_path):
    write(writer)
    writer.rollback(0)
    assert list((tmp_path / "warc").iterdir()) == []


def test_large_files_are_followed_by_others(writer, tmp_path):
    for number in range(6):
        write(writer, body=bytes(str(number), "ascii") + random_bytes(4_000, number))
        writer.settle()
    assert len(list((tmp_path / "warc").iterdir())) == 3


@given(
    st.lists(
        st.tuples(st.dictionaries(st.text(max_size=5), st.integers()), st.binary(max_size=50)), max_size=6
    ),
    st.integers(1, 9),
)
@settings(max_examples=60, deadline=None)
def test_frames_come_whole_however_they_are_cut(frames, step):
    data = b"".join(pack(head, body) for head, body in frames)
    reader, found = Frames(), []
    for start in range(0, len(data), step):
        found += reader.feed(data[start : start + step])
    assert found == frames


@given(st.binary(max_size=200), st.sampled_from(["gzip", "deflate", "br", "gzip, deflate", "", "nonsense"]))
@settings(max_examples=100, deadline=None)
def test_any_bytes_unpack_to_something_bounded(body, encoding):
    out = unpacked(body, encoding, 1000)
    assert out is None or len(out) <= 1000


@given(st.binary(max_size=400))
@settings(max_examples=100, deadline=None)
def test_any_bytes_can_be_searched_for_links(body):
    for link in outlinks(b"<a href=/x>" + body, "http://a.nl/"):
        assert link.url.startswith("http")
    sitemap_links(body)


def test_gzip_of_several_members_is_unpacked_whole_and_within_bounds():
    packed = gzip.compress(b"een ") + gzip.compress(b"twee")
    assert unpacked(packed, "gzip", 100) == b"een twee"
    assert unpacked(packed + b"padding", "gzip", 100) == b"een twee"
    assert unpacked(packed, "gzip", 7) is None
    assert unpacked(packed[:-9], "gzip", 100) == b"een twee"
    assert unpacked(gzip.compress(bytes(90)) * 1000, "gzip", 1000) is None


@pytest.mark.parametrize(("coding", "codec"), [("br", "brotli"), ("zstd", "zstd")])
def test_codings_that_nobody_asked_for_are_unpacked_within_bounds(coding, codec):
    packed = pyarrow.compress(b"een pagina", codec, asbytes=True)
    assert unpacked(packed, coding, 100) == b"een pagina"
    assert unpacked(pyarrow.compress(bytes(10**7), codec, asbytes=True), coding, 1000) is None
    assert unpacked(b"not packed", coding, 100) == b"not packed"


def test_a_page_that_asks_not_to_be_followed_is_not():
    link = b"<a href=/x>x</a>"
    assert len(outlinks(link, "http://a.nl/")) == 1
    assert outlinks(b'<meta name="robots" content="noindex, NOFOLLOW">' + link, "http://a.nl/") == []


def test_a_preview_that_is_forbidden_does_not_forbid_the_links():
    page = b'<meta name="robots" content="index, max-image-preview:none"><a href=/x>x</a>'
    assert len(outlinks(page, "http://a.nl/")) == 1
    assert outlinks(page.replace(b"index, max-image-preview:", b""), "http://a.nl/") == []


def test_links_behind_the_end_of_a_page_are_followed() -> None:
    page = b"<html><body><a href=/1>1</a></body></html><p><a href=/2>2</a></p></html><a href=/3>3</a>"
    assert [link.url for link in outlinks(page, "http://a.nl/")] == [f"http://a.nl/{n}" for n in (1, 2, 3)]
    late = b"<html><body></body></html><meta name=robots content=nofollow><a href=/2>2</a>"
    assert outlinks(late, "http://a.nl/") == []


def test_links_of_headers_are_read():
    header = '</nl>; rel="alternate"; hreflang="nl", <http://a.nl/c>;rel=canonical, </x.css>; rel=preload, </f>; rel=alternate; type="application/rss+xml"'
    assert [(link.url, link.hreflang) for link in header_links(header, "http://a.nl/")] == [
        ("http://a.nl/nl", "nl"),
        ("http://a.nl/c", ""),
    ]


@given(st.text(alphabet='<>;,="relhrfang nlternate/', max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_header_can_be_searched_for_links(header):
    assert all(link.url.startswith("http://a.nl/") for link in header_links(header, "http://a.nl/"))


def test_a_sitemap_may_be_plain_text():
    pages, more = sitemap_links(b"\xef\xbb\xbfhttp://a.nl/1\r\nhttp://a.nl/2\nftp://a.nl/3\n\n")
    assert ([link.url for link in pages], more) == (["http://a.nl/1", "http://a.nl/2"], [])


def test_a_base_element_moves_relative_links():
    page = b'<base href="http://b.nl/map/"><a href="x">x</a><iframe src="/y"></iframe><meta http-equiv=refresh content="0; url=/z">'
    assert [link.url for link in outlinks(page, "http://a.nl/")] == [
        "http://b.nl/map/x",
        "http://b.nl/y",
        "http://b.nl/z",
    ]


def test_the_first_base_element_with_an_address_decides():
    page = b'<base href="/map/"><a href=x>x</a><base target=_blank><base href="/else/"><a href=y>y</a>'
    assert [link.url for link in outlinks(page, "http://a.nl/")] == ["http://a.nl/map/x", "http://a.nl/map/y"]
    assert [link.url for link in outlinks(b'<base href="javascript:1"><a href=x>', "http://a.nl/q/")] == [
        "http://a.nl/q/x"
    ]


def test_a_sitemap_with_alternates_and_a_sitemap_of_sitemaps():
    page = (
        b'<urlset xmlns:x="http://www.w3.org/1999/xhtml"><url><loc>http://a.be/</loc>'
        b'<x:link rel="alternate" hreflang="nl" href="http://a.be/nl/"/></url></urlset>'
    )
    assert [(link.url, link.hreflang) for link in sitemap_links(page)[0]] == [
        ("http://a.be/", ""),
        ("http://a.be/nl/", "nl"),
    ]
    assert sitemap_links(b"<sitemapindex><sitemap><loc>http://a.be/s.xml</loc></sitemap></sitemapindex>") == (
        [],
        ["http://a.be/s.xml"],
    )


def test_an_entity_bomb_is_harmless():
    """Four entities that stand for ten of the one before each, as in the billion laughs."""
    laughs = ['<!ENTITY e0 "ha">', *(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 5))]
    bomb = f"<!DOCTYPE x [{''.join(laughs)}]><urlset><url><loc>http://a.nl/&e4;</loc></url></urlset>"
    assert all(len(link.url) < 100 for link in sitemap_links(bomb.encode())[0])


def test_an_entity_reads_no_file(tmp_path):
    (tmp_path / "secret").write_text("http://a.nl/secret")
    page = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{(tmp_path / "secret").as_uri()}">]><urlset><url><loc>&e;</loc></url></urlset>'
    assert sitemap_links(page.encode())[0] == []


def test_a_bomb_is_unpacked_no_further_than_the_limit():
    bomb = gzip.compress(bytes(50_000_000))
    tracemalloc.start()
    assert unpacked(bomb, "gzip", 100_000) is None
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()


def random_bytes(count: int, seed: int) -> bytes:
    import random

    return random.Random(seed).randbytes(count)

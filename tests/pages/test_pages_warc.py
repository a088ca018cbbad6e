"""WARC files, whole and cut off: packed record by record, packed whole, or plain."""

from __future__ import annotations

import gzip
import io
import json

import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.cli import main
from linksight.errors import BadData
from linksight.pages.input.gzip_stream import Unpacked
from linksight.pages.input.sources import MAX_PAGE_BYTES, from_stream
from linksight.sites.gathering.link_sources import warc_hubs

DUTCH = b"<p>Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.</p>"
URLS = ("http://a.example/", "http://b.example/", "http://c.example/")
WAYS = ("plain", "records", "whole")


def written(way: str, urls=URLS) -> tuple[bytes, list[int]]:
    """A WARC file, and the offsets at which a cut leaves it whole."""
    warcio = pytest.importorskip("warcio")
    stream, ends = io.BytesIO(), [0]
    writer = warcio.WARCWriter(stream, gzip=way == "records")
    for url in urls:
        headers = warcio.StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        writer.write_record(
            writer.create_warc_record(
                url, "response", payload=io.BytesIO(DUTCH), length=len(DUTCH), http_headers=headers
            )
        )
        ends.append(stream.tell())
    data = stream.getvalue()
    return (gzip.compress(data), [0]) if way == "whole" else (data, ends)


def pages(data: bytes, name: str = "x.warc.gz"):
    return list(from_stream(io.BytesIO(data), name))


@pytest.mark.parametrize("way", WAYS)
def test_a_whole_file_gives_every_page_and_no_problem(way):
    found = pages(written(way)[0])
    assert [(page.url, page.body, page.problem) for page in found] == [(url, DUTCH, None) for url in URLS]


@pytest.mark.parametrize("way", WAYS)
def test_a_cut_anywhere_but_between_records_is_told_once_and_last(way):
    data, ends = written(way)
    for cut in range(1, len(data)):
        found = pages(data[:cut])
        if cut in ends:
            assert [page.problem for page in found] == [None] * ends.index(cut)
            continue
        *before, last = found
        assert last.problem, cut
        assert all(page.problem is None and page.body == DUTCH for page in before)
        if way != "whole":  # all whole records are kept
            assert len(before) >= sum(end <= cut for end in ends[1:])


def test_the_problem_names_the_offset_of_the_record():
    data, ends = written("records")
    assert f"record at offset {ends[2]:,}:" in pages(data[: ends[2] + 300])[-1].problem
    data, ends = written("plain")
    problem = pages(data[: ends[3] - 30])[-1].problem
    assert f"record at offset {ends[2]:,}: 26 of" in problem


def test_the_command_names_file_and_offset_and_keeps_what_came_before(tmp_path):
    data, ends = written("records")
    path = tmp_path / "cut.warc.gz"
    path.write_bytes(data[:-50])
    result = CliRunner().invoke(main, ["identify", str(path), "--format", "jsonl"])
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["language"] for row in rows] == ["nl", "nl", None]
    assert str(path) in rows[-1]["page"]
    assert f"offset {ends[2]:,}" in rows[-1]["problem"]
    assert "1 unreadable" in result.stderr


def test_a_warc_file_is_known_by_its_bytes_also_on_standard_input():
    data, _ = written("records")
    result = CliRunner().invoke(main, ["identify", "-", "--format", "jsonl", "-q"], input=data)
    assert [json.loads(line)["url"] for line in result.stdout.splitlines()] == list(URLS)


def test_damage_in_the_middle_is_told_and_what_came_before_kept():
    data, ends = written("records")
    body = bytearray(data)
    body[ends[1] + 30 : ends[1] + 60] = b"\0" * 30
    found = pages(bytes(body))
    assert found[0].body == DUTCH
    assert found[-1].problem


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=300), max_size=5), st.integers(1, 400))
def test_members_one_after_the_other_unpack_to_their_contents(parts, size):
    stream = Unpacked(io.BytesIO(b"".join(map(gzip.compress, parts))))
    found = b""
    while data := stream.read(size):
        found += data
    assert found == b"".join(parts)
    assert not stream.is_cut


def packed_warc(coding: str, body: bytes, *, chunked: bool = False) -> bytes:
    """A WARC file of one page with a Content-Encoding, and of a plain one behind it."""
    warcio = pytest.importorskip("warcio")
    stream = io.BytesIO()
    writer = warcio.WARCWriter(stream, gzip=True)
    headers = [("Content-Type", "text/html"), ("Content-Encoding", coding)]
    if chunked:
        headers.append(("Transfer-Encoding", "chunked"))
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    for url, payload, told in ((URLS[0], body, headers), (URLS[1], DUTCH, headers[:1])):
        http = warcio.StatusAndHeaders("200 OK", told, protocol="HTTP/1.1")
        writer.write_record(
            writer.create_warc_record(
                url, "response", payload=io.BytesIO(payload), length=len(payload), http_headers=http
            )
        )
    return stream.getvalue()


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(
    ("coding", "codec"), [("br", "brotli"), ("zstd", "zstd"), ("BR", "brotli"), ("gzip", "gzip")]
)
def test_pages_are_unpacked_as_browsers_do(coding, codec, chunked):
    packed = gzip.compress(DUTCH) if codec == "gzip" else pa.compress(DUTCH, codec, asbytes=True)
    found = pages(packed_warc(coding, packed, chunked=chunked))
    assert [(page.body, page.problem) for page in found] == [(DUTCH, None)] * 2


@pytest.mark.parametrize("coding", ["br", "zstd"])
def test_what_is_not_packed_or_cut_off_is_read_as_far_as_it_goes(coding):
    assert [page.body for page in pages(packed_warc(coding, DUTCH))] == [DUTCH] * 2
    many = b"".join(b"%d, " % number for number in range(50_000))
    packed = pa.compress(many, {"br": "brotli"}.get(coding, coding), asbytes=True)
    page, plain = pages(packed_warc(coding, packed[: len(packed) // 2]))
    assert many.startswith(page.body) or page.body == packed[: len(packed) // 2]
    assert (page.problem, plain.body) == (None, DUTCH)


def test_a_packed_page_is_read_no_further_than_a_label_needs():
    packed = pa.compress(bytes(1 << 28), "zstd", asbytes=True)
    assert [len(page.body) for page in pages(packed_warc("zstd", packed))] == [MAX_PAGE_BYTES, len(DUTCH)]


@pytest.mark.parametrize("length", ["9" * 19, "9" * 40, "-1", "x", "9" * 5000])
def test_a_length_that_no_file_has_is_a_damage(length):
    data, _ = written("plain")
    first, behind = data.split(b"Content-Length: ", 1)
    *_, last = pages(first + b"Content-Length: " + length.encode() + behind)
    assert last.problem


def record_of(kind: str, url: str, body: bytes, content_type: str = "text/plain") -> bytes:
    """One record without an HTTP header, plain."""
    warcio = pytest.importorskip("warcio")
    stream = io.BytesIO()
    writer = warcio.WARCWriter(stream, gzip=False)
    writer.write_record(
        writer.create_warc_record(
            url, kind, payload=io.BytesIO(body), length=len(body), warc_content_type=content_type
        )
    )
    return stream.getvalue()


def test_texts_of_a_wet_file_are_pages():
    data = record_of("conversion", URLS[0], "Alle mensen worden vrij en gelijk geboren.".encode("utf-16-le"))
    data += record_of("conversion", URLS[1], DUTCH, "text/plain; charset=koi8-r")
    found = pages(data, "x.warc.wet.gz")
    assert [(page.url, page.content_type, page.problem) for page in found] == [
        (URLS[0], "text/plain", None),
        (URLS[1], "text/plain; charset=koi8-r", None),
    ]


def test_answers_of_name_servers_are_no_pages():
    data = record_of("response", "dns:a.example", b"a.example. IN A 192.0.2.1", "text/dns")
    assert pages(data + written("plain")[0]) == pages(written("plain")[0])


def test_a_packed_file_that_is_cut_inside_a_header_says_that_it_ends_there():
    data, ends = written("records")
    problems = {pages(data[:cut])[-1].problem for cut in range(ends[1] + 20, ends[1] + 200, 10)}
    assert all("ends" in problem for problem in problems), problems


def arc_of(urls=URLS) -> list[bytes]:
    """The records of an ARC file, which came before WARC."""
    info = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + DUTCH
    records = [
        ("filedesc://x.arc", "text/plain", info),
        ("dns:a.example", "text/dns", b"a.example. IN A 192.0.2.1"),
    ]
    records += [(url, "text/html", answer) for url in urls]
    return [
        f"{url} 192.0.2.1 20040101000000 {kind} {len(data)}\n".encode() + data + b"\n"
        for url, kind, data in records
    ]


@pytest.mark.parametrize("way", WAYS)
def test_the_pages_of_an_arc_file_are_read(way):
    records = arc_of()
    packed = {"plain": b"".join, "whole": lambda all_: gzip.compress(b"".join(all_))}
    data = packed.get(way, lambda all_: b"".join(map(gzip.compress, all_)))(records)
    found = pages(data, "x.arc.gz")
    assert [(page.url, page.body, page.content_type, page.problem) for page in found] == [
        (url, DUTCH, "text/html", None) for url in URLS
    ]


def test_an_arc_file_that_is_cut_off_says_so():
    records = arc_of()
    data = b"".join(records)
    for cut in range(len(records[0]) + len(records[1]) + 1, len(data)):
        found = pages(data[:cut], "x.arc")
        whole = cut in (
            len(data),
            len(data) - len(records[-1]),
            len(data) - len(records[-1]) - len(records[-2]),
        )
        assert (found[-1].problem is None) == whole, cut


def test_the_command_says_that_a_file_has_no_pages(tmp_path):
    path = tmp_path / "headers.warc"
    path.write_bytes(record_of("metadata", URLS[0], b"a: b", "application/warc-fields"))
    result = CliRunner().invoke(main, ["identify", str(path), "--format", "csv"])
    assert result.exit_code == 0
    assert "no page" in result.stderr
    assert "no page" not in CliRunner().invoke(main, ["identify", str(path), "--quiet"]).stderr


HEADERS = b"X: y\r\n" * 400_000
RECORD = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.nl/\r\nContent-Length: %d\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\n" + HEADERS


@pytest.mark.parametrize(
    "data",
    [
        b"WARC/1.0\r\n" + HEADERS,
        b"WARC/1.0\r\nX: " + b"y" * (4 << 20),
        b"WARC/1.0\r\nX: y\r\n" + b" y\r\n" * 400_000,
        RECORD % len(ANSWER) + ANSWER,
        RECORD % 0 + b"\r\n" * (1 << 20),
    ],
    ids=["headers", "one header", "continued", "headers of the answer", "empty lines"],
)
def test_a_head_without_end_is_a_problem_and_not_read_into_memory(tmp_path, data):
    """A file of 900 kB took 2 GB and minutes."""
    assert "head of a record" in pages(data)[-1].problem
    (tmp_path / "a.warc").write_bytes(data)
    with pytest.raises(BadData, match="head of a record"):
        list(warc_hubs([tmp_path / "a.warc"]))


def test_many_records_with_heads_only_are_within_the_limit():
    data, _ = written("plain", urls=URLS * 20)
    empty = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    assert len(pages(data + empty * 30_000 + data)) == 120

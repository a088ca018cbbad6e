"""WARC files hold what went over the wire, and replay tools serve it."""

import socket
import threading
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from linksight.crawl.archive.verify import check
from linksight.crawl.archive.warc_writer import WarcWriter
from linksight.crawl.report.crawl_queries import Ledger

WORDS = "een twee drie vier vijf zes zeven acht negen tien elf twaalf".split()


def chunked(body: bytes) -> bytes:
    half = len(body) // 2
    return (
        b"".join(b"%X;x=y\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:]))
        + b"0\r\n\r\n"
    )


class RawServer:
    """Answers each path with raw bytes, one connection at a time to a thread."""

    def __init__(self, pages: dict[str, bytes]) -> None:
        self.pages, self.asked = pages, {}
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.origin = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client:
            data = b""
            while b"\r\n\r\n" not in data:
                data += client.recv(4096) or b"\r\n\r\n"
            path = data.split(b" ")[1].decode()
            self.asked[path] = data
            client.sendall(self.pages.get(path, b"HTTP/1.1 404 Weg\r\nContent-Length: 0\r\n\r\n"))

    def close(self) -> None:
        self._socket.close()


def page(*links: str) -> bytes:
    anchors = "".join(f'<a href="{link}">{word}</a>' for link, word in zip(links, WORDS * 9, strict=False))
    return f'<html lang="nl"><body>tekst {anchors}</body></html>'.encode()


@pytest.fixture
def server():
    made = RawServer({})
    yield made
    made.close()


def records(folder: Path) -> dict[tuple[str, str], tuple]:
    found = {}
    for path in (folder / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, no_record_parse=True):
                url = record.rec_headers.get_header("WARC-Target-URI")
                found[record.rec_type, url] = (record.rec_headers, record.content_stream().read())
    return found


def test_bytes_are_kept_as_they_went_over_the_wire(server, crawl_with):
    raw = b"HTTP/1.0 200 Alles  goed\r\ncOnTent-TYPE: text/html\r\nX-Odd:a\r\nX-Odd:  b\r\n"
    server.pages["/"] = raw + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(page("/lf", "/groot", "/weg"))
    server.pages["/lf"] = b"HTTP/1.1 200 OK\nContent-Type: text/html\nConnection: close\n\n" + page()
    big = b"<html>" + b"x" * 60_000
    server.pages["/groot"] = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(big) + big
    )
    folder, _ = crawl_with(
        seeds=(server.origin + "/",), strategy="breadth-first", max_page_bytes=50_000, keep_errors=True
    )
    kept = records(folder)
    assert kept["response", server.origin + "/"][1] == server.pages["/"]
    assert kept["request", server.origin + "/"][1] == server.asked["/"]
    assert kept["response", server.origin + "/lf"][1] == server.pages["/lf"]
    headers, block = kept["response", server.origin + "/groot"]
    assert headers.get_header("WARC-Truncated") == "length"
    assert block.endswith(b"x" * 40_000)
    assert len(block) < 51_000
    for path in (folder / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            assert all(
                record.content_stream().read() is not None
                for record in ArchiveIterator(file, check_digests="raise")
            )
    assert kept["response", server.origin + "/weg"][1].startswith(b"HTTP/1.1 404 Weg")
    with Ledger.open(folder) as ledger:
        assert check(ledger.engine, folder).is_whole


def test_a_file_that_is_being_written_ends_in_open(tmp_path):
    writer = WarcWriter(tmp_path, "box-1-a", {}, 1 << 30)
    writer.append(b"x")
    assert [path.suffix for path in (tmp_path / "warc").iterdir()] == [".open"]
    writer.settle()
    writer.close()
    assert [path.suffix for path in (tmp_path / "warc").iterdir()] == [".gz"]

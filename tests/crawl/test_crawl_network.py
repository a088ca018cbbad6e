"""Requests through an HTTP proxy, and further headers for hosts."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from warcio.archiveiterator import ArchiveIterator

from linksight.crawl.run.config import CrawlConfig
from linksight.errors import BadConfig


@pytest.fixture
def proxy():
    """An HTTP proxy that answers for every host itself; ``requests`` has the headers by URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.requests[self.path] = dict(self.headers)
            body = b'<html lang="nl"><a href="http://www2.b.example/x/">b</a>'
            self.send_response(404 if self.path.endswith("robots.txt") else 200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.requests = {}
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_crawl_goes_through_a_proxy_with_headers_for_a_host(proxy, crawl_with, stored, tmp_path):
    headers = tmp_path / "headers.toml"
    headers.write_text('["www.a.example"]\nCookie = "member=1"\n')
    folder, _ = crawl_with(
        seeds=("http://www.a.example/",),
        strategy="breadth-first",
        proxy=f"http://me:pass@127.0.0.1:{proxy.server_port}",
        headers=str(headers),
        allow_private=False,
        timeout=60.0,
    )
    assert set(stored(folder)) == {"http://www.a.example/", "http://www2.b.example/x/"}
    first, second = proxy.requests["http://www.a.example/"], proxy.requests["http://www2.b.example/x/"]
    assert (first.get("Cookie"), second.get("Cookie")) == ("member=1", None)
    assert first["Proxy-Authorization"].startswith("Basic ")
    written = b"".join(path.read_bytes() for path in folder.glob("*.json*"))
    assert (folder / "crawl.json").stat().st_mode & 0o77 == 0
    assert b"pass@" not in written.replace((folder / "crawl.json").read_bytes(), b"")
    for path in (folder / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                text = record.content_stream().read()
                if record.rec_type == "request":
                    assert record.http_headers.get_header("Proxy-Authorization") is None
                assert b"me:pass" not in text


@pytest.mark.parametrize(
    ("text", "reason"), [("[a", "TOML|Expected"), ('Cookie = "x"', "needs a table"), ("[a]\nb = 1", "needs")]
)
def test_a_file_of_headers_that_is_none_is_an_error(tmp_path, text, reason):
    path = tmp_path / "headers.toml"
    path.write_text(text)
    with pytest.raises(BadConfig, match=reason):
        CrawlConfig(headers=str(path)).headers_by_host()
    with pytest.raises(BadConfig, match=r"nothing\.toml: No such file"):
        CrawlConfig(headers="nothing.toml").headers_by_host()


def test_a_proxy_is_a_url():
    with pytest.raises(BadConfig, match=r"proxy: an http\(s\) URL"):
        CrawlConfig(proxy="proxy.example:3128")

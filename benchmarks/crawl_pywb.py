"""Replay of a crawl in pywb: 100 kept pages must come back over HTTP with status 200 and their own body.

    python -m venv /tmp/pywb && /tmp/pywb/bin/pip install "setuptools<81" pywb
    python benchmarks/crawl_pywb.py --pywb /tmp/pywb/bin

pywb pins gevent and others that Scrapy's environment cannot share, so it needs a virtual environment. Hosts are
served by an HTTP proxy: names with www2, ports and IP addresses; paths with a slash at the end, queries, capitals,
percent codes; bodies in gzip and in chunks.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

HOSTS = ("www.a.example", "www2.b.example", "198.18.0.7", "c.example:8080", "d.co.uk.example")
PATHS = ("/", "/map/", "/map/{n}.html", "/vraag?b={n}&a=1", "/Groot/Letters{n}/", "/a%20b{n}", "/x;y={n}/", "/p{n}//q",
         "/gz/{n}", "/stuk/{n}", "/v1.0/{n}", "/index.php/map{n}", "/?id={n}", "/web/2020/http://e.example/{n}",
         "/caf%C3%A9{n}/", "/~me/{n}", "/a,b/{n}", "/a+b={n}", "/diep/er/en/nog/dieper/{n}/", "/{n}")  # fmt: skip


def pages() -> dict[str, str]:
    """The URLs with their bodies."""
    urls = [f"http://{host}{path.format(n=n)}" for n, host in enumerate(HOSTS) for path in PATHS]
    links = "".join(f'<a href="{url}">lees</a> ' for url in urls)
    return {
        url: f'<!DOCTYPE html><html lang="nl"><body>Dit is de pagina nummer {n} van het kleine web. {links}</body></html>'
        for n, url in enumerate(urls)
    }


class Handler(BaseHTTPRequestHandler):
    """Answers for every host."""

    protocol_version = "HTTP/1.1"
    bodies: dict[str, str]

    def do_GET(self) -> None:
        text = self.bodies.get(self.path)
        body = (text or "").encode()
        self.send_response(404 if text is None else 200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if "/gz/" in self.path:
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        if "/stuk/" in self.path:
            self.send_header("Transfer-Encoding", "chunked")
            parts = (body[:100], body[100:])
            body = b"".join(b"%X\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def crawl(folder: Path, urls: list[str]) -> None:
    """Crawl all pages through the proxy."""
    from linksight.crawl.run.api import start_crawl
    from linksight.crawl.run.config import CrawlConfig

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        config = CrawlConfig(
            language="nl", seeds=tuple(urls[:: len(PATHS)]), strategy="breadth-first", delay=0.0, sample=0,
            contact="benchmark@linksight.example", proxy=f"http://127.0.0.1:{server.server_port}", allow_private=True,
        )  # fmt: skip
        start_crawl(folder, config)
        server.shutdown()


def fetched(url: str, tries: int) -> tuple[int, str]:
    """Status and body of a URL; a server that starts is asked again."""
    for _ in range(tries):
        try:
            with urllib.request.urlopen(url, timeout=60) as response:
                return response.status, response.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            return error.code, ""
        except OSError:
            time.sleep(0.5)
    return 0, ""


def replay(pywb: Path, home: Path, files: list[str], bodies: dict[str, str]) -> list[str]:
    """The pages that do not come back, with the reason."""
    for words in (["init", "web"], ["add", "web", *files]):
        subprocess.run([pywb / "wb-manager", *words], cwd=home, check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [pywb / "wayback", "-p", str(port), "-b", "127.0.0.1"]
    server = subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wrong = []
    try:
        fetched(f"http://127.0.0.1:{port}/", 200)
        for url, body in bodies.items():
            status, text = fetched(f"http://127.0.0.1:{port}/web/id_/{url}", 3)
            if (status, text) != (200, body):
                wrong.append(f"{url}: status {status}, {len(text)} characters of {len(body)}")
            status, text = fetched(f"http://127.0.0.1:{port}/web/mp_/{url}", 3)
            if status != 200 or body.split("<a ", 1)[0].rpartition("<body>")[2] not in text:
                wrong.append(f"{url}: rewritten, status {status}")
    finally:
        server.terminate()
        server.wait()
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pywb", type=Path, required=True, help="folder of wb-manager and wayback")
    options = parser.parse_args()
    os.environ.pop("http_proxy", None)
    Handler.bodies = pages()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        crawl(home / "crawl", list(Handler.bodies))
        files = [str(path) for path in sorted((home / "crawl" / "warc").glob("*.warc.gz"))]
        (home / "replay").mkdir()
        wrong = replay(options.pywb.resolve(), home / "replay", files, Handler.bodies)
    print(json.dumps({"pages": len(Handler.bodies), "wrong": wrong}, indent=1))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

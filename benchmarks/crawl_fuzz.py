"""Hostile responses through a real crawl: pages, sitemaps, robots.txt, headers and encodings at random.

    python benchmarks/crawl_fuzz.py --responses 10000

Every response follows from its number and the seed. Counted is how often a worker ended before its crawl did.
"""

from __future__ import annotations

import argparse
import asyncio
import encodings.aliases
import gzip
import json
import random
import sys
import tempfile
import threading
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "src")]

PAGES = 40  #: of a host
_ENCODINGS = sorted({*encodings.aliases.aliases, *encodings.aliases.aliases.values(), "idna", "undefined", "punycode",
                     "unicode_escape", "raw_unicode_escape", "utf-7", "base64", "rot13", "zlib", "hex", "x", ""})  # fmt: skip
_HREFS = ["http://[::1", "http://a b/", "//", "///x", "http://%00/", "http://\x00/", "javascript:0", "http://xn--\xff/",
          "http://" + "a" * 400 + ".nl/", "http://a.nl:99999/", "\ud800", "?" + "&" * 3000, "/" + "x/" * 300, "#",
          "http://127.0.0.1:1/", "http://user:p@ss@a.nl/", "/%ff%fe%00", "http://\u212a.nl/", "/\u202e", "mailto:x",
          "/go?u=http%3A%2F%2F%00", "/a?" + "sess=1&" * 40, "data:text/html,x", "HTTP:\\\\a\\b", "http://[v1.x]/"]  # fmt: skip


def _junk(draw: random.Random, most: int = 400) -> bytes:
    return draw.randbytes(draw.randrange(most))


def _text(draw: random.Random) -> bytes:
    kinds: list[Callable[[], bytes]] = [
        lambda: _junk(draw, 3000),
        lambda: "".join(chr(draw.randrange(0x20, 0xD7FF)) for _ in range(200)).encode(),
        lambda: b"het weer wordt morgen beter dan vandaag want de wind draait " * draw.randrange(20),
        lambda: b"<div>" * draw.randrange(3000),
        lambda: b"<" * draw.randrange(5000),
        lambda: b"<table><tr>" * draw.randrange(500) + b"&#x110000;&#xD800;&#0;&" * 20,
        lambda: b"<![CDATA[" + _junk(draw) + b"<!--" + _junk(draw),
    ]
    return draw.choice(kinds)()


def _page(draw: random.Random, links: list[str]) -> bytes:
    encoding = draw.choice(_ENCODINGS)
    head = f'<meta charset="{encoding}"><base href="{draw.choice(["", "/x/", "http://[", "data:,"])}">'
    head += f'<meta http-equiv="refresh" content="{draw.choice(["0;url=http://[", "9" * 400, "0; url=/"])}">'
    shown = [*links, *draw.sample(_HREFS, 4)]
    anchors = "".join(
        f'<a hreflang="{draw.choice(["nl", "x" * 300, "", chr(0)])}" href="{link}">{"x" * draw.randrange(9)}</a>'
        for link in shown
    )
    body = f"<html><head>{head}</head><body>{anchors}".encode("utf-8", "surrogatepass") + _text(draw)
    return (
        body
        if draw.random() < 0.8
        else draw.choice([b"\xff\xfe", b"\xfe\xff", b"\x00", b"\xef\xbb\xbf"]) + body
    )


def _sitemap(draw: random.Random, links: list[str]) -> bytes:
    head = f'<?xml version="1.0" encoding="{draw.choice(_ENCODINGS)}"?>'.encode()
    doctype = (
        b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
        if draw.random() < 0.2
        else b""
    )
    places = "".join(f"<url><loc>{link}</loc></url>" for link in [*links, *draw.sample(_HREFS, 3)])
    body = (
        head + doctype + b"<urlset>&b;" + places.encode("utf-8", "surrogatepass") + b"</urlset>" + _junk(draw)
    )
    return gzip.compress(body) if draw.random() < 0.2 else body


def _robots(draw: random.Random, origin: str) -> bytes:
    lines = [b"User-agent: *", b"Disallow: /%zz*$*$", b"Crawl-delay: " + draw.choice([b"nan", b"-1", b"1e999", b"0", b"x"]),
             f"Sitemap: {origin}/sitemap.xml".encode(), b"Sitemap: " + _junk(draw, 50), b"Allow: " + b"*" * 300, _junk(draw)]  # fmt: skip
    draw.shuffle(lines)
    return draw.choice([b"\n", b"\r", b"\x00\n"]).join(lines)


def _encoded(draw: random.Random, body: bytes) -> tuple[bytes, str]:
    """A body and its Content-Encoding, which need not fit."""
    kind = draw.choice(
        ["", "", "", "gzip", "deflate", "br", "zstd", "gzip, gzip", "x" * 200, "identity", "bomb", "cut"]
    )
    if kind == "bomb":
        return gzip.compress(bytes(20_000_000)), "gzip"
    if kind == "cut":
        return gzip.compress(body)[: draw.randrange(1, 40)], "gzip"
    if kind == "deflate" and draw.random() < 0.5:
        return zlib.compress(body), kind
    return (gzip.compress(body), kind) if kind == "gzip" and draw.random() < 0.8 else (body, kind)


def response(number: int, seed: int, path: str, origin: str, links: list[str]) -> bytes:
    """The raw bytes of a response."""
    draw = random.Random(f"{seed} {number} {path}")
    if path == "/robots.txt":
        kind, body = "text/plain", _robots(draw, origin)
    elif path.startswith("/sitemap"):
        kind, body = "application/xml", _sitemap(draw, links)
    else:
        kind, body = (
            draw.choice(["text/html", "text/html", "application/xhtml+xml", "", "text/plain"]),
            _page(draw, links),
        )
    status = draw.choice([200] * 14 + [204, 206, 301, 302, 304, 404, 418, 429, 500, 503, 999, 100, 600])
    if path in ("/", "/robots.txt") or number % PAGES == 0:
        status = 200 if draw.random() < 0.9 else 404
    body, encoding = _encoded(draw, body)
    charset = f"; charset={draw.choice(_ENCODINGS)}" if draw.random() < 0.5 else ""
    lines = [
        f"HTTP/1.1 {status} X",
        f"Content-Type: {kind}{charset}",
        f"Content-Encoding: {encoding}" if encoding else "X: y",
    ]
    if 300 <= status < 400:
        lines.append(
            f"Location: {draw.choice([*links, 'http://[', '', '/x', '//', chr(233)] if links else ['/'])}"
        )
    if status in (429, 503):
        lines.append(
            f"Retry-After: {draw.choice(['0', '-5', 'soon', '0.5', 'Thu, 01 Jan 1970 00:00:00 GMT', '²'])}"
        )
    odd = ["Link: <" + "x" * 500, "Refresh: " + "9" * 300, "X-Robots-Tag: " + "," * 500, "ETag: " + "e" * 900,
           "Last-Modified: \x01\x02", "Set-Cookie: " + "c" * 4000, "Content-Language: " + "nl," * 200, "\x80: \xff"]  # fmt: skip
    lines += draw.sample(odd, draw.randrange(3))
    size = draw.choice([len(body)] * 8 + [len(body) + 10, max(len(body) - 5, 0)])
    framing = draw.choice(["length"] * 8 + ["chunked", "badchunk", "none", "junk"])
    if framing == "junk" and path != "/":
        return _junk(draw, 2000)
    if framing in ("chunked", "badchunk"):
        mark = (
            b"%x\r\n" % len(body)
            if framing == "chunked"
            else draw.choice([b"zz\r\n", b"fffffffff\r\n", b"-1\r\n"])
        )
        return (
            "\r\n".join([*lines, "Transfer-Encoding: chunked", "", ""]).encode("latin-1", "replace")
            + mark
            + body
            + b"\r\n0\r\n\r\n"
        )
    if framing == "length":
        lines.append(f"Content-Length: {size}")
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1", "replace") + body


class HostileWeb:
    """Hosts on loopback addresses that answer with hostile responses; each closes the connection after one."""

    def __init__(self, responses: int, seed: int) -> None:
        self.hosts, self.seed = -(-responses // PAGES), seed
        self.port = 0
        self.served: Counter[str] = Counter()
        self._servers: list[asyncio.Server] = []

    def origin(self, host: int) -> str:
        return f"http://127.7.{host // 250}.{1 + host % 250}:{self.port}"

    def seeds(self) -> list[str]:
        """A front page of each host, and its pages: hostile links may lead anywhere."""
        return [f"{self.origin(h)}/{n or ''}" for h in range(self.hosts) for n in range(PAGES)]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        local = writer.get_extra_info("sockname")[0]
        try:
            path = (await reader.readline()).split(b" ")[1].decode("latin-1")
            octets = local.split(".")
            host = int(octets[2]) * 250 + int(octets[3]) - 1
            name = path.strip("/").partition("?")[0]
            number = host * PAGES + (int(name) if name.isascii() and name.isdecimal() else 0) % PAGES
            draw = random.Random(number)
            links = [f"{self.origin(draw.randrange(self.hosts))}/{draw.randrange(PAGES)}" for _ in range(3)]
            self.served[f"{local}{path}"] += 1
            writer.write(response(number, self.seed, path, self.origin(host), links))
            await writer.drain()
        except (OSError, IndexError):
            pass
        finally:
            writer.close()

    def __enter__(self) -> HostileWeb:
        self._loop, ready = asyncio.new_event_loop(), threading.Event()

        async def begin() -> None:
            for host in range(self.hosts):
                address = self.origin(host).split("/")[2].rpartition(":")[0]
                server = await asyncio.start_server(self._serve, address, self.port)
                self._servers.append(server)
                self.port = server.sockets[0].getsockname()[1]
            ready.set()

        def run() -> None:
            asyncio.set_event_loop(self._loop)
            self._loop.run_until_complete(begin())
            self._loop.run_forever()
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            self._loop.close()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        def stop() -> None:
            for server in self._servers:
                server.close()
            self._loop.stop()

        self._loop.call_soon_threadsafe(stop)
        self._thread.join(60)


def fuzz(folder: Path, responses: int, seed: int) -> dict[str, Any]:
    """Crawl that many hostile responses; returns what came of it."""
    from linksight.crawl.report.crawl_queries import Ledger
    from linksight.crawl.run.config import CrawlConfig
    from linksight.crawl.run.worker import Worker
    from linksight.crawl.scoring.model_protocols import CountryModel, load_reader

    with HostileWeb(responses, seed) as web:
        settings: dict[str, Any] = {
            "delay": 0.0,
            "retry_wait": 0.01,
            "timeout": 30.0,
            "retries": 1,
            "sample": 0,
        }
        config = CrawlConfig(
            language="nl", seeds=tuple(web.seeds()), strategy="breadth-first", allow_private=True, max_pages=0,
            max_urls_per_host=300, max_page_bytes=2_000_000, **settings,
        )  # fmt: skip
        config.save(folder)
        ended, left = 0, -1
        for _ in range(5):
            try:
                # Hosts that were given up keep their URLs for ``resume``.
                left = Worker(folder, config, CountryModel(["nl", "en"]), load_reader()).run().waiting_hosts
                break
            except Exception as error:
                ended += 1
                print(f"a worker ended: {type(error).__name__}: {error}", file=sys.stderr)
        with Ledger.open(folder) as ledger:
            states, problems = ledger.states(), ledger.problems()
        return {"responses": responses, "asked": sum(web.served.values()), "ended": ended, "unfinished": left,
                "states": states, "processing_errors": problems.get("processing-error", 0)}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--responses", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(fuzz(Path(folder), options.responses, options.seed), indent=1))


if __name__ == "__main__":
    main()

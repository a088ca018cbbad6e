"""Fixtures of the tests of faults; what they stand on is in faults_places.py."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the tests of this folder share a module

from faults_places import Ended, Gate, files_of, on_small_disk


@pytest.fixture
def before(tmp_path: Path) -> Path:
    """The folder whose files the small disk holds at first."""
    (tmp_path / "before").mkdir()
    return tmp_path / "before"


@pytest.fixture
def full_disk(tmp_path: Path, before: Path) -> Callable[..., Ended]:
    """Runs a command on a disk with ``room`` bytes beside the files that are there."""

    def run(words: list[str], room: int) -> Ended:
        taken = sum(-(-len(data) // 4096) for data in files_of(before).values())
        return on_small_disk(tmp_path, 4096 * taken + room, words, "rw")

    return run


@pytest.fixture
def read_only(tmp_path: Path, before: Path) -> Callable[[list[str]], Ended]:
    """Runs a command on a disk that cannot be written."""
    return lambda words: on_small_disk(tmp_path, 64 << 20, words, "ro")


@pytest.fixture
def gate() -> Gate:
    """Stands open before the small site, unless a test shuts it."""
    return Gate()


@pytest.fixture
def small_site(gate: Gate) -> Iterator[tuple[str, Counter[str]]]:
    """Eighty pages that link to one another; the address, and how often each was asked for."""
    asked: Counter[str] = Counter()

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked[self.path] += 1
            gate.passed()
            name = self.path.rpartition("/")[2]
            number = int(name) if name.isdecimal() else 0
            links = "".join(
                f'<a href="/{kind}/{(number * 3 + step) % 40 + 1}">{kind}</a>'
                for step in range(12)
                for kind in ("item", "author")
            )
            known = self.path != "/robots.txt" and "sitemap" not in self.path
            body = f"<html><body>{links}</body></html>".encode() if known else b""
            self.send_response(200 if known else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", asked
    gate.open()
    server.shutdown()
    server.server_close()

"""Real sites on loopback, each started once for all tests."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import IO
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest

from linksight.lab.papers.other_papers.cala2016_local_sites import free_port
from linksight.sites.gathering.fetcher import FetchOptions
from linksight.sites.workbench.workbench import Workbench

collect_ignore_glob = ["apps/*", "schemes.py"]

APPS = Path(__file__).parent / "apps"


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


def _start(app: Callable) -> tuple[str, WSGIServer]:
    server = make_server("127.0.0.1", 0, app, _Server, _Quiet)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/", server


@pytest.fixture
def serve() -> Iterator[Callable[[Callable], str]]:
    """Starts a WSGI application; its address comes back, and it stops with the test."""
    servers = []

    def start(app: Callable) -> str:
        url, server = _start(app)
        servers.append(server)
        return url

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="session")
def shop(script) -> Iterator[tuple[str, object]]:
    """The address of the shop, and the application itself, which counts requests."""
    app = script("tests/sites/apps/shop_app.py").make_app()
    url, server = _start(app)
    yield url, app
    server.shutdown()
    server.server_close()


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=120).close()
    except OSError:
        return False
    return True


def _run_app(script: str, folder: Path) -> Iterator[str]:
    log = (folder / "log.txt").open("wb")
    process, url = _answering(script, folder, log)
    try:
        yield url
    finally:
        process.kill()
        process.wait()
        log.close()


def _answering(script: str, folder: Path, log: IO[bytes]) -> tuple[subprocess.Popen[bytes], str]:
    """The application at a port of its own; at another where somebody else was quicker."""
    deadline = time.monotonic() + 300
    while True:
        port = free_port()
        command = [sys.executable, str(APPS / script), str(folder / f"site{port}"), str(port)]
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
        url = f"http://127.0.0.1:{port}/"
        while process.poll() is None:
            if _answers(url):
                return process, url
            assert time.monotonic() < deadline, f"{script} does not answer"
            time.sleep(0.5)
        said = (folder / "log.txt").read_text(errors="replace")[-2000:]
        assert "in use" in said, f"{script} ended: {said}"
        assert time.monotonic() < deadline, said


@pytest.fixture(scope="session")
def trac(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("trac")
    yield from _run_app("trac_app.py", tmp_path_factory.mktemp("trac"))


@pytest.fixture(scope="session")
def wagtail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("wagtail")
    yield from _run_app("wagtail_app.py", tmp_path_factory.mktemp("wagtail"))


@pytest.fixture(scope="session")
def roundup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("roundup")
    yield from _run_app("roundup_app.py", tmp_path_factory.mktemp("roundup"))


@pytest.fixture
def bench() -> Iterator[Workbench]:
    with Workbench("sqlite://") as made:
        yield made


@pytest.fixture
def fast() -> FetchOptions:
    """As polite as loopback needs."""
    return FetchOptions(delay_s=0, timeout_s=120, retries=0, allow_private=True)

"""The metrics of a running crawl for Prometheus: in a file, and over HTTP on the loopback address only."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from linksight.crawl.frontier.heartbeat import live_workers
from linksight.crawl.monitor.stats import Tally
from linksight.errors import BadConfig, BadData
from linksight.system.atomic_write import write_whole
from linksight.system.file_lock import try_lock

FILE = "metrics.prom"


class MetricsFile:
    """Where node_exporter's textfile collector reads the metrics of a worker.

    Of several workers in a folder one has ``metrics.prom``, and the others a file each until that one ends.
    """

    def __init__(self, folder: Path, tally: Tally) -> None:
        self.folder = folder
        self.tally = tally
        self._own = folder / f"metrics-{tally.worker}.prom"
        self._lock: int | None = None

    def write(self) -> None:
        """Write the metrics as they are now."""
        path = self.folder / FILE if self._is_first() else self._own
        # A disk that is full ends the crawl at its next record, with word of what is safe; not here.
        with suppress(BadData):
            write_whole(path, self.tally.prometheus())

    def close(self) -> None:
        """Leave the common file to the next, as it is; a file of its own says nothing once its worker is gone."""
        self._own.unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _is_first(self) -> bool:
        """Whether the common file is this worker's; the kernel frees it when its worker ends, however that ends."""
        if self._lock is not None:
            return True
        self._lock = _locked(self.folder / "workers" / "metrics")
        if self._lock is None:
            return False
        living = {f"metrics-{worker}.prom" for worker in live_workers(self.folder)} - {self._own.name}
        for path in self.folder.glob("metrics-*.prom"):
            if path.name not in living:
                path.unlink(missing_ok=True)
        return True


def _locked(path: Path) -> int | None:
    """The lock on a file, or None where another process has it or there can be none."""
    with suppress(OSError):
        lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
        if try_lock(lock):
            return lock
        os.close(lock)
    return None


class MetricsServer:
    """Serves ``/metrics`` while it is open; a context manager."""

    def __init__(self, tally: Tally, port: int) -> None:
        told = tally

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = told.prometheus().encode() if self.path == "/metrics" else b"see /metrics\n"
                self.send_response(200 if self.path == "/metrics" else 404)
                self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing: a scrape a second is no news."""

        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        except OSError as error:
            raise BadConfig(f"metrics_port {port}: {error.strerror}") from None
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)

    def __enter__(self) -> MetricsServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

"""The metrics of a running crawl over HTTP, for Prometheus to fetch; on the loopback address only."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from linksight.crawl.tally import Tally
from linksight.errors import BadConfig


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

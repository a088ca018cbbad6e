"""HTTP servers of the demo: one for each site, on the loopback address."""

from __future__ import annotations

import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import urlsplit

from linksight.cli.demo import sites

ADDRESS = "127.0.0.1"


class DemoWeb:
    """Serves every site on a free port; a context manager."""

    def __enter__(self) -> DemoWeb:
        self._servers = [
            ThreadingHTTPServer((ADDRESS, 0), partial(_Handler, self, site))
            for site in range(len(sites.LANGUAGES))
        ]
        for server in self._servers:
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def origin(self, site: int) -> str:
        """Return the URL of a site, without a path."""
        return f"http://{ADDRESS}:{self._servers[site].server_port}"

    def front_pages(self) -> dict[str, str]:
        """Return the front page of the first site in each language."""
        return {
            language: f"{self.origin(sites.LANGUAGES.index(language))}/" for language in sites.VOCABULARIES
        }


class _Handler(BaseHTTPRequestHandler):
    """Answers requests for the pages of one site."""

    protocol_version = "HTTP/1.1"

    def __init__(self, web: DemoWeb, site: int, *rest: object) -> None:
        self._web, self._site = web, site
        super().__init__(*rest)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Send the page, or 404."""
        body = sites.page(self._site, urlsplit(self.path).path, self._web.origin)
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        """Log nothing: the crawl has its own log."""

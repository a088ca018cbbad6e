"""Runs the application: a socket, one process, a graceful shutdown."""

from __future__ import annotations

import contextlib
import errno
import socket
import sys
from collections.abc import Callable
from typing import Any

from linksight.errors import BadConfig, MissingExtra
from linksight.studio.config import Settings

BACKLOG = 4096  #: connections that may wait to be accepted
SWITCH_SECONDS = 0.001  #: seconds that a batch may hold the interpreter while single requests wait


def run(settings: Settings, say: Callable[[str], None] | None = None) -> None:
    """Serve until interrupted."""
    uvicorn = needed()
    from linksight.studio.app import create_app
    from linksight.studio.http_protocol import LimitedHttpProtocol

    listener = listen(settings.host, settings.port)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    if say:
        say(f"linksight studio: http://{host}:{listener.getsockname()[1]}/  (Ctrl-C ends it)")
    sys.setswitchinterval(SWITCH_SECONDS)
    config = uvicorn.Config(
        create_app(settings, warm=True), log_level="warning", access_log=False,
        server_header=False, timeout_graceful_shutdown=3, timeout_keep_alive=30, proxy_headers=False, ws="none",
        http=LimitedHttpProtocol,
    )  # fmt: skip
    # uvicorn shuts down gracefully, then raises the signal that ended it.
    with listener, contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])


def needed() -> Any:
    """Import uvicorn, or raise an error that names the missing extra."""
    try:
        import uvicorn
    except ImportError:
        raise MissingExtra("uvicorn", "studio", "the studio") from None
    return uvicorn


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, or an error that names the address."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        # With an explicit protocol: asyncio disables Nagle's algorithm only on declared TCP sockets.
        listener = socket.socket(found[0], found[1], found[2])
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(found[4])
            listener.listen(BACKLOG)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        hint = "; --port 0 takes any free port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else ""
        raise BadConfig(f"cannot listen at {host}:{port}: {error.strerror or error}{hint}") from None
    return listener

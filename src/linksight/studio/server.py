"""The server around the application: a socket, one process, an end in good order."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable

from linksight.errors import BadConfig, MissingExtra
from linksight.studio.settings import Settings

BACKLOG = 4096  #: connections that may wait: a thousand clients come at once


def run(settings: Settings, say: Callable[[str], None] | None = None) -> None:
    """Serve until told to stop."""
    try:
        import uvicorn
    except ImportError:
        raise MissingExtra("uvicorn", "studio", "the studio") from None
    from linksight.studio.app import create_app

    listener = listen(settings.host, settings.port)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    if say:
        say(f"linksight studio: http://{host}:{listener.getsockname()[1]}/  (Ctrl-C ends it)")
    # h11 by name: with httptools the first POST of Java's own client, which proposes HTTP/2, is refused.
    config = uvicorn.Config(
        create_app(settings, warm=True), http="h11", log_level="warning", access_log=False, server_header=False,
        timeout_graceful_shutdown=3, timeout_keep_alive=30, proxy_headers=False,
    )  # fmt: skip
    # uvicorn ends in good order, and then raises the signal that it was ended by.
    with listener, contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; an error that names the address where it cannot."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        # With its protocol named: asyncio turns off delays (Nagle) only on what it knows to be TCP.
        listener = socket.socket(found[0], found[1], found[2])
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(found[4])
        listener.listen(BACKLOG)
    except OSError as error:
        raise BadConfig(f"cannot listen at {host}:{port}: {error.strerror or error}") from None
    return listener

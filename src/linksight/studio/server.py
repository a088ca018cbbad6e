"""The server around the application: a socket, one process, an end in good order."""

from __future__ import annotations

import contextlib
import errno
import socket
import sys
from collections.abc import Callable
from typing import Any

from linksight.errors import BadConfig, MissingExtra
from linksight.studio.config import Settings

BACKLOG = 4096  #: connections that may wait: a thousand clients come at once
SWITCH_S = 0.001  #: how long a batch may keep single requests waiting for the interpreter


def run(settings: Settings, say: Callable[[str], None] | None = None) -> None:
    """Serve until told to stop."""
    uvicorn = needed()
    from linksight.studio.app import create_app

    listener = listen(settings.host, settings.port)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    if say:
        say(f"linksight studio: http://{host}:{listener.getsockname()[1]}/  (Ctrl-C ends it)")
    sys.setswitchinterval(SWITCH_S)
    config = uvicorn.Config(
        create_app(settings, warm=True), log_level="warning", access_log=False,
        server_header=False, timeout_graceful_shutdown=3, timeout_keep_alive=30, proxy_headers=False, ws="none",
    )  # fmt: skip
    # uvicorn ends in good order, and then raises the signal that it was ended by.
    with listener, contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])


def needed() -> Any:
    """The server that the extra brings; an error that names the extra where it is not installed."""
    try:
        import uvicorn
    except ImportError:
        raise MissingExtra("uvicorn", "studio", "the studio") from None
    return uvicorn


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; an error that names the address where it cannot."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        # With its protocol named: asyncio turns off delays (Nagle) only on what it knows to be TCP.
        listener = socket.socket(found[0], found[1], found[2])
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(found[4])
            listener.listen(BACKLOG)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        hint = "; --port 0 takes any that is free" if error.errno in (errno.EADDRINUSE, errno.EACCES) else ""
        raise BadConfig(f"cannot listen at {host}:{port}: {error.strerror or error}{hint}") from None
    return listener

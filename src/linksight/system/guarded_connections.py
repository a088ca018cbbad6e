"""HTTP opener that refuses connections to private networks.

The address is checked when the socket connects, so neither a redirect nor DNS rebinding can bypass the check.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import urllib.request
from contextlib import suppress
from typing import Any

from linksight.system.private_networks import is_private


class PrivateAddress(OSError):
    """The host resolves to a private address."""


def opener(allow_private: bool) -> urllib.request.OpenerDirector:
    """Return an opener for HTTP and HTTPS that follows no redirects and checks every address."""

    def connect(address: tuple[str, int], timeout: Any = None, source: Any = None) -> socket.socket:
        if allow_private:
            return socket.create_connection(address, timeout, source)
        return _first_that_answers(_checked_places(*address), timeout, source)

    class Plain(http.client.HTTPConnection):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._create_connection = connect

    class Secure(http.client.HTTPSConnection):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._create_connection = connect

    class PlainHandler(urllib.request.HTTPHandler):
        def http_open(self, request: urllib.request.Request) -> Any:
            return self.do_open(Plain, request)

    class SecureHandler(urllib.request.HTTPSHandler):
        def https_open(self, request: urllib.request.Request) -> Any:
            return self.do_open(Secure, request, context=ssl.create_default_context())

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *args: Any, **kwargs: Any) -> None:
            return None

    found = urllib.request.OpenerDirector()
    # Not build_opener: it adds handlers for file, data and FTP URLs.
    for handler in (
        PlainHandler, SecureHandler, Stay, urllib.request.HTTPErrorProcessor,
        urllib.request.HTTPDefaultErrorHandler, urllib.request.UnknownHandler,
    ):  # fmt: skip
        found.add_handler(handler())
    return found


def _checked_places(host: str, port: int) -> list[tuple[str, int]]:
    """Resolve a host; raise PrivateAddress if any of its addresses is private."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    places = [(str(place[0]), port) for *_, place in found]
    for address, _ in places:
        if is_private(address):
            raise PrivateAddress(f"{host} resolves to {address}, a private address")
    return list(dict.fromkeys(places))


def _first_that_answers(places: list[tuple[str, int]], timeout: Any, source: Any) -> socket.socket:
    """Connect to the first reachable of the checked addresses."""
    for place in places[:-1]:
        with suppress(OSError):
            return socket.create_connection(place, timeout, source)
    return socket.create_connection(places[-1], timeout, source)

"""Connections that go only where they may: not into private networks, unless the user allows it.

The address is checked at the moment of connecting, so that neither a redirect nor a name that changes leads around it.
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
    """A host that resolves to an address of a private network."""


def opener(allow_private: bool) -> urllib.request.OpenerDirector:
    """An opener that speaks HTTP alone, follows nothing by itself and connects only where it may."""

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
    # By hand: build_opener adds handlers of files, data and FTP, and any server could redirect to them.
    for handler in (
        PlainHandler, SecureHandler, Stay, urllib.request.HTTPErrorProcessor,
        urllib.request.HTTPDefaultErrorHandler, urllib.request.UnknownHandler,
    ):  # fmt: skip
        found.add_handler(handler())
    return found


def _checked_places(host: str, port: int) -> list[tuple[str, int]]:
    """The addresses of a host; refused where one of them is private, whichever would be taken."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    places = [(str(place[0]), port) for *_, place in found]
    for address, _ in places:
        if is_private(address):
            raise PrivateAddress(f"{host} is {address}, an address of a private network")
    return list(dict.fromkeys(places))


def _first_that_answers(places: list[tuple[str, int]], timeout: Any, source: Any) -> socket.socket:
    """A connection to the addresses that were checked, not to what the name says a moment later."""
    for place in places[:-1]:
        with suppress(OSError):
            return socket.create_connection(place, timeout, source)
    return socket.create_connection(places[-1], timeout, source)

"""Requests on behalf of a visitor: redirects and names that change must not lead into private networks."""

from __future__ import annotations

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

PUBLIC, PRIVATE = "127.0.0.2", "127.0.0.1"  # the first stands for an address of the public web


class Server:
    """A server that counts its visitors and answers as it is told."""

    def __init__(self, host: str) -> None:
        asked = self.asked = []
        answers = self.answers = {}

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                status, headers, body = answers.get(self.path, (404, {}, b""))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *parts: object) -> None:
                pass

        self.server = ThreadingHTTPServer((host, 0), Answer)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def servers():
    made = Server(PUBLIC), Server(PRIVATE)
    made[1].answers["/secret"] = (
        200,
        {"content-type": "text/html"},
        b"<p>the secret <a href='http://x.nl/'>x</a>",
    )
    yield made
    for server in made:
        server.close()


@pytest.fixture
def names(monkeypatch):
    """What names resolve to: a list is used up answer by answer, its last one stays."""
    from linksight.system import guarded_connections

    told: dict[str, list[str]] = {}
    real, is_private = socket.getaddrinfo, guarded_connections.is_private

    def resolve(host, port, *args, **kwargs):
        if host in told:
            address = told[host].pop(0) if len(told[host]) > 1 else told[host][0]
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]
        return real(host, port, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(
        guarded_connections, "is_private", lambda address: address != PUBLIC and is_private(address)
    )
    return told


@pytest.fixture
def strict(make_studio):
    """A studio that may not fetch from private networks."""
    with make_studio().visitor() as visitor:
        yield visitor


@pytest.mark.parametrize("path", ["/links", "/pages"])
def test_a_page_of_the_public_web_is_fetched(strict, servers, names, path):
    public, _ = servers
    names["public.example"] = [PUBLIC]
    public.answers["/"] = (
        200,
        {"content-type": "text/html"},
        b"<p>hello <a href='http://www.zeitung.de/'>x</a>",
    )
    assert (
        strict.submit(path, {"address": f"http://public.example:{public.port}/"}, page=path).status_code
        == 200
    )


@pytest.mark.parametrize("path", ["/links", "/pages"])
@pytest.mark.parametrize(
    "target",
    ["http://127.0.0.1:{port}/secret", "http://inside.example:{port}/secret", "//127.0.0.1:{port}/secret"],
)
def test_a_redirect_into_a_private_network_is_not_followed(strict, servers, names, path, target):
    public, private = servers
    names |= {"public.example": [PUBLIC], "inside.example": [PRIVATE]}
    public.answers["/"] = (302, {"location": target.format(port=private.port)}, b"")
    answer = strict.submit(path, {"address": f"http://public.example:{public.port}/"}, page=path)
    assert answer.status_code == 422
    assert "secret" not in answer.text
    assert "/" in public.asked
    assert private.asked == []


@pytest.mark.parametrize("path", ["/links", "/pages"])
@pytest.mark.parametrize("n_public", [1, 2, 3])
def test_a_name_that_changes_its_address_reaches_nothing_private(strict, servers, names, path, n_public):
    """DNS rebinding: the address that was checked is the one that is connected to, every time."""
    public, private = servers
    names["rebound.example"] = [*[PUBLIC] * n_public, PRIVATE]
    public.answers["/secret"] = (302, {"location": f"http://rebound.example:{private.port}/secret"}, b"")
    for port in (public.port, private.port):
        answer = strict.submit(path, {"address": f"http://rebound.example:{port}/secret"}, page=path)
        assert "the secret" not in answer.text
    assert private.asked == []


def test_learning_a_site_reaches_nothing_private_either(strict, servers):
    _, private = servers
    data = {"source": "sitemap", "home": f"http://127.0.0.1:{private.port}/", "delay": "0"}
    answer = strict.outcome(strict.submit("/sites/learn", data, page="/sites"))
    assert "Failed" in answer.text
    assert private.asked == []

"""Connections and visitors: half requests end, sign-in is throttled, one visitor cannot take all jobs."""

from __future__ import annotations

import re
import socket
import threading
import time

import pytest

from linksight.studio import http_protocol, jobs
from linksight.studio.http_protocol import LimitedHttpProtocol
from linksight.studio.jobs import Job, Jobs
from linksight.studio.middleware import request_body
from linksight.studio.responses import Busy

TOKEN = "a-long-secret-token"


def answer_to(studio, *pieces: bytes, wait: float = 30) -> bytes:
    """What the server sends until it closes the connection."""
    with socket.create_connection(("127.0.0.1", studio.port), timeout=wait) as client:
        try:
            for piece in pieces:
                client.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass
        try:
            return b"".join(iter(lambda: client.recv(1 << 16), b""))
        except ConnectionResetError:
            return b""


@pytest.mark.parametrize("name", [b"X-Big: ", b"GET /"])
def test_a_head_without_end_is_refused(make_studio, name):
    studio = make_studio()
    head = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" if name != b"GET /" else b""
    answer = answer_to(studio, head + name, *[b"x" * (1 << 20)] * 20)
    assert answer[:12] in (b"HTTP/1.1 431", b"")


def test_an_unreadable_request_gets_a_problem_document(make_studio):
    answer = answer_to(make_studio(), b"nonsense\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"application/problem+json" in answer


@pytest.mark.parametrize("half", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-"])
def test_half_a_head_ends(make_studio, monkeypatch, half):
    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.3)
    assert answer_to(make_studio(), half) == b""


def test_half_a_body_ends(make_studio, monkeypatch):
    monkeypatch.setattr(request_body, "BODY_IDLE_SECONDS", 0.3)
    head = b"POST /v1/detect/batch HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\n"
    answer = answer_to(make_studio(), head + b"http://a.nl/")
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"stalled" in answer


def test_a_body_that_drips_ends(make_studio, monkeypatch):
    monkeypatch.setattr(request_body, "BODY_IDLE_SECONDS", 0.5)
    head = b"POST /v1/detect HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n"
    with socket.create_connection(("127.0.0.1", make_studio().port), timeout=0.1) as client:
        client.sendall(head)
        answer = b""
        for _ in range(300):  # 30 seconds at most
            try:
                client.sendall(b"x")
                answer += client.recv(1 << 16)
            except TimeoutError:
                continue
            except OSError:
                pass
            break
    assert answer.startswith(b"HTTP/1.1 408")


def test_a_client_that_does_not_read_is_disconnected(make_studio, monkeypatch):
    monkeypatch.setattr(http_protocol, "STALL_SECONDS", 0.3)
    studio = make_studio()
    with socket.create_connection(("127.0.0.1", studio.port), timeout=30) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 90)
        until = time.monotonic() + 30
        while studio.server.server_state.connections or not studio.server.server_state.total_requests:
            assert time.monotonic() < until
            time.sleep(0.05)


def test_requests_in_a_pipeline_are_answered_and_a_flood_of_them_is_refused(make_studio):
    studio = make_studio()
    request = b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    last = request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    assert answer_to(studio, request * 50 + last).count(b"HTTP/1.1 200") == 51
    answer = answer_to(studio, *[request * 1_000] * 20)
    assert answer.count(b"HTTP/1.1 200") < 20_000


def test_a_stream_may_pause_longer(make_studio, monkeypatch):
    monkeypatch.setattr(request_body, "BODY_IDLE_SECONDS", 0.05)
    head = b"POST /v1/detect/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    studio = make_studio()
    with socket.create_connection(("127.0.0.1", studio.port), timeout=30) as client:
        client.sendall(head + b"0d\r\nhttp://a.nl/\n\r\n")
        time.sleep(0.3)
        client.sendall(b"0d\r\nhttp://a.de/\n\r\n0\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(1 << 16), b""))
    assert answer.count(b'"language"') == 2


def test_sign_in_is_throttled_and_its_body_is_small(make_studio):
    with make_studio(token=TOKEN).visitor() as visitor:
        statuses = [visitor.submit("/login", {"token": "wrong"}, page="/login").status_code for _ in range(8)]
        assert statuses[:5] == [403] * 5
        assert 429 in statuses
        assert visitor.get("/login").status_code == 200
        page = visitor.post("/login", content=b"x" * (1 << 20))
        assert page.status_code in (413, 429)


def test_a_visitor_may_sign_out(make_studio):
    with make_studio(token=TOKEN).visitor() as visitor:
        visitor.submit("/login", {"token": TOKEN}, page="/login")
        assert visitor.get("/sites").url.path == "/sites"
        assert visitor.submit("/logout", {}).url.path == "/login"
        assert visitor.get("/sites").url.path == "/login"


def test_one_visitor_cannot_take_all_jobs():
    end, queue = threading.Event(), Jobs(workers=1)

    def work(job):
        end.wait()
        return "/"

    try:
        mine = [queue.start(Job("run", "x", owner="a"), work) for _ in range(jobs.MAX_OPEN_PER_VISITOR)]
        with pytest.raises(Busy, match="of yours"):
            queue.start(Job("run", "x", owner="a"), work)
        other = queue.start(Job("run", "x", owner="b"), work)
        queue.cancel(mine[-1])
        assert mine[-1].state == "cancelled"
    finally:
        end.set()
    until = time.monotonic() + 30
    while not all(job.is_over for job in (*mine, other)):
        assert time.monotonic() < until
        time.sleep(0.01)
    queue.close()


def test_the_jobs_of_a_visitor_with_none_running_come_first():
    end, order, queue = threading.Event(), [], Jobs(workers=2)

    def work(job):
        order.append(job.title)
        if job.title == "a1":
            end.wait(30)
        return "/"

    block = threading.Event()
    queue.start(Job("run", "first", owner="c"), lambda job: (block.wait(30), "/")[1])
    queue.start(Job("run", "a1", owner="a"), work)
    for title in ("a2", "a3"):
        queue.start(Job("run", title, owner="a"), work)
    last = queue.start(Job("run", "b1", owner="b"), work)
    block.set()
    while not last.is_over:
        time.sleep(0.01)
    assert order.index("b1") < order.index("a2")
    end.set()
    queue.close()


def test_jobs_survive_a_restart_and_leave_no_files(tmp_path):
    hold, done = threading.Event(), []

    def endless(job):
        while True:
            job.progress(0)
            hold.wait(0.01)

    first = Jobs(tmp_path, {"run": endless}, workers=1)
    for number in range(2):
        job = Job("run", f"job {number}", task={"n": number})
        (first.files_of(job) / "data").write_text("x")
        first.submit(job)
    first.close()
    time.sleep(0.2)
    (tmp_path / "0123456789abcdef").mkdir()

    def work(job):
        done.append(job.task["n"])
        return "/"

    second = Jobs(tmp_path, {"run": work}, workers=1)
    second.restore()
    until = time.monotonic() + 30
    while len(done) < 2 or any(not job.is_over for job in second.all()):
        assert time.monotonic() < until
        time.sleep(0.01)
    second.close()
    assert sorted(done) == [0, 1]
    assert list(tmp_path.iterdir()) == []


def test_a_waiting_upload_that_is_cancelled_leaves_no_file(make_studio, tmp_path):
    studio = make_studio()
    end = threading.Event()
    for _ in range(2):
        studio.app.state.jobs.start(Job("learn", "x"), lambda job: (end.wait(60), "/")[1])
    with studio.visitor() as visitor:
        sent = visitor.submit("/sites/learn", {"source": "urls", "name": "x"}, page="/sites",
                              files={"file": ("a.txt", b"http://a.nl/\n")})  # fmt: skip
        number = re.search(r"/jobs/(\w+)", str(sent.url))[1]
        folder = studio.app.state.settings.data_dir / "jobs"
        assert list(folder.glob("*/upload-*"))
        visitor.submit(f"/jobs/{number}/cancel", {})
        assert not list(folder.glob(f"{number}*"))
    end.set()


PROXY = {"x-forwarded-for": "6.6.6.6, 203.0.113.7", "x-forwarded-proto": "https", "host": "links.example.org"}


def test_behind_a_proxy_cookies_are_secure_and_visitors_are_counted_by_their_address(make_studio):
    studio = make_studio(behind_proxy=True, token=TOKEN, names=("links.example.org",), rate=0.001, burst=3)
    with studio.visitor(headers=PROXY) as visitor:
        page = visitor.get("/login")
        assert "Secure" in page.headers["set-cookie"]
        answers = [visitor.get("/v1/health") for _ in range(4)]
        assert [answer.status_code for answer in answers].count(429) >= 1
        other = PROXY | {"x-forwarded-for": "203.0.113.8"}
        assert visitor.get("/v1/health", headers=other).status_code == 200
        assert visitor.get("/v1/health", headers=PROXY | {"host": "evil.example"}).status_code == 421


def test_without_the_option_forwarded_headers_are_not_trusted(make_studio):
    studio = make_studio(rate=0.001, burst=2)
    with studio.visitor() as visitor:
        answers = [visitor.get("/v1/health", headers={"x-forwarded-for": f"203.0.113.{n}"}) for n in range(3)]
    assert answers[-1].status_code == 429
    assert answers[0].headers["ratelimit-limit"] == "2"
    assert answers[0].headers["ratelimit-remaining"] == "1"


def test_a_visitor_never_chooses_a_database(visitor):
    form = {
        "contact": "crawls@library.example",
        "language": "nl",
        "seeds": "https://www.nu.nl/",
        "store": "postgresql://me@db/x",
        "strategy": "none",
    }
    assert "postgres" not in visitor.get("/crawls").text.lower()
    assert "strategy" in visitor.submit("/crawls", form, page="/crawls").text


def test_the_window_of_the_bookmarklet_has_an_opener_and_no_other_page_has(visitor):
    assert visitor.get("/").headers["cross-origin-opener-policy"] == "same-origin"
    assert visitor.get("/links/bridge").headers["cross-origin-opener-policy"] == "unsafe-none"


def test_the_server_uses_the_limited_protocol(monkeypatch):
    import uvicorn

    from linksight.studio import server
    from linksight.studio.config import Settings

    made = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: made.append(self.config.http))
    server.run(Settings(port=0))
    assert made == [LimitedHttpProtocol]

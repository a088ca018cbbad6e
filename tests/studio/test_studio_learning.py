"""Learning from files and sitemaps in the workbench: progress that moves, a cancel that ends it."""

from __future__ import annotations

import gzip
import io
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from linksight.studio.services.workbench.learning_worker import ProgressReporter

KINDS = ("product", "author", "news")


def pages(n: int):
    """A small shop: pages that link to each other, by kind."""
    for i in range(n):
        links = "".join(
            f'<a href="/{kind}/{(i * 7 + k) % n}">{kind} {k}</a>' for kind in KINDS for k in range(8)
        )
        yield f"http://shop.example/{KINDS[i % 3]}/{i}", f"<html><title>{i}</title>{links}</html>".encode()


def warc(n: int) -> bytes:
    """As gzipped members, one a record."""
    records = []
    for i, (url, body) in enumerate(pages(n)):
        answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (
            len(body),
            body,
        )
        head = (
            f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
            f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{i:012}>\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(answer)}\r\n\r\n"
        )
        records.append(gzip.compress(head.encode() + answer + b"\r\n\r\n", 1))
    return b"".join(records)


def cdx(n: int) -> bytes:
    lines = [
        f"example,shop)/{i} 20240101000000 {url} text/html 200 X - - 1 0 a.warc.gz"
        for i, (url, _) in enumerate(pages(n))
    ]
    return "\n".join([" CDX N b a m s k r M S V g", *lines]).encode()


def begin(visitor, source: str, name: str, data: bytes, filename: str, **more):
    """Upload a file to learn from; the page of the job."""
    answer = visitor.submit("/sites/learn", {"source": source, "name": name} | more, page="/sites",
                            files={"file": (filename, data)})  # fmt: skip
    assert any("/jobs/" in str(one.url) for one in (*answer.history, answer)), answer.text
    return answer


def seen(visitor, answer, happened):
    """The first page of a job that shows something; the job waits for it, or has no end."""
    shown = next((page for page in visitor.watch(answer) if happened(page)), None)
    assert shown, "the job ended before"
    return shown


#: Runs in the process that learns, before it begins.
HELD = """
import os, sys, time
if "linksight.studio.services.workbench.learning_worker" in sys.orig_argv:
    from linksight.sites.gathering import gather as gathering
    from linksight.sites.workbench import workbench
    add, learn = workbench.Workbench.add_hub, gathering.learn_site
    met = []
    def held(self, site, hub):
        number = add(self, site, hub)
        met.append(number)
        while len(met) % 1_000 == 0 and not os.path.exists(os.path.join({place!r}, f"go-{{len(met)}}")):
            time.sleep(0.02)
        return number
    def endless(*given, **options):
        while True:
            learn(*given, **options)
    workbench.Workbench.add_hub = held
    if os.path.exists(os.path.join({place!r}, "endless")):
        gathering.learn_site = endless
"""


@pytest.fixture
def held(tmp_path, monkeypatch):
    """A folder by which learning is held: after every thousand pages it waits for a file there."""
    (tmp_path / "sitecustomize.py").write_text(HELD.format(place=str(tmp_path)))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def watched(visitor, answer):
    """Everything the job said of itself, and the last page."""
    *live, last = visitor.watch(answer)
    said = [re.search(r'role="status">(.*?)</p>', page.text, re.DOTALL)[1] for page in live]
    return [re.sub(r"\s+", " ", words) for words in said], last


class SlowText(io.StringIO):
    """What is written to it by others may come between any two of one's own writes."""

    def write(self, text: str) -> int:
        written = super().write(text)
        time.sleep(0.001)
        return written


def test_two_threads_never_write_into_each_others_lines():
    out = SlowText()
    reporter = ProgressReporter(out)
    speakers = [
        threading.Thread(target=lambda: [reporter.write(done=n) for n in range(20)]),
        threading.Thread(target=lambda: [reporter.report() for _ in range(20)]),
    ]
    for speaker in speakers:
        speaker.start()
    for speaker in speakers:
        speaker.join()
    lines = out.getvalue().splitlines()
    assert len(lines) == 40
    assert all("done" in json.loads(line) for line in lines)


def names(visitor) -> list[str]:
    return visitor.get("/v1/sites").json()


@pytest.mark.parametrize(("source", "make", "filename"), [("warc", warc, "a.warc.gz"), ("cdx", cdx, "a.cdx")])
def test_a_site_is_learnt_from_an_archive(visitor, source, make, filename):
    _, answer = watched(visitor, begin(visitor, source, f"shop-{source}", make(120), filename))
    assert "http://shop.example/product/*" in answer.text
    assert "http://shop.example/author/*" in answer.text


def share(answer) -> float:
    """How much of the job is done, as its bar shows it."""
    return float(re.search(r'<progress value="([\d.]+)"', answer.text)[1])


def test_reading_a_large_archive_is_watched_and_cancelled(visitor, held):
    answer = begin(visitor, "warc", "large", warc(4_000), "large.warc.gz")
    answer = seen(visitor, answer, lambda page: "reading the file, 999 pages so far" in page.text)
    first = share(answer)
    (held / "go-1000").touch()
    answer = seen(visitor, answer, lambda page: "reading the file, 1,999 pages so far" in page.text)
    assert 0 < first < share(answer) <= 1
    visitor.submit(f"{answer.url.path}/cancel", {}, page=answer.url.path)
    _, answer = watched(visitor, visitor.get(str(answer.url)))
    assert "Cancelled" in answer.text
    assert "large" not in names(visitor), "of a file there is no half"


def test_a_long_list_can_be_cancelled_while_it_is_learnt(visitor, held):
    (held / "endless").touch()
    urls = "\n".join(
        f"http://long.example/{kind}/{i}/{i % 977}" for i in range(20_000) for kind in KINDS
    ).encode()
    answer = begin(visitor, "urls", "long", urls, "long.txt")
    answer = seen(visitor, answer, lambda page: "learning the patterns" in page.text)
    visitor.submit(f"{answer.url.path}/cancel", {}, page=answer.url.path)
    said, answer = watched(visitor, visitor.get(str(answer.url)))
    assert "Cancelled" in answer.text, said
    assert "long" not in names(visitor)


def test_a_damaged_archive_is_an_error_that_names_it_and_leaves_no_site(visitor):
    _, answer = watched(visitor, begin(visitor, "warc", "broken", b"not a WARC at all", "x.warc"))
    assert "Failed" in answer.text
    assert "not a WARC file" in answer.text
    assert "broken" not in names(visitor)


class Site(BaseHTTPRequestHandler):
    """A site with a sitemap index; some of its sitemaps are not given before they may be."""

    gates: dict[str, threading.Event]

    def do_GET(self) -> None:
        host = self.headers["host"]
        if self.path == "/sitemap.xml":
            parts = "".join(f"<sitemap><loc>http://{host}/part{i}.xml</loc></sitemap>" for i in range(12))
            body = f"<sitemapindex>{parts}</sitemapindex>"
        elif self.path.startswith("/part"):
            number = self.path.removeprefix("/part").removesuffix(".xml")
            if number in self.gates:
                self.gates[number].wait()
            body = "".join(
                f"<url><loc>http://{host}/{kind}/{number}{i}</loc></url>" for i in range(20) for kind in KINDS
            )
            body = f"<urlset>{body}</urlset>"
        else:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("content-type", "application/xml")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *parts: object) -> None:
        pass


@pytest.fixture
def gates():
    """Two sitemaps of the site that wait until they may be given."""
    return {"3": threading.Event(), "7": threading.Event()}


@pytest.fixture
def site(gates):
    class Gated(Site):
        pass

    Gated.gates = gates
    server = ThreadingHTTPServer(("127.0.0.1", 0), Gated)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    for gate in gates.values():
        gate.set()
    server.shutdown()
    server.server_close()


def requests_so_far(page) -> int:
    found = re.search(r"(\d+) requests so far", page.text)
    return int(found[1]) if found else 0


def test_a_sitemap_is_watched_request_by_request(visitor, site, gates):
    data = {"source": "sitemap", "home": site, "name": "mapped", "delay": "0"}
    answer = visitor.submit("/sites/learn", data, page="/sites")
    answer = seen(visitor, answer, lambda page: requests_so_far(page) > 1)
    gates["3"].set()
    seen(visitor, answer, lambda page: requests_so_far(page) > requests_so_far(answer))
    gates["7"].set()
    _, answer = watched(visitor, visitor.get(str(answer.url)))
    assert "mapped" in names(visitor), answer.text


def test_a_sitemap_can_be_cancelled(visitor, site):
    data = {"source": "sitemap", "home": site, "name": "halted", "delay": "0"}
    answer = visitor.submit("/sites/learn", data, page="/sites")
    answer = seen(visitor, answer, lambda page: "requests so far" in page.text)
    visitor.submit(f"{answer.url.path}/cancel", {}, page=answer.url.path)
    _, answer = watched(visitor, visitor.get(str(answer.url)))
    assert "Cancelled" in answer.text

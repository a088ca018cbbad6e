"""Recrawl: pages are captured again by age and change rate, and unchanged ones are stored as revisits."""

from __future__ import annotations

import json
import time

import pytest
from click.testing import CliRunner
from sqlalchemy import select, update
from warcio.archiveiterator import ArchiveIterator

from linksight.cli import main
from linksight.crawl.frontier import sql_schema
from linksight.crawl.report.crawl_queries import Ledger
from linksight.crawl.run.api import seconds_of
from linksight.crawl.run.recrawl import is_due
from linksight.errors import BadConfig

DAY = 86_400.0
HTML = {"Content-Type": "text/html"}


def make_older(folder, days: float) -> None:
    with Ledger.open(folder) as ledger, ledger.engine.begin() as connection:
        at = sql_schema.pages.c.fetched_at
        connection.execute(update(sql_schema.pages).values(fetched_at=at - days * DAY))


def run(*words) -> str:
    done = CliRunner().invoke(main, ["crawl", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def site(local_web):
    """A site with a page that supports conditional requests, one that changes, and one that stays the same."""

    class Changing(local_web):
        text = "eerst"

        async def _serve_client(self, reader, writer):
            self.requests = getattr(self, "requests", [])
            lines = []
            while (line := await reader.readline()).strip():
                lines.append(line.decode().strip())
            path = lines[0].split(" ")[1]
            self.requests.append((path, lines[1:]))
            links = "".join(f'<a href="/{name}">lees</a>' for name in ("etag", "changes", "same"))
            bodies = {"/": f'<html lang="nl">{links}', "/changes": f'<html lang="nl">{self.text} nieuws'}
            bodies |= {"/same": '<html lang="nl">altijd hetzelfde', "/etag": '<html lang="nl">met een merk'}
            head = 'ETag: "1"\r\n' if path == "/etag" else ""
            body = bodies.get(path, "").encode()
            status = "200 OK" if path in bodies else "404 Not Found"
            if any(line == 'If-None-Match: "1"' for line in lines):
                status, body = "304 Not Modified", b""
            writer.write(
                f"HTTP/1.1 {status}\r\n{head}Content-Type: text/html\r\nConnection: close\r\n"
                f"Content-Length: {len(body)}\r\n\r\n".encode()
                + body
            )
            await writer.drain()
            writer.close()

    with Changing(hosts=1, pages=0) as web:
        yield web


def test_pages_are_captured_again_and_unchanged_ones_are_revisits(site, crawl_with):
    folder, tally = crawl_with(seeds=(f"{site.origin(0)}/",), strategy="breadth-first", sitemaps=False)
    assert tally.pages == 4
    make_older(folder, 8)
    site.text, site.requests = "later", []
    run("run", "--out", folder, "--since", "7d", "-q")
    assert sorted(path for path, _ in site.requests if path != "/robots.txt") == [
        "/",
        "/changes",
        "/etag",
        "/same",
    ]
    kinds = {}
    for path in sorted((folder / "warc").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                if record.rec_type in ("response", "revisit"):
                    url = record.rec_headers.get_header("WARC-Target-URI").rpartition("/")[2]
                    profile = record.rec_headers.get_header("WARC-Profile") or ""
                    kinds.setdefault(url, []).append((record.rec_type, profile.rpartition("/")[2]))
                record.content_stream().read()
    full = ("response", "")
    identical, unmodified = ("revisit", "identical-payload-digest"), ("revisit", "server-not-modified")
    assert kinds == {
        "": [full, identical],
        "changes": [full, full],
        "same": [full, identical],
        "etag": [full, unmodified],
    }
    with Ledger.open(folder) as ledger:
        totals = ledger.totals()
        rows = ledger._rows(select(sql_schema.pages.c.language).where(sql_schema.pages.c.status == 304))
    assert (totals["pages"], totals["recaptured"], totals["unchanged"]) == (4, 4, 3)
    assert [row.language for row in rows] == ["nl"]
    assert "all as they should be" in run("check", folder)
    status = json.loads(run("status", folder, "--format", "json"))
    assert status["totals"]["pages"] == 4


def test_a_page_that_does_not_change_waits_longer(site, crawl_with):
    folder, _ = crawl_with(seeds=(f"{site.origin(0)}/",), strategy="breadth-first", sitemaps=False)
    for _ in range(2):
        make_older(folder, 8)
        site.text += " nog meer heel ander nieuws van vandaag over iets anders"
        site.requests = []
        run("resume", folder, "--since", "7d", "-q")
    make_older(folder, 8)
    site.requests = []
    run("resume", folder, "--since", "7d", "-q")
    assert {path for path, _ in site.requests} - {"/robots.txt"} == {"/changes"}
    site.requests = []
    run("resume", folder, "--since", "7d", "-q")
    assert site.requests == []


def test_what_was_fetched_lately_is_not_due():
    captures = [(0.0, "a", None)]
    assert not is_due(captures, -1.0, 5.0)
    assert is_due(captures, 1.0, 5.0)


def test_an_age_or_a_date():
    assert seconds_of("12h") == 43_200
    assert abs(seconds_of("2026-01-31") - (time.time() - 1_769_817_600)) < 5
    with pytest.raises(BadConfig, match=r"since: an age such as .* not 'soon'"):
        seconds_of("soon")


def test_the_crawl_log_has_heritrix_layout(local_web, crawl_with):
    with local_web(hosts=2, pages=3) as web:
        folder, _ = crawl_with(
            seeds=(web.url(0, 0), f"{web.origin(0)}/gone"), strategy="breadth-first", sitemaps=False
        )
        lines = [line.split() for line in (folder / "crawl.log").read_text().splitlines()]
    assert all(len(line) == 12 for line in lines)
    found = {line[3]: line for line in lines}
    assert set(web.all_urls()) <= set(found)
    assert found[f"{web.origin(0)}/gone"][1] == "404"
    other = found[web.url(0, 1)]
    assert (other[1], other[4], other[5], other[6]) == ("200", "L", web.url(0, 0), "text/html")
    assert other[9].startswith("sha1:")
    assert "language:nl" in other[11] or "language:en" in other[11]

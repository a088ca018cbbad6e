"""What a crawl archives: requests, robots.txt and revisits, all of it in the index, all of it readable."""

import io
import json
import subprocess
import sys

import pytest
from warcio.archiveiterator import ArchiveIterator

from linksight.crawl.archive.cdxj import write_index
from linksight.crawl.archive.warc_records import metadata_uri, page_of_metadata
from linksight.crawl.report.crawl_queries import Ledger
from linksight.lab.simulation.warc_web import web_from_warcs
from linksight.results import PageLabel

HTML = {"Content-Type": "text/html; charset=utf-8"}
SAME = b'<html lang="nl"><body>overal dezelfde tekst</body></html>'


@pytest.fixture
def crawled(local_web, crawl_with):
    """A host with two pages that have the same bytes, and a robots.txt."""
    with local_web(hosts=1, pages=0) as web:
        links = b'<html lang="nl"><body>begin <a href="/een">1</a> <a href="/twee">2</a></body></html>'
        web.extra = {
            "/": (200, HTML, links),
            "/een": (200, HTML, SAME),
            "/twee": (200, HTML, SAME),
            "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /geheim\n"),
        }
        folder, _ = crawl_with(
            seeds=(f"{web.origin(0)}/",), strategy="breadth-first", user_agent="us/1", revisits=True,
            archive_robots=True,
        )  # fmt: skip
        return folder, web.origin(0)


def records(folder):
    found = []
    for path in sorted((folder / "warc").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                url = record.rec_headers.get_header("WARC-Target-URI") or ""
                found.append((record.rec_type, url.rpartition("/")[2], record.rec_headers, record.http_headers,
                              record.content_stream().read()))  # fmt: skip
    return found


def test_every_answer_has_its_request(crawled):
    folder, _ = crawled
    kept = records(folder)
    requests = {name: head for kind, name, _, head, _ in kept if kind == "request"}
    assert set(requests) == {"", "een", "twee", "robots.txt"}
    assert requests["een"].get_header("User-Agent") == "us/1"
    assert requests["een"].statusline == "/een HTTP/1.1"
    answers = {
        fields.get_header("WARC-Record-ID")
        for kind, _, fields, _, _ in kept
        if kind in ("response", "revisit")
    }
    asked = {fields.get_header("WARC-Concurrent-To") for kind, _, fields, _, _ in kept if kind == "request"}
    assert asked == answers


def test_the_same_bytes_are_kept_once_and_pointed_to(crawled):
    folder, origin = crawled
    kept = {(kind, name): (fields, body) for kind, name, fields, _, body in records(folder)}
    full, again = ("een", "twee") if ("response", "een") in kept else ("twee", "een")
    fields, body = kept["revisit", again]
    assert body == b""
    assert fields.get_header("WARC-Refers-To-Target-URI") == f"{origin}/{full}"
    assert fields.get_header("WARC-Refers-To-Date") == kept["response", full][0].get_header("WARC-Date")
    assert fields.get_header("WARC-Payload-Digest") == kept["response", full][0].get_header(
        "WARC-Payload-Digest"
    )
    assert ("metadata", again) in kept


def indexed(folder):
    """The lines that cdxj-indexer, which pywb uses, writes for a crawl: key, time and fields."""
    # In a process of its own: it leaves temporary files open.
    command = [sys.executable, "-c", "from cdxj_indexer.main import main; main()", "--sort"]
    files = sorted((folder / "warc").glob("*.warc.gz"))
    output = subprocess.run([*command, *files], capture_output=True, check=True, text=True).stdout
    lines = [line.split(" ", 2) for line in output.splitlines()]
    return [(key, at, json.loads(fields)) for key, at, fields in lines]


def test_other_indexers_find_the_answer_alone_under_the_address_of_a_page(crawled):
    """What replay tools index under the address of a page, they serve as the page."""
    folder, origin = crawled
    lines = indexed(folder)
    own = {key for key, _, fields in lines if fields["mime"] == "application/json"}
    pages = [(key, fields) for key, _, fields in lines if fields["url"].startswith(origin)]
    assert sorted(fields["url"].removeprefix(origin) for _, fields in pages) == [
        "/",
        "/een",
        "/robots.txt",
        "/twee",
    ]
    assert {fields["mime"] for _, fields in pages} == {"text/html", "text/plain", "warc/revisit"}
    assert len(own) == 3
    assert own.isdisjoint(key for key, _ in pages)


def test_metadata_names_its_page_and_its_answer(crawled):
    folder, origin = crawled
    kept = records(folder)
    answers = {fields.get_header("WARC-Record-ID"): fields for kind, _, fields, _, _ in kept
               if kind in ("response", "revisit")}  # fmt: skip
    for kind, _, fields, _, _ in kept:
        if kind == "metadata":
            answer = answers[fields.get_header("WARC-Refers-To")]
            url = answer.get_header("WARC-Target-URI")
            assert fields.get_header("WARC-Concurrent-To") == answer.get_header("WARC-Record-ID")
            assert fields.get_header("WARC-Target-URI") == metadata_uri(url)
            assert page_of_metadata(metadata_uri(url)) == url
    assert page_of_metadata(f"{origin}/een") == f"{origin}/een"  # as crawls before wrote it


def test_the_index_lists_everything_where_it_is(crawled):
    folder, origin = crawled
    with Ledger.open(folder) as ledger:
        assert write_index(ledger.engine, folder) == 4
    split = [line.split(" ", 2) for line in (folder / "index.cdxj").read_text().splitlines()]
    theirs = {(key, at) for key, at, fields in indexed(folder) if fields["url"].startswith(origin)}
    assert {(key, at) for key, at, _ in split} == theirs
    lines = [json.loads(fields) for _, _, fields in split]
    kinds = {line["url"].removeprefix(origin): line["mime"] for line in lines}
    assert kinds.pop("/robots.txt") == "text/plain"
    assert sorted(kinds.values()) == ["text/html", "text/html", "warc/revisit"]
    for line in lines:
        with (folder / "warc" / line["filename"]).open("rb") as file:
            file.seek(int(line["offset"]))
            record = next(iter(ArchiveIterator(file)))
            assert record.rec_headers.get_header("WARC-Target-URI") == line["url"]
            assert record.rec_type == ("revisit" if line["mime"] == "warc/revisit" else "response")


def test_a_web_of_warc_files_has_the_pages_behind_revisits_and_no_robots_txt(crawled):
    folder, origin = crawled
    web = web_from_warcs(
        sorted((folder / "warc").glob("*.gz")), lambda *_: PageLabel("nl", "Latn", "utf-8", 1.0)
    )
    assert sorted(web.urls) == [f"{origin}/{path}" for path in ("", "een", "twee")]
    assert [size for url, size in zip(web.urls, web.sizes, strict=True) if url[-1] != "/"] == 2 * [len(SAME)]


def test_links_of_a_web_of_warc_files_lead_through_redirects(local_web, crawl_with):
    html = {"Content-Type": "text/html"}
    with local_web(hosts=1, pages=0) as web:
        web.extra = {
            "/": (200, html, b'<html lang="nl"><a href="/old">x</a><a href="/round">y</a></html>'),
            "/old": (301, {"Location": "/older"}, b""),
            "/older": (302, {"Location": "/new"}, b""),
            "/new": (200, html, b'<html lang="nl"><a href="/back">x</a></html>'),
            "/back": (302, {"Location": "/new"}, b""),
            "/round": (302, {"Location": "/round"}, b""),
        }
        folder, _ = crawl_with(seeds=(f"{web.origin(0)}/",), strategy="breadth-first")
    label = PageLabel("nl", "Latn", "utf-8", 1.0)
    stored = web_from_warcs(sorted((folder / "warc").glob("*.gz")), lambda *_: label)
    named = {url.rpartition("/")[2]: links for url, links in zip(stored.urls, stored.links, strict=True)}
    assert named == {"": [stored.urls.index(f"{web.origin(0)}/new")], "new": []}


def test_the_view_and_the_metrics_tell_the_length_of_the_queue(local_web, crawl_with):
    from rich.console import Console

    from linksight.crawl.monitor.live_view import draw
    from linksight.crawl.monitor.prometheus import metrics_text
    from linksight.crawl.monitor.stats import Tally

    with local_web(hosts=4, pages=30, latency=0.02) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first", concurrency=2)
        folder_log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    seen = [(line["waiting"], line["waiting_hosts"]) for line in folder_log if line["event"] == "progress"]
    assert any(waiting > 0 and hosts > 0 for waiting, hosts in seen)
    tally = Tally("nl", worker="w1", waiting=1234, waiting_hosts=56)
    assert 'linksight_crawl_queue_urls{worker="w1"} 1234.0' in metrics_text(tally)
    assert 'linksight_crawl_queue_hosts{worker="w1"} 56.0' in metrics_text(tally)
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(draw(tally))
    assert "queue: 1,234 URLs on 56 hosts" in console.export_text()

"""An error while one response is processed costs that response: it is on record, and the crawl goes on."""

import json

import pytest
from warcio.archiveiterator import ArchiveIterator

from linksight.crawl.archive.verify import check
from linksight.crawl.extract.links import sitemap_links
from linksight.crawl.fetch.robots import Robots
from linksight.crawl.report.crawl_queries import Ledger
from linksight.crawl.report.explain import why
from linksight.crawl.run.response_processor import Digester
from linksight.results import PageLabel

HTML = {"Content-Type": "text/html; charset=utf-8"}
XML = {"Content-Type": "application/xml"}
SITEMAP = '<?xml version="1.0" encoding="{}"?><urlset><url><loc>{}/kaart</loc></url></urlset>'


def page(*links: str) -> bytes:
    anchors = "".join(f'<a href="{link}">lees meer</a>' for link in links)
    return f'<html lang="nl"><body>tekst {anchors}</body></html>'.encode()


@pytest.fixture
def site(local_web):
    with local_web(hosts=1, pages=0) as web:
        origin = web.origin(0)
        web.extra = {
            "/": (200, HTML, page("/kapot", "/goed")),
            "/kapot": (200, HTML, page("/achter-kapot")),
            "/goed": (200, HTML, page("/verder")),
            "/verder": (200, HTML, page()),
            "/kaart": (200, HTML, page()),
            "/robots.txt": (200, {}, f"User-agent: *\nSitemap: {origin}/sitemap.xml\n".encode()),
            "/sitemap.xml": (200, XML, SITEMAP.format("idna", origin).encode()),
        }
        yield web


@pytest.fixture
def crawl(site, crawl_with):
    def run(**settings):
        seeds = (f"{site.origin(0)}/",)
        return crawl_with(seeds=seeds, strategy="breadth-first", sample=0, **settings)

    return run


def known(folder, url):
    with Ledger.open(folder) as ledger:
        return why(ledger, url)


def notes(folder):
    lines = map(json.loads, (folder / "log.jsonl").read_text().splitlines())
    return [line for line in lines if line["event"] == "processing-error"]


def responses(folder):
    kept = {}
    for path in (folder / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                if record.rec_type == "response":
                    kept[record.rec_headers.get_header("WARC-Target-URI")] = record.content_stream().read()
    return kept


def read_or_break(body, content_type, url):
    if url.endswith("/kapot"):
        raise ZeroDivisionError("a reader's fault")
    return PageLabel("nl", "Latn", "utf-8", 0.95)


@pytest.mark.parametrize("keep", ["all", "target"])
def test_a_page_that_cannot_be_processed_is_kept_and_explained(site, crawl, stored, keep):
    broken = f"{site.origin(0)}/kapot"
    folder, tally = crawl(reader=read_or_break, keep=keep)
    assert tally.phase == "done"
    assert {url.rpartition("/")[2] for url in stored(folder)} >= {"", "goed", "verder", "kaart"}
    told = known(folder, broken)
    assert (told["state"], told["reason"]) == ("done", "processing-error")
    assert "processing its response" in told["answer"]
    assert "ZeroDivisionError" in told["problem"]
    assert responses(folder)[broken] == site.extra["/kapot"][2]
    (note,) = notes(folder)
    assert note["url"] == broken
    assert "read_or_break" in note["traceback"]
    with Ledger.open(folder) as ledger:
        assert check(ledger.engine, folder).is_whole

    _, tally = crawl(reader=read_or_break, keep=keep)
    assert tally.phase == "done"
    assert len(notes(folder)) == 1
    assert sum(n for path, n in site.served.items() if path.endswith("/kapot")) == 1


def test_links_that_cannot_be_judged_cost_their_page_alone(site, crawl, stored, monkeypatch):
    refusal = Digester.refusal

    def break_one(self, url, depth):
        if url.endswith("/achter-kapot"):
            raise KeyError(url)
        return refusal(self, url, depth)

    monkeypatch.setattr(Digester, "refusal", break_one)
    folder, tally = crawl()
    assert tally.phase == "done"
    assert known(folder, f"{site.origin(0)}/kapot")["reason"] == "processing-error"
    assert {url.rpartition("/")[2] for url in stored(folder)} >= {"", "goed", "verder", "kaart"}
    assert len(notes(folder)) == 1


def test_a_robots_txt_that_cannot_be_processed_closes_its_host(site, crawl, monkeypatch):
    def fail(*_):
        raise IndexError("rules")

    monkeypatch.setattr(Robots, "read", fail)
    folder, tally = crawl(retries=0)
    assert tally.phase == "done"
    assert known(folder, f"{site.origin(0)}/")["reason"] == "robots-unavailable"
    assert notes(folder)[0]["url"].endswith("/robots.txt")


@pytest.mark.parametrize("encoding", ["idna", "undefined", "punycode"])
def test_a_sitemap_in_an_encoding_that_is_none_is_read_as_one_in_an_unknown_encoding(
    site, crawl, stored, encoding
):
    site.extra["/sitemap.xml"] = (200, XML, SITEMAP.format(encoding, site.origin(0)).encode())
    for _ in range(2):  # the second run resumes the crawl
        folder, tally = crawl()
        assert tally.phase == "done"
    assert known(folder, f"{site.origin(0)}/sitemap.xml")["reason"] == "sitemap"
    assert f"{site.origin(0)}/kaart" in stored(folder)
    assert notes(folder) == []


def test_no_codec_of_python_breaks_the_sitemap_reader():
    import encodings
    import pkgutil

    names = {module.name for module in pkgutil.iter_modules(encodings.__path__)} | {"a..b", "-", "x" * 40}
    for name in sorted(names):
        body = SITEMAP.format(name.replace("_", "-"), "http://a.nl").encode() + b"\xff\xfe"
        sitemap_links(body)

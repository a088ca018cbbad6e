"""Crawls of a real local web: everything is fetched once and stored once."""

import gzip
import json
import re
import ssl
from ipaddress import ip_address
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select

from linksight.crawl.frontier import sql_schema
from linksight.crawl.monitor.prometheus import MetricsFile
from linksight.crawl.monitor.stats import Journal, Tally
from linksight.crawl.report.crawl_queries import Ledger
from linksight.crawl.report.explain import why
from linksight.results import PageLabel

HTML = {"Content-Type": "text/html; charset=utf-8"}


def page(*links: str, lang: str = "nl", head: str = "") -> bytes:
    anchors = "".join(f'<a href="{link}">lees meer</a>' for link in links)
    return f'<html lang="{lang}"><head>{head}</head><body>tekst {anchors}</body></html>'.encode()


@pytest.fixture
def site(local_web):
    """One host whose pages are given by the test."""
    with local_web(hosts=1, pages=0) as web:
        yield web


def reason_of(folder: Path, url: str) -> dict:
    with Ledger.open(folder) as ledger:
        return why(ledger, url)


@pytest.mark.parametrize("store", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_every_page_is_fetched_and_stored_once(local_web, crawl_with, stored, store, request):
    url = request.getfixturevalue("fresh_postgres")() if store == "postgresql" else ""
    with local_web(hosts=6, pages=25) as web:
        folder, tally = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first", store=url)
        assert stored(folder) == dict.fromkeys(web.all_urls(), 1)
        assert {path: n for path, n in web.served.items() if not path.endswith("robots.txt") and n > 1} == {}
    assert (tally.pages, tally.phase) == (150, "done")


def test_pages_of_an_https_host_are_crawled(local_web, crawl_with, stored, tmp_path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*self_signed(tmp_path))
    with local_web(hosts=1, pages=8, tls=context) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first")
        assert set(stored(folder)) == set(web.all_urls())


def test_a_certificate_that_is_not_valid_is_said_in_words(local_web, crawl_with, tmp_path, capfd):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*self_signed(tmp_path))
    with local_web(hosts=1, pages=1, tls=context) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), verify_certificates=True, retries=0)
        assert "certificate is not valid" in reason_of(folder, web.url(0, 0))["answer"]
    assert "Traceback" not in capfd.readouterr().err


def test_the_default_strategy_keeps_to_the_language(local_web, crawl_with):
    with local_web(hosts=12, pages=20) as web:
        _, tally = crawl_with(seeds=(web.url(0, 0),), explore=0.0, sample=0)
    assert tally.hits == 60
    assert tally.harvest > 0.6


def test_the_cap_per_host_holds(local_web, crawl_with):
    with local_web(hosts=5, pages=20) as web:
        _, tally = crawl_with(seeds=(web.url(0, 0),), strategy="random", max_pages_per_host=4)
    assert tally.pages == 20
    assert set(tally.hosts.values()) == {4}


def test_the_crawl_ends_at_its_number_of_pages_and_goes_on_when_more_are_wanted(
    local_web, crawl_with, stored
):
    with local_web(hosts=4, pages=20) as web:
        seeds = (web.url(0, 0),)
        folder, tally = crawl_with(seeds=seeds, strategy="breadth-first", max_pages=30)
        assert tally.pages == 30
        with Ledger.open(folder) as ledger:
            ledger.engine.connect().close()
            with ledger.engine.begin() as connection:
                connection.execute(sql_schema.crawl.update().values(phase="crawling"))
        crawl_with(folder, seeds=seeds, strategy="breadth-first", max_pages=80)
        assert stored(folder) == dict.fromkeys(web.all_urls(), 1)


def test_robots_txt_is_obeyed_and_said(site, crawl_with):
    site.extra = {
        "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /geheim\n"),
        "/": (200, HTML, page("/geheim/a", "/open")),
        "/open": (200, HTML, page()),
        "/geheim/a": (200, HTML, page()),
    }
    folder, tally = crawl_with(seeds=(site.origin(0) + "/",), strategy="breadth-first")
    assert tally.pages == 2
    assert not any("geheim" in path for path in site.served)
    assert reason_of(folder, site.origin(0) + "/geheim/a")["answer"].endswith("robots.txt forbids it")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_robots_txt_that_fails_once_does_not_lose_the_host(site, crawl_with, status):
    rules = iter([(status, {"Retry-After": "0"}, b"later")])
    open_ = (200, {}, b"User-agent: *\nDisallow: /geheim\n")
    site.extra = {"/": (200, HTML, page("/geheim/a", "/open")), "/open": (200, HTML, page())}
    answer = site.answer
    site.answer = lambda local, path: next(rules, open_) if path == "/robots.txt" else answer(local, path)
    folder, tally = crawl_with(seeds=(site.origin(0) + "/",), strategy="breadth-first")
    assert tally.pages == 2
    assert {path.split("/", 1)[1]: n for path, n in site.served.items()} == {
        "robots.txt": 2,
        "": 1,
        "open": 1,
    }
    assert reason_of(folder, site.origin(0) + "/geheim/a")["answer"].endswith("robots.txt forbids it")


def test_a_host_whose_robots_txt_never_can_be_read_is_left_with_that_reason(site, crawl_with):
    site.extra = {"/robots.txt": (503, {}, b""), "/": (200, HTML, page())}
    folder, tally = crawl_with(seeds=(site.origin(0) + "/",), strategy="breadth-first", retries=1)
    assert tally.pages == 0
    assert {path.split("/", 1)[1]: n for path, n in site.served.items()} == {"robots.txt": 2}
    assert "robots.txt could not be read" in reason_of(folder, site.origin(0) + "/")["answer"]


def test_a_byte_order_mark_hides_no_rule_of_robots_txt(site, crawl_with):
    site.extra = {
        "/robots.txt": (200, {}, b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /geheim\r\n"),
        "/": (200, HTML, page("/geheim")),
        "/geheim": (200, HTML, page()),
    }
    _, tally = crawl_with(seeds=(site.origin(0) + "/",), strategy="breadth-first")
    assert tally.pages == 1


def test_links_of_headers_are_followed_once(site, crawl_with):
    link = {"Link": '</nl>; rel="alternate"; hreflang="nl", </open>; rel=canonical, </>; rel=canonical'}
    site.extra = {"/": (200, HTML | link, page("/open"))}
    site.extra |= {path: (200, HTML, page()) for path in ("/nl", "/open")}
    _, tally = crawl_with(seeds=(site.origin(0) + "/",), strategy="breadth-first", robots=False)
    assert tally.pages == 3
    assert set(site.served.values()) == {1}


def test_the_crawl_delay_of_robots_txt_spaces_the_requests(site, crawl_with):
    site.extra = {
        "/robots.txt": (200, {}, b"User-agent: *\nCrawl-delay: 1.2\n"),
        "/": (200, HTML, page("/1", "/2")),
        "/1": (200, HTML, page()),
        "/2": (200, HTML, page()),
    }
    folder, _ = crawl_with(seeds=(site.origin(0) + "/",), strategy="breadth-first", archive_robots=True)
    with Ledger.open(folder) as ledger, ledger.engine.connect() as connection:
        times = [
            at
            for table in (sql_schema.pages, sql_schema.archived)
            for at in connection.execute(select(table.c.fetched_at)).scalars()
        ]
    assert len(times) == 4
    assert min(later - earlier for earlier, later in pairwise(sorted(times))) > 1.2 - 1e-3


def test_a_slow_host_with_a_delay_is_not_asked_in_a_burst(site, crawl_with):
    """Its only connection is busy for longer than the delay: what was due meanwhile starts one delay apart."""
    site.latency = 0.4
    site.extra = {"/": (200, HTML, page(*(f"/{n}" for n in range(5))))}
    site.extra |= {f"/{n}": (200, HTML, page()) for n in range(5)}
    folder, _ = crawl_with(
        seeds=(site.origin(0) + "/",),
        strategy="breadth-first",
        delay=0.3,
        connections_per_host=1,
        robots=False,
    )
    with Ledger.open(folder) as ledger, ledger.engine.connect() as connection:
        times = sorted(connection.execute(select(sql_schema.pages.c.fetched_at)).scalars())
    assert len(times) == 6
    # One connection and an answer that takes 0.4 s: were starts those of the plan, some would be 0.3 s apart.
    assert min(later - earlier for earlier, later in pairwise(times)) > 0.4 - 1e-3


def test_a_redirect_is_kept_and_where_it_leads_is_fetched_once(site, crawl_with, stored):
    origin = site.origin(0)
    site.extra = {
        "/": (200, HTML, page("/oud", "/nieuw")),
        "/oud": (301, {"Location": "/nieuw"}, b""),
        "/nieuw": (200, HTML, page("/lus")),
        "/lus": (302, {"Location": "/lus?x=1"}, b""),
        "/lus?x=1": (302, {"Location": "/lus"}, b""),
    }
    folder, tally = crawl_with(seeds=(f"{origin}/",), strategy="breadth-first")
    assert tally.pages == 2
    assert stored(folder)[f"{origin}/oud"] == stored(folder)[f"{origin}/nieuw"] == 1


def test_private_addresses_are_refused_by_default(site, crawl_with):
    site.extra = {"/": (200, HTML, page())}
    folder, tally = crawl_with(seeds=(site.origin(0) + "/",), allow_private=False, retries=0)
    assert tally.pages == 0
    assert not site.served
    assert reason_of(folder, site.origin(0) + "/")["reason"] == "private-address"


@pytest.mark.parametrize(
    "spelling",
    ["{}", "0x{:x}", "{:d}", "127.{:d}", "[::ffff:{}]", "[::{}]", "localhost", "[::1]", "any.localhost"],
)
def test_no_spelling_of_a_private_address_gets_through(site, crawl_with, spelling):
    address = ip_address(urlsplit(site.origin(0)).hostname)  # where the site does listen
    number = int(address) & 0xFFFFFF if spelling.startswith("127") else int(address)
    host = spelling.format(number if "d}" in spelling or "x}" in spelling else address)
    url = f"http://{host}:{site.port}/"
    folder, tally = crawl_with(seeds=(url,), allow_private=False, retries=0)
    assert tally.pages == 0
    assert not site.served
    assert reason_of(folder, url)["reason"] == "private-address"


def test_pages_that_are_too_large_are_cut_off_and_a_decompression_bomb_is_read_to_the_limit(site, crawl_with):
    from warcio.archiveiterator import ArchiveIterator

    bomb = gzip.compress(bytes(5_000_000))
    site.extra = {
        "/": (200, HTML, page("/bom", "/groot")),
        "/bom": (200, HTML | {"Content-Encoding": "gzip"}, bomb),
        "/groot": (200, HTML, b"x" * 200_000),
    }
    read = {}

    def reader(body, content_type, url):
        read[url] = len(body)
        return PageLabel("nl", "Latn", "utf-8", 0.9)

    folder, tally = crawl_with(
        seeds=(site.origin(0) + "/",), strategy="breadth-first", max_page_bytes=100_000, reader=reader
    )
    assert tally.pages == 3
    assert read[site.origin(0) + "/bom"] == 100_000
    kept = {}
    for path in (folder / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                if record.rec_type == "response":
                    name = record.rec_headers.get_header("WARC-Target-URI").rpartition("/")[2]
                    truncated = record.rec_headers.get_header("WARC-Truncated")
                    kept[name] = (truncated, len(record.raw_stream.read()))
    assert kept["groot"] == ("length", 100_000)
    assert kept["bom"] == (None, len(bomb))


def test_what_has_no_language_is_not_said_to_be_in_one(site, crawl_with):
    site.extra = {
        "/": (200, HTML, page("/leeg", "/oud")),
        "/leeg": (200, HTML, b""),
        "/oud": (301, {"Location": "/leeg"}, b""),
    }
    folder, _ = crawl_with(seeds=(site.origin(0) + "/",), strategy="breadth-first")
    assert reason_of(folder, site.origin(0) + "/leeg")["answer"].endswith(
        "the language of the page is undetermined"
    )
    assert reason_of(folder, site.origin(0) + "/oud")["answer"].startswith("fetched: it redirects")


def test_compressed_pages_are_read_and_stored_as_they_came(site, crawl_with):
    from warcio.archiveiterator import ArchiveIterator

    body = page("/b")
    site.extra = {
        "/": (200, HTML | {"Content-Encoding": "gzip"}, gzip.compress(body)),
        "/b": (200, HTML, page()),
    }
    folder, tally = crawl_with(seeds=(site.origin(0) + "/",), strategy="breadth-first")
    assert tally.pages == 2
    with next((folder / "warc").glob("*.gz")).open("rb") as file:
        read = [r.content_stream().read() for r in ArchiveIterator(file) if r.rec_type == "response"]
    assert body in read


def test_a_failing_page_is_tried_again_and_then_given_up(site, crawl_with):
    site.extra = {"/": (200, HTML, page("/kapot")), "/kapot": (500, {}, b"")}
    folder, _ = crawl_with(seeds=(site.origin(0) + "/",), strategy="breadth-first", retries=2)
    assert site.served["127.0.1.1/kapot"] == 3
    assert reason_of(folder, site.origin(0) + "/kapot")["reason"] == "status-500"


def test_sitemaps_and_hreflang_alternates_are_followed(site, crawl_with, stored):
    origin = site.origin(0)
    head = '<link rel="alternate" hreflang="nl" href="/alternatief"><link rel="canonical" href="/hoofd">'
    site.extra = {
        "/robots.txt": (200, {}, f"Sitemap: {origin}/sitemap.xml\n".encode()),
        "/sitemap.xml": (200, {"Content-Type": "application/xml"}, f"<urlset><url><loc>{origin}/kaart</loc></url></urlset>".encode()),
        "/": (200, HTML, page(head=head)),
        **{path: (200, HTML, page()) for path in ("/kaart", "/alternatief", "/hoofd")},
    }  # fmt: skip
    folder, _ = crawl_with(seeds=(f"{origin}/",))
    assert set(stored(folder)) == {f"{origin}{path}" for path in ("/", "/kaart", "/alternatief", "/hoofd")}


def test_media_and_traps_are_left_out(site, crawl_with):
    trap = "/a/b/a/b/a/b/a/b"
    site.extra = {"/": (200, HTML, page("/foto.jpg", trap, "/stijl.css", "/calendar/2099/01/"))}
    folder, _ = crawl_with(seeds=(site.origin(0) + "/",), strategy="breadth-first")
    assert {path.split("/", 1)[1] for path in site.served} == {"", "robots.txt"}
    assert "trap" in reason_of(folder, site.origin(0) + trap)["reason"]


def test_media_that_are_asked_for_were_fetched_for_a_reason(site, crawl_with):
    site.extra = {
        "/": (200, HTML, page("/a.pdf")),
        "/a.pdf": (200, {"Content-Type": "application/pdf"}, b"%PDF"),
    }
    folder, _ = crawl_with(seeds=(site.origin(0) + "/",), strategy="breadth-first", media=True)
    told = reason_of(folder, site.origin(0) + "/a.pdf")["answer"]
    assert told == "fetched, because breadth-first takes every URL in turn; the page holds no text"


def test_rejected_urls_are_sampled_and_the_missed_share_is_told(local_web, crawl_with):
    with local_web(hosts=8, pages=30, locality=0.3) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), sample=15, explore=0.0)
    with Ledger.open(folder) as ledger:
        missed = ledger.missed()
    assert missed.sample == 15
    assert missed.low <= missed.value <= missed.high


def test_metrics_and_log_are_written(local_web, crawl_with):
    with local_web(hosts=2, pages=10) as web:
        folder, tally = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first")
    assert (
        f'linksight_crawl_pages_total{{worker="{tally.worker}"}} 20' in (folder / "metrics.prom").read_text()
    )
    events = [json.loads(line)["event"] for line in (folder / "log.jsonl").read_text().splitlines()]
    assert events[0] == "start"
    assert events[-1] == "stop"


def test_the_log_of_a_crawl_of_days_has_a_line_of_progress_a_minute(tmp_path):
    journal, tally = Journal(tmp_path, "w1"), Tally("nl")

    def lines_of(hour: int) -> int:
        before = len((tmp_path / "log.jsonl").read_text().splitlines()) if hour else 0
        for second in range(3_600 * hour, 3_600 * (hour + 1)):
            journal.note_progress(second, tally)
        return len((tmp_path / "log.jsonl").read_text().splitlines()) - before

    assert 60 < lines_of(0) < 400
    assert lines_of(24) == 60


def test_of_two_workers_in_a_folder_neither_writes_over_the_metrics_of_the_other(tmp_path):
    (tmp_path / "workers").mkdir()
    (tmp_path / "metrics-killed.prom").touch()
    first, second = (MetricsFile(tmp_path, Tally("nl", worker=name)) for name in ("w1", "w2"))

    def told() -> dict[str, str]:
        files = sorted(tmp_path.glob("*.prom"))
        return {path.name: re.search('worker="(.*)"', path.read_text())[1] for path in files}

    for file in (first, second):
        file.write()
    assert told() == {"metrics-w2.prom": "w2", "metrics.prom": "w1"}
    first.close()
    second.write()
    assert told() == {"metrics.prom": "w2"}
    second.close()
    assert told() == {"metrics.prom": "w2"}


def self_signed(folder: Path) -> tuple[Path, Path]:
    """A certificate that nobody vouches for."""
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "local")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return folder / "cert.pem", folder / "key.pem"

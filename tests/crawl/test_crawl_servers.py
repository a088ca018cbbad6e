"""Servers as they really are: what they send is read as browsers read it."""

from dataclasses import replace

import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.crawl.addresses import canonical
from linksight.crawl.answers import Answer
from linksight.crawl.config import CrawlConfig
from linksight.crawl.digest import MAX_BACKOFF, Digester
from linksight.crawl.fetcher import settings_of
from linksight.crawl.frontier import Frontier
from linksight.crawl.jobs import Found, Outcome
from linksight.crawl.judge import Judge
from linksight.crawl.outlinks import outlinks, sitemap_links
from linksight.crawl.session import start_crawl
from linksight.crawl.tables import Kind, metadata
from linksight.crawl.urlmodels import CountryModel
from linksight.errors import BadConfig, StoreError
from linksight.records import Decision
from linksight.store import open_store

HTML = {"Content-Type": "text/html; charset=utf-8"}


@pytest.fixture
def digest(tmp_path):
    """What becomes of one answer to a page's request."""
    config = CrawlConfig(language="nl", strategy="breadth-first", retry_wait=1.0)
    engine = open_store(tmp_path / "crawl.db", metadata)
    frontier = Frontier(engine, config)
    frontier.create()
    frontier.add([Found("http://a.nl/", 0, Decision(True, 1.0, "seed"))])
    (job,) = frontier.claim(1)
    digester = Digester(config, Judge(config, CountryModel(["nl", "en"])), None, frontier)

    def answered(*headers: tuple[str, str], kind: Kind = Kind.PAGE, **told) -> Outcome:
        return digester.digest([(replace(job, kind=kind), Answer(headers=headers, **told))])[0]

    yield answered
    engine.dispose()


@pytest.mark.parametrize(
    ("location", "leads_to"),
    [
        ("/caf\xc3\xa9", "http://a.nl/caf%C3%A9"),  # UTF-8, as a server sends it
        ("/caf\xe9", "http://a.nl/caf%E9"),  # bytes of an older encoding: handed back as they are
        ("http://b\xc3\xbccher.nl/", "http://xn--bcher-kva.nl/"),
    ],
)
def test_a_redirect_may_be_spelled_beyond_ascii(digest, location, leads_to):
    outcome = digest(("Location", location), status=302)
    assert [found.url for found in outcome.found] == [leads_to]


@pytest.mark.parametrize(
    ("asked", "pause"),
    [
        ("90", 90.0),
        ("Thu, 01 Jan 1970 00:02:40 GMT", 60.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 1.0),
        ("Fri, 01 Jan 2100 00:00:00 GMT", MAX_BACKOFF),
        ("tomorrow", 1.0),
    ],
)
def test_retry_after_is_heeded_as_seconds_and_as_a_date(digest, asked, pause):
    assert digest(("Retry-After", asked), status=503, at=100.0).wait == pause


def test_a_database_serves_one_language(tmp_path):
    """A second crawl that is given the database of a first must not mix with it."""
    store, address = str(tmp_path / "shared.db"), "http://127.0.0.1:9/"
    dutch = CrawlConfig(
        language="nl", seeds=(address,), store=store, allow_private=True, retries=0, robots=False
    )
    start_crawl(tmp_path / "dutch", dutch)
    with pytest.raises(StoreError, match="a crawl for Dutch, not for German"):
        start_crawl(tmp_path / "german", dutch.but(language="de"))
    assert not (tmp_path / "german" / "crawl.json").exists()
    start_crawl(tmp_path / "more", dutch)


@pytest.mark.parametrize(
    ("href", "address"),
    [
        ("/%7Eik", "http://a.nl/~ik"),
        ("/caf%c3%a9?q=%c3%a9", "http://a.nl/caf%C3%A9?q=%C3%A9"),
        ("/a%2fb?c=%26", "http://a.nl/a%2Fb?c=%26"),  # these mean something else than the letters
        ("/x/%2e%2e/y", "http://a.nl/y"),
        ("/100%", "http://a.nl/100%"),
    ],
)
def test_percent_codes_have_one_spelling(href, address):
    assert canonical(href, "http://a.nl/") == address
    assert canonical(address) == address


@pytest.mark.parametrize(
    ("encoding", "sent"),
    [
        ("iso-8859-1", "q=caf%E9"),
        ("windows-1251", "q=caf%26%23233%3B"),
        ("utf-8", "q=caf%C3%A9"),
        ("none", "q=caf%C3%A9"),
    ],
)
def test_queries_go_out_in_the_encoding_of_their_page(encoding, sent):
    body = b"<a href='/caf&eacute;?q=caf&eacute;&x=1'>x</a>"
    assert [link.url for link in outlinks(body, "http://a.nl/", encoding)] == [
        f"http://a.nl/caf%C3%A9?{sent}&x=1"
    ]


def test_the_items_of_a_feed_that_serves_as_a_sitemap_are_found():
    feed = b"<rss><channel><item><title>x</title><link>http://a.nl/een</link></item></channel></rss>"
    assert [link.url for link in sitemap_links(feed)[0]] == ["http://a.nl/een"]


def test_a_refresh_header_is_followed(local_web, crawl_with):
    with local_web(hosts=1, pages=0) as web:
        web.extra = {"/": (200, HTML | {"Refresh": "0; url=/verder"}, b'<html lang="nl">x')}
        crawl_with(seeds=(web.origin(0) + "/",), strategy="breadth-first")
        assert web.served["127.0.1.1/verder"] == 1


@pytest.mark.parametrize(("name", "value"), [("user_agent", "me\r\nCookie: x=1"), ("metrics_port", 99_999)])
def test_settings_that_no_request_or_port_can_have_are_refused(name, value):
    with pytest.raises(BadConfig, match=name):
        CrawlConfig(language="nl", **{name: value})


def test_of_many_urls_one_that_is_no_address_keeps_no_other_from_its_answer(local_web, crawl_with):
    with local_web(hosts=1, pages=1) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),))
        told = CliRunner().invoke(main, ["crawl", "why", str(folder), "ftp://a.nl/", web.url(0, 0)])
    assert told.exit_code == 1
    assert "it is a seed" in told.stdout
    assert "ftp" in told.stderr


def test_names_that_hang_leave_threads_for_those_that_are_known():
    """Each request looks up a name or two, and lookups that were given up go on for a while."""
    told = CrawlConfig(language="nl", concurrency=100).as_dict()
    assert settings_of(told)["REACTOR_THREADPOOL_MAXSIZE"] > 200


def test_a_sitemap_may_be_as_long_as_the_protocol_allows():
    body = b"<urlset>%s</urlset>" % b"".join(
        b"<url><loc>http://a.nl/%d</loc></url>" % n for n in range(50_010)
    )
    assert len(sitemap_links(body)[0]) == 50_000


def test_all_sitemaps_of_a_large_index_are_read(digest):
    index = b"".join(b"<sitemap><loc>http://a.nl/%d.xml.gz</loc></sitemap>" % n for n in range(510))
    body = b"<sitemapindex>%s</sitemapindex>" % index
    assert len(digest(status=200, body=body, kind=Kind.SITEMAP).found) == 500

"""Servers as they really are: what they send is read as browsers read it."""

from dataclasses import replace

import pytest
from click.testing import CliRunner

from linksight.cli import main
from linksight.crawl.extract.links import (
    forbids_following,
    outlinks,
    refresh_links,
    select_directives,
    sitemap_links,
)
from linksight.crawl.fetch.fetcher_process import settings_of
from linksight.crawl.fetch.response import Answer
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.records import Found, Outcome
from linksight.crawl.frontier.sql_schema import Kind, metadata
from linksight.crawl.run.api import start_crawl
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.run.response_processor import Digester
from linksight.crawl.scoring.link_scorer import Judge
from linksight.crawl.scoring.model_protocols import CountryModel
from linksight.crawl.urls.url_normalize import canonical
from linksight.errors import BadConfig, StoreError
from linksight.results import Decision
from linksight.system.database import open_store

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
        ("Fri, 01 Jan 2100 00:00:00 GMT", 86_400.0),
        ("tomorrow", 1.0),
    ],
)
def test_retry_after_is_heeded_as_seconds_and_as_a_date(digest, asked, pause):
    assert digest(("Retry-After", asked), status=503, at=100.0).wait == pause


@pytest.mark.parametrize(
    "kind",
    ["image/svg+xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
)
def test_pictures_and_documents_whose_types_speak_of_xml_are_no_pages(digest, kind):
    outcome = digest(("Content-Type", kind), status=200, body=b"<svg/>")
    assert (outcome.reason, outcome.page) == ("not-a-page", None)


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
    ("href", "address"),
    [
        ("/article.php?sid=611", "/article.php?sid=611"),  # a story of PHP-Nuke
        ("/article.pl?sid=99/01/31/2238247", "/article.pl?sid=99/01/31/2238247"),
        ("/programme?session_id=12&day=2", "/programme?session_id=12&day=2"),
        ("/x?f=65&sid=7b0955afb386cefa8c521927053817ce", "/x?f=65"),
        ("/x?sid=&f=65", "/x?f=65"),
        ("/x?PHPSESSID=1&sessionid=1_cc-session_2cce71b9-cf34&f=65", "/x?f=65"),
    ],
)
def test_what_names_a_visit_is_dropped_and_what_names_a_page_is_kept(href, address):
    assert canonical(href, "http://a.nl/") == f"http://a.nl{address}"


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


@pytest.mark.parametrize(
    ("encoding", "bad"),
    [
        ("gb2312", "镕".encode("gbk")),
        ("euc-kr", "똠".encode("cp949")),
        ("shift_jis", b"\x87\x40"),
        ("big5", b"\xff "),
        ("windows-1252", b"\x81"),
        ("windows-1251", b"\x98"),
        ("iso-8859-7", b"\xff"),
        ("mac-cyrillic", b"\x81\x90"),
        ("utf-16le", b"\x00\xd8"),
        ("utf-8", b"\xff"),
        ("nobody-knows", b"\x81\x90"),
    ],
)
def test_bytes_that_an_encoding_does_not_have_cost_no_links(encoding, bad):
    wire = encoding if encoding.startswith("utf-16") else "ascii"
    body = "<p>".encode(wire) + bad + '</p><a href="/x">y</a>'.encode(wire)
    assert [link.url for link in outlinks(body, "http://a.nl/", encoding)] == ["http://a.nl/x"]


@pytest.mark.parametrize("told", ["0; url=/nl/", "0;/nl/", "5 url=/nl/", ' 0 , "/nl/"', "0; URL = '/nl/' "])
def test_a_refresh_is_read_as_browsers_read_it(told):
    page = (
        f"<meta http-equiv=refresh content='{told}'>"
        if "'" not in told
        else f'<meta http-equiv=refresh content="{told}">'
    )
    assert [link.url for link in outlinks(page.encode(), "http://a.nl/x")] == ["http://a.nl/nl/"]
    assert [link.url for link in refresh_links(told, "http://a.nl/x")] == ["http://a.nl/nl/"]


@pytest.mark.parametrize(
    ("head", "loc", "found"),
    [
        (b"", b"/?a=1&b=2&amp;c=3", "http://a.nl/?a=1&b=2&c=3"),
        (b"", b"<![CDATA[/?a=1&b=2]]>", "http://a.nl/?a=1&b=2"),
        (b'<?xml version="1.0" encoding="utf-16"?>', b"/x", "http://a.nl/x"),  # as .NET writes it into UTF-8
        (b'<?xml version="1.0" encoding="gb2312"?>', "/镕".encode("gbk"), "http://a.nl/%E9%95%95"),
        (b"\n<?xml version='1.0'?>", b"/x", "http://a.nl/x"),
    ],
)
def test_sitemaps_are_read_as_they_are_meant(head, loc, found):
    body = head + b"<urlset><url><loc>" + loc + b"</loc></url><url><loc>/last</loc></url></urlset>"
    assert [link.url for link in sitemap_links(body, base="http://a.nl/")[0]] == [found, "http://a.nl/last"]


def test_the_items_of_a_feed_that_serves_as_a_sitemap_are_found():
    feed = b"<rss><channel><item><title>x</title><link>http://a.nl/een</link></item></channel></rss>"
    assert [link.url for link in sitemap_links(feed)[0]] == ["http://a.nl/een"]


def test_of_a_feed_the_articles_alone_are_found():
    atom = (
        b'<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/feed"/><link href="/"/>'
        b'<entry><link rel="alternate" href="/een"/><link rel="replies" href="/een/feed"/>'
        b'<link rel="enclosure" href="/een.mp3"/></entry></feed>'
    )
    rss = (
        b"<rss><channel><item><link>/twee</link><guid>abc</guid></item>"
        b'<item><guid isPermaLink="true">http://a.nl/drie</guid></item>'
        b'<item><guid isPermaLink="false">http://a.nl/?p=4</guid></item></channel></rss>'
    )
    found = [[link.url for link in sitemap_links(feed, base="http://a.nl/feed")[0]] for feed in (atom, rss)]
    assert found == [["http://a.nl/", "http://a.nl/een"], ["http://a.nl/twee", "http://a.nl/drie"]]


@pytest.mark.parametrize("tag", [b"<font>", b"<div>", b"<ul><li>", b"<table><tr><td>"])
def test_links_behind_many_tags_that_are_never_closed_are_found(tag):
    page = b"".join(tag + b'<a href="/%d">x</a>' % number for number in range(400))
    assert len(outlinks(page, "http://a.nl/")) == 400


def test_the_text_of_a_link_that_is_never_closed_is_looked_for_nearby():
    """Each of these links holds all that follows: to look through it for every one would take minutes."""
    page = b"".join(b"<a href=/%d><div>" % number for number in range(500)) + b"<br>" * 5_000 + b"eind"
    found = outlinks(page, "http://a.nl/")
    assert (len(found), {link.anchor for link in found}) == (500, {""})
    inside = b'<a href="/x">een <b>twee <i>drie</i></b> vier</a>'
    assert [link.anchor for link in outlinks(inside, "http://a.nl/")] == ["een twee drie vier"]


@pytest.mark.parametrize(
    ("told", "followed"),
    [
        (["otherbot: nofollow"], True),
        (["otherbot: noindex, nofollow"], True),
        (["otherbot: nofollow", "nofollow"], False),
        (["linksight: nofollow"], False),
        (["LinkSight : none"], False),
        (["noindex, nofollow"], False),
        (["unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow"], False),
        (["max-image-preview: none"], True),
    ],
)
def test_what_other_robots_are_told_in_headers_is_not_for_us(told, followed):
    assert any(forbids_following(select_directives(header)) for header in told) != followed


def test_feeds_of_a_page_are_named_where_they_are_asked_for():
    page = (
        b'<link rel="alternate" type="application/rss+xml" href="/feed"><a href="/x">x</a>'
        b'<svg><a xlink:href="/y"><text>y</text></a></svg>'
    )
    assert [link.url for link in outlinks(page, "http://a.nl/")] == ["http://a.nl/x", "http://a.nl/y"]
    feeds = [link.url for link in outlinks(page, "http://a.nl/", feeds=True) if link.is_feed]
    assert feeds == ["http://a.nl/feed"]


def front_and_feeds(web, language: str = "nl") -> str:
    """A front page that names five feeds of its site and one of another, and an article that names one of its comments."""
    origin, article = web.origin(0), f'<html lang="{language}"><body>nieuws</body></html>'
    link = '<link rel="alternate" type="application/rss+xml" href="{}">'
    named = "".join(link.format(f"/feed{n}") for n in range(5)) + link.format("http://b.example/feed")
    feed = "<rss><channel><item><link>/artikel{}</link></item></channel></rss>"
    web.extra = {
        "/": (200, HTML, article.replace("<body>", f"<head>{named}</head><body>").encode()),
        **{f"/feed{n}": (200, {"Content-Type": "application/rss+xml"}, feed.format(n).encode()) for n in range(5)},
        **{f"/artikel{n}": (200, HTML, (link.format(f"/artikel{n}/feed") + article).encode()) for n in range(5)},
    }  # fmt: skip
    return f"{origin}/"


def asked_for(web) -> set[str]:
    return {f"/{path.partition('/')[2]}" for path in web.served} - {"/robots.txt"}


@pytest.mark.parametrize("strategy", ["adaptive", "breadth-first"])
def test_the_feeds_of_a_front_page_are_read(local_web, crawl_with, strategy):
    with local_web(hosts=1, pages=0) as web:
        folder, tally = crawl_with(seeds=(front_and_feeds(web),), strategy=strategy, threshold=0.001)
        first = range(3)
        assert asked_for(web) == {"/", *(f"/feed{n}" for n in first), *(f"/artikel{n}" for n in first)}
        assert (tally.pages, tally.reasons["feed"]) == (4, 6)  # named, and read
        why = CliRunner().invoke(main, ["crawl", "why", str(folder), f"{web.origin(0)}/feed1"]).stdout
    assert "it is a feed" in why


@pytest.mark.parametrize(
    ("language", "settings"),
    [("en", {"strategy": "adaptive"}), ("nl", {"strategy": "breadth-first", "sitemaps": False})],
)
def test_feeds_are_left_where_they_are_of_no_use_or_not_wanted(local_web, crawl_with, language, settings):
    with local_web(hosts=1, pages=0) as web:
        crawl_with(seeds=(front_and_feeds(web, language),), **settings)
        assert asked_for(web) == {"/"}


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


def test_nobody_looks_for_what_a_wrong_language_of_a_sitemap_was_meant_to_be(monkeypatch):
    """`gb` and `us` are frequent slips; with a search through all names each, a sitemap took minutes."""
    monkeypatch.setattr("linksight.languages.registry._near", lambda asked: pytest.fail(asked))
    body = b'<urlset><url><loc>/a</loc><link rel="alternate" hreflang="gb" href="/b"/></url></urlset>'
    assert [link.hreflang for link in sitemap_links(body, base="http://a.nl/")[0]] == ["", ""]


def test_a_sitemap_may_name_versions_in_other_languages_on_other_sites_and_nothing_else_there(digest):
    version = (
        b'<link xmlns="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="nl" href="http://b.be/nl/"/>'
    )
    body = b"<urlset><url><loc>http://a.nl/x</loc>%s</url><url><loc>http://c.nl/</loc></url></urlset>"
    outcome = digest(status=200, body=body % version, kind=Kind.SITEMAP)
    assert [found.url for found in outcome.found] == ["http://a.nl/x", "http://b.be/nl/"]


def test_all_sitemaps_of_a_large_index_are_read(digest):
    index = b"".join(b"<sitemap><loc>http://a.nl/%d.xml.gz</loc></sitemap>" % n for n in range(510))
    body = b"<sitemapindex>%s</sitemapindex>" % index
    assert len(digest(status=200, body=body, kind=Kind.SITEMAP).found) == 500

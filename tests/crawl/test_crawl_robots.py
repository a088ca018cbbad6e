"""robots.txt as servers really send it: packed, redirected, and sitemaps behind it."""

import gzip
import time
from types import SimpleNamespace

import pytest
from sqlalchemy.exc import OperationalError

from linksight.crawl.fetch.in_flight import Errands
from linksight.crawl.fetch.response import Answer
from linksight.crawl.fetch.robots import FetchedRobots, Robots, names_of
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.records import Found
from linksight.crawl.frontier.sql_schema import metadata
from linksight.crawl.monitor.stats import Journal
from linksight.crawl.report.crawl_queries import Ledger
from linksight.crawl.report.explain import why
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.run.response_processor import Digester
from linksight.crawl.scoring.link_scorer import Judge
from linksight.crawl.scoring.model_protocols import CountryModel
from linksight.results import Decision
from linksight.system.database import open_store

HTML = {"Content-Type": "text/html; charset=utf-8"}
RULES = b"User-agent: *\nDisallow: /geheim\n"


def page(*links: str) -> bytes:
    anchors = "".join(f'<a href="{link}">lees meer</a>' for link in links)
    return f'<html lang="nl"><body>tekst {anchors}</body></html>'.encode()


PAGES = {"/": (200, HTML, page("/geheim", "/open")), "/open": (200, HTML, page())}
PAGES["/geheim"] = PAGES["/open"]


@pytest.fixture
def web(local_web):
    """Two hosts, 127.0.1.1 and 127.0.1.2, whose answers the test gives by address and path."""
    with local_web(hosts=2, pages=0) as made:
        made.told = {}
        made.answer = lambda local, path: made.told.get(f"{local}{path}", PAGES.get(path, (404, {}, b"")))
        yield made


def asked(web) -> dict[str, int]:
    return {path.removeprefix("127.0."): n for path, n in sorted(web.served.items())}


def test_the_rules_of_a_robots_txt_in_utf_16_are_obeyed(web, crawl_with):
    """As an editor of Windows saves them where it is asked for Unicode."""
    web.told["127.0.1.1/robots.txt"] = (200, {}, RULES.decode().encode("utf-16"))
    crawl_with(seeds=(web.origin(0) + "/",), strategy="breadth-first")
    assert asked(web) == {"1.1/": 1, "1.1/open": 1, "1.1/robots.txt": 1}


def test_the_rules_of_a_packed_robots_txt_are_obeyed(web, crawl_with):
    web.told["127.0.1.1/robots.txt"] = (200, {"Content-Encoding": "gzip"}, gzip.compress(RULES))
    folder, _ = crawl_with(seeds=(web.origin(0) + "/",), strategy="breadth-first")
    assert asked(web) == {"1.1/": 1, "1.1/open": 1, "1.1/robots.txt": 1}
    with Ledger.open(folder) as ledger:
        told = why(ledger, f"{web.origin(0)}/robots.txt")["answer"]
    assert told == "it was asked for what the host allows, not as a page; the server answered 200"


def test_a_robots_txt_that_unpacks_without_end_is_cut_off(web, crawl_with):
    bomb = gzip.compress(RULES + b"#" * 30_000_000)
    web.told["127.0.1.1/robots.txt"] = (200, {"Content-Encoding": "gzip"}, bomb)
    crawl_with(seeds=(web.origin(0) + "/",), strategy="breadth-first", max_page_bytes=10_000_000)
    assert asked(web) == {"1.1/": 1, "1.1/open": 1, "1.1/robots.txt": 1}


@pytest.mark.parametrize("there", ["/regels.txt", "http://127.0.1.2:{port}/robots.txt"])
def test_a_redirected_robots_txt_speaks_for_the_host_that_redirects(web, crawl_with, there):
    """By RFC 9309 also where it lies on another host."""
    target = there.format(port=web.port)
    web.told["127.0.1.1/robots.txt"] = (301, {"Location": target}, b"")
    web.told["127.0.1.1/regels.txt"] = web.told["127.0.1.2/robots.txt"] = (200, {}, RULES)
    crawl_with(seeds=(web.origin(0) + "/",), strategy="breadth-first")
    assert {path for path in asked(web) if "r" not in path} == {"1.1/", "1.1/open"}


def test_one_robots_txt_of_two_hosts_is_asked_for_once(web, crawl_with):
    web.told["127.0.1.1/robots.txt"] = (301, {"Location": f"{web.origin(1)}/robots.txt"}, b"")
    web.told["127.0.1.2/robots.txt"] = (200, {}, RULES)
    web.told["127.0.1.1/open"] = (200, HTML, page(web.origin(1) + "/", web.origin(1) + "/geheim"))
    folder, _ = crawl_with(seeds=(web.origin(0) + "/",), strategy="breadth-first", archive_robots=True)
    robots = {"1.1/robots.txt": 1, "1.2/robots.txt": 1}
    assert asked(web) == {"1.1/": 1, "1.1/open": 1, "1.2/": 1, "1.2/open": 1} | robots
    crawl_with(folder, seeds=(web.origin(0) + "/",), strategy="breadth-first")
    assert asked(web)["1.2/robots.txt"] == 1


@pytest.mark.parametrize("there", ["/robots.txt", "ftp://127.0.1.2/robots.txt", ""])
def test_a_robots_txt_that_leads_nowhere_forbids_nothing(web, crawl_with, there):
    web.told["127.0.1.1/robots.txt"] = (302, {"Location": there}, b"")
    crawl_with(seeds=(web.origin(0) + "/",), strategy="breadth-first")
    assert {path for path in asked(web) if "robots" not in path} == {"1.1/", "1.1/open", "1.1/geheim"}
    assert asked(web)["1.1/robots.txt"] <= 6


def test_a_redirected_robots_txt_that_cannot_be_read_closes_the_host(web, crawl_with):
    web.told["127.0.1.1/robots.txt"] = (301, {"Location": f"{web.origin(1)}/robots.txt"}, b"")
    web.told["127.0.1.2/robots.txt"] = (503, {}, b"")
    crawl_with(seeds=(web.origin(0) + "/",), strategy="breadth-first", retries=1)
    assert asked(web) == {"1.1/robots.txt": 2, "1.2/robots.txt": 2}


def test_a_group_may_name_us_with_a_version():
    rules = Robots.read(200, "User-agent: Linksight/0.1\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\n")
    assert [rules.allows(f"http://a.nl/{path}") for path in "xy"] == [False, True]


@pytest.mark.parametrize(
    ("user_agent", "names"),
    [
        ("linksight/0.1 (language-focused crawler; +https://linksight.example/docs/crawl)", "linksight"),
        ("KB-bot", "kb-bot linksight"),
        ("KB-bot (+http://kb.example/1)", "kb-bot linksight"),
        ("Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.example/)", "mj12bot linksight"),
        ("Mozilla/5.0 (compatible; archive.org_bot +http://archive.example/x)", "archive.org_bot linksight"),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; KBbot/2.1) Chrome/1.0 Safari/1",
            "kbbot linksight",
        ),
        ("", "linksight"),
    ],
)
def test_a_crawler_goes_by_the_names_that_its_user_agent_gives_it(user_agent, names):
    assert " ".join(names_of(user_agent)) == names


@pytest.mark.parametrize(
    ("user_agent", "fetched"), [("KB-bot/2.0", {"1.1/", "1.1/open"}), ("other/1", {"1.1/", "1.1/geheim"})]
)
def test_the_group_for_the_name_in_our_user_agent_is_obeyed(web, crawl_with, user_agent, fetched):
    rules = b"User-agent: kb-bot/1\nDisallow: /geheim\n\nUser-agent: *\nDisallow: /open\n"
    web.told["127.0.1.1/robots.txt"] = (200, {}, rules)
    crawl_with(seeds=(web.origin(0) + "/",), strategy="breadth-first", user_agent=user_agent)
    assert asked(web).keys() - {"1.1/robots.txt"} == fetched


@pytest.mark.parametrize("of_page", [True, False])
def test_a_page_may_call_us_by_the_name_in_our_user_agent(web, crawl_with, of_page):
    told = b'<meta name="KB-bot" content="nofollow">' if of_page else b""
    headers = HTML if of_page else HTML | {"X-Robots-Tag": "kb-bot: nofollow"}
    web.told["127.0.1.1/"] = (200, headers, told + page("/open"))
    crawl_with(seeds=(web.origin(0) + "/",), strategy="breadth-first", user_agent="KB-bot/2.0")
    assert asked(web).keys() == {"1.1/", "1.1/robots.txt"}


def test_packed_and_redirected_sitemaps_are_read(web, crawl_with, stored):
    origin = web.origin(0)
    index = f"<sitemapindex><sitemap><loc>{origin}/deel.xml.gz</loc></sitemap></sitemapindex>".encode()
    part = f"<urlset><url><loc>{origin}/open</loc></url></urlset>".encode()
    web.told |= {
        "127.0.1.1/robots.txt": (200, {}, f"Sitemap: {origin}/kaart.xml\n".encode()),
        "127.0.1.1/kaart.xml": (302, {"Location": "/kaart-2.xml"}, b""),
        "127.0.1.1/kaart-2.xml": (200, {"Content-Type": "application/xml"}, index),
        "127.0.1.1/deel.xml.gz": (200, {"Content-Type": "application/gzip"}, gzip.compress(part)),
        "127.0.1.1/": (200, HTML, page()),
    }
    folder, _ = crawl_with(seeds=(f"{origin}/",), strategy="breadth-first", keep="target")
    assert set(stored(folder)) == {f"{origin}/", f"{origin}/open"}
    with Ledger.open(folder) as ledger:
        assert ledger.problems() == {}
        assert why(ledger, f"{origin}/deel.xml.gz")["answer"] == "was read: it is a sitemap"


def test_the_sitemaps_of_a_host_that_the_seed_redirects_to_are_read(web, crawl_with, stored):
    """As from ``http://a.nl/`` to ``https://www.a.nl/``, robots.txt and all."""
    there = web.origin(1)
    web.told |= {
        "127.0.1.1/robots.txt": (301, {"Location": f"{there}/robots.txt"}, b""),
        "127.0.1.1/": (301, {"Location": f"{there}/"}, b""),
        "127.0.1.2/robots.txt": (200, {}, f"Sitemap: {there}/kaart.xml\n".encode()),
        "127.0.1.2/kaart.xml": (
            200,
            {"Content-Type": "application/xml"},
            f"<urlset><url><loc>{there}/open</loc></url></urlset>".encode(),
        ),
        "127.0.1.2/": (200, HTML, page()),
    }
    folder, _ = crawl_with(seeds=(web.origin(0) + "/",), strategy="breadth-first", keep="target")
    assert set(stored(folder)) == {f"{there}/", f"{there}/open"}
    assert asked(web)["1.2/robots.txt"] == 1


def test_sitemaps_at_another_host_of_the_site_are_read(web, local_web, crawl_with, stored):
    with local_web(hosts=1, pages=0) as maps:  # the same site, as ``www.a.nl`` and ``a.nl`` are
        web.told |= {
            "127.0.1.1/robots.txt": (200, {}, f"Sitemap: {maps.origin(0)}/kaart.xml\n".encode()),
            "127.0.1.1/": (200, HTML, page()),
        }
        found = f"<urlset><url><loc>{web.origin(0)}/open</loc></url></urlset>".encode()
        maps.extra["/kaart.xml"] = (200, {"Content-Type": "application/xml"}, found)
        folder, _ = crawl_with(seeds=(web.origin(0) + "/",), strategy="breadth-first", keep="target")
    assert set(stored(folder)) == {f"{web.origin(0)}/", f"{web.origin(0)}/open"}


MAP = {"Content-Type": "application/xml"}


def listed(*urls: str, kind: str = "url") -> bytes:
    places = "".join(f"<{kind}><loc>{url}</loc></{kind}>" for url in urls)
    return f"<{kind}set>{places}</{kind}set>".encode()


def test_sitemaps_that_a_service_keeps_for_a_site_are_read_for_that_site_alone(web, crawl_with, stored):
    site, service = web.origin(0), web.origin(1)
    other = f"http://127.0.1.3:{web.port}/open"
    web.told |= {
        "127.0.1.1/robots.txt": (200, {}, f"Sitemap: {service}/kaart.xml\n".encode()),
        "127.0.1.1/": (200, HTML, page()),
        "127.0.1.2/kaart.xml": (200, MAP, listed(f"{service}/deel.xml", kind="sitemap")),
        "127.0.1.2/deel.xml": (200, MAP, listed(f"{site}/open", other)),
    }
    folder, _ = crawl_with(seeds=(f"{site}/",), strategy="breadth-first", keep="target")
    assert set(stored(folder)) == {f"{site}/", f"{site}/open"}


def test_a_sitemap_that_redirects_to_another_site_speaks_for_its_own_still(web, crawl_with, stored):
    site, service = web.origin(0), web.origin(1)
    web.told |= {
        "127.0.1.1/robots.txt": (200, {}, f"Sitemap: {site}/kaart.xml\n".encode()),
        "127.0.1.1/": (200, HTML, page()),
        "127.0.1.1/kaart.xml": (302, {"Location": f"{service}/kaart.xml"}, b""),
        "127.0.1.2/kaart.xml": (200, MAP, listed(f"{site}/open")),
    }
    folder, _ = crawl_with(seeds=(f"{site}/",), strategy="breadth-first", keep="target")
    assert set(stored(folder)) == {f"{site}/", f"{site}/open"}


@pytest.fixture
def errands(tmp_path):
    """A worker's errands, with a fetcher that sends nothing and answers what the test says."""
    config = CrawlConfig(language="nl", strategy="breadth-first")
    engine = open_store(tmp_path / "crawl.db", metadata)
    frontier = Frontier(engine, config)
    frontier.create()
    frontier.add([Found(f"http://{site}/", 0, Decision(True, 1.0, "seed")) for site in ("a.nl", "b.nl")])
    made = Errands(config, frontier, Judge(config, CountryModel(["nl", "en"])), None, None)
    made.fetcher = SimpleNamespace(send=lambda job: None)
    yield made
    engine.dispose()


def test_two_sites_may_share_one_sitemap(errands):
    frontier = errands.frontier
    for job in frontier.claim(2):
        rules = "Sitemap: http://maps.example/kaart.xml"
        frontier.save_robots(FetchedRobots(f"http://{job.host}", 200, rules), job.host, 0.0)
        errands.dispatch(job)
    (shared,) = frontier.claim(1)
    body = listed("http://a.nl/1", "http://b.nl/2", "http://c.nl/3")
    digester = Digester(errands.config, errands.judge, None, frontier)
    outcome = digester.digest([(shared, Answer(200, body=body))])[0]
    assert [found.url for found in outcome.found] == ["http://a.nl/1", "http://b.nl/2"]


def test_pages_whose_robots_txt_came_while_the_database_was_away_are_let_go(errands, monkeypatch):
    """Nobody would ask for it once more, and they would be held for ever."""
    errands.dispatch(errands.frontier.claim(1)[0])
    head = {"id": -1, "status": 301, "headers": [["Location", "http://c.nl/robots.txt"]]}
    errands.fetcher.receive = lambda timeout: [(head | {"began": 0.0, "started": 0.0}, b"")]

    def be_away(origin):
        raise OperationalError("SELECT", {}, Exception("away"))

    monkeypatch.setattr(errands.frontier, "robots_of", be_away)
    with pytest.raises(OperationalError):
        errands.receive(0.0)
    assert not errands.is_busy


def test_a_url_whose_name_could_not_be_looked_up_for_want_of_a_name_service_is_not_tried(errands, tmp_path):
    """Other hosts may answer all the time, by connections that are open."""
    errands.config = errands.config.but(robots=False)
    errands.journal = Journal(tmp_path, "a")
    (job, other) = errands.frontier.claim(2)
    for one in (job, other):
        errands.dispatch(one)
    heads = [{"id": job.id, "error": "no-dns"}, {"id": other.id, "status": 200}]
    errands.fetcher.receive = lambda timeout: [(head | {"began": 0.0, "started": 0.0}, b"") for head in heads]
    errands.receive(0.0)
    answers, outcomes = errands.take()
    assert ([one.id for one, _ in answers], outcomes) == ([other.id], [])
    errands.frontier.clock = lambda: time.time() + 60.0
    (again,) = errands.frontier.claim(9)
    assert (again.id, again.attempts) == (job.id, 0)

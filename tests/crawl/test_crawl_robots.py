"""robots.txt as servers really send it: packed, redirected, and sitemaps behind it."""

import gzip

import pytest

from linksight.crawl.robots import Robots

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


def test_the_rules_of_a_packed_robots_txt_are_obeyed(web, crawl_with):
    web.told["127.0.1.1/robots.txt"] = (200, {"Content-Encoding": "gzip"}, gzip.compress(RULES))
    crawl_with(seeds=(web.origin(0) + "/",), strategy="breadth-first")
    assert asked(web) == {"1.1/": 1, "1.1/open": 1, "1.1/robots.txt": 1}


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

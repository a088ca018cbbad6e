"""The hub crawler and its fetcher against servers that misbehave."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from itertools import pairwise

import pytest

from linksight.errors import BadConfig, BadData, CrawlError
from linksight.sites.gathering.fetcher import Fetcher, FetchOptions
from linksight.sites.gathering.gather import Gathering, learn_site
from linksight.sites.gathering.hub_crawler import PROBE_WORD, HubOptions
from linksight.sites.workbench.workbench import Workbench

FORM = '<form action="/s"><input name="q" type="search"></form>'


def answers(routes, *, default=("404 Not Found", "")):
    """A WSGI application from a table: path -> body, or (status, body, headers)."""

    def app(environ, start_response):
        found = routes.get(environ["PATH_INFO"], default)
        found = found(environ) if callable(found) else found
        status, body, *headers = ("200 OK", found) if isinstance(found, (str, bytes)) else found
        data = body.encode() if isinstance(body, str) else body
        start_response(status, [("Content-Type", "text/html"), *(headers[0] if headers else [])])
        return [data]

    return app


def items(environ):
    """A search that finds three items, by a hash of the word, and one more word to ask for."""
    word = environ["QUERY_STRING"].partition("=")[2]
    n = sum(map(ord, word))
    text = " ".join(chr(97 + n % 26) + chr(97 + (n // 7 + i) % 26) + word[:3] for i in range(3))
    return (
        FORM
        + text
        + "".join(f'<a href="/item/{n % 97 + i}">item</a>' for i in range(3))
        + f'<a href="/user/{n % 89}">u</a>'
    )


HOME = FORM + "alpha beta gamma delta epsilon zeta eta theta iota kappa"


def test_hubs_are_gathered_until_there_are_enough(serve, bench, fast):
    url = serve(answers({"/": HOME, "/s": items}))
    gathering = Gathering(bench, url, fetch=fast, hubs=HubOptions(n_hubs=15))
    site = gathering.run()
    assert sum(hub.keyword is not None for hub in bench.hubs(site)) == 15
    assert PROBE_WORD not in {hub.keyword for hub in bench.hubs(site)}
    texts = {p.text.partition("/")[2].partition("/")[2].partition("/")[2] for p in learn_site(bench, site)}
    assert texts == {"item/*", "user/*"}


def test_a_crawl_that_was_killed_goes_on_where_it_was(serve, tmp_path, fast):
    asked = []

    def search(environ):
        asked.append(environ["QUERY_STRING"])
        return items(environ)

    url = serve(answers({"/": HOME, "/s": search}))
    store = tmp_path / "sites.db"

    def stop(done, wanted, what):
        if done >= 8:
            raise KeyboardInterrupt

    with Workbench(store) as bench, pytest.raises(KeyboardInterrupt):
        Gathering(bench, url, fetch=fast, hubs=HubOptions(n_hubs=20, threads=1), progress=stop).run()
    before = len(asked)
    with Workbench(store) as bench:
        site = bench.site_id()
        assert len(bench.hubs(site)) >= 8
        Gathering(bench, url, fetch=fast, hubs=HubOptions(n_hubs=20, threads=1)).run()
        assert sum(hub.keyword is not None for hub in bench.hubs(site)) == 20
        assert len(asked) - before <= 13
        again = Gathering(bench, url, fetch=fast)
        again.run()
        assert any("gathered before" in note for note in again.notes)
    assert len(set(asked)) == len(asked)


def test_requests_keep_the_delay_from_all_threads(serve):
    class Turns(dict):
        def __setitem__(self, host, soonest):
            times.append(soonest)
            super().__setitem__(host, soonest)

    times = []
    url = serve(answers({"/a": "x", "/robots.txt": ""}))
    fetcher = Fetcher(FetchOptions(delay_s=0.1, allow_private=True))
    fetcher._next = Turns()
    threads = [threading.Thread(target=fetcher.get, args=(url + "a",)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(times) == 7
    assert min(b - a for a, b in pairwise(times)) > 0.1 - 1e-6


def test_the_crawl_delay_of_robots_txt_counts(serve):
    url = serve(answers({"/a": "x", "/robots.txt": "User-agent: *\nCrawl-delay: 0.2\n"}))
    fetcher = Fetcher(FetchOptions(delay_s=0, allow_private=True))
    began = time.monotonic()
    for _ in range(3):
        fetcher.get(url + "a")
    assert time.monotonic() - began >= 0.35


@pytest.mark.parametrize(
    ("routes", "reason"),
    [
        ({"/": FORM, "/robots.txt": "User-agent: *\nDisallow: /\n"}, r"robots\.txt forbids"),
        ({"/": ("500 Internal Server Error", "")}, "status 500"),
        ({"/": ("401 Unauthorized", "")}, "login wall"),
        ({"/": FORM, "/robots.txt": ("503 Busy", "")}, r"robots\.txt cannot be read"),
        ({"/": ("302 Found", "", [("Location", "/")])}, "redirects in circles"),
        ({}, "status 404"),
    ],
)
def test_a_site_that_cannot_be_had_is_an_error_with_the_reason(serve, bench, fast, routes, reason):
    with pytest.raises(CrawlError, match=reason):
        Gathering(bench, serve(answers(routes)), fetch=fast).run()


def test_private_addresses_are_refused_unless_allowed(serve, bench, fast):
    url = serve(answers({"/": HOME}))
    with pytest.raises(CrawlError, match="allow-private"):
        Gathering(bench, url, fetch=replace(fast, allow_private=False)).run()


def test_without_a_form_a_plain_crawl_is_made_and_said(serve, bench, fast):
    pages = "".join(f'<a href="/item/{n}">x</a>' for n in range(30))
    routes = {
        "/": pages,
        **{f"/item/{n}": f'<a href="/item/{n + 1}">n</a><a href="/tag/t{n}">t</a>' for n in range(30)},
    }
    routes |= {f"/tag/t{n}": "<a href='/'>home</a>" for n in range(30)}
    gathering = Gathering(bench, serve(answers(routes)), fetch=fast, hubs=HubOptions(n_hubs=40))
    site = gathering.run()
    assert bench.site(site)["source"] == "crawl"
    assert any("no search form found" in note for note in gathering.notes)
    assert any("plain crawl of 40 pages" in note for note in gathering.notes)
    assert {p.text.rpartition("/")[0].rpartition("/")[2] for p in learn_site(bench, site)} >= {"item", "tag"}


def test_without_a_form_the_sitemap_is_taken_and_said(serve, bench, fast):
    def sitemap(environ):
        base = f"http://{environ['HTTP_HOST']}"
        urls = "".join(
            f"<url><loc>{base}/item/{n}</loc></url><url><loc>{base}/news/n{n}</loc></url>" for n in range(80)
        )
        return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'

    def index(environ):
        return f"<sitemapindex><sitemap><loc>http://{environ['HTTP_HOST']}/part.xml</loc></sitemap></sitemapindex>"

    url = serve(answers({"/": "hello", "/sitemap.xml": index, "/part.xml": sitemap}))
    gathering = Gathering(bench, url, fetch=fast)
    site = gathering.run()
    assert bench.site(site)["source"] == "sitemap"
    assert any("160 URLs of the sitemap" in note for note in gathering.notes)
    assert len(learn_site(bench, site)) == 2


def test_links_that_only_repeat_the_search_do_not_make_a_hub(serve, bench, fast):
    def search(environ):
        word = environ["QUERY_STRING"].partition("=")[2]
        echo = f'<a href="/s?q={word}&amp;sort=name">by name</a>'
        return (
            FORM
            + echo
            + ("".join(f'<a href="/item/{word}{n}">i</a>' for n in range(3)) if word[0] < "f" else "")
        )

    gathering = Gathering(bench, serve(answers({"/": HOME, "/s": search})), fetch=fast, source="form")
    site = gathering.run()
    assert {hub.keyword for hub in bench.hubs(site)} == {"alpha", "beta", "delta", "epsilon", "eta"}


def test_a_search_page_that_nothing_links_to_is_found(serve, bench, fast):
    def search(environ):
        word = environ["QUERY_STRING"].partition("=")[2]
        return FORM + "".join(f'<a href="/item/{word}{n}">i</a>' for n in range(3) if word[:2] != "zq")

    home = HOME.replace(FORM, "")
    assert "<form" not in home
    site = serve(answers({"/": home, "/search": FORM, "/s": search}))
    assert len(bench.hubs(Gathering(bench, site, fetch=fast, source="form").run())) >= 5


def test_a_form_that_finds_nothing_is_left_for_the_next(serve, bench, fast):
    first = '<form action="/people" role="search"><input type="search" name="who"></form>'

    def search(environ):
        word = environ["QUERY_STRING"].partition("=")[2]
        found = "" if word.startswith("zq") else "".join(f'<a href="/item/{word}{n}">i</a>' for n in range(3))
        return first + FORM + found

    site = serve(answers({"/": first + HOME, "/s": search, "/people": first + HOME}))
    gathering = Gathering(bench, site, fetch=fast, source="form")
    number = gathering.run()
    assert len(bench.hubs(number)) >= 5
    assert any("/people (who) finds nothing" in note for note in gathering.notes)


def test_when_the_rarest_words_are_those_of_the_menu_others_are_tried(serve, bench, fast):
    menu = " ".join(f"menu{chr(97 + n)}x" for n in range(25))
    things = " ".join(["lamp chair table sofa shelf bench stool"] * 3)

    def search(environ):
        word = environ["QUERY_STRING"].partition("=")[2]
        found = (
            "" if word.startswith("menu") else "".join(f'<a href="/item/{word}{n}">i</a>' for n in range(3))
        )
        return FORM + menu + things + found

    url = serve(answers({"/": FORM + menu + things, "/s": search}))
    site = Gathering(bench, url, fetch=fast, source="form").run()
    assert {"lamp", "chair", "sofa"} <= {hub.keyword for hub in bench.hubs(site)}
    tried = [hub.keyword for hub in bench.hubs(site, usable_only=False)]
    assert len(tried) == len(set(tried))


def test_a_login_wall_is_named(serve, bench, fast):
    wall = '<form method="post"><input name="user"><input type="password" name="pw"></form>'
    with pytest.raises(CrawlError, match="login wall"):
        Gathering(bench, serve(answers({"/": wall})), source="form", fetch=fast).run()


def test_a_search_that_ignores_the_word_is_not_learnt_from(serve, bench, fast):
    url = serve(
        answers(
            {"/": HOME + "<a href='/x'>x</a>", "/s": HOME + "<a href='/x'>x</a>", "/x": "<a href='/'>h</a>"}
        )
    )
    gathering = Gathering(bench, url, fetch=fast, hubs=HubOptions(n_hubs=10, n_rounds=1))
    site = gathering.run()
    assert bench.site(site)["source"] == "crawl"
    assert any("only 0 hubs" in note for note in gathering.notes)


def test_a_server_that_breaks_down_is_left_in_peace_and_the_rest_is_kept(serve, bench, fast):
    n = 0

    def search(environ):
        nonlocal n
        n += 1
        return items(environ) if n <= 12 else ("500 Internal Server Error", "")

    gathering = Gathering(
        bench, serve(answers({"/": HOME, "/s": search})), fetch=fast, hubs=HubOptions(threads=1)
    )
    site = gathering.run()
    assert 8 <= len(bench.hubs(site)) <= 12
    assert n <= 12 + 10
    assert any("10 failures in a row" in note for note in gathering.notes)
    assert any("status 500" in note for note in gathering.notes)


def test_a_page_of_ten_megabytes_is_cut_and_used(serve, fast):
    url = serve(answers({"/": "<a href='/a'>a</a>" + "x" * 10_000_000}))
    page = Fetcher(replace(fast, max_bytes=1_000_000)).get(url)
    assert page.cut
    assert len(page.body) == 1_000_000
    assert page.is_html


def test_a_million_links_on_a_page_are_cut_to_the_limit(fast):
    from linksight.sites.gathering.fetcher import Page
    from linksight.sites.gathering.hub_pages import hub_of
    from linksight.sites.gathering.links import MAX_LINKS, parse_html

    body = b"".join(b"<a href=/i/%d>x</a>" % n for n in range(1_000_000))
    page = Page("http://a.org/", 200, "text/html", body)
    hub = hub_of(page, parse_html(page), "http://a.org/")
    assert len(hub.urls) == MAX_LINKS
    assert hub.cut


def test_gzip_is_unpacked_only_up_to_the_limit(serve, fast):
    import gzip

    bomb = gzip.compress(b"x" * 50_000_000)
    url = serve(answers({"/": ("200 OK", bomb, [("Content-Encoding", "gzip")])}))
    page = Fetcher(replace(fast, max_bytes=100_000)).get(url)
    assert (len(page.body), page.cut) == (100_000, True)


def test_a_redirect_to_a_private_address_is_not_followed(serve, monkeypatch):
    """The site is taken for a public one; where it leads is another address of this machine."""
    from linksight.system import guarded_connections

    monkeypatch.setattr(guarded_connections, "is_private", lambda address: address != "127.0.0.1")
    asked = []

    def app(environ, start_response):
        asked.append(environ["HTTP_HOST"])
        place = environ["HTTP_HOST"].replace("127.0.0.1", "127.0.0.2")
        start_response("302 Found", [("Location", f"http://{place}/secret")])
        return [b""]

    url = serve(app).replace("localhost", "127.0.0.1")
    page = Fetcher(FetchOptions(delay_s=0, retries=0, obey_robots=False)).get(url)
    assert page.problem == "private-address"
    assert len(asked) == 1


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/", "http://localhost:1/", "http://[::ffff:127.0.0.1]:1/"]
)
def test_a_private_address_is_not_connected_to(url):
    fetcher = Fetcher(FetchOptions(delay_s=0, retries=0, obey_robots=False))
    assert fetcher.get(url).problem == "private-address"


@pytest.mark.parametrize("url", ["ftp://a.org/", "http://", "http://256.256.256.256.example.invalid/"])
def test_what_cannot_be_fetched_is_a_problem_and_no_exception(url, fast):
    assert Fetcher(fast).get(url).problem in ("bad-url", "unknown-host", "no-answer")


def test_sources_that_do_not_exist_are_errors(bench):
    with pytest.raises(BadConfig):
        Gathering(bench, "http://a.org/", source="magic")
    with pytest.raises(BadConfig):
        Gathering(bench, "http://a.org/", source="warc")
    with pytest.raises(BadData):
        Gathering(bench, "", "x", source="urls", files=("/nowhere",)).run()


def page_of(*links, form=""):
    return f"<html><body>{form}{''.join(f'<a href={link}>{link} word{n}</a> ' for n, link in enumerate(links))}</body></html>"


def test_a_plain_crawl_adds_the_pages_that_a_search_does_not_find(serve, bench, fast):
    home = page_of(
        "/about",
        "/tag/a",
        form='<form action="/s"><input type="search" name="q"></form>alpha beta gamma delta',
    )
    pages = {
        "/": home,
        "/s": items,
        "/about": page_of("/team/1", "/team/2"),
        "/tag/a": page_of("/tag/b", "/tag/c"),
    }
    gathering = Gathering(bench, serve(answers(pages)), fetch=fast, hubs=HubOptions(n_hubs=15))
    found = {
        url.partition("/")[2].partition("/")[2].partition("/")[2]
        for hub in bench.hubs(gathering.run())
        for url in hub.urls
    }
    assert {"team/1", "team/2", "tag/b", "tag/c"} <= found


def test_a_filter_of_a_short_list_is_no_search_of_the_site(serve, bench, fast):
    names = [f"/r/{word}" for word in ("alpha", "beta", "gamma", "delta", "omega", "sigma")]
    form = '<form action="/"><input type="search" name="q"></form>'

    def listing(environ):
        word = environ["QUERY_STRING"].partition("=")[2]
        return page_of(*[name for name in names if word in name or not word], form=form)

    pages = {"/": listing} | {name: page_of(f"{name}/x", f"{name}/y") for name in names}
    gathering = Gathering(bench, serve(answers(pages)), fetch=fast, hubs=HubOptions(n_hubs=15))
    site = gathering.run()
    assert all(hub.keyword is None for hub in bench.hubs(site))
    assert any("filter" in note or "only" in note for note in gathering.notes)


def test_a_form_that_writes_is_sent_once_at_most(serve, bench, fast):
    entries = []

    def wall(environ):
        if environ["REQUEST_METHOD"] == "POST":
            entries.append(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])).decode())
        form = '<form action="/search-wall" method="post"><input name="q"></form>'
        return page_of(
            "/a/1", "/a/2", "/a/3", form=form + "<p>alpha beta gamma delta</p>" + " ".join(entries)
        )

    gathering = Gathering(
        bench, serve(answers({"/": wall, "/search-wall": wall})), fetch=fast, hubs=HubOptions(n_hubs=15)
    )
    gathering.run()
    assert len(entries) == 1
    assert any("seems to change the site" in note for note in gathering.notes)


def test_a_page_made_by_scripts_names_the_remedy(serve, bench, fast):
    url = serve(answers({"/": "<html><body><div id=app></div><script src=/app.js></script></body></html>"}))
    gathering = Gathering(bench, url, fetch=fast)
    gathering.run()
    assert any("--render" in note for note in gathering.notes)

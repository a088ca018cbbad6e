"""What strangers send: odd addresses, odd names, odd rules. Nothing of it may raise, hang or lead elsewhere."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from linksight.errors import BadConfig, BadData
from linksight.sites.evaluation.class_rules import ClassRule, label_links, parse_rules
from linksight.sites.gathering.fetcher import Fetcher, FetchOptions, Page, request_url
from linksight.sites.gathering.link_sources import sitemap_urls, warc_hubs
from linksight.sites.gathering.links import Link, base_of, join, parse_html
from linksight.sites.gathering.search_forms import find_forms, opensearch_links, read_opensearch
from linksight.sites.patterns.highlighted_page import coloured_page
from linksight.sites.patterns.palette import MAX_COLOURS, palette
from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.sites.workbench.workbench import Hub
from linksight.system import guarded_connections

BAD = "http://[x"  # urllib refuses to take it apart


def _page(body: str, url: str = "http://a.org/") -> Page:
    return Page(url, 200, "text/html; charset=utf-8", body.encode())


def _hub(body: str, *urls: str) -> Hub:
    return Hub("http://a.org/", [Link(url) for url in urls], content_type="text/html", body=body.encode())


# -- rules for classes ----------------------------------------------------------------------------


@pytest.mark.parametrize("value", [17, {"regex": 17}, {"regex": ["a", 17]}, {"regex": None}])
def test_an_expression_that_is_no_text_is_an_error_that_names_its_class(value):
    with pytest.raises(BadData, match="'person'"):
        parse_rules({"person": value})


def test_an_expression_that_fails_only_when_asked_is_an_error_too():
    with pytest.raises(BadConfig, match="'person'"):
        label_links([_hub("<a href=/x>x</a>")], [ClassRule("person", "xpath", "unheard-of(//a)")])


def test_what_is_no_link_is_selected_for_nothing():
    hub = _hub(f"<a href='{BAD}'>x</a><a href=/p>y</a>")
    assert label_links([hub], [ClassRule("person", "css", "a")]) == {"http://a.org/p": "person"}
    assert label_links([hub], [ClassRule("person", "xpath", "//namespace::*")]) == {}


def test_the_first_rule_that_fits_counts_whatever_its_kind():
    hub = _hub("<div class=people><a href=/p/1>x</a></div>", "http://a.org/p/1")
    rules = [ClassRule("product", "regex", "/p/"), ClassRule("person", "css", ".people a")]
    assert label_links([hub], rules) == {"http://a.org/p/1": "product"}
    assert label_links([hub], rules[::-1]) == {"http://a.org/p/1": "person"}


def test_an_expression_of_a_stranger_is_read_in_linear_time():
    hub = _hub("", "http://a.org/" + "a" * 5_000 + "!", "http://a.org/p/1")
    slow = ClassRule("slow", "regex", "(a+)+$")  # by Python's own it would take longer than there is time
    assert label_links([hub], [slow], linear=True) == {}
    assert label_links([hub], [ClassRule("p", "regex", "/p/[0-9]+$")], linear=True) == {
        "http://a.org/p/1": "p"
    }
    for bad in ("(", "(?!x)y", r"(a)\1"):
        with pytest.raises(BadConfig, match="'bad'"):
            label_links([hub], [ClassRule("bad", "regex", bad)], linear=True)


# -- fetching -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("http://пример.рф:8080/я", "http://xn--e1afmkfd.xn--p1ai:8080/%D1%8F"),
        ("http://me:pw@höst.de/", "http://xn--hst-sna.de/"),
        ("http://straße.de/", "http://xn--strae-oqa.de/"),
        ("http://[::1]:81/x", "http://[::1]:81/x"),
    ],
)
def test_only_the_host_is_written_as_idna(url, sent):
    assert request_url(url) == sent


def _robots(serve, text: str = "", **headers: str):
    def app(environ, start):
        if environ["PATH_INFO"] == "/robots.txt":
            start("302 Found" if "Location" in headers else "200 OK", [*headers.items()])
            return [text.encode()]
        start("200 OK", [("Content-Type", "text/html")])
        return [b"<a href=/x>x</a>"]

    return serve(app)


def _fetcher() -> Fetcher:
    return Fetcher(FetchOptions(delay_s=0.0, retries=0, allow_private=True))


def test_robots_txt_leads_to_no_file_of_this_machine(serve, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("User-agent: *\nDisallow: /\n")
    home = _robots(serve, Location=f"file://{secret}")
    assert _fetcher().get(home).problem is None


def test_robots_txt_leads_to_no_other_protocol(serve):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.3)
        home = _robots(serve, Location=f"ftp://127.0.0.1:{listener.getsockname()[1]}/robots.txt")
        assert _fetcher().get(home).problem is None
        with pytest.raises(TimeoutError):
            listener.accept()


def test_a_byte_order_mark_hides_no_rule_of_robots_txt(serve):
    home = _robots(serve, "\ufeffUser-agent: *\nDisallow: /\n")
    assert _fetcher().get(home).problem == "robots"


@pytest.mark.parametrize("delay", ["1e999", "86400", "nan"])
def test_no_robots_txt_makes_us_wait_for_ever(serve, delay, monkeypatch):
    waits, real = [], time.monotonic
    monkeypatch.setattr(time, "sleep", waits.append)
    monkeypatch.setattr(time, "monotonic", lambda: real() + sum(waits))
    fetcher, home = _fetcher(), _robots(serve, f"User-agent: *\nCrawl-delay: {delay}\n")
    assert [fetcher.get(home).problem for _ in range(2)] == [None, None]
    assert all(0 <= wait <= 120 for wait in waits)


def test_a_host_is_tried_at_its_next_address_where_the_first_does_not_answer(monkeypatch):
    closed = socket.socket()
    closed.bind(("127.0.0.1", 0))  # taken, so that nobody else listens there, and not listened at
    port = closed.getsockname()[1]
    with closed, socket.create_server(("127.0.0.2", port)) as listener:
        places = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (where, port)) for where in ("127.0.0.1", "127.0.0.2")
        ]
        real = socket.getaddrinfo
        monkeypatch.setattr(
            socket,
            "getaddrinfo",
            lambda host, *a, **k: places if host == "two.example" else real(host, *a, **k),
        )
        monkeypatch.setattr(guarded_connections, "is_private", lambda _: False)
        threading.Thread(target=_answer_once, args=(listener,), daemon=True).start()
        with guarded_connections.opener(allow_private=False).open(
            f"http://two.example:{port}/", timeout=120
        ) as answer:
            assert answer.read() == b"here"


def _answer_once(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nhere")


def test_one_private_address_among_several_is_enough_to_refuse(monkeypatch):
    places = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, 80)) for ip in ("192.0.2.1", "127.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: places)
    monkeypatch.setattr(guarded_connections, "is_private", lambda ip: ip == "127.0.0.1")
    fetcher = Fetcher(FetchOptions(delay_s=0.0, retries=0, timeout_s=1, obey_robots=False))
    assert fetcher.get("http://two.example/").problem == "private-address"


def test_pictures_in_a_sitemap_are_no_pages(serve):
    def site(environ, start):
        home = f"http://{environ['HTTP_HOST']}"
        start("200 OK", [("Content-Type", "text/xml")])
        urls = f"<s:url><s:loc>{home}/p/1</s:loc><image:image><image:loc>{home}/i/1.jpg</image:loc></image:image></s:url>"
        return [f"<s:urlset>{urls}</s:urlset>".encode()]

    url = serve(site)
    assert sitemap_urls(Fetcher(FetchOptions(allow_private=True, delay_s=0)), url) == [f"{url}p/1"]


def test_addresses_in_a_sitemap_may_be_written_with_any_reference(serve):
    def app(environ, start):
        start("200 OK", [("Content-Type", "application/xml")])
        if environ["PATH_INFO"] != "/sitemap.xml":
            return [f"Sitemap: {BAD}\n".encode()]
        place = f"http://{environ['HTTP_HOST']}/p?a=1&#38;b=2&amp;c=&#x41;"
        return [f"<urlset><url><loc>{place}</loc></url></urlset>".encode()]

    home = serve(app)
    assert sitemap_urls(_fetcher(), home) == [f"{home}p?a=1&b=2&c=A"]


def test_a_record_with_a_status_that_is_none_does_not_end_the_file(tmp_path):
    records = b""
    for status, name in (("OK", "a"), ("200 OK", "b")):
        body = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n<a href=/x>x</a>".encode()
        head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.org/{name}\r\n"
        head += f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n"
        records += head.encode() + body + b"\r\n\r\n"
    path = tmp_path / "two.warc"
    path.write_bytes(records)
    assert [hub.url for hub in warc_hubs([path])] == ["http://a.org/b"]


# -- search forms ---------------------------------------------------------------------------------


def test_a_description_of_a_search_that_leads_nowhere_is_no_search():
    tree = parse_html(_page(f"<link type='application/opensearchdescription+xml' href='{BAD}'>"))
    assert opensearch_links(tree, "http://a.org/") == []
    for template in (BAD + "{searchTerms}", "https://b.example/?q={searchTerms}"):
        body = f"<O><Url type='text/html' template='{template}'/></O>".encode()
        assert read_opensearch(body, "http://a.org/", "http://a.org/") is None


def test_a_form_that_names_an_encoding_of_no_text_is_sent_in_that_of_the_page():
    tree = parse_html(_page("<form accept-charset='hex'><input type=search name=q></form>"))
    (form,) = find_forms(tree, "http://a.org/", "http://a.org/")
    assert form.request("é")[1] == "http://a.org/?q=%C3%A9"


# -- pages with coloured links --------------------------------------------------------------------


def test_control_characters_in_addresses_and_names_do_not_break_a_coloured_page():
    named = PatternSet((Pattern(0, (Form.parse("http://a.org/p/*"),), name="a\x01\x00b"),))
    shown = coloured_page(_page("<a href='/p/\x01x'>y</a>"), named)
    assert "1 link, 1 pattern" in shown


def test_there_are_only_so_many_colours_that_people_can_tell_apart():
    few, many = palette(MAX_COLOURS), palette(2 * MAX_COLOURS + 3)
    assert many == (*few, *few, *few[:3])  # to make thousands that are all unlike took minutes


@pytest.mark.parametrize(
    "href", ["javascript:alert(1)//", "data:text/html,x", "mailto:a@b.example", "http://[bad", ""]
)
def test_a_base_that_is_no_web_address_loses_no_link(href):
    tree = parse_html(_page(f'<base href="{href}"><a href="/x">x</a>'))
    assert join(base_of(tree, "http://a.org/q/"), "/x") == "http://a.org/x"

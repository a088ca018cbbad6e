"""Links from lists, CDX indexes, WARC files and plain crawls."""

from __future__ import annotations

import gzip
import os

import pytest

from linksight.errors import BadData
from linksight.sites.gathering.gather import Gathering, learn_site
from linksight.sites.gathering.link_sources import PlainCrawl, cdx_urls, shape_of, warc_hubs
from linksight.sites.gathering.url_files import url_list


def write_warc(path, pages):
    """A WARC file written by hand; each record is a gzip member where the name says so."""
    with path.open("wb") as file:
        for n, (url, body, kind) in enumerate(pages):
            answer = f"HTTP/1.0 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode() + body
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
                f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{n:012}>\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(answer)}\r\n\r\n"
            )
            record = head.encode() + answer + b"\r\n\r\n"
            file.write(gzip.compress(record) if path.suffix == ".gz" else record)


def test_a_list_of_urls_may_be_packed(tmp_path):
    path = tmp_path / "urls.txt.gz"
    with gzip.open(path, "wt") as file:
        file.write("# comment\nhttp://a.org/1\n\n http://a.org/2 \n")
    assert url_list(path) == ["http://a.org/1", "http://a.org/2"]


def test_both_kinds_of_cdx_give_html_pages(tmp_path):
    path = tmp_path / "index.cdx"
    path.write_text(
        " CDX N b a m s k r M S V g\n"
        "org,a)/1 20200101 http://a.org/1 text/html 200 X - - 1 2 f\n"
        "org,a)/i 20200101 http://a.org/i.png image/png 200 X - - 1 2 f\n"
        'org,a)/2 20200101 {"url": "http://a.org/2", "mime": "text/html", "status": "200"}\n'
        'org,a)/3 20200101 {"url": "http://a.org/3", "mime": "text/html", "status": "404"}\n'
        "org,a)/4 20200101 {broken\n"
    )
    assert cdx_urls(path) == ["http://a.org/1", "http://a.org/2"]
    path.write_text("nothing\n")
    with pytest.raises(BadData, match="CDX"):
        cdx_urls(path)


@pytest.mark.parametrize("name", ["c.warc", "c.warc.gz"])
def test_each_page_of_a_warc_file_is_a_hub(tmp_path, bench, name):
    path = tmp_path / name
    pages = [
        (
            f"http://a.org/list/{n}",
            b"".join(b"<a href=/item/%d>x</a>" % (3 * n + i) for i in range(3)),
            "text/html",
        )
        for n in range(20)
    ]
    write_warc(
        path,
        [
            *pages,
            ("http://b.org/", b"<a href=/x>x</a>", "text/html"),
            ("http://a.org/p.png", b"x", "image/png"),
        ],
    )
    assert len(list(warc_hubs([path], "http://a.org/"))) == 20
    gathering = Gathering(bench, "http://a.org/", source="warc", files=(path,))
    patterns = learn_site(bench, gathering.run())
    assert [p.text for p in patterns] == ["http://a.org/item/*"]
    assert "nothing was fetched" in gathering.notes[0]


def test_a_warc_file_that_is_none_is_an_error(tmp_path):
    path = tmp_path / "x.warc"
    path.write_bytes(b"not a warc file at all\n" * 10)
    with pytest.raises(BadData, match=r"x\.warc"):
        list(warc_hubs([path]))
    with pytest.raises(BadData, match="none"):
        list(warc_hubs([tmp_path / "none.warc"]))


def test_files_read_again_take_the_place_of_what_was_read_before(tmp_path, bench):
    path = tmp_path / "urls.txt"
    path.write_text("http://a.org/1\nhttp://a.org/2\n")
    for _ in range(2):
        site = Gathering(bench, "", "x", source="urls", files=(path,)).run()
    assert [len(hub.urls) for hub in bench.hubs(site)] == [2]


def test_an_empty_list_is_an_error(tmp_path, bench):
    path = tmp_path / "urls.txt"
    path.write_text("\n")
    with pytest.raises(BadData, match="no URL"):
        Gathering(bench, "", "x", source="urls", files=(path,)).run()


def test_a_calendar_without_end_does_not_eat_the_budget(shop, fast):
    from linksight.sites.gathering.fetcher import Fetcher

    crawl = PlainCrawl(Fetcher(fast), shop[0], n_pages=60)
    visited = [hub.url for hub in crawl.run()]
    assert len(visited) == 60
    assert sum("/kalender/" in url for url in visited) < 12
    assert {shape_of(url).split("/")[1].split("?")[0] for url in visited if "/p/" in url or "/marke/" in url}
    assert sum("/p/" in url for url in visited) >= 5


def test_deep_folders_do_not_eat_the_budget(serve, fast):
    """Every file of one repository is linked with six actions; the other repositories get their visits too."""
    from linksight.sites.gathering.fetcher import Fetcher

    repositories = ["deep/one", *(f"r{n}" for n in range(5))]

    def app(environ, start_response):
        path = environ["PATH_INFO"].strip("/")
        links = [f"/{repository}/log/" for repository in repositories]
        name = next((r for r in repositories if path.startswith(r)), None)
        if name:
            deeper = path.partition("/tree/")[2] if name == "deep/one" else ""
            actions = ("log", "tree", "commit", "diff", "stats", "blame")
            links += [f"/{name}/{a}/{deeper}/d{n}".replace("//", "/") for a in actions for n in range(3)]
        start_response("200 OK", [("Content-Type", "text/html")])
        return ["".join(f"<a href='{link}'>x</a>" for link in links).encode()]

    visited = [hub.url for hub in PlainCrawl(Fetcher(fast), serve(app), n_pages=40).run()]
    assert len(visited) == 40
    assert sum("/deep/" in url for url in visited) <= 20
    assert all(any(f"/r{n}/" in url for url in visited) for n in range(5))


def test_a_plain_crawl_goes_on_where_it_was(shop, fast):
    from linksight.sites.gathering.fetcher import Fetcher

    first = list(PlainCrawl(Fetcher(fast), shop[0], n_pages=10).run())
    fetcher = Fetcher(fast)
    more = list(PlainCrawl(fetcher, shop[0], n_pages=15, known=first).run())
    assert len(more) == 5
    assert not {hub.url for hub in more} & {hub.url for hub in first}


def test_a_pipe_by_name_is_refused_and_not_called_empty():
    read, write = os.pipe()
    os.write(write, b"http://a.nl/x/1\nhttp://a.nl/x/2\n")
    os.close(write)
    try:
        with pytest.raises(BadData, match="a pipe, which can be read once; give it as standard input"):
            url_list(f"/dev/fd/{read}")
    finally:
        os.close(read)

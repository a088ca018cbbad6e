"""Addresses: one spelling a page, no traps, nothing private."""

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.urls.url_filters import refusal_of, trap_of
from linksight.crawl.urls.url_normalize import (
    canonical,
    chance_of,
    digest_of,
    host_key,
    is_media,
    is_public,
    names_private,
)


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("HTTP://A.NL", "http://a.nl/"),
        ("http://a.nl:80/x#y", "http://a.nl/x"),
        ("https://a.nl:443/", "https://a.nl/"),
        ("//b.nl/x", "http://b.nl/x"),
        ("/x/./y/../z", "http://a.nl/x/z"),
        ("x?a=1&utm_source=n&b=2", "http://a.nl/map/x?a=1&b=2"),
        ("?PHPSESSID=1234", "http://a.nl/map/p"),
        ("/p;jsessionid=AB12?x=1", "http://a.nl/p?x=1"),
        ("http://bücher.de/ä b", "http://xn--bcher-kva.de/%C3%A4%20b"),
        ("http://me@Straße.DE.:8080/x", "http://xn--strae-oqa.de:8080/x"),
        ("http://b%C3%BCcher.de/", "http://xn--bcher-kva.de/"),
        ("http://ΣΑΣ.gr/", "http://xn--mxa9ab.gr/"),
        ("/a%20b%zz", "http://a.nl/a%20b%zz"),
        ("http://a.nl\\x", "http://a.nl/x"),
        ("\\x\\y?z\\", "http://a.nl/x/y?z%5C"),
        ("y\\z", "http://a.nl/map/y/z"),
        ("\\\\b.nl\\x", "http://b.nl/x"),
        ("mailto:x@a.nl", None),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("file:///etc/passwd", None),
        ("ftp://a.nl/", None),
        ("http://", None),
        ("http://[::1", None),
        ("#top", None),
        ("", None),
    ],
)
def test_each_page_has_one_spelling(href, expected):
    assert canonical(href, "http://a.nl/map/p") == expected


@given(st.text(max_size=80))
@settings(max_examples=300, deadline=None)
def test_any_text_gives_a_stable_address_or_none(text):
    url = canonical(text, "http://a.nl/x/")
    if url is not None:
        assert url.startswith(("http://", "https://"))
        assert url.isascii()
        assert canonical(url) == url
        assert host_key(url)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.8.8.8", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1",
     "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "::ffff:10.0.0.1", "2002:7f00:1::",
     "64:ff9b::7f00:1", "64:ff9b:1::1", "::127.0.0.1", "2001:0:53aa:64c::80ff:fffe", "ff02::1", "nonsense", "fe80::1%eth0"],
)  # fmt: skip
def test_private_addresses_are_known(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "2002:808:808::"]
)
def test_public_addresses_are_let_through(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "url", ["http://localhost/", "http://x.localhost/", "http://10.0.0.1:8080/", "http://[::1]/"]
)
def test_private_hosts_are_refused_by_their_spelling(url):
    assert names_private(url)


@pytest.mark.parametrize(
    "url",
    ["http://a.nl/" + "x" * 3000, "http://a.nl/" + "a/" * 30, "http://a.nl/a/b/a/b/a/b/", "http://a.nl/x/x/x/x/x/",
     "http://a.nl/?" + "&".join(f"f{n}=1" for n in range(12)), "http://a.nl/agenda/2071-05/", "http://a.nl/cal?year=1850&month=3&calendar=1",
     "http://a.nl/agenda?jaar=2080&maand=9", "http://a.nl/?maand=655", "http://a.nl/?month=-655", "http://a.nl/?month=208705", "http://a.nl/?datum=2087-01-01",
     "http://a.nl/?monat=5&jahr=2087", "http://a.nl/x?m=1/dieper/2/dieper/3/dieper/4/dieper/5"],
)  # fmt: skip
def test_traps_are_seen(url):
    assert trap_of(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://a.nl/2019/05/nieuws",
        "http://a.nl/agenda/2024/06/",
        "http://a.nl/a/b/c/d/e/f",
        "http://a.nl/?p=12&q=x",
        "http://a.nl/agenda?jaar=2026&maand=9",
        "http://a.nl/?month=12",
        "http://a.nl/?month=2026-09",
        "http://a.nl/kranten?jaar=1850",
        "http://a.nl/kranten?datum=1850-03-04",
        "http://a.nl/berichten?mes=655",
        "http://a.nl/?maand=mei&jaar=2026",
        "http://a.nl/?date=&month=&year=",
        "http://a.nl/?r=site/page/view",
    ],
)
def test_ordinary_pages_are_no_traps(url):
    assert trap_of(url) is None


@pytest.mark.parametrize(
    "url", ["http://a.nl/agenda/{}/05/", "http://a.nl/?jaar={}&maand=5", "http://a.nl/?date={}-05"]
)
@pytest.mark.parametrize(("clock", "year"), [(2026, 2026), (2041, 2041), (1970, 2026)])
def test_calendars_end_a_few_years_after_this_one(monkeypatch, url, clock, year):
    """A clock that has lost its time is no reason to leave out what is planned for today."""
    monkeypatch.setattr(
        "linksight.crawl.urls.url_filters.time.gmtime", lambda: SimpleNamespace(tm_year=clock)
    )
    assert [trap_of(url.format(year + ahead)) for ahead in (0, 3, 4)] == [None, None, "trap-calendar"]


def test_media_are_known_by_their_ending():
    assert is_media("http://a.nl/x.pdf")
    assert not is_media("http://a.nl/x.php?file=y.jpg")


def test_draws_are_uniform_and_lasting():
    draws = [chance_of(digest_of(f"http://a.nl/{n}"), 1) for n in range(2000)]
    assert 0.47 < sum(draws) / len(draws) < 0.53
    assert draws[0] == chance_of(digest_of("http://a.nl/0"), 1) != chance_of(digest_of("http://a.nl/0"), 2)


def test_the_digest_of_a_url_never_changes():
    # Every seen-set on disk depends on it.
    assert digest_of("http://a.nl/").hex() == "c6c3951e1229c34a54969f5c3fb785b5"


@pytest.mark.parametrize(
    ("url", "reason"),
    [("http://a.nl/x/y/x/y/x/y/z.png", "media"), ("http://10.0.0.1/x/y/x/y/x/y/", "private-address"),
     ("http://a.nl/x/y/x/y/x/y/", "trap-repeating-path"), ("http://a.nl/x", None)],
)  # fmt: skip
def test_a_url_is_left_out_for_one_reason_whoever_asks(url, reason):
    """What ``why`` said of a picture in a trap was not what the crawl had counted."""
    assert refusal_of(url, CrawlConfig(language="nl")) == reason

"""Url: the papers' examples, what browsers accept, and what is no web address."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from linksight.errors import BadUrl
from linksight.urls.parser import EMPTY_WORDS, MAX_LENGTH, Url, site_of, words_of
from linksight.urls.percent_decoding import decode_percent


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("http://vldb.org/vldb_journal/", ["vldb", "org", "vldb", "journal"]),
        ("http://www.internetwordstats.com/africa2.htm", ["internetwordstats", "com", "africa"]),
        ("http://www.hi-fly.de", ["hi", "fly", "de"]),
        ("https://www.gezellig.nl/index.html", ["gezellig", "nl"]),
        ("https://persoonlijkrooster.ru.nl/", ["persoonlijkrooster", "ru", "nl"]),
        ("http://www.wasserbett-test.com", ["wasserbett", "test", "com"]),
    ],
)
def test_words_are_those_of_the_papers(raw, words):
    assert Url.parse(raw).words() == words


def test_letters_run_together_across_punctuation():
    letters = Url.parse("http://www.hi-fly.de").letters()
    assert letters == "hiflyde"
    assert "yde" in {letters[i : i + 3] for i in range(len(letters) - 2)}


@pytest.mark.parametrize(
    ("raw", "host", "path"),
    [
        ("EXAMPLE.NL", "example.nl", "/"),
        ("//example.nl/a", "example.nl", "/a"),
        ("  https://Example.nl/a b ", "example.nl", "/a b"),
        ("http:\\\\example.nl\\a", "example.nl", "/a"),
        ("https://user:word@example.nl/", "example.nl", "/"),
        ("user:word@example.nl/", "example.nl", "/"),
        ("user@example.nl/", "example.nl", "/"),
        ("//user@example.nl", "example.nl", "/"),
        ("example.nl:8080/x", "example.nl", "/x"),
        ("http://ex\tam\nple.nl/", "example.nl", "/"),
        ("http://xn--bcher-kva.example/", "bücher.example", "/"),
        ("http://BÜCHER.example/", "bücher.example", "/"),
        ("http://пример.рф/новость", "пример.рф", "/новость"),
        ("http://b%C3%BCcher.example/%D1%8F", "bücher.example", "/я"),
        ("http://example.nl/100%/%E9%zz", "example.nl", "/100%/%E9%zz"),
        ("http://example.nl./", "example.nl", "/"),
        ("http://xn--999999999.nl/", "xn--999999999.nl", "/"),
        ("http://xn--google-.com/", "xn--google-.com", "/"),
        ("http://xn--a.nl/", "xn--a.nl", "/"),
        ("http://[2001:DB8::1]:80/x", "2001:db8::1", "/x"),
        ("http://192.0.2.7/", "192.0.2.7", "/"),
        ("http://localhost:8000/x", "localhost", "/x"),
        ("\u200bhttp://example.nl/a\u200e\u00a0", "example.nl", "/a"),
        ("http://exa\u00admp\u200ble.nl/a\u200bb", "example.nl", "/a\u200bb"),
        ("http://i\u2764\ufe0f.example/", "i\u2764.example", "/"),
        ("http://2130706433/", "127.0.0.1", "/"),
        ("http://0x7f.1/", "127.0.0.1", "/"),
        ("http://0300.0250.1/", "192.168.0.1", "/"),
        ("http://https://example.nl/a", "example.nl", "/a"),
        ("HTTP:HTTP:\\\\example.nl", "example.nl", "/"),
        ("<URL:http://example.nl/a>", "example.nl", "/a"),
        ("“http://example.nl/a”", "example.nl", "/a"),
        ("feed:https://example.nl/rss", "example.nl", "/rss"),
        ("view-source:example.nl/a", "example.nl", "/a"),
    ],
)
def test_lenient_as_browsers_are(raw, host, path):
    url = Url.parse(raw)
    assert (url.host, url.path) == (host, path)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", "empty"),
        (" \t\n", "empty"),
        ("\x00\x01", "empty"),
        ("hello", "not a web address"),
        ("file.txt", "not a web address"),
        ("mailto:me@example.nl", "not a web address (mailto:)"),
        ("me@example.nl", "an e-mail address"),
        ("Me.And+you@mail.example.nl?subject=hello", "an e-mail address"),
        ("javascript:alert(1)", "not a web address (javascript:)"),
        ("data:text/html,hello", "not a web address (data:)"),
        ("ftp://example.nl/", "not a web address (ftp:)"),
        ("tel:+31201234567", "not a web address (tel:)"),
        ("C:\\temp\\x", "not a web address (c:)"),
        ("http://", "no host"),
        ("http:///", "no host"),
        ("http://a b.nl/", "bad host name"),
        ("http://a..nl/", "bad host name"),
        ("http://a\x00b.nl/", "bad host name"),
        ("http://" + "a" * 300 + ".nl/", "bad host name"),
        ("http://a.nl:99999/", "bad port"),
        ("http://a.nl:x/", "bad port"),
        ("http://[::1/", "bad IPv6 address"),
        ("http://[fe80::1%25eth0]/", "bad IPv6 address"),
        ("http://1.2.3.4.5/", "bad IPv4 address"),
        ("http://256.1.1.1/", "bad IPv4 address"),
        ("http://1.2.3.09/", "bad IPv4 address"),
        ("http://a.123/", "bad IPv4 address"),
        ("http://0x1_0.1/", "bad IPv4 address"),
        ("http://0x" + "f" * 200 + ".1/", "bad IPv4 address"),
        ("3.5", "not a web address"),
        ("2024", "not a web address"),
        ("()", "empty"),
        ("feed:" * 9000, "no host"),
        ("http://a.nl/" + "x" * MAX_LENGTH, f"longer than {MAX_LENGTH:,} characters"),
        (None, "not text"),
        (b"http://a.nl/", "not text"),
    ],
)
def test_what_is_no_web_address_says_why(raw, reason):
    with pytest.raises(BadUrl) as caught:
        Url.parse(raw)
    assert caught.value.reason == reason
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("raw", "site", "suffix"),
    [
        ("https://chu.cam.ac.uk/", "cam.ac.uk", "ac.uk"),
        ("http://me.github.io/x", "me.github.io", "github.io"),
        ("http://a.b.пример.рф/", "пример.рф", "рф"),
        ("http://www.x.unheard-of/", "x.unheard-of", "unheard-of"),
        ("http://192.0.2.7/", "192.0.2.7", ""),
    ],
)
def test_site_is_the_registered_domain(raw, site, suffix):
    url = Url.parse(raw)
    assert (url.site, url.suffix) == (site, suffix)
    assert site_of(raw) == site


_PIECES = ["http:", "https:", "//", "/", "?", "#", "@", ":", "[", "]", "::1", "%", "%C3", "%A9", "%00", "xn--", "xn--a-", "ß", "。", ".", "..", "a", "de", "80", "²", "99999999", "0x7f", "<", ">", "\u200b", "feed:",  "\\", "\t", " ", "\ud800", "mailto:", "www.", "127.0.0.1", "x" * 70]  # fmt: skip


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from(_PIECES), max_size=12).map("".join)
    | st.builds(
        "http://{}{}".format,
        st.text(max_size=20),
        st.lists(st.sampled_from(_PIECES), max_size=8).map("".join),
    )
)
@example("http://a.de:²/")
@example("http://xn--a-ß.de/")
@example("http://xn--99999999.de/")
@example("HTTP:XN--")
@settings(max_examples=600, deadline=None)
def test_any_text_parses_or_says_why(text):
    try:
        url = Url.parse(text)
    except BadUrl:
        return
    assert url.host
    assert url.host == url.host.lower()
    assert url.path.startswith("/")
    assert url.site in (url.host, ".".join(url.labels[-len(url.site.split(".")) :]))


@given(st.text(max_size=60), st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_words_are_words(path, query):
    for word in words_of(f"example.nl/{path}?{query}".lower()):
        assert len(word) > 1
        assert word not in EMPTY_WORDS
        assert not any(character in "/?#&=.-_0123456789 %" for character in word)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=80))
@settings(deadline=None)
def test_percent_codes_of_utf8_are_undone(text):
    encoded = "".join(f"%{byte:02X}" for byte in text.encode("utf-8"))
    assert decode_percent(encoded) == text


@pytest.mark.parametrize(
    ("coded", "text"),
    [
        ("%25D0%25BD%25D0%25BE", "но"),
        ("%20%25d0%25bd-%25C3%25A9%25C3", " н-é%C3"),
        ("100%25", "100%"),
        ("%2541%2520", "%41%20"),
        ("%25D0-%25e9", "%D0-%e9"),
        ("%2525C3%2525A9", "%25C3%25A9"),  # three times is no longer a slip
        ("caf%E9-%CD%EE%E2", "caf%E9-%CD%EE%E2"),  # older encodings stay codes
    ],
)
def test_codes_of_codes_are_read_and_older_encodings_stay_codes(coded, text):
    assert decode_percent(coded) == text


@pytest.mark.parametrize(
    "coded",
    [
        "%E9",  # a letter alone says nothing
        "%D1%C1%D3",  # capitals alone: windows-1251, KOI8-R or GB2312
        "%E1%F8%E9%E0%E5%FA",  # Hebrew
        "%CE%CF%D7%CF%D3%D4%C9",  # Russian in KOI8-R
        "%E1%EB%EB%E7%ED%E9%EA%DC",  # Greek
        "%C7%E1%DA%D1%C8%ED%C9",  # Arabic
        "%FEi%F0in",  # Icelandic or Turkish
        "%B9%E9%BD%C5",  # two syllables of Korean, or Chinese
        "pg%98A%97%8D%90%E6.html",  # Shift-JIS
        "%E4%BD%A0%E4%BD",  # UTF-8, cut off
        "caf%E9-%C3%A9",  # some UTF-8
        "%EB%",
    ],
)
def test_codes_that_leave_a_doubt_stay_codes(coded):
    left = decode_percent(coded)
    assert [code for code in left.split("%")[1:] if code] == [
        code for code in coded.replace("%C3%A9", "é").replace("%E4%BD%A0", "").split("%")[1:] if code
    ]


def test_hosts_are_utf8_alone_as_in_browsers():
    for host in ("caf%E9.example", "%25D0%25BD.example"):
        with pytest.raises(BadUrl):
            Url.parse(f"http://{host}/")


@given(
    st.text(max_size=60) | st.lists(st.sampled_from("%25 %D0 %BD %E9 %CD%EE e t - %".split())).map("".join)
)
@settings(max_examples=300, deadline=None)
def test_any_codes_are_decoded_without_codes_for_ascii_being_lost(text):
    decoded = decode_percent(text)
    assert decode_percent(text.replace("%", "")) == text.replace("%", "")
    assert not re.search("%25[89a-f][0-9a-f]", decoded, re.IGNORECASE) or "%25" in text


def test_parsing_a_parsed_address_changes_nothing():
    once = Url.parse("HTTPS://www.Ex%C3%A4mple.de:8080/A%20b?q=1#top")
    again = Url.parse(f"{once.scheme}://{once.host}:{once.port}{once.path}?{once.query}#{once.fragment}")
    assert (again.host, again.path, again.query, again.port) == (once.host, once.path, once.query, once.port)

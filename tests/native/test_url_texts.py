"""Normalised texts of addresses: the compiled core against ``Url.text``, which shares no code with it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from url_scores import compiled_scores, explained_scores

import linksight
from linksight.errors import BadUrl
from linksight.native import view
from linksight.native.urls.normalize import _CASED, _LOWER, HOST_ROOM, Normalizer
from linksight.urls.parser import MAX_LENGTH, UNSEEN, Url, texts_of

MODEL = linksight.load()
NORMALIZER = Normalizer(ord(char) for char in UNSEEN if char > "\x7f")

READ = [  # what must not fall to the parser, or the batch is slow
    "http://example.nl:8080/a",
    "http://example.nl:/a",
    "http://example.nl:000000000000000000000000080/a",
    "http://user:word@example.nl/",
    "http://a@b@example.nl:80?x#y@z",
    "http:example.nl",
    "HTTPS:\\\\Example.NL\\a\\b?c\\d",
    "https:////example.nl./a",
    "http://..example.nl",
    "http://localhost/x",
    "http://192.0.2.7:80/x",
    "http://a_b.example.nl!/~x",
    "  http://example.nl/ x y \r\n",
    "http://example.nl/caf%C3%A9-%E9-100%",
    "http://example.nl/%c3%89T%C3%89?Q=%D0%90%D0%91",
    "http://example.nl/%2Fa%3Fb%23c%25%34%31%5C%00%1F%7f",
    "http://example.nl/%E4%BD/%E4%BD%A0/%C3é/%C3",
    "http://example.nl/%C0%AF%C1%81%E0%80%AF%F0%80%80%AF%ED%A0%80%ED%BF%BF%F4%90%80%80%F5%FF%80",
    "http://example.nl/%%41%4%zz%4",
    "http://example.nl/?%",
    "http://example.nl/#%C3%A9",
    "http://example.nl/%25D0%25BD%25d0%25be-100%25-%2541%2520",
    "http://example.nl/%20%25C3%25A9%25C3%25/%25E4%25BD?%2525C3%2525A9",
    "http://example.nl/caf%E9/%FCber?q=%CD%EE%E2%EE%F1%F2%E8",
    "http://example.nl/?tag=s%B3u%BFba+%B6nie%BFka",
    "http://example.nl/%D0%C2%CE%C5?wd=%A5%B7%A5%A7%A5%EB",
    "http://example.nl/%E9t%E9/%C3%A9t%C3%A9",
    "http://example.nl/ÀÉÎ-straße/Ünï?Ж",
    "http://example.nl/\u00a0x\u200b\u3000y",
    "http://example.com/東京/ニュース?%E6%9D%B1",
    "http://example.nl/Ti%E1%BA%BFng-Vi%E1%BB%86t/%C8%BA",
    "https://xn--e1afmkfd.xn--p1ai/%D0%BD%D0%BE",
    "http://www.xn--bcher-kva.example:8080/",
    "http://XN--BCHER-KVA.example/",
    "http://xn--.nl/a",
    "http://www.xn--/a",
    "http://xn---.nl",
    "http://xn--google-.com/a",
    "http://xn--a.nl",
    "http://xn--99999999999999999999999999.nl",
    "http://xn--a-ecp.ru",
    "http://xn--0-ecp.ru",
    "http://xn--a_b-kva!.nl",
    "http://xn--80ak6aa92e.com/xn--80ak6aa92e",
    "http://xn--ls8h.la/",
    "http://a.xn--b1amarcd-.nl",
]
LEFT = [  # what is rare stays with the parser
    "example.nl/zonder/schema",
    "http://[::1]/x",
    "http://bücher.example/",
    "http://b%C3%BCcher.example/",
    "http://example.nl/ΟΔΟΣ",
    "http://example.nl/%C4%B0",
    "http://example.nl/a\tb",
    "http://example.nl/x\u3000",
    "http://example.nl/x\u200e",
    "http://http://example.nl/",
    "http://https:",
    "http://2130706433/",
    "http://1.2.3.04/",
    "http://0x7f.1/",
    "http://example.nl/" + "a" * MAX_LENGTH,
]
BAD = [
    "", " ", "http", "http:", "http://", "http:///", "http://.", "http://@", "http://:80", "http://a..b/",
    "http://a b.nl/", "http://a.nl:80x/", "http://a.nl:65536", "http://a.nl:" + "9" * 5000, "http://a%.nl",
    "http://a[b].nl", "http://" + "a" * 254, "httpx://a.nl", "ftp://a.nl", "http://a.nl\x7f/", "mailto:a@b.nl", "http://1.2.3.4.5/", "http://256.1.1.1", "http://a.123/", "http://1.2.3.08",
]  # fmt: skip


def written(url: str) -> str | None:
    """The compiled text, or None where it is left to the parser."""
    data = url.encode()
    out, spans = np.zeros(2 * len(data) + HOST_ROOM, np.uint8), np.zeros((1, 2), np.int64)
    used, n_left = NORMALIZER.write(data or b"\0", view(np.array([0, len(data)])), view(out), view(spans))
    assert n_left == (spans[0, 1] < 0)
    return None if n_left else bytes(out[:used]).decode()


@pytest.mark.parametrize("url", READ)
def test_text_is_that_of_the_parser(url):
    assert written(url) == Url.parse(url).text


@pytest.mark.parametrize("url", LEFT + BAD)
def test_what_is_rare_or_wrong_is_left_to_the_parser(url):
    assert written(url) is None


def test_no_address_is_read_that_the_parser_refuses():
    for url in BAD:
        with pytest.raises(BadUrl):
            Url.parse(url)


def test_capitals_are_those_of_python():
    left = [point for first, last in _CASED.reshape(-1, 2).tolist() for point in range(first, last + 1)]
    known = set(range(0x2000, 0x110000)).difference(left)
    assert all(chr(point).lower() == chr(point) for point in known)
    for point, low in enumerate(_LOWER.tolist()):
        assert low == -1 or chr(point).lower() == chr(low)
    assert {point for point, low in enumerate(_LOWER.tolist()) if low == -1} == {0x130, 0x3A3}


schemes = st.sampled_from(["http://", "https://", "HTTP:\\\\", "http:", "https:///", "hTtPs:/", " http://"])
users = st.sampled_from(["", "", "", "me@", "me:pass@", "a@b:c@", "%40@", "ü@"])
ports = st.sampled_from(
    ["", "", "", ":", "://a.nl", ":80", ":00080", ":65535", ":65536", ":8o", ":0", ":-1", ":٣"]
)
label = st.one_of(
    st.text(alphabet="abcXYZ019-_", max_size=8),
    st.sampled_from(["0", "00", "1", "255", "256", "0x1", "http", "HTTPS", "1a", "99999"]),
)
coded = st.one_of(
    st.text(alphabet="äßяшנن中東é한ÀЖıẞ-az0\U0001f600", min_size=1, max_size=10).map(
        lambda text: "xn--" + text.encode("punycode").decode()
    ),
    st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789-_XYZ", max_size=14).map("xN--".__add__),
)
hosts = st.lists(st.one_of(label, coded), min_size=1, max_size=4).map(".".join)
bits = st.one_of(
    st.sampled_from("/ ? # & = . - _ % %2 %zz \\ : @ www. index aB xn-- +".split()),
    st.binary(min_size=1, max_size=5).map(lambda data: "".join(f"%{byte:02X}" for byte in data)),
    st.text(min_size=1, max_size=3).map(
        lambda text: "".join(f"%{b:02x}" for b in text.encode("utf-8", "surrogatepass"))
    ),
    st.text(alphabet="éÀßяЖΣσİ中한ẞȺ\u00a0\u0085\u200b\u3000\ufeff \t\n\r\x00\x7f\U0001f600", min_size=1, max_size=2),
)  # fmt: skip
addresses = st.builds(
    "{}{}{}{}{}".format, schemes, users, hosts, ports, st.lists(bits, max_size=12).map("".join)
)


@given(addresses)
@example("http://xn--a-ecp.ru")
@settings(max_examples=600, deadline=None)
def test_any_text_is_that_of_the_parser_or_left_to_it(url):
    found = written(url)
    if found is not None:
        assert found == Url.parse(url).text


older = st.builds(
    lambda text, codec, twice: "".join(
        chr(byte) if 44 < byte < 127 else f"%{'25' * twice}{byte:02X}"
        for byte in text.encode(codec, "ignore")
    ),
    st.text(
        alphabet="aeStz-/ éèñßÝþčśłżąšÉáвиоыяшйъБЯіаеאהיתαοςώ的大学新闻中国人가나다한국어아カナのを、ا",
        max_size=9,
    ),
    st.sampled_from(
        "utf-8 utf-8 cp1252 cp1250 iso8859_2 cp1251 koi8_r cp1253 cp1254 cp1255 cp1256 "
        "euc_jp shift_jis gb2312 gbk big5 euc_kr".split()
    ),
    st.booleans(),
)
snippets = st.one_of(
    older, older, older, bits, st.sampled_from(["%25", "%C3", "%BD", "%2580", "%A4%F3", "Z", "é"])
)


@given(st.lists(snippets, max_size=6).map("".join), st.lists(snippets, max_size=4).map("".join))
@example("%C3%A9%C3%A9%A9", "%C3%A9%E4%BD")
@example("%A4%F3%A5%F3%A4%F3%8E%B1", "%EE%E2%EE%F1%2580")
@settings(max_examples=1200, deadline=None)
def test_codes_that_are_not_utf8_and_codes_of_codes_are_read_as_the_parser_does(path, query):
    url = f"http://a.nl/{path}?{query}"
    found = written(url)
    if found is not None:
        assert found == Url.parse(url).text


@given(st.lists(addresses, min_size=1, max_size=6))
@settings(max_examples=150, deadline=None)
def test_scores_of_any_address_are_those_of_the_explanation(urls):
    scores, problems = compiled_scores(MODEL, pa.array(urls, pa.string()))
    for row, (url, (text, reason)) in enumerate(zip(urls, texts_of(urls), strict=True)):
        assert problems.get(row, "") == reason
        if text is None:
            continue
        np.testing.assert_allclose(scores[row], explained_scores(MODEL, url), atol=2e-4, err_msg=url)


def test_real_addresses_are_read_and_hardly_any_is_left(data):
    column = pq.read_table(data / "urls" / "train.parquet", columns=["url"])["url"]
    urls = [
        url
        for url in column.slice(0, 400_000).to_pylist() + column.slice(2_000_000).to_pylist()
        if "%" in url or "xn--" in url or not url.isascii() or "@" in url or url.count(":") > 1
    ]
    assert len(urls) > 1000
    left = 0
    for url, (text, _) in zip(urls, texts_of(urls), strict=True):
        found = written(url)
        left += found is None
        assert found is None or found == text, url
    assert left < len(urls) / 10

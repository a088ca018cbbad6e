"""Keys of the index are those that pywb and cdxj-indexer look for."""

import random

import pytest

from linksight.crawl.archive.cdxj import urlkey
from linksight.crawl.urls.url_normalize import canonical

surt = pytest.importorskip("surt")

X24, X32 = "abcdefghijkl012345678901", "0123456789abcdef0123456789abcdef"
HOSTS = (
    "a.nl", "www.a.nl", "WWW.A.nl", "www2.a.nl", "www12.b.co.uk", "www.www.a.nl", "wwwx.a.nl", "ww2.a.nl", "www.nl",
    "127.0.0.1", "8.8.8.8", "localhost", "xn--mnchen-3ya.de", "a.nl:80", "a.nl:443", "a.nl:8080", "10.0.0.1:81",
    "a_b.c.nl", "1.a.nl", "1e100.net",
)  # fmt: skip
PATHS = (
    "", "/", "/x", "/x/", "/X/Y.HTML", "/x//", "/x//y", "//", "//x", "/a/./b", "/a/../b", "/a/b/..", "/a/b/.", "/../x",
    "/web/2020/https://host/x", "/caf%C3%A9", "/caf%e9/", "/a%20b", "/a%2520b", "/a%2Fb", "/%7Eme", "/a+b", "/a;b=1",
    "/a,b", "/a:b", "/a@b", "/a'b", "/a(b)", "/a|b", "/a[b]", "/a%23b", "/a%3Fb", "/a%25b", "/%", "/a%zz", "/a.b/",
    f"/({X24})/p.aspx", f"/x/(s({X24}))/p.aspx", f"/({X24})/p.html", "/index.php/map", "/a&b", "/a=b", "/a*b!c$d",
)  # fmt: skip
QUERIES = (
    "", "?", "?a", "?a=", "?a=1", "?b=2&a=1", "?B=2&a=1", "?a=2&a=1", "?a=b=c&a=b", "?a&a=&a=1", "?a-b=1&a=2", "?&a=1",
    "?a=1&", "?&&", "?a=%20", "?a=+", "?q=caf%C3%A9", "?q=caf%E9", "?a=1;b=2", "?a=%26&b=%3D", "?a=%2525", "?u=http://b.nl/x",
    f"?jsessionid={X32}", f"?a=1&sid={X32}", f"?xsid={X32}&a=1", f"?PHPSESSID={X32}&b=1", "?cfid=1&cftoken=2&a=1",
    "?a=1&cfid=1&cftoken=2", "?a=?b", "?a=/x/", "?a=A%2FB/", "?a1=1&a=2&a0=3",
)  # fmt: skip


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_every_key_is_the_surt(scheme):
    urls = [f"{scheme}://{host}{path}{query}" for host in HOSTS for path in PATHS for query in QUERIES]
    urls = random.Random(1).sample(urls, 6_000)
    urls += [f"{scheme}://a.nl{path}{query}" for path in PATHS for query in QUERIES]
    urls += [url for one in urls if (url := canonical(one))]
    wrong = {url: (urlkey(url), surt.surt(url)) for url in urls if urlkey(url) != surt.surt(url)}
    assert not wrong, list(wrong.items())[:20]

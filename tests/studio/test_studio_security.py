"""What strangers cannot do."""

from __future__ import annotations

import html
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from linksight.errors import BadConfig
from linksight.studio.config import Settings

TOKEN = "a-long-secret-token"


def test_another_address_than_loopback_demands_a_token():
    with pytest.raises(BadConfig, match="token"):
        Settings(host="0.0.0.0")
    assert not Settings(host="0.0.0.0", token=TOKEN).is_local


def test_a_foreign_name_for_this_machine_is_turned_away(visitor):
    answer = visitor.get("/v1/health", headers={"host": "rebound.example:80"})
    assert answer.status_code == 421


@pytest.mark.parametrize(
    "headers",
    [{"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"},
     {"sec-fetch-site": "same-site"}],
)  # fmt: skip
def test_pages_of_other_sites_cannot_post(visitor, headers):
    assert visitor.post("/v1/detect/batch", json={"urls": []}, headers=headers).status_code == 403
    assert visitor.post("/inspector", data={"urls": "http://a.nl/"}, headers=headers).status_code == 403


def test_a_form_without_its_token_is_refused(visitor):
    visitor.get("/")
    assert visitor.post("/inspector", data={"urls": "http://a.nl/"}).status_code == 403
    assert visitor.post("/inspector", data={"urls": "http://a.nl/", "csrf": "0" * 64}).status_code == 403
    assert visitor.submit("/inspector", {"urls": "http://a.nl/"}).status_code == 200


def test_a_forged_form_token_of_another_visitor_is_refused(studio):
    import re

    with studio.visitor() as one, studio.visitor() as other:
        token = re.search(r'name="csrf" value="(\w+)"', one.get("/").text)[1]
        other.get("/")
        assert other.post("/inspector", data={"urls": "http://a.nl/", "csrf": token}).status_code == 403


def test_with_a_token_nothing_is_seen_without_it(make_studio):
    with make_studio(token=TOKEN).visitor() as visitor:
        assert visitor.get("/v1/detect", params={"url": "http://a.nl/"}).status_code == 401
        assert visitor.get("/metrics").status_code == 401
        assert "Token needed" in visitor.get("/").text
        assert visitor.submit("/login", {"token": "wrong"}, page="/login").status_code == 403
        assert visitor.get("/v1/health").status_code == 200
        right = {"authorization": f"Bearer {TOKEN}"}
        assert visitor.get("/v1/detect", params={"url": "http://a.nl/"}, headers=right).status_code == 200


def test_the_token_opens_the_pages(make_studio):
    with make_studio(token=TOKEN).visitor() as visitor:
        assert "behind a link" in visitor.submit("/login", {"token": TOKEN}, page="/login").text
        assert visitor.get("/v1/languages").status_code == 200


def test_the_token_leads_on_to_the_page_that_was_asked_for(make_studio):
    """A colleague's link to a site, and the window of the bookmarklet, ended at the start page."""
    with make_studio(token=TOKEN).visitor() as visitor:
        asked = visitor.get("/inspect", params={"url": "http://www.nu.nl/sport", "languages": "nl,de"})
        assert asked.url.path == "/login"
        to = html.unescape(re.search(r'name="to" value="(.*?)"', asked.text)[1])
        wrong = visitor.submit("/login", {"token": "wrong", "to": to}, page="/login")
        assert to in html.unescape(wrong.text)
        entered = visitor.submit("/login", {"token": TOKEN, "to": to}, page="/login")
        assert entered.url.path == "/inspect"
        assert dict(entered.url.params) == {"url": "http://www.nu.nl/sport", "languages": "nl,de"}


@pytest.mark.parametrize(
    "to", ["https://evil.example/", "//evil.example/", "/\\evil.example", "/\t/evil.example", "//["]
)
def test_the_token_leads_to_no_other_site(make_studio, to):
    with make_studio(token=TOKEN).visitor() as visitor:
        answer = visitor.submit("/login", {"token": TOKEN, "to": to}, page="/login", follow_redirects=False)
    assert answer.headers["location"].startswith("/")
    assert answer.headers["location"][1:2] not in ("/", "\\")


def test_a_form_of_somebody_whose_token_is_forgotten_is_told_where_to_enter_it(make_studio):
    with make_studio(token=TOKEN).visitor() as visitor:
        answer = visitor.post("/inspector", data={"urls": "http://a.nl/"})
    assert answer.status_code == 401
    assert "enter it on the start page" in answer.text


def test_two_studios_on_one_machine_keep_their_visitors(make_studio):
    """Cookies know no ports: whoever entered the second studio was shown the door of the first."""
    with make_studio(token=TOKEN).visitor() as visitor:
        other = str(make_studio(token=TOKEN).url)
        for address in ("", other):
            page = visitor.get(f"{address}/login")
            form = {"token": TOKEN, "csrf": re.search(r'name="csrf" value="(\w+)"', page.text)[1]}
            visitor.post(f"{address}/login", data=form)
        assert [visitor.get(f"{address}/sites").url.path for address in ("", other)] == ["/sites"] * 2


def test_a_token_may_have_letters_of_any_kind(make_studio):
    with make_studio(token="une-clé-très-secrète").visitor() as visitor:
        right = {b"authorization": "Bearer une-clé-très-secrète".encode()}
        assert visitor.get("/v1/languages", headers=right).status_code == 200
        assert (
            "behind a link" in visitor.submit("/login", {"token": "une-clé-très-secrète"}, page="/login").text
        )


def test_browsers_ask_whether_what_they_kept_is_still_so(visitor):
    """They keep files for a tenth of their age: scripts of before an upgrade, reports that were written anew."""
    for path in ("/", "/static/studio.js", "/v1/health"):
        assert visitor.get(path).headers["cache-control"] == "no-cache"


def test_every_page_forbids_foreign_and_inline_scripts(visitor):
    for path in ("/", "/pages", "/links", "/nowhere", "/static/studio.js", "/v1/health"):
        policy = visitor.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy


def test_pages_hold_no_inline_script_and_no_foreign_address(visitor):
    import re

    for path in ("/", "/pages", "/links", "/login", "/api", "/links/bridge"):
        text = visitor.get(path).text
        assert not re.search(r"<script(?![^>]*src=\"/static/)", text)
        assert not re.search(r"(?:src|href)=\"(?:https?:)?//", text)
        assert not re.search(r"\son\w+=|\sstyle=", text)


HOSTILE = """<html><head><base href="http://www.lemonde.fr/"><script>alert(1)</script><style>@import 'http://evil/'</style>
<meta http-equiv=refresh content="0;url=http://evil/"><link rel=stylesheet href=http://evil/></head>
<body onload=alert(2)><svg><script>alert(3)</script></svg><img src=x onerror=alert(4)><a href="/economie/" onclick=alert(5)
style="background:url(http://evil/)">economie</a><a href="javascript:alert(6)">x</a><iframe srcdoc="<script>alert(7)</script>"></iframe>
<form action=http://evil/><input name=a></form><math><mtext><table><mglyph><style><img src=x onerror=alert(8)></style></table></math>
<noscript><p title="</noscript><img src=x onerror=alert(9)>"></noscript><custom-tag onclick=alert(10)>kept text</custom-tag></body></html>"""


def test_a_hostile_page_is_shown_without_anything_that_runs(visitor):
    import re

    answer = visitor.submit("/links", {"html": HOSTILE}, page="/links")
    assert "alert" not in re.sub(r"<textarea.*?</textarea>", "", answer.text, flags=re.DOTALL)
    frame = re.search(r'<iframe[^>]*sandbox=""[^>]*src="(/preview/[\w-]+)"', answer.text)
    shown = visitor.get(frame[1])
    assert shown.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert not re.search(
        r"<script|alert|evil|javascript:|onerror|<img|<form|<iframe|<meta|<link|url\(", shown.text
    )
    assert "economie" in shown.text
    assert "kept text" in shown.text
    assert 'class="ls-badge ls-known"' in shown.text


@pytest.fixture
def inner_site():
    """A site of this machine that no visitor may see; its port, and what was asked of it."""
    asked = []

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<p>what is inside</p>")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield server.server_port, asked
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:{}/", "http://localhost:{}/", "http://0x7f000001:{}/", "http://2130706433:{}/",
     "http://[::ffff:127.0.0.1]:{}/", "http://[::1]/", "http://10.0.0.1/", "http://169.254.169.254/",
     "file:///etc/passwd", "ftp://a.org/"],
)  # fmt: skip
def test_no_request_goes_to_private_addresses_for_a_visitor(make_studio, inner_site, address):
    port, asked = inner_site
    with make_studio().visitor() as visitor:
        for path in ("/links", "/pages"):
            answer = visitor.submit(path, {"address": address.format(port)}, page=path)
            assert answer.status_code == 422
            assert "private network" in answer.text or not address.startswith("http")
            assert "root:" not in answer.text
    assert not asked


def test_bodies_are_bounded_by_their_length_and_by_their_bytes(make_studio):
    with make_studio(max_body=2_000, max_upload=2_000, max_page=1_000).visitor() as visitor:
        told = visitor.post("/v1/detect/batch", json={"urls": ["http://a.nl/"] * 1000})
        assert (told.status_code, told.json()["code"]) == (413, "too-large")
        assert visitor.post("/v1/identify", content=b"x" * 1_500).status_code == 413
        chunks = (b"http://a.nl/\n" * 50 for _ in range(10))
        assert (
            visitor.post(
                "/v1/detect/batch", content=chunks, headers={"content-type": "text/plain"}
            ).status_code
            == 413
        )


def test_batches_are_bounded_by_their_rows(make_studio):
    with make_studio(max_urls=3).visitor() as visitor:
        told = visitor.post("/v1/detect/batch", json={"urls": ["http://a.nl/"] * 4})
        assert told.status_code == 413
        assert "at most 3" in told.json()["detail"]
        assert "at most 3" in visitor.submit("/inspector", {"urls": "http://a.nl/\n" * 4}).text


def test_a_low_rate_allows_no_large_burst(make_studio):
    with make_studio(rate=0.001).visitor() as visitor:
        statuses = [visitor.get("/v1/health").status_code for _ in range(25)]
    assert statuses.count(200) == 20


def test_too_many_requests_are_told_when_to_come_back(make_studio):
    with make_studio(rate=0.001, burst=3).visitor() as visitor:
        answers = [visitor.get("/v1/health") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert "0.001 a second" in answers[-1].json()["detail"]


@pytest.mark.parametrize(
    "path", ["/runs/..%2f..%2fetc%2fpasswd", "/runs/0000000000000000", "/runs/x/download", "/static/..%2fapp.py",
             "/static/%2e%2e/app.py", "/jobs/none", "/preview/none", "/reports/raw/..%2f..%2fapp.py",
             "/reports/show/%2fetc%2fpasswd"],
)  # fmt: skip
def test_no_path_leads_out_of_the_folders(visitor, path):
    answer = visitor.get(path)
    assert answer.status_code in (404, 422)
    assert "import" not in answer.text


def test_reports_are_those_of_their_folder_alone(make_studio, tmp_path):
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "own.txt").write_text("import this")
    (tmp_path / "other.txt").write_text("import that")
    (reports / "link.txt").symlink_to(tmp_path / "other.txt")
    with make_studio(reports=reports).visitor() as visitor:
        assert visitor.get("/reports/raw/own.txt").text == "import this"
        for name in ("..%2fother.txt", "link.txt", f"%2f{str(tmp_path).strip('/')}%2fother.txt"):
            for way in ("raw", "show"):
                answer = visitor.get(f"/reports/{way}/{name}")
                assert answer.status_code == 404
                assert "import" not in answer.text

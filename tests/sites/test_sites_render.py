"""Pages that need a browser: links made by JavaScript."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from linksight.sites.gathering.browser import Browser
from linksight.sites.gathering.gather import Gathering, learn_site
from linksight.sites.gathering.hub_crawler import HubOptions

SCRIPTED = """<html><body><form action="/s"><input type="search" name="q"></form>
<p>alpha beta gamma delta epsilon zeta</p><div id="r"></div><script>
const word = new URLSearchParams(location.search).get("q") || "";
let n = 0; for (const c of word) n += c.charCodeAt(0);
if (word && !word.startsWith("zq")) for (let i = 0; i < 3; i++) {
  const a = document.createElement("a"); a.href = "/item/" + (n + i); a.textContent = word + "x" + i;
  document.getElementById("r").append(a);
}</script></body></html>"""


def app(environ, start_response):
    found = environ["PATH_INFO"] in ("/", "/s")
    start_response("200 OK" if found else "404 Not Found", [("Content-Type", "text/html")])
    return [SCRIPTED.encode() if found else b""]


@pytest.mark.browser
def test_links_made_by_scripts_are_gathered_with_a_browser(serve, bench, fast):
    url = serve(app)
    hubs = HubOptions(n_hubs=4, n_rounds=1)
    with Browser(delay_s=0, timeout_s=300, allow_private=True) as browser:
        site = Gathering(bench, url, source="form", fetch=fast, hubs=hubs, browser=browser).run()
    assert len(bench.hubs(site)) >= 4
    assert [p.text.removeprefix(url) for p in learn_site(bench, site)] == ["item/*"]


POSTED = """<html><body><form action="/s" method="post"><input type="hidden" name="token" value="TOKEN">
<input type="search" name="q" placeholder="Search"></form><p>alpha beta gamma delta epsilon zeta eta theta</p>
<div id="r"></div><script>for (const n of [NUMBERS]) {
  const a = document.createElement("a"); a.href = "/item/" + n; a.textContent = n; document.getElementById("r").append(a);
}</script></body></html>"""


class TokenShop:
    """A search that takes only a POST with the token of the page and the cookie that came with it."""

    def __init__(self):
        self.n, self.asked = 0, []

    def __call__(self, environ, start_response):
        self.n += 1
        numbers, cookie = "", f"t{self.n}"
        if environ["PATH_INFO"] == "/s":
            form = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode()
            given = dict(pair.split("=") for pair in form.split("&")) if form else {}
            token = environ.get("HTTP_COOKIE", "").partition("=")[2]
            if environ["REQUEST_METHOD"] != "POST" or given.get("token") != token:
                start_response("403 Forbidden", [("Content-Type", "text/html")])
                return [b"no"]
            self.asked.append(given["q"])
            if not given["q"].startswith("zq"):
                numbers = ",".join(str(sum(map(ord, given["q"])) + i) for i in range(3))
        start_response("200 OK", [("Content-Type", "text/html"), ("Set-Cookie", f"t={cookie}")])
        return [POSTED.replace("TOKEN", cookie).replace("NUMBERS", numbers).encode()]


@pytest.mark.browser
def test_a_form_with_post_is_sent_by_the_browser(serve, bench, fast):
    shop = TokenShop()
    url = serve(shop)
    hubs = HubOptions(n_hubs=4, n_rounds=1)
    with Browser(delay_s=0, timeout_s=300, allow_private=True) as browser:
        site = Gathering(bench, url, source="form", fetch=fast, hubs=hubs, browser=browser).run()
    assert len(shop.asked) >= 4
    assert [p.text.removeprefix(url) for p in learn_site(bench, site)] == ["item/*"]


class Form:
    """A page of the browser on which what is waited for does not come in time."""

    def __init__(self, late: str) -> None:
        self.late, self.waits = late, {}

    @contextmanager
    def expect(self, what: str, timeout: float):
        from playwright.sync_api import TimeoutError

        self.waits[what] = timeout
        yield SimpleNamespace(value=SimpleNamespace(status=203))
        if what == self.late:
            raise TimeoutError("Timeout exceeded")

    def expect_navigation(self, *, wait_until: str, timeout: float):
        return self.expect("navigation", timeout)

    def expect_request(self, predicate, *, timeout: float):
        return self.expect("request", timeout)

    def evaluate(self, *_: object) -> None:
        """A form that is sent."""


@pytest.mark.parametrize(("late", "status"), [("", 203), ("request", 200)])
def test_a_form_leads_elsewhere_or_is_taken_by_a_script(late, status):
    assert Browser()._send_form(Form(late), ["q", "word"]) == status


def test_a_slow_search_has_as_long_as_any_page_and_is_no_script():
    from playwright.sync_api import TimeoutError

    form = Form("navigation")
    with pytest.raises(TimeoutError):
        Browser(timeout_s=77)._send_form(form, ["q", "word"])
    assert form.waits["navigation"] == 77_000 > form.waits["request"]


@pytest.mark.browser
def test_a_browser_refuses_private_addresses_too(serve):
    url = serve(app)
    with Browser(delay_s=0, timeout_s=300) as browser:
        assert browser.load(url).problem == "private-address"

"""Pages that need a browser: links made by JavaScript."""

from __future__ import annotations

import pytest

from linksight.sites.gathering import Gathering, learn_site
from linksight.sites.hubs import HubOptions
from linksight.sites.render import Browser

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
    with Browser(delay_s=0, allow_private=True) as browser:
        site = Gathering(bench, url, source="form", fetch=fast, hubs=hubs, load=browser.load).run()
    assert len(bench.hubs(site)) >= 4
    assert [p.text.removeprefix(url) for p in learn_site(bench, site)] == ["item/*"]


@pytest.mark.browser
def test_a_browser_refuses_private_addresses_too(serve):
    url = serve(app)
    with Browser(delay_s=0) as browser:
        assert browser.load(url).problem == "private-address"

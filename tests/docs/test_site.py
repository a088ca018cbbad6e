"""The documentation as a site: it builds without warnings, and works in a real browser, on a phone and in the dark."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE_MS = 300_000  # of a busy machine


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_site_loads_nothing_from_other_servers(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(
            r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"((?:https?:)?//[^\"]+)", page.read_text()
        )
        assert not loaded, f"{page.name} loads {loaded}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        pytest.skip("no Chromium")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=PATIENCE_MS)
        yield found
        found.close()


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The site on a server of this machine, as its readers have it."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.browser
def test_no_page_scrolls_sideways_on_a_phone_and_everything_loads(
    site: Path, address: str, browser: Any
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.set_default_timeout(PATIENCE_MS)
    failed: list[str] = []
    # What a page still loads when the next one is opened is given up, which is no failure.
    page.on(
        "requestfailed",
        lambda request: failed.append(request.url) if request.failure != "net::ERR_ABORTED" else None,
    )
    page.on("pageerror", lambda error: failed.append(str(error)))
    names = sorted(str(path.relative_to(site)) for path in site.rglob("*.html"))
    assert len(names) > 15
    for name in names:
        page.goto(f"{address}/{name}")
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 1, f"{name} is {wider} pixels too wide"
        broken = page.evaluate(
            "[...document.images].filter(image => !image.naturalWidth).map(image => image.src)"
        )
        assert not broken
    page.close()
    assert not failed


def _shade(page: Any) -> int:
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, colour.strip("rgba()").split(",")[:3]))


@pytest.mark.browser
def test_dark_is_dark_where_the_machine_is_and_the_switch_turns_it(address: str, browser: Any) -> None:
    for scheme, other in (("light", "dark"), ("dark", "light")):
        context = browser.new_context(color_scheme=scheme)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"{address}/tutorials/archivist.html")
        assert (_shade(page) > 600) == (scheme == "light")
        page.click("label.md-header__button[for^=__palette_]:not([hidden])")
        assert (_shade(page) > 600) == (other == "light")
        context.close()


@pytest.mark.browser
def test_the_search_finds_a_setting(address: str, browser: Any) -> None:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{address}/index.html")
    # What is typed before the index is loaded is not searched for, so it is typed until there is an answer.
    while not page.query_selector(".md-search-result__item"):
        page.fill("[data-md-component=search-query]", "")
        page.fill("[data-md-component=search-query]", "LINKSIGHT_SITES")
        page.wait_for_timeout(500)
    assert "Settings" in page.inner_text(".md-search-result__list")
    page.close()

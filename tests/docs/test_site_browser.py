"""The documentation in a real browser: no page scrolls sideways on a phone, everything loads, dark is dark."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        pytest.skip("no Chromium")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.mark.browser
def test_no_page_scrolls_sideways_on_a_phone_and_everything_loads(site: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    failed: list[str] = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    pages = sorted(path for path in site.glob("*.html") if path.name != "404.html")  # that one is for servers
    assert len(pages) > 15
    for path in pages:
        page.goto(path.as_uri())
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 1, f"{path.name} is {wider} pixels too wide"
        broken = page.evaluate(
            "[...document.images].filter(image => !image.naturalWidth).map(image => image.src)"
        )
        assert not broken
    page.close()
    assert not failed


@pytest.mark.browser
def test_dark_is_dark_where_the_machine_is(site: Path, browser: Any) -> None:
    shades = []
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto((site / "tour.html").as_uri())
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        shades.append(sum(map(int, colour.strip("rgba()").split(",")[:3])))
        context.close()
    assert shades[0] > 600
    assert shades[1] < 200

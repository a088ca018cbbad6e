"""The pictures of docs/studio.md, taken from a real studio by a real Chromium.

    python recipes/studio_pictures.py            # needs linksight[studio,crawl], playwright and Chromium

Everything shown is made here: a small shop to learn, a small web to crawl; nothing is fetched from outside.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs" / "pictures"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
MIXED = (
    "<h1>Verklaring</h1><p>Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand "
    "en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.</p><p>All human beings are born free "
    "and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit "
    "of brotherhood.</p>"
)
LINKS = """Le Monde https://www.lemonde.fr/economie/
Spiegel https://www.spiegel.de/politik/deutschland/
NU.nl https://www.nu.nl/sport
El País https://elpais.com/economia/
Corriere https://www.corriere.it/cronache/
Wikipedia https://nl.wikipedia.org/wiki/Webcrawler"""


def load(folder: str, name: str) -> Any:
    """A module that is part of no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Quiet(WSGIRequestHandler):
    """A handler that says nothing."""

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def serve_shop() -> str:
    """The address of a shop with a search form."""
    app = load("tests/sites/apps", "shop_app").make_app()
    server = make_server("127.0.0.1", 0, app, handler_class=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def serve_studio(folder: Path) -> str:
    """The address of a studio that may fetch from this machine."""
    import uvicorn

    from linksight.studio.app import create_app
    from linksight.studio.config import Settings
    from linksight.studio.server import listen

    listener = listen("127.0.0.1", 0)
    app = create_app(Settings(data_dir=folder, allow_private=True))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    threading.Thread(target=server.run, args=([listener],), daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def take(page: Any, name: str, height: int = 760) -> None:
    """One picture, of the upper part of a page."""
    page.set_viewport_size({"width": page.viewport_size["width"], "height": height})
    page.screenshot(path=OUT / f"{name}.png")
    print(f"{name}.png {(OUT / f'{name}.png').stat().st_size // 1000} kB", file=sys.stderr)


def inspect(page: Any, studio: str) -> None:
    page.goto(f"{studio}/inspect?url=https://www.lemonde.fr/economie/")
    take(page, "inspector", 700)
    page.goto(f"{studio}/pages")
    page.get_by_label("Text or HTML").fill(MIXED)
    page.get_by_role("button", name="Identify").click()
    page.get_by_role("heading", name="What the page declares").wait_for()
    page.locator("section[aria-label=Result]").screenshot(path=OUT / "pages.png")
    page.goto(f"{studio}/links")
    page.locator("#list").fill(LINKS)
    page.get_by_role("button", name="Show links").click()
    page.locator(".chips").wait_for()
    take(page, "links", 800)


def learn(page: Any, studio: str, shop: str) -> None:
    page.goto(f"{studio}/sites")
    page.get_by_label("Address of the site").fill(shop)
    page.get_by_label("Name").fill("shop")
    page.get_by_text("Politeness and size").click()
    page.get_by_label("Hubs wanted").fill("15")
    page.get_by_label("Seconds between requests").fill("0")
    page.get_by_role("button", name="Learn").click()
    page.get_by_role("button", name="Rename").wait_for(timeout=120_000)
    take(page, "patterns")
    page.get_by_role("link", name="Hubs").click()
    page.locator("tbody a").first.click()
    page.frame_locator("iframe.foreign").locator("#linksight-legend").wait_for()
    take(page, "hub", 700)


def crawl(page: Any, studio: str) -> None:
    with load("benchmarks", "local_web").LocalWeb(hosts=12, pages=20) as web:
        page.goto(f"{studio}/crawls")
        page.get_by_label("Start at").fill(f"{web.origin(0)}/")
        page.get_by_role("combobox", name="Language").fill("Dutch")
        page.get_by_label("Contact").fill("crawls@library.example")
        page.get_by_label("Name").fill("dutch")
        page.get_by_label("Maximum pages").fill("150")
        page.get_by_text("More settings").click()
        page.get_by_label("Seconds between requests").fill("0.05")
        page.get_by_role("button", name="Begin").click()
        page.locator(".live .phase", has_text="done").wait_for(timeout=180_000)
        page.reload()
        take(page, "crawl", 900)


def main() -> None:
    """Take them all."""
    from playwright.sync_api import sync_playwright

    OUT.mkdir(parents=True, exist_ok=True)
    shop = serve_shop()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        studio = serve_studio(Path(folder))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1000, "height": 760})
        page.set_default_timeout(30_000)
        inspect(page, studio)
        learn(page, studio, shop)
        crawl(page, studio)
        phone = browser.new_page(viewport={"width": 360, "height": 640}, color_scheme="dark")
        phone.goto(f"{studio}/inspect?url=https://www.lemonde.fr/economie/")
        take(phone, "phone", 640)
        browser.close()


if __name__ == "__main__":
    main()

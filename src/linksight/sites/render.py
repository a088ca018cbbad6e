"""Pages as a real browser shows them, for sites that build their links with JavaScript."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from linksight.errors import MissingExtra
from linksight.sites.fetch import Page, is_private

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Browser:
    """Loads pages in Chromium, one at a time, through Playwright.

    The browser that is installed is used (``CHROMIUM`` names another); private addresses are refused
    for every request of the page, not only for the page itself, unless they are allowed.
    """

    def __init__(self, *, delay_s: float = 1.0, timeout_s: float = 30.0, allow_private: bool = False) -> None:
        self.delay_s = delay_s
        self.timeout_s = timeout_s
        self.allow_private = allow_private
        self._lock = threading.Lock()
        self._next = 0.0

    def load(self, url: str) -> Page:
        """The page after its scripts have run."""
        with self._lock:  # Playwright belongs to one thread: each page has its own browser
            time.sleep(max(0.0, self._next - time.monotonic()))
            self._next = time.monotonic() + self.delay_s
            return self._load(url)

    def _load(self, url: str) -> Page:
        try:
            from playwright.sync_api import Error, sync_playwright
        except ImportError:
            raise MissingExtra("playwright", "render", "rendering pages") from None
        began = time.monotonic()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=_executable(), args=["--no-sandbox", "--disable-dev-shm-usage"]
                )
                page = browser.new_page()
                page.route("**/*", self._guard)
                answer = page.goto(url, wait_until="networkidle", timeout=1000 * self.timeout_s)
                status = answer.status if answer else 0
                problem = f"http-{status}" if status >= 400 else None
                body = page.content().encode()
                address = page.url
                browser.close()
        except Error as error:
            reason = "timeout" if "Timeout" in str(error) else "no-answer"
            blocked = "ERR_BLOCKED_BY_CLIENT" in str(error) or "ERR_FAILED" in str(error)
            return Page(url, problem="private-address" if blocked and not self.allow_private else reason)
        return Page(
            address, status, "text/html; charset=utf-8", body, time.monotonic() - began, problem=problem
        )

    def _guard(self, route: Any) -> None:
        if self.allow_private or not _leads_inside(route.request.url):
            route.continue_()
        else:
            route.abort("blockedbyclient")


def _leads_inside(url: str) -> bool:
    """Whether a request would go to a private network; names that cannot be resolved go nowhere."""
    import socket

    parts = urlsplit(url)
    if parts.scheme in ("data", "blob"):
        return False
    try:
        places = socket.getaddrinfo(parts.hostname or "", parts.port or 80, type=socket.SOCK_STREAM)
    except (OSError, ValueError):
        return False
    return any(is_private(str(place[4][0])) for place in places)


def _executable() -> str | None:
    """The browser of the machine; None leaves the choice to Playwright."""
    named = os.environ.get("CHROMIUM")
    if named and Path(named).exists():
        return named
    return next(filter(None, map(shutil.which, _BROWSERS)), None)

"""Load pages in Chromium, for sites that build their links with JavaScript."""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from linksight.errors import CrawlError, MissingExtra
from linksight.sites.gathering.fetcher import Page
from linksight.system.private_networks import is_private

_START_TIMEOUT_S = 180.0  #: how long a browser may take to start on a busy machine
_FORM_TIMEOUT_S = 10.0  #: between sending a form and the request that follows
_REQUEST_GAP_S = 0.05  #: seconds between the requests that one page makes, at most
_NOT_LOADED = frozenset(("image", "media", "font"))
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


# Fill in the field of a form, fire its input events, and submit it.
_SEND_SCRIPT = """([name, word]) => {
  const fields = [...document.querySelectorAll('input')].filter(f => f.form && f.name === name);
  const field = fields.find(f => ['text', 'search'].includes(f.type)) || fields[0];
  field.value = word;
  for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {bubbles: true}));
  field.form.requestSubmit();
}"""


class Browser:
    """Loads pages in Chromium, one at a time, through Playwright.

    The browser that is installed is used (``CHROMIUM`` names another); private addresses are refused
    for every request of the page, not only for the page itself, unless they are allowed.
    """

    def __init__(self, *, delay_s: float = 1.0, timeout_s: float = 30.0, allow_private: bool = False) -> None:
        self.delay_s = delay_s
        self.timeout_s = timeout_s
        self.allow_private = allow_private
        self.n_requests = 0  #: made by pages, scripts and frames included
        self._next = 0.0
        # Playwright belongs to the thread that started it, so one thread does all the work.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="browser")
        self._open: tuple[Any, Any, Any] | None = None

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser."""
        self._worker.submit(self._end).result()
        self._worker.shutdown()

    def load(self, url: str) -> Page:
        """The page after its scripts have run."""
        return self._worker.submit(self._load, url).result()

    def submit(self, page_url: str, name: str, word: str) -> Page:
        """Submit a form by ``GET`` or ``POST`` with a word in one field, and return the page that follows.

        The page of the form is loaded again for each word, so that its tokens are fresh.
        """
        return self._worker.submit(self._submit, page_url, name, word).result()

    def _start(self) -> Any:
        try:
            from playwright.sync_api import Error, sync_playwright
        except ImportError:
            raise MissingExtra("playwright", "render", "rendering pages") from None
        if self._open is None:
            playwright = sync_playwright().start()
            try:
                browser = playwright.chromium.launch(
                    executable_path=_executable(), args=_arguments(), timeout=1000 * _START_TIMEOUT_S
                )
            except Error as error:
                playwright.stop()
                raise CrawlError(
                    f"{_executable() or 'chromium'}: the browser does not start: {_first_line(error)}"
                ) from None
            # One context, so that pages share a session.
            self._open = (playwright, browser, browser.new_context())
        return self._open[2]

    def _end(self) -> None:
        if self._open is not None:
            playwright, browser, _ = self._open
            browser.close()
            playwright.stop()
            self._open = None

    def _load(self, url: str) -> Page:
        return self._visit(url, lambda page: self._go(page, url))

    def _submit(self, page_url: str, name: str, word: str) -> Page:
        def send(page: Any) -> int:
            self._go(page, page_url)
            self._wait()
            return self._send_form(page, [name, word])

        return self._visit(page_url, send)

    def _send_form(self, page: Any, filled: list[str]) -> int:
        """Submit a form and wait for the page that follows; its status."""
        from playwright.sync_api import Error, TimeoutError

        requested: list[bool] = []

        def leaves(request: Any) -> bool:
            try:
                return bool(request.is_navigation_request() and request.frame == page.main_frame)
            except Error:  # the frame does not exist yet
                return False

        try:
            with page.expect_navigation(
                wait_until="networkidle", timeout=1000 * self.timeout_s
            ) as navigation:
                with page.expect_request(leaves, timeout=1000 * _FORM_TIMEOUT_S):
                    page.evaluate(_SEND_SCRIPT, filled)
                requested.append(True)
        except TimeoutError:
            if requested:
                raise
            return 200  # a script shows the results on the same page
        return navigation.value.status if navigation.value else 200

    def _wait(self) -> None:
        time.sleep(max(0.0, self._next - time.monotonic()))
        self._next = time.monotonic() + self.delay_s

    def _go(self, page: Any, url: str) -> int:
        self._wait()
        answer = page.goto(url, wait_until="networkidle", timeout=1000 * self.timeout_s)
        return answer.status if answer else 0

    def _visit(self, url: str, act: Callable[[Any], int]) -> Page:
        """Open a new page, act on it, and return its content."""
        began = time.monotonic()
        page = self._start().new_page()
        from playwright.sync_api import Error

        try:
            page.route("**/*", self._guard)
            status = act(page)
            problem = f"http-{status}" if status >= 400 else None
            body, address = page.content().encode("utf-8", "replace"), page.url
        except Error as error:
            reason = "timeout" if "Timeout" in str(error) else "no-answer"
            blocked = "ERR_BLOCKED_BY_CLIENT" in str(error)
            return Page(url, problem="private-address" if blocked else reason)
        finally:
            page.close()
        seconds = time.monotonic() - began
        return Page(address, status, "text/html; charset=utf-8", body, seconds, problem=problem)

    def _guard(self, route: Any) -> None:
        if route.request.resource_type in _NOT_LOADED:  # they hold no links
            route.abort("blockedbyclient")
        elif self.allow_private or not _leads_inside(route.request.url):
            self.n_requests += 1
            time.sleep(min(self.delay_s, _REQUEST_GAP_S))
            route.continue_()
        else:
            route.abort("blockedbyclient")


def _leads_inside(url: str) -> bool:
    """Whether a request would go to a private network; False for names that cannot be resolved."""
    parts = urlsplit(url)
    if parts.scheme in ("data", "blob"):
        return False
    try:
        places = socket.getaddrinfo(parts.hostname or "", parts.port or 80, type=socket.SOCK_STREAM)
    except (OSError, ValueError):
        return False
    return any(is_private(str(place[4][0])) for place in places)


def _arguments() -> list[str]:
    """Command-line arguments; Chromium's sandbox stays on except for root, for whom it does not start."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return ["--disable-dev-shm-usage", *(["--no-sandbox"] if is_root else [])]


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _executable() -> str | None:
    """The browser of the machine; None leaves the choice to Playwright."""
    configured = os.environ.get("CHROMIUM")
    if configured and Path(configured).exists():
        return configured
    return next(filter(None, map(shutil.which, _BROWSERS)), None)

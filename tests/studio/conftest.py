"""A real studio on loopback, for programs and for a real browser."""

from __future__ import annotations

import io
import re
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from linksight.studio.app import create_app
from linksight.studio.config import Settings
from linksight.studio.http_protocol import LimitedHttpProtocol
from linksight.studio.services import submitted_page
from linksight.studio.services.workbench import learning_tasks, learning_worker

#: Seconds that a test waits for a page, a job or a crawl on a busy machine, and that a browser waits for an element.
PATIENCE_S, BROWSER_PATIENCE_S = 60, 30

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip

ARTEFACTS = Path(__file__).parents[2] / "artefacts" / "studio"


class Visitor(httpx.Client):
    """A visitor who fills in forms as the studio's own pages make them."""

    def submit(self, path: str, data: dict[str, Any], *, page: str = "/", **more: Any) -> httpx.Response:
        """Send a form with the token of a page."""
        shown = self.get(page)
        token = re.search(r'name="csrf" value="(\w+)"', shown.text)
        assert token, f"no form on {page}: {shown.status_code} {shown.text}"
        return self.post(path, data=data | {"csrf": token[1]}, **more)

    def outcome(self, answer: httpx.Response) -> httpx.Response:
        """Where the job that an answer led to ends: the page of its result, or its own with what went wrong."""
        for page in self.watch(answer):
            answer = page
        return answer

    def watch(self, answer: httpx.Response) -> Iterator[httpx.Response]:
        """The page of a job again and again, and at last where it ends."""
        until = time.monotonic() + PATIENCE_S
        yield answer
        while "/jobs/" in answer.url.path and "data-live" in answer.text:
            assert time.monotonic() < until, answer.text
            time.sleep(0.1)
            answer = self.get(str(answer.url))
            yield answer


class Studio:
    """A server in a thread."""

    def __init__(self, **options: Any) -> None:
        import uvicorn

        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.app = create_app(Settings(port=self.port, **options))
        config = uvicorn.Config(self.app, log_level="error", timeout_graceful_shutdown=1, ws="none",
                                http=LimitedHttpProtocol, proxy_headers=False)  # fmt: skip
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, args=([self.listener],), daemon=True)

    def start(self) -> Studio:
        self.thread.start()
        while not self.server.started:
            assert self.thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        return self

    def visitor(self, **options: Any) -> Visitor:
        return Visitor(base_url=self.url, follow_redirects=True, timeout=PATIENCE_S, **options)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(60)
        self.listener.close()


class Person:
    """A page of the browser that keeps pictures, and an eye on what goes wrong."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        self.wrong: list[str] = []
        self.foreign: list[str] = []
        page.on("console", lambda said: self.wrong.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", self._note)

    def _note(self, request: Any) -> None:
        if not request.url.startswith((self.url, "data:", "about:", "blob:")):
            self.foreign.append(request.url)

    def go(self, path: str) -> None:
        self.page.goto(f"{self.url}{path}")

    def findings(self) -> list[str]:
        """What axe finds wrong, each with the first element that has it."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page, options={"iframes": False, "resultTypes": ["violations"]})
        return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found.response["violations"]]

    def keep(self, name: str) -> None:
        """A screenshot; nothing may be wider than the window."""
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=True)
        wide = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert wide <= 1, f"{name} is {wide} pixels too wide"


@pytest.fixture(autouse=True, scope="session")
def _patience() -> Iterator[None]:
    """Pages that a studio fetches from this machine come in time, however busy it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(submitted_page, "TIMEOUT_SECONDS", float(PATIENCE_S))
        yield


@pytest.fixture
def make_studio(tmp_path: Path) -> Iterator[Callable[..., Studio]]:
    """Starts studios with settings of a test's own."""
    made: list[Studio] = []

    def make(**options: Any) -> Studio:
        folder = options.pop("data_dir", tmp_path / f"studio{len(made)}")
        made.append(Studio(data_dir=folder, **options).start())
        return made[-1]

    yield make
    for studio in made:
        studio.stop()


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio that the tests of a module share; it may fetch from loopback."""
    made = Studio(data_dir=tmp_path_factory.mktemp("studio"), allow_private=True).start()
    yield made
    made.stop()


@pytest.fixture
def learning_in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sites are learnt without a process of their own, whose start takes longer than learning."""
    monkeypatch.setattr(learning_tasks, "learn_apart", lambda _job, task: _learn_here(task))


def _learn_here(task: dict[str, Any]) -> int:
    files = tuple(Path(path) for path in task.get("files", ()))
    return learning_worker.gather(task, learning_worker.ProgressReporter(io.StringIO(), files))


@pytest.fixture
def visitor(studio: Studio) -> Iterator[Visitor]:
    """A visitor of the shared studio."""
    with studio.visitor() as client:
        yield client


@pytest.fixture(
    scope="module"
)  # not longer: Playwright's event loop runs as long as this, and other tests have theirs
def chromium() -> Iterator[Any]:
    """A browser for the tests of a module, which open contexts of their own."""
    program = shutil.which("chromium")
    if not program:
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=BROWSER_PATIENCE_S * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS, timeout=PATIENCE_S * 1000)
        new_context = browser.new_context

        def patient(**options: Any) -> Any:
            context = new_context(**options)
            context.set_default_timeout(BROWSER_PATIENCE_S * 1000)
            return context

        browser.new_context = patient
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def make_person() -> Callable[[Any, Studio], Person]:
    """Sits somebody down at a new page of a browser's context."""
    return lambda context, studio: Person(context.new_page(), studio.url)


@pytest.fixture
def person(chromium: Any, studio: Any, request: pytest.FixtureRequest) -> Iterator[Person]:
    """Somebody at a browser; the studio must cause no errors there and ask for nothing elsewhere."""
    context = chromium.new_context(viewport={"width": 1200, "height": 800}, accept_downloads=True)
    visitor = Person(context.new_page(), studio.url)
    yield visitor
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    visitor.page.screenshot(path=ARTEFACTS / f"end-of-{request.node.name[:60]}.png")
    context.close()
    assert visitor.wrong == []
    assert visitor.foreign == [], "the studio must work offline"


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory, local_web: Any) -> Iterator[Studio]:
    """A studio for tests that only look: it has a site, its number 1, and a crawl, ``dutch``."""
    urls = "\n".join(f"http://shop.example/{kind}/{n}" for n in range(40) for kind in ("product", "author"))
    studio = Studio(data_dir=tmp_path_factory.mktemp("furnished"), allow_private=True).start()
    with studio.visitor() as visitor, local_web(hosts=2, pages=4) as web:
        learn = {"source": "urls", "urls": urls, "name": "shop"}
        learnt = visitor.outcome(visitor.submit("/sites/learn", learn, page="/sites"))
        assert learnt.url.path == "/sites/1", learnt.text
        crawl = {
            "name": "dutch",
            "contact": "crawls@library.example",
            "language": "nl",
            "seeds": f"{web.origin(0)}/",
            "delay": "0",
            "sample": "0",
        }
        begun = visitor.submit("/crawls", crawl, page="/crawls")
        assert begun.url.path == "/crawls/dutch", begun.text
        until = time.monotonic() + PATIENCE_S
        while studio.app.state.crawls.state("dutch").phase != "done":
            assert time.monotonic() < until, studio.app.state.crawls.state("dutch")
            time.sleep(0.1)
    yield studio
    studio.stop()

"""A person at a real Chromium, who clicks through every view; screenshots are kept under artefacts/."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from linksight.studio.services import inspector_runs, language_service

pytestmark = pytest.mark.browser


def test_inspector_from_pasting_to_one_url_and_back(person):
    from playwright.sync_api import expect

    page = person.page
    person.go("/")
    page.get_by_label("URLs", exact=True).fill(
        "https://www.lemonde.fr/economie/\nhttp://www.zeitung.de/politik\nhttps://www.nu.nl/sport\nmailto:a@b.nl"
    )
    page.get_by_role("button", name="Show languages").click()
    page.get_by_role("heading", name="and 3 more").wait_for()
    person.keep("inspector-list")
    page.locator("select[name=language]").select_option("fr")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("status")).to_contain_text("1 of 4 rows")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert "lemonde" in Path(download.value.path()).read_text()
    page.get_by_role("link", name="https://www.lemonde.fr/economie/").click()
    page.get_by_role("heading", name="French").wait_for()
    assert page.locator(".heat .for-5").count() > 0
    person.keep("inspector-url")
    page.get_by_text("Another URL").click()
    page.get_by_text("What if …").click()
    page.get_by_label("Only these languages").fill("Dutch, German")
    page.get_by_label("Base rates of your web").fill("nl=0.6")
    page.get_by_role("button", name="Show").click()
    bars = page.locator(".bars li")
    expect(bars.filter(has_text="French")).to_have_count(0)
    assert {text.split("\n")[0] for text in bars.all_inner_texts()} <= {"Dutch", "German"}


@pytest.fixture
def watched(monkeypatch) -> Iterator[threading.Event]:
    """Lists wait after their third stretch until somebody has seen how far they are."""
    seen, predict, stretches = threading.Event(), language_service.predict, []

    def held(*given: Any) -> Any:
        stretches.append(given)
        if len(stretches) > 3:
            seen.wait(60)
        return predict(*given)

    monkeypatch.setattr(inspector_runs, "CHUNK_ROWS", 20_000)
    monkeypatch.setattr(language_service, "predict", held)
    yield seen
    seen.set()


def test_a_long_list_shows_a_progress_bar_and_then_its_languages(person, tmp_path, watched):
    page = person.page
    file = tmp_path / "many.txt"
    file.write_text("\n".join(f"https://www.site{n}.de/seite/{n}" for n in range(120_000)))
    person.go("/")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Show languages").click()
    page.locator("progress[value]:not([value='0.000'])").wait_for()
    page.get_by_text(re.compile(r"[1-9][\d,]+ of 120,000 URLs")).wait_for()
    person.keep("inspector-progress")
    watched.set()
    page.get_by_text("120,000 of 120,000 rows").wait_for()
    assert "/runs/" in page.url
    page.get_by_role("link", name="Next →").click()
    page.get_by_text("Page 2 of 1,200").wait_for()
    page.get_by_role("link", name="Probability").click()
    page.locator("th[aria-sort=ascending]").filter(has_text="Probability").wait_for()


def test_a_page_is_identified_with_its_spans(person):
    page = person.page
    person.go("/pages")
    page.get_by_label("Text or HTML").fill(
        "<p>Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione.</p>"
    )
    page.get_by_role("button", name="Identify").click()
    page.get_by_role("heading", name="Italian").wait_for()
    assert page.locator(".spans .span").first.get_attribute("lang") == "it"
    person.keep("pages")


def test_links_carry_badges_and_are_filtered_and_the_page_is_sandboxed(person, tmp_path):
    page = person.page
    file = tmp_path / "page.html"
    file.write_text(
        "<title>Links</title><script>document.title='run'</script><p onclick=x()>See <a href='https://www.lemonde.fr/economie/'>"
        "économie</a>, <a href='http://www.zeitung.de/politik'>Politik</a><img src='http://tracker.example/x.png'>"
    )
    person.go("/links")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Show links").click()
    frame = page.frame_locator("iframe.foreign")
    frame.locator(".ls-badge").first.wait_for()
    assert frame.locator(".ls-badge").all_inner_texts() == ["fr", "de"]
    page.get_by_role("button", name="German 1").click()
    assert page.locator("[data-group=fr]").is_hidden()
    assert page.locator("[data-group=de]").is_visible()
    person.keep("links")


def test_pages_work_where_the_browser_keeps_nothing(chromium, studio):
    context = chromium.new_context()
    page = context.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
    )
    page.goto(f"{studio.url}/links")
    page.locator("#list").fill("https://www.lemonde.fr/ http://www.zeitung.de/")
    page.get_by_role("button", name="Show links").click()
    page.locator(".chip", has_text="French").click()
    assert page.locator("[data-group=de]").is_hidden()
    page.locator("#theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") in ("light", "dark")
    assert not wrong
    context.close()


@pytest.fixture(scope="module")
def shop(script) -> Iterator[str]:
    """The shop of the tests of sites: a real site with a search form."""
    from wsgiref.simple_server import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = make_server(
        "127.0.0.1", 0, script("tests/sites/apps/shop_app.py").make_app(), handler_class=Quiet
    )
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_workbench_from_the_search_form_to_the_export(person, shop):
    from playwright.sync_api import expect

    page = person.page
    person.go("/sites")
    page.get_by_label("Address of the site").fill(shop)
    page.get_by_label("Name").fill("shop")
    page.get_by_text("Politeness and size").click()
    page.get_by_label("Hubs wanted").fill("12")
    page.get_by_label("Seconds between requests").fill("0")
    page.get_by_role("button", name="Learn").click()
    page.get_by_role("heading", name="shop").wait_for()
    page.get_by_role("button", name="Rename").wait_for()
    person.keep("workbench-patterns")
    rows = page.locator("#annotate tbody tr")
    n = rows.count()
    assert n >= 2
    rows.nth(0).locator("input[type=checkbox]").check()
    page.get_by_label("Name", exact=True).fill("my pages")
    page.get_by_role("button", name="Rename").click()
    page.get_by_text("my pages").first.wait_for()
    rows.nth(0).locator("input[type=checkbox]").check()
    rows.nth(1).locator("input[type=checkbox]").check()
    page.get_by_role("button", name="Merge").click()
    expect(page.locator("#annotate tbody tr")).to_have_count(n - 1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#annotate tbody tr")).to_have_count(n)
    page.get_by_role("link", name="Tree").click()
    page.locator(".tree .node").first.wait_for()
    person.keep("workbench-tree")
    page.get_by_role("link", name="Hubs").click()
    page.locator("tbody a").first.click()
    page.frame_locator("iframe.foreign").locator("#linksight-legend").wait_for()
    person.keep("workbench-hub")
    page.go_back()
    page.get_by_role("link", name="Evaluation").click()
    page.get_by_label("Classes: a line each").fill("product = /product\nother = /")
    page.get_by_role("button", name="Evaluate").click()
    page.get_by_role("cell", name="unsupervised").first.wait_for()
    person.keep("workbench-evaluation")
    page.get_by_role("link", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="scrapy").click()
    assert "LinkExtractor" in Path(download.value.path()).read_text()


def test_a_crawl_is_started_paused_resumed_and_asked_why(person, local_web):
    page = person.page
    with local_web(hosts=8, pages=12, answers_left=24) as web:
        person.go("/crawls")
        page.get_by_label("Start at").fill(f"{web.origin(0)}/")
        page.get_by_role("combobox", name="Language").fill("Dutch")
        page.get_by_label("Contact").fill("crawls@library.example")
        page.get_by_label("Name").fill("dutch")
        page.get_by_label("Strategy").select_option("breadth-first")
        page.get_by_label("Maximum pages").fill("70")
        page.get_by_text("More settings").click()
        page.get_by_label("Seconds between requests").fill("1")
        page.get_by_role("button", name="Begin").click()
        page.locator(".live .plot").first.wait_for()
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="Resume").wait_for()
        before = int(page.locator(".stat dd").first.inner_text())
        person.keep("crawl-paused")
        web.answers_left = None
        page.get_by_role("button", name="Resume").click()
        page.locator(".live .phase", has_text="done").wait_for()
        assert int(page.locator(".stat dd").first.inner_text()) > before
        person.keep("crawl-done")
        page.get_by_label("URL").fill(f"{web.origin(0)}/")
        page.get_by_role("button", name="Ask").click()
        page.get_by_text("fetched, because it is a seed").wait_for()
        page.get_by_role("link", name="Report", exact=True).click()
        page.frame_locator("iframe.foreign").get_by_role("heading", name="Harvest over time").wait_for()
        person.keep("crawl-report")


def test_reports_and_model_are_shown(person, studio):
    folder = studio.app.state.settings.reports_dir
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "table.md").write_text("# Table IX\n\n| language | F |\n|---|---|\n| nl | .95 |\n")
    person.go("/reports")
    person.page.get_by_role("link", name="table.md").click()
    person.page.get_by_role("heading", name="Table IX").wait_for()
    person.page.get_by_role("link", name="Model").click()
    person.page.get_by_text("Figures of the bundled model").wait_for()
    person.keep("model")
    person.page.get_by_role("link", name="API").click()
    person.page.get_by_text("POST /v1/detect/batch").wait_for()
    person.keep("api")

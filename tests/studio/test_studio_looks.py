"""How the studio looks in a real Chromium: contrast in light and dark, plots on a phone, forms that are kept."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from linksight.studio.jobs import Job, Jobs
from linksight.studio.rendering.line_charts import line_plot

pytestmark = pytest.mark.browser


def test_an_error_appears_in_the_form_which_keeps_its_values_and_its_file(chromium, studio, tmp_path):
    (tmp_path / "list.csv").write_text("a,b\n1,2\n")
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{studio.url}/")
    page.get_by_label("URLs", exact=True).fill("http://a.nl/\nhttp://b.nl/")
    page.locator("input[type=file]").set_input_files(str(tmp_path / "list.csv"))
    page.get_by_text("What if …").click()
    page.get_by_label("Only these languages").fill("klingonish")
    page.get_by_role("button", name="Show languages").click()
    expect(page.get_by_role("alert")).to_contain_text("klingonish")
    assert page.get_by_label("URLs", exact=True).input_value() == "http://a.nl/\nhttp://b.nl/"
    page.get_by_label("Only these languages").fill("")
    page.get_by_role("button", name="Show languages").click()
    expect(page.get_by_role("alert")).to_contain_text("list.csv: no column of URLs")
    page.locator("input[type=file]").set_input_files([])
    page.get_by_role("button", name="Show languages").click()
    page.locator("table.run").wait_for()
    context.close()


def test_a_form_older_than_the_studio_is_sent_with_a_fresh_token(chromium, make_studio):
    studio = make_studio()
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{studio.url}/")
    page.get_by_label("URLs", exact=True).fill("https://www.nu.nl/\nhttps://www.zeit.de/")
    object.__setattr__(studio.app.state.settings, "secret", b"of a later studio")
    page.get_by_role("button", name="Show languages").click()
    page.locator("table.run").wait_for()
    assert page.locator("table.run tbody tr").count() == 2
    context.close()


def test_one_url_is_answered_while_it_is_typed_and_examples_are_one_click(chromium, studio):
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{studio.url}/")
    page.get_by_label("URLs", exact=True).fill("https://www.zeitung.de/politik")
    expect(page.locator("[data-answer]")).to_contain_text("German")
    page.locator("[data-example]").first.click()
    expect(page.locator("[data-answer]")).to_contain_text("French")
    assert page.locator("[data-example]").count() == 3
    context.close()


def test_the_menu_of_a_phone_opens_and_closes(chromium, studio):
    context = chromium.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(f"{studio.url}/pages")
    link = page.get_by_role("link", name="Crawls", exact=True)
    expect(link).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    expect(link).to_be_visible()
    page.keyboard.press("Escape")
    expect(link).to_be_hidden()
    context.close()


@contextmanager
def with_jobs(studio, jobs):
    """A studio with another job queue for a while; monkeypatch would delete the attribute of the state at its end."""
    own, studio.app.state.jobs = studio.app.state.jobs, jobs
    try:
        yield
    finally:  # the other tests of the module share the studio
        studio.app.state.jobs = own


@pytest.fixture
def at_work():
    """The jobs of a studio, with one that runs until the test ends."""
    jobs, end = Jobs(), Event()
    job = Job("run", "Languages of many URLs")
    running = Event()

    def work(_: Job) -> str:
        running.set()
        end.wait()
        return "/"

    jobs.start(job, work)
    running.wait()
    yield jobs, job
    end.set()
    jobs.close()


def test_a_job_of_an_earlier_studio_is_not_waited_for(chromium, studio, at_work):
    """The page of a job that is gone says so, and does not ask for it for ever."""
    jobs, job = at_work
    context = chromium.new_context()
    page = context.new_page()
    with with_jobs(studio, jobs):
        page.goto(f"{studio.url}/jobs/{job.id}")
        page.get_by_text("Running").wait_for()
    page.get_by_text("no such job").wait_for()
    context.close()


@pytest.fixture
def watched(chromium, studio, at_work):
    """The page of a running job, which the browser fetches again and again."""
    jobs, job = at_work
    with with_jobs(studio, jobs):
        context = chromium.new_context()
        page = context.new_page()
        page.goto(f"{studio.url}/jobs/{job.id}")
        yield page
        context.close()


def test_figures_that_are_no_longer_fresh_do_not_look_so(watched):
    watched.context.route("**/part", lambda route: route.abort())
    watched.get_by_text("The studio does not answer").wait_for()
    watched.get_by_text("What is shown is from").wait_for()
    watched.context.unroute("**/part")
    watched.get_by_text("The studio does not answer").wait_for(state="detached")
    watched.get_by_text("Running").wait_for()


def test_a_studio_that_wants_its_token_again_says_so_on_what_is_watched(watched, studio):
    watched.context.route("**/part", lambda route: route.fulfill(status=303, headers={"location": "/login"}))
    watched.get_by_text("The studio needs its token again").wait_for()


def test_what_was_asked_for_is_in_view_on_a_phone(chromium, studio):
    context = chromium.new_context(viewport={"width": 375, "height": 667})
    page = context.new_page()
    page.goto(f"{studio.url}/pages")
    page.get_by_label("Text or HTML").fill(
        "De gemeente heeft besloten dat de nieuwe weg niet wordt aangelegd.\n" * 9
    )
    page.get_by_role("button", name="Identify").click()
    page.get_by_role("heading", name="Dutch").wait_for()
    expect(page.locator("#result")).to_be_in_viewport()
    page.goto(f"{studio.url}/links")
    page.get_by_label("or search results").fill("Le Monde https://www.lemonde.fr/economie/")
    page.get_by_role("button", name="Show links").click()
    expect(page.locator("#result")).to_be_in_viewport()
    context.close()


@pytest.mark.parametrize("width", [375, 1200])
def test_the_words_of_a_plot_can_be_read_and_do_not_cover_each_other(chromium, studio, width):
    lines = {"in the language": [(0, 0), (41, 26)], "all pages": [(0, 0), (12_345, 12_345)]}
    context = chromium.new_context(viewport={"width": width, "height": 700})
    page = context.new_page()
    page.goto(f"{studio.url}/crawls")
    for plot in (line_plot("Harvest", lines, "pages fetched"), line_plot("Share", {"share": [(1, 1)]}, "pages", percent=True)):  # fmt: skip
        page.locator("main").evaluate("(e, text) => { e.innerHTML = text; }", str(plot))
        boxes = page.evaluate(
            "[...document.querySelectorAll('.plot text')].map((e) => e.getBoundingClientRect().toJSON())"
        )
        frame = page.locator(".plot").bounding_box()
        assert min(box["height"] for box in boxes) > 9
        assert min(box["left"] for box in boxes) >= frame["x"]
        assert max(box["right"] for box in boxes) <= frame["x"] + frame["width"] + 1
        for k, one in enumerate(boxes):
            for other in boxes[k + 1 :]:
                beside = one["right"] <= other["left"] or other["right"] <= one["left"]
                # Boxes of lines of text touch where the letters themselves do not.
                apart = one["bottom"] - 3 <= other["top"] or other["bottom"] - 3 <= one["top"]
                assert beside or apart, (one, other)
    context.close()


def test_the_rows_of_a_list_fit_on_a_phone(chromium, studio):
    context = chromium.new_context(viewport={"width": 360, "height": 667})
    page = context.new_page()
    page.goto(f"{studio.url}/")
    long = "http://shop.example/" + "long-" * 80
    page.get_by_label("URLs", exact=True).fill(
        f"https://www.lemonde.fr/economie/\n{long}\nhttp://例え.jp/製品/1"
    )
    page.get_by_role("button", name="Show languages").click()
    page.wait_for_url("**/runs/*")  # whole: a table is seen before the style sheet has come
    hidden = "(e => e.scrollWidth - e.clientWidth)(document.querySelector('table.run').parentElement)"
    assert page.evaluate(hidden) <= 1  # else the ends of addresses are cut off
    width = page.evaluate("document.querySelector('td.url').clientWidth")
    assert width > 360 / 3  # else every address is a column of syllables
    context.close()


def test_a_title_from_right_to_left_leaves_what_stands_beside_it_in_its_place(chromium, studio):
    """The number of links went to the title's other side; and an override of direction turned badges round."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{studio.url}/links")
    page.get_by_text("or paste HTML").click()
    link = "<a href='https://www.lemonde.fr/{}'>{}</a>"
    links = link.format(1, "\u202eturned") + link.format(2, "ספרייה") + link.format(3, "plain")
    page.locator("#html").fill(f"<title>ספרייה לאומית</title>{links}")
    page.get_by_role("button", name="Show links").click()
    left = "e => { const r = document.createRange(); r.selectNodeContents(e); return r.getBoundingClientRect().left; }"
    title, number = (page.locator(f"#result {part}").evaluate(left) for part in ("bdi", "small"))
    assert title < number
    for k in range(3):
        row = page.locator("ul.links li").nth(k)
        assert row.locator("a").evaluate(left) < row.locator(".badge").evaluate(left)
    frame = page.frame_locator("iframe.foreign")
    frame.locator(".ls-badge").first.wait_for()
    assert frame.locator("a").first.evaluate("e => getComputedStyle(e).unicodeBidi") == "isolate"
    context.close()


def test_the_patterns_of_a_site_fit_on_a_phone(chromium, furnished):
    """Half of their columns were out of sight at the side, and nothing said so."""
    context = chromium.new_context(viewport={"width": 360, "height": 667})
    page = context.new_page()
    page.goto(f"{furnished.url}/sites/1")
    hidden = "(e => e.scrollWidth - e.clientWidth)(document.querySelector('#annotate .scroll'))"
    assert page.evaluate(hidden) <= 1
    assert page.locator("#annotate tbody .badge").first.is_visible()
    context.close()


def test_patterns_are_printed_dark_on_light(chromium, furnished, make_person):
    """Forms are not printed, and the table of patterns stands in one; nor do printers have dark paper."""
    context = chromium.new_context(color_scheme="dark")
    person = make_person(context, furnished)
    person.go("/sites/1")
    person.page.evaluate("document.documentElement.dataset.theme = 'dark'")
    person.page.emulate_media(media="print")
    assert person.page.locator("#annotate tbody").is_visible()
    assert not person.page.get_by_role("button", name="Rename").is_visible()
    assert person.page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert person.findings() == []
    context.close()


@pytest.mark.parametrize("width", [360, 768, 1000, 1200])
def test_the_reasons_of_a_url_are_seen_without_scrolling(chromium, studio, width):
    """The bar of each reason stands last: a table that was too wide hid it beside half a page of nothing."""
    context = chromium.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(
        f"{studio.url}/inspect?url={quote('https://www.lemonde.fr/economie/2020/la-crise-financiere.html')}"
    )
    hidden = "(e => e.scrollWidth - e.clientWidth)(document.querySelector('table.reasons').parentElement)"
    assert page.evaluate(hidden) <= 1
    context.close()


def test_a_language_and_its_code_stand_on_one_line(chromium, studio):
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.goto(f"{studio.url}/")
    page.get_by_label("URLs", exact=True).fill(
        f"https://www.lemonde.fr/economie/\nhttp://shop.example/{'long' * 700}"
    )
    page.get_by_role("button", name="Show languages").click()
    page.locator("table.run").wait_for()
    tops = "[...document.querySelector('td.language').children].map(e => e.getBoundingClientRect())"
    badge, name = page.evaluate(f"{tops}.map(r => ({{top: r.top, bottom: r.bottom}}))")
    assert name["top"] < badge["bottom"]
    context.close()


@pytest.mark.parametrize("path", ["/pages", "/links"])
def test_an_address_needs_no_scheme(chromium, studio, path):
    """The studio puts one before it; a browser that asks for it first would be in the way."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(studio.url + path)
    page.locator("[name=address]").fill("lemonde.fr/economie")
    assert page.evaluate("document.querySelector('[name=address]').checkValidity()")
    context.close()


@pytest.mark.parametrize("path", ["/", "/pages", "/links", "/sites", "/crawls"])
def test_forms_fit_the_narrowest_phone(chromium, studio, path):
    context = chromium.new_context(viewport={"width": 320, "height": 568})
    page = context.new_page()
    page.goto(studio.url + path)
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    context.close()


def test_the_chosen_look_is_there_before_the_page_is_drawn(chromium, studio):
    context = chromium.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(f"{studio.url}/")
    page.locator("#theme").click()
    context.route("**/studio.js", lambda route: route.abort())  # which runs when the page is there already
    page.goto(f"{studio.url}/sites")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    context.close()


def test_a_page_with_coloured_links_and_the_report_of_a_crawl_fit_a_phone(chromium, tmp_path):
    from linksight.crawl.report.html_report import document, table
    from linksight.sites.gathering.fetcher import Page
    from linksight.sites.patterns.highlighted_page import coloured_page
    from linksight.sites.patterns.pattern import PatternSet

    links = "".join(f"<p><a href=/p/{n}>something that is sold here</a></p>" for n in range(30))
    page = Page("http://a.org/", 200, "text/html", links.encode())
    wide = table([f"column {n}" for n in range(12)], [["http://a.example/" + "x" * 90, *range(11)]])
    files = {
        "coloured": coloured_page(page, PatternSet.from_texts(["http://a.org/p/*"])),
        "report": document("A report", [wide]),
    }
    context = chromium.new_context(viewport={"width": 380, "height": 700}, color_scheme="dark")
    shown = context.new_page()
    for name, text in files.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
        shown.goto(f"file://{tmp_path}/{name}.html")
        assert shown.evaluate("document.documentElement.scrollWidth") <= 380
        if name == "coloured":
            covers = "([a, b]) => a.getBoundingClientRect().right > b.getBoundingClientRect().left && a.getBoundingClientRect().bottom > b.getBoundingClientRect().top"
            pair = [
                shown.locator("a.linksight").first.element_handle(),
                shown.locator("#linksight-legend").element_handle(),
            ]
            assert not shown.evaluate(covers, pair)
    context.close()


VIEWS = (
    "/", "/inspect?url=https://www.lemonde.fr/economie/", "/inspect?url=x:y", "/runs", "/pages", "/links", "/sites", "/sites/1",
    *(f"/sites/1?tab={tab}" for tab in ("tree", "hubs", "evaluation", "export", "history")), "/crawls", "/crawls/dutch",
    "/reports", "/model", "/api", "/login", "/sites/99",
)  # fmt: skip


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_every_view_fits_the_window_and_axe_finds_nothing(chromium, furnished, make_person, width):
    context = chromium.new_context(viewport={"width": width, "height": 740})
    person = make_person(context, furnished)
    for path in VIEWS:
        person.go(path)
        name = re.sub(r"\W+", "-", path).strip("-")[:40] or "home"
        for look in ("light", "dark"):
            person.page.emulate_media(color_scheme=look)
            person.keep(f"{name}-{width}-{look}")
        person.page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
        if width != 1024:  # light on a wide screen, dark on a phone
            person.page.emulate_media(color_scheme="light" if width == 1440 else "dark")
            assert person.findings() == [], path
    if width == 390:
        person.page.evaluate("document.querySelector('p.problem').style.color = '#777'")
        assert person.findings() != [], "axe sees what is faint"
    context.close()
    assert [text for text in person.wrong if "404" not in text and "422" not in text] == []


def test_an_operation_of_the_api_is_tried_on_its_page(chromium, studio):
    page = chromium.new_context().new_page()
    page.goto(f"{studio.url}/api")
    operation = page.locator("#detectBatch")
    operation.locator("summary").click()
    operation.get_by_role("button", name="Send").click()
    expect(operation.locator("[data-try-answer]")).to_contain_text("HTTP 200")
    expect(operation.locator("[data-try-answer]")).to_contain_text('"language"')
    page.context.close()


def test_a_crawl_says_where_its_pages_are(chromium, furnished):
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{furnished.url}/crawls/dutch")
    folder = Path(page.get_by_text("The WARC files of the pages").locator("code").inner_text())
    assert list(folder.glob("*.warc.gz"))
    context.close()

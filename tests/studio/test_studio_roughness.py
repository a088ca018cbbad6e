"""What a new visitor stumbles over: errors that name his own file and the next step, ways back, figures that agree."""

from __future__ import annotations

import gzip
import re
import time
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from linksight.studio.rendering.line_charts import line_plot
from linksight.studio.routes.web import crawls
from linksight.studio.services.crawl_figures import CrawlFigures, LatestPage
from linksight.studio.services.crawl_processes import CrawlState

pytestmark = pytest.mark.usefixtures("learning_in_process")
URLS = [f"http://shop.example/{kind}/{n}" for n in range(40) for kind in ("product", "author")]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


def told(visitor, answer):
    """What is said in the end: the words of the error, with the answer."""
    answer = visitor.outcome(answer)
    found = re.search(r'class="problem" role="alert">(.*?)</p>', answer.text, re.S)
    return (found[1] if found else ""), answer


def learn(visitor, name, body, **data):
    sent = {"source": "urls", "name": f"from {name}"} | data
    return told(visitor, visitor.submit("/sites/learn", sent, page="/sites", files={"file": (name, body)}))


@pytest.mark.parametrize(
    ("name", "body", "reason"),
    [
        ("photo.png", PNG, "photo.png: not a text file but an image"),
        ("paper.pdf", b"%PDF-1.4 and so on", "paper.pdf: not a text file but a PDF document"),
        ("empty.txt", b"", "empty.txt: no URL in it"),
        ("bad.parquet", b"no such thing", "bad.parquet: not a Parquet file"),
        ("table.csv", b"a,b\n1,2\n", "table.csv: no column of URLs; name it &#39;url&#39; (there are: a, b)"),
    ],
)
def test_a_file_that_no_site_can_be_learnt_from_is_named_as_the_visitor_named_it(visitor, name, body, reason):
    words, answer = learn(visitor, name, body)
    assert words.startswith(reason)
    assert "upload-" not in answer.text
    assert f"from {name}</a>" not in visitor.get("/sites").text, "nothing of it is kept"


@pytest.mark.parametrize("source", ["warc", "cdx"])
def test_a_file_of_another_kind_than_chosen_is_named_as_the_visitor_named_it(visitor, source):
    words, _ = learn(visitor, "list.txt", b"http://a.nl/1\n", source=source)
    assert words.startswith("list.txt: ")


def test_the_column_with_the_urls_is_found_as_in_the_inspector(visitor):
    rows = "".join(f"{n},{url}\n" for n, url in enumerate(URLS))
    words, answer = learn(visitor, "pages.csv", f"number,where it is\n{rows}".encode())
    assert not words
    assert "http://shop.example/product/*" in answer.text


def test_work_that_failed_leads_back_to_where_it_was_asked_for(visitor):
    data = {"source": "urls", "urls": "\n".join(URLS), "name": "plain list"}
    _, answer = told(visitor, visitor.submit("/sites/learn", data, page="/sites"))
    site = answer.url.path
    asked = {"rules": "[classes]\nproduct = { xpath = '//a' }"}
    words, answer = told(visitor, visitor.submit(f"{site}/evaluate", asked, page=f"{site}?tab=evaluation"))
    assert "a list has no pages: use regular expressions on the URL" in words
    assert f'href="{site}?tab=evaluation"' in answer.text
    assert "xpath" not in visitor.get(f"{site}?tab=evaluation").text, "what a list cannot have is not offered"


def test_errors_say_what_to_do_next(visitor):
    def said(path, data, **more):
        return told(visitor, visitor.submit(path, data, page=path if path != "/inspector" else "/", **more))[
            0
        ]

    assert "paste some, one a line, or choose a file" in said("/inspector", {"urls": " \n"})
    assert said("/links", {}, files={"file": ("a.html", b"<p>no link")}).startswith("the page has no links; ")
    assert said("/links", {"list": "no address"}).startswith("give the address of a page")
    answer = visitor.get("/inspect?url=x:y")
    assert "An address looks like" in answer.text
    assert answer.text.count("<h1>") == 1


def test_a_page_of_nothing_has_no_probability(visitor):
    for name, body in (("empty.html", b""), ("photo.png", PNG)):
        answer = visitor.submit("/pages", {}, page="/pages", files={"file": (name, body)})
        assert "0 %" not in re.search(r'id="result">.*?</h2>', answer.text, re.S)[0]


def test_the_page_of_the_interface_has_words_for_every_parameter(visitor):
    text = visitor.get("/api").text
    assert "``" not in text
    meanings = re.findall(r"<tr><td[^>]*><code>(\w+)</code>[^<]*</td><td[^>]*>(.*?)</td></tr>", text)
    assert len(meanings) > 5
    assert not [name for name, meaning in meanings if meaning.strip().lower() in ("", name)]


@pytest.mark.parametrize(
    "most", [1, 3, 7, 9, 10, 13, 26, 41, 99, 100, 130, 999, 8_765, 12_345, 999_999, 3_000_000]
)
def test_the_axis_of_a_plot_says_where_its_lines_are(most):
    text = str(line_plot("Harvest", {"all": [(0, 0), (10, most)]}, "pages"))
    found = re.findall(r'text-anchor="end">([\d.,]+)([kM]?)</text>', text)
    shown = [float(x.replace(",", "")) * {"": 1, "k": 1e3, "M": 1e6}[unit] for x, unit in found]
    assert len(shown) == 5
    assert shown[-1] >= most
    assert shown == pytest.approx([shown[-1] * k / 4 for k in range(5)], abs=0.001 * most)


def test_the_dashboard_has_words_for_what_became_of_every_url():
    from linksight.crawl.frontier.sql_schema import State

    assert {*crawls.STANDINGS} == {state.name.lower() for state in State} | {"sampled"}
    assert crawls.standing("done", "redirect") == "fetched, not a page"
    assert crawls.standing("failed", "status-503") == "fetch failed"


def test_who_spoke_for_and_against_a_url_is_told_in_words(visitor, studio, monkeypatch):
    state = CrawlState("dutch", "nl", "adaptive", "done", {"pages": 1}, {})
    why = {
        "url": "http://a.nl/",
        "answer": "rejected",
        "evidence": {"model": -0.4, "referrer": 0.001, "hops": 2},
    }
    totals = dict.fromkeys(("pages", "hits", "harvest", "bytes", "hosts"), 1)
    figures = {
        "crawl": replace(state, totals=totals), "plots": [], "hosts": [], "reasons": [], "languages": {}, "latest": [],
        "rejected": 0, "speed": 0, "pages": 1, "hits": 1, "harvest": 1.0, "progress": None, "has_wacz": False,
    }  # fmt: skip
    monkeypatch.setattr(crawls, "_figures", lambda *_: figures)
    monkeypatch.setattr(crawls, "_why", lambda *_: why)
    monkeypatch.setattr(studio.app.state.crawls, "path", Path)
    text = visitor.get("/crawls/dutch", params={"url": "http://a.nl/"}).text
    assert '<td>its URL, by the model</td><td class="n">-0.40</td>' in text
    assert "halves them" in text
    assert "<td>the pages that link to it</td>" not in text
    assert "hops" not in text


def test_the_figures_of_the_dashboard_agree_while_a_crawl_goes_on(visitor, studio, monkeypatch):
    """Pages, hits and languages come from one query: a page that arrives between two queries is in all or none."""
    figures = CrawlFigures(
        "nl", {"nl": 26, "en": 15}, [], [], {}, 14, 2.5, [LatestPage("http://a.nl/x", "nl")]
    )
    totals = {"pages": 55, "hits": 50, "harvest": 0.9, "bytes": 1, "hosts": 1, "seconds": 1.0, "first": 0, "last": 1,
              "limits": {"max_pages": 82}, "limit": ""}  # fmt: skip
    state = CrawlState("dutch", "nl", "adaptive", "done", totals, {"rejected": 4})
    monkeypatch.setattr(crawls, "read_figures", lambda *_: figures)
    monkeypatch.setattr(studio.app.state.crawls, "state", lambda name: state)
    monkeypatch.setattr(studio.app.state.crawls, "path", lambda name: name)
    shown = visitor.get("/crawls/dutch/part").text
    assert "No page was fetched" not in shown
    assert "<dt>Rejected</dt><dd>14</dd>" in shown
    assert "<dt>Pages</dt><dd>41</dd>" in shown
    assert "26 (63.4 %)" in shown
    assert "http://a.nl/x" in shown
    assert "<dt>Pages a second</dt><dd>41.0" in shown
    assert "41 of at most 82 pages" in shown
    # The seconds of the running worker are not in the totals yet.
    state = replace(state, phase="running")
    shown = visitor.get("/crawls/dutch/part").text
    assert "<dt>Pages a second</dt><dd>2.5" in shown
    assert "16 s left" in shown


def test_the_history_says_what_was_renamed_and_to_what(visitor, studio):
    data = {"source": "urls", "urls": "\n".join(URLS), "name": "renamed list"}
    _, answer = told(visitor, visitor.submit("/sites/learn", data, page="/sites"))
    site = answer.url.path
    visitor.submit(
        f"{site}/annotate", {"action": "rename", "id": "0", "was-0": "author", "name": "writer"}, page=site
    )
    chosen = {"action": "merge", "id": ["0", "1"], "was-0": "writer", "was-1": "product", "name": ""}
    visitor.submit(f"{site}/annotate", chosen, page=site)
    history = visitor.get(f"{site}?tab=history").text
    assert "<td>rename</td><td>author → writer</td>" in history
    assert "<td>merge</td><td>writer, product</td>" in history
    for undone in ("merge writer, product", "rename author"):
        visitor.submit(f"{site}/annotate", {"action": "undo"}, page=site)
        assert f"<td>undo</td><td>{undone}</td>" in visitor.get(f"{site}?tab=history").text


def test_every_figure_of_an_evaluation_has_a_head(visitor):
    data = {"source": "urls", "urls": "\n".join(URLS), "name": "measured list"}
    _, answer = told(visitor, visitor.submit("/sites/learn", data, page="/sites"))
    site = answer.url.path
    rules = {"rules": "product = /product/\nauthor = /author/"}
    _, answer = told(visitor, visitor.submit(f"{site}/evaluate", rules, page=f"{site}?tab=evaluation"))
    for table in re.findall(r"<table>(?:(?!<table>).)*?</table>", answer.text, re.S):
        heads, cells = (re.findall(rf"<{tag}\b", re.search(row, table, re.S)[0]) for tag, row in (("th", r"<thead>.*?</thead>"), ("td", r"<tr><td.*?</tr>")))  # fmt: skip
        assert len(heads) == len(cells)
    assert "<th>Its patterns</th>" in answer.text


def test_a_job_that_ends_while_its_page_is_written_leads_to_its_result(studio, visitor, monkeypatch):
    from linksight.studio.jobs import Job
    from linksight.studio.routes.web import jobs

    job = Job("learn", "a list", back="/sites")
    job.link, job.state = "/sites", "running"
    written = jobs.shown

    def ended_meanwhile(*words):
        page = written(*words)
        job.state = "done"
        return page

    monkeypatch.setattr(jobs, "found", lambda request, number: job)
    monkeypatch.setattr(jobs, "shown", ended_meanwhile)
    assert visitor.get("/jobs/any").url.path == "/sites"


@pytest.mark.parametrize(("kind", "page"), [("run", "/"), ("learn", "/sites"), ("evaluate", "/sites")])
def test_work_that_one_has_turned_away_from_is_found_again(make_studio, kind, page):
    """Of a list at work nothing was to be seen before its end, and of a site only while few had begun after it."""
    from linksight.studio.jobs import Job

    studio, end = make_studio(), Event()
    jobs = [Job(kind, f"work {n}") for n in range(9)]

    def work(job: Job) -> str:
        if job is jobs[0]:
            end.wait()
        return page

    for job in jobs:
        studio.app.state.jobs.start(job, work)
    while jobs[0].state != "running" or not all(job.is_over for job in jobs[1:]):
        time.sleep(0.01)
    with studio.visitor() as visitor:
        text = visitor.get(page).text
    end.set()
    assert f'<a href="/jobs/{jobs[0].id}">work 0</a>: running' in text
    assert "work 1" not in text


def test_a_page_whose_links_are_all_relative_is_asked_for_its_address(visitor):
    """It has links: "the page has no links" was not true."""
    answer = visitor.submit("/links", {"html": "<a href='/nieuws'>nieuws</a>"}, page="/links")
    assert answer.status_code == 422
    assert "the links are relative: give the address of the page too" in answer.text
    assert "has no links" in visitor.submit("/links", {"html": "<p>nieuws</p>"}, page="/links").text


@pytest.mark.parametrize(
    ("name", "body", "where"),
    [
        ("page.html", b"<!doctype html>\n<html><a href='http://a.nl/'>a</a></html>", "Links or Pages"),
        ("page.txt", b"\n <HTML lang=nl><a href='http://a.nl/'>a</a></html>", "Links or Pages"),
        (
            "bookmarks.html",
            b"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DT><A HREF='http://a.nl/'>a</A>",
            "Links or Pages",
        ),
        (
            "sitemap.xml",
            b'<?xml version="1.0"?><urlset><url><loc>http://a.nl/</loc></url></urlset>',
            "Links finds",
        ),
        ("crawl.warc", b"WARC/1.0\r\nWARC-Type: warcinfo\r\n", "Sites"),
        ("crawl.warc.gz", gzip.compress(b"WARC/1.1\r\nWARC-Type: warcinfo\r\n", mtime=0), "Sites"),
    ],
    ids=["html", "text", "bookmarks", "sitemap", "warc", "packed"],
)
def test_a_page_or_an_archive_is_no_list_of_urls(visitor, name, body, where):
    """Its lines were rows of nonsense."""
    answer = visitor.submit("/inspector", {}, files={"file": (name, body)})
    assert answer.status_code == 422
    assert name in answer.text
    assert where in answer.text


def test_a_pause_that_is_none_is_refused(visitor):
    data = {"home": "http://shop.example/", "delay": "-1"}
    answer = visitor.submit("/sites/learn", data, page="/sites")
    assert answer.status_code == 422
    assert "delay: 0 or more, not -1" in answer.text


@pytest.mark.parametrize("path", ["/sites/abc", "/sites/1.5", "/sites/abc/export"])
def test_a_number_that_is_none_is_a_page_that_is_not_there(visitor, path):
    answer = visitor.get(path)
    assert answer.status_code == 404
    assert "Not found" in answer.text


def test_a_site_of_which_nothing_came_is_not_kept(visitor):
    data = {"home": "http://127.0.0.1:9/", "name": "nowhere"}  # nothing is fetched from loopback
    words, _ = told(visitor, visitor.submit("/sites/learn", data, page="/sites"))
    assert words
    assert "nowhere</a>" not in visitor.get("/sites").text


def test_a_list_may_be_copied_from_a_spreadsheet_or_stand_in_a_line(visitor):
    """Cells were taken for parts of an address, and two addresses for one, with a language that looked sure."""
    for text in ("Le Monde\thttps://www.lemonde.fr/\nNU.nl\thttps://www.nu.nl/", "https://www.lemonde.fr/, https://www.nu.nl/"):  # fmt: skip
        page = visitor.submit("/inspector", {"urls": text}).text
        assert "2 URLs, 2 languages" in page
        assert "Unusable" not in page


@pytest.mark.parametrize(("path", "hint"), [("/inspector", "a file may have"), ("/pages", "")])
def test_a_text_that_is_too_large_to_be_pasted_is_told_the_way(make_studio, path, hint):
    with make_studio(max_page=1 << 20).visitor() as visitor:
        many = "http://www.zeitung.de/politik\n" * 40_000
        answer = visitor.submit(path, {"urls": many, "html": many}, files={"other": ("", b"")})
    assert answer.status_code == 413
    assert "the pasted text is larger than the 1 MiB" in answer.text
    assert hint in answer.text


def test_a_file_of_addresses_has_links_too(visitor):
    """Dropped where a page is asked for, it had none."""
    file = {"file": ("urls.txt", "Le Monde https://www.lemonde.fr/\nhttps://www.nu.nl/".encode("utf-16"))}
    page = visitor.submit("/links", {}, page="/links", files=file).text
    assert "2 links" in page
    assert "Le Monde</a>" in page


def test_the_address_of_a_pasted_page_needs_no_scheme(visitor):
    """The page was said to have no links."""
    asked = {"html": "<a href='/nieuws'>nieuws</a>", "base": "example.nl"}
    assert "https://example.nl/nieuws" in visitor.submit("/links", asked, page="/links").text
    wrong = visitor.submit("/links", asked | {"base": "hello world"}, page="/links")
    assert wrong.status_code == 422
    assert "hello world" in wrong.text


def test_tags_are_no_titles_of_links(visitor):
    sitemap = "<urlset><url><loc>http://a.nl/x</loc></url><url><loc>http://b.de/y</loc></url></urlset>"
    page = visitor.submit("/links", {"list": sitemap}, page="/links").text
    assert "2 links" in page
    assert "&lt;loc" not in page[page.index('id="result"') : page.index("card again")]


def test_the_text_of_a_packed_page_can_be_read(visitor):
    sentence = "De gemeente heeft besloten dat de nieuwe weg niet wordt aangelegd."
    file = {"file": ("page.html.gz", gzip.compress(f"<p>{sentence}</p>".encode() * 3, mtime=0))}
    assert sentence in visitor.submit("/pages", {}, page="/pages", files=file).text


def test_an_archive_is_no_page(visitor):
    """Its head was told to be English."""
    for packed in (b"WARC/1.0\r\n\r\n", gzip.compress(b"WARC/1.0\r\n\r\n", mtime=0)):
        answer = visitor.submit("/pages", {}, page="/pages", files={"file": ("crawl.warc", packed)})
        assert answer.status_code == 422
        assert "linksight identify" in answer.text


@pytest.mark.parametrize("n_pages", [11, 75, 80, 1009])
def test_both_plots_of_a_crawl_end_at_its_last_page(n_pages):
    """The last pages were in one and not in the other."""
    for plot in crawls._plots([True] * n_pages):
        assert f">{n_pages:,} pages fetched<" in plot

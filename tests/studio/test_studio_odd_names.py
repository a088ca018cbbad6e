"""Odd names, odd files and broken parts: one of them must not take a page, or all of them, away."""

from __future__ import annotations

import json
import re
import sys
import threading
import tomllib

import pytest

from linksight.sites.gathering.links import Link
from linksight.sites.patterns.pattern import PatternSet
from linksight.sites.workbench.workbench import Hub, Workbench
from linksight.studio.jobs import Job, Jobs
from linksight.studio.rendering.link_badges import badged_page, found_links
from linksight.studio.services.crawl_processes import as_toml
from linksight.studio.services.inspector_runs import Runs
from linksight.studio.services.workbench.pattern_languages import LanguageMixes

pytestmark = pytest.mark.usefixtures("learning_in_process")
ODD = "Магазин 日本 #1? 50% \"'<b>"


def _learnt(studio, name: str = ODD, url: str = "http://a.example/p/*") -> int:
    bench = studio.app.state.workbench.open()
    site = bench.open_site(name, "http://a.example/")
    bench.add_hub(site, Hub("http://a.example/", [Link("http://a.example/p/1")], body=b"<a href=/p/1>x</a>"))
    bench.save_patterns(site, PatternSet.from_texts([url]))
    return site


# -- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["json", "csv", "scrapy"])
def test_a_site_of_any_name_can_be_exported(studio, visitor, form):
    answer = visitor.get(f"/sites/{_learnt(studio)}/export?form={form}")
    assert answer.status_code == 200
    assert re.search(r'filename="[A-Za-z0-9._-]+"', answer.headers["content-disposition"])


def test_every_tab_of_a_site_of_an_odd_name_is_there(studio, visitor):
    site = _learnt(studio)
    for tab in ("patterns", "tree", "hubs", "evaluation", "export", "history"):
        answer = visitor.get(f"/sites/{site}?tab={tab}")
        assert answer.status_code == 200
        assert "<b>" not in answer.text.partition("<main")[2].partition("</h1>")[0]


def test_a_report_of_any_name_can_be_reached_by_its_link(make_studio, tmp_path):
    names = ["50% of #1?.md", "a b&c.html", "deep/ü.json"]
    for name in names:
        path = tmp_path / "reports" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text("{}")
    with make_studio(reports=tmp_path / "reports").visitor() as visitor:
        links = re.findall(r'href="(/reports/show/[^"]+)"', visitor.get("/reports").text)
        assert len(links) == len(names)
        for link in links:
            page = visitor.get(link.replace("&amp;", "&"))
            assert page.status_code == 200
            (raw,) = set(re.findall(r'"(/reports/raw/[^"]+)"', page.text))
            assert visitor.get(raw.replace("&amp;", "&")).text == "{}"


def test_a_report_that_is_shown_in_part_says_so(make_studio, tmp_path, monkeypatch):
    monkeypatch.setattr("linksight.studio.routes.web.reports.MAX_SHOWN_CHARACTERS", 10)
    for name, text in (("long.txt", "0123456789 and more"), ("short.txt", "0123456789")):
        (tmp_path / name).write_text(text)
    with make_studio(reports=tmp_path).visitor() as visitor:
        assert "download the report for the rest" in visitor.get("/reports/show/long.txt").text
        assert "download the report for the rest" not in visitor.get("/reports/show/short.txt").text


def test_a_report_that_is_nested_too_deep_is_shown_as_it_is(make_studio, tmp_path):
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with make_studio(reports=tmp_path).visitor() as visitor:
        assert visitor.get("/reports/show/deep.json").status_code == 200


@pytest.mark.parametrize("text", ["http://😀.example/", "a\x7fb", 'a"\\\n', "\u2028"])
def test_the_settings_of_a_crawl_hold_any_text(text):
    assert tomllib.loads(as_toml({"seeds": [text], "delay": 0.5, "robots": True}))["crawl"] == {
        "seeds": [text], "delay": 0.5, "robots": True,
    }  # fmt: skip


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_a_number_that_is_none_begins_no_crawl(visitor, value):
    data = {
        "seeds": "http://a.example/",
        "contact": "crawls@library.example",
        "language": "nl",
        "max_seconds": value,
        "name": "odd",
    }
    answer = visitor.submit("/crawls", data, page="/crawls")
    assert answer.status_code == 422
    assert "max_seconds" in answer.text


def test_a_name_that_is_too_long_is_told_as_such(visitor):
    data = {
        "seeds": "http://a.example/",
        "contact": "crawls@library.example",
        "language": "nl",
        "name": "a" * 61,
    }
    assert "60" in visitor.submit("/crawls", data, page="/crawls").text


# -- wrong requests -------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["/../x", "x" * 300, "exe", "%00"])
def test_an_unknown_format_is_refused_before_anything_is_written(visitor, form):
    answer = visitor.submit("/inspector", {"urls": "http://a.nl/\nhttp://b.de/"})
    wanted = visitor.get(f"{answer.url.path}/download", params={"form": form.replace("%00", "\0")})
    assert wanted.status_code == 422
    assert "known: csv, jsonl, parquet" in wanted.text.replace("&#39;", "'")


def test_a_version_that_is_no_number_is_refused(studio, visitor):
    site = _learnt(studio)
    answer = visitor.submit(
        f"/sites/{site}/annotate", {"action": "undo", "version": "x"}, page=f"/sites/{site}"
    )
    assert answer.status_code == 422


def test_one_name_is_for_one_pattern(studio, visitor):
    site = _learnt(studio, "two")
    bench = studio.app.state.workbench.open()
    bench.save_patterns(site, PatternSet.from_texts(["http://a.example/p/*", "http://a.example/q/*"]))
    data = {"action": "rename", "id": ["0", "1"], "name": "x"}
    answer = visitor.submit(f"/sites/{site}/annotate", data, page=f"/sites/{site}")
    assert answer.status_code == 422
    assert {pattern.name for pattern in bench.patterns(site)} == {""}


def test_an_origin_that_is_no_address_is_a_foreign_one(visitor):
    answer = visitor.post("/v1/detect", json={"url": "http://a.nl/"}, headers={"origin": "http://[x"})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("path", "link"),
    [("/nowhere", "/nowhere"), ("//evil.example/x", "/evil.example/x"), ("/a%22b", "/a%22b")],
)
def test_the_page_of_an_error_leads_back_to_the_studio(visitor, path, link):
    answer = visitor.get(visitor.base_url.copy_with(raw_path=path.encode()))
    assert answer.status_code == 404
    assert f'<a href="{link}">Try again</a>' in answer.text


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/inspector", "/"),
        ("/crawls/x/resume", "/crawls/x"),
        ("/sites/1/forget", "/sites/1"),
    ],
)
def test_the_address_of_a_form_that_is_opened_leads_to_its_page(visitor, path, page):
    """It stands in the browser's bar after an error, and was "Method Not Allowed" when it was opened again."""
    answer = visitor.get(path)
    assert answer.status_code == 405
    assert "this address only receives a form" in answer.text
    assert f'<a href="{page}">Try again</a>' in answer.text


def test_the_error_of_a_form_leads_back_to_the_form(visitor):
    where = {"referer": f"{visitor.base_url}/crawls"}
    answer = visitor.submit("/crawls", {"seeds": "", "language": "nl"}, page="/crawls", headers=where)
    assert answer.status_code == 422
    assert '<a href="/crawls">Try again</a>' in answer.text
    foreign = {"referer": "http://evil.example/crawls"}
    answer = visitor.submit("/inspector", {"urls": ""}, headers=foreign)
    assert '<a href="/">Try again</a>' in answer.text


def test_a_folder_that_cannot_be_written_is_no_bug(make_studio, tmp_path):
    """Such as a volume of another user: the log was said to say more."""
    (tmp_path / "file").touch()
    with make_studio(data_dir=tmp_path / "file" / "data").visitor() as visitor:
        many = {"urls": "http://a.nl/\nhttp://b.nl/"}
        crawl = {"seeds": "http://a.nl/", "contact": "crawls@library.example", "language": "nl"}
        for path, form in (
            ("/inspector", many),
            ("/sites/learn", many | {"source": "urls"}),
            ("/crawls", crawl),
        ):
            answer = visitor.submit(path, form)
            assert answer.status_code == 503, path
            assert "see --data-dir" in answer.text
        assert visitor.get("/v1/sites").json()["code"] == "store"
        assert visitor.get("/v1/detect", params={"url": "http://a.nl/"}).status_code == 200


def test_what_nobody_foresaw_is_an_error_of_the_same_shape(make_studio, monkeypatch):
    studio = make_studio()

    def broken() -> None:
        raise RuntimeError("nobody foresaw this")

    monkeypatch.setattr(studio.app.state.workbench, "open", broken)
    with studio.visitor() as visitor:
        answer, page = visitor.get("/v1/sites"), visitor.get("/sites")
    assert (answer.status_code, answer.json()["code"]) == (500, "unexpected")
    assert page.status_code == 500
    assert "Unexpected error" in page.text
    for one in (answer, page):
        assert "nobody foresaw" not in one.text  # what is inside is for the log
        assert "default-src 'none'" in one.headers["content-security-policy"]


# -- broken parts ---------------------------------------------------------------------------------


def test_a_crawl_that_cannot_be_asked_does_not_hide_the_others(make_studio, tmp_path):
    crawls = tmp_path / "data" / "crawls"
    for name, text in (
        ("broken", "{"),
        ("lost", json.dumps({"language": "nl", "store": "postgresql://x@127.0.0.1:1/x"})),
    ):
        (crawls / name).mkdir(parents=True)
        (crawls / name / "crawl.json").write_text(text)
        (crawls / name / "crawl.db").touch()
    with make_studio(data_dir=tmp_path / "data").visitor() as visitor:
        listed = visitor.get("/crawls")
        assert listed.status_code == 200
        assert "broken" in listed.text
        assert "lost" in listed.text


def test_a_foreign_or_damaged_note_among_the_runs_is_no_run(tmp_path):
    for name in ("notes.json", f"{'a' * 16}.json", f"{'b' * 16}.json"):
        (tmp_path / name).write_text("{" if name.startswith("a") else "[]")
    assert Runs(tmp_path).all() == []


def test_jobs_can_be_listed_while_others_begin():
    jobs, over, wrong = Jobs(workers=1), threading.Event(), []

    def look() -> None:
        while not over.is_set():
            try:
                jobs.all()
            except RuntimeError as error:
                wrong.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=look) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(1_500):
            job = Job("run", "x")
            jobs.start(job, lambda _: "/")
            job.state = "done"
    finally:
        over.set()
        sys.setswitchinterval(interval)
        for thread in threads:
            thread.join()
        jobs.close()
    assert not wrong


def test_a_site_that_takes_the_number_of_another_has_languages_of_its_own():
    mixes, shown = LanguageMixes(), []
    with Workbench("sqlite://") as bench:
        for host in ("www.zeitung.de/politik", "www.lemonde.fr/economie"):
            site = bench.open_site(host, f"http://{host}/")
            bench.add_hub(site, Hub(f"http://{host}/", [Link(f"http://{host}/{n}") for n in range(5)]))
            patterns = PatternSet.from_texts([f"http://{host}/*"])
            bench.save_patterns(site, patterns)
            shown.append((site, next(iter(mixes.of(bench, site, patterns)[0].by_url))))
            bench.forget_site(site)
    assert shown == [(1, "de"), (1, "fr")]


def test_a_page_with_control_characters_has_its_badges():
    from linksight.sites.gathering.fetcher import Page

    page = Page("http://a.org/", 200, "text/html; charset=utf-8", "<a href='/\x01\ufffe'>x</a>".encode())
    links, _ = found_links(page)
    assert "ls-badge" in badged_page(page, {link.url: ("nl", 0.9) for link in links})


def test_a_file_that_is_dropped_is_learnt_from_without_choosing_what_it_is(make_studio):
    urls = "\n".join(f"http://shop.example/{kind}/{n}" for n in range(40) for kind in ("product", "author"))
    with make_studio().visitor() as visitor:
        answer = visitor.submit(
            "/sites/learn", {"source": "auto"}, page="/sites", files={"file": ("shop.txt", urls.encode())}
        )
        assert "http://shop.example/product/*" in visitor.outcome(answer).text

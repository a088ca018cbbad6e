"""Crawls of the studio: processes of their own that can be stopped and taken up by another studio."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from linksight.errors import LinksightError
from linksight.studio.config import Settings
from linksight.studio.services.crawl_processes import Crawls


def wait_for(crawls, name, *phases):
    until = time.monotonic() + 300
    while (state := crawls.state(name)).phase not in phases:
        assert time.monotonic() < until, state
        time.sleep(0.2)
    return state


def test_a_crawl_is_stopped_found_by_another_studio_and_resumed(tmp_path, local_web):
    settings = Settings(data_dir=tmp_path, allow_private=True)
    crawls = Crawls(settings)
    with local_web(hosts=4, pages=10, answers_left=4) as web:
        values = {"contact": "crawls@library.example", "language": "nl", "seeds": [f"{web.origin(0)}/"], "strategy": "breadth-first", "max_pages": 12,
                  "delay": 1.0, "sample": 0}  # fmt: skip
        crawls.start("dutch", values)
        wait_for(crawls, "dutch", "running")
        while not crawls.state("dutch").totals.get("pages"):
            time.sleep(0.2)
        crawls.pause("dutch", is_final=True)
        stopped = wait_for(crawls, "dutch", "stopped")
        web.answers_left = None
        other = Crawls(settings)
        assert other.names() == ["dutch"]
        assert other.state("dutch").phase == "stopped"
        other.resume("dutch")
        done = wait_for(other, "dutch", "done")
        assert done.totals["pages"] > stopped.totals["pages"]
        assert (done.totals["pages"], done.limit) == (12, "max_pages")
        other.resume("dutch", max_pages=14)
        assert wait_for(other, "dutch", "done").totals["pages"] == 14


def test_a_crawl_without_its_packages_says_what_to_install(tmp_path):
    program = """
import sys
from pathlib import Path
sys.modules["sqlalchemy"] = None
from linksight.studio.services.crawl_processes import Crawls
from linksight.studio.config import Settings
Crawls(Settings(data_dir=Path(sys.argv[1]))).start("one", {"contact": "crawls@library.example", "language": "nl", "seeds": ["http://a.example/"]})
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    last = ended.stderr.splitlines()[-1]
    assert last == 'linksight.errors.MissingExtra: crawling needs sqlalchemy: pip install "linksight[crawl]"'
    assert not list(tmp_path.iterdir())


def test_a_crawl_of_seeds_that_are_dead_does_not_look_well(visitor, studio):
    """It was done, and nothing more: as if there had been nothing to find."""
    crawls = studio.app.state.crawls
    form = {
        "name": "dead",
        "contact": "crawls@library.example",
        "language": "nl",
        "seeds": "http://127.0.0.1:9/",
        "delay": "0",
    }
    visitor.submit("/crawls", form, page="/crawls")
    until = time.monotonic() + 600
    while crawls.state("dead").phase != "done":
        assert time.monotonic() < until, crawls.state("dead")
        time.sleep(0.1)
    shown = visitor.get("/crawls/dead").text
    assert "No page was fetched" in shown
    assert "its host refused the connection" in shown


def test_a_crawl_that_cannot_begin_says_why(tmp_path):
    crawls = Crawls(Settings(data_dir=tmp_path))
    values = {
        "contact": "crawls@library.example",
        "language": "nl",
        "seeds": ["http://a.example/"],
        "max_seconds": 5.0,
        "sample": 0,
    }
    crawls.start("none", values | {"patterns": str(tmp_path / "nowhere.json")})
    state = wait_for(crawls, "none", "failed", "done", "paused")
    assert state.phase == "failed"
    assert "nowhere.json" in state.error


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seeds": ["not an address at all"]}, "not an address at all"),
        ({"seeds": ["http://127.0.0.1:9/"]}, "a private network"),
        ({"language": "klingon"}, "no model knows Klingon"),
    ],
)
def test_a_crawl_that_never_could_begin_is_not_made(tmp_path, wrong, message):
    crawls = Crawls(Settings(data_dir=tmp_path))
    with pytest.raises(LinksightError, match=message):
        crawls.start(
            "none",
            {"contact": "crawls@library.example", "language": "nl", "seeds": ["http://a.example/"]} | wrong,
        )
    assert crawls.names() == []


LABELS = "url,language\n" + "".join(
    f"http://www.{word}{n}.{tld}/{word},{code}\n".replace(f",{code}", f"/{n},{code}")
    for n in range(40)
    for word, tld, code in (("nieuws", "nl", "nl"), ("zeitung", "de", "de"))
)


def begin(visitor, web, name, labels=LABELS, **more):
    data = {"seeds": f"{web.origin(0)}/", "contact": "crawls@library.example", "language": "Dutch", "name": name, "strategy": "filter", "max_pages": "12",
            "delay": "0", "sample": "0", "keep": "target"} | more  # fmt: skip
    return visitor.submit("/crawls", data, page="/crawls", files={"labels": ("labels.csv", labels)})


def test_a_filter_trained_on_labels_crawls(make_studio, local_web):
    studio = make_studio(allow_private=True)
    with studio.visitor() as visitor, local_web(hosts=4, pages=10) as web:
        answer = begin(visitor, web, "filtered")
        assert answer.status_code == 200, answer.text
        crawls = studio.app.state.crawls
        state = wait_for(crawls, "filtered", "done", "failed", "paused")
        assert (state.phase, state.strategy, state.error) == ("done", "filter", "")
        folder = crawls.path("filtered")
        assert (folder / "crawl.toml").stat().st_mode & 0o077 == 0, "it may hold a password"
        assert state.totals["pages"] > 0
        asked = visitor.get("/crawls/filtered", params={"url": f"{web.origin(0)}/"})
        assert "because it is a seed" in asked.text
        skipped = visitor.get("/crawls/filtered", params={"url": "http://never.example/x"}).text
        assert "never" in skipped


def test_a_crawl_takes_no_database_wrong_labels_or_strategy_file_from_a_form(
    make_studio, tmp_path, local_web
):
    with make_studio(allow_private=True).visitor() as visitor, local_web(hosts=1, pages=2) as web:
        begin(visitor, web, "a", store=f"sqlite:///{tmp_path}/x.db", strategy="filter")
        told = begin(visitor, web, "b", labels="no,columns\n1,2\n")
        assert (told.status_code, "labels.csv" in told.text) == (422, True)
        told = begin(visitor, web, "c", strategy="random")
        assert (told.status_code, "only the strategy filter" in told.text) == (422, True)
        told = begin(visitor, web, "d", strategy="/tmp/mine.py:Mine")
        assert told.status_code == 422
        assert "No crawl" not in visitor.get("/crawls").text
    assert not (tmp_path / "x.db").exists()


@pytest.mark.parametrize("pages", ["0", "-3", "many", "1e9", "٣", "9" * 30])
def test_a_limit_that_is_no_number_of_pages_is_refused(studio, visitor, pages):
    (studio.app.state.crawls.folder / "made").mkdir(parents=True, exist_ok=True)
    answer = visitor.submit("/crawls/made/resume", {"max_pages": pages}, page="/crawls")
    assert answer.status_code == 422
    assert "maximum pages: a number from 1 on" in answer.text

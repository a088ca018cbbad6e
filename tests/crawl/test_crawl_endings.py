"""How a crawl begins and ends, in words: what is refused before it, what stopped it, what failed in it."""

import re

import pytest
from click.testing import CliRunner
from sqlalchemy import func, select, text

from linksight.cli import main
from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.report.crawl_queries import Ledger
from linksight.crawl.report.html_report import table
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.run.lifecycle import Phases
from linksight.crawl.scoring.model_protocols import check_language
from linksight.errors import BadConfig
from linksight.system.database import open_store

HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = b'<html lang="nl"><body>Het weer wordt morgen beter dan vandaag, want de wind draait.</body></html>'


def invoke(*arguments: object):
    return CliRunner().invoke(main, ["crawl", *map(str, arguments)])


@pytest.fixture
def site(local_web):
    """One host whose pages are given by the test."""
    with local_web(hosts=1, pages=0) as web:
        yield web


def test_private_seeds_are_refused_before_anything_is_made(tmp_path):
    done = invoke("run", "http://127.0.0.1:9/", "-l", "nl", "-o", tmp_path / "c", "-q")
    assert done.exit_code == 1
    assert "http://127.0.0.1:9/: an address of a private network" in done.stderr
    assert "--allow-private" in done.stderr
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("made", ["", "outer"])
def test_a_database_that_cannot_be_reached_leaves_nothing_behind(tmp_path, made):
    if made:
        (tmp_path / made).mkdir()
    out = tmp_path / "outer" / "inner" / "c"
    nowhere = f"postgresql://x@/x?host={tmp_path}/no-such-socket"
    done = invoke("run", "http://a.nl/", "-l", "nl", "-o", out, "-q", "--store", nowhere)
    assert done.exit_code == 1
    assert "no-such-socket" in done.stderr
    assert [path.name for path in tmp_path.rglob("*")] == [made] * bool(made)


def test_a_strategy_that_is_not_known_leaves_nothing_behind(tmp_path):
    done = invoke("run", "http://a.nl/", "-l", "nl", "-o", tmp_path / "c", "-q", "-s", "nosuch")
    assert done.exit_code == 1
    assert "no 'nosuch'" in done.stderr
    assert not (tmp_path / "c").exists()


def test_one_private_seed_of_several_is_named_at_the_end(tmp_path):
    seeds = ("http://127.0.0.1:9/", "http://no-such-host.invalid/")
    done = invoke("run", *seeds, "-l", "nl", "-o", tmp_path / "c", "-q", "--retries", 0)
    assert done.exit_code == 1
    assert "seed left out: http://127.0.0.1:9/: its host has a private address" in done.stderr


def test_refused_seeds_are_tried_again_once_they_are_allowed(site, crawl_with):
    site.extra = {"/": (200, HTML, PAGE)}
    seed = site.origin(0) + "/"
    folder, tally = crawl_with(seeds=(seed,), allow_private=False)
    assert (tally.pages, tally.phase) == (0, "done")
    done = invoke("resume", folder, "--allow-private", "-q")
    assert done.exit_code == 0, done.output
    assert "done: 1 page in this run" in done.stderr
    assert "fetched, because it is a seed" in invoke("why", folder, seed).stdout


ENGLISH = b'<html lang="en"><body>It will rain tomorrow, and the wind will turn to the north.%s</body></html>'


def test_seeds_are_added_to_a_crawl_that_was_done(site, crawl_with, tmp_path):
    site.extra = {path: (200, HTML, PAGE + path.encode()) for path in ("/", "/een", "/twee")}
    first, one, two = (site.origin(0) + path for path in ("/", "/een", "/twee"))
    folder, _ = crawl_with(seeds=(first,))
    (tmp_path / "more.txt").write_text(f"{two}\n")
    done = invoke("resume", folder, one, first, "-i", tmp_path / "more.txt", "-q")
    assert "done: 2 pages in this run" in done.stderr, done.output
    assert "fetched, because it is a seed" in invoke("why", folder, two).stdout
    assert CrawlConfig.load(folder).seeds == (first, one, two)


def test_a_seed_that_is_added_is_fetched_though_it_was_rejected_as_a_link(site, crawl_with):
    site.extra = {"/": (200, HTML, ENGLISH % b"<a href=/x>more</a>"), "/x": (200, HTML, ENGLISH % b"")}
    folder, tally = crawl_with(seeds=(site.origin(0) + "/",), explore=0.0, sample=0)
    assert (tally.pages, tally.rejected) == (1, 1)
    done = invoke("resume", folder, site.origin(0) + "/x", "-q")
    assert "done: 1 page in this run" in done.stderr, done.output


def test_seeds_that_are_none_leave_a_crawl_as_it_is(site, crawl_with):
    site.extra = {"/": (200, HTML, PAGE)}
    folder, _ = crawl_with(seeds=(site.origin(0) + "/",))
    before = (folder / "crawl.json").read_text()
    done = invoke("resume", folder, "mailto:me@a.nl", "-q")
    assert (done.exit_code, (folder / "crawl.json").read_text()) == (1, before)
    assert "not a web address" in done.stderr


def test_a_lower_threshold_brings_back_what_was_rejected_and_is_above_it_now(site, crawl_with):
    site.extra = {"/": (200, HTML, ENGLISH % b"<a href=/x>more</a>"), "/x": (200, HTML, ENGLISH % b"")}
    folder, tally = crawl_with(seeds=(site.origin(0) + "/",), explore=0.0, sample=0)
    assert (tally.pages, tally.rejected) == (1, 1)
    assert "done: 0 pages in this run" in invoke("resume", folder, "--threshold", 0.4, "-q").stderr
    assert "done: 1 page in this run" in invoke("resume", folder, "--threshold", 0.0001, "-q").stderr
    assert "the settings allow it now" in invoke("why", folder, site.origin(0) + "/x").stdout


def test_a_resumed_crawl_that_allows_nothing_new_refuses_as_before(site, crawl_with):
    site.extra = {"/": (200, HTML, PAGE)}
    folder, _ = crawl_with(seeds=(site.origin(0) + "/",), allow_private=False)
    done = invoke("resume", folder, "-q")
    assert done.exit_code == 1
    assert "nothing was fetched: its host has a private address (see --allow-private) (1 URL)" in done.stderr
    assert not site.served


def test_a_language_that_no_model_knows_is_refused(tmp_path):
    done = invoke("run", "http://a.nl/", "-l", "klingon", "-o", tmp_path / "c")
    assert done.exit_code == 1
    assert "no model knows Klingon (tlh)" in done.stderr
    assert "linksight languages" in done.stderr
    assert not (tmp_path / "c").exists()
    with pytest.raises(BadConfig, match="no model knows"):
        check_language(CrawlConfig(language="tlh", model="cctld"))


def test_a_crawl_at_its_limit_says_so_and_is_not_called_complete(local_web, tmp_path):
    folder = tmp_path / "c"
    with local_web(hosts=2, pages=20, mix=("nl", "nl")) as web:
        options = ("--allow-private", "--delay", 0, "--max-pages", 5, "--no-robots", "-q")
        done = invoke("run", web.url(0, 0), "-l", "nl", "-o", folder, *options, "-s", "breadth-first")
        assert "stopped at --max-pages: 5 pages in this run" in done.stderr
        assert re.search(
            rf"\d+ URLs are still queued; go on with: linksight crawl resume {folder}", done.stderr
        )
        report = (folder / "report.html").read_text()
        assert "The crawl stopped at <code>--max-pages 5</code>" in report
        assert "is complete" not in report
        status = invoke("status", folder).stdout
        assert status.startswith("stopped at --max-pages, not running here: 5 pages, 100.0% in Dutch")
        done = invoke("resume", folder, "--max-pages", 100, "-q")
    assert "done: 35 pages in this run" in done.stderr
    assert "The crawl is complete." in (folder / "report.html").read_text()
    assert invoke("status", folder).stdout.startswith("done, not running here: 40 pages")


@pytest.mark.parametrize("unit", ["host", "site"])
def test_what_waits_behind_a_cap_is_told_and_fetched_when_the_cap_is_raised(local_web, tmp_path, unit):
    folder, cap = tmp_path / "c", f"--max-pages-per-{unit}"
    with local_web(hosts=3, pages=20, mix=("nl",)) as web:
        options = ("--allow-private", "--delay", 0, "--no-robots", "-q", "-s", "breadth-first")
        done = invoke("run", web.url(0, 0), "-l", "nl", "-o", folder, *options, cap, 4)
        assert "done: 12 pages in this run" in done.stderr
        assert "left on hosts at their page limit" in done.stderr
        assert f"more with: linksight crawl resume {folder} {cap} N" in done.stderr
        told = [invoke("why", folder, url).stdout for url in web.all_urls()]
        assert any(f"; but its {unit} has reached its page limit" in text for text in told)
        told_by_run = [line for line in done.stderr.splitlines() if "left on hosts" in line]
        assert invoke("status", folder).stdout.splitlines()[-1:] == told_by_run
        done = invoke("resume", folder, cap, 50, "-q")
        assert "done: 48 pages in this run" in done.stderr
        assert "left on hosts" not in done.stderr
        assert "left on hosts" not in invoke("status", folder).stdout


def test_no_more_is_asked_for_than_fits_into_the_bytes_that_are_left(site, crawl_with):
    links = "".join(f'<a href="/{n}">{n}</a>' for n in range(40)).encode()
    site.extra = {f"/{n}": (200, HTML, PAGE.ljust(10_000)) for n in range(40)}
    site.extra["/"] = (200, HTML, PAGE.replace(b"</body>", links + b"</body>").ljust(10_000))
    folder, tally = crawl_with(
        seeds=(site.origin(0) + "/",), strategy="breadth-first", max_bytes=45_000, robots=False, sample=0
    )
    assert (tally.pages, tally.bytes, tally.ending) == (5, 50_000, "stopped at --max-bytes")
    done = invoke("resume", folder, "--max-bytes", 80_000, "-q")
    assert "stopped at --max-bytes: 3 pages in this run" in done.stderr


def test_while_no_page_has_come_as_many_are_asked_for_as_usual_ones_fit(site, crawl_with):
    seeds = tuple(f"{site.origin(0)}/{n}" for n in range(20))
    site.extra = {f"/{n}": (200, HTML, PAGE.ljust(10_000)) for n in range(20)}
    _, tally = crawl_with(seeds=seeds, strategy="breadth-first", max_bytes=20_000, robots=False, sample=0)
    assert (tally.pages, tally.bytes) == (2, 20_000)


@pytest.fixture
def time_is_up_once_all_was_tried(monkeypatch):
    """A crawl's seconds are over when every URL was tried, however long that takes."""
    look = Phases.look

    def looked(self: Phases, _: float) -> str:
        with self.frontier.engine.connect() as connection:
            tries = connection.execute(select(func.min(sql_schema.urls.c.attempts))).scalar_one()
        return look(self, 60.0 if tries else 0.0)

    monkeypatch.setattr(Phases, "look", looked)


@pytest.mark.usefixtures("time_is_up_once_all_was_tried")
def test_a_url_that_failed_and_waits_tells_of_its_tries(site, crawl_with):
    site.extra = {"/": (200, HTML, PAGE), "/kapot": (500, HTML, b"")}
    seeds = tuple(site.origin(0) + path for path in ("/", "/kapot"))
    folder, tally = crawl_with(seeds=seeds, max_seconds=0.01, retry_wait=600.0, sample=0)
    assert tally.ending == "stopped at --max-seconds"
    told = invoke("why", folder, seeds[1]).stdout
    assert (
        "waits in the queue, because it is a seed; tried 1 time so far, and the last time the server answered 500"
        in told
    )
    report = invoke("report", folder)
    assert report.exit_code == 0
    text = (folder / "report.html").read_text()
    assert '<td>tried again later</td><td>the server answered 500</td><td class="n">1</td>' in text


def test_why_and_status_explain_their_figures(local_web, crawl_with):
    with local_web(hosts=4, pages=10, mix=("nl", "fr")) as web:
        folder, tally = crawl_with(seeds=(web.url(0, 0),), explore=0.0, sample=10)
        told = invoke("why", folder, web.url(0, 3)).stdout
    assert tally.sampled > 0
    assert re.search(r"referrer +[+-]\d+\.\d\d  the pages that link to it", told)
    assert "log-odds" in told
    status = invoke("status", folder).stdout
    assert f"({tally.pages} pages, {tally.sampled} for the sample of rejected URLs" in status


def test_why_does_not_deny_links_that_lie_beyond_the_limits(site, crawl_with):
    links = "".join(f'<a href="/{n}">{n}</a>' for n in range(5))
    site.extra = {"/": (200, HTML, PAGE + links.encode())}
    folder, _ = crawl_with(seeds=(site.origin(0) + "/",), strategy="breadth-first", max_links=3, max_depth=1)
    told = invoke("why", folder, site.origin(0) + "/4").stdout
    assert "as far as the first 3 links of each say, and no more than 1 away from a seed" in told


@pytest.mark.parametrize("keep", ["all", "target"])
def test_why_tells_where_a_redirect_leads(site, crawl_with, keep):
    home, old = f"{site.origin(0)}/", f"{site.origin(0)}/old"
    links = b'<a href="/old">oud</a><a href="/mail">post</a>'
    site.extra = {
        "/": (200, HTML, PAGE + links),
        "/old": (301, {"Location": "/"}, b""),  # known already: it was not found by way of this
        "/mail": (302, {"Location": "mailto:x@y.nl"}, b""),
    }
    folder, _ = crawl_with(seeds=(home,), strategy="breadth-first", keep=keep)
    told = invoke("why", folder, old).stdout
    assert f"  leads to   {home}\n" in told
    assert "problem" not in told
    assert "  leads to   'mailto:x@y.nl'\n" in invoke("why", folder, f"{site.origin(0)}/mail").stdout


def chain(site, *ways: str) -> dict[str, str]:
    """Pages that link to one another as ``/a>/b`` says; by their paths, what was asked for."""
    links: dict[str, list[str]] = {}
    for way in ways:
        here, there = way.split(">")
        links.setdefault(here, []).append(there)
        links.setdefault(there, [])
    site.extra = {
        path: (200, HTML, PAGE + "".join(f'<a href="{to}">verder</a>' for to in own).encode())
        for path, own in links.items()
    }
    return {path: f"{site.origin(0)}{path}" for path in links}


def asked_for(site) -> set[str]:
    return {f"/{path.partition('/')[2]}" for path in site.served} - {"/robots.txt"}


@pytest.mark.parametrize("strategy", ["breadth-first", "adaptive"])
def test_links_that_were_too_deep_are_fetched_once_more_depth_is_allowed(site, crawl_with, strategy):
    urls = chain(site, "/>/a", "/a>/b", "/b>/c", "/c>/d")
    folder, tally = crawl_with(seeds=(urls["/"],), strategy=strategy, max_depth=1, threshold=0.001)
    assert (asked_for(site), tally.reasons["too-deep"]) == ({"/", "/a"}, 1)
    assert "further from the seeds than max_depth" in invoke("why", folder, urls["/b"]).stdout
    assert invoke("resume", folder, "--max-depth", 3, "-q").exit_code == 0
    assert asked_for(site) == {"/", "/a", "/b", "/c"}
    assert invoke("resume", folder, "--max-depth", 0, "-q").exit_code == 0
    assert asked_for(site) == {"/", "/a", "/b", "/c", "/d"}
    assert set(site.served.values()) == {1}


def test_less_depth_than_before_fetches_nothing_more(site, crawl_with):
    urls = chain(site, "/>/a", "/a>/b")
    folder, _ = crawl_with(seeds=(urls["/"],), strategy="breadth-first", max_depth=1)
    invoke("resume", folder, "--max-depth", 1, "-q")
    assert asked_for(site) == {"/", "/a"}


def test_what_is_too_deep_by_one_way_is_fetched_by_a_shorter_one(site, crawl_with):
    urls = chain(site, "/>/a", "/a>/b", "/b>/x", "/late>/x", "/x>/y")
    folder, _ = crawl_with(seeds=(urls["/"],), strategy="breadth-first", max_depth=2)
    assert asked_for(site) == {"/", "/a", "/b"}
    engine = open_store(folder / "crawl.db", sql_schema.metadata)
    assert Frontier(engine, CrawlConfig(language="nl")).set_phase("done", "crawling")
    engine.dispose()
    crawl_with(folder, seeds=(urls["/"], urls["/late"]), strategy="breadth-first", max_depth=2)
    assert asked_for(site) == {"/", "/a", "/b", "/late", "/x", "/y"}


def test_too_deep_is_said_of_links_and_not_of_requests(site, crawl_with):
    urls = chain(site, "/>/a", "/a>/b")
    folder, _ = crawl_with(seeds=(urls["/"],), strategy="breadth-first", max_depth=1)
    with Ledger.open(folder) as ledger:
        assert "too-deep" not in ledger.problems()


def test_tables_of_the_report_have_numbers_to_the_right_and_words_to_the_left():
    made = table(["what", "n", "share"], [["a.nl", 3, "10%"], ["b.nl", 4, "5%"]])
    assert '<th scope="col">what</th><th scope="col" class="n">n</th>' in made
    assert '<td>a.nl</td><td class="n">3</td><td class="n">10%</td>' in made


@pytest.fixture
def small(site, crawl_with):
    """The folder of a crawl of one page."""
    site.extra = {"/": (200, HTML, PAGE)}
    return crawl_with(seeds=(site.origin(0) + "/",))[0]


ASKING = ("report {}", "status {}", "why {} http://a.nl/", "labels {}", "check {}")


def test_a_crawl_of_another_version_says_how_to_go_on(small):
    engine = open_store(small / "crawl.db")
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '99'"))
    engine.dispose()
    for command in (*ASKING, "resume {} -q"):
        done = invoke(*command.format(small).split())
        assert done.exit_code == 1
        assert "a later version of linksight began the crawl" in done.stderr


def test_a_database_whose_disk_fails_is_told_in_one_line(small):
    engine = open_store(small / "crawl.db")
    with engine.begin() as connection:
        for name in ("pages", "urls"):
            connection.exec_driver_sql(f"DROP TABLE {name}")
            connection.exec_driver_sql(f"CREATE TABLE {name} (x)")
    engine.dispose()
    for command in ASKING:
        done = invoke(*command.format(small).split())
        assert done.exit_code == 1
        assert done.stderr.startswith("Error: the crawl's database: no such column")
        assert done.stderr.count("\n") == 1

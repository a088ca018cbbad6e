"""How far pages are from the seeds: by the shortest way, whichever was gone first."""

from __future__ import annotations

from threading import Thread

import pytest
from click.testing import CliRunner
from sqlalchemy import event, select, text
from sqlalchemy.exc import DBAPIError

from linksight.cli import main
from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.records import Found, Outcome
from linksight.crawl.report.crawl_queries import Ledger
from linksight.crawl.run.config import CrawlConfig
from linksight.results import Decision
from linksight.system.database import open_store

HTML = {"Content-Type": "text/html"}


def page(*links: str) -> tuple[int, dict[str, str], bytes]:
    anchors = "".join(f'<a href="{link}">lees meer</a>' for link in links)
    return 200, HTML, f'<html lang="nl">{anchors}</html>'.encode()


def depths(folder) -> dict[str, int]:
    """How far the pages are that were fetched, by their paths."""
    u = sql_schema.urls.c
    with Ledger.open(folder) as ledger:
        rows = ledger._rows(select(u.url, u.depth).where(u.state == int(sql_schema.State.DONE)))
    return {"/" + row.url.split("/", 3)[3]: row.depth for row in rows}


@pytest.fixture
def late(local_web):
    """A web whose second host answers only once another one has been asked for a page."""

    class Late(local_web):
        before: str = ""

        def answer(self, local, path):
            is_early = local == self.address(1) and path != "/robots.txt"
            if is_early and not self.served[self.before]:
                return 503, {}, b""
            return super().answer(local, path)

    return Late


def test_better_evidence_by_a_longer_way_takes_nothing_further_away(tmp_path):
    config = CrawlConfig(language="nl", max_depth=3)
    frontier = Frontier(open_store(tmp_path / "q.db", sql_schema.metadata), config)
    frontier.create()
    frontier.add([Found("http://a.nl/x", 1, Decision(True, 1.0, "looks-right"))])
    frontier.add([Found("http://a.nl/x", 3, Decision(True, 5.0, "right-site"), again=True)])
    (job,) = frontier.claim(1)
    frontier.engine.dispose()
    assert (job.depth, job.base) == (1, 5.0)


def sitemap(*places: str, kind: str = "url") -> tuple[int, dict[str, str], bytes]:
    listed = "".join(f"<{kind}><loc>{place}</loc></{kind}>" for place in places)
    return 200, {"Content-Type": "application/xml"}, f"<urlset>{listed}</urlset>".encode()


def robots() -> tuple[int, dict[str, str], bytes]:
    return 200, {}, b"User-agent: *\nDisallow:\nSitemap: /index.xml\n"


def test_pages_of_sitemaps_are_a_link_further_than_their_host(local_web, crawl_with):
    with local_web(hosts=2, pages=0) as web:
        web.extra = {
            "/": page(f"{web.origin(1)}/far"),
            "/far": page(),
            "/robots.txt": robots(),
            "/index.xml": sitemap("/more.xml", kind="sitemap"),
            "/more.xml": sitemap("/listed"),
            "/listed": page(),
        }
        folder, _ = crawl_with(seeds=(f"{web.origin(0)}/",), strategy="breadth-first", max_depth=1)
        here, there = (f"{web.address(host)}/" for host in (0, 1))
        assert web.served[f"{here}listed"] == 1
        assert web.served[f"{there}far"] == 1
        assert (web.served[f"{there}index.xml"], web.served[f"{there}listed"]) == (0, 0)
        assert depths(folder)["/listed"] == 1
        assert (
            CliRunner().invoke(main, ["crawl", "resume", str(folder), "--max-depth", "2", "-q"]).exit_code
            == 0
        )
        assert (web.served[f"{there}index.xml"], web.served[f"{there}listed"]) == (1, 1)


def test_the_sitemaps_of_a_host_that_comes_nearer_are_read(late, crawl_with):
    with late(hosts=3, pages=0) as web:
        web.before = f"{web.address(2)}/goal"
        web.extra = {
            "/": page("/long"),
            "/long": page(f"{web.origin(2)}/goal"),
            "/goal": page(),
            "/short": page(f"{web.origin(2)}/near"),
            "/near": page(),
            "/robots.txt": robots(),
            "/index.xml": sitemap("/listed"),
            "/listed": page(),
        }
        seeds = (f"{web.origin(0)}/", f"{web.origin(1)}/short")
        crawl_with(seeds=seeds, strategy="breadth-first", max_depth=2, retries=40)
        assert web.served[f"{web.address(2)}/listed"] == 1


@pytest.mark.parametrize("backwards", [False, True])
def test_of_links_met_together_the_best_counts(tmp_path, backwards):
    """Pages come in groups; whichever was read first must not decide for the others."""
    config = CrawlConfig(language="nl", max_depth=3)
    frontier = Frontier(open_store(tmp_path / "q.db", sql_schema.metadata), config)
    frontier.create()
    met = [
        Found("http://a.nl/x", 4, Decision(True, 9.0, "too-deep"), refused=True),
        Found("http://a.nl/x", 1, Decision(False, -2.0, "looks-wrong")),
        Found("http://a.nl/x", 3, Decision(True, 2.0, "looks-right")),
        Found("http://a.nl/x", 2, Decision(True, 1.0, "right-site")),
    ]
    frontier.add(met[::-1] if backwards else met)
    jobs = frontier.claim(9)
    frontier.engine.dispose()
    assert [(job.depth, job.base, job.reason) for job in jobs] == [(1, 2.0, "looks-right")]


def test_a_worker_that_comes_later_by_a_shorter_way_is_heard(tmp_path):
    """Both have looked for the URL before the other had it written down."""
    config = CrawlConfig(language="nl", max_depth=3)
    frontier = Frontier(open_store(tmp_path / "q.db", sql_schema.metadata), config)
    frontier.create()
    frontier.add([Found("http://a.nl/x", 4, Decision(True, 9.0, "too-deep"), refused=True)])
    frontier.add([Found("http://a.nl/y", 3, Decision(True, 2.0, "looks-right"))])
    frontier.add([Found(f"http://a.nl/{name}", 1, Decision(True, 2.0, "looks-right")) for name in "xy"])
    frontier.merge()
    with frontier.engine.connect() as connection:
        found = dict(connection.execute(select(sql_schema.urls.c.url, sql_schema.urls.c.depth)).all())
    frontier.engine.dispose()
    assert found == {"http://a.nl/x": 1, "http://a.nl/y": 1}


@pytest.mark.parametrize("far_first", [False, True])
def test_of_ways_to_what_was_too_deep_the_shortest_counts(tmp_path, far_first):
    config = CrawlConfig(language="nl", max_depth=5)
    frontier = Frontier(open_store(tmp_path / "q.db", sql_schema.metadata), config)
    frontier.create()
    frontier.add([Found("http://a.nl/x", 6, Decision(True, 9.0, "too-deep"), refused=True)])
    ways = [Found("http://a.nl/x", n, Decision(True, 2.0, "looks-right"), again=True) for n in (3, 5)]
    frontier.add(ways[::-1] if far_first else ways)
    frontier.merge()
    (job,) = frontier.claim(9)
    frontier.engine.dispose()
    assert job.depth == 3


@pytest.mark.postgres
def test_a_commit_locks_the_hosts_that_were_claimed_and_no_others(fresh_postgres):
    frontier = Frontier(open_store(fresh_postgres(), sql_schema.metadata), CrawlConfig(language="nl"))
    frontier.create()
    seed = Decision(True, 1.0, "seed")
    frontier.add([Found(f"http://{name}.nl/", 0, seed) for name in "abc"])
    job = next(job for job in frontier.claim(9) if job.host == "b.nl")
    locks = []

    def note(_connection, _cursor, statement, parameters, *_):
        if "FROM hosts" in statement and "FOR UPDATE" in statement:
            locks.append({id_ for ids in parameters.values() for id_ in ids})

    event.listen(frontier.engine, "before_cursor_execute", note)
    found = [Found(f"http://{name}.nl/x", 1, seed) for name in "acd"]
    frontier.commit([Outcome(job, sql_schema.State.DONE, "seed", found=found)], {})
    frontier.engine.dispose()
    assert locks == [{job.host_id}]


@pytest.fixture
def two_hands(fresh_postgres):
    """Two workers' hands on one queue, in which are http://a.nl/x and /y, and /z that was rejected."""
    where = fresh_postgres()
    config = CrawlConfig(language="nl", max_depth=9)
    engines = [open_store(where, sql_schema.metadata) for _ in range(2)]
    one, other = (Frontier(engine, config, name) for engine, name in zip(engines, "ab", strict=True))
    one.create()
    decisions = {
        "x": Decision(True, 2.0, "seed"),
        "y": Decision(True, 1.0, "seed"),
        "z": Decision(False, 0.0, "looks-wrong"),
    }
    for name, decision in decisions.items():
        one.add([Found(f"http://a.nl/{name}", 5, decision)])
    yield one, other
    for engine in engines:
        engine.dispose()


def beside(frontier: Frontier, step) -> tuple[Thread, list[Exception]]:
    """A step of another worker, begun, and waiting for a lock or at its end."""
    errors: list[Exception] = []

    def run() -> None:
        try:
            step()
        except DBAPIError as error:
            errors.append(error)

    waiting = text(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    thread = Thread(target=run)
    thread.start()
    with frontier.engine.connect() as connection:
        while thread.is_alive() and not connection.execute(waiting).scalar_one():
            thread.join(0.01)
            connection.rollback()
    return thread, errors


@pytest.mark.postgres
@pytest.mark.parametrize("step", ["release", "release_orphaned_claims", "begin_sampling"])
def test_who_gives_back_or_draws_takes_the_lock_of_the_host_first(two_hands, step):
    """As everybody does; a worker that has a URL and waits for its host, could be waited for by one that has the host."""
    one, other = two_hands
    jobs = one.claim(2)
    steps = {
        "release": lambda: one.release(jobs),
        "release_orphaned_claims": lambda: one.release_orphaned_claims([]),
        "begin_sampling": lambda: one.begin_sampling(9),
    }
    with other.begin() as connection:
        other.lock_hosts(connection, [jobs[0].host_id])
        thread, errors = beside(other, steps[step])
        connection.execute(sql_schema.urls.update().values(depth=1))
    thread.join()
    assert not errors


def test_a_worker_that_is_killed_as_it_draws_the_sample_leaves_it_to_the_next(tmp_path, monkeypatch):
    frontier = Frontier(open_store(tmp_path / "q.db", sql_schema.metadata), CrawlConfig(language="nl"))
    frontier.create()
    frontier.add([Found("http://a.nl/x", 1, Decision(False, -2.0, "looks-wrong"))])
    with monkeypatch.context() as killed:
        killed.setattr(frontier, "rank", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            frontier.begin_sampling(5)
    assert frontier.begin_sampling(5) == 1
    assert frontier.begin_sampling(5) is None
    frontier.engine.dispose()

"""The frontier's contract, on SQLite and on PostgreSQL alike."""

import pytest
from sqlalchemy import select, text

from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.enqueue import PUT_OFF_BASE
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.heartbeat import Lease
from linksight.crawl.frontier.records import Found, Outcome
from linksight.crawl.frontier.schema_version import open_crawl_store
from linksight.crawl.frontier.sql_schema import State
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.urls.url_normalize import digest_of
from linksight.errors import StoreError
from linksight.results import Decision
from linksight.system.database import open_store


class Clock:
    """A clock that the test turns."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def open_frontier(request, tmp_path):
    """Opens workers' hands on one shared queue."""
    where = (
        request.getfixturevalue("fresh_postgres")() if request.param == "postgresql" else tmp_path / "f.db"
    )
    engines = []

    def make(worker: str = "a", clock=None, **settings) -> Frontier:
        engine = open_store(where, sql_schema.metadata)
        engines.append(engine)
        config = CrawlConfig(**({"language": "nl", "delay": 0.0} | settings))
        frontier = Frontier(engine, config, worker, clock or Clock())
        frontier.create()
        return frontier

    yield make
    for engine in engines:
        engine.dispose()


def link(
    url: str, priority: float = 0.0, fetch: bool = True, memory: float = 0.0, again: bool = False
) -> Found:
    reason = "looks-right" if fetch else "looks-wrong"
    return Found(url, 1, Decision(fetch, priority, reason), memory, again=again)


def done(job, *found: Found) -> Outcome:
    row = {
        "url": job.url, "host": job.host, "site": job.host, "fetched_at": 1.0, "status": 200, "mime": "text/html",
        "size": 10, "address": "192.0.2.1", "language": "nl", "script": "Latn", "encoding": "utf-8",
        "confidence": 1.0, "predicted": 0.5, "reason": job.reason, "sampled": job.sampled, "depth": job.depth,
        "links": 0, "digest": "sha1:x",
    }  # fmt: skip
    return Outcome(job, State.DONE, job.reason, address="192.0.2.1", page=row, found=list(found))


def test_the_best_urls_come_first_across_hosts(open_frontier):
    frontier = open_frontier()
    frontier.add([link("http://a.nl/1", 1.0), link("http://b.nl/1", 3.0), link("http://a.nl/2", 2.0)])
    assert [job.url for job in frontier.claim(10)] == ["http://b.nl/1", "http://a.nl/2", "http://a.nl/1"]


def test_a_url_is_queued_once_however_often_it_is_found(open_frontier):
    frontier = open_frontier()
    frontier.add([link("http://a.nl/"), link("http://a.nl/")])
    frontier.add([link("http://a.nl/", 5.0)])
    assert len(frontier.claim(10)) == 1
    assert frontier.claim(10) == []


def test_better_evidence_raises_a_queued_url_and_brings_a_rejected_one_back(open_frontier):
    frontier = open_frontier()
    frontier.add(
        [link("http://a.nl/1", 1.0), link("http://a.nl/2", -4.0, fetch=False), link("http://a.nl/3", 2.0)]
    )
    frontier.add([link("http://a.nl/2", 9.0, again=True), link("http://a.nl/1", 5.0, again=True)])
    assert [job.url[-1] for job in frontier.claim(10)] == ["2", "1", "3"]


def test_two_workers_never_get_the_same_url(open_frontier):
    first, second = open_frontier("a"), open_frontier("b")
    first.add([link(f"http://h{n % 7}.nl/{n}") for n in range(40)])
    taken = [job.url for _ in range(5) for worker in (first, second) for job in worker.claim(4)]
    assert len(taken) == len(set(taken)) == 40


def test_a_host_waits_for_its_delay_whoever_asks(open_frontier):
    clock = Clock()
    first, second = open_frontier("a", clock, delay=10.0), open_frontier("b", clock, delay=10.0)
    first.add([link("http://a.nl/1"), link("http://a.nl/2"), link("http://b.nl/1")])
    jobs = first.claim(10)
    assert {job.host for job in jobs} == {"a.nl", "b.nl"}
    assert second.claim(10) == []
    first.commit([done(job) for job in jobs], {})
    assert second.claim(10) == []
    clock.now += 10
    assert [job.host for job in second.claim(10)] == ["a.nl"]


def test_hosts_of_one_address_share_its_turns(open_frontier):
    clock = Clock()
    frontier = open_frontier("a", clock, delay=2.0, delay_per_address=10.0)
    frontier.add([link("http://a.nl/1"), link("http://b.nl/1"), link("http://a.nl/2"), link("http://b.nl/2")])
    frontier.commit([done(job) for job in frontier.claim(2)], {})
    clock.now += 5
    assert len(frontier.claim(10)) == 1


def test_what_is_committed_is_done_and_its_links_are_queued(open_frontier):
    frontier = open_frontier()
    frontier.add([link("http://a.nl/1")])
    frontier.commit([done(frontier.claim(1)[0], link("http://b.nl/"), link("http://c.nl/", fetch=False))], {})
    assert [job.url for job in frontier.claim(10)] == ["http://b.nl/"]
    assert frontier.summary()["pages"] == 1
    known = frontier.known([digest_of("http://a.nl/1"), digest_of("http://c.nl/"), digest_of("http://d.nl/")])
    assert {row.state for row in known.values()} == {State.DONE, State.REJECTED}


def test_a_worker_that_lost_its_claim_cannot_commit_it(open_frontier, tmp_path):
    clock = Clock()
    slow, other = open_frontier("slow", clock, lease=60.0), open_frontier("other", clock, lease=60.0)
    slow.add([link("http://a.nl/1")])
    elsewhere = Lease(tmp_path / "elsewhere", slow)
    with elsewhere, Lease(tmp_path / "here", other) as lease:
        job = slow.claim(1)[0]
        clock.now += 61
        assert lease.expire_workers() == 1
        again = other.claim(1)[0]
        assert again.url == job.url
        assert slow.commit([done(job)], {}) == []
        assert len(other.commit([done(again)], {})) == 1
    assert other.summary()["pages"] == 1


def test_a_living_worker_keeps_its_claims(open_frontier, tmp_path):
    clock = Clock()
    busy, other = open_frontier("busy", clock), open_frontier("other", clock)
    busy.add([link("http://a.nl/1")])
    with Lease(tmp_path / "x", busy) as mine, Lease(tmp_path / "y", other) as lease:
        busy.claim(1)
        clock.now += 50
        mine.beat()
        clock.now += 50
        assert lease.expire_workers() == 0


def test_a_hosts_bonus_moves_all_its_urls(open_frontier):
    frontier = open_frontier()
    frontier.add([link("http://a.nl/1", 5.0), link("http://a.nl/2", 1.0), link("http://b.nl/1", 2.0)])
    frontier.commit([done(frontier.claim(1)[0])], {"a.nl": -3.0})
    assert [job.url for job in frontier.claim(2)] == ["http://b.nl/1", "http://a.nl/2"]


def test_rejected_urls_of_a_host_that_turns_out_well_come_back(open_frontier):
    frontier = open_frontier()
    frontier.add([link("http://a.nl/1", -1.0, fetch=False), link("http://a.nl/2", -9.0, fetch=False)])
    assert frontier.requeue_host("a.nl", bonus=2.0, threshold=0.0) == 1
    assert [job.url for job in frontier.claim(9)] == ["http://a.nl/1"]


def test_the_cap_of_a_host_counts_pages_not_failures(open_frontier):
    frontier = open_frontier(max_pages_per_host=2)
    frontier.add([link(f"http://a.nl/{n}", -n) for n in range(5)])
    jobs = frontier.claim(10)
    assert len(jobs) == 2
    frontier.commit([done(jobs[0]), Outcome(jobs[1], State.FAILED, "timeout")], {})
    assert len(frontier.claim(10)) == 1


def test_the_cap_of_a_site_counts_all_its_hosts(open_frontier):
    frontier = open_frontier(max_pages_per_site=3)
    frontier.add([link(f"http://h{n}.a.nl/") for n in range(6)])
    assert sum(len(frontier.claim(2)) for _ in range(6)) == 3


def test_the_sample_is_uniform_whatever_the_order(open_frontier):
    frontier = open_frontier()
    frontier.add([link(f"http://h{n}.nl/", -5.0, fetch=False) for n in range(50)] + [link("http://q.nl/")])
    assert frontier.begin_sampling(10) == 10
    frontier.sampling = True
    jobs = frontier.claim(100)
    with frontier.engine.connect() as connection:
        u = sql_schema.urls.c
        lowest = connection.execute(select(u.url).where(u.url != "http://q.nl/").order_by(u.chance).limit(10))
        assert {job.url for job in jobs} == set(lowest.scalars())


def test_a_host_has_no_more_claims_than_its_connections_keep_busy(open_frontier):
    frontier = open_frontier(connections_per_host=2)
    frontier.add([link(f"http://a.nl/{n}", 9.0) for n in range(9)] + [link("http://b.nl/")])
    jobs = frontier.claim(20)
    assert sorted(job.host for job in jobs) == ["a.nl"] * 4 + ["b.nl"]
    held = {job.host_id: 4 for job in jobs if job.host == "a.nl"}
    assert frontier.claim(20, held) == []
    assert len(frontier.claim(20)) == 4


def test_urls_that_were_put_off_wait_until_nothing_else_is_left(open_frontier):
    frontier = open_frontier()
    frontier.add([link("http://a.nl/1"), link("http://b.nl/1")])
    one, other = sorted(frontier.claim(2), key=lambda job: job.url)
    put_off = Outcome(one, State.QUEUED, one.reason, counts=False, base=one.base + PUT_OFF_BASE)
    frontier.commit([put_off, done(other, link("http://b.nl/2", -50.0))], {})
    (job,) = frontier.claim(9)
    assert job.url == "http://b.nl/2"
    assert frontier.claim(9, {job.host_id: 1}) == []
    frontier.commit([done(job)], {})
    assert [job.url for job in frontier.claim(9)] == ["http://a.nl/1"]


def test_released_urls_can_be_claimed_again(open_frontier):
    frontier = open_frontier(max_pages_per_host=1)
    frontier.add([link("http://a.nl/")])
    frontier.release(frontier.claim(1))
    assert len(frontier.claim(1)) == 1


def test_nothing_of_a_commit_that_fails_remains(open_frontier):
    frontier = open_frontier()
    frontier.add([link("http://a.nl/1")])
    outcome = done(frontier.claim(1)[0], link("http://b.nl/"))
    outcome.page["size"] = None
    with pytest.raises(Exception, match=r"NOT NULL|not-null"):
        frontier.commit([outcome], {})
    assert frontier.known([digest_of("http://b.nl/")]) == {}
    assert frontier.claimed() == 1


def test_a_host_that_was_created_in_a_merge_that_failed_is_created_again(open_frontier, monkeypatch):
    frontier = open_frontier()
    frontier.add([link("http://a.nl/")])
    frontier.commit([done(frontier.claim(1)[0], link("http://b.nl/"))], {})
    with monkeypatch.context() as patch:
        patch.setattr(frontier, "rank", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            frontier.merge()
    frontier.add([link("http://c.nl/")])
    assert sorted(job.host for job in frontier.claim(10)) == ["b.nl", "c.nl"]


def test_tables_of_a_later_version_are_refused(open_frontier):
    frontier = open_frontier()
    with frontier.begin() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32))"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('99')"))
    where = frontier.engine.url.render_as_string(hide_password=False)
    with pytest.raises(StoreError, match="format 99"):
        open_crawl_store(where)


def test_links_of_a_commit_are_queued_when_somebody_claims(open_frontier):
    one, other = open_frontier("one"), open_frontier("other")
    one.add([link("http://a.nl/")])
    one.commit([done(one.claim(1)[0], link("http://b.nl/"))], {})
    assert one.known([digest_of("http://b.nl/")]) == {}
    assert [job.url for job in other.claim(5)] == ["http://b.nl/"]


def test_a_host_has_a_budget_of_urls(open_frontier):
    frontier = open_frontier(max_urls_per_host=3)
    frontier.add([link("http://a.nl/")])
    frontier.commit([done(frontier.claim(1)[0], *(link(f"http://a.nl/{n}") for n in range(2)))], {})
    frontier.merge()
    frontier.add([link(f"http://a.nl/more/{n}") for n in range(5)])
    frontier.add([link("http://b.nl/")])
    assert {job.url for job in frontier.claim(20)} == {"http://a.nl/0", "http://a.nl/1", "http://b.nl/"}

"""What can go wrong around a crawl: the database restarts, clocks jump, names are lost, files are damaged."""

import json
import os
import socketserver
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event, select, update
from warcio.archiveiterator import ArchiveIterator

from linksight.crawl.archive.warc_writer import WarcWriter
from linksight.crawl.fetch.response import Answer
from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.clock import SteadyClock
from linksight.crawl.frontier.db_errors import is_passing, plain_error
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.records import Found, Outcome
from linksight.crawl.frontier.sql_schema import State
from linksight.crawl.monitor.stats import Journal
from linksight.crawl.report.crawl_queries import Ledger
from linksight.crawl.report.explain import why
from linksight.crawl.run.api import resume_crawl
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.run.lifecycle import Phases
from linksight.crawl.run.response_processor import Digester
from linksight.crawl.scoring.link_scorer import Judge
from linksight.crawl.scoring.model_protocols import CountryModel
from linksight.errors import CrawlError, StoreError
from linksight.results import Decision
from linksight.system.database import open_store


def events(folder: Path) -> list[dict]:
    """The lines of the log; the last one may be half written yet."""
    lines = (folder / "log.jsonl").read_text().splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def wait_until(happened) -> None:
    until = time.monotonic() + 300
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.01)


@contextmanager
def meanwhile(web, after: int, act):
    """Does something in a thread once the web has given so many answers; the others wait until it is done."""
    web.answers_left, over = after, threading.Event()

    def wait() -> None:
        wait_until(lambda: web.has_waiting or over.is_set())
        if not over.is_set():
            act()
        web.answers_left = None

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.postgres
def test_a_database_that_stops_and_starts_again_loses_nothing(
    local_web, crawl_with, stored, postgres, fresh_postgres, tmp_path
):
    url = fresh_postgres()

    def restart() -> None:
        postgres.stop()
        wait_until(lambda: "store-away" in {line["event"] for line in events(tmp_path / "crawl")})
        postgres.start()

    with local_web(hosts=8, pages=20) as web, meanwhile(web, 50, restart):
        folder, tally = crawl_with(
            seeds=(web.url(0, 0),), strategy="breadth-first", store=url, concurrency=8, patience=300.0
        )
        assert stored(folder) == dict.fromkeys(web.all_urls(), 1)
    assert tally.phase == "done"
    assert {"store-away", "store-back"} <= {line["event"] for line in events(folder)}


@pytest.mark.postgres
def test_a_database_that_stays_away_ends_the_crawl_with_a_clear_word(local_web, crawl_with, fresh_postgres):
    url = fresh_postgres()
    with local_web(hosts=4, pages=20) as web:
        name = url.partition("@/")[2].partition("?")[0]
        engine = open_store(url.replace(f"@/{name}?", "@/postgres?"))

        def lock_out() -> None:
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
                connection.exec_driver_sql(
                    f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
                )

        with (
            meanwhile(web, 20, lock_out),
            pytest.raises(StoreError, match=r"what was stored is safe.*crawl resume"),
        ):
            crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first", store=url, patience=1.0)
        engine.dispose()


@pytest.mark.parametrize("jump", [-86_400.0, 86_400.0])
def test_a_clock_that_jumps_by_a_day_stops_nothing(local_web, crawl_with, stored, monkeypatch, jump):
    true_time, far = time.time, []
    monkeypatch.setattr(time, "time", lambda: true_time() + (jump if far else 0.0))
    with local_web(hosts=6, pages=15) as web, meanwhile(web, 30, lambda: far.append(1)):
        # Were the jump to count, hosts would be left waiting for a day; the limit makes that an end.
        folder, tally = crawl_with(
            seeds=(web.url(0, 0),), strategy="breadth-first", delay=0.01, max_seconds=600.0
        )
        assert stored(folder) == dict.fromkeys(web.all_urls(), 1)
    assert tally.phase == "done"


def test_turns_that_an_earlier_clock_booked_far_ahead_begin_now(local_web, crawl_with, stored):
    with local_web(hosts=3, pages=8) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first", max_pages=6)
        engine = open_store(folder / "crawl.db")
        with engine.begin() as connection:
            connection.execute(update(sql_schema.hosts).values(next_at=time.time() + 3 * 86_400))
            connection.execute(update(sql_schema.crawl).values(phase="crawling"))
        engine.dispose()
        crawl_with(folder, seeds=(web.url(0, 0),), strategy="breadth-first")
        assert stored(folder) == dict.fromkeys(web.all_urls(), 1)


def test_the_steady_clock_does_not_ask_twice(monkeypatch):
    clock = SteadyClock()
    before = clock()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert 0.0 <= clock() - before < 3600.0


def test_a_name_that_leads_nowhere_is_tried_again_and_counted(local_web, crawl_with):
    with local_web(hosts=1, pages=3) as web:
        lost = "http://no-such-host.invalid/"
        folder, tally = crawl_with(seeds=(web.url(0, 0), lost), strategy="breadth-first")
    assert (tally.pages, tally.phase) == (3, "done")
    assert tally.reasons["dns"] == 1
    with Ledger.open(folder) as ledger:
        told = why(ledger, lost)
        assert "could not be resolved" in told["answer"]
        tries = select(sql_schema.urls.c.attempts).where(sql_schema.urls.c.url == lost)
        with ledger.engine.connect() as connection:
            assert connection.execute(tries).scalar_one() == 2


def test_a_crawl_is_not_over_while_another_worker_commits(tmp_path):
    """Asked one after the other, its claim would be gone already and its links not yet there."""
    config = CrawlConfig(language="nl", strategy="breadth-first", delay=0.0, sample=0)
    engine = open_store(tmp_path / "crawl.db", sql_schema.metadata)
    here, there = Frontier(engine, config, "here"), Frontier(engine, config, "there")
    here.create()
    here.add([Found("http://a.nl/", 0, Decision(True, 1.0, "seed"))])
    job = there.claim(1)[0]
    outcome = Outcome(job, State.DONE, "seed")
    outcome.found = [Found("http://a.nl/2", 1, Decision(True, 0.5, "in-turn"))]

    @event.listens_for(engine, "after_cursor_execute")
    def commit_in_between(connection, cursor, statement, *_):
        if "hosts" in statement and "min" in statement.lower() and job.id not in done:
            done.append(job.id)
            other.start()
            other.join(10)

    done: list[int] = []
    other = threading.Thread(target=there.commit, args=([outcome], {}))
    assert Phases(config, here, Journal(tmp_path, "here")).wait_or_go_on() is not None
    assert here.summary()["phase"] == "crawling"
    other.join()
    engine.dispose()


# -- files -----------------------------------------------------------------------------------------


def warc_files(folder: Path) -> list[Path]:
    return sorted((folder / "warc").glob("*.warc.gz"))


@pytest.mark.parametrize("is_copied", [False, True])
def test_pages_of_a_file_that_was_cut_short_are_fetched_again(
    local_web, crawl_with, stored, is_copied, tmp_path
):
    """Also where that came of copying the whole crawl to another disk."""
    with local_web(hosts=3, pages=10) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first")
        folder = folder.rename(tmp_path / "copied") if is_copied else folder
        file = warc_files(folder)[0]
        os.truncate(file, file.stat().st_size * 2 // 3)
        _, tally = crawl_with(folder, seeds=(web.url(0, 0),), strategy="breadth-first")
        assert stored(folder) == dict.fromkeys(web.all_urls(), 1)
    assert 5 <= tally.pages <= 15
    assert "damaged" in tally.notes[0]
    with Ledger.open(folder) as ledger:
        assert ledger.totals()["pages"] == 30


@pytest.mark.parametrize("is_copied", [False, True])
def test_a_file_that_was_moved_away_is_named_and_nothing_is_fetched(
    local_web, crawl_with, is_copied, tmp_path
):
    with local_web(hosts=1, pages=4) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first")
        folder = folder.rename(tmp_path / "copied") if is_copied else folder
        file = warc_files(folder)[0]
        file.rename(folder / "elsewhere.warc.gz")
        _, tally = crawl_with(folder, seeds=(web.url(0, 0),), strategy="breadth-first")
    assert tally.pages == 0
    assert tally.notes == [f"{file.name}: not in the crawl's folder"]


def test_what_a_dead_worker_had_not_committed_is_cut(local_web, crawl_with, stored):
    with local_web(hosts=1, pages=6) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first")
        with warc_files(folder)[0].open("ab") as file:
            file.write(b"half a record")
        crawl_with(folder, seeds=(web.url(0, 0),), strategy="breadth-first")
        assert stored(folder) == dict.fromkeys(web.all_urls(), 1)


def test_a_commit_of_unknown_fate_is_settled_before_the_next_record(tmp_path, monkeypatch):
    """The database fails in the middle, and cannot even be asked how far it came."""
    from sqlalchemy.exc import OperationalError

    config = CrawlConfig(language="nl", delay=0.0)
    frontier = Frontier(open_store(tmp_path / "crawl.db", sql_schema.metadata), config, "w-1-x")
    frontier.create()
    writer = WarcWriter(tmp_path, "w-1-x", {}, 10**9)
    away = OperationalError("x", {}, Exception("the server is away"))

    def fail(*_: object) -> int:
        raise away

    monkeypatch.setattr(frontier, "_committed_length", fail)

    def fail_half_way() -> None:
        with frontier.writing(writer):
            writer.append(b"never committed")
            raise away

    with pytest.raises(OperationalError):
        fail_half_way()
    assert writer.in_doubt
    monkeypatch.undo()
    with frontier.writing(writer):
        writer.append(b"committed")
    data = next((tmp_path / "warc").glob("*.warc.gz.open")).read_bytes()
    assert b"never" not in data
    assert data.endswith(b"committed")
    writer.close()
    frontier.engine.dispose()


def test_errors_are_told_with_what_to_do_next(tmp_path):
    from sqlalchemy.exc import OperationalError

    full = plain_error(OSError(28, "No space left on device"), tmp_path)
    assert isinstance(full, CrawlError)
    assert (
        f"No space left on device; what was stored is safe; fix this, then resume with: linksight crawl resume {tmp_path}"
        in str(full)
    )
    assert isinstance(plain_error(OperationalError("", {}, Exception("gone")), tmp_path), StoreError)
    assert not is_passing(ValueError())


def test_a_host_name_is_not_tried_for_ever(tmp_path):
    config = CrawlConfig(language="nl", delay=0.0, retries=5)
    frontier = Frontier(open_store(tmp_path / "c.db", sql_schema.metadata), config)
    frontier.create()
    frontier.add([Found("http://lost.example/", 0, Decision(True, 1.0, "seed"))])
    digester = Digester(config, Judge(config, CountryModel(["nl", "en"])), None, frontier)
    states = []
    for _ in range(2):
        job = frontier.claim(1)[0]
        outcome = digester.digest([(job, Answer(error="dns", at=time.time()))])[0]
        states.append(outcome.state)
        outcome.wait = 0.0
        frontier.commit([outcome], {})
    assert states == [State.QUEUED, State.FAILED]
    frontier.engine.dispose()


class Promising(socketserver.StreamRequestHandler):
    """A server whose pages are shorter than it says."""

    def handle(self) -> None:
        path = self.rfile.readline().split(b" ")[1].decode()
        self.server.asked.append(path)
        body = (
            b'<html lang="nl"><a href="/verder">x</a>'
            if path != self.server.cut_robots
            else b"User-agent: *\n"
        )
        found = path in ("/", self.server.cut_robots)
        status = b"200 OK" if found else b"404 Not Found"
        self.wfile.write(b"HTTP/1.1 %s\r\nContent-Type: text/html\r\n" % status)
        self.wfile.write(b"Content-Length: %d\r\nConnection: close\r\n\r\n" % (len(body) + 500) + body)


@pytest.fixture
def promising():
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Promising) as server:
        server.asked, server.cut_robots = [], ""
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_server_that_sends_less_than_it_promised_is_tried_again_and_its_page_kept(promising, crawl_with):
    origin = f"http://127.0.0.1:{promising.server_address[1]}"
    folder, tally = crawl_with(seeds=(f"{origin}/",), strategy="breadth-first", retries=2, sample=0)
    assert tally.pages == 1
    assert promising.asked == ["/robots.txt", "/", "/", "/", "/verder"]
    with next((folder / "warc").glob("*.gz")).open("rb") as file:
        kept = [r.rec_headers["WARC-Truncated"] for r in ArchiveIterator(file) if r.rec_type == "response"]
    assert kept == ["disconnect"]


def test_a_robots_txt_of_which_less_came_than_promised_opens_nothing(promising, crawl_with):
    promising.cut_robots = "/robots.txt"
    origin = f"http://127.0.0.1:{promising.server_address[1]}"
    _, tally = crawl_with(seeds=(f"{origin}/",), strategy="breadth-first", retries=1, sample=0)
    assert (tally.pages, promising.asked) == (0, ["/robots.txt", "/robots.txt"])


def test_files_that_the_crawl_has_not_written_are_left_as_they_are(local_web, crawl_with):
    """They were put beside its own, or its database is another by now."""
    with local_web(hosts=1, pages=3) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first")
        (own,) = warc_files(folder)
        others = [own.with_name("wget.warc.gz"), own.with_name(own.name.replace("-00000-", "-00000-other"))]
        for other in others:
            other.write_bytes(own.read_bytes())
        _, tally = crawl_with(folder, seeds=(web.url(0, 0),))
    assert {path.read_bytes() for path in others} == {own.read_bytes()}
    assert "wget.warc.gz: not a file of this crawl; left as it is" in tally.notes


def test_a_crawl_whose_database_is_gone_is_not_begun_anew(local_web, crawl_with, stored):
    with local_web(hosts=1, pages=3) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first")
        for path in folder.glob("crawl.db*"):
            path.unlink()
        with pytest.raises(CrawlError, match=r"crawl.db: the crawl's database is gone"):
            resume_crawl(folder)
    assert stored(folder) == dict.fromkeys(web.all_urls(), 1)
    assert not (folder / "crawl.db").exists()


# -- what only a strict database minds ----------------------------------------------------------------


LONG_WINDED = """
class Talker:
    def __init__(self, language):
        self.language = language

    def decide(self, link):
        from linksight.results import Decision

        return Decision(True, 0.0, "because of all that was said of it, and of much more besides")
"""


@pytest.mark.postgres
def test_types_with_zeros_long_folders_and_long_reasons_end_no_crawl(
    local_web, crawl_with, stored, fresh_postgres, tmp_path
):
    (tmp_path / "own.py").write_text(LONG_WINDED)
    folder = tmp_path / "/".join(["archive-of-the-national-library"] * 7)
    folder.mkdir(parents=True)
    with local_web(hosts=1, pages=0) as web:
        told = {"Content-Type": "text/html\0"}
        web.extra = {
            "/": (200, told, b'<html lang="nl"><a href=/x>x</a>'),
            "/x": (200, told, b'<html lang="nl">x'),
        }
        seeds = (web.origin(0) + "/",)
        strategy = f"{tmp_path / 'own.py'}:Talker"
        _, tally = crawl_with(folder, seeds=seeds, strategy=strategy, store=fresh_postgres())
        assert set(stored(folder)) == {f"{web.origin(0)}/", f"{web.origin(0)}/x"}
    assert tally.phase == "done"

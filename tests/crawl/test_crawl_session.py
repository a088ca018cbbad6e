"""A crawl as its user meets it: by the command, stopped, gone on with, watched."""

import io
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from threading import Thread

import pytest

from linksight.crawl.extract.links import Outlink
from linksight.crawl.fetch.dns import BLOCKED, GuardedResolver
from linksight.crawl.fetch.response import Answer
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.heartbeat import live_workers
from linksight.crawl.frontier.records import Job, Outcome
from linksight.crawl.frontier.sql_schema import Kind, State, metadata
from linksight.crawl.monitor.live_view import draw
from linksight.crawl.monitor.prometheus import MetricsServer
from linksight.crawl.monitor.stats import Tally
from linksight.crawl.run.api import resume_crawl, start_crawl
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.run.response_processor import Digester
from linksight.crawl.run.signals import StopSignals
from linksight.crawl.scoring.link_scorer import Judge
from linksight.crawl.scoring.model_protocols import BinaryModel, CountryModel, load_model
from linksight.errors import BadConfig
from linksight.results import PageLabel
from linksight.system.database import open_store

SOURCE = Path(__file__).parents[2] / "src"


def command(*arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "linksight", "crawl", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        stderr=subprocess.PIPE,
    )


def test_a_second_worker_goes_without_the_port_that_the_first_serves_metrics_on(local_web, stored, tmp_path):
    folder = tmp_path / "crawl"
    with local_web(hosts=1, pages=8, answers_left=3) as web, MetricsServer(Tally("nl"), 0) as taken:
        config = CrawlConfig(
            language="nl",
            seeds=(web.url(0, 0),),
            strategy="breadth-first",
            model="cctld",
            allow_private=True,
            delay=0.0,
        )
        first = Thread(target=start_crawl, args=(folder, config))
        first.start()
        until = time.monotonic() + 300
        while not web.has_waiting:
            assert time.monotonic() < until
            time.sleep(0.02)
        running = command("resume", folder, "--metrics-port", taken.port)
        while len(live_workers(folder)) < 2:
            assert running.poll() is None, running.communicate()
            assert time.monotonic() < until
            time.sleep(0.02)
        web.answers_left = None
        _, said = running.communicate(timeout=600)
        first.join()
        assert (running.returncode, b"this one serves no metrics" in said) == (0, True), said
        assert stored(folder) == dict.fromkeys(web.all_urls(), 1)


@pytest.fixture
def with_a_terminal():
    """Commands hear of a lost terminal, also where the tests themselves were begun with ``nohup``."""
    found = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, found)


@pytest.mark.usefixtures("with_a_terminal")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_in_good_order_loses_nothing(local_web, stored, tmp_path, number):
    folder = tmp_path / "crawl"
    with local_web(hosts=6, pages=20, answers_left=15) as web:
        options = ("--language", "nl", "--out", folder, "--allow-private", "--delay", 0, "--concurrency", 4)
        running = command(
            "run", web.url(0, 0), *options, "-s", "breadth-first", "--model", "cctld", "--no-robots"
        )
        until = time.monotonic() + 300
        while not web.has_waiting:
            assert running.poll() is None, running.communicate()
            assert time.monotonic() < until, dict(web.served)
            time.sleep(0.02)
        running.send_signal(number)
        web.answers_left = 8  # what is under way comes in, and no more
        _, said = running.communicate(timeout=600)
        assert running.returncode == 0
        assert b"linksight crawl resume" in said
        assert (b"stopped by you: " if number == signal.SIGINT else b"stopped, as it was asked to: ") in said
        assert 0 < sum(stored(folder).values()) <= 23
        web.answers_left = None
        again = command("resume", folder, "--concurrency", 32, "-q")
        _, said = again.communicate(timeout=600)
        assert again.returncode == 0, said
        assert stored(folder) == dict.fromkeys(web.all_urls(), 1)
    assert (folder / "report.html").exists()
    assert (folder / "index.cdxj").exists()


@pytest.mark.parametrize("before", [signal.SIG_DFL, signal.SIG_IGN])
def test_a_crawl_that_was_begun_with_nohup_outlives_its_terminal(before):
    asked: list[str] = []
    found = signal.signal(signal.SIGHUP, before)
    try:
        with StopSignals(asked.append):
            signal.raise_signal(signal.SIGHUP)
        assert asked == (["SIGHUP"] if before == signal.SIG_DFL else [])
        assert signal.getsignal(signal.SIGHUP) == before
    finally:
        signal.signal(signal.SIGHUP, found)


STRATEGY = """
class Everything:
    def __init__(self, language):
        self.language = language

    def decide(self, link):
        from linksight.results import Decision

        return Decision(True, 0.0, "everything")
"""


def test_a_crawl_goes_on_from_another_working_directory(local_web, stored, tmp_path, monkeypatch):
    """Its database and its strategy were given by paths of the folder that it was begun in."""
    (tmp_path / "mine.py").write_text(STRATEGY)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with local_web(hosts=1, pages=6) as web:
        config = CrawlConfig(
            language="nl",
            seeds=(web.url(0, 0),),
            strategy="mine.py:Everything",
            store="shared.db",
            model="cctld",
            allow_private=True,
            delay=0.0,
            max_pages=2,
        )
        start_crawl("crawl", config)
        monkeypatch.chdir(tmp_path / "elsewhere")
        resume_crawl(tmp_path / "crawl", {"max_pages": 100})
        assert stored(tmp_path / "crawl") == dict.fromkeys(web.all_urls(), 1)
    assert list(Path.cwd().iterdir()) == []


def test_metrics_are_served_for_prometheus():
    tally = Tally("nl", worker='a"b', pages=7, hits=3)
    tally.reasons["looks-right"] = 4
    with MetricsServer(tally, 0) as server:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=120) as answer:
            text = answer.read().decode()
        with pytest.raises(BadConfig, match="metrics_port"):
            MetricsServer(tally, server.port)
    assert 'linksight_crawl_pages_total{worker="a\\"b"} 7' in text
    assert 'reason="looks-right",worker="a\\"b"} 4.0' in text
    for line in text.splitlines():
        assert line.startswith("# ") or line.rsplit(" ", 1)[1].replace(".", "").isdigit()


def test_the_live_view_shows_what_counts():
    from rich.console import Console

    tally = Tally("nl", pages=1200, hits=900)
    tally.reasons["right-site"] = 17
    tally.languages["nl"] = 900
    tally.hosts["a.nl"] = 5
    console = Console(file=io.StringIO(), width=120)
    console.print(draw(tally))
    shown = console.file.getvalue()
    for words in ("1,200 pages", "900 in Dutch (75.0%)", "right-site", "a.nl"):
        assert words in shown


class Receiver:
    """What Twisted hands resolved addresses to."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.resolutionBegan = self.resolutionComplete = lambda *_: None

    def addressResolved(self, address) -> None:
        self.found.append(address.host)


def test_a_name_that_leads_to_private_addresses_is_not_connected_to():
    class Address:
        def __init__(self, host: str) -> None:
            self.host = host

    class Inner:
        def resolveHostName(self, receiver, name, *_):
            for host in ("127.0.0.1", "93.184.216.34", "10.0.0.7", "::1"):
                receiver.addressResolved(Address(host))

    class Reactor:
        nameResolver = Inner()

    receiver = Receiver()
    GuardedResolver(Reactor(), allow_private=False).resolveHostName(receiver, "rebinding.example")
    assert receiver.found == ["93.184.216.34"]
    assert "rebinding.example" in BLOCKED


@pytest.fixture
def digester(tmp_path):
    config = CrawlConfig(language="nl", delay=0.0)
    engine = open_store(tmp_path / "d.db", metadata)
    frontier = Frontier(engine, config)
    frontier.create()
    yield Digester(
        config,
        Judge(config, CountryModel(["nl", "en"])),
        lambda *_: PageLabel("nl", "Latn", "utf-8", 0.9),
        frontier,
    )
    engine.dispose()


def job(url: str = "http://a.nl/", **changes) -> Job:
    values = {"id": 1, "url": url, "host": "a.nl", "host_id": 1, "kind": Kind.PAGE, "depth": 1, "attempts": 0,
              "base": 0.0, "bonus": 0.0, "sampled": False, "reason": "looks-right", "evidence": {}, "not_before": 0.0}  # fmt: skip
    return Job(**(values | changes))


def test_what_is_tried_again_is_no_reason_until_it_is_given_up():
    tally, seed = Tally("nl"), job(reason="seed")
    tally.count([Outcome(seed, State.QUEUED, "seed", problem="dns", wait=1.0)])
    assert (tally.failures, tally.reasons) == (1, {})
    tally.count([Outcome(seed, State.FAILED, "dns", problem="dns", wait=1.0)])
    assert tally.reasons == {"dns": 1}


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://localhost/",
        "file:///etc/passwd",
        "ftp://a.nl/",
        "http://[::1]/",
    ],
)
def test_a_redirect_leads_nowhere_private(digester, target):
    outcome = digester.digest([(job(), Answer(status=302, headers=(("Location", target),)))])[0]
    assert outcome.found == []
    assert target[:20] in outcome.problem


def test_a_chain_of_redirects_ends(digester):
    answer = Answer(status=302, headers=(("Location", "/next"),))
    assert digester.digest([(job(evidence={"hops": 9}), answer)])[0].found
    assert not digester.digest([(job(evidence={"hops": 10}), answer)])[0].found


def test_links_into_traps_are_not_followed(digester):
    links = "".join(f"<a href={path}>x</a>" for path in ("/a/b/a/b/a/b/", "/agenda/2071-05/", "/goed"))
    answer = Answer(200, (("Content-Type", "text/html"),), links.encode())
    assert [link.url for link in digester.digest([(job(), answer)])[0].found] == ["http://a.nl/goed"]
    assert set(digester.left_out) == {"trap-repeating-path", "trap-calendar"}


def test_a_server_that_asks_for_patience_gets_it(digester):
    answer = Answer(status=503, headers=(("Retry-After", "90"),))
    outcome = digester.digest([(job(), answer)])[0]
    assert (outcome.state, outcome.wait) == (State.QUEUED, 90.0)


def test_pages_that_ask_for_it_are_not_followed(digester):
    body = b"<a href=/x>x</a>"
    html = ("Content-Type", "text/html")
    assert digester.digest([(job(), Answer(200, (html,), body))])[0].found
    assert not digester.digest([(job(), Answer(200, (html, ("X-Robots-Tag", "nofollow")), body))])[0].found


def test_pages_of_a_known_pattern_speak_for_each_other():
    import linksight

    hubs = [
        [f"http://shop.be/{kind}/{10 * hub + n}" for n in range(5) for kind in ("winkel", "magasin")]
        for hub in range(8)
    ]
    patterns = linksight.learn_patterns(hubs)
    judge = Judge(CrawlConfig(language="nl"), CountryModel(["nl", "fr"]), patterns=patterns)
    for number in range(5):
        judge.observe(f"http://shop.be/winkel/{number}", "nl")
        judge.observe(f"http://shop.be/magasin/{number}", "fr")
    good, bad = judge.links([Outlink("http://shop.be/winkel/99"), Outlink("http://shop.be/magasin/99")], 1)
    assert good.pattern > 1 > -1 > bad.pattern


def test_the_filter_of_the_dutch_paper_is_trained_from_labels(tmp_path):
    rows = [("http://www.fietsen.com/winkel", "nl"), ("http://www.bakkerij.org/brood", "nl")] * 20
    rows += [("http://www.bikes.com/shop", "en"), ("http://www.bakery.org/bread", "en")] * 20
    path = tmp_path / "labels.csv"
    path.write_text("url,language\n" + "".join(f"{url},{code}\n" for url, code in rows))
    model = load_model(CrawlConfig(language="nl", strategy="filter", labels=str(path)))
    assert isinstance(model, BinaryModel)
    yes, no = model.predict_proba(["http://www.fietsen.net/brood", "http://www.bikes.net/bread"])[:, 0]
    assert yes > 0.5 > no


def test_a_language_that_the_model_does_not_know_is_crawled_by_its_countries():
    assert isinstance(load_model(CrawlConfig(language="frr")), CountryModel)


def test_the_log_is_json_lines(local_web, crawl_with):
    with local_web(hosts=1, pages=4) as web:
        folder, _ = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first")
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert {"at", "worker", "event"} <= lines[0].keys()
    assert lines[-1]["pages"] == 4

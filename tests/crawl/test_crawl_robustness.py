"""Nothing on the web ends a crawl or eats it: dead networks, endless hosts, sessions, pages that kill a process."""

import asyncio
import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from linksight.crawl.fetch.rate_limiter import Held, Pace
from linksight.crawl.report.crawl_queries import Ledger
from linksight.crawl.report.explain import why
from linksight.crawl.run.api import resume_crawl
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring.model_protocols import CountryModel
from linksight.crawl.urls.near_duplicates import Novelty, are_alike, fingerprint
from linksight.crawl.urls.session_parameters import SessionParameters
from linksight.results import PageLabel

HTML = {"Content-Type": "text/html; charset=utf-8"}
WORDS = "huis boom vis fiets water brood straat lucht berg stad dorp kerk molen dijk polder sloot".split()


def page(number: int, *links: str, lang: str = "nl") -> bytes:
    """A page of its own words."""
    draw = random.Random(number)
    text = " ".join(f"{draw.choice(WORDS)}{draw.randrange(300)}" for _ in range(60))
    anchors = "".join(f'<a href="{link}">lees meer</a>' for link in links)
    return f'<html lang="{lang}"><body><p>{text}</p>{anchors}</body></html>'.encode()


def states(folder: Path) -> dict[str, int]:
    with Ledger.open(folder) as ledger:
        return ledger.states()


def events(folder: Path) -> list[str]:
    return [json.loads(line)["event"] for line in (folder / "log.jsonl").read_text().splitlines()]


def down_until_noticed(web, log: Path, after: int):
    """Takes the web down once it has given so many answers, until the crawl has noticed it or ended."""

    def run() -> None:
        while sum(web.served.values()) < after:
            time.sleep(0.005)
        web.is_down = True
        while not any(word in log.read_text() for word in ("network-away", '"stop"')):
            time.sleep(0.05)
        web.is_down = False

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_an_outage_of_the_network_loses_no_url(local_web, crawl_with, stored, tmp_path):
    with local_web(hosts=8, pages=20) as web:
        thread = down_until_noticed(web, tmp_path / "crawl" / "log.jsonl", after=40)
        folder, tally = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first", retries=1)
        thread.join()
        assert stored(folder) == dict.fromkeys(web.all_urls(), 1)
    assert (tally.pages, states(folder)) == (160, {"done": 160})
    assert {"network-away", "network-back"} <= set(events(folder))


def test_failed_urls_return_with_resume(local_web, crawl_with):
    with local_web(hosts=1, pages=4) as web:
        web.is_down = True
        folder, tally = crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first", retries=0)
        assert (tally.pages, states(folder)) == (0, {"failed": 1})
        web.is_down = False
        tally = resume_crawl(folder, model=CountryModel(["nl", "en"]), reader=reader)
    assert tally.pages == 4


def reader(body: bytes, content_type: str | None, url: str | None) -> PageLabel:
    return PageLabel("nl" if b'lang="nl"' in body else "en", "Latn", "utf-8", 0.95)


def test_a_host_that_answers_everything_with_one_text_does_not_eat_the_crawl(local_web, crawl_with):
    """Its pages are in the language; each links to ten more of itself."""
    with local_web(hosts=2, pages=0) as web:
        trap, other = web.origin(1), web.origin(0)
        usual = web.answer

        def answer(local, path):
            if path == "/robots.txt":
                return usual(local, path)
            number = hash(path) % 10**6
            if local == web.address(1):
                links = [f"{trap}/{path.strip('/')[:40]}x{n}/" for n in range(10)]
                return 200, HTML, page(1, *links).replace(b"<body>", f"<body>{path} niet gevonden".encode())
            n = int(path.strip("/") or 0)
            return (
                200,
                HTML,
                page(number, *(f"{other}/{k}" for k in (2 * n + 1, 2 * n + 2) if k < 60), trap + "/"),
            )

        web.answer = answer
        folder, _ = crawl_with(seeds=(other + "/", trap + "/"), max_pages=150, sample=0, explore=0.0)
        with Ledger.open(folder) as ledger:
            totals = ledger.totals()
            pages = {row["host"]: row["pages"] for row in ledger.hosts()}
    assert pages[web.address(0) + f":{web.port}"] == 60
    assert pages[web.address(1) + f":{web.port}"] < 40
    assert 61 <= totals["unique"] <= 63


def test_session_parameters_are_found_by_their_effect(local_web, crawl_with):
    with local_web(hosts=1, pages=0) as web:
        origin, visits = web.origin(0), iter(range(10**6))
        usual = web.answer

        def answer(local, path):
            if path == "/robots.txt":
                return usual(local, path)
            number = int(path.strip("/").partition("?")[0] or 0)
            links = [f"{origin}/{(number * k + 1) % 40}?zz={next(visits)}" for k in (1, 2, 3)]
            return 200, HTML, page(number, *links)

        web.answer = answer
        folder, tally = crawl_with(seeds=(origin + "/1",), strategy="breadth-first", max_pages=200, sample=0)
    with Ledger.open(folder) as ledger:
        assert ledger.totals()["unique"] >= 38
    assert tally.pages < 80
    assert "session-parameter" in events(folder)


def test_pages_behind_a_redirector_are_found(local_web, crawl_with, stored):
    with local_web(hosts=2, pages=0) as web:
        hidden = web.origin(1)
        there = hidden.replace("://", "%3A%2F%2F")
        web.extra = {
            "/": (200, HTML, page(1, f"{web.origin(0)}/go?u={there}%2Fverborgen")),
            "/verborgen": (200, HTML, page(2)),
            "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /go\n"),
        }
        folder, _ = crawl_with(seeds=(web.origin(0) + "/",))
        assert f"{hidden}/verborgen" in stored(folder)


KILLER = """
import os, sys
from pathlib import Path
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.run.worker import Worker
from linksight.crawl.scoring.model_protocols import CountryModel
from linksight.results import PageLabel

def read(body, content_type, url):
    if url.endswith("/kills"):
        os._exit(9)
    return PageLabel("nl", "Latn", "utf-8", 0.95)

folder = Path(sys.argv[1])
Worker(folder, CrawlConfig.load(folder), CountryModel(["nl", "en"]), read).run()
"""


def test_a_page_that_kills_the_process_is_quarantined_after_three_times(local_web, tmp_path):
    with local_web(hosts=1, pages=0) as web:
        origin = web.origin(0)
        web.extra = {
            "/": (200, HTML, page(1, f"{origin}/kills", *(f"{origin}/{n}" for n in range(5)))),
            "/kills": (200, HTML, page(2)),
        } | {f"/{n}": (200, HTML, page(10 + n)) for n in range(5)}
        config = CrawlConfig(
            language="nl", seeds=(origin + "/",), strategy="breadth-first", delay=0.0, allow_private=True
        )
        config.save(tmp_path)
        codes = [
            subprocess.run(
                [sys.executable, "-c", KILLER, str(tmp_path)], env=os.environ | {"PYTHONPATH": "src"}
            ).returncode
            for _ in range(4)
        ]
        assert codes == [9, 9, 9, 0]
        assert states(tmp_path) == {"done": 6, "failed": 1}
        with Ledger.open(tmp_path) as ledger:
            assert "three processes" in why(ledger, f"{origin}/kills")["answer"]


def test_requests_that_wait_heed_a_pause_that_their_host_asks_for():
    async def run() -> None:
        pace = Pace(4)
        async with pace.turn("a.nl", 0.0, 0.0):
            pace.hold("a.nl", 60.0)
        with pytest.raises(Held):
            async with pace.turn("a.nl", 0.0, 0.0):
                pass
        async with pace.turn("b.nl", 0.0, 0.0):
            pass

    asyncio.run(run())


def test_pages_that_differ_in_their_address_alone_are_near_duplicates():
    def error(path: str) -> bytes:
        return (
            f"<p>De pagina {path} is niet gevonden op onze server, probeer het later nog eens.</p>".encode()
        )

    paths = ["/nieuws/een-lange-kop", "/sport/voetbal"]
    prints = [fingerprint(error(path), f"http://a.nl{path}") for path in paths]
    assert are_alike(*prints)
    assert not are_alike(fingerprint(page(1)), fingerprint(page(2)))
    novelty = Novelty()
    assert [novelty.observe("http://a.nl/x", value) for value in prints] == [False, True]


def test_a_folder_that_repeats_itself_sinks_before_its_host():
    """Months of a calendar without entries, beside news."""
    novelty = Novelty()
    for n in range(12):
        novelty.observe(f"http://www.a.nl/nieuws/{n}", fingerprint(page(n)))
        novelty.observe(f"http://www.a.nl/kalender/2026/{n}/?dag=1", fingerprint(page(99)))
    host, calendar = "a.nl", "http://a.nl/kalender/2027/4/?dag=9"
    assert novelty.log_odds(host, calendar) < -40 < novelty.log_odds(host) < -5
    assert novelty.log_odds(host, "http://a.nl/nieuws/99") > -1
    assert novelty.log_odds(host, "http://a.nl/elders?dag=2") < -20


def test_a_few_repeats_say_little_against_a_host_and_many_all():
    novelty = Novelty()
    found = []
    for n in range(30):
        novelty.observe(f"http://a.nl/{n}", fingerprint(page(1)))
        found.append(novelty.log_odds("a.nl"))
    assert found[0] == 0.0 > found[1] > -15 > found[5]
    assert found[-1] < -25


def test_days_and_times_make_no_new_page():
    texts = [
        f"<p>Kalender {n}-{n}-2026 {n}:30</p> Op deze dag is er niets te doen in ons dorp".encode()
        for n in (3, 14)
    ]
    assert fingerprint(texts[0]) == fingerprint(texts[1])
    assert fingerprint(b"factuur nummer 123456 betaald") != fingerprint(b"factuur nummer 654321 betaald")


def test_fields_that_change_together_are_found_and_the_one_that_counts_is_kept():
    """Filters of a shop beside the number of the product."""
    found, draw = SessionParameters(), random.Random(1)
    for n in range(40):
        id_, sort, show = n % 4, draw.randrange(5), draw.randrange(3)
        found.observe(
            "a.nl", f"http://a.nl/toon?id={id_}&sort={sort}&show={show}", 0xFFFF << 16 * id_ & (1 << 64) - 1
        )
    assert found.ignored("a.nl") == {"sort", "show"}


def test_a_first_page_is_no_session():
    """``?page=1`` is the same as no page at all, and ``?page=2`` is not."""
    found = SessionParameters()
    for n, folder in enumerate("abc"):
        for query in ("", "?page=1"):
            found.observe("a.nl", f"http://a.nl/{folder}{query}", 0xFFFF << 16 * n)
    assert not found.ignored("a.nl")
    found.observe("a.nl", "http://a.nl/a?page=2", 0xFFFF << 48)
    assert not found.ignored("a.nl")


@pytest.mark.parametrize(
    "body", [b"<script " * 20_000, b"<" * 120_000, b"<script>" * 15_000, bytes(range(256)) * 400]
)
def test_the_fingerprint_of_a_hostile_page_comes_to_an_end(body):
    assert fingerprint(body, "http://a.nl/") == fingerprint(body, "http://a.nl/")


def test_hostile_responses_end_no_worker(script, tmp_path):
    found = script("benchmarks/crawl_fuzz.py").fuzz(tmp_path, responses=250, seed=3)
    assert found["ended"] == 0
    assert found["asked"] >= 250
    assert found["unfinished"] == 0

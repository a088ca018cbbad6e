"""The pace of requests to one host: counted from when they really started, by one worker and by several."""

import asyncio
from itertools import pairwise

import pytest
from sqlalchemy import select
from twisted.internet.address import IPv4Address

from linksight.crawl.fetch import rate_limiter
from linksight.crawl.fetch.dns import AddressBook
from linksight.crawl.fetch.rate_limiter import Neighbours, Pace
from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.records import Found, Outcome
from linksight.crawl.frontier.sql_schema import State
from linksight.crawl.run.config import CrawlConfig
from linksight.results import Decision
from linksight.system.database import open_store


class Clock:
    """Time that passes only where somebody sleeps; the machine stops for ``stall`` seconds in the first sleep."""

    def __init__(self, stall: float = 0.0) -> None:
        self.now, self.stall = 100.0, stall
        self.sleepers: list[tuple[float, asyncio.Event]] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        mine = (self.now + seconds, asyncio.Event())
        self.sleepers.append(mine)
        await mine[1].wait()

    async def run(self, *work) -> None:
        """Do all the work, and let time pass whenever all of it waits."""
        tasks = [asyncio.ensure_future(one) for one in work]
        while not all(task.done() for task in tasks):
            for _ in range(20):
                await asyncio.sleep(0)
            if self.sleepers:
                first = min(self.sleepers, key=lambda sleeper: sleeper[0])
                self.sleepers.remove(first)
                self.now = max(self.now, first[0]) + self.stall
                self.stall = 0.0
                first[1].set()
        for task in tasks:
            task.result()


def starts(
    clock: Clock, due: list[float], gap: float, *, takes: float = 0.0, at_once: int = 4
) -> list[float]:
    """When requests start that are due at these moments."""
    pace, began = Pace(at_once, clock=clock, sleep=clock.sleep), []

    async def ask(moment: float) -> None:
        async with pace.turn("a.nl", moment, gap) as started:
            began.append(started)
            if takes:
                await clock.sleep(takes)

    asyncio.run(clock.run(*(ask(moment) for moment in due)))
    return began


def test_requests_in_time_start_as_planned():
    assert starts(Clock(), [101.0, 102.5, 104.0], 1.5) == [101.0, 102.5, 104.0]


def test_a_late_start_moves_the_next_ones():
    """The machine stops for 1.2 of 1.5 seconds before the first: the second keeps its distance all the same."""
    began = starts(Clock(stall=1.2), [101.0, 102.5, 104.0], 1.5)
    assert began[0] == pytest.approx(102.2)
    assert min(b - a for a, b in pairwise(began)) >= 1.5


@pytest.mark.parametrize("takes", [0.0, 0.7, 5.0])
@pytest.mark.parametrize("at_once", [1, 4])
def test_requests_that_are_due_at_once_are_spaced(takes, at_once):
    began = starts(Clock(), [100.0] * 5, 1.0, takes=takes, at_once=at_once)
    assert began[0] == 100.0
    assert min(b - a for a, b in pairwise(began)) >= max(1.0, takes if at_once == 1 else 0.0)


def test_without_a_gap_only_the_connections_bind():
    assert starts(Clock(), [100.0] * 6, 0.0, takes=2.0, at_once=3) == [100.0] * 3 + [102.0] * 3


def test_hosts_do_not_wait_for_one_another_and_are_forgotten(monkeypatch):
    monkeypatch.setattr(rate_limiter, "MAX_IDLE_HOSTS", 10)
    clock = Clock()
    pace, began = Pace(4, clock=clock, sleep=clock.sleep), []

    async def ask(name: str, due: float) -> None:
        async with pace.turn(name, due, 5.0) as started:
            began.append(started)

    asyncio.run(clock.run(*(ask(f"{n}.nl", 100.0) for n in range(30))))
    assert began == [100.0] * 30
    asyncio.run(clock.run(ask("last.nl", 200.0)))
    assert len(pace._hosts) == 1


@pytest.fixture
def workers(tmp_path):
    """Two workers of one crawl, and the clock that they go by."""
    now = [1000.0]
    config = CrawlConfig(language="nl", strategy="breadth-first", delay=2.0)
    engine = open_store(tmp_path / "crawl.db", sql_schema.metadata)
    made = [Frontier(engine, config, name, lambda: now[0]) for name in ("one", "two")]
    made[0].create()
    made[0].add([Found(f"http://a.nl/{n}", 0, Decision(True, 1.0, "seed")) for n in range(4)])
    yield *made, now
    engine.dispose()


def test_a_host_with_a_delay_is_one_workers_until_it_has_said_when_it_asked(workers):
    one, two, now = workers
    (job,) = one.claim(9)
    now[0] += 2.5  # by the plan the host could be asked again, but nobody knows yet when it was
    assert two.claim(9) == []
    assert two.outlook() == (None, 1)
    one.commit([Outcome(job, State.DONE, "seed", started=1001.4)], {})
    (next_,) = two.claim(9)
    assert next_.not_before == pytest.approx(1003.4)


def test_a_host_that_failed_is_not_asked_sooner_for_it(workers):
    one, _, now = workers
    (job,) = one.claim(9)
    now[0] += 1.0
    one.commit([Outcome(job, State.QUEUED, "seed", wait=0.05, started=1000.9)], {})
    now[0] += 1.0
    assert one.claim(9)[0].not_before == pytest.approx(1002.9)


def test_hosts_of_one_address_take_turns_from_their_first_requests_on():
    clock = Clock()
    pace, began = Pace(4, clock=clock, sleep=clock.sleep), {}

    async def ask(name: str, address: str, gap: float) -> None:
        async with pace.turn(name, 100.0, gap, Neighbours(address, 0.5)) as started:
            began.setdefault(name, []).append(started)

    hosts = [("a.nl", "1.1.1.1"), ("b.nl", "1.1.1.1"), ("c.nl", "2.2.2.2"), ("a.nl", "1.1.1.1")]
    asyncio.run(clock.run(*(ask(name, address, 3.0) for name, address in hosts)))
    assert began == {"a.nl": [100.0, 103.0], "b.nl": [100.5], "c.nl": [100.0]}


class Names:
    """Stands in for the names of the machine; counts how often it is asked."""

    def __init__(self, found: dict[str, list[str]]) -> None:
        self.nameResolver, self.found, self.asked = self, found, []

    def resolveHostName(self, receiver, name: str) -> None:
        self.asked.append(name)
        receiver.resolutionBegan(None)
        for host in self.found.get(name, ()):
            receiver.addressResolved(IPv4Address("TCP", host, 0))
        receiver.resolutionComplete()


def test_addresses_are_looked_up_once_and_names_that_lead_nowhere_have_none():
    names = Names({"a.nl": ["1.1.1.1", "3.3.3.3"], "b.nl": ["2.2.2.2"]})
    book = AddressBook(names, 60.0, max_names=2)

    async def ask(*wanted: str) -> list[str]:
        return [await book.address_of(name) for name in wanted]

    assert asyncio.run(ask("a.nl", "b.nl", "a.nl", "nergens.nl")) == ["1.1.1.1", "2.2.2.2", "1.1.1.1", ""]
    assert names.asked == ["a.nl", "b.nl", "nergens.nl"]


def test_a_name_that_nobody_answers_for_is_given_up_and_asked_for_again():
    names = Names({"a.nl": ["1.1.1.1"]})
    answer, names.resolveHostName = names.resolveHostName, lambda receiver, name: None

    async def ask() -> str:
        book = AddressBook(names, 0.01)
        with pytest.raises(TimeoutError):
            await book.address_of("a.nl")
        names.resolveHostName = answer
        return await book.address_of("a.nl")

    assert asyncio.run(ask()) == "1.1.1.1"


def test_a_name_service_that_is_away_is_told_from_a_name_that_leads_nowhere():
    names = Names({"a.nl": ["1.1.1.1"], "b.nl": ["2.2.2.2"]})

    async def ask() -> list[bool]:
        book = AddressBook(names, 60.0)
        found = [await book.has_service()]  # nothing is known
        for name in ("a.nl", "b.nl", "127.0.0.1", "[::1]"):
            book.note_answer(name)
        found.append(await book.has_service())
        names.found = {}
        return [*found, await book.has_service()]

    assert asyncio.run(ask()) == [True, True, False]
    assert set(names.asked) == {"a.nl", "b.nl"}


def test_an_address_is_asked_at_its_pace_though_its_hosts_are_new(local_web, crawl_with):
    """Three ports of one address are three hosts: their robots.txt and first pages are not asked for at once."""
    with (
        local_web(hosts=1, pages=1) as one,
        local_web(hosts=1, pages=1) as two,
        local_web(hosts=1, pages=1) as three,
    ):
        seeds = tuple(web.url(0, 0) for web in (one, two, three))
        folder, tally = crawl_with(
            seeds=seeds, strategy="breadth-first", delay_per_address=0.4, sample=0, archive_robots=True
        )
    assert tally.pages == 3
    with open_store(folder / "crawl.db", sql_schema.metadata).connect() as connection:
        asked = [
            row.fetched_at
            for table in (sql_schema.pages, sql_schema.archived)
            for row in connection.execute(select(table.c.fetched_at))
        ]
    assert len(asked) == 6
    assert min(b - a for a, b in pairwise(sorted(asked))) >= 0.39

"""The worker: claims URLs, has them fetched, digests the answers and commits, until all is done.

    claim -> second look -> robots.txt -> fetcher -> digest -> WARC + commit -> claim

It can be killed at any point: what is committed is whole, what is not is claimed again.
"""

from __future__ import annotations

import json
import signal
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

import linksight
from linksight.crawl import tables, warc
from linksight.crawl.addresses import canonical, origin_of, typed
from linksight.crawl.config import CrawlConfig
from linksight.crawl.digest import Answer, Digester
from linksight.crawl.frontier import Frontier
from linksight.crawl.jobs import Found, Job, Outcome
from linksight.crawl.judge import Judge, PageReader, UrlModel
from linksight.crawl.leases import Lease, new_worker_id
from linksight.crawl.outlinks import Outlink
from linksight.crawl.process import FetcherProcess
from linksight.crawl.robots import MAX_AGE, MAX_BYTES, Robots
from linksight.crawl.tables import Kind, State
from linksight.crawl.tally import Journal, Tally
from linksight.errors import StoreError
from linksight.memory import logit
from linksight.records import Decision
from linksight.store import open_store

GROUP = 48  #: answers that are committed together at most
PATIENCE = 0.1  #: seconds that the first of them waits for the others
GRACE = 4.0  #: seconds for requests under way when the worker is asked to stop
RECALLED = 200_000  #: pages that a resumed worker learns its memory from


def store_of(folder: Path, config: CrawlConfig) -> str:
    """Where the crawl's tables are."""
    return config.store or str(folder / "crawl.db")


class Worker:
    """One worker of the crawl in ``folder``."""

    def __init__(
        self,
        folder: Path,
        config: CrawlConfig,
        model: UrlModel,
        reader: PageReader,
        patterns: Any = None,
        on_progress: Callable[[Tally], None] | None = None,
    ) -> None:
        self.folder = folder
        self.config = config
        self.engine = open_store(store_of(folder, config), tables.metadata)
        self.frontier = Frontier(self.engine, config, new_worker_id())
        self.judge = Judge(config, model, patterns=patterns)
        self.digester = Digester(config, self.judge, reader, self.frontier)
        self.tally = Tally(config.language, config.strategy, self.frontier.worker)
        self.journal = Journal(folder, self.frontier.worker)
        self.on_progress = on_progress
        self.fetcher = FetcherProcess(config)
        self.writer = warc.WarcWriter(folder, self.frontier.worker, self._info(), config.warc_bytes)
        self.stopping = ""
        self._sent: dict[int, Job] = {}
        self._asked: dict[int, str] = {}  # requests for robots.txt, by their (negative) ids
        self._waiting: defaultdict[str, list[Job]] = defaultdict(list)  # by origin
        self._robots: OrderedDict[str, tuple[float, Robots]] = OrderedDict()
        self._answers: list[tuple[Job, Answer]] = []
        self._outcomes: list[Outcome] = []  # decided without a fetch
        self._first_answer = 0.0
        self._claim_at = 0.0
        self._ticks = 0.0
        self._serial = 0
        self._last_page = 0
        self._bonuses: dict[str, float] = {}

    def _info(self) -> dict[str, Any]:
        return {
            "software": f"linksight/{linksight.__version__}",
            "format": "WARC File Format 1.1",
            "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
            "robots": "obey" if self.config.robots else "ignore",
            "http-header-user-agent": self.config.user_agent,
            "linksight-config": json.dumps(self.config.shown(), ensure_ascii=False),
        }

    # -- life --------------------------------------------------------------------------------------

    def run(self) -> Tally:
        """Crawl until done, out of budget or asked to stop."""
        began = time.monotonic()
        self.frontier.create()
        with Lease(self.folder, self.frontier) as lease, _Signals(self):
            self._clean_up_after_the_dead(lease)
            self._recall()
            self._plant_seeds()
            self.fetcher.start()
            self.journal.note("start", config=self.config.shown(), language=self.config.language)
            try:
                self._loop(lease, began)
                self._drain()
            finally:
                self.fetcher.stop()
                self._give_back()
                self.writer.close()
                self.frontier.add_seconds(time.monotonic() - began)
                self.tally.phase = self.frontier.summary()["phase"]
                self._report_progress()
                self.journal.note("stop", reason=self.stopping or "done", **self.tally.as_dict())
        self.engine.dispose()
        return self.tally

    def stop(self, reason: str) -> None:
        """Ask the worker to end in good order; a second time, at once."""
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping = reason

    def _clean_up_after_the_dead(self, lease: Lease) -> None:
        dead = lease.reap()
        length = select(tables.warcs.c.length)

        def committed(name: str) -> int:
            with self.engine.connect() as connection:
                return int(connection.execute(length.where(tables.warcs.c.name == name)).scalar() or 0)

        cut = warc.repair(self.folder, lease.holds_lock, committed)
        if dead or cut:
            self.journal.note("recovered", workers=dead, files=cut)

    def _recall(self) -> None:
        """Learn again from the pages on record, by whichever worker."""
        p = tables.pages.c
        query = select(p.id, p.url, p.language, p.worker, p.predicted).where(p.id > self._last_page)
        with self.engine.connect() as connection:
            if not self._last_page:
                rows = list(reversed(connection.execute(query.order_by(p.id.desc()).limit(RECALLED)).all()))
            else:
                rows = list(connection.execute(query.order_by(p.id).limit(RECALLED)).all())
        for row in rows:
            if row.worker != self.frontier.worker:
                predicted = None if row.predicted is None else logit(row.predicted)
                self.judge.observe(row.url, row.language, predicted)
        self._last_page = rows[-1].id if rows else self._last_page

    def _plant_seeds(self) -> None:
        links = []
        for seed in self.config.seeds:
            links.append(Outlink(typed(seed)))
        judged = self.judge.links(links, 0)
        found = []
        for link, decision in zip(judged, self.judge.decide(judged), strict=True):
            # A seed is fetched whatever the strategy thinks of it: the user has spoken.
            decision = Decision(True, decision.priority, "seed", decision.evidence)
            refusal = self.digester.refusal(link.url, 0)
            if refusal:
                decision = Decision(False, 0.0, refusal)
                self.journal.note("seed-refused", url=link.url, reason=refusal)
            found.append(Found(link.url, 0, decision, link.memory, refused=bool(refusal)))
        self.frontier.add(found)

    # -- the loop ----------------------------------------------------------------------------------

    def _loop(self, lease: Lease, began: float) -> None:
        while not self.stopping:
            self._tick(lease, began)
            self._top_up()
            busy = bool(self._sent or self._asked)
            self._receive(PATIENCE / 2 if busy else 0.05)
            if self._is_time_to_commit():
                self._commit()
            if not self._busy() and not self._next_phase():
                break

    def _busy(self) -> bool:
        return bool(self._sent or self._asked or self._waiting or self._answers or self._outcomes)

    def _is_time_to_commit(self) -> bool:
        if not self._answers and not self._outcomes:
            return False
        idle = not self._sent and not self._asked
        return idle or len(self._answers) >= GROUP or time.monotonic() - self._first_answer > PATIENCE

    def _tick(self, lease: Lease, began: float) -> None:
        """What need not be done for every page: about once a second."""
        now = time.monotonic()
        if now - self._ticks < 1.0:
            return
        self._ticks = now
        lease.beat()
        lease.reap()
        self._recall()
        summary = self.frontier.summary()
        self.tally.phase = summary["phase"]
        self.frontier.sampling = summary["phase"] == "sampling"
        if summary["phase"] == "crawling" and self._over_budget(summary, now - began):
            self._begin_sampling()
        self._report_progress()
        self.journal.note("progress", **self.tally.as_dict())

    def _report_progress(self) -> None:
        self.tally.in_hand = len(self._sent)
        self.tally.write_metrics(self.folder)
        if self.on_progress is not None:
            self.on_progress(self.tally)

    def _over_budget(self, summary: dict[str, Any], here: float) -> bool:
        c = self.config
        seconds = summary["seconds"] + here
        return bool(
            (c.max_pages and summary["pages"] >= c.max_pages)
            or (c.max_bytes and summary["bytes"] >= c.max_bytes)
            or (c.max_seconds and seconds >= c.max_seconds)
        )

    def _next_phase(self) -> bool:
        """Nothing is in hand here: wait for a host's turn or other workers, or go on; False: done."""
        summary = self.frontier.summary()
        if summary["phase"] == "done":
            return False
        self.frontier.sampling = summary["phase"] == "sampling"
        out_of_budget = summary["phase"] == "crawling" and self._over_budget(summary, 0.0)
        turn = None if out_of_budget else self.frontier.next_turn()
        if turn is not None or self.frontier.claimed():
            wait = min(max((turn or 0.0) - self.frontier.clock(), 0.0), 0.5)
            if wait or turn is None:
                self._receive(wait or 0.2)
            self._claim_at = 0.0
            return True
        if summary["phase"] == "crawling":
            return self._begin_sampling()
        self.frontier.set_phase("sampling", "done")
        return False

    def _begin_sampling(self) -> bool:
        """Crawling is over: fetch a sample of what was rejected, to learn what was missed."""
        if self.frontier.set_phase("crawling", "sampling"):
            pages = self.frontier.summary()["pages"]
            drawn = (
                self.frontier.draw_sample(min(self.config.sample, max(10, pages // 4)))
                if self.config.sample
                else 0
            )
            self.journal.note("sampling", drawn=drawn)
        self.frontier.sampling = True
        self._claim_at = 0.0
        return True

    def _top_up(self) -> None:
        """Claim more as soon as a good part of the fetcher's room is free."""
        in_hand = len(self._sent) + sum(map(len, self._waiting.values())) + len(self._answers)
        room = 2 * self.config.concurrency - in_hand
        now = time.monotonic()
        if (room < self.config.concurrency // 2 and in_hand) or now < self._claim_at:
            return
        room = min(room, self._pages_left())
        jobs = self.frontier.claim(room) if room > 0 else []
        if len(jobs) < room:
            self._claim_at = now + 0.05  # the queue has no more just now
        for job in jobs:
            self._dispatch(job)

    def _pages_left(self) -> int:
        """How many pages may still be claimed by anybody."""
        if not self.config.max_pages or self.frontier.sampling:
            return 1 << 30
        left = self.config.max_pages - int(self.frontier.summary()["pages"])
        return left - self.frontier.claimed() if left < 1_000_000 else left

    def _dispatch(self, job: Job) -> None:
        wanted = job.sampled or job.kind == Kind.SITEMAP or job.reason in ("seed", "exploring", "redirect")
        if not wanted and not self.judge.still_wanted(job.url, job.base, job.evidence):
            self._decided(Outcome(job, State.REJECTED, "site-turned"))
            return
        if not self.config.robots:
            self._send(job)
            return
        rules = self._rules(origin_of(job.url))
        if rules is None:
            self._ask_robots(job)
        elif rules.allows(job.url):
            self._send(job)
        else:
            self._decided(Outcome(job, State.REFUSED, "robots"))

    def _send(self, job: Job) -> None:
        self._sent[job.id] = job
        self.fetcher.send({"id": job.id, "url": job.url, "host": job.host, "at": job.not_before})

    def _decided(self, outcome: Outcome) -> None:
        self._first_answer = self._first_answer or time.monotonic()
        self._outcomes.append(outcome)

    def _receive(self, timeout: float) -> None:
        frames = self.fetcher.receive(timeout)
        if frames is None:
            self._restart_fetcher()
            return
        for head, body in frames:
            answer = Answer(
                status=head.get("status", 0),
                headers=tuple((name, value) for name, value in head.get("headers", ())),
                body=body,
                address=head.get("address", ""),
                error=head.get("error", ""),
                detail=head.get("detail", ""),
                at=head["began"],
            )
            if head["id"] < 0:
                self._robots_came(self._asked.pop(head["id"]), answer)
            elif job := self._sent.pop(head["id"], None):
                self._first_answer = self._first_answer or time.monotonic()
                self._answers.append((job, answer))

    def _restart_fetcher(self) -> None:
        self.fetcher.stop()
        self.fetcher.start()
        self.journal.note("fetcher-restarted", times=self.fetcher.starts)
        for job in self._sent.values():
            self.fetcher.send({"id": job.id, "url": job.url, "host": job.host, "at": job.not_before})
        for id_, origin in self._asked.items():
            self._send_robots(id_, origin)

    # -- robots.txt --------------------------------------------------------------------------------

    def _rules(self, origin: str) -> Robots | None:
        known = self._robots.get(origin)
        now = self.frontier.clock()
        if known is None and origin not in self._waiting:
            row = self.frontier.robots_of(origin)
            if row and row[0] > now - MAX_AGE:
                known = self._robots[origin] = (row[0], Robots.read(row[1], row[2]))
        if known is None or known[0] < now - MAX_AGE:
            return None
        while len(self._robots) > 10_000:
            self._robots.popitem(last=False)
        return known[1]

    def _ask_robots(self, job: Job) -> None:
        origin = origin_of(job.url)
        first = origin not in self._waiting
        self._waiting[origin].append(job)
        if first:
            self._serial -= 1
            self._asked[self._serial] = origin
            self._send_robots(self._serial, origin)

    def _send_robots(self, id_: int, origin: str) -> None:
        self.fetcher.send({"id": id_, "url": f"{origin}/robots.txt", "host": origin, "at": 0.0})

    def _robots_came(self, origin: str, answer: Answer) -> None:
        jobs = self._waiting.pop(origin, [])
        if not jobs:
            return
        target = canonical(answer.header("location"), f"{origin}/") if 300 <= answer.status < 400 else None
        if target and target.endswith("/robots.txt") and origin_of(target) != origin:
            # A host that sends its visitors elsewhere, mostly to https: that one's rules are asked for there.
            answer = Answer(status=404, at=answer.at)
        if answer.error:
            # The host cannot be reached: for its pages too, this was a failed try.
            self._answers += [(job, answer) for job in jobs]
            self._first_answer = self._first_answer or time.monotonic()
            return
        body = answer.body[:MAX_BYTES].decode("utf-8", "replace").replace("\x00", "")
        rules = Robots.read(answer.status, body)
        delay = max(self.config.delay, rules.delay)
        self.frontier.save_robots(origin, answer.status, body, jobs[0].host, delay)
        self._robots[origin] = (self.frontier.clock(), rules)
        if rules.closed:
            failed = Answer(error="robots-unavailable", at=answer.at)
            self._answers += [(job, failed) for job in jobs]
            return
        self._add_sitemaps(rules, jobs[0])
        # The host may want to be asked more slowly than its URLs were booked.
        now_or_later = jobs if delay <= self.config.delay else jobs[:1]
        for job in now_or_later:
            self._dispatch(job)
        self.frontier.release(jobs[len(now_or_later) :], wait=delay)

    def _add_sitemaps(self, rules: Robots, job: Job) -> None:
        if not self.config.sitemaps:
            return
        found = []
        for raw in rules.sitemaps:
            url = canonical(raw, job.url)
            if url and origin_of(url).split("//")[1] == origin_of(job.url).split("//")[1]:
                decision = Decision(True, job.base + job.bonus - 0.1, "sitemap")
                found.append(Found(url, 0, decision, job.bonus, job.id, Kind.SITEMAP))
        self.frontier.add(found)

    # -- committing --------------------------------------------------------------------------------

    def _commit(self) -> None:
        answers, self._answers = self._answers, []
        outcomes, self._outcomes = self._outcomes, []
        self._first_answer = 0.0
        outcomes += self.digester.digest(answers)
        bonuses = self._new_bonuses(outcome.job.host for outcome in outcomes if outcome.page)
        mine = self._with_retries(outcomes, bonuses)
        self.tally.count(mine)
        self.tally.reasons.update(self.digester.left_out)
        self.digester.left_out.clear()
        for host, bonus in bonuses.items():
            if bonus > self._bonuses.get(host, 0.0) + 0.5:
                self._bonuses[host] = bonus
                self.tally.reasons["second-chance"] += self.frontier.revive(host, bonus, self.judge.bar)
        while len(self._bonuses) > 50_000:
            self._bonuses.pop(next(iter(self._bonuses)))

    def _new_bonuses(self, hosts: Iterable[str]) -> dict[str, float]:
        return {host: self.judge.bonus(host) for host in set(hosts)} if self.judge.learns_sites else {}

    def _with_retries(self, outcomes: list[Outcome], bonuses: dict[str, float]) -> list[Outcome]:
        for attempt in range(4):
            try:
                return self.frontier.commit(outcomes, bonuses, self.writer)
            except SQLAlchemyError as error:
                # A lost connection or a deadlock: nothing was written, or all of it, in which case
                # the URLs are no longer ours and the next try writes nothing.
                if attempt == 3:
                    raise StoreError(f"the database refuses the crawl's pages: {error}") from error
                self.journal.note("commit-retried", error=str(error)[:300])
                time.sleep(0.2 * 2**attempt)
        raise AssertionError("unreachable")

    def _drain(self) -> None:
        """Asked to stop: take what is nearly there."""
        until = time.monotonic() + GRACE
        while self.stopping and self._sent and time.monotonic() < until:
            self._receive(0.1)
        if self._answers or self._outcomes:
            self._commit()

    def _give_back(self) -> None:
        left = [*self._sent.values(), *(job for jobs in self._waiting.values() for job in jobs)]
        left += [job for job, _ in self._answers] + [outcome.job for outcome in self._outcomes]
        self.frontier.release(left)


class _Signals:
    """SIGINT and SIGTERM ask the worker to stop, where this is the main thread."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._before: dict[int, Any] = {}

    def __enter__(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                self._before[number] = signal.signal(number, self._asked)
            except ValueError:  # not the main thread: whoever started us decides
                return

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _asked(self, number: int, _: Any) -> None:
        self._worker.stop(signal.Signals(number).name)

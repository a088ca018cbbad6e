"""Requests in flight: what a worker has under way, from the claim to the answer.

    job -> second look -> robots.txt, asked once an origin -> fetcher -> answer

Answers, and outcomes that need no fetch, gather here until the worker commits them.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import replace
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from linksight.crawl.archive.http_messages import head_of
from linksight.crawl.archive.warc_writer import WarcWriter
from linksight.crawl.fetch.fetcher_client import FetcherProcess
from linksight.crawl.fetch.outage import MAX_PAUSE, NETWORK_ERRORS, NO_DNS, OutageWatch
from linksight.crawl.fetch.response import CUT, Answer, beginning, conditions, exchange_of
from linksight.crawl.fetch.robots import (
    MAX_AGE,
    MAX_BYTES,
    MAX_HOPS,
    FetchedRobots,
    Robots,
    RobotsRequest,
    names_of,
    rules_text,
)
from linksight.crawl.frontier import states
from linksight.crawl.frontier.dequeue import HORIZON
from linksight.crawl.frontier.enqueue import PUT_OFF_BASE
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.records import HOPS, Found, Job, Outcome, listing
from linksight.crawl.frontier.sql_schema import Kind, State
from linksight.crawl.monitor.stats import Journal
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring import inlinks
from linksight.crawl.scoring.link_scorer import Judge
from linksight.crawl.urls.url_normalize import canonical, digest_of, host_key, origin_of
from linksight.errors import CrawlError
from linksight.results import Decision
from linksight.urls.parser import site_of

#: Reasons to fetch that nothing learnt since can take back.
_LASTING = ("seed", "exploring", "redirect", "lost-record", "retried", states.DUE_AGAIN)
LIKELY_REPEATS = 1 / 3  #: probability of a near-duplicate above which a page is put off
MAX_REPEATS = 0.8  #: above which it is rejected
#: Errors behind a redirect of robots.txt that are no sign of a host in trouble.
_LEADS_NOWHERE = ("private-address", "scheme")


class Errands:
    """Jobs with the fetcher, jobs that wait for robots.txt, and what has come back."""

    def __init__(
        self, config: CrawlConfig, frontier: Frontier, judge: Judge, writer: WarcWriter, journal: Journal
    ) -> None:
        self.config = config
        self.frontier = frontier
        self.judge = judge
        self.writer = writer
        self.journal = journal
        self.fetcher = FetcherProcess(config)
        self.answers: list[tuple[Job, Answer]] = []
        self.outcomes: list[Outcome] = []  #: decided without a fetch
        self.since = 0.0  #: when the first of those came; 0: there are none
        self._sent: dict[int, Job] = {}
        self._asked: dict[int, RobotsRequest] = {}  # by their (negative) ids
        self._waiting: defaultdict[str, list[Job]] = defaultdict(list)  # by origin
        self._robots: OrderedDict[str, tuple[float, Robots]] = OrderedDict()
        self._listed: OrderedDict[str, int] = OrderedDict()  # how far origins were when their sitemaps came
        self._unread: deque[tuple[dict[str, Any], bytes]] = deque()
        self._serial = 0
        self.outage = OutageWatch()
        self._doubtful: list[tuple[Job, Answer]] = []  # failures that may be the network's
        self._probes: dict[int, str] = {}  # hosts that are asked whether there is a network, by id
        self._next_dns_note = 0.0  # the log has a line for each MAX_PAUSE seconds without a name service
        self._due: dict[int, float] = {}  # when requests were to start
        self._alone: deque[Job] = deque()  # sent one by one: one of them may have killed the fetcher
        self._crashes: Counter[int] = Counter()

    # -- what is in hand ---------------------------------------------------------------------------

    @property
    def under_way(self) -> int:
        """Requests for pages that the fetcher has."""
        return len(self._sent)

    @property
    def is_fetching(self) -> bool:
        """Whether an answer is to be expected."""
        return bool(self._sent or self._asked)

    @property
    def is_busy(self) -> bool:
        """Whether anything is in hand."""
        held = self._waiting or self._doubtful or self.outage.is_suspected
        return bool(self.is_fetching or held or self.answers or self.outcomes)

    def jobs(self) -> list[Job]:
        """All jobs in hand."""
        held = [*self._sent.values(), *(job for jobs in self._waiting.values() for job in jobs)]
        held += [job for job, _ in (*self.answers, *self._doubtful)]
        return held + [outcome.job for outcome in self.outcomes]

    def take(self) -> tuple[list[tuple[Job, Answer]], list[Outcome]]:
        """Hand over what has come."""
        taken = self.answers, self.outcomes
        self.answers, self.outcomes, self.since = [], [], 0.0
        return taken

    # -- out and back ------------------------------------------------------------------------------

    def dispatch(self, job: Job) -> None:
        """Set a claimed job on its way; an exception costs the job alone."""
        try:
            self._dispatch(job)
        except (SQLAlchemyError, OSError, CrawlError):
            raise
        except Exception as error:
            self.journal.note_error("processing-error", error, url=job.url)
            self._decided(Outcome(job, State.DONE, "processing-error", type(error).__name__))

    def _dispatch(self, job: Job) -> None:
        if plain := self._without_session(job):
            self._decided(plain)
            return
        wanted = job.sampled or job.kind != Kind.PAGE or job.reason in _LASTING
        if not wanted and (outcome := self._reconsidered(job)):
            self._decided(outcome)
            return
        if not self.config.robots:
            self._send(job)
            return
        rules = self._rules(origin_of(job.url))
        if rules is None:
            self._ask_robots(job)
        elif rules.allows(job.url):
            self._list(rules, job)
            self._send(job)
        else:
            self._decided(Outcome(job, State.REFUSED, "robots"))

    def _reconsidered(self, job: Job) -> Outcome | None:
        """What becomes of a job that is not fetched now, by what was learnt since it was queued."""
        was_put_off = job.base < PUT_OFF_BASE / 2
        base = job.base - PUT_OFF_BASE if was_put_off else job.base
        repeats = self.judge.repeats(job.url)
        if repeats > MAX_REPEATS or not self.judge.still_wanted(job.url, base, job.evidence):
            return Outcome(job, State.REJECTED, "site-turned")
        if repeats > LIKELY_REPEATS and not was_put_off:
            return Outcome(job, State.QUEUED, job.reason, counts=False, base=base + PUT_OFF_BASE)
        return None

    def receive(self, timeout: float) -> None:
        """Take in the answers that come within ``timeout`` seconds."""
        frames = self.fetcher.receive(0.0 if self._unread else timeout)
        if frames is None:
            self._restart_fetcher()
            return
        self._unread.extend(frames)
        while self._unread:
            # Off the list first: should the database fail, the others are still there to be read.
            head, body = self._unread.popleft()
            head.setdefault("began", time.time())
            asked, came, body = _parts(head, body)
            answer = Answer(
                request=asked,
                response=came,
                status=head.get("status", 0),
                headers=tuple((name, value) for name, value in head.get("headers", ())),
                body=body,
                address=head.get("address", ""),
                error=head.get("error", ""),
                detail=head.get("detail", ""),
                cut=head.get("cut", ""),
                at=head["began"],
                started=self.frontier.clock() - (time.monotonic() - head["started"]),
                took=head.get("took", 0.0),
            )
            self._take_in(head["id"], answer)
        self._probe()

    def _take_in(self, id_: int, answer: Answer) -> None:
        """One answer: for a page, a robots.txt or a probe of the network."""
        self._due.pop(id_, None)
        if id_ in self._probes:
            host = self._probes.pop(id_)
            if answer.error in NETWORK_ERRORS:
                self.outage.probe_failed(host)
                if self.outage.is_confirmed:
                    self._release_doubtful()
            else:
                self._network_is_up(host, f"http://{host}/")
        elif id_ < 0:
            if id_ in self._asked and not answer.error:
                request = self._asked[id_]
                self._network_is_up(host_key(request.url), request.url)
            self._robots_came(id_, answer)
        elif job := self._sent.pop(id_, None):
            if self._alone and job is self._alone[0]:
                self._alone.popleft()
                self._send_next_alone()
            if answer.error == "held":
                self.frontier.release([job])
                return
            if not answer.error:
                self._network_is_up(job.host, job.url)
            self._answered(job, answer)

    # -- the network -------------------------------------------------------------------------------

    def _network_is_up(self, host: str, url: str) -> None:
        """Somebody answers: failures before this were those of their hosts."""
        if self.outage.is_confirmed:
            self.journal.note("network-back")
        self.outage.answered(host, url)
        doubtful, self._doubtful = self._doubtful, []
        for job, answer in doubtful:
            self._keep(job, answer)

    def _release_doubtful(self) -> None:
        """No host answers: what failed goes back to the queue as if it had not been asked for."""
        if self._doubtful:
            self.journal.note("network-away", urls=len(self._doubtful))
            doubtful, self._doubtful = self._doubtful, []
            self.frontier.release([job for job, _ in doubtful])

    def _probe(self) -> None:
        """Ask hosts that answered before, where failures may be those of the network."""
        if self.outage.is_suspected:
            if self.outage.is_confirmed:
                self._release_doubtful()
            for url in self.outage.probes():
                self._serial -= 1
                self._probes[self._serial] = host_key(url)
                self._to_fetcher(self._serial, f"{origin_of(url)}/robots.txt", host_key(url), 0.0)
        elif self._doubtful and not self.is_fetching:
            # Nobody else can answer: these are failures of their hosts.
            doubtful, self._doubtful = self._doubtful, []
            for job, answer in doubtful:
                self._keep(job, answer)

    def _send(self, job: Job, wait: float = 0.0) -> None:
        self._sent[job.id] = job
        wait = max(wait, job.not_before - self.frontier.clock())
        gap = self._gap(origin_of(job.url))
        headers = conditions(job) if self.config.revisits else {}
        self._to_fetcher(job.id, job.url, job.host, gap, wait, headers)

    def _to_fetcher(
        self,
        id_: int,
        url: str,
        host: str,
        gap: float,
        wait: float = 0.0,
        headers: dict[str, str] | None = None,
    ) -> None:
        # By the clock that nobody can set: the wall clock may be set meanwhile.
        due = time.monotonic() + wait
        self._due[id_] = due
        self.fetcher.send(
            {"id": id_, "url": url, "host": host, "due": due, "gap": gap, "headers": headers or {}}
        )

    def _gap(self, origin: str) -> float:
        """Seconds between two requests to a host, as far as is known."""
        known = self._robots.get(origin)
        return max(self.config.delay, known[1].delay if known else 0.0)

    def _answered(self, job: Job, answer: Answer) -> None:
        if answer.error == NO_DNS:  # hosts with an open connection may go on to answer
            self.outage.failed(job.host)
            if time.monotonic() > self._next_dns_note:
                self._next_dns_note = time.monotonic() + MAX_PAUSE
                self.journal.note(NO_DNS, url=job.url)
            self.frontier.release([job], wait=MAX_PAUSE)
        elif answer.error in NETWORK_ERRORS:
            self.outage.failed(job.host)
            self._doubtful.append((job, answer))
        else:
            self._keep(job, answer)

    def _keep(self, job: Job, answer: Answer) -> None:
        self.since = self.since or time.monotonic()
        self.answers.append((job, answer))

    def _decided(self, outcome: Outcome) -> None:
        self.since = self.since or time.monotonic()
        self.outcomes.append(outcome)

    def _restart_fetcher(self) -> None:
        self.fetcher.stop()
        self.fetcher.start()
        self.journal.note("fetcher-restarted", times=self.fetcher.starts)
        now = time.monotonic()
        self._alone.clear()
        for host in self._probes.values():
            self.outage.probe_failed(host)
        self._probes.clear()
        # The new one does not know when the old one asked last: a full gap lies in between.
        for job in list(self._sent.values()):
            if self._due.get(job.id, 0.0) > now:
                self._send(job, self._gap(origin_of(job.url)))
                continue
            self._crashes[job.id] += 1
            if job.crashes + self._crashes[job.id] >= states.MAX_CRASHES:
                del self._sent[job.id]
                self.journal.note("quarantined", url=job.url)
                self._decided(Outcome(job, State.FAILED, states.QUARANTINED))
            else:
                self._alone.append(job)
        self._send_next_alone()
        for id_, request in self._asked.items():
            self._send_for_robots(id_, request, self._gap(origin_of(request.url)))

    def _send_next_alone(self) -> None:
        """Send the next of the requests that were under way when the fetcher died."""
        if self._alone:
            job = self._alone[0]
            self._send(job, self._gap(origin_of(job.url)))

    def _without_session(self, job: Job) -> Outcome | None:
        """The URL without the query fields that change nothing on its host, as a link of its own."""
        plain = self.judge.sessions.strip(job.host, job.url)
        if plain == job.url or HOPS in job.evidence or job.kind != Kind.PAGE or job.sampled:
            return None
        decision = Decision(True, job.base + job.bonus, job.reason, job.evidence)
        found = Found(plain, job.depth, decision, job.bonus, job.id, seed=job.seed)
        return Outcome(job, State.REFUSED, "session-parameter", found=[found])

    # -- robots.txt --------------------------------------------------------------------------------

    def _rules(self, origin: str) -> Robots | None:
        known = self._robots.get(origin)
        now = self.frontier.clock()
        if known is None and origin not in self._waiting:
            row = self.frontier.robots_of(origin)
            # One that could not be read is asked for again: the host may be well by now.
            if row and row[0] > now - MAX_AGE and not (rules := self._read(row[1], row[2])).closed:
                known = self._robots[origin] = (row[0], rules)
        if known is None or known[0] < now - MAX_AGE:
            return None
        while len(self._robots) > 10_000:
            self._robots.popitem(last=False)
        return known[1]

    def _read(self, status: int, body: str) -> Robots:
        return Robots.read(status, body, names_of(self.config.user_agent))

    def _ask_robots(self, job: Job) -> None:
        origin = origin_of(job.url)
        first = origin not in self._waiting
        self._waiting[origin].append(job)
        if first:
            self._request_robots(RobotsRequest(origin, f"{origin}/robots.txt"))

    def _request_robots(self, request: RobotsRequest) -> None:
        self._serial -= 1
        self._asked[self._serial] = request
        self._send_for_robots(self._serial, request)

    def _send_for_robots(self, id_: int, request: RobotsRequest, wait: float = 0.0) -> None:
        url = request.url
        self._to_fetcher(id_, url, host_key(url), self._gap(origin_of(url)), wait)

    def _robots_came(self, id_: int, answer: Answer) -> None:
        request = self._asked.pop(id_)
        jobs = list(self._waiting.get(request.origin, ()))
        try:
            self._heed_robots(request, answer)
        except Exception as error:
            self._waiting.pop(request.origin, None)
            if isinstance(
                error, (SQLAlchemyError, OSError)
            ):  # the store or the disk: the worker deals with it
                raise
            # Rules that cannot be processed may forbid anything: the jobs that wait for them fail.
            self.journal.note_error("processing-error", error, url=request.url)
            held = {job.id for job in self.jobs()}
            trouble = Answer(error="robots-unavailable", detail=type(error).__name__, at=answer.at)
            self._fail([job for job in jobs if job.id not in held], trouble)
        except BaseException:
            # The store is away: nobody asks on for those that wait, so they are no longer in hand, and are given back.
            self._waiting.pop(request.origin, None)
            raise

    def _heed_robots(self, request: RobotsRequest, answer: Answer) -> None:
        """Follow a redirect; at its end the jobs that waited for the rules go on, or share in the trouble."""
        if request.origin in self._waiting and (forwarded := self._forwarded(request, answer)):
            self._keep_hop(request, answer)
            known = self.frontier.robots_of(origin_of(forwarded.url))
            if not (known and forwarded.is_known_by(*known, self.frontier.clock())):
                self._request_robots(forwarded)
                return
            request, answer = forwarded, Answer(known[1], body=known[2].encode(), at=answer.at)
        jobs = self._waiting.pop(request.origin, [])
        if not jobs:
            return
        answer = _as_it_counts(request, answer)
        if answer.error:
            # The host cannot be reached: for its pages too, this was a failed try.
            self._fail(jobs, answer)
            return
        rules, delay = self._keep_robots(request, answer, jobs[0].host)
        if rules.closed:
            told = f"status {answer.status}"
            self._fail(jobs, replace(answer, status=0, body=b"", error="robots-unavailable", detail=told))
            return
        self._add_sitemaps(rules, min(jobs, key=lambda job: job.depth))
        self._go_on(jobs, delay)

    def _fail(self, jobs: list[Job], answer: Answer) -> None:
        for job in jobs:
            self._answered(job, answer)

    def _go_on(self, jobs: list[Job], delay: float) -> None:
        """Send those that waited, as far as their host's turns allow.

        robots.txt was the host's turn. Its next one may be later than its URLs were booked for, and so late
        that others should have the room meanwhile.
        """
        if delay > HORIZON:
            self.frontier.release(jobs, wait=delay)
            return
        now_or_later = jobs if delay <= self.config.delay else jobs[:1]
        for job in now_or_later:
            self.dispatch(job)
        self.frontier.release(jobs[len(now_or_later) :], wait=2 * delay)

    def _forwarded(self, request: RobotsRequest, answer: Answer) -> RobotsRequest | None:
        """Where a redirect of robots.txt leads; what it says there holds for the host that redirects."""
        if not 300 <= answer.status < 400 or request.hops >= MAX_HOPS:
            return None
        target = canonical(answer.addresses("location"), request.url)
        if target is None or target == request.url:
            return None
        return RobotsRequest(request.origin, target, request.hops + 1)

    def _keep_robots(self, request: RobotsRequest, answer: Answer, host: str) -> tuple[Robots, float]:
        packed = answer.header("content-encoding")
        body = rules_text(beginning(answer.body, packed, MAX_BYTES))
        rules = self._read(answer.status, body)
        delay = max(self.config.delay, rules.delay)
        exchange = exchange_of(request.url, answer, self.config.user_agent) if answer.started else None
        fetched = FetchedRobots(request.origin, answer.status, body, answer.mime, exchange)
        self.frontier.save_robots(fetched, host, delay, self.writer if self.config.archive_robots else None)
        told = [request.origin]
        if request.hops and answer.started and request.url == f"{origin_of(request.url)}/robots.txt":
            # Where one redirects to another's, mostly to https or www., that one need not be asked again.
            told.append(origin_of(request.url))
            also = FetchedRobots(told[1], answer.status, body, answer.mime)
            self.frontier.save_robots(also, host_key(request.url), delay)
        if not rules.closed:
            self._robots |= dict.fromkeys(told, (self.frontier.clock(), rules))
        return rules, delay

    def _keep_hop(self, request: RobotsRequest, answer: Answer) -> None:
        if self.config.archive_robots:
            exchange = exchange_of(request.url, answer, self.config.user_agent)
            about = {"status": answer.status, "mime": answer.mime}
            with self.frontier.writing(self.writer) as connection:
                self.frontier.archive(exchange, about, connection, self.writer)

    def _add_sitemaps(self, rules: Robots, job: Job) -> None:
        if not self.config.sitemaps:
            return
        self._listed[origin_of(job.url)] = job.depth
        while len(self._listed) > 10_000:
            self._listed.popitem(last=False)
        decision = Decision(True, job.base + job.bonus - 0.1, "sitemap")
        # Also at other hosts, with www. or without it, or of a service that keeps them for many sites.
        urls = [url for url in dict.fromkeys(canonical(raw, job.url) for raw in rules.sitemaps) if url]
        known = self.frontier.known(digest_of(url) for url in urls)
        found = []
        for url in urls:
            met = known.get(digest_of(url))
            heard = inlinks.heard(met.heard if met else "", site_of(job.url))
            one = listing(url, job.depth, decision, job, self.config, heard)
            found.append(replace(one, again=met is not None and (met.waits or met.is_too_deep)))
        if found:
            self.frontier.add(found)

    def _list(self, rules: Robots, job: Job) -> None:
        """The sitemaps of a host whose rules came with another's, or were known before; again where a page of it is nearer now."""
        if job.sampled:
            return
        before = self._listed.get(origin_of(job.url))
        if before is None or (self.config.max_depth and job.depth < before):
            self._add_sitemaps(rules, job)


def _parts(head: dict[str, Any], data: bytes) -> tuple[bytes, bytes, bytes]:
    """Request, response and body of a frame; a body that was not sent by itself is the end of the response."""
    n_asked, n_came, n_body = head.get("sizes", (0, 0, len(data)))
    asked, came = data[:n_asked], data[n_asked : n_asked + n_came]
    return asked, came, data[n_asked + n_came :] if n_body or not came else came[len(head_of(came)) :]


def _as_it_counts(request: RobotsRequest, answer: Answer) -> Answer:
    """What an answer for robots.txt comes to: half of it is none, and a redirect that leads nowhere forbids nothing."""
    if answer.cut == "disconnect" and 200 <= answer.status < 300:
        # What is missing may be what is forbidden.
        return Answer(error="download", detail=CUT, at=answer.at, started=answer.started)
    if request.hops and answer.error in _LEADS_NOWHERE:
        return Answer(404, at=answer.at, started=answer.started)
    return answer

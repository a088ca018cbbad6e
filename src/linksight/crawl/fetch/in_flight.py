"""Requests in flight: a worker's claimed URLs, from the claim to the response.

    job -> reconsidered by newer evidence -> robots.txt, once per origin -> fetcher -> response

Responses, and outcomes that need no fetch, collect here until the worker commits them.
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
from linksight.crawl.fetch.outage import MAX_PAUSE_SECONDS, NETWORK_ERRORS, NO_DNS, OutageWatch
from linksight.crawl.fetch.response import CUT, Answer, beginning, conditions, exchange_of
from linksight.crawl.fetch.robots import (
    MAX_AGE_SECONDS,
    MAX_HOPS,
    MAX_ROBOTS_BYTES,
    FetchedRobots,
    Robots,
    RobotsRequest,
    names_of,
    rules_text,
)
from linksight.crawl.frontier import states
from linksight.crawl.frontier.dequeue import HORIZON_SECONDS
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

#: Reasons to fetch that newer evidence does not revoke.
_FINAL_REASONS = ("seed", "exploring", "redirect", "lost-record", "retried", states.DUE_AGAIN)
DEFER_PROBABILITY = 1 / 3  #: of a near-duplicate, above which a page is deferred
REJECT_PROBABILITY = 0.8  #: of a near-duplicate, above which it is rejected
#: Errors behind a redirect of robots.txt that do not mean that the host fails.
_DEAD_REDIRECT_ERRORS = ("private-address", "scheme")


class Errands:
    """Jobs at the fetcher, jobs that wait for robots.txt, and finished jobs."""

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
        self.outcomes: list[Outcome] = []  #: of jobs that need no fetch
        self.since = 0.0  #: time of the first of those; 0: there are none
        self._sent: dict[int, Job] = {}
        self._robots_requests: dict[int, RobotsRequest] = {}  # by their (negative) ids
        self._waiting: defaultdict[str, list[Job]] = defaultdict(list)  # by origin
        self._robots: OrderedDict[str, tuple[float, Robots]] = OrderedDict()
        # depth of origins when their sitemaps were queued
        self._sitemap_depths: OrderedDict[str, int] = OrderedDict()
        self._unread: deque[tuple[dict[str, Any], bytes]] = deque()
        self._serial = 0
        self.outage = OutageWatch()
        self._suspect_failures: list[tuple[Job, Answer]] = []  # failures that the network may have caused
        self._probes: dict[int, str] = {}  # hosts that are probed for a network outage, by id
        self._next_dns_note = 0.0  # at most one log line in MAX_PAUSE_SECONDS without a name service
        self._due: dict[int, float] = {}  # planned starts of requests
        self._retried: deque[Job] = deque()  # sent one by one: one of them may have killed the fetcher
        self._crashes: Counter[int] = Counter()

    # -- state -------------------------------------------------------------------------------------

    @property
    def under_way(self) -> int:
        """Number of page requests at the fetcher."""
        return len(self._sent)

    @property
    def is_fetching(self) -> bool:
        """Whether a response is expected."""
        return bool(self._sent or self._robots_requests)

    @property
    def is_busy(self) -> bool:
        """Whether any job is unfinished or uncommitted."""
        held = self._waiting or self._suspect_failures or self.outage.is_suspected
        return bool(self.is_fetching or held or self.answers or self.outcomes)

    def jobs(self) -> list[Job]:
        """All jobs that are unfinished or uncommitted."""
        held = [*self._sent.values(), *(job for jobs in self._waiting.values() for job in jobs)]
        held += [job for job, _ in (*self.answers, *self._suspect_failures)]
        return held + [outcome.job for outcome in self.outcomes]

    def take(self) -> tuple[list[tuple[Job, Answer]], list[Outcome]]:
        """Return the collected responses and outcomes, and clear them."""
        results = self.answers, self.outcomes
        self.answers, self.outcomes, self.since = [], [], 0.0
        return results

    # -- dispatch and receive ----------------------------------------------------------------------

    def dispatch(self, job: Job) -> None:
        """Dispatch a claimed job; an exception fails this job only."""
        try:
            self._dispatch(job)
        except (SQLAlchemyError, OSError, CrawlError):
            raise
        except Exception as error:
            self.journal.note_error("processing-error", error, url=job.url)
            self._add_outcome(Outcome(job, State.DONE, "processing-error", type(error).__name__))

    def _dispatch(self, job: Job) -> None:
        if outcome := self._session_outcome(job):
            self._add_outcome(outcome)
            return
        wanted = job.sampled or job.kind != Kind.PAGE or job.reason in _FINAL_REASONS
        if not wanted and (outcome := self._outcome_if_unwanted(job)):
            self._add_outcome(outcome)
            return
        if not self.config.robots:
            self._send(job)
            return
        rules = self._known_rules(origin_of(job.url))
        if rules is None:
            self._wait_for_robots(job)
        elif rules.allows(job.url):
            self._add_known_sitemaps(rules, job)
            self._send(job)
        else:
            self._add_outcome(Outcome(job, State.REFUSED, "robots"))

    def _outcome_if_unwanted(self, job: Job) -> Outcome | None:
        """The outcome of a job that newer evidence rejects or defers; None: fetch it."""
        was_deferred = job.base < PUT_OFF_BASE / 2
        base = job.base - PUT_OFF_BASE if was_deferred else job.base
        repeats = self.judge.repeats(job.url)
        if repeats > REJECT_PROBABILITY or not self.judge.still_wanted(job.url, base, job.evidence):
            return Outcome(job, State.REJECTED, "site-turned")
        if repeats > DEFER_PROBABILITY and not was_deferred:
            return Outcome(job, State.QUEUED, job.reason, counts=False, base=base + PUT_OFF_BASE)
        return None

    def receive(self, timeout: float) -> None:
        """Process the responses that arrive within ``timeout`` seconds."""
        frames = self.fetcher.receive(0.0 if self._unread else timeout)
        if frames is None:
            self._restart_fetcher()
            return
        self._unread.extend(frames)
        while self._unread:
            # Removed first: if the database fails, the other frames stay in the list.
            head, body = self._unread.popleft()
            head.setdefault("began", time.time())
            request, response, body = _split_frame(head, body)
            answer = Answer(
                request=request,
                response=response,
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
            self._handle_answer(head["id"], answer)
        self._probe()

    def _handle_answer(self, id_: int, answer: Answer) -> None:
        """Handle one response: to a page, a robots.txt or a network probe."""
        self._due.pop(id_, None)
        if id_ in self._probes:
            host = self._probes.pop(id_)
            if answer.error in NETWORK_ERRORS:
                self.outage.probe_failed(host)
                if self.outage.is_confirmed:
                    self._release_suspect_failures()
            else:
                self._network_is_up(host, f"http://{host}/")
        elif id_ < 0:
            if id_ in self._robots_requests and not answer.error:
                request = self._robots_requests[id_]
                self._network_is_up(host_key(request.url), request.url)
            self._handle_robots(id_, answer)
        elif job := self._sent.pop(id_, None):
            if self._retried and job is self._retried[0]:
                self._retried.popleft()
                self._send_next_retried()
            if answer.error == "held":
                self.frontier.release([job])
                return
            if not answer.error:
                self._network_is_up(job.host, job.url)
            self._route_answer(job, answer)

    # -- the network -------------------------------------------------------------------------------

    def _network_is_up(self, host: str, url: str) -> None:
        """A host answered: the earlier failures were those of their hosts."""
        if self.outage.is_confirmed:
            self.journal.note("network-back")
        self.outage.answered(host, url)
        failures, self._suspect_failures = self._suspect_failures, []
        for job, answer in failures:
            self._add_answer(job, answer)

    def _release_suspect_failures(self) -> None:
        """No host answers: failed jobs go back to the queue without counting as attempts."""
        if self._suspect_failures:
            self.journal.note("network-away", urls=len(self._suspect_failures))
            failures, self._suspect_failures = self._suspect_failures, []
            self.frontier.release([job for job, _ in failures])

    def _probe(self) -> None:
        """Probe hosts that answered before, if the network may have failed."""
        if self.outage.is_suspected:
            if self.outage.is_confirmed:
                self._release_suspect_failures()
            for url in self.outage.probes():
                self._serial -= 1
                self._probes[self._serial] = host_key(url)
                self._to_fetcher(self._serial, f"{origin_of(url)}/robots.txt", host_key(url), 0.0)
        elif self._suspect_failures and not self.is_fetching:
            # No other host can be probed: these are failures of their hosts.
            failures, self._suspect_failures = self._suspect_failures, []
            for job, answer in failures:
                self._add_answer(job, answer)

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
        # Monotonic time: the wall clock may be set meanwhile.
        due = time.monotonic() + wait
        self._due[id_] = due
        self.fetcher.send(
            {"id": id_, "url": url, "host": host, "due": due, "gap": gap, "headers": headers or {}}
        )

    def _gap(self, origin: str) -> float:
        """Seconds between two requests to a host, by its robots.txt if that is known."""
        known = self._robots.get(origin)
        return max(self.config.delay, known[1].delay if known else 0.0)

    def _route_answer(self, job: Job, answer: Answer) -> None:
        if answer.error == NO_DNS:  # hosts with an open connection may go on to answer
            self.outage.failed(job.host)
            if time.monotonic() > self._next_dns_note:
                self._next_dns_note = time.monotonic() + MAX_PAUSE_SECONDS
                self.journal.note(NO_DNS, url=job.url)
            self.frontier.release([job], wait=MAX_PAUSE_SECONDS)
        elif answer.error in NETWORK_ERRORS:
            self.outage.failed(job.host)
            self._suspect_failures.append((job, answer))
        else:
            self._add_answer(job, answer)

    def _add_answer(self, job: Job, answer: Answer) -> None:
        self.since = self.since or time.monotonic()
        self.answers.append((job, answer))

    def _add_outcome(self, outcome: Outcome) -> None:
        self.since = self.since or time.monotonic()
        self.outcomes.append(outcome)

    def _restart_fetcher(self) -> None:
        self.fetcher.stop()
        self.fetcher.start()
        self.journal.note("fetcher-restarted", times=self.fetcher.starts)
        now = time.monotonic()
        self._retried.clear()
        for host in self._probes.values():
            self.outage.probe_failed(host)
        self._probes.clear()
        # The new fetcher does not know the old one's last request: a full delay lies in between.
        for job in list(self._sent.values()):
            if self._due.get(job.id, 0.0) > now:
                self._send(job, self._gap(origin_of(job.url)))
                continue
            self._crashes[job.id] += 1
            if job.crashes + self._crashes[job.id] >= states.MAX_CRASHES:
                del self._sent[job.id]
                self.journal.note("quarantined", url=job.url)
                self._add_outcome(Outcome(job, State.FAILED, states.QUARANTINED))
            else:
                self._retried.append(job)
        self._send_next_retried()
        for id_, request in self._robots_requests.items():
            self._send_for_robots(id_, request, self._gap(origin_of(request.url)))

    def _send_next_retried(self) -> None:
        """Send the next of the requests that were under way when the fetcher died."""
        if self._retried:
            job = self._retried[0]
            self._send(job, self._gap(origin_of(job.url)))

    def _session_outcome(self, job: Job) -> Outcome | None:
        """Replace a URL that has session parameters by a link without them."""
        plain = self.judge.sessions.strip(job.host, job.url)
        if plain == job.url or HOPS in job.evidence or job.kind != Kind.PAGE or job.sampled:
            return None
        decision = Decision(True, job.base + job.bonus, job.reason, job.evidence)
        found = Found(plain, job.depth, decision, job.bonus, job.id, seed=job.seed)
        return Outcome(job, State.REFUSED, "session-parameter", found=[found])

    # -- robots.txt --------------------------------------------------------------------------------

    def _known_rules(self, origin: str) -> Robots | None:
        known = self._robots.get(origin)
        now = self.frontier.clock()
        if known is None and origin not in self._waiting:
            row = self.frontier.robots_of(origin)
            # An unavailable robots.txt is fetched again: the host may have recovered.
            if row and row[0] > now - MAX_AGE_SECONDS and not (rules := self._read(row[1], row[2])).closed:
                known = self._robots[origin] = (row[0], rules)
        if known is None or known[0] < now - MAX_AGE_SECONDS:
            return None
        while len(self._robots) > 10_000:
            self._robots.popitem(last=False)
        return known[1]

    def _read(self, status: int, body: str) -> Robots:
        return Robots.read(status, body, names_of(self.config.user_agent))

    def _wait_for_robots(self, job: Job) -> None:
        origin = origin_of(job.url)
        first = origin not in self._waiting
        self._waiting[origin].append(job)
        if first:
            self._request_robots(RobotsRequest(origin, f"{origin}/robots.txt"))

    def _request_robots(self, request: RobotsRequest) -> None:
        self._serial -= 1
        self._robots_requests[self._serial] = request
        self._send_for_robots(self._serial, request)

    def _send_for_robots(self, id_: int, request: RobotsRequest, wait: float = 0.0) -> None:
        url = request.url
        self._to_fetcher(id_, url, host_key(url), self._gap(origin_of(url)), wait)

    def _handle_robots(self, id_: int, answer: Answer) -> None:
        request = self._robots_requests.pop(id_)
        jobs = list(self._waiting.get(request.origin, ()))
        try:
            self._apply_robots(request, answer)
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
            # The database is unavailable: the waiting jobs are dropped here, and released later.
            self._waiting.pop(request.origin, None)
            raise

    def _apply_robots(self, request: RobotsRequest, answer: Answer) -> None:
        """Follow a redirect; at its end dispatch the jobs that waited for the rules, or fail them."""
        if request.origin in self._waiting and (forwarded := self._redirect_request(request, answer)):
            self._archive_hop(request, answer)
            known = self.frontier.robots_of(origin_of(forwarded.url))
            if not (known and forwarded.is_known_by(*known, self.frontier.clock())):
                self._request_robots(forwarded)
                return
            request, answer = forwarded, Answer(known[1], body=known[2].encode(), at=answer.at)
        jobs = self._waiting.pop(request.origin, [])
        if not jobs:
            return
        answer = _effective_answer(request, answer)
        if answer.error:
            # The host is unreachable: this counts as a failed attempt for its pages too.
            self._fail(jobs, answer)
            return
        rules, delay = self._store_robots(request, answer, jobs[0].host)
        if rules.closed:
            status = f"status {answer.status}"
            self._fail(jobs, replace(answer, status=0, body=b"", error="robots-unavailable", detail=status))
            return
        self._add_sitemaps(rules, min(jobs, key=lambda job: job.depth))
        self._dispatch_waiting(jobs, delay)

    def _fail(self, jobs: list[Job], answer: Answer) -> None:
        for job in jobs:
            self._route_answer(job, answer)

    def _dispatch_waiting(self, jobs: list[Job], delay: float) -> None:
        """Dispatch the jobs that waited for robots.txt, as far as the host's delay allows.

        The request for robots.txt used the host's turn. If its next turn is beyond the horizon, the jobs go
        back to the queue, so that other hosts can use the slots.
        """
        if delay > HORIZON_SECONDS:
            self.frontier.release(jobs, wait=delay)
            return
        dispatched = jobs if delay <= self.config.delay else jobs[:1]
        for job in dispatched:
            self.dispatch(job)
        self.frontier.release(jobs[len(dispatched) :], wait=2 * delay)

    def _redirect_request(self, request: RobotsRequest, answer: Answer) -> RobotsRequest | None:
        """The request for the target of a robots.txt redirect; its rules apply to the redirecting host."""
        if not 300 <= answer.status < 400 or request.hops >= MAX_HOPS:
            return None
        target = canonical(answer.addresses("location"), request.url)
        if target is None or target == request.url:
            return None
        return RobotsRequest(request.origin, target, request.hops + 1)

    def _store_robots(self, request: RobotsRequest, answer: Answer, host: str) -> tuple[Robots, float]:
        packed = answer.header("content-encoding")
        body = rules_text(beginning(answer.body, packed, MAX_ROBOTS_BYTES))
        rules = self._read(answer.status, body)
        delay = max(self.config.delay, rules.delay)
        exchange = exchange_of(request.url, answer, self.config.user_agent) if answer.started else None
        fetched = FetchedRobots(request.origin, answer.status, body, answer.mime, exchange)
        self.frontier.save_robots(fetched, host, delay, self.writer if self.config.archive_robots else None)
        origins = [request.origin]
        if request.hops and answer.started and request.url == f"{origin_of(request.url)}/robots.txt":
            # If it redirects to another origin's robots.txt, mostly https or www., that one is known too.
            origins.append(origin_of(request.url))
            also = FetchedRobots(origins[1], answer.status, body, answer.mime)
            self.frontier.save_robots(also, host_key(request.url), delay)
        if not rules.closed:
            self._robots |= dict.fromkeys(origins, (self.frontier.clock(), rules))
        return rules, delay

    def _archive_hop(self, request: RobotsRequest, answer: Answer) -> None:
        if self.config.archive_robots:
            exchange = exchange_of(request.url, answer, self.config.user_agent)
            about = {"status": answer.status, "mime": answer.mime}
            with self.frontier.writing(self.writer) as connection:
                self.frontier.archive(exchange, about, connection, self.writer)

    def _add_sitemaps(self, rules: Robots, job: Job) -> None:
        if not self.config.sitemaps:
            return
        self._sitemap_depths[origin_of(job.url)] = job.depth
        while len(self._sitemap_depths) > 10_000:
            self._sitemap_depths.popitem(last=False)
        decision = Decision(True, job.base + job.bonus - 0.1, "sitemap")
        # Sitemaps may be on other hosts, with or without www., or at a hosting service.
        urls = [url for url in dict.fromkeys(canonical(raw, job.url) for raw in rules.sitemaps) if url]
        known = self.frontier.known(digest_of(url) for url in urls)
        found = []
        for url in urls:
            seen = known.get(digest_of(url))
            sites = inlinks.add_site(seen.heard if seen else "", site_of(job.url))
            sitemap = listing(url, job.depth, decision, job, self.config, sites)
            found.append(replace(sitemap, again=seen is not None and (seen.waits or seen.is_too_deep)))
        if found:
            self.frontier.add(found)

    def _add_known_sitemaps(self, rules: Robots, job: Job) -> None:
        """Queue the sitemaps of a host whose rules are known; again if a page of it is nearer to the seeds now."""
        if job.sampled:
            return
        before = self._sitemap_depths.get(origin_of(job.url))
        if before is None or (self.config.max_depth and job.depth < before):
            self._add_sitemaps(rules, job)


def _split_frame(head: dict[str, Any], data: bytes) -> tuple[bytes, bytes, bytes]:
    """Request, response and body of a frame; a body that was not sent separately is the end of the response."""
    n_request, n_response, n_body = head.get("sizes", (0, 0, len(data)))
    request, response = data[:n_request], data[n_request : n_request + n_response]
    body = data[n_request + n_response :] if n_body or not response else response[len(head_of(response)) :]
    return request, response, body


def _effective_answer(request: RobotsRequest, answer: Answer) -> Answer:
    """The response to apply for robots.txt: a truncated file is an error, a dead redirect allows everything."""
    if answer.cut == "disconnect" and 200 <= answer.status < 300:
        # The missing part may hold the rules that forbid.
        return Answer(error="download", detail=CUT, at=answer.at, started=answer.started)
    if request.hops and answer.error in _DEAD_REDIRECT_ERRORS:
        return Answer(404, at=answer.at, started=answer.started)
    return answer

"""Response processing: an answer of the fetcher becomes an outcome for the frontier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from http import HTTPStatus
from itertools import islice
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from linksight.crawl.extract.embedded_urls import embedded_url
from linksight.crawl.extract.links import (
    Outlink,
    for_us,
    forbids_following,
    header_links,
    outlinks,
    refresh_links,
    sitemap_links,
)
from linksight.crawl.extract.requisites import of_style_sheet, requisites
from linksight.crawl.fetch.outage import HOST_ERRORS
from linksight.crawl.fetch.response import (
    CUT,
    Answer,
    beginning,
    exchange_of,
    page_exchange,
    page_row,
    unpacked,
)
from linksight.crawl.fetch.robots import names_of
from linksight.crawl.frontier.enqueue import REQUISITE_BASE
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.records import HOPS, LEADS_TO, TOO_DEEP, Found, Job, Known, Outcome, listing
from linksight.crawl.frontier.sql_schema import Kind, State
from linksight.crawl.monitor.stats import Journal
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.scoring import inlinks
from linksight.crawl.scoring.inlinks import RecentUrls
from linksight.crawl.scoring.link_scorer import Judge
from linksight.crawl.scoring.model_protocols import PageReader
from linksight.crawl.urls.near_duplicates import as_signed, fingerprint
from linksight.crawl.urls.pagination_trap import Counters
from linksight.crawl.urls.url_filters import refusal_of
from linksight.crawl.urls.url_normalize import canonical, digest_of, host_key
from linksight.results import UND, Decision, PageLabel
from linksight.urls.parser import site_of

MAX_HOPS = 10  #: redirects in a row
MAX_BACKOFF = 600.0
MAX_SITEMAPS = 500  #: that one sitemap may name
MAX_FEEDS = 3  #: of a front page that are read: the news, the comments, and one more
FEED = "feed"  #: the reason of a feed
REQUISITE = "requisite"
OWN_COLUMNS = ("id", "url_id", "worker", "warc", "offset", "length", "original")  #: of each row of ``pages``
PROCESSING_ERROR = "processing-error"  #: the reason of a response that raised while it was processed
EXPLORING = "exploring"  #: the reason of what is fetched against the odds
#: Parts of the types that pages come with, and of those that have "xml" in their names and are none.
_PAGE_TYPES, _OTHER_TYPES = ("html", "xml", "text/plain"), ("image/", "openxmlformats")

Linked = tuple[Outcome, list[Outlink], PageLabel | None]  #: a page with its links and what it is in


class Digester:
    """Reads pages, finds their links and has them judged."""

    def __init__(
        self,
        config: CrawlConfig,
        judge: Judge,
        reader: PageReader,
        frontier: Frontier,
        journal: Journal | None = None,
    ) -> None:
        self.config = config
        self.judge = judge
        self.reader = reader
        self.frontier = frontier
        self.journal = journal
        self.on_process: Callable[[int], None] = lambda url_id: None  #: is given the URL that is processed
        self.fresh_sessions: dict[int, frozenset[str]] = {}  #: session parameters to be stored, by host
        self.left_out: Counter[str] = Counter()  #: links that never came to a decision, by reason
        self._seen = RecentUrls(200_000)
        self._counters = Counters()
        self._names = names_of(config.user_agent)

    def digest(self, answers: Sequence[tuple[Job, Answer]]) -> list[Outcome]:
        """Outcomes, with the links of all pages judged together.

        An exception costs the response that raised it; only errors of the store go to the caller.
        """
        outcomes: list[Outcome] = []
        waiting: list[Linked] = []
        answer_of: dict[int, Answer] = {}
        for job, answer in answers:
            answer_of[job.id] = answer
            links: list[Outlink] = []
            label: PageLabel | None = None
            self.on_process(job.id)
            try:
                outcome, links, label = self._outcome(job, answer)
            except SQLAlchemyError:
                raise
            except Exception as error:  # whatever a page can raise, the other pages do not pay for it
                outcome = Outcome(job, State.DONE, PROCESSING_ERROR, address=answer.address)
                self._note_error(outcome, answer, error)
            outcome.started, outcome.answer = answer.started, answer
            outcomes.append(outcome)
            if links and not job.sampled:
                waiting.append((outcome, links, label))
        self.on_process(0)
        for outcome, cause in self._judge(waiting):
            self._note_error(outcome, answer_of[outcome.job.id], cause)
        return outcomes

    def _note_error(self, outcome: Outcome, answer: Answer, error: Exception) -> None:
        """Record an exception as the outcome of a response, keep the response, and log the traceback."""
        outcome.state, outcome.reason = State.DONE, PROCESSING_ERROR
        told = f"{type(error).__name__}: {error}"[:300]
        outcome.problem = "".join(letter for letter in told if letter.isprintable())
        outcome.found = []
        if answer.status and outcome.exchange is None:
            outcome.exchange = exchange_of(outcome.job.url, answer, self.config.user_agent)
        if answer.status and outcome.page is None:
            outcome.archived = {"status": answer.status, "mime": answer.mime}
        self._log(outcome.job.url, error)

    def _log(self, url: str, error: Exception) -> None:
        if self.journal is not None:
            self.journal.note_error(PROCESSING_ERROR, error, url=url)

    def _judge(self, waiting: Sequence[Linked]) -> list[tuple[Outcome, Exception]]:
        """Judge the links of all pages together; where that raises, page by page. Returns the pages that raise."""
        found = [len(outcome.found) for outcome, _, _ in waiting]
        left_out = self.left_out.copy()
        try:
            self._judge_together(waiting)
            return []
        except SQLAlchemyError:
            raise
        except Exception:
            self.left_out = left_out
            self.forget()
        errors: list[tuple[Outcome, Exception]] = []
        for one, n_found in zip(waiting, found, strict=True):
            outcome = one[0]
            del outcome.found[n_found:]
            try:
                self._judge_together([one])
            except SQLAlchemyError:
                raise
            except Exception as error:
                del outcome.found[n_found:]
                errors.append((outcome, error))
                self.forget()  # its links are not on record: another page may name them
        return errors

    def _judge_together(self, waiting: Sequence[Linked]) -> None:
        self._judge_links([one for one in waiting if not self._is_last(one[0].job)])
        self._keep_far([one for one in waiting if self._is_last(one[0].job)])

    def forget(self) -> None:
        """What was met lately may not have come to the database: meet it again."""
        self._seen = RecentUrls(200_000)

    # -- one answer --------------------------------------------------------------------------------

    def _outcome(self, job: Job, answer: Answer) -> tuple[Outcome, list[Outlink], PageLabel | None]:
        """What became of a job, with the links of its page and what that is in, where it was one."""
        if answer.error:
            return self._failure(job, answer, answer.error), [], None
        if answer.status in (429, 503) or answer.status >= 500:
            return self._archived(self._failure(job, answer, f"status-{answer.status}"), answer), [], None
        if answer.status == HTTPStatus.NOT_MODIFIED and job.previous:
            return self._unmodified(job, job.previous, answer), [], None
        if 300 <= answer.status < 400 and answer.header("location"):
            return self._redirect(job, answer), [], None
        if not 200 <= answer.status < 300:
            outcome = Outcome(job, State.DONE, f"status-{answer.status}", address=answer.address)
            return self._archived(outcome, answer), [], None
        if answer.cut == "disconnect" and job.attempts < self.config.retries:
            # Some servers always promise too much: what comes in the last try is kept, and marked.
            return self._failure(job, replace(answer, detail=CUT), "download"), [], None
        body = unpacked(answer.body, answer.header("content-encoding"), self.config.max_page_bytes)
        if body is None:  # only its beginning is read; it is archived as it came
            body = beginning(answer.body, answer.header("content-encoding"), self.config.max_page_bytes)
        if job.kind == Kind.SITEMAP:
            return self._sitemap(job, answer, body)
        if job.kind == Kind.REQUISITE:
            return self._requisite(job, answer, body), [], None
        if answer.mime and not _is_page(answer.mime):
            return self._not_a_page(job, answer), [], None
        return self._page(job, answer, body)

    def _archived(self, outcome: Outcome, answer: Answer) -> Outcome:
        """The outcome with its response, where error responses are archived too."""
        if self.config.keep_errors:
            outcome.exchange = exchange_of(outcome.job.url, answer, self.config.user_agent)
            outcome.archived = {"status": answer.status, "mime": answer.mime}
        return outcome

    def _page(self, job: Job, answer: Answer, body: bytes) -> tuple[Outcome, list[Outlink], PageLabel]:
        """A page: it is read, its links are found, and the judge learns what it was."""
        label = self.reader(body, answer.header("content-type") or None, job.url)
        text = fingerprint(body, job.url)
        is_duplicate = self.judge.novelty.observe(job.url, text)
        for field in self.judge.sessions.observe(job.host, job.url, text):
            if self.journal is not None:
                self.journal.note("session-parameter", host=job.host, field=field)
            self.fresh_sessions[job.host_id] = self.judge.sessions.ignored(job.host)
        links = [] if job.sampled else self._links(job, answer, body, label.encoding)
        if links and self._counters.has_run_on(job.host, body, job.depth):
            self.left_out["trap-counter"] += len(links)
            links = []
        if not is_duplicate:
            self.judge.observe(job.url, label.language, job.log_odds)
        outcome = Outcome(job, State.DONE, job.reason, address=answer.address)
        outcome.found += self._feeds(job, links, label)
        links = [link for link in links if not link.is_feed]
        outcome.page = page_row(job, answer, label, len(links))
        outcome.page |= {"simhash": as_signed(text), "duplicate": is_duplicate}
        if self.config.keep == "all" or label.language in self.config.languages:
            outcome.exchange = page_exchange(job, answer, label, self.config, outcome.page["predicted"])
        if self.config.requisites and outcome.exchange is not None and not job.sampled:
            outcome.found += self._wanted_requisites(job, requisites(body, job.url, label.encoding))
        return outcome, links, label

    def _unmodified(self, job: Job, previous: dict[str, Any], answer: Answer) -> Outcome:
        """The answer to a conditional request: the page is as it was."""
        outcome = Outcome(job, State.DONE, job.reason, address=answer.address)
        page = {name: value for name, value in previous.items() if name not in OWN_COLUMNS}
        changed = {"fetched_at": answer.at, "status": answer.status, "reason": job.reason}
        outcome.page = page | changed | {"address": answer.address, "duplicate": False}
        exchange = exchange_of(job.url, answer, self.config.user_agent)
        outcome.exchange = replace(exchange, payload=page["digest"], is_unmodified=True)
        return outcome

    def _requisite(self, job: Job, answer: Answer, body: bytes) -> Outcome:
        """A style sheet, script, image or font: archived, with what a style sheet needs itself."""
        outcome = Outcome(job, State.DONE, REQUISITE, address=answer.address)
        outcome.exchange = exchange_of(job.url, answer, self.config.user_agent)
        outcome.archived = {"status": answer.status, "mime": answer.mime}
        if "css" in answer.mime and job.evidence.get(HOPS, 0) < MAX_HOPS:
            outcome.found += self._wanted_requisites(job, of_style_sheet(body, job.url))
        return outcome

    def _wanted_requisites(self, job: Job, urls: Sequence[str]) -> list[Found]:
        """Requisites as links that are fetched before the pages, also from other hosts."""
        hops = job.evidence.get(HOPS, 0) + 1 if job.kind == Kind.REQUISITE else 0
        decision = Decision(True, REQUISITE_BASE, REQUISITE, {HOPS: hops} if hops else {})
        allowed = (url for url in urls if not self._barred(url, Kind.REQUISITE, 0))
        return [
            Found(url, job.depth, decision, 0.0, job.id, Kind.REQUISITE, seed=job.seed) for url in allowed
        ]

    def _feeds(self, job: Job, links: list[Outlink], label: PageLabel) -> list[Found]:
        """The feeds of a front page in the language, which are read as sitemaps are."""
        if self.judge.learns_sites and label.language not in self.judge.targets:
            return []
        named = [link.url for link in links if link.is_feed and site_of(link.url) == site_of(job.url)]
        allowed = [url for url in named if not self._barred(url, Kind.SITEMAP, 0)][:MAX_FEEDS]
        decision = Decision(True, job.base + job.bonus - 0.1, FEED)
        return [listing(url, job.depth, decision, job, self.config) for url in allowed]

    def _names_feeds(self, job: Job) -> bool:
        """Whether feeds are looked for on a page: only on front pages, as others mostly name that of their comments."""
        is_front = job.depth == 0 or (job.url.count("/") == 3 and job.url.endswith("/"))
        return self.config.sitemaps and is_front

    def _links(self, job: Job, answer: Answer, body: bytes, encoding: str) -> list[Outlink]:
        """The links of a page and of its headers, each URL once."""
        told = answer.headers_named("x-robots-tag")
        if any(forbids_following(for_us(header, self._names)) for header in told):
            return []
        url, most = job.url, self.config.max_links
        feeds = self._names_feeds(job)
        links: list[Outlink] = []
        if "text/plain" not in answer.mime:
            links = outlinks(body, url, encoding, most, feeds=feeds, names=self._names)
        named = header_links(answer.addresses("link"), url)
        if named := named + refresh_links(answer.addresses("refresh"), url):
            known = {url} | {link.url for link in links}
            fresh = {link.url: link for link in named if link.url not in known}
            links += list(fresh.values())[: max(most - len(links), 0)]
        return self._with_embedded(links, url)

    def _with_embedded(self, links: list[Outlink], url: str) -> list[Outlink]:
        """The links without session parameters, and the URLs inside of them as links of their own; each once."""
        found: dict[str, Outlink] = {}
        for link in links:
            plain = self.judge.sessions.strip(host_key(link.url), link.url)
            found.setdefault(plain, link if plain == link.url else replace(link, url=plain))
        for link in list(found.values()):
            if inner := embedded_url(link.url):
                found.setdefault(inner, Outlink(inner, link.anchor, link.hreflang))
        found.pop(url, None)
        return list(found.values())

    def _redirect(self, job: Job, answer: Answer) -> Outcome:
        """A redirect: where it leads is a link as far from the seeds as itself."""
        outcome = Outcome(job, State.DONE, "redirect", address=answer.address)
        nothing = PageLabel(UND, "Zyyy", "", 0.0)
        if job.kind == Kind.REQUISITE:
            outcome.exchange = exchange_of(job.url, answer, self.config.user_agent)
            outcome.archived = {"status": answer.status, "mime": answer.mime}
        elif self.config.keep == "all":
            outcome.page = page_row(job, answer, nothing, 1) | {"reason": "redirect"}
            outcome.exchange = page_exchange(job, answer, nothing, self.config)
        target = canonical(answer.addresses("location"), job.url)
        plain = self.judge.sessions.strip(host_key(target), target) if target else target
        target = target if plain == job.url else plain  # a host may insist on its session
        outcome.problem = LEADS_TO + (target or repr(answer.addresses("location")))[:300]
        hops = job.evidence.get(HOPS, 0) + 1
        if not target or hops > MAX_HOPS or self._barred(target, job.kind, job.depth):
            return outcome
        decision, memory = self._decision_behind(job, target)
        decision = replace(decision, evidence=decision.evidence | {HOPS: hops})
        links = [Outlink(target)]
        known = self._known([] if job.sampled else links)
        again = any(met.waits or met.is_too_deep for met in known.values())
        # A sitemap that has moved speaks for the sites that it spoke for, wherever it is now.
        heard = inlinks.add_site(job.heard, site_of(job.url)) if job.kind == Kind.SITEMAP else ""
        found = Found(
            target,
            job.depth,
            decision,
            memory,
            job.id,
            job.kind,
            sampled=job.sampled,
            again=again,
            heard=heard,
            seed=job.seed,
        )
        outcome.found.append(found)
        return outcome

    def _decision_behind(self, job: Job, target: str) -> tuple[Decision, float]:
        """What to do with the target of a redirect, and the host's bonus that this counts in."""
        if job.sampled:  # what was drawn is where it leads; a target that is known stands for itself
            return Decision(True, 0.0, "sampled-redirect"), 0.0
        if job.kind == Kind.REQUISITE:
            return Decision(True, REQUISITE_BASE, REQUISITE), 0.0
        if job.kind == Kind.SITEMAP:
            return Decision(True, job.base + job.bonus, FEED if job.reason == FEED else "sitemap"), job.bonus
        link = replace(self.judge.links([Outlink(target)], job.depth)[0], behind=job.evidence)
        decision = self.judge.decide([link])[0]
        if job.reason == EXPLORING and not decision.fetch:  # what was to be learnt is there
            decision = replace(decision, fetch=True, reason=EXPLORING)
        return decision, link.memory

    def _failure(self, job: Job, answer: Answer, reason: str) -> Outcome:
        lasting = reason in ("private-address", "too-large", "scheme")
        # A host that answered before and fails again and again is to blame, and not its URLs.
        of_host = reason in HOST_ERRORS and job.host_answered and job.failures > 0
        outcome = Outcome(job, State.FAILED, reason, answer.detail or None, answer.address)
        if lasting:
            outcome.state = State.REFUSED if reason == "private-address" else State.DONE
        elif of_host or (job.attempts < self.config.retries and not (reason == "dns" and job.attempts)):
            outcome.state, outcome.reason = State.QUEUED, job.reason
            outcome.problem = f"{reason}: {answer.detail}" if answer.detail else reason
            outcome.counts = not of_host
            # The other URLs of the host are tried before this one.
            outcome.base = job.base - 1.0 if reason in HOST_ERRORS else None
        outcome.is_unreachable = reason in HOST_ERRORS or reason == "robots-unavailable"
        if not lasting:
            backoff = self.config.retry_wait * 2 ** min(max(job.attempts, job.failures), 20)
            outcome.wait = max(min(backoff, MAX_BACKOFF), answer.retry_after)
        return outcome

    def _not_a_page(self, job: Job, answer: Answer) -> Outcome:
        outcome = Outcome(job, State.DONE, "not-a-page", answer.mime, answer.address)
        if self.config.media:
            outcome.reason = job.reason  # it was wanted, and is kept
            label = PageLabel("zxx", "Zxxx", "", 1.0)
            outcome.page = page_row(job, answer, label, 0)
            outcome.exchange = page_exchange(job, answer, label, self.config)
        return outcome

    def _sitemap(self, job: Job, answer: Answer, body: bytes) -> tuple[Outcome, list[Outlink], None]:
        """A sitemap or feed: pages of its site, and further sitemaps."""
        reason = FEED if job.reason == FEED else "sitemap"
        outcome = Outcome(job, State.DONE, reason, address=answer.address)
        if body[:2] == b"\x1f\x8b":
            body = unpacked(body, "gzip", self.config.max_page_bytes) or b""
        pages, named = sitemap_links(body, base=job.url)
        # A sitemap speaks for its own site and those that name it, but for the versions of its pages in other languages.
        own = [link for link in pages if _speaks_for(job, link.url)]
        versions = (link for link in pages if link.hreflang and not _speaks_for(job, link.url))
        pages = own + list(islice(versions, self.config.max_links))
        hops = job.evidence.get(HOPS, 0) + 1
        for url in named[: MAX_SITEMAPS if hops <= MAX_HOPS else 0]:
            if _speaks_for(job, url) and not self._barred(url, Kind.SITEMAP, 0):
                decision = Decision(True, job.base + job.bonus - 0.1, "sitemap", {HOPS: hops})
                # Its pages are as far away as if one sitemap named them all.
                more = Found(
                    url, job.depth, decision, job.bonus, job.id, Kind.SITEMAP, heard=job.heard, seed=job.seed
                )
                outcome.found.append(more)
        return outcome, pages, None

    def _barred(self, url: str, kind: Kind, depth: int) -> bool:
        """Whether a URL is left out; a sitemap may end as archives do, a requisite may be anywhere."""
        reason = self.refusal(url, depth)
        passes = {Kind.SITEMAP: ("media",), Kind.REQUISITE: ("media", "out-of-scope")}
        return bool(reason) and reason not in passes.get(kind, ())

    # -- links -------------------------------------------------------------------------------------

    def refusal(self, url: str, depth: int) -> str | None:
        """Why a URL is left out before anybody asks for its language, or None."""
        if reason := refusal_of(url, self.config):
            return reason
        return TOO_DEEP if self.config.max_depth and depth > self.config.max_depth else None

    def _is_last(self, job: Job) -> bool:
        """Whether the links of a page are further from the seeds than allowed."""
        return bool(self.config.max_depth) and job.depth >= self.config.max_depth

    def _keep_far(self, waiting: Sequence[Linked]) -> None:
        """Links that are too deep, where the strategy wants them: a shorter way, or a larger limit, brings them back."""
        wanted = [
            [x for x in links if self.refusal(x.url, o.job.depth + 1) == TOO_DEEP] for o, links, _ in waiting
        ]
        known = self._known([link for links in wanted for link in links])
        for (outcome, _, label), links in zip(waiting, wanted, strict=True):
            job = outcome.job
            fresh = [link for link in links if digest_of(link.url) not in known]
            judged = self.judge.links(fresh, job.depth + 1, job.url, label)
            far = [
                Found(
                    link.url,
                    link.depth,
                    replace(decision, reason=TOO_DEEP),
                    link.memory,
                    job.id,
                    refused=True,
                    seed=job.seed,
                )
                for link, decision in zip(judged, self.judge.decide(judged), strict=True)
                if decision.fetch
            ]
            self.left_out[TOO_DEEP] += len(links) - len(far)
            outcome.found += far

    def _judge_links(self, waiting: Sequence[Linked]) -> None:
        """Only URLs that are new, or that better evidence could bring back, are judged at all."""
        wanted = [self._unsettled(links, outcome.job, label) for outcome, links, label in waiting]
        known = self._known([link for links in wanted for link in links])
        for (outcome, _, label), links in zip(waiting, wanted, strict=True):
            job = outcome.job
            before = {link.url: known.get(digest_of(link.url)) for link in links}
            fresh = [link for link in links if self._worth_judging(before[link.url], link, job, label)]
            heard = {url: met.heard for url, met in before.items() if met is not None}
            judged = self.judge.links(fresh, job.depth + 1, job.url, label, heard)
            for link, decision in zip(judged, self.judge.decide(judged), strict=True):
                told = self.judge.heard(heard.get(link.url, ""), link.url, job.url, label)
                again = link.url in heard
                found = Found(
                    link.url,
                    link.depth,
                    decision,
                    link.memory,
                    job.id,
                    again=again,
                    heard=told,
                    seed=job.seed,
                )
                outcome.found.append(found)

    def _known(self, links: Sequence[Outlink]) -> dict[bytes, Known]:
        return self.frontier.known({digest_of(link.url) for link in links})

    def _met_as(self, link: Outlink, job: Job) -> str:
        """What a link is remembered by: where depth is limited, the same URL nearer is news."""
        return f"{job.depth} {link.url}" if self.config.max_depth else link.url

    def _unsettled(self, links: list[Outlink], job: Job, label: PageLabel | None) -> list[Outlink]:
        """Links that are not plainly known already or plainly no page."""
        kept = []
        hit = label is not None and label.language in self.judge.targets
        site = site_of(job.url)
        for link in links:
            # What further sites of the language say adds up: each is heard, and heard once.
            speaker = site if hit else link.hreflang
            if self._seen.has(self._met_as(link, job), speaker if self.judge.learns_sites else ""):
                continue
            if reason := self.refusal(link.url, job.depth + 1):
                self.left_out[reason] += 1
                self._seen.settle(self._met_as(link, job))
            else:
                kept.append(link)
        return kept

    def _worth_judging(self, known: Known | None, link: Outlink, job: Job, label: PageLabel | None) -> bool:
        if known is None:
            return True
        hit = label is not None and label.language in self.judge.targets
        if known.is_too_deep:
            return True
        if known.state not in (State.QUEUED, State.REJECTED, State.CLAIMED):
            self._seen.settle(self._met_as(link, job))
        return self.judge.learns_sites and known.waits and (hit or bool(link.hreflang))


def _is_page(mime: str) -> bool:
    """Whether what comes with a type may be a page.

    >>> [_is_page(mime) for mime in ("application/xhtml+xml", "image/svg+xml", "application/pdf")]
    [True, False, False]
    """
    return any(kind in mime for kind in _PAGE_TYPES) and not any(kind in mime for kind in _OTHER_TYPES)


def _speaks_for(job: Job, url: str) -> bool:
    """Whether a sitemap may name a URL: one of its own site, or of a site whose robots.txt names it."""
    site = site_of(url)
    return site == site_of(job.url) or inlinks.has(job.heard, site)

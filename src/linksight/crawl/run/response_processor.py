"""Response processing: turns a response of the fetcher into an outcome for the frontier."""

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
    forbids_following,
    header_links,
    outlinks,
    refresh_links,
    select_directives,
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
MAX_BACKOFF_SECONDS = 600.0
MAX_SITEMAPS = 500  #: nested sitemaps of one sitemap index
MAX_FEEDS = 3  #: feeds of a front page: news, comments, and one more
FEED = "feed"  #: reason of a feed
REQUISITE = "requisite"
OWN_COLUMNS = (
    "id",
    "url_id",
    "worker",
    "warc",
    "offset",
    "length",
    "original",
)  #: columns of ``pages`` that differ for each capture
PROCESSING_ERROR = "processing-error"  #: reason of a response whose processing raised an exception
EXPLORING = "exploring"  #: reason of an unlikely URL that is fetched to learn
#: Substrings of the content types of pages, and of types that contain "xml" but are not pages.
_PAGE_TYPES, _OTHER_TYPES = ("html", "xml", "text/plain"), ("image/", "openxmlformats")

Linked = tuple[Outcome, list[Outlink], PageLabel | None]  #: a page with its links and its label


class Digester:
    """Labels pages, extracts their links and scores them."""

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
        #: Called with the id of the URL in process, and with 0 at the end.
        self.on_process: Callable[[int], None] = lambda url_id: None
        self.fresh_sessions: dict[int, frozenset[str]] = {}  #: session parameters to store, by host
        self.left_out: Counter[str] = Counter()  #: links excluded before scoring, by reason
        self._seen = RecentUrls(200_000)
        self._counters = Counters()
        self._names = names_of(config.user_agent)

    def digest(self, answers: Sequence[tuple[Job, Answer]]) -> list[Outcome]:
        """Process responses and score the links of all their pages in one batch.

        An exception costs only the response that raised it; database errors are raised to the caller.
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
            except Exception as error:  # isolate the failure to this page
                outcome = Outcome(job, State.DONE, PROCESSING_ERROR, address=answer.address)
                self._note_error(outcome, answer, error)
            outcome.started, outcome.answer = answer.started, answer
            outcomes.append(outcome)
            if links and not job.sampled:
                waiting.append((outcome, links, label))
        self.on_process(0)
        for outcome, cause in self._score(waiting):
            self._note_error(outcome, answer_of[outcome.job.id], cause)
        return outcomes

    def _note_error(self, outcome: Outcome, answer: Answer, error: Exception) -> None:
        """Record an exception as the outcome of a response, keep the response, and log the traceback."""
        outcome.state, outcome.reason = State.DONE, PROCESSING_ERROR
        message = f"{type(error).__name__}: {error}"[:300]
        outcome.problem = "".join(letter for letter in message if letter.isprintable())
        outcome.found = []
        if answer.status and outcome.exchange is None:
            outcome.exchange = exchange_of(outcome.job.url, answer, self.config.user_agent)
        if answer.status and outcome.page is None:
            outcome.archived = {"status": answer.status, "mime": answer.mime}
        self._log(outcome.job.url, error)

    def _log(self, url: str, error: Exception) -> None:
        if self.journal is not None:
            self.journal.note_error(PROCESSING_ERROR, error, url=url)

    def _score(self, waiting: Sequence[Linked]) -> list[tuple[Outcome, Exception]]:
        """Score the links of all pages in one batch; if that raises, page by page. Return the pages that raise."""
        n_found_before = [len(outcome.found) for outcome, _, _ in waiting]
        left_out = self.left_out.copy()
        try:
            self._score_batch(waiting)
            return []
        except SQLAlchemyError:
            raise
        except Exception:
            self.left_out = left_out
            self.forget()
        errors: list[tuple[Outcome, Exception]] = []
        for one, n_found in zip(waiting, n_found_before, strict=True):
            outcome = one[0]
            del outcome.found[n_found:]
            try:
                self._score_batch([one])
            except SQLAlchemyError:
                raise
            except Exception as error:
                del outcome.found[n_found:]
                errors.append((outcome, error))
                self.forget()  # its links were not stored: another page may link to them
        return errors

    def _score_batch(self, waiting: Sequence[Linked]) -> None:
        self._score_new_links([one for one in waiting if not self._is_at_max_depth(one[0].job)])
        self._store_too_deep([one for one in waiting if self._is_at_max_depth(one[0].job)])

    def forget(self) -> None:
        """Clear the cache of recent URLs: the database may not have stored them."""
        self._seen = RecentUrls(200_000)

    # -- one response ------------------------------------------------------------------------------

    def _outcome(self, job: Job, answer: Answer) -> tuple[Outcome, list[Outlink], PageLabel | None]:
        """Return the outcome of a job, and the links and the label if it is a page."""
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
            # Some servers always announce a length that is too large: keep the body of the last attempt, marked.
            return self._failure(job, replace(answer, detail=CUT), "download"), [], None
        body = unpacked(answer.body, answer.header("content-encoding"), self.config.max_page_bytes)
        if body is None:  # read the beginning only; the archive gets the original bytes
            body = beginning(answer.body, answer.header("content-encoding"), self.config.max_page_bytes)
        if job.kind == Kind.SITEMAP:
            return self._sitemap(job, answer, body)
        if job.kind == Kind.REQUISITE:
            return self._requisite(job, answer, body), [], None
        if answer.mime and not _is_page(answer.mime):
            return self._not_a_page(job, answer), [], None
        return self._page(job, answer, body)

    def _archived(self, outcome: Outcome, answer: Answer) -> Outcome:
        """Add the response to the outcome if error responses are archived."""
        if self.config.keep_errors:
            outcome.exchange = exchange_of(outcome.job.url, answer, self.config.user_agent)
            outcome.archived = {"status": answer.status, "mime": answer.mime}
        return outcome

    def _page(self, job: Job, answer: Answer, body: bytes) -> tuple[Outcome, list[Outlink], PageLabel]:
        """Label a page, extract its links, and update the link scorer."""
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
        """Process a 304 response to a conditional request: the page is unmodified."""
        outcome = Outcome(job, State.DONE, job.reason, address=answer.address)
        page = {name: value for name, value in previous.items() if name not in OWN_COLUMNS}
        changed = {"fetched_at": answer.at, "status": answer.status, "reason": job.reason}
        outcome.page = page | changed | {"address": answer.address, "duplicate": False}
        exchange = exchange_of(job.url, answer, self.config.user_agent)
        outcome.exchange = replace(exchange, payload=page["digest"], is_unmodified=True)
        return outcome

    def _requisite(self, job: Job, answer: Answer, body: bytes) -> Outcome:
        """Archive a style sheet, script, image or font, and queue the requisites of a style sheet."""
        outcome = Outcome(job, State.DONE, REQUISITE, address=answer.address)
        outcome.exchange = exchange_of(job.url, answer, self.config.user_agent)
        outcome.archived = {"status": answer.status, "mime": answer.mime}
        if "css" in answer.mime and job.evidence.get(HOPS, 0) < MAX_HOPS:
            outcome.found += self._wanted_requisites(job, of_style_sheet(body, job.url))
        return outcome

    def _wanted_requisites(self, job: Job, urls: Sequence[str]) -> list[Found]:
        """Return requisites as links, which go before pages and may be on other hosts."""
        hops = job.evidence.get(HOPS, 0) + 1 if job.kind == Kind.REQUISITE else 0
        decision = Decision(True, REQUISITE_BASE, REQUISITE, {HOPS: hops} if hops else {})
        allowed = (url for url in urls if not self._is_excluded(url, Kind.REQUISITE, 0))
        return [
            Found(url, job.depth, decision, 0.0, job.id, Kind.REQUISITE, seed=job.seed) for url in allowed
        ]

    def _feeds(self, job: Job, links: list[Outlink], label: PageLabel) -> list[Found]:
        """Return the feeds of a front page in a target language, which are read like sitemaps."""
        if self.judge.learns_sites and label.language not in self.judge.targets:
            return []
        feeds = [link.url for link in links if link.is_feed and site_of(link.url) == site_of(job.url)]
        allowed = [url for url in feeds if not self._is_excluded(url, Kind.SITEMAP, 0)][:MAX_FEEDS]
        decision = Decision(True, job.base + job.bonus - 0.1, FEED)
        return [listing(url, job.depth, decision, job, self.config) for url in allowed]

    def _reads_feeds(self, job: Job) -> bool:
        """Whether to read the feeds of a page: front pages only, as others mostly link to a feed of their comments."""
        is_front = job.depth == 0 or (job.url.count("/") == 3 and job.url.endswith("/"))
        return self.config.sitemaps and is_front

    def _links(self, job: Job, answer: Answer, body: bytes, encoding: str) -> list[Outlink]:
        """Extract the links of a page and of its headers, each URL once."""
        directives = answer.headers_named("x-robots-tag")
        if any(forbids_following(select_directives(header, self._names)) for header in directives):
            return []
        url, max_links = job.url, self.config.max_links
        feeds = self._reads_feeds(job)
        links: list[Outlink] = []
        if "text/plain" not in answer.mime:
            links = outlinks(body, url, encoding, max_links, feeds=feeds, names=self._names)
        from_headers = header_links(answer.addresses("link"), url)
        if from_headers := from_headers + refresh_links(answer.addresses("refresh"), url):
            known = {url} | {link.url for link in links}
            fresh = {link.url: link for link in from_headers if link.url not in known}
            links += list(fresh.values())[: max(max_links - len(links), 0)]
        return self._with_embedded(links, url)

    def _with_embedded(self, links: list[Outlink], url: str) -> list[Outlink]:
        """Strip session parameters from links and add the URLs embedded in them, each once."""
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
        """Process a redirect: its target is a link at the same depth."""
        outcome = Outcome(job, State.DONE, "redirect", address=answer.address)
        no_label = PageLabel(UND, "Zyyy", "", 0.0)
        if job.kind == Kind.REQUISITE:
            outcome.exchange = exchange_of(job.url, answer, self.config.user_agent)
            outcome.archived = {"status": answer.status, "mime": answer.mime}
        elif self.config.keep == "all":
            outcome.page = page_row(job, answer, no_label, 1) | {"reason": "redirect"}
            outcome.exchange = page_exchange(job, answer, no_label, self.config)
        target = canonical(answer.addresses("location"), job.url)
        plain = self.judge.sessions.strip(host_key(target), target) if target else target
        target = target if plain == job.url else plain  # a host may require its session parameter
        outcome.problem = LEADS_TO + (target or repr(answer.addresses("location")))[:300]
        hops = job.evidence.get(HOPS, 0) + 1
        if not target or hops > MAX_HOPS or self._is_excluded(target, job.kind, job.depth):
            return outcome
        decision, memory = self._decision_behind(job, target)
        decision = replace(decision, evidence=decision.evidence | {HOPS: hops})
        links = [Outlink(target)]
        known = self._known([] if job.sampled else links)
        again = any(met.waits or met.is_too_deep for met in known.values())
        # A redirected sitemap keeps the sites whose robots.txt lists it.
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
        """Decide on the target of a redirect; return the host bonus in its score, too."""
        if job.sampled:  # the sample includes the target of a drawn redirect
            return Decision(True, 0.0, "sampled-redirect"), 0.0
        if job.kind == Kind.REQUISITE:
            return Decision(True, REQUISITE_BASE, REQUISITE), 0.0
        if job.kind == Kind.SITEMAP:
            return Decision(True, job.base + job.bonus, FEED if job.reason == FEED else "sitemap"), job.bonus
        link = replace(self.judge.links([Outlink(target)], job.depth)[0], behind=job.evidence)
        decision = self.judge.decide([link])[0]
        if job.reason == EXPLORING and not decision.fetch:  # the target is what exploration was after
            decision = replace(decision, fetch=True, reason=EXPLORING)
        return decision, link.memory

    def _failure(self, job: Job, answer: Answer, reason: str) -> Outcome:
        """Return the outcome of a failed request: final, or a retry after exponential backoff."""
        lasting = reason in ("private-address", "too-large", "scheme")
        # If a host answered before and now fails repeatedly, the failure does not count against the URL.
        of_host = reason in HOST_ERRORS and job.host_answered and job.failures > 0
        outcome = Outcome(job, State.FAILED, reason, answer.detail or None, answer.address)
        if lasting:
            outcome.state = State.REFUSED if reason == "private-address" else State.DONE
        elif of_host or (job.attempts < self.config.retries and not (reason == "dns" and job.attempts)):
            outcome.state, outcome.reason = State.QUEUED, job.reason
            outcome.problem = f"{reason}: {answer.detail}" if answer.detail else reason
            outcome.counts = not of_host
            # Try the other URLs of the host first.
            outcome.base = job.base - 1.0 if reason in HOST_ERRORS else None
        outcome.is_unreachable = reason in HOST_ERRORS or reason == "robots-unavailable"
        if not lasting:
            backoff = self.config.retry_wait * 2 ** min(max(job.attempts, job.failures), 20)
            outcome.wait = max(min(backoff, MAX_BACKOFF_SECONDS), answer.retry_after)
        return outcome

    def _not_a_page(self, job: Job, answer: Answer) -> Outcome:
        outcome = Outcome(job, State.DONE, "not-a-page", answer.mime, answer.address)
        if self.config.media:
            outcome.reason = job.reason  # the configuration asks for media
            label = PageLabel("zxx", "Zxxx", "", 1.0)
            outcome.page = page_row(job, answer, label, 0)
            outcome.exchange = page_exchange(job, answer, label, self.config)
        return outcome

    def _sitemap(self, job: Job, answer: Answer, body: bytes) -> tuple[Outcome, list[Outlink], None]:
        """Process a sitemap or feed: pages of its site, and nested sitemaps."""
        reason = FEED if job.reason == FEED else "sitemap"
        outcome = Outcome(job, State.DONE, reason, address=answer.address)
        if body[:2] == b"\x1f\x8b":
            body = unpacked(body, "gzip", self.config.max_page_bytes) or b""
        pages, sitemaps = sitemap_links(body, base=job.url)
        # A sitemap may list its own site and sites whose robots.txt lists it; language versions may be elsewhere.
        own = [link for link in pages if _may_list(job, link.url)]
        versions = (link for link in pages if link.hreflang and not _may_list(job, link.url))
        pages = own + list(islice(versions, self.config.max_links))
        hops = job.evidence.get(HOPS, 0) + 1
        for url in sitemaps[: MAX_SITEMAPS if hops <= MAX_HOPS else 0]:
            if _may_list(job, url) and not self._is_excluded(url, Kind.SITEMAP, 0):
                decision = Decision(True, job.base + job.bonus - 0.1, "sitemap", {HOPS: hops})
                # Nesting does not add depth to the pages.
                more = Found(
                    url, job.depth, decision, job.bonus, job.id, Kind.SITEMAP, heard=job.heard, seed=job.seed
                )
                outcome.found.append(more)
        return outcome, pages, None

    def _is_excluded(self, url: str, kind: Kind, depth: int) -> bool:
        """Whether filters exclude a URL; sitemaps may have the extension of an archive, requisites may be out of scope."""
        reason = self.refusal(url, depth)
        allowed_reasons = {Kind.SITEMAP: ("media",), Kind.REQUISITE: ("media", "out-of-scope")}
        return bool(reason) and reason not in allowed_reasons.get(kind, ())

    # -- links -------------------------------------------------------------------------------------

    def refusal(self, url: str, depth: int) -> str | None:
        """Return the reason why filters exclude a URL, or None."""
        if reason := refusal_of(url, self.config):
            return reason
        return TOO_DEEP if self.config.max_depth and depth > self.config.max_depth else None

    def _is_at_max_depth(self, job: Job) -> bool:
        """Whether a page is at the maximum depth, so that its links are too deep."""
        return bool(self.config.max_depth) and job.depth >= self.config.max_depth

    def _store_too_deep(self, waiting: Sequence[Linked]) -> None:
        """Store links that are too deep but wanted: a shorter path or a larger limit queues them later."""
        wanted = [
            [x for x in links if self.refusal(x.url, o.job.depth + 1) == TOO_DEEP] for o, links, _ in waiting
        ]
        known = self._known([link for links in wanted for link in links])
        for (outcome, _, label), links in zip(waiting, wanted, strict=True):
            job = outcome.job
            fresh = [link for link in links if digest_of(link.url) not in known]
            scored = self.judge.links(fresh, job.depth + 1, job.url, label)
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
                for link, decision in zip(scored, self.judge.decide(scored), strict=True)
                if decision.fetch
            ]
            self.left_out[TOO_DEEP] += len(links) - len(far)
            outcome.found += far

    def _score_new_links(self, waiting: Sequence[Linked]) -> None:
        """Score links that are new or whose decision new evidence could change."""
        wanted = [self._unseen_links(links, outcome.job, label) for outcome, links, label in waiting]
        known = self._known([link for links in wanted for link in links])
        for (outcome, _, label), links in zip(waiting, wanted, strict=True):
            job = outcome.job
            before = {link.url: known.get(digest_of(link.url)) for link in links}
            fresh = [link for link in links if self._needs_scoring(before[link.url], link, job, label)]
            heard = {url: met.heard for url, met in before.items() if met is not None}
            scored = self.judge.links(fresh, job.depth + 1, job.url, label, heard)
            for link, decision in zip(scored, self.judge.decide(scored), strict=True):
                heard_sites = self.judge.heard(heard.get(link.url, ""), link.url, job.url, label)
                again = link.url in heard
                found = Found(
                    link.url,
                    link.depth,
                    decision,
                    link.memory,
                    job.id,
                    again=again,
                    heard=heard_sites,
                    seed=job.seed,
                )
                outcome.found.append(found)

    def _known(self, links: Sequence[Outlink]) -> dict[bytes, Known]:
        return self.frontier.known({digest_of(link.url) for link in links})

    def _seen_key(self, link: Outlink, job: Job) -> str:
        """Return the cache key of a link; with a depth limit it includes the depth, as a shorter path matters."""
        return f"{job.depth} {link.url}" if self.config.max_depth else link.url

    def _unseen_links(self, links: list[Outlink], job: Job, label: PageLabel | None) -> list[Outlink]:
        """Return links that are neither in the cache of recent URLs nor excluded by filters."""
        unseen = []
        hit = label is not None and label.language in self.judge.targets
        site = site_of(job.url)
        for link in links:
            # Links from several sites in the language add up as evidence; each site counts once.
            source = site if hit else link.hreflang
            if self._seen.has(self._seen_key(link, job), source if self.judge.learns_sites else ""):
                continue
            if reason := self.refusal(link.url, job.depth + 1):
                self.left_out[reason] += 1
                self._seen.settle(self._seen_key(link, job))
            else:
                unseen.append(link)
        return unseen

    def _needs_scoring(self, known: Known | None, link: Outlink, job: Job, label: PageLabel | None) -> bool:
        """Whether to score a link: it is new, or waits and has new evidence."""
        if known is None:
            return True
        hit = label is not None and label.language in self.judge.targets
        if known.is_too_deep:
            return True
        if known.state not in (State.QUEUED, State.REJECTED, State.CLAIMED):
            self._seen.settle(self._seen_key(link, job))
        return self.judge.learns_sites and known.waits and (hit or bool(link.hreflang))


def _is_page(mime: str) -> bool:
    """Whether a content type may be that of a page.

    >>> [_is_page(mime) for mime in ("application/xhtml+xml", "image/svg+xml", "application/pdf")]
    [True, False, False]
    """
    return any(kind in mime for kind in _PAGE_TYPES) and not any(kind in mime for kind in _OTHER_TYPES)


def _may_list(job: Job, url: str) -> bool:
    """Whether a sitemap may list a URL: of its own site, or of a site whose robots.txt lists the sitemap."""
    site = site_of(url)
    return site == site_of(job.url) or inlinks.has(job.heard, site)

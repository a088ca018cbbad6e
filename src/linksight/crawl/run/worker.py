"""Worker loop: claim URLs, fetch them, process the responses, commit; until the crawl is done.

    claim -> in flight (robots.txt, fetcher) -> process -> WARC + commit -> claim

A worker can be killed at any point: committed pages are complete, and other URLs are claimed again. The
worker waits for a database that is temporarily unavailable.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy.exc import InternalError, OperationalError, SQLAlchemyError

from linksight.crawl.archive import warc_writer
from linksight.crawl.archive.reconcile import repair
from linksight.crawl.fetch.in_flight import Errands
from linksight.crawl.frontier.clock import SteadyClock
from linksight.crawl.frontier.db_errors import is_passing, plain_error
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.heartbeat import Lease, new_worker_id
from linksight.crawl.frontier.records import Outcome
from linksight.crawl.frontier.schema_version import open_crawl_store
from linksight.crawl.frontier.sql_schema import State
from linksight.crawl.monitor.crawl_log import CrawlLog
from linksight.crawl.monitor.prometheus import MetricsFile
from linksight.crawl.monitor.stats import Journal, Tally
from linksight.crawl.report.explain import explain
from linksight.crawl.run.config import CrawlConfig
from linksight.crawl.run.lifecycle import Phases
from linksight.crawl.run.response_processor import PROCESSING_ERROR, Digester
from linksight.crawl.run.seeds import enqueue_seeds
from linksight.crawl.run.signals import StopSignals
from linksight.crawl.scoring.host_patterns import MAX_HOSTS
from linksight.crawl.scoring.link_scorer import Judge
from linksight.crawl.scoring.model_protocols import PageReader, UrlModel
from linksight.crawl.scoring.state_restore import Recollection

MAX_COMMIT_RESPONSES = 48  #: responses of one commit
COMMIT_DELAY_SECONDS = 0.1  #: time that the first response waits for others
MAX_OUTAGE_SECONDS = 3_600.0  #: a worker without a network stops after this time, without losses
DRAIN_SECONDS = 4.0  #: time for requests in flight when the worker is asked to stop


def store_of(folder: Path, config: CrawlConfig) -> str:
    """Return the database URL or the SQLite path of a crawl."""
    return config.store or str(folder / "crawl.db")


class Worker:
    """Worker of the crawl in ``folder``."""

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
        # First, as it rejects an unknown strategy before a file is created.
        self.judge = Judge(config, model, patterns=patterns)
        self.engine = open_crawl_store(store_of(folder, config))
        self.frontier = Frontier(self.engine, config, new_worker_id(), SteadyClock.of(self.engine))
        self.journal = Journal(folder, self.frontier.worker)
        self.crawl_log = CrawlLog(folder)
        self.digester = Digester(config, self.judge, reader, self.frontier, self.journal)
        self.tally = Tally(config.language, config.strategy, self.frontier.worker, config.languages)
        self.metrics = MetricsFile(folder, self.tally)
        self.on_progress = on_progress
        self.writer = warc_writer.WarcWriter(
            folder, self.frontier.worker, warc_writer.warc_info(config), config.warc_bytes
        )
        self.errands = Errands(config, self.frontier, self.judge, self.writer, self.journal)
        self.recollection = Recollection(self.engine, self.frontier.worker, self.judge)
        self.phases = Phases(config, self.frontier, self.journal)
        self.stopping = ""
        self._unsaved: list[Outcome] = []  # processed, not yet committed
        self._claim_at = 0.0
        self._last_tick = 0.0
        self._next_count = 0.0
        self._bonuses: dict[str, float] = {}
        self._settings = "{}"
        self._is_paused = False

    # -- start and end -----------------------------------------------------------------------------

    def run(self) -> Tally:
        """Crawl until the crawl is done, the budget is spent, or a stop is requested."""
        started = time.monotonic()
        try:
            self.frontier.create()
            with Lease(self.folder, self.frontier) as lease, StopSignals(self.stop):
                self._begin(lease)
                try:
                    self._loop(lease, started)
                    self._drain()
                except BaseException:
                    for step in self._shutdown_steps(started):
                        with suppress(OSError, SQLAlchemyError):
                            step()
                    raise
                for step in self._shutdown_steps(started):
                    step()
        except (OSError, SQLAlchemyError) as error:
            raise plain_error(error, self.folder) from error
        finally:
            self.errands.fetcher.stop()
            self.engine.dispose()
        return self.tally

    def _begin(self, lease: Lease) -> None:
        self._recover(lease)
        self.digester.on_process = lease.suspect.note
        self.judge.patterns.restore(self.frontier.known_patterns(MAX_HOSTS))
        self.judge.sessions.restore(self.frontier.known_sessions())
        self.recollection.look()
        refused = enqueue_seeds(self.config.seeds, self.judge, self.digester, self.frontier, self.journal)
        self.tally.reasons.update(refused.values())
        self.tally.notes += [f"seed left out: {url}: {explain(why)}" for url, why in refused.items()][:5]
        self.errands.fetcher.start()
        self.journal.note("start", config=self.config.shown(), language=self.config.language)

    def _shutdown_steps(self, started: float) -> tuple[Callable[[], object], ...]:
        """Return the steps of an orderly shutdown; after an error the others still run."""
        return (
            self.errands.fetcher.stop,
            lambda: self.frontier.release(self._claimed_jobs()),
            self.writer.close,
            lambda: self.frontier.add_seconds(time.monotonic() - started),
            self._record_end,
            self.metrics.close,
        )

    def _record_end(self) -> None:
        """Record the final counts, write the metrics and log the end."""
        summary = self.frontier.summary()
        self.tally.phase, self.tally.stopped, self.tally.stored = (
            summary["phase"],
            self.stopping,
            summary["pages"],
        )
        self.tally.waiting, self.tally.waiting_hosts = self.frontier.waiting()
        if self.tally.waiting:
            self.tally.limit = self.config.spent(summary["pages"], summary["bytes"], summary["seconds"])
        self._report_progress()
        self.journal.note("stop", reason=self.stopping or "done", **self.tally.as_dict())

    def _claimed_jobs(self) -> list[Any]:
        return self.errands.jobs() + [outcome.job for outcome in self._unsaved]

    def stop(self, reason: str) -> None:
        """Request a graceful stop; a second request stops at once."""
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping = reason

    def _recover(self, lease: Lease) -> None:
        """Release the claims of workers that died, and repair the WARC files."""
        dead, turns = lease.expire_workers(), self.frontier.reset_future_turns()
        done = repair(self.folder, self.frontier, lease.holds_lock)
        self.tally.notes += done.notes()
        if dead or turns or done.cut or done.damaged or done.absent:
            counts = {"workers": dead, "turns": turns, "files": done.cut}
            self.journal.note("recovered", **counts, damaged=dict(done.damaged), absent=done.absent)

    # -- the loop ----------------------------------------------------------------------------------

    def _loop(self, lease: Lease, started: float) -> None:
        more = True
        while more and not self.stopping:
            try:
                more = self._run_iteration(lease, started)
            except SQLAlchemyError as error:
                self._wait_for_store(error)

    def _run_iteration(self, lease: Lease, started: float) -> bool:
        """Run one iteration of the loop; False once the crawl is done."""
        self._tick(lease, started)
        self._claim()
        self.errands.receive(COMMIT_DELAY_SECONDS / 2 if self.errands.is_fetching else 0.05)
        if self._is_time_to_commit():
            self._commit()
        if self.errands.is_busy or self._unsaved or self._is_paused:
            return True
        wait = self.phases.wait_or_go_on()
        if wait:
            self.errands.receive(wait)
        self._claim_at = 0.0
        return wait is not None

    def _is_time_to_commit(self) -> bool:
        errands = self.errands
        if self._unsaved:
            return True
        if not errands.answers and not errands.outcomes:
            return False
        idle = not errands.is_fetching
        if idle or len(errands.answers) >= MAX_COMMIT_RESPONSES:
            return True
        return time.monotonic() - errands.since > COMMIT_DELAY_SECONDS

    def _tick(self, lease: Lease, started: float) -> None:
        """Run the periodic tasks, about once a second."""
        now = time.monotonic()
        if now - self._last_tick < 1.0:
            return
        self._last_tick = now
        lease.expire_workers()
        self.recollection.look()
        self.tally.phase = self.phases.look(now - started)
        self._apply_settings()
        self._close_met_quotas()
        outage = self.errands.outage
        if outage.is_confirmed and now - outage.since > MAX_OUTAGE_SECONDS:
            self.stop("no network")
        self._count_queue(now)
        self._report_progress()
        self.journal.note_progress(now - started, self.tally)

    def _apply_settings(self) -> None:
        """Apply settings that ``crawl set`` changed during the crawl."""
        found = str(self.frontier.summary()["settings"])
        if found == self._settings:
            return
        self._settings = found
        values = dict(json.loads(found))
        self._is_paused = bool(values.pop("pause", False))
        lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        config = self.config.but(**(values | lists))
        for part in (self, self.frontier, self.errands, self.digester, self.judge, self.phases):
            part.config = config
        self.journal.note("settings", pause=self._is_paused, **values)

    def _close_met_quotas(self) -> None:
        """Close the languages that have reached their quota, over all workers."""
        if not self.config.quotas:
            return
        counts = self.frontier.pages_by_language()
        for code, quota in self.config.quotas.items():
            if counts.get(code, 0) >= quota and code in self.judge.targets:
                self.judge.close_language(code)
                self.journal.note("quota-met", language=code, pages=counts[code])
        self.phases.quotas_met = not self.judge.targets

    def _count_queue(self, now: float) -> None:
        """Update the queue length; slow counts run less often."""
        if now < self._next_count:
            return
        self.tally.waiting, self.tally.waiting_hosts = self.frontier.waiting()
        self._next_count = now + 50 * (time.monotonic() - now)

    def _report_progress(self) -> None:
        self.tally.in_hand = self.errands.under_way
        self.metrics.write()
        if self.on_progress is not None:
            self.on_progress(self.tally)

    def _claim(self) -> None:
        """Claim more URLs once the fetcher has enough free slots."""
        in_hand = Counter(job.host_id for job in self.errands.jobs())
        room = 2 * self.config.concurrency - in_hand.total()
        now = time.monotonic()
        if (room < self.config.concurrency // 2 and in_hand) or now < self._claim_at:
            return
        if self.errands.outage.is_suspected or self._is_paused:
            return
        room = min(room, self.phases.pages_left())
        jobs = self.frontier.claim(room, in_hand) if room > 0 else []
        if len(jobs) < room:
            self._claim_at = now + 0.05  # the queue is empty for now
        for job in jobs:
            self.errands.dispatch(job)

    # -- committing --------------------------------------------------------------------------------

    def _commit(self) -> None:
        """Process the received responses and commit their outcomes."""
        answers, outcomes = self.errands.take()
        # Keep outcomes until the database has them: a lost connection or a deadlock causes a retry.
        # If the first commit succeeded after all, the claims are gone and the retry writes nothing.
        self._unsaved += outcomes
        self._unsaved += self.digester.digest(answers)
        bonuses = self._new_bonuses(outcome.job.host for outcome in self._unsaved if outcome.page)
        mine = self._commit_outcomes(bonuses)
        self._unsaved = []
        self.frontier.save_patterns(self.judge.patterns.learnt())
        if self.digester.fresh_sessions:
            self.frontier.save_sessions(self.digester.fresh_sessions)
            self.digester.fresh_sessions = {}
        self.tally.count(mine)
        self.crawl_log.write(mine)
        self._close_met_quotas()
        self.tally.reasons.update(self.digester.left_out)
        self.digester.left_out.clear()
        for host, bonus in bonuses.items():
            if bonus > self._bonuses.get(host, 0.0) + 0.5:
                self._bonuses[host] = bonus
                self.tally.reasons["second-chance"] += self.frontier.requeue_host(host, bonus, self.judge.bar)
        while len(self._bonuses) > 50_000:
            self._bonuses.pop(next(iter(self._bonuses)))

    def _commit_outcomes(self, bonuses: dict[str, float]) -> list[Outcome]:
        """Commit outcomes; if the database rejects a value, only its outcome is lost."""
        try:
            return self.frontier.commit(self._unsaved, bonuses, self.writer)
        except Exception as error:
            if isinstance(error, OSError | OperationalError | InternalError) or is_passing(error):
                raise  # the disk, or the database itself
            self.journal.note_error("commit-error", error)
        mine: list[Outcome] = []
        for outcome in self._unsaved:
            try:
                mine += self.frontier.commit([outcome], {}, self.writer)
            except (OSError, OperationalError, InternalError):
                raise
            except Exception as error:
                self.journal.note_error("commit-error", error, url=outcome.job.url)
                bare = Outcome(outcome.job, State.DONE, PROCESSING_ERROR, type(error).__name__)
                mine += self.frontier.commit([bare], {}, self.writer)
        return mine

    def _new_bonuses(self, hosts: Iterable[str]) -> dict[str, float]:
        return {host: self.judge.bonus(host) for host in set(hosts)} if self.judge.learns_sites else {}

    def _wait_for_store(self, error: SQLAlchemyError) -> None:
        """Wait for an unavailable database, then release orphaned claims."""
        until, pause = time.monotonic() + self.config.patience, 0.2
        self.journal.note("store-away", error=str(error)[:300])
        while is_passing(error) and time.monotonic() < until and not self.stopping:
            time.sleep(pause)
            pause = min(2 * pause, 5.0)
            try:
                released = self.frontier.release_orphaned_claims(job.id for job in self._claimed_jobs())
            except SQLAlchemyError as again:
                error = again
                continue
            self.digester.forget()
            self.journal.note("store-back", strays=released)
            return
        raise error

    def _drain(self) -> None:
        """Wait briefly for requests in flight, then commit."""
        until = time.monotonic() + DRAIN_SECONDS
        while self.stopping and self.errands.under_way and time.monotonic() < until:
            self.errands.receive(0.1)
        if self.errands.answers or self.errands.outcomes or self._unsaved:
            self._commit()

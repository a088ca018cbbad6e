"""Work in the background: with progress, with cancel, and with an end that can be asked for."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from linksight.errors import BadData, LinksightError

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())  # heard by those who listen, never printed unasked

MOST_KEPT = 200
MOST_WAITING = 20


class Cancelled(Exception):
    """The visitor did not want to wait any longer."""


@dataclass
class Job:
    """One piece of work; the worker's thread writes, everyone else reads."""

    kind: str
    title: str
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: str = "waiting"  #: waiting, running, done, failed, cancelled
    done: int = 0
    total: int = 0  #: 0: nobody knows
    message: str = ""
    error: str = ""
    link: str = ""  #: where the result is to be seen
    back: str = "/"  #: where it was asked for
    began: float = field(default_factory=time.time)
    ended: float = 0.0
    on_cancel: Callable[[], None] | None = field(default=None, repr=False)  #: ends what does not look up
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)

    def progress(self, done: int, total: int = 0, message: str = "") -> None:
        """Say how far the work is; ends it here if it was cancelled."""
        self.done, self.total, self.message = done, total, message
        if self._stop.is_set():
            raise Cancelled

    def cancel(self) -> None:
        """Ask the work to end at its next step, or now where it can be ended."""
        self._stop.set()
        if self.on_cancel is not None:
            self.on_cancel()

    @property
    def is_cancelled(self) -> bool:
        """Whether the visitor wants no more of it."""
        return self._stop.is_set()

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("done", "failed", "cancelled")

    @property
    def share(self) -> float | None:
        """How much is done, from 0 to 1, if that is known."""
        return min(self.done / self.total, 1.0) if self.total else None

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return (self.ended or time.time()) - self.began


class Jobs:
    """A few workers and the jobs of late."""

    def __init__(self, workers: int = 2) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="job")
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, job: Job, work: Callable[[Job], str]) -> Job:
        """Do ``work`` in the background; it answers where its result is to be seen."""
        with self._lock:
            if sum(not other.is_over for other in self._jobs.values()) >= MOST_WAITING:
                raise BadData(f"{MOST_WAITING} jobs are waiting already: wait, or cancel one")
            self._jobs[job.id] = job
            for old in [k for k, other in self._jobs.items() if other.is_over][:-MOST_KEPT]:
                del self._jobs[old]
        self._pool.submit(self._run, job, work)
        return job

    def get(self, number: str) -> Job | None:
        """A job by its id."""
        return self._jobs.get(number)

    def all(self, kind: str = "") -> list[Job]:
        """The jobs of a kind, the latest first."""
        with self._lock:
            known = list(reversed(self._jobs.values()))
        return [job for job in known if not kind or job.kind == kind]

    def open(self, *kinds: str) -> list[Job]:
        """The jobs of some kinds that run or wait, the latest first."""
        return [job for job in self.all() if job.kind in kinds and not job.is_over]

    def close(self) -> None:
        """Cancel everything and let go of the threads."""
        for job in self.all():
            job.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _run(self, job: Job, work: Callable[[Job], str]) -> None:
        job.state = "running"
        try:
            job.progress(0)
            job.link = work(job)
            job.state = "done"
        except Cancelled:
            job.state = "cancelled"
        except LinksightError as error:
            job.state, job.error = "failed", str(error)
        except Exception as error:
            # A thread's exception would be lost; the visitor must see that there will be no result.
            logger.exception("job %s failed", job.id)
            job.state, job.error = "failed", f"unexpected: {type(error).__name__}"
        finally:
            job.ended = time.time()

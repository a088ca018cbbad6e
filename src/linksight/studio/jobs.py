"""Persistent job queue: background work with progress and cancel, fair between visitors."""

from __future__ import annotations

import json
import logging
import re
import secrets
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linksight.errors import LinksightError
from linksight.studio.responses import Busy
from linksight.system.atomic_write import write_whole

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())

MAX_FINISHED = 200
MAX_OPEN = 40  #: jobs that run or wait
MAX_OPEN_PER_VISITOR = 5
_SAVED = ("kind", "title", "id", "back", "owner", "task")
_ID = re.compile(r"[0-9a-f]{16}")


class Cancelled(Exception):
    """The visitor cancelled the job."""


@dataclass
class Job:
    """One piece of work; the worker's thread writes, everyone else reads."""

    kind: str
    title: str
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: str = "waiting"  #: waiting, running, done, failed, cancelled
    done: int = 0
    total: int = 0  #: 0: unknown
    message: str = ""
    error: str = ""
    link: str = ""  #: the page of the result
    back: str = "/"  #: the page that started the job
    owner: str = ""  #: the visitor who started it
    task: dict[str, Any] | None = field(default=None, repr=False)  #: parameters as JSON, saved with the job
    began: float = field(default_factory=time.time)
    ended: float = 0.0
    on_cancel: Callable[[], None] | None = field(default=None, repr=False)  #: ends work that does not poll
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)

    def progress(self, done: int, total: int = 0, message: str = "") -> None:
        """Report progress; raises :class:`Cancelled` if the visitor cancelled the job."""
        self.done, self.total, self.message = done, total, message
        if self._stop.is_set():
            raise Cancelled

    def cancel(self) -> None:
        """Request the work to end at its next step, or end it at once if possible."""
        self._stop.set()
        if self.on_cancel is not None:
            self.on_cancel()

    @property
    def is_cancelled(self) -> bool:
        """Whether the visitor cancelled the job."""
        return self._stop.is_set()

    @property
    def is_over(self) -> bool:
        """Whether the job has ended."""
        return self.state in ("done", "failed", "cancelled")

    @property
    def share(self) -> float | None:
        """The finished share, from 0 to 1, if it is known."""
        return min(self.done / self.total, 1.0) if self.total else None

    @property
    def seconds(self) -> float:
        """Seconds since the start, or until the end."""
        return (self.ended or time.time()) - self.began


Work = Callable[[Job], str]


class Jobs:
    """A few workers, the waiting jobs and the latest ended ones.

    A job with a ``task`` is saved in the folder with its files, and starts again after a restart.
    """

    def __init__(self, folder: Path | None = None, handlers: Mapping[str, Work] | None = None, workers: int = 2) -> None:  # fmt: skip
        self.folder, self.handlers = folder, dict(handlers or {})
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="job")
        self._jobs: dict[str, Job] = {}
        self._waiting: list[tuple[Job, Work]] = []
        self._lock = threading.Lock()
        self._is_closing = False

    def check_room(self, owner: str) -> None:
        """Raise :class:`Busy` if a visitor, or all together, have too many open jobs."""
        still = [job for job in self._jobs.values() if not job.is_over]
        if len(still) >= MAX_OPEN:
            raise Busy(f"{MAX_OPEN} jobs are open: wait for one to end")
        if owner and sum(job.owner == owner for job in still) >= MAX_OPEN_PER_VISITOR:
            raise Busy(f"{MAX_OPEN_PER_VISITOR} jobs of yours are open: wait for one to end, or cancel one")

    def files_of(self, job: Job) -> Path:
        """A folder for the files of a job; it is removed when the job ends."""
        assert self.folder is not None
        path = self.folder / job.id
        path.mkdir(parents=True, exist_ok=True)
        return path

    def submit(self, job: Job) -> Job:
        """Save a job with a task and start it."""
        assert self.folder is not None
        self.folder.mkdir(parents=True, exist_ok=True)
        saved = {name: getattr(job, name) for name in _SAVED}
        write_whole(self.folder / f"{job.id}.json", json.dumps(saved))
        try:
            return self.start(job, self.handlers[job.kind])
        except Busy:
            self.discard(job)
            raise

    def restore(self) -> None:
        """Restart the saved jobs; remove files without a job."""
        if self.folder is None or not self.folder.is_dir():
            return
        for path in sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime):
            try:
                job = Job(**json.loads(path.read_text(encoding="utf-8")))
                self.start(job, self.handlers[job.kind])
            except (ValueError, TypeError, KeyError, Busy):
                logger.warning("job %s cannot be restored", path.stem)
                path.unlink(missing_ok=True)
        for folder in self.folder.iterdir():
            if folder.is_dir() and _ID.fullmatch(folder.name) and folder.name not in self._jobs:
                shutil.rmtree(folder, ignore_errors=True)

    def start(self, job: Job, work: Work) -> Job:
        """Run ``work`` in the background; it returns the page of its result."""
        with self._lock:
            self.check_room(job.owner)
            self._jobs[job.id] = job
            for old in [k for k, other in self._jobs.items() if other.is_over][:-MAX_FINISHED]:
                del self._jobs[old]
            self._waiting.append((job, work))
        self._pool.submit(self._run_next)
        return job

    def cancel(self, job: Job) -> None:
        """Cancel a job; one that waits ends at once."""
        job.cancel()
        with self._lock:
            n_before = len(self._waiting)
            self._waiting = [pair for pair in self._waiting if pair[0] is not job]
            was_waiting = len(self._waiting) < n_before
        if was_waiting:
            self._end(job, "cancelled")

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
        """Cancel everything and free the threads; saved jobs restart with the next studio."""
        self._is_closing = True
        with self._lock:
            self._waiting.clear()
        for job in self.all():
            job.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _run_next(self) -> None:
        """Run the first job of the visitor with the fewest running jobs."""
        with self._lock:
            if not self._waiting:
                return
            running = Counter(job.owner for job in self._jobs.values() if job.state == "running")
            place = min(range(len(self._waiting)), key=lambda k: running[self._waiting[k][0].owner])
            job, work = self._waiting.pop(place)
            job.state = "running"
        self._run(job, work)

    def _run(self, job: Job, work: Work) -> None:
        state = "done"
        try:
            job.progress(0)
            job.link = work(job)
        except Cancelled:
            state = "cancelled"
        except LinksightError as error:
            state, job.error = "failed", str(error)
        except Exception as error:
            # An exception of a thread would be lost; the visitor must see that there will be no result.
            logger.exception("job %s failed", job.id)
            state, job.error = "failed", f"unexpected: {type(error).__name__}"
        finally:
            self._end(job, state)

    def _end(self, job: Job, state: str) -> None:
        job.ended = time.time()
        if not self._is_closing:
            self.discard(job)
        job.state = state

    def discard(self, job: Job) -> None:
        """Remove the files of a job."""
        if self.folder is not None:
            (self.folder / f"{job.id}.json").unlink(missing_ok=True)
            shutil.rmtree(self.folder / job.id, ignore_errors=True)

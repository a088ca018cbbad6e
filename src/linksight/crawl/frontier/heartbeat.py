"""Heartbeats and leases of workers: the URLs of dead workers go back to the queue.

When a worker dies, its heartbeat in the database stops, and the kernel releases the lock on its file under
``workers/``. On the same machine the lock shows this immediately, so that ``crawl resume`` need not wait;
on other machines the lease must expire.
"""

from __future__ import annotations

import fcntl
import hashlib
import mmap
import os
import socket
import struct
import threading
import uuid
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from linksight.crawl.frontier import sql_schema, states
from linksight.crawl.frontier.clock import SteadyClock
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.sql_schema import State

MAX_BEAT_SECONDS = 5.0
_ID = struct.Struct("<q")
MAX_MACHINE_LETTERS = 200  #: width of the column


def machine_of(folder: Path) -> str:
    """An identifier of machine and folder.

    >>> len(machine_of(Path("/" + "long/" * 100)))
    200
    """
    name = f"{socket.gethostname()}:{folder.resolve()}"
    short = hashlib.blake2b(name.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    return name if len(name) <= MAX_MACHINE_LETTERS else name[: MAX_MACHINE_LETTERS - len(short)] + short


class Lease:
    """This worker's heartbeat thread; a context manager that releases all claimed URLs on exit."""

    def __init__(self, folder: Path, frontier: Frontier) -> None:
        self.folder = folder / "workers"
        self.frontier = frontier
        self.machine = machine_of(folder)
        self.suspect = SuspectFile(self.folder / f"{frontier.worker}.suspect")
        self._file: int | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat_until_over, name="heartbeat", daemon=True)

    def __enter__(self) -> Lease:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.folder / f"{self.frontier.worker}.lock", os.O_CREAT | os.O_RDWR, 0o644)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        now = self.frontier.clock()
        row = {"id": self.frontier.worker, "machine": self.machine, "pid": os.getpid()}
        with self.frontier.begin() as connection:
            connection.execute(insert(sql_schema.workers), row | {"started": now, "beat": now, "alive": True})
        self.suspect.open()
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self.suspect.close()
        # Report the error that is being raised, not those that it causes here.
        suppressed = (SQLAlchemyError, OSError) if kind else ()
        with suppress(*suppressed), self.frontier.begin() as connection:
            _free(self.frontier, connection, self.frontier.worker)
        with suppress(*suppressed):
            self._unlock()

    def _unlock(self) -> None:
        if self._file is not None:
            (self.folder / f"{self.frontier.worker}.lock").unlink(missing_ok=True)
            os.close(self._file)
            self._file = None

    def _beat_until_over(self) -> None:
        """Renew the lease until the worker ends, independent of its main thread."""
        while not self._over.wait(min(self.frontier.config.lease / 4, MAX_BEAT_SECONDS)):
            with suppress(SQLAlchemyError):  # the database is unavailable: the next beat may succeed
                self.beat()

    def beat(self) -> None:
        """Renew the lease, by the database's clock."""
        w = sql_schema.workers.c
        if isinstance(self.frontier.clock, SteadyClock):
            self.frontier.clock.synchronise()
        with self.frontier.begin_beside() as connection:
            connection.execute(
                update(sql_schema.workers)
                .where(w.id == self.frontier.worker)
                .values(beat=self.frontier.clock(), alive=True)
            )

    def expire_workers(self) -> int:
        """Release the URLs of dead workers; returns how many workers were dead."""
        w = sql_schema.workers.c
        with self.frontier.begin() as connection:
            query = select(w.id, w.machine, w.beat).where(w.alive, w.id != self.frontier.worker)
            if self.frontier.postgres:
                query = query.with_for_update(skip_locked=True)
            dead = [
                row.id for row in connection.execute(query) if self._is_dead(row.id, row.machine, row.beat)
            ]
            for worker in dead:
                path = self.folder / f"{worker}.suspect"
                states.note_crashes(connection, read_suspects(path))
                _free(self.frontier, connection, worker)
                path.unlink(missing_ok=True)
        return len(dead)

    def _is_dead(self, worker: str, machine: str, beat: float) -> bool:
        if machine == self.machine:
            return not self.holds_lock(worker)
        return beat < self.frontier.clock() - self.frontier.config.lease

    def holds_lock(self, worker: str) -> bool:
        """Whether a process of this machine still holds the worker's lock."""
        return is_locked(self.folder / f"{worker}.lock")


class SuspectFile:
    """The URL in processing, in a memory-mapped file that survives a crash of the process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._map: mmap.mmap | None = None

    def open(self) -> None:
        """Create the file."""
        self.path.write_bytes(_ID.pack(0))
        with self.path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _ID.size)

    def note(self, url_id: int) -> None:
        """Record the URL whose response is in processing; 0 for no URL."""
        if self._map is not None:
            _ID.pack_into(self._map, 0, url_id)

    def close(self) -> None:
        """Remove the file: the worker ends without a crash."""
        if self._map is not None:
            self._map.close()
            self._map = None
        self.path.unlink(missing_ok=True)


def read_suspects(path: Path) -> list[int]:
    """The URL that a dead worker was processing, if any."""
    with suppress(OSError, struct.error):
        found = _ID.unpack(path.read_bytes())[0]
        return [found] if found else []
    return []


def is_locked(path: Path) -> bool:
    """Whether any process holds the lock on a file."""
    try:
        file = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def live_workers(folder: Path) -> list[str]:
    """Running workers of a crawl's folder on this machine."""
    return [path.stem for path in sorted((folder / "workers").glob("*.lock")) if is_locked(path)]


def new_worker_id() -> str:
    """A unique name of a worker.

    >>> new_worker_id() != new_worker_id()
    True
    """
    return f"{socket.gethostname()[:20]}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


def _free(frontier: Frontier, connection: Connection, worker: str) -> None:
    """Queue the claimed URLs of a worker again, and mark it dead."""
    u, h = sql_schema.urls.c, sql_schema.hosts.c
    query = select(u.host_id).where(u.owner == worker, u.state == int(State.CLAIMED)).distinct()
    frontier.lock_hosts(connection, connection.execute(query).scalars())
    held = states.give_back(connection, worker)
    for host, n in sorted(held.items()):
        connection.execute(update(sql_schema.hosts).where(h.id == host).values(taken=h.taken - n))
    frontier.rank(connection, held)
    connection.execute(
        update(sql_schema.workers).where(sql_schema.workers.c.id == worker).values(alive=False)
    )

"""Workers and their leases: who is alive, and whose work is given to others.

A worker that is killed lets go of two things: its beat in the database stops, and the lock on its
file under ``workers/`` is freed by the kernel. On the same machine the second tells at once, so
that ``crawl resume`` need not wait; elsewhere the lease must run out.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import socket
import uuid
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.frontier import Frontier
from linksight.crawl.frontier.sql_schema import State

MOST_LETTERS = 200  #: of a machine and a folder, as the table has room for


def machine_of(folder: Path) -> str:
    """What tells the workers of a crawl's folder from those of other folders and machines.

    >>> len(machine_of(Path("/" + "long/" * 100)))
    200
    """
    named = f"{socket.gethostname()}:{folder.resolve()}"
    short = hashlib.blake2b(named.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    return named if len(named) <= MOST_LETTERS else named[: MOST_LETTERS - len(short)] + short


class Lease:
    """This worker's sign of life; a context manager that gives everything back at its end."""

    def __init__(self, folder: Path, frontier: Frontier) -> None:
        self.folder = folder / "workers"
        self.frontier = frontier
        self.machine = machine_of(folder)
        self._file: int | None = None

    def __enter__(self) -> Lease:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.folder / f"{self.frontier.worker}.lock", os.O_CREAT | os.O_RDWR, 0o644)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        now = self.frontier.clock()
        row = {"id": self.frontier.worker, "machine": self.machine, "pid": os.getpid()}
        with self.frontier.begin() as connection:
            connection.execute(insert(sql_schema.workers), row | {"started": now, "beat": now, "alive": True})
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        # Where an error is on its way already, that one is to be told, not what it brings about here.
        passed_over = (SQLAlchemyError, OSError) if kind else ()
        with suppress(*passed_over), self.frontier.begin() as connection:
            _free(self.frontier, connection, self.frontier.worker)
        with suppress(*passed_over):
            self._unlock()

    def _unlock(self) -> None:
        if self._file is not None:
            (self.folder / f"{self.frontier.worker}.lock").unlink(missing_ok=True)
            os.close(self._file)
            self._file = None

    def beat(self) -> None:
        """Say that this worker lives."""
        w = sql_schema.workers.c
        with self.frontier.begin() as connection:
            connection.execute(
                update(sql_schema.workers)
                .where(w.id == self.frontier.worker)
                .values(beat=self.frontier.clock(), alive=True)
            )

    def reap(self) -> int:
        """Give the URLs of dead workers back to the queue; answers how many workers were dead."""
        w = sql_schema.workers.c
        with self.frontier.begin() as connection:
            query = select(w.id, w.machine, w.beat).where(w.alive, w.id != self.frontier.worker)
            if self.frontier.postgres:
                query = query.with_for_update(skip_locked=True)
            dead = [
                row.id for row in connection.execute(query) if self._is_dead(row.id, row.machine, row.beat)
            ]
            for worker in dead:
                _free(self.frontier, connection, worker)
        return len(dead)

    def _is_dead(self, worker: str, machine: str, beat: float) -> bool:
        if machine == self.machine:
            return not self.holds_lock(worker)
        return beat < self.frontier.clock() - self.frontier.config.lease

    def holds_lock(self, worker: str) -> bool:
        """Whether a process of this machine still holds the worker's lock."""
        return is_locked(self.folder / f"{worker}.lock")


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
    """Workers of a crawl's folder that run now on this machine."""
    return [path.stem for path in sorted((folder / "workers").glob("*.lock")) if is_locked(path)]


def new_worker_id() -> str:
    """A name that no other worker has, on any machine.

    >>> new_worker_id() != new_worker_id()
    True
    """
    return f"{socket.gethostname()[:20]}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


def _free(frontier: Frontier, connection: Connection, worker: str) -> None:
    """Queue again what a worker had claimed, and strike it off."""
    u, h = sql_schema.urls.c, sql_schema.hosts.c
    query = select(u.host_id, func.count()).where(u.owner == worker, u.state == int(State.CLAIMED))
    held = {host: n for host, n in connection.execute(query.group_by(u.host_id))}
    frontier.lock_hosts(connection, held)
    connection.execute(
        update(sql_schema.urls)
        .where(u.owner == worker, u.state == int(State.CLAIMED))
        .values(state=int(State.QUEUED), owner=None)
    )
    for host, n in sorted(held.items()):
        connection.execute(update(sql_schema.hosts).where(h.id == host).values(taken=h.taken - n))
    frontier.rank(connection, held)
    connection.execute(
        update(sql_schema.workers).where(sql_schema.workers.c.id == worker).values(alive=False)
    )

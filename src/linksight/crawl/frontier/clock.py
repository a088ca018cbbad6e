"""The clock that turns and leases go by: one for all workers, and steady while a worker runs.

A wall clock may be set back by an hour, or forward; then hosts would be left waiting, or workers
taken for dead. So the time is asked once, of the database where machines share one, and from there on
counted by the clock that nobody can set.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import Engine, text


class SteadyClock:
    """Seconds since 1970 as they stood when it was made, plus what has passed since.

    >>> clock = SteadyClock(lambda: 1000.0)
    >>> 1000.0 <= clock() < 1001.0
    True
    """

    def __init__(self, now: Callable[[], float] = time.time, *, is_shared: bool = False) -> None:
        self._now = now
        self._is_shared = is_shared
        self._offset = now() - time.monotonic()

    def synchronise(self) -> None:
        """Measure a shared clock again: the machine may have been suspended meanwhile."""
        if self._is_shared:
            self._offset = self._now() - time.monotonic()

    @classmethod
    def of(cls, engine: Engine) -> SteadyClock:
        """The clock of a database: the server's where there is one."""
        if engine.dialect.name != "postgresql":
            return cls()
        query = text("SELECT extract(epoch FROM clock_timestamp())")

        def now() -> float:
            with engine.connect() as connection:
                return float(connection.execute(query).scalar_one())

        return cls(now, is_shared=True)

    def __call__(self) -> float:
        return self.at(time.monotonic())

    def at(self, moment: float) -> float:
        """What it showed at a moment of the clock that nobody can set."""
        return self._offset + moment

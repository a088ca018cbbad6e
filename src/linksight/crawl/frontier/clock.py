"""Clock for delays and leases: shared by all workers, and monotonic while a worker runs.

If a wall clock is set back or forward, hosts would wait too long or live workers would expire. The time
is therefore read once, from the database server if there is one, and then counted by the monotonic clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import Engine, text


class SteadyClock:
    """Seconds since 1970 at its creation, plus the monotonic time since then.

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
        """The clock of a database: the server's for PostgreSQL, else the local one."""
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
        """Convert a monotonic time to this clock."""
        return self._offset + moment

"""Limits on rate and size, with errors that say what is allowed."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from starlette.exceptions import HTTPException

Receive = Callable[[], Any]
MOST_VISITORS = 10_000
MOST_DRAINED = 1 << 30  #: bytes of a body that nobody wants


class Buckets:
    """A bucket of tokens for each visitor: ``burst`` at once, ``rate`` a second in the long run.

    >>> buckets = Buckets(rate=1.0, burst=2, clock=lambda: 100.0)
    >>> [buckets.wait("a") for _ in range(3)], buckets.wait("b")
    ([0.0, 0.0, 1.0], 0.0)
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.burst, self.clock = rate, max(burst, 1), clock
        self._level: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, visitor: str) -> float:
        """Take a token; 0 if there was one, else the seconds until there is."""
        if self.rate <= 0:
            return 0.0
        now = self.clock()
        level, at = self._level.pop(visitor, (float(self.burst), now))
        level = min(float(self.burst), level + (now - at) * self.rate)
        allowed = level >= 1
        self._level[visitor] = (level - 1 if allowed else level, now)
        if len(self._level) > MOST_VISITORS:
            self._level.popitem(last=False)
        return 0.0 if allowed else (1 - level) / self.rate


class Intake:
    """The body of a request, with an error as soon as it is longer than it may be."""

    def __init__(self, receive: Receive, most: int) -> None:
        self.receive, self.most = receive, most
        self.size, self.is_over = 0, False

    async def __call__(self) -> Any:
        """The next message of the server."""
        message = await self._next()
        if self.size > self.most:
            raise HTTPException(413, too_large(self.most))
        return message

    async def drain(self) -> None:
        """Read what is left and keep nothing: a connection that is closed before takes its answer with it."""
        while not self.is_over and self.size < MOST_DRAINED:
            await self._next()

    async def _next(self) -> Any:
        message = await self.receive()
        self.size += len(message.get("body", b""))
        self.is_over = not message.get("more_body", False)
        return message


def too_large(most: int) -> str:
    """The sentence for a body over the limit.

    >>> too_large(64 << 20)
    'the body is larger than the 64 MiB that are allowed here'
    """
    shown = f"{most >> 20} MiB" if most >= 1 << 20 else f"{most:,} bytes"
    return f"the body is larger than the {shown} that are allowed here"

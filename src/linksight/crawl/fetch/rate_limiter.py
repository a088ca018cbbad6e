"""The pace of requests: to one host never sooner than its delay after the one before really started, and so to one IP address.

The worker plans when each request is due. On a busy machine, or behind an answer that is long in coming,
one may start late; were the next to start as planned, the host would be asked sooner than it wants.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

MAX_SLOW_SECONDS = 30.0  #: between two requests to a host, however slow it is
MOST_KEPT = 20_000  #: hosts that are remembered though nothing is under way there


@dataclass(slots=True)
class _Host:
    free: asyncio.Semaphore  #: connections that may still be opened
    line: asyncio.Lock = field(default_factory=asyncio.Lock)  #: who starts next
    last: float = float("-inf")  #: when the last request started
    gap: float = 0.0
    visitors: int = 0
    held_until: float = float("-inf")  #: the host has asked for a pause
    took: float = 0.0  #: seconds of its latest response


@dataclass(frozen=True, slots=True)
class Neighbours:
    """All hosts of one IP address, and the seconds between two requests to it."""

    address: str
    gap: float


class Held(Exception):
    """A host has asked for a pause since the request was planned."""


class Pace:
    """Hands out the starts of requests, in the order in which they are due."""

    def __init__(
        self,
        at_once: int,
        delay_factor: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.at_once = at_once
        self.delay_factor = delay_factor
        self._clock = clock
        self._sleep = sleep
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def turn(
        self, name: str, due: float, gap: float, near: Neighbours | None = None
    ) -> AsyncIterator[float]:
        """The block is the request, and its value the start; ``gap`` seconds at least lie before it."""
        await self._until(due)
        host = self._host(name)
        host.visitors += 1
        try:
            async with host.free:
                async with host.line:
                    # A host that takes long to answer is asked less often.
                    slow = min(self.delay_factor * host.took, MAX_SLOW_SECONDS) if gap > 0 else 0.0
                    await self._until(host.last + max(gap, slow))
                    if host.held_until > self._clock():
                        raise Held(name)
                    started = host.last = await self._start_beside(near) if near else self._clock()
                    host.gap = gap
                yield started
                host.took = self._clock() - started
        finally:
            host.visitors -= 1

    def hold(self, name: str, seconds: float) -> None:
        """Refuse the turns of a host that are due within some seconds: it has asked for a pause."""
        if seconds > 0:
            host = self._host(name)
            host.held_until = max(host.held_until, self._clock() + seconds)

    async def _start_beside(self, near: Neighbours) -> float:
        """The start of a request, once those to other hosts of its address are far enough behind."""
        shared = self._host(f"address {near.address}")
        shared.visitors += 1
        try:
            async with shared.line:
                await self._until(shared.last + near.gap)
                shared.last, shared.gap = self._clock(), near.gap
                return shared.last
        finally:
            shared.visitors -= 1

    async def _until(self, moment: float) -> None:
        while (wait := moment - self._clock()) > 0:  # a sleep may end a little early
            await self._sleep(wait)

    def _host(self, name: str) -> _Host:
        if len(self._hosts) >= MOST_KEPT and name not in self._hosts:
            now = self._clock()
            self._hosts = {
                key: host
                for key, host in self._hosts.items()
                if host.visitors or max(host.held_until, host.last + max(host.gap, 1.0)) > now
            }
        return self._hosts.setdefault(name, _Host(asyncio.Semaphore(self.at_once)))

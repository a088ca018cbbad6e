"""Rate limiter: a minimum delay between the starts of two requests to a host, and to an IP address.

The worker plans when each request is due. On a busy machine, or behind a slow response, a request may
start late. The delay is therefore counted from the actual start of the previous request.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

MAX_SLOW_SECONDS = 30.0  #: upper bound of the delay that a slow host causes
MAX_IDLE_HOSTS = 20_000  #: hosts in the table before those without requests are dropped


@dataclass(slots=True)
class _Host:
    connections: asyncio.Semaphore  #: connections that may still be opened
    start_lock: asyncio.Lock = field(default_factory=asyncio.Lock)  #: held by the request that starts next
    last_start: float = float("-inf")  #: when the last request started
    gap: float = 0.0
    pending: int = 0  #: requests that wait or run
    held_until: float = float("-inf")  #: end of the pause that the host asked for
    last_duration: float = 0.0  #: seconds of its latest response


@dataclass(frozen=True, slots=True)
class Neighbours:
    """All hosts of one IP address, and the seconds between two requests to it."""

    address: str
    gap: float


class Held(Exception):
    """The host asked for a pause after the request was planned."""


class Pace:
    """Hands out the starts of requests, in the order in which they are due."""

    def __init__(
        self,
        connections_per_host: int,
        delay_factor: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.connections_per_host = connections_per_host
        self.delay_factor = delay_factor
        self._clock = clock
        self._sleep = sleep
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def turn(
        self, name: str, due: float, gap: float, near: Neighbours | None = None
    ) -> AsyncIterator[float]:
        """Context of one request: waits until at least ``gap`` seconds after the previous start, yields the start."""
        await self._until(due)
        host = self._host(name)
        host.pending += 1
        try:
            async with host.connections:
                async with host.start_lock:
                    # A slow host gets fewer requests.
                    slow = min(self.delay_factor * host.last_duration, MAX_SLOW_SECONDS) if gap > 0 else 0.0
                    await self._until(host.last_start + max(gap, slow))
                    if host.held_until > self._clock():
                        raise Held(name)
                    started = host.last_start = await self._start_at_address(near) if near else self._clock()
                    host.gap = gap
                yield started
                host.last_duration = self._clock() - started
        finally:
            host.pending -= 1

    def hold(self, name: str, seconds: float) -> None:
        """Refuse requests to a host that are due within the next ``seconds``: it asked for a pause."""
        if seconds > 0:
            host = self._host(name)
            host.held_until = max(host.held_until, self._clock() + seconds)

    async def _start_at_address(self, near: Neighbours) -> float:
        """Wait for the delay of the IP address, which several hosts may share; returns the start."""
        shared = self._host(f"address {near.address}")
        shared.pending += 1
        try:
            async with shared.start_lock:
                await self._until(shared.last_start + near.gap)
                shared.last_start, shared.gap = self._clock(), near.gap
                return shared.last_start
        finally:
            shared.pending -= 1

    async def _until(self, moment: float) -> None:
        while (wait := moment - self._clock()) > 0:  # a sleep may end a little early
            await self._sleep(wait)

    def _host(self, name: str) -> _Host:
        if len(self._hosts) >= MAX_IDLE_HOSTS and name not in self._hosts:
            now = self._clock()
            self._hosts = {
                key: host
                for key, host in self._hosts.items()
                if host.pending or max(host.held_until, host.last_start + max(host.gap, 1.0)) > now
            }
        return self._hosts.setdefault(name, _Host(asyncio.Semaphore(self.connections_per_host)))

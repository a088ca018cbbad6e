"""Network outages: failures of many hosts at once that the network causes.

Requests that fail while no host answers are held back, and hosts that answered before are probed. If one
of them answers, the failed hosts are at fault. If none does, the crawl pauses until one answers, and the
URLs go back to the queue without counting as attempts.

>>> watch = OutageWatch()
>>> for host in ("a.nl", "b.nl", "c.nl"):
...     _ = watch.answered(host, "http://a.nl/")
>>> for host in ("d.nl", "a.nl", "b.nl"):
...     watch.failed(host)
>>> watch.is_suspected
True
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

MAX_HOSTS = 20  #: recently responsive hosts that are remembered
MIN_KNOWN = 2  #: hosts that must have answered before an outage can be suspected
MIN_FAILED = 3  #: hosts that must fail in a row
PROBES_PER_ROUND = 3
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 1.0, 15.0  #: between two rounds of probes
NO_DNS = "no-dns"  #: the error if no name resolves, not even those of hosts that answered before
#: Errors of an unreachable host, for any URL.
HOST_ERRORS = frozenset(("dns", "connection", "timeout"))
#: Errors that a network without connection causes.
NETWORK_ERRORS = HOST_ERRORS | {"download", NO_DNS}


class OutageWatch:
    """Distinguishes failures of hosts from failures of the network."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: OrderedDict[str, str] = OrderedDict()  # host: a URL on it
        self._failed: set[str] = set()
        self._pending: set[str] = set()
        self._next_round = 0.0
        self._pause = FIRST_PAUSE_SECONDS
        self.is_suspected = False
        self.is_confirmed = False
        self.since = 0.0  #: when the outage was first suspected

    def answered(self, host: str, url: str) -> bool:
        """Note a response of any kind; returns whether it ends a suspected outage."""
        self._known.pop(host, None)
        self._known[host] = url
        while len(self._known) > MAX_HOSTS:
            self._known.popitem(last=False)
        self._failed.clear()
        self._pending.clear()
        ended, self.is_suspected, self.is_confirmed = self.is_suspected, False, False
        self._pause = FIRST_PAUSE_SECONDS
        return ended

    def failed(self, host: str) -> None:
        """Note a request that failed with a network error."""
        self._failed.add(host)
        min_failed = min(MIN_FAILED, len(self._known))
        if not self.is_suspected and len(self._known) >= MIN_KNOWN and len(self._failed) >= min_failed:
            self.is_suspected, self.since = True, self._clock()
            self._next_round = 0.0

    def probes(self) -> list[str]:
        """URLs to probe now; empty while probes are pending, or before the next round."""
        if not self.is_suspected or self._pending or self._clock() < self._next_round:
            return []
        hosts = list(self._known)[-PROBES_PER_ROUND:]
        self._pending = set(hosts)
        # The next round probes others.
        for host in hosts:
            self._known.move_to_end(host, last=False)
        return [self._known[host] for host in hosts]

    def probe_failed(self, host: str) -> None:
        """Note a failed probe; after the last one of a round the outage is confirmed."""
        self._pending.discard(host)
        if not self._pending and self.is_suspected:
            self.is_confirmed = True
            self._next_round = self._clock() + self._pause
            self._pause = min(2 * self._pause, MAX_PAUSE_SECONDS)

"""Outages of the network: failures that hit many hosts at once say nothing of the hosts.

Requests that fail while no host answers are held back. Hosts that answered before are asked: does one of
them answer, the failures are the hosts' own; does none, the crawl pauses until one does, and the URLs go
back to the queue as if they had never been asked for.

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

MAX_HOSTS = 20  #: that answered lately and are remembered
MIN_KNOWN = 2  #: hosts that must have answered before an outage can be told from a host's failure
MIN_FAILED = 3  #: hosts that must fail with no answer in between
PROBES = 3  #: hosts that are asked at once
FIRST_PAUSE, MAX_PAUSE = 1.0, 15.0  #: seconds between two rounds of probes
NO_DNS = "no-dns"  #: the error where no name can be looked up, not even those of hosts that answered before
#: Errors of a host that cannot be reached, whatever the URL.
HOST_ERRORS = frozenset(("dns", "connection", "timeout"))
#: Errors that a network without connection causes.
NETWORK_ERRORS = HOST_ERRORS | {"download", NO_DNS}


class OutageWatch:
    """Tells failures of hosts from failures of the network."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: OrderedDict[str, str] = OrderedDict()  # host: an address of it
        self._failed: set[str] = set()
        self._pending: set[str] = set()
        self._next_round = 0.0
        self._pause = FIRST_PAUSE
        self.is_suspected = False
        self.is_confirmed = False
        self.since = 0.0  #: when the suspicion arose

    def answered(self, host: str, url: str) -> bool:
        """Note an answer of any kind; returns whether it ends a suspicion."""
        self._known.pop(host, None)
        self._known[host] = url
        while len(self._known) > MAX_HOSTS:
            self._known.popitem(last=False)
        self._failed.clear()
        self._pending.clear()
        ended, self.is_suspected, self.is_confirmed = self.is_suspected, False, False
        self._pause = FIRST_PAUSE
        return ended

    def failed(self, host: str) -> None:
        """Note a request that the network failed."""
        self._failed.add(host)
        enough = min(MIN_FAILED, len(self._known))
        if not self.is_suspected and len(self._known) >= MIN_KNOWN and len(self._failed) >= enough:
            self.is_suspected, self.since = True, self._clock()
            self._next_round = 0.0

    def probes(self) -> list[str]:
        """Addresses to ask now; none while others are on their way, or it is too early."""
        if not self.is_suspected or self._pending or self._clock() < self._next_round:
            return []
        hosts = list(self._known)[-PROBES:]
        self._pending = set(hosts)
        # The next round asks others.
        for host in hosts:
            self._known.move_to_end(host, last=False)
        return [self._known[host] for host in hosts]

    def probe_failed(self, host: str) -> None:
        """Note a probe without an answer; after the last of a round the outage is confirmed."""
        self._pending.discard(host)
        if not self._pending and self.is_suspected:
            self.is_confirmed = True
            self._next_round = self._clock() + self._pause
            self._pause = min(2 * self._pause, MAX_PAUSE)

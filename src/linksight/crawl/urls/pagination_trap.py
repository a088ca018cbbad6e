"""Counters without end: pages behind pages that differ in nothing but their numbers.

No address tells ``?page=7000`` of a list that is long from one that has ended long ago. Its pages do: behind the
end each is the one before with other digits, and each is found on the one before.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict

MOST = 50  #: pages in a row that may be the same but for their digits
_DIGITS = b"0123456789"


class Counters:
    """What pages of hosts look like without their digits, and how near to the seeds each was met first."""

    def __init__(self, most_kept: int = 50_000) -> None:
        self._most_kept = most_kept
        self._nearest: OrderedDict[bytes, int] = OrderedDict()

    def has_run_on(self, host: str, body: bytes, depth: int) -> bool:
        """Whether this page, met before, is now met further away than a list goes on.

        >>> counters = Counters()
        >>> [counters.has_run_on("a.nl", b"page %d" % n, n) for n in (0, 50, 51)]
        [False, False, True]
        """
        looks = hashlib.blake2b(
            body.translate(None, _DIGITS), digest_size=16, key=host.encode()[:64]
        ).digest()
        nearest = min(self._nearest.get(looks, depth), depth)
        self._nearest[looks] = nearest
        self._nearest.move_to_end(looks)
        while len(self._nearest) > self._most_kept:
            self._nearest.popitem(last=False)
        return depth - nearest > MOST

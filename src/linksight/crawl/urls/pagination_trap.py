"""Pagination traps: endless sequences of pages that differ only in their numbers.

A URL such as ``?page=7000`` does not show whether a list is long or ended long ago. Its pages do: beyond the
end each page equals the one before except for digits, and is linked from it.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict

MAX_PAGES_IN_A_ROW = 50  #: that may differ in digits only
_DIGITS = b"0123456789"


class Counters:
    """The smallest depth of each page without its digits, by host."""

    def __init__(self, max_pages: int = 50_000) -> None:
        self._max_pages = max_pages
        self._nearest: OrderedDict[bytes, int] = OrderedDict()

    def has_run_on(self, host: str, body: bytes, depth: int) -> bool:
        """Whether the same page, except for digits, was seen more than 50 links nearer to the seeds.

        >>> counters = Counters()
        >>> [counters.has_run_on("a.nl", b"page %d" % n, n) for n in (0, 50, 51)]
        [False, False, True]
        """
        key = hashlib.blake2b(body.translate(None, _DIGITS), digest_size=16, key=host.encode()[:64]).digest()
        nearest = min(self._nearest.get(key, depth), depth)
        self._nearest[key] = nearest
        self._nearest.move_to_end(key)
        while len(self._nearest) > self._max_pages:
            self._nearest.popitem(last=False)
        return depth - nearest > MAX_PAGES_IN_A_ROW

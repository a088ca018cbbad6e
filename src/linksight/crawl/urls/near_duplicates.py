"""Near-duplicates: pages of a host whose texts are the same but for a few words (SimHash, Charikar 2002).

A host that answers every address with one text ("page not found") gives nothing new, whatever language
that text is in. The share of near-duplicates among the latest pages of a host lowers its priority.

>>> text = b"<p>" + b" ".join(b"word%d" % n for n in range(60)) + b"</p>"
>>> novelty = Novelty()
>>> [novelty.observe("a.nl", fingerprint(text, "http://a.nl/")) for _ in range(2)]
[False, True]
"""

from __future__ import annotations

import re
import zlib
from collections import OrderedDict, deque
from dataclasses import dataclass, field

import numpy as np

MAX_DISTANCE = 3  #: bits that the fingerprints of near-duplicates differ in at most (Manku et al. 2007)
MAX_HOSTS = 5_000  #: that are remembered
MAX_FINGERPRINTS = 400  #: of a host that are remembered
MAX_BYTES = 120_000  #: of a page that are read
MIN_WORDS = 3
DECAY = 0.98  #: of the counts of a host with each page
ALLOWANCE = 3.0  #: near-duplicates that cost nothing
LIMIT = 20.0  #: in log-odds

_SECTION = re.compile(rb"<(/?(?:script|style)\b)[^<>]*>", re.IGNORECASE)
_TAG = re.compile(rb"<[^<>]*>")
_WORD = re.compile(rb"[0-9A-Za-z\x80-\xff]+")
_SHIFTS = np.arange(64, dtype=np.uint64)


def fingerprint(body: bytes, url: str = "") -> int | None:
    """The 64-bit SimHash of a page's distinct words; None where there are hardly any.

    Words of the page's own URL are left out: many error pages repeat the address.
    """
    text = _TAG.sub(b" ", _without_scripts(body[:MAX_BYTES]))
    words = set(_WORD.findall(text.lower())) - set(_WORD.findall(url.lower().encode("utf-8", "replace")))
    if len(words) < MIN_WORDS:
        return None
    hashes = np.array([zlib.crc32(word) << 32 | zlib.crc32(word[::-1], 7) for word in words], dtype=np.uint64)
    bits = (hashes[:, None] >> _SHIFTS) & np.uint64(1)
    majority = 2 * bits.sum(axis=0) > len(words)
    return int((majority.astype(np.uint64) << _SHIFTS).sum())


def _without_scripts(body: bytes) -> bytes:
    parts = _SECTION.split(body)
    kept, hidden = [parts[0]], b""
    for tag, text in zip(parts[1::2], parts[2::2], strict=True):
        name = tag.lower()
        if not hidden and not name.startswith(b"/"):
            hidden = name
        elif name == b"/" + hidden:
            hidden = b""
        if not hidden:
            kept.append(text)
    return b" ".join(kept)


def are_alike(one: int, other: int) -> bool:
    """Whether two fingerprints are those of near-duplicates."""
    return (one ^ other).bit_count() <= MAX_DISTANCE


def as_signed(value: int | None) -> int | None:
    """A fingerprint as databases store it: 64 bits with a sign.

    >>> as_signed(2**64 - 1), as_signed(1), as_signed(None)
    (-1, 1, None)
    """
    return None if value is None else value - (1 << 64) if value >= 1 << 63 else value


def as_unsigned(value: int | None) -> int | None:
    """The fingerprint that :func:`as_signed` stored."""
    return None if value is None else value & (1 << 64) - 1


@dataclass(slots=True)
class _Host:
    met: deque[int] = field(default_factory=lambda: deque(maxlen=MAX_FINGERPRINTS))
    fresh: float = 0.0
    repeated: float = 0.0


class Novelty:
    """Fingerprints of pages by host, and the share of near-duplicates lately."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, _Host] = OrderedDict()

    def observe(self, name: str, value: int | None) -> bool:
        """Remember a page; returns whether it is a near-duplicate of an earlier one of its host."""
        if value is None:
            return False
        host = self._hosts.pop(name, None) or _Host()
        self._hosts[name] = host
        while len(self._hosts) > MAX_HOSTS:
            self._hosts.popitem(last=False)
        is_duplicate = any(are_alike(value, other) for other in host.met)
        host.fresh *= DECAY
        host.repeated *= DECAY
        if is_duplicate:
            host.repeated += 1
        else:
            host.fresh += 1
            host.met.append(value)
        return is_duplicate

    def log_odds(self, name: str) -> float:
        """What a host's near-duplicates say against its other URLs; 0 while most of its pages are new."""
        host = self._hosts.get(name)
        if host is None:
            return 0.0
        return -min(max(host.repeated - 2 * host.fresh - ALLOWANCE, 0.0), LIMIT)

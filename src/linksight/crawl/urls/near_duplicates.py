"""Near-duplicate detection by SimHash (Charikar 2002): pages of a host that differ in a few words only.

A host that serves the same text for every URL ("page not found") yields no new pages. The share of
near-duplicates among the latest pages of a host or folder lowers its priority.

>>> text = b"<p>" + b" ".join(b"word%d" % n for n in range(60)) + b"</p>"
>>> novelty = Novelty()
>>> [novelty.observe(url, fingerprint(text, url)) for url in ("http://a.nl/", "http://a.nl/x")]
[False, True]
"""

from __future__ import annotations

import re
import zlib
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from linksight.crawl.urls.url_normalize import host_key

MAX_DISTANCE_BITS = 3  #: Hamming distance of near-duplicates in bits (Manku et al. 2007)
MAX_HOSTS = 5_000  #: in the table of fingerprints
MAX_FINGERPRINTS = 400  #: per host
MAX_PAGE_BYTES = 120_000  #: of a page that are read
MIN_WORDS = 3
MAX_PLACES = 20_000  #: hosts and folders with counters
DECAY = 0.95  #: factor of the counts for each further page
PRIOR = 0.1  #: share of near-duplicates before any page is known
PRIOR_PAGES = 2.0  #: weight of the prior, in pages
MAX_LOG_ODDS = 60.0  #: of the penalty: a place of near-duplicates ranks below all likely URLs of others

_SECTION = re.compile(rb"<(/?(?:script|style)\b)[^<>]*>", re.IGNORECASE)
_TAG = re.compile(rb"<[^<>]*>")
_DIGITS = re.compile(r"\d+")
#: Without numbers of up to four digits: dates, times and counters, which change with each URL.
_WORD = re.compile(rb"(?![0-9]{1,4}(?![0-9A-Za-z\x80-\xff]))[0-9A-Za-z\x80-\xff]+")
_SHIFTS = np.arange(64, dtype=np.uint64)


def fingerprint(body: bytes, url: str = "") -> int | None:
    """The 64-bit SimHash of a page's distinct words; None for fewer than ``MIN_WORDS``.

    Words of the page's URL are skipped: many error pages repeat the URL.
    """
    text = _TAG.sub(b" ", _without_scripts(body[:MAX_PAGE_BYTES]))
    words = set(_WORD.findall(text.lower())) - set(_WORD.findall(url.lower().encode("utf-8", "replace")))
    if len(words) < MIN_WORDS:
        return None
    hashes = np.array([zlib.crc32(word) << 32 | zlib.crc32(word[::-1], 7) for word in words], dtype=np.uint64)
    bits = (hashes[:, None] >> _SHIFTS) & np.uint64(1)
    majority = 2 * bits.sum(axis=0) > len(words)
    return int((majority.astype(np.uint64) << _SHIFTS).sum())


def _without_scripts(body: bytes) -> bytes:
    parts = _SECTION.split(body)
    visible, hidden = [parts[0]], b""
    for tag, text in zip(parts[1::2], parts[2::2], strict=True):
        name = tag.lower()
        if not hidden and not name.startswith(b"/"):
            hidden = name
        elif name == b"/" + hidden:
            hidden = b""
        if not hidden:
            visible.append(text)
    return b" ".join(visible)


def are_alike(one: int, other: int) -> bool:
    """Whether two fingerprints belong to near-duplicates."""
    return (one ^ other).bit_count() <= MAX_DISTANCE_BITS


def as_signed(value: int | None) -> int | None:
    """A fingerprint as a signed 64-bit integer, for databases.

    >>> as_signed(2**64 - 1), as_signed(1), as_signed(None)
    (-1, 1, None)
    """
    return None if value is None else value - (1 << 64) if value >= 1 << 63 else value


def as_unsigned(value: int | None) -> int | None:
    """The inverse of :func:`as_signed`."""
    return None if value is None else value & (1 << 64) - 1


@dataclass(slots=True)
class _Counts:
    """Decayed counts of a host's or folder's pages and of the near-duplicates among them."""

    pages: float = 0.0
    repeated: float = 0.0

    def add(self, is_duplicate: bool) -> None:
        self.pages = self.pages * DECAY + 1
        self.repeated = self.repeated * DECAY + is_duplicate


_NO_PAGES = _Counts()


class Novelty:
    """Fingerprints of pages, and the recent share of near-duplicates by host, query fields and folder."""

    def __init__(self) -> None:
        self._fingerprints: OrderedDict[str, deque[int]] = OrderedDict()  # by host
        self._counts: OrderedDict[str, _Counts] = OrderedDict()  # by place

    def observe(self, url: str, value: int | None) -> bool:
        """Add a page; returns whether it is a near-duplicate of an earlier page of its host."""
        if value is None:
            return False
        host = host_key(url)
        seen = self._fingerprints.pop(host, None) or deque(maxlen=MAX_FINGERPRINTS)
        self._fingerprints[host] = seen
        _shorten(self._fingerprints, MAX_HOSTS)
        is_duplicate = any(are_alike(value, other) for other in seen)
        if not is_duplicate:
            seen.append(value)
        for place in (host, *places_of(url)):
            counts = self._counts.pop(place, None) or _Counts()
            counts.add(is_duplicate)
            self._counts[place] = counts
        _shorten(self._counts, MAX_PLACES)
        return is_duplicate

    def repeats(self, host: str, url: str = "") -> float:
        """The probability of a near-duplicate, for a host or a URL; each place is the prior of the next deeper one."""
        share = PRIOR
        for place in (host, *(places_of(url) if url else ())):
            counts = self._counts.get(place, _NO_PAGES)
            share = (counts.repeated + PRIOR_PAGES * share) / (counts.pages + PRIOR_PAGES)
        return share

    def log_odds(self, host: str, url: str = "") -> float:
        """The penalty in log-odds (at most 0) for near-duplicates of a host, or at a URL."""
        return -MAX_LOG_ODDS * max(self.repeats(host, url) - PRIOR, 0.0) / (1 - PRIOR)


def places_of(url: str) -> tuple[str, ...]:
    """Groups of similar URLs, which one script usually serves: same query fields, same folders.

    >>> places_of("http://www.a.nl/kalender/2026/11/?dag=3"), places_of("http://a.nl/nieuws/7.html")
    (('a.nl?dag', 'a.nl/kalender/#/?dag'), ('a.nl/nieuws/',))
    """
    host, (path, mark, query) = host_key(url), url.partition("?")
    _, _, *folders, name = path.split("/")[1:]
    fields = mark + "&".join(sorted({part.partition("=")[0] for part in query.split("&")}))
    folder = "/".join([*folders[:2], name if mark else ""]) + fields
    folder = f"{host}/{_DIGITS.sub('#', folder)}"
    return (host + fields, folder) if mark else (folder,)


def _shorten(known: OrderedDict[Any, Any], max_length: int) -> None:
    while len(known) > max_length:
        known.popitem(last=False)

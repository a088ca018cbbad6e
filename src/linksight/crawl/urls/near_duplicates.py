"""Near-duplicates: pages of a host whose texts are the same but for a few words (SimHash, Charikar 2002).

A host that answers every address with one text ("page not found") gives nothing new, whatever language
that text is in. The share of near-duplicates among the latest pages of a host or folder lowers its priority.

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

MAX_DISTANCE = 3  #: bits that the fingerprints of near-duplicates differ in at most (Manku et al. 2007)
MAX_HOSTS = 5_000  #: that are remembered
MAX_FINGERPRINTS = 400  #: of a host that are remembered
MAX_BYTES = 120_000  #: of a page that are read
MIN_WORDS = 3
MAX_PLACES = 20_000  #: hosts and folders whose pages are counted
DECAY = 0.95  #: of the counts with each page
PRIOR = 0.1  #: share of near-duplicates where no page is known
WEIGHT = 2.0  #: pages that the prior of a place is worth
LIMIT = 60.0  #: in log-odds: a place that mostly repeats itself comes after any URL of another that likely is in the language

_SECTION = re.compile(rb"<(/?(?:script|style)\b)[^<>]*>", re.IGNORECASE)
_TAG = re.compile(rb"<[^<>]*>")
_DIGITS = re.compile(r"\d+")
#: Numbers of up to four digits are dates, times and counters, which change with each address.
_WORD = re.compile(rb"(?![0-9]{1,4}(?![0-9A-Za-z\x80-\xff]))[0-9A-Za-z\x80-\xff]+")
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
class _Counts:
    """Pages of a host or folder lately, and the near-duplicates among them."""

    pages: float = 0.0
    repeated: float = 0.0

    def add(self, is_duplicate: bool) -> None:
        self.pages = self.pages * DECAY + 1
        self.repeated = self.repeated * DECAY + is_duplicate


_NO_PAGES = _Counts()


class Novelty:
    """Fingerprints of pages, and the share of near-duplicates lately, by host, query fields and folder."""

    def __init__(self) -> None:
        self._met: OrderedDict[str, deque[int]] = OrderedDict()  # by host
        self._counts: OrderedDict[str, _Counts] = OrderedDict()  # by place

    def observe(self, url: str, value: int | None) -> bool:
        """Remember a page; returns whether it is a near-duplicate of an earlier one of its host."""
        if value is None:
            return False
        host = host_key(url)
        met = self._met.pop(host, None) or deque(maxlen=MAX_FINGERPRINTS)
        self._met[host] = met
        _shorten(self._met, MAX_HOSTS)
        is_duplicate = any(are_alike(value, other) for other in met)
        if not is_duplicate:
            met.append(value)
        for place in (host, *places_of(url)):
            counts = self._counts.pop(place, None) or _Counts()
            counts.add(is_duplicate)
            self._counts[place] = counts
        _shorten(self._counts, MAX_PLACES)
        return is_duplicate

    def repeats(self, host: str, url: str = "") -> float:
        """The probability that a page of a host, or at a URL of it, repeats another; each place is the prior of the next."""
        share = PRIOR
        for place in (host, *(places_of(url) if url else ())):
            counts = self._counts.get(place, _NO_PAGES)
            share = (counts.repeated + WEIGHT * share) / (counts.pages + WEIGHT)
        return share

    def log_odds(self, host: str, url: str = "") -> float:
        """What near-duplicates say against fetching more of a host, or the page at a URL of it; 0 where they are few."""
        return -LIMIT * max(self.repeats(host, url) - PRIOR, 0.0) / (1 - PRIOR)


def places_of(url: str) -> tuple[str, ...]:
    """What one script of a host mostly serves: URLs with the same query fields, and those in the same folders.

    >>> places_of("http://www.a.nl/kalender/2026/11/?dag=3"), places_of("http://a.nl/nieuws/7.html")
    (('a.nl?dag', 'a.nl/kalender/#/?dag'), ('a.nl/nieuws/',))
    """
    host, (path, mark, query) = host_key(url), url.partition("?")
    _, _, *folders, name = path.split("/")[1:]
    fields = mark + "&".join(sorted({part.partition("=")[0] for part in query.split("&")}))
    folder = "/".join([*folders[:2], name if mark else ""]) + fields
    folder = f"{host}/{_DIGITS.sub('#', folder)}"
    return (host + fields, folder) if mark else (folder,)


def _shorten(known: OrderedDict[Any, Any], most: int) -> None:
    while len(known) > most:
        known.popitem(last=False)

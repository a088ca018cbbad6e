"""Referrals: which other sites, with a page in the language, link to a URL that waits.

What several sites say adds up, what one site says again does not: so sites are remembered, as a few
letters of their digest each, in a short text that the queue keeps beside the URL.

>>> known = heard("", "a.nl")
>>> count(known, "b.nl"), count(known, "a.nl"), count(heard(known, "b.nl"), "c.nl")
(1, 0, 2)
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

MOST = 4  #: sites that are remembered: by then there is little doubt left
_LETTERS = 6
FULL = "".join(f"{number:06x}" for number in range(MOST))  #: nobody can add to this


def heard(known: str, site: str) -> str:
    """The text with one more site, where it is new and there is room."""
    name = _name(site)
    return known if name in _names(known) or len(_names(known)) >= MOST else known + name


def count(known: str, site: str) -> int:
    """How many sites besides this one have been heard."""
    return len(_names(known) - {_name(site)})


def has(known: str, site: str) -> bool:
    """Whether a site has been heard."""
    return _name(site) in _names(known)


def is_news(known: str, site: str) -> bool:
    """Whether a site's word would add anything."""
    return heard(known, site) != known


def _names(known: str) -> set[str]:
    return {known[at : at + _LETTERS] for at in range(0, len(known), _LETTERS)}


@lru_cache(maxsize=10_000)
def _name(site: str) -> str:
    return hashlib.blake2b(site.encode("utf-8", "replace"), digest_size=_LETTERS // 2).hexdigest()


class RecentUrls:
    """URLs met lately, with the sites of the language that spoke for them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now: dict[str, str] = {}
        self._before: dict[str, str] = {}

    def has(self, url: str, speaker: str) -> bool:
        """Whether the URL was met, and nobody new speaks for it; remembers both."""
        met = self._now.get(url, self._before.get(url))
        if met is not None and not (speaker and is_news(met, speaker)):
            return True
        self._keep(url, heard(met or "", speaker) if speaker else "")
        return False

    def settle(self, url: str) -> None:
        """Nothing that anybody says of the URL matters any more."""
        self._keep(url, FULL)

    def _keep(self, url: str, heard: str) -> None:
        self._now[url] = heard
        if len(self._now) > self._most // 2:
            self._before, self._now = self._now, {}

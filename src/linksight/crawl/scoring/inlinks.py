"""Inlinks: which other sites link to a queued URL from a page in the language.

Only links of different sites add up. The queue therefore stores up to ``MAX_SITES`` sites with each URL,
as a string of digest prefixes with six letters each.

>>> known = add_site("", "a.nl")
>>> count(known, "b.nl"), count(known, "a.nl"), count(add_site(known, "b.nl"), "c.nl")
(1, 0, 2)
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

MAX_SITES = 4  #: in the string: more would add little evidence
_DIGEST_LETTERS = 6
FULL = "".join(f"{number:06x}" for number in range(MAX_SITES))  #: a full string, to which no site is added


def add_site(known: str, site: str) -> str:
    """The string with one more site, if the site is new and the string is not full."""
    name = _name(site)
    return known if name in _names(known) or len(_names(known)) >= MAX_SITES else known + name


def count(known: str, site: str) -> int:
    """Number of sites in the string, except ``site``."""
    return len(_names(known) - {_name(site)})


def has(known: str, site: str) -> bool:
    """Whether the string has a site."""
    return _name(site) in _names(known)


def is_news(known: str, site: str) -> bool:
    """Whether adding a site would change the string."""
    return add_site(known, site) != known


def _names(known: str) -> set[str]:
    return {known[at : at + _DIGEST_LETTERS] for at in range(0, len(known), _DIGEST_LETTERS)}


@lru_cache(maxsize=10_000)
def _name(site: str) -> str:
    return hashlib.blake2b(site.encode("utf-8", "replace"), digest_size=_DIGEST_LETTERS // 2).hexdigest()


class RecentUrls:
    """Recently seen URLs, with the sites that link to them from a page in the language."""

    def __init__(self, max_urls: int) -> None:
        self._max_urls = max_urls
        self._recent: dict[str, str] = {}
        self._older: dict[str, str] = {}

    def has(self, url: str, site: str) -> bool:
        """Whether the URL was seen and ``site`` (if any) is not new; adds both."""
        sites = self._recent.get(url, self._older.get(url))
        if sites is not None and not (site and is_news(sites, site)):
            return True
        self._store(url, add_site(sites or "", site) if site else "")
        return False

    def settle(self, url: str) -> None:
        """Mark a URL as decided: further links to it add no evidence."""
        self._store(url, FULL)

    def _store(self, url: str, sites: str) -> None:
        self._recent[url] = sites
        if len(self._recent) > self._max_urls // 2:
            self._older, self._recent = self._recent, {}

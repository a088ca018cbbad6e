"""Session parameters, found by their effect: query fields whose value changes nothing on the page.

A field is ignored on a host once pages that differ in nothing but its value had the same text, at two
addresses at least, and never another text.

>>> found = SessionParameters()
>>> for page in (1, 2):
...     for visit in "abc":
...         _ = found.observe("a.nl", f"http://a.nl/{page}?s={visit}", 0xFFFF << 16 * page)
>>> found.strip("a.nl", "http://a.nl/3?x=1&s=q")
'http://a.nl/3?x=1'
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from linksight.crawl.urls.near_duplicates import are_alike

MAX_HOSTS = 2_000  #: that are remembered
MAX_PAGES = 400  #: of a field of a host that are remembered
MAX_FIELDS = 6  #: of a query that are looked at
MIN_PAGES = 2  #: addresses at which the value must make no difference


@dataclass(slots=True)
class _Field:
    """What the values of one field did: the text of each address without the field."""

    texts: dict[str, tuple[str, int]] = field(default_factory=dict)  # address: (value, fingerprint)
    alike: set[str] = field(default_factory=set)
    is_needed: bool = False


class SessionParameters:
    """Query fields that name a visit, by host."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, defaultdict[str, _Field]] = OrderedDict()
        self._ignored: dict[str, frozenset[str]] = {}

    def observe(self, host: str, url: str, text: int | None) -> str:
        """Remember a page by its address and fingerprint; returns the field that is found out by it, or nothing."""
        fields = _fields_of(url)
        if text is None or not fields or len(fields) > MAX_FIELDS:
            return ""
        known = self._hosts.pop(host, None) or defaultdict(_Field)
        self._hosts[host] = known
        while len(self._hosts) > MAX_HOSTS:
            self._hosts.popitem(last=False)
        for name, value in fields:
            if self._learn(known[name], without(url, {name}), value, text) and name not in self.ignored(host):
                self._ignored[host] = self.ignored(host) | {name}
                return name
        return ""

    def _learn(self, known: _Field, address: str, value: str, text: int) -> bool:
        before = known.texts.get(address)
        if before is None:
            if len(known.texts) < MAX_PAGES:
                known.texts[address] = (value, text)
        elif before[0] != value:
            if are_alike(before[1], text):
                # One text at every address is that of a host, and not of these pages.
                others = (other for place, (_, other) in known.texts.items() if place != address)
                if not any(are_alike(other, text) for other in others):
                    known.alike.add(address)
            else:
                known.is_needed = True
        return not known.is_needed and len(known.alike) >= MIN_PAGES

    def ignored(self, host: str) -> frozenset[str]:
        """The fields that name a visit on a host."""
        return self._ignored.get(host, frozenset())

    def restore(self, rows: Iterable[tuple[str, Iterable[str]]]) -> None:
        """Take up what was found out before: hosts with their fields."""
        for host, names in rows:
            self._ignored[host] = self.ignored(host) | frozenset(names)

    def strip(self, host: str, url: str) -> str:
        """The URL without the fields that name a visit."""
        names = self._ignored.get(host)
        return without(url, names) if names and "?" in url else url


def _fields_of(url: str) -> list[tuple[str, str]]:
    query = url.partition("?")[2]
    pairs = (part.partition("=") for part in query.split("&") if part)
    return [(name, value) for name, _, value in pairs]


def without(url: str, names: Iterable[str]) -> str:
    """A URL without some fields of its query.

    >>> without("http://a.nl/?a=1&b=2&a=3", {"a"}), without("http://a.nl/x?a=1", {"a"})
    ('http://a.nl/?b=2', 'http://a.nl/x')
    """
    head, mark, query = url.partition("?")
    gone = set(names)
    kept = "&".join(part for part in query.split("&") if part.partition("=")[0] not in gone)
    return f"{head}?{kept}" if mark and kept else head

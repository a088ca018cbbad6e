"""Session parameters, detected by their effect: query fields whose value does not change the page.

If two URLs of one path have the same text, the fields in which they differ have no effect there. A field
is ignored on a host after two of its values had no effect, at two URLs without it. A field is needed if
two pages that differ only in this field have different texts.

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

MAX_HOSTS = 2_000  #: in the table
MAX_PATHS = 200  #: per host
MAX_VERSIONS = 40  #: per path
MAX_FIELDS = 6  #: of a query; longer ones are skipped
MIN_URLS = 2  #: without the field, at which its values must have no effect
MIN_VALUES = 2  #: that must have no effect

Fields = dict[str, str]


@dataclass(slots=True)
class _Effect:
    """Observed effect of one field."""

    urls: set[str] = field(default_factory=set)  #: without the field, at which it had no effect
    values: set[str] = field(default_factory=set)  #: that had no effect
    is_needed: bool = False

    @property
    def is_absent(self) -> bool:
        return not self.is_needed and len(self.urls) >= MIN_URLS and len(self.values) >= MIN_VALUES


@dataclass(slots=True)
class _Host:
    """The versions of each path, with their texts, and the effects of the fields."""

    versions: OrderedDict[str, list[tuple[Fields, int]]] = field(default_factory=OrderedDict)
    effects: defaultdict[str, _Effect] = field(default_factory=lambda: defaultdict(_Effect))

    def compare(self, path: str, fields: Fields, text: int) -> None:
        """Compare a page with the known versions of its path, and remember it."""
        known = self.versions.pop(path, [])
        # The same text at every path, such as an error page, is no evidence.
        is_common = bool(known) and any(are_alike(text, some[0][1]) for some in self.versions.values())
        for other, its_text in known:
            names = {name for name, _ in fields.items() ^ other.items()}
            if not are_alike(text, its_text):
                if len(names) == 1:
                    self.effects[names.pop()].is_needed = True
            elif not is_common:
                rest = "&".join(sorted(f"{name}={fields[name]}" for name in fields.keys() - names))
                for name in names:
                    self.effects[name].urls.add(f"{path}?{rest}")
                    self.effects[name].values |= {some[name] for some in (fields, other) if name in some}
        self.versions[path] = [*known, (fields, text)][:MAX_VERSIONS]
        while len(self.versions) > MAX_PATHS:
            self.versions.popitem(last=False)


class SessionParameters:
    """Session parameters by host."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._ignored: dict[str, frozenset[str]] = {}

    def observe(self, host: str, url: str, text: int | None) -> list[str]:
        """Add a page by its URL and fingerprint; returns the newly detected session parameters."""
        fields = _fields_of(url)
        if text is None or len(fields) > MAX_FIELDS:
            return []
        known = self._hosts.pop(host, None) or _Host()
        self._hosts[host] = known
        while len(self._hosts) > MAX_HOSTS:
            self._hosts.popitem(last=False)
        known.compare(url.partition("?")[0], fields, text)
        ignored = self.ignored(host)
        fresh = [name for name in fields.keys() - ignored if known.effects[name].is_absent]
        if fresh:
            self._ignored[host] = ignored | set(fresh)
        return fresh

    def ignored(self, host: str) -> frozenset[str]:
        """The session parameters of a host."""
        return self._ignored.get(host, frozenset())

    def restore(self, rows: Iterable[tuple[str, Iterable[str]]]) -> None:
        """Restore stored session parameters: hosts with their fields."""
        for host, names in rows:
            self._ignored[host] = self.ignored(host) | frozenset(names)

    def strip(self, host: str, url: str) -> str:
        """The URL without session parameters."""
        names = self._ignored.get(host)
        return without(url, names) if names and "?" in url else url


def _fields_of(url: str) -> Fields:
    query = url.partition("?")[2]
    return dict(part.partition("=")[::2] for part in query.split("&") if part)


def without(url: str, names: Iterable[str]) -> str:
    """A URL without some fields of its query.

    >>> without("http://a.nl/?a=1&b=2&a=3", {"a"}), without("http://a.nl/x?a=1", {"a"})
    ('http://a.nl/?b=2', 'http://a.nl/x')
    """
    head, mark, query = url.partition("?")
    removed = set(names)
    rest = "&".join(part for part in query.split("&") if part.partition("=")[0] not in removed)
    return f"{head}?{rest}" if mark and rest else head

"""Hosting countries: resolve a host by DNS, and look up its address in an ``.mmdb`` database."""

from __future__ import annotations

import ipaddress
import os
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, InitVar, dataclass, fields
from pathlib import Path
from threading import Lock
from typing import Any

from linksight.errors import BadConfig, BadData, MissingExtra

_LIMITS = {"timeout_s": 600, "n_workers": 1024, "cache_size": 100_000_000}  #: what a model file may ask for

#: Databases, with name servers, that the user of this process named. Others, from model files, are not used.
_NAMED: set[tuple[str, tuple[str, ...]]] = set()


@dataclass(repr=False, eq=False)
class HostingCountries:
    """Countries of hosts by DNS and an address database, many at a time, with a cache.

    ``database`` is an ``.mmdb`` file from address to country, of MaxMind or of anyone. Without
    ``nameservers`` (``"9.9.9.9"`` or ``"127.0.0.1:5353"``) the machine's own are used. A host without
    an answer within ``timeout_s`` has no country; ``problems`` counts the reasons.
    """

    database: str | os.PathLike[str]
    _: KW_ONLY
    nameservers: Sequence[str] = ()
    timeout_s: float = 2.0
    n_workers: int = 64
    cache_size: int = 500_000
    trusted: InitVar[bool] = True  #: whether the user names the database, not a model file

    def __post_init__(self, trusted: bool) -> None:
        self.database = os.fspath(self.database)
        self.nameservers = tuple(self.nameservers)
        if trusted:
            _NAMED.add(self._place())
        self.problems: Counter[str] = Counter()
        self._cache: OrderedDict[str, str | None] = OrderedDict()
        self._lock = Lock()
        self._reader: Any = None
        self._resolver: Any = None

    @classmethod
    def of(cls, given: HostingCountries | str | os.PathLike[str]) -> HostingCountries:
        """What a caller gave: hosting countries, or the path of their database."""
        return given if isinstance(given, HostingCountries) else cls(given)

    def as_dict(self) -> dict[str, Any]:
        """The settings, as plain values."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return values | {"nameservers": list(self.nameservers)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> HostingCountries:
        """Restore the settings in a model file; a database that the user has not named is never opened."""
        database, servers = values["database"], values["nameservers"]
        if not isinstance(database, str) or not all(isinstance(text, str) for text in servers):
            raise BadConfig("hosting countries: the names of a file and of servers are needed")
        for name, limit in _LIMITS.items():
            if not isinstance(values[name], int | float) or not 0 < values[name] <= limit:
                raise BadConfig(f"hosting countries: {name} must lie between 0 and {limit:,}")
        return cls(**values, trusted=False)

    def _place(self) -> tuple[str, tuple[str, ...]]:
        return str(Path(self.database).resolve()), tuple(self.nameservers)

    def __repr__(self) -> str:
        return f"HostingCountries({self.database!r})"

    def __deepcopy__(self, memo: dict[int, Any]) -> HostingCountries:
        return self  # scikit-learn's clone copies parameters; the cache is shared

    def __getstate__(self) -> dict[str, Any]:
        """The settings and the cache, for another process, which opens the database itself."""
        return {"settings": self.as_dict(), "countries": dict(self._cache)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["settings"])  # type: ignore[misc]
        self.remember(state["countries"])

    def country(self, host: str) -> str | None:
        """The country of one host, or None."""
        return self.countries([host])[0]

    def countries(self, hosts: Iterable[str]) -> list[str | None]:
        """The country of each host: two letters in lower case, or None where it is unknown."""
        asked = list(hosts)
        self._open()
        new = [host for host in dict.fromkeys(asked) if host not in self._cache]
        found = dict(self._look_up_all(new))
        answers = [found[host] if host in found else self._cache.get(host) for host in asked]
        with self._lock:
            self._cache.update(found)
            while len(self._cache) > self.cache_size:
                self._cache.popitem(last=False)
        return answers

    def remember(self, countries: Mapping[str, str | None]) -> None:
        """Take the countries of hosts that were looked up before."""
        with self._lock:
            self._cache.update(countries)

    def _look_up_all(self, hosts: list[str]) -> Iterable[tuple[str, str | None]]:
        if len(hosts) < 2:
            return [(host, self._look_up(host)) for host in hosts]
        with ThreadPoolExecutor(max_workers=min(self.n_workers, len(hosts))) as pool:
            return list(zip(hosts, pool.map(self._look_up, hosts), strict=True))

    def _look_up(self, host: str) -> str | None:
        address = host if _is_address(host) else self._resolve(host)
        if address is None:
            return None
        try:
            country = country_of(self._reader.get(address))
        except ValueError:  # an IPv6 address, and the database knows IPv4 only
            country = None
        if country is None:
            self._count("no country")
        return country

    def _resolve(self, host: str) -> str | None:
        import dns.exception
        import dns.resolver

        problem = "no address"
        for kind in ("A", "AAAA"):
            try:
                return str(self._resolver.resolve(host, kind, lifetime=self.timeout_s)[0])
            except dns.resolver.NXDOMAIN:
                problem = "no such host"
                break
            except dns.exception.Timeout:
                problem = "no answer in time"
                break
            except (dns.exception.DNSException, UnicodeError, OSError):
                continue
        self._count(problem)
        return None

    def _count(self, problem: str) -> None:
        with self._lock:
            self.problems[problem] += 1

    def _open(self) -> None:
        if self._reader is not None:
            return
        if self._place() not in _NAMED:
            raise BadConfig(
                f"the model file names the database {self.database!r}, and linksight opens no file that a model names: "
                "give your own, load(path, hosting=...) or --hosting FILE"
            )
        try:
            import dns.resolver
            import maxminddb
        except ImportError as error:
            raise MissingExtra(str(error.name), "geo", "hosting countries") from None
        if not Path(self.database).is_file():
            raise BadData(f"{self.database}: no such file; hosting countries need an .mmdb database")
        try:
            self._reader = maxminddb.open_database(self.database)
        except (maxminddb.InvalidDatabaseError, OSError) as error:
            raise BadData(f"{self.database}: not an .mmdb database ({error})") from error
        self._resolver = dns.resolver.Resolver(configure=not self.nameservers)
        if self.nameservers:
            self._resolver.nameservers = [_nameserver(text) for text in self.nameservers]


def country_of(record: Any) -> str | None:
    """The country in a database's record, however it is laid out.

    >>> country_of({"country": {"iso_code": "DE"}}), country_of({"country_code": "NL"}), country_of(None)
    ('de', 'nl', None)
    """
    if not isinstance(record, dict):
        return None
    for name in ("country_code", "country", "registered_country"):
        value = record.get(name)
        if isinstance(value, dict):
            value = value.get("iso_code")
        if isinstance(value, str) and len(value) == 2:
            return value.lower()
    return None


def _nameserver(text: str) -> Any:
    import dns.nameserver

    address, _, port = text.rpartition(":") if text.count(":") == 1 else (text, "", "53")
    if not _is_address(address) or not port.isdecimal():
        raise BadConfig(f"not a name server: {text!r}; write 9.9.9.9 or 127.0.0.1:5353")
    return dns.nameserver.Do53Nameserver(address, int(port))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True

"""CrawlConfig: the settings of a crawl, each with its default and help text."""

from __future__ import annotations

import json
import math
import os
import re
import tomllib
from dataclasses import asdict, dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from linksight.crawl.urls.scope_rules import SEED_SCOPES, Scope
from linksight.errors import BadConfig
from linksight.languages import registry
from linksight.system.atomic_write import write_whole
from linksight.system.database import without_password

_CONTACT = re.compile(r"[^\s@<>]+@[^\s@<>.]+\.[^\s@<>]+|https?://[^\s<>.]+\.[^\s<>]+", re.ASCII)
#: Settings that cannot change after the start of a crawl.
FIXED = (
    "language",
    "targets",
    "store",
    "strategy",
    "seeds",
    "seed_details",
    "seed",
    "model",
    "labels",
    "patterns",
)
FILE = "crawl.json"  #: configuration file in the folder of a crawl


def setting(default: Any, help: str) -> Any:
    """Declare a field with its help text, for the command line and the docs."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, kw_only=True)
class CrawlConfig:
    """Settings of a crawl.

    >>> CrawlConfig(language="Dutch").language
    'nl'
    >>> CrawlConfig(language="nl", delay=-1)
    Traceback (most recent call last):
    linksight.errors.BadConfig: delay: must not be negative, not -1
    """

    language: str = setting("und", "the language to look for")
    seeds: tuple[str, ...] = setting((), "where to start")
    contact: str = setting("", "your mail address or URL; required, sent with each request")
    targets: tuple[str, ...] = setting((), "languages with their quotas, from language")
    include: tuple[str, ...] = setting((), "scope rules KIND:VALUE that URLs must match one of")
    exclude: tuple[str, ...] = setting((), "scope rules KIND:VALUE that leave out URLs")
    seed_scope: str = setting("any", "stay with each seed's page, prefix, host or domain; or any")
    seed_details: tuple[tuple[str, ...], ...] = setting(
        (), "URL, label, note and scope of seeds from a table"
    )
    strategy: str = setting("adaptive", "how to choose the next page")
    store: str = setting("", "database URL; empty: a SQLite file in the crawl's folder")
    model: str = setting("", "URL model file; empty: the bundled model")
    labels: str = setting("", "labelled URLs to train the naive Bayes of the filter strategy on")
    patterns: str = setting("", "URL patterns (a file of `linksight site learn`) to learn languages by")
    learn_patterns: bool = setting(True, "learn the URL patterns of hosts on the way")
    seed: int = setting(1, "the seed of every draw")

    max_pages: int = setting(10_000, "stop after this many pages; 0: no limit")
    max_pages_per_host: int = setting(0, "pages of one host (the paper's 10); 0: no limit")
    max_pages_per_site: int = setting(0, "pages of one registered domain; 0: no limit")
    max_depth: int = setting(0, "links away from a seed; 0: no limit")
    max_seconds: float = setting(0.0, "stop after this time; 0: no limit")
    max_bytes: int = setting(0, "stop after about this many bytes of pages; 0: no limit")
    max_page_bytes: int = setting(10_000_000, "cut larger pages off here, also once decompressed")
    max_links: int = setting(2_000, "links taken from one page")
    max_urls_per_host: int = setting(20_000, "URLs of one host in the database; 0: no limit")
    max_urls_per_site: int = setting(100_000, "URLs of one registered domain in the database; 0: no limit")

    threshold: float = setting(0.5, "probability from which the default strategy fetches")
    explore: float = setting(0.02, "share of unlikely URLs that the default strategy tries all the same")
    sample: int = setting(200, "rejected URLs to fetch, to estimate what was missed")

    delay: float = setting(1.0, "seconds between two requests to one host")
    delay_factor: float = setting(
        1.0, "times a host's response time that lies between requests, where longer than the delay"
    )
    delay_per_address: float = setting(
        -1.0, "seconds between two requests to one IP address; -1: a quarter of delay"
    )
    concurrency: int = setting(64, "requests at once")
    connections_per_host: int = setting(4, "requests at once to one host")
    timeout: float = setting(30.0, "seconds until a request is given up")
    retries: int = setting(2, "times a failed request is tried again")
    retry_wait: float = setting(5.0, "seconds until a host that failed is tried again; doubles each time")
    robots: bool = setting(True, "obey robots.txt")
    sitemaps: bool = setting(True, "read the sitemaps that robots.txt names, and the feeds of front pages")
    requisites: bool = setting(False, "also fetch what kept pages need to be shown")
    media: bool = setting(False, "also fetch images, films, sound, style sheets and archives")
    allow_private: bool = setting(False, "also fetch from private and loopback addresses")
    verify_certificates: bool = setting(False, "refuse HTTPS hosts whose certificate is not valid")
    headers: str = setting("", "TOML file of request headers, a table for each host")
    proxy: str = setting("", "HTTP proxy for all requests: http://user:password@host:port")
    user_agent: str = setting(
        "linksight/0.1 (language-focused crawler; +https://linksight.example/docs/crawl)",
        "user agent that the crawl sends",
    )

    metrics_port: int = setting(0, "port for Prometheus metrics; 0: no server")
    metrics_address: str = setting("127.0.0.1", "address that the metrics are served at; 0.0.0.0: all")
    keep: str = setting("all", "pages to keep as WARC: all, or target for the language alone")
    keep_errors: bool = setting(False, "also keep responses of status 4xx and 5xx")
    revisits: bool = setting(True, "keep a payload that the crawl has already as a revisit record")
    archive_robots: bool = setting(False, "keep each robots.txt in the WARC files as well")
    warc_bytes: int = setting(1_000_000_000, "start a new WARC file beyond this size")
    patience: float = setting(300.0, "seconds to wait for an unavailable database")
    lease: float = setting(
        60.0, "seconds without a heartbeat until other workers take over the URLs of a worker"
    )

    def __post_init__(self) -> None:
        self._set_targets()
        for name in ("seeds", "include", "exclude"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "seed_details", tuple(map(tuple, self.seed_details)))
        if self.seed_scope not in SEED_SCOPES:
            raise BadConfig(f"seed_scope: one of {', '.join(SEED_SCOPES)}, not {self.seed_scope!r}")
        if self.contact and not _CONTACT.fullmatch(self.contact):
            raise BadConfig(f"contact: a mail address or an http(s) URL, not {self.contact!r}")
        _ = self.scope  # invalid rules are errors here
        if self.strategy == "default":
            object.__setattr__(self, "strategy", CrawlConfig.strategy)
        for spec in fields(self):
            value = getattr(self, spec.name)
            if isinstance(value, float) and not math.isfinite(value):
                raise BadConfig(f"{spec.name}: a number, not {value}")
            if isinstance(value, (int, float)) and value < 0 and spec.name != "delay_per_address":
                raise BadConfig(f"{spec.name}: must not be negative, not {value}")
        for name in ("concurrency", "connections_per_host", "max_page_bytes", "warc_bytes"):
            if getattr(self, name) < 1:
                raise BadConfig(f"{name}: must be at least 1, not {getattr(self, name)}")
        proxy = urlsplit(self.proxy)
        if self.proxy and not (proxy.scheme in ("http", "https") and proxy.hostname):
            raise BadConfig(f"proxy: an http(s) URL, not {without_password(self.proxy)!r}")
        if self.metrics_port > 65_535:
            raise BadConfig(f"metrics_port: at most 65535, not {self.metrics_port}")
        if not self.user_agent.isprintable():
            raise BadConfig(f"user_agent: one line of plain text, not {self.user_agent!r}")
        if self.keep not in ("all", "target"):
            raise BadConfig(f"keep: all or target, not {self.keep!r}")
        if not 0 <= self.threshold <= 1 or not 0 <= self.explore <= 1:
            raise BadConfig("threshold and explore: probabilities, from 0 to 1")

    def _set_targets(self) -> None:
        """Parse target languages with page quotas, such as ``nl=50000,fy=20000,li``."""
        if "," in self.language or "=" in self.language or len(self.targets) < 2:
            items = self.language.split(",")
            if self.targets and not ("," in self.language or "=" in self.language):
                code = registry.find(self.language)
                items = list(self.targets) if self.targets[0].partition("=")[0] == code else items
        else:
            code = registry.find(self.language)
            items = list(self.targets) if self.targets[0].partition("=")[0] == code else [self.language]
        targets = []
        for item in items:
            name, equals, quota = item.strip().partition("=")
            if equals and not quota.strip().isdecimal():
                raise BadConfig(f"language: a quota is a number of pages, not {quota!r}")
            targets.append(registry.find(name.strip()) + (f"={int(quota)}" if equals else ""))
        object.__setattr__(self, "targets", tuple(targets))
        object.__setattr__(self, "language", targets[0].partition("=")[0])

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of all target languages.

        >>> CrawlConfig(language="nl=500,Frisian").languages
        ('nl', 'fy')
        """
        return tuple(target.partition("=")[0] for target in self.targets)

    @property
    def quotas(self) -> dict[str, int]:
        """The page quota of each language that has one.

        >>> CrawlConfig(language="nl=500,fy").quotas
        {'nl': 500}
        """
        pairs = (target.partition("=") for target in self.targets)
        return {code: int(quota) for code, equals, quota in pairs if equals}

    @cached_property
    def scope(self) -> Scope:
        """The scope rules."""
        scope_of = {url: scope for url, _, _, scope in self.seed_details if scope}
        seeds = tuple((seed, scope_of.get(seed, self.seed_scope)) for seed in self.seeds)
        return Scope.of(self.include, self.exclude, seeds)

    def with_contact(self) -> CrawlConfig:
        """Return a copy with a contact, from LINKSIGHT_CONTACT if not set; raise an error if neither is set."""
        contact = self.contact or os.environ.get("LINKSIGHT_CONTACT", "")
        if not contact:
            raise BadConfig("contact: a crawl needs your mail address or URL: --contact you@example.org")
        return self.but(contact=contact)

    def request_headers(self) -> dict[str, str]:
        """Return the headers of every request, except Host."""
        agent = self.user_agent
        if self.contact and agent == CrawlConfig.user_agent:
            agent = f"linksight/0.1 (language-focused crawler; +{self.contact})"
        found = {"User-Agent": agent}
        if "@" in self.contact and "://" not in self.contact:
            found["From"] = self.contact
        weights = (f"{code};q={max(0.9 - n / 10, 0.2):.1f}" for n, code in enumerate(self.languages[1:]))
        if self.language != "und":
            found["Accept-Language"] = ", ".join([self.language, *weights, "*;q=0.1"])
        return found

    def headers_by_host(self) -> dict[str, dict[str, str]]:
        """Read the extra request headers of each host from the file in ``headers``."""
        if not self.headers:
            return {}
        try:
            tables = tomllib.loads(Path(self.headers).read_text(encoding="utf-8-sig"))
        except (OSError, ValueError, RecursionError) as error:
            raise BadConfig(f"{self.headers}: {getattr(error, 'strerror', None) or error}") from None
        for host, fields_ in tables.items():
            if not isinstance(fields_, dict) or not all(
                isinstance(value, str) and value.isprintable() for value in fields_.values()
            ):
                raise BadConfig(f'{self.headers}: {host}: needs a table ["HOST"] of lines NAME = "VALUE"')
        return {host.lower().removeprefix("www."): dict(values) for host, values in tables.items()}

    @property
    def address_delay(self) -> float:
        """Seconds between two requests to one IP address."""
        return self.delay / 4 if self.delay_per_address < 0 else self.delay_per_address

    def spent(self, pages: int, size: int, seconds: float) -> str:
        """Return the name of the limit that is reached, or an empty string.

        >>> CrawlConfig(max_pages=60).spent(60, 0, 0.0), CrawlConfig(max_pages=60).spent(59, 0, 0.0)
        ('max_pages', '')
        """
        used = {"max_pages": pages, "max_bytes": size, "max_seconds": seconds}
        return next((name for name, so_far in used.items() if 0 < getattr(self, name) <= so_far), "")

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        tuples = ("seeds", "targets", "include", "exclude", "seed_details")
        return asdict(self) | {name: list(getattr(self, name)) for name in tuples}

    def shown(self) -> dict[str, Any]:
        """Return plain values with the passwords of store and proxy masked.

        >>> CrawlConfig(store="postgresql://me:secret@db/crawl").shown()["store"]
        'postgresql://me:***@db/crawl'
        """
        return self.as_dict() | {
            "store": without_password(self.store),
            "proxy": without_password(self.proxy),
        }

    def save(self, folder: Path) -> None:
        """Write the configuration into the folder of a crawl; readable by its owner only if it has a password."""
        has_password = self.shown() != self.as_dict()
        text = json.dumps(self.as_dict(), indent=1, ensure_ascii=False) + "\n"
        write_whole(folder / FILE, text, private=has_password)

    @classmethod
    def load(cls, folder: str | Path) -> CrawlConfig:
        """Load the configuration of the crawl in a folder."""
        path = Path(folder) / FILE
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            begin = f"begin one with: linksight crawl run SEED --language nl --out {folder}"
            raise BadConfig(f"{folder}: no crawl here (no {FILE}); {begin}") from None
        except (OSError, ValueError, RecursionError) as error:
            raise BadConfig(f"{path}: {error}") from None
        return cls.from_values(values, str(path))

    @classmethod
    def from_toml(cls, path: str | Path) -> CrawlConfig:
        """Load settings from the ``[crawl]`` table of a TOML file; settings outside of it are an error."""
        try:
            # Windows editors add a byte order mark, which TOML does not allow.
            document = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
        except (OSError, ValueError, RecursionError) as error:
            raise BadConfig(f"{path}: {getattr(error, 'strerror', None) or error}") from None
        outside = [spec.name for spec in fields(cls) if spec.name in document]
        if outside or "crawl" not in document:
            what = f"{outside[0]!r} is outside of it" if outside else "there is none"
            raise BadConfig(f"{path}: settings belong below a line [crawl], and {what}")
        return cls.from_values(document["crawl"], str(path))

    @classmethod
    def from_values(cls, values: Any, where: str) -> CrawlConfig:
        """Validate settings; an unknown setting or a wrong type is an error."""
        known = {spec.name: spec for spec in fields(cls)}
        if not isinstance(values, dict):
            raise BadConfig(f"{where}: not a table of settings")
        if unknown := sorted(values.keys() - known.keys()):
            near = get_close_matches(unknown[0], known, n=1)
            meant = f", did you mean {near[0]!r}?" if near else ""
            raise BadConfig(
                f"{where}: unknown setting {unknown[0]!r}{meant}; known: {', '.join(sorted(known))}"
            )
        for name, value in values.items():
            expected = type(known[name].default)
            if expected is float and isinstance(value, int) and not isinstance(value, bool):
                continue
            if expected is tuple and isinstance(value, list):
                continue
            if type(value) is not expected:
                raise BadConfig(f"{where}: {name}: needs {expected.__name__}, not {value!r}")
        return cls(**values)

    def changed(self, name: str, value: str) -> CrawlConfig:
        """Return a copy with one setting changed, from text; scope rules are added.

        >>> CrawlConfig(language="nl").changed("delay", "2").delay
        2.0
        """
        default: Any = {spec.name: spec.default for spec in fields(self)}.get(name)
        if default is None or name in FIXED:
            raise BadConfig(f"{name}: not a setting that can be changed while a crawl goes on")
        try:
            typed: Any = (*getattr(self, name), value) if isinstance(default, tuple) else type(default)(value)
        except ValueError:
            raise BadConfig(f"{name}: needs {type(default).__name__}, not {value!r}") from None
        if isinstance(default, bool):
            typed = value.lower() in ("yes", "true", "1", "on")
        return self.but(**{name: typed})

    def but(self, **changes: Any) -> CrawlConfig:
        """Return a copy with changed settings."""
        return replace(self, **changes)

    def from_anywhere(self) -> CrawlConfig:
        """Return a copy with absolute paths, so that a crawl can be resumed from another working directory.

        >>> CrawlConfig(store="crawl.db").from_anywhere().store == str(Path.cwd() / "crawl.db")
        True
        >>> CrawlConfig(store="postgresql://db/crawl", model="cctld").from_anywhere().shown()["store"]
        'postgresql://db/crawl'
        """
        file, colon, name = self.strategy.rpartition(":")
        return self.but(
            strategy=f"{_absolute_path(file)}{colon}{name}",
            store=_absolute_path(self.store, must_exist=False),
            **{
                name: _absolute_path(getattr(self, name))
                for name in ("model", "labels", "patterns", "headers")
            },
        )


def _absolute_path(text: str, *, must_exist: bool = True) -> str:
    """Return the absolute path of a file; with ``must_exist``, text that is no existing file stays unchanged."""
    kind, sign, file = text.partition(":///")
    if sign and kind == "sqlite":
        return (
            f"{kind}{sign}{_absolute_path(file, must_exist=False)}" if file and file != ":memory:" else text
        )
    try:
        is_file = text != "cctld" and Path(text).exists() if must_exist else "://" not in text
    except (OSError, ValueError):  # not a valid file name
        is_file = False
    return str(Path(text).absolute()) if text and is_file else text

"""Scope rules: which URLs a crawl may fetch, declared as ``KIND:VALUE``.

    host:www.kb.nl          one host
    domain:kb.nl            a registered domain and everything below it
    surt:nl,kb,)/agenda     a SURT prefix
    prefix:https://kb.nl/x  a URL prefix, of any scheme
    path:/nieuws/           a path prefix on any host
    regex:/(nl|fy)/         a regular expression, searched in the URL
    query:sort              a field of the query

A URL is in scope if an include rule matches it, or there are none, and no exclude rule does.

>>> scope = Scope.of(include=("domain:kb.nl",), exclude=("query:sort",))
>>> [scope.allows(url) for url in ("http://www.kb.nl/a", "http://www.kb.nl/a?sort=up", "http://a.nl/")]
[True, False, False]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from linksight.errors import BadConfig
from linksight.urls.parser import site_of

KINDS = ("host", "domain", "surt", "prefix", "path", "regex", "query")
SEED_SCOPES = ("any", "page", "prefix", "host", "domain")
Rule = Callable[[str], bool]


@dataclass(frozen=True)
class Scope:
    """Compiled rules."""

    include: tuple[Rule, ...]
    exclude: tuple[Rule, ...]

    @classmethod
    def of(
        cls,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        seed_scope: str = "any",
        seeds: Sequence[str] = (),
    ) -> Scope:
        """Rules from their declarations, and those that follow from the seeds."""
        from_seeds = () if seed_scope == "any" else tuple(rule_of_seed(seed, seed_scope) for seed in seeds)
        return cls(
            tuple(compiled(rule) for rule in (*include, *from_seeds)),
            tuple(compiled(rule) for rule in exclude),
        )

    def allows(self, url: str) -> bool:
        """Whether a URL is in scope."""
        if self.include and not any(rule(url) for rule in self.include):
            return False
        return not any(rule(url) for rule in self.exclude)


@lru_cache(maxsize=64)
def scope_of(
    include: tuple[str, ...], exclude: tuple[str, ...], seed_scope: str, seeds: tuple[str, ...]
) -> Scope:
    """The rules of a configuration, compiled once."""
    return Scope.of(include, exclude, seed_scope, seeds)


def rule_of_seed(seed: str, scope: str) -> str:
    """The include rule that a seed's scope stands for.

    >>> rule_of_seed("http://www.kb.nl/a/b.html", "prefix"), rule_of_seed("http://www.kb.nl/a", "domain")
    ('prefix:http://www.kb.nl/a/', 'domain:kb.nl')
    """
    parts = urlsplit(seed)
    if scope == "page":
        return f"regex:^{re.escape(seed)}$"
    if scope == "prefix":
        return f"prefix:{seed.partition('?')[0].rpartition('/')[0]}/"
    return f"domain:{site_of(seed)}" if scope == "domain" else f"host:{parts.netloc}"


def compiled(rule: str) -> Rule:
    """A rule as a predicate; an invalid one is an error that names it."""
    kind, colon, value = rule.partition(":")
    value = value.strip()
    if not colon or kind not in KINDS or not value:
        raise BadConfig(f"scope: {rule!r} is not KIND:VALUE; kinds are {', '.join(KINDS)}")
    if kind == "host":
        name = value.lower().removeprefix("www.")
        return lambda url: _host(url) == name or _host(url).partition(":")[0] == name
    if kind == "domain":
        name = value.lower().lstrip(".")
        return lambda url: f".{_host(url).partition(':')[0]}".endswith(f".{name}") or site_of(url) == name
    if kind == "prefix":
        start = value.partition("://")[2] or value
        return lambda url: url.partition("://")[2].startswith(start)
    if kind == "path":
        return lambda url: f"/{url.split('/', 3)[3]}".startswith(value)
    if kind == "query":
        return lambda url: any(part.partition("=")[0] == value for part in url.partition("?")[2].split("&"))
    if kind == "surt":
        key = value.rstrip("/") if value.endswith(")/") else value
        return lambda url: _surt(url).startswith(key)
    try:
        pattern = re.compile(value)
    except re.error as error:
        raise BadConfig(f"scope: {rule!r}: {error}") from None
    return lambda url: pattern.search(url) is not None


def read_rules(path: str | Path) -> tuple[list[str], list[str]]:
    """The include and exclude rules of a file: ``+ KIND:VALUE`` or ``- KIND:VALUE`` a line; # begins a remark."""
    include: list[str] = []
    exclude: list[str] = []
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeError) as error:
        raise BadConfig(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    for number, line in enumerate(lines, 1):
        rule = re.sub(r"(?:^|\s)#.*", "", line).strip()
        if not rule:
            continue
        sign = rule[0]
        if sign not in "+-":
            raise BadConfig(f"{path}:{number}: a rule begins with + or -, not {rule!r}")
        (include if sign == "+" else exclude).append(rule[1:].strip())
    return include, exclude


def _host(url: str) -> str:
    return url.split("/", 3)[2].lower().removeprefix("www.")


def _surt(url: str) -> str:
    parts = urlsplit(url)
    host = ",".join(reversed((parts.hostname or "").removeprefix("www.").split(".")))
    return f"{host},){parts.path}" + (f"?{parts.query}" if parts.query else "")

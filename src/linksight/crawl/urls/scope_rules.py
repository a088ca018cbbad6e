"""Scope rules: which URLs a crawl may fetch, declared as ``KIND:VALUE``.

    host:www.kb.nl          one host
    domain:kb.nl            a registered domain and everything below it
    surt:nl,kb,)/agenda     a SURT prefix, also as Heritrix writes it: http://(nl,kb,
    prefix:https://kb.nl/x  a URL prefix, of any scheme, with www. or without
    path:/nieuws/           a path prefix on any host
    regex:/(nl|fy)/         a regular expression in RE2's syntax, searched in linear time
    query:sort              a field of the query

A URL is in scope if an include rule matches it, or there are none, and no exclude rule does.

>>> scope = Scope.of(include=("domain:kb.nl",), exclude=("query:sort",))
>>> [scope.allows(url) for url in ("http://www.kb.nl/a", "http://www.kb.nl/a?sort=up", "http://a.nl/")]
[True, False, False]
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from linksight.crawl.urls.url_normalize import typed
from linksight.errors import BadConfig
from linksight.urls.parser import site_of

KINDS = ("host", "domain", "surt", "prefix", "path", "regex", "query")
SEED_SCOPES = ("any", "page", "prefix", "host", "domain")
Rule = Callable[[str], bool]


class RuleSet:
    """Compiled rules; hosts, domains and prefixes are looked up, however many there are."""

    def __init__(self, rules: Iterable[str]) -> None:
        self.hosts: set[str] = set()
        self.domains: set[str] = set()
        self.prefixes: defaultdict[str, list[str]] = defaultdict(list)
        self.others: list[Rule] = []
        for rule in rules:
            kind, _, value = rule.partition(":")
            if kind == "host" and value.strip():
                self.hosts.add(value.strip().lower().removeprefix("www."))
            elif kind == "domain" and value.strip():
                self.domains.add(value.strip().lower().lstrip("."))
            elif kind == "prefix" and value.strip():
                start = _place(value.strip())
                self.prefixes[start.partition("/")[0] if "/" in start else ""].append(start)
            else:
                self.others.append(compiled(rule))

    def match(self, url: str) -> bool:
        """Whether a rule matches a URL."""
        place = _place(url)
        host = place.partition("/")[0]
        name = host.partition(":")[0]
        if not self.hosts.isdisjoint((host, name)) or not self.domains.isdisjoint(_parents(name)):
            return True
        near = (*self.prefixes.get(host, ()), *self.prefixes.get("", ()))
        return any(map(place.startswith, near)) or any(rule(url) for rule in self.others)


@dataclass(frozen=True)
class Scope:
    """The include and exclude rules of a crawl; without include rules everything is included."""

    include: RuleSet | None
    exclude: RuleSet | None

    @classmethod
    def of(
        cls,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        seeds: Sequence[tuple[str, str]] = (),
    ) -> Scope:
        """Compile declared rules and the rules of seeds with scopes.

        If any seed has the scope "any", everything is in scope that no rule excludes.
        """
        is_limited = bool(seeds) and all(scope != "any" for _, scope in seeds)
        from_seeds = [rule_of_seed(seed, scope) for seed, scope in seeds] if is_limited else []
        included = [*include, *from_seeds]
        return cls(RuleSet(included) if included else None, RuleSet(exclude) if exclude else None)

    def allows(self, url: str) -> bool:
        """Whether a URL is in scope."""
        if self.include is not None and not self.include.match(url):
            return False
        return self.exclude is None or not self.exclude.match(url)


def rule_of_seed(seed: str, scope: str) -> str:
    r"""The include rule of a seed with a scope.

    >>> rule_of_seed("http://www.kb.nl/a/b.html", "prefix"), rule_of_seed("http://www.kb.nl/a", "domain")
    ('prefix:http://www.kb.nl/a/', 'domain:kb.nl')
    >>> print(rule_of_seed("www.kb.nl/a?b", "page"))
    regex:^https?://(www\.)?kb\.nl/a\?b$
    """
    url = typed(seed)
    place = url.partition("://")[2].removeprefix("www.")
    if scope == "page":
        return f"regex:^https?://(www\\.)?{re.escape(place)}$"
    if scope == "prefix":
        return f"prefix:{url.partition('?')[0].rpartition('/')[0]}/"
    return f"domain:{site_of(url)}" if scope == "domain" else f"host:{urlsplit(url).netloc}"


def compiled(rule: str) -> Rule:
    """Compile a path, query, SURT or regex rule; the error for an invalid rule quotes it."""
    kind, colon, value = rule.partition(":")
    value = value.strip()
    if not colon or kind not in KINDS or not value:
        raise BadConfig(f"scope: {rule!r} is not KIND:VALUE; kinds are {', '.join(KINDS)}")
    if kind == "path":
        return lambda url: f"/{url.split('/', 3)[3]}".startswith(value)
    if kind == "query":
        return lambda url: any(part.partition("=")[0] == value for part in url.partition("?")[2].split("&"))
    if kind == "surt":
        key = value.partition("://")[2] or value
        key = key.removeprefix("(").removesuffix("/" if key.endswith(")/") else "")
        return lambda url: any(surt.startswith(key) for surt in _surts(url))
    return _searching(rule, value)


def _searching(rule: str, expression: str) -> Rule:
    """Compile a regular expression; RE2 matches in linear time, so untrusted rules are safe."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        pattern = re2.compile(expression, options)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if error.args else "invalid"
        raise BadConfig(f"scope: {rule!r} is not a regular expression that RE2 knows: {reason}") from None
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


def _place(url: str) -> str:
    """Host, path and query of a URL, without scheme and ``www.``, the host in small letters.

    >>> _place("https://www.KB.nl/A")
    'kb.nl/A'
    """
    host, slash, rest = (url.partition("://")[2] or url).partition("/")
    return host.lower().removeprefix("www.") + slash + rest


def _parents(host: str) -> Iterator[str]:
    """A host and the domains above it.

    >>> list(_parents("a.kb.nl"))
    ['a.kb.nl', 'kb.nl', 'nl']
    """
    while host:
        yield host
        host = host.partition(".")[2]


def _surts(url: str) -> tuple[str, str]:
    """The SURT of a URL with ``www.`` and without it.

    >>> _surts("http://www.kb.nl/a?b")
    ('nl,kb,www,)/a?b', 'nl,kb,)/a?b')
    """
    parts = urlsplit(url)
    host, rest = parts.hostname or "", f",){parts.path}" + (f"?{parts.query}" if parts.query else "")
    full, short = (",".join(reversed(name.split("."))) for name in (host, host.removeprefix("www.")))
    return full + rest, short + rest

"""A URL as web applications read it: host, segments of the path, parameters of the query.

The paper cuts a URL at ``/ ? # & = :`` wherever they occur (see :mod:`linksight.sites.learning.tokens`). Here a segment
or a value is one token with all separators in it, the parameters have no order, and the fields of visits are dropped.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple
from urllib.parse import unquote_plus

from linksight.errors import BadUrl
from linksight.sites.learning.tokens import MAX_TOKENS, after_scheme, canonical_run, host_of
from linksight.urls.query_names import PATH_SESSION, VISIT_FIELDS

Query = tuple[tuple[str, str], ...]

_FRAGMENT = re.compile(r"([/?#&=:]+)")
_BETWEEN = re.compile("[&;]")


class PageUrl(NamedTuple):
    """The host and the segments of the path with the separators before them, and the parameters by name."""

    tokens: tuple[str, ...]
    runs: tuple[str, ...]
    query: Query
    scheme: str
    slash: bool  #: the path ends with a slash
    key: str  #: a text that all spellings of the page share


def read_page(url: str) -> PageUrl:
    """Parse a URL, or raise :class:`BadUrl`.

    >>> page = read_page("https://A.org/Talk:x/?b=1&utm_source=y&a=%2Fp%2F7#top")
    >>> page.tokens, page.query, page.slash
    (('a.org', 'Talk:x'), (('a', '/p/7'), ('b', '1')), True)
    """
    scheme, text = after_scheme(url)
    text, _, fragment = text.partition("#")
    path, _, query = text.partition("?")
    if ";" in path or "(" in path:
        path = PATH_SESSION.sub("", path)
    host, *segments = path.split("/")
    slash = bool(segments) and not segments[-1]
    if "" in segments:
        segments = [segment for segment in segments if segment]
    host = host_of(host)
    if not host or host[0] in ":=&":
        raise BadUrl(url, "no host")
    tokens = (host, *segments)
    if len(path) > MAX_TOKENS and len(tokens) + sum(map(path.count, ":=&")) > MAX_TOKENS:
        raise BadUrl(url, f"more than {MAX_TOKENS} tokens")
    if fragment[:1] in ("!", "/") and fragment and not query:
        return _with_route(tokens, fragment, scheme, slash)
    parameters = _parameters(query) if query else ()
    key = f"{'/'.join(tokens)}?{parameters}" if parameters else "/".join(tokens)
    return PageUrl(tokens, plain_runs(len(tokens)), parameters, scheme, slash, key)


@cache
def plain_runs(n: int) -> tuple[str, ...]:
    """The separators before ``n`` tokens of a path."""
    return ("", *["/"] * (n - 1))


def _with_route(tokens: tuple[str, ...], fragment: str, scheme: str, slash: bool) -> PageUrl:
    """A page of an application that routes by the fragment."""
    parts = _FRAGMENT.split(f"#{fragment}")[1:]
    pairs = [(canonical_run(r), token) for r, token in zip(parts[0::2], parts[1::2], strict=True) if token]
    runs = (*plain_runs(len(tokens)), *(run for run, _ in pairs))
    tokens = (*tokens, *(token for _, token in pairs))
    key = "".join(map("".join, zip(runs, tokens, strict=True)))
    return PageUrl(tokens[:MAX_TOKENS], runs[:MAX_TOKENS], (), scheme, slash, key)


def _parameters(query: str) -> Query:
    """Names and values, decoded and in order of the names."""
    found = []
    for part in _BETWEEN.split(VISIT_FIELDS.sub("", query)):
        name, _, value = part.partition("=")
        if name:
            found.append((unquote_plus(name), unquote_plus(value)))
    return tuple(sorted(found))

"""A URL as web applications read it: host, segments of the path, parameters of the query.

The paper cuts a URL at ``/ ? # & = :`` wherever they occur (see :mod:`linksight.sites.learning.tokens`). Here a segment
or a value is one token with all separators in it, the parameters have no order, and the fields of visits are dropped.
Learnt paths and parameters are written back as forms, whose tokens end at every separator.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import NamedTuple
from urllib.parse import quote, unquote_plus

from linksight.errors import BadUrl
from linksight.sites.learning.tokens import MAX_TOKENS, after_scheme, canonical_run, canonical_tail, host_of
from linksight.sites.patterns.pattern import Form
from linksight.sites.patterns.wildcards import Path, Template, Token
from linksight.urls.query_names import PATH_SESSION, VISIT_FIELDS

Query = tuple[tuple[str, str], ...]

_FRAGMENT = re.compile(r"([/?#&=:]+)")
_BETWEEN = re.compile("[&;]")
_SEPARATORS = re.compile(r"([/?#&=:]+)")
#: Characters that a name or value of a parameter may contain unescaped, as well as letters and digits.
_PLAIN_NAME, _PLAIN_VALUE = "[]!$'()*,@|~.-_{}", "[]!$'()*,@|~.-_{}/:"


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


def path_form(form: Form) -> Form:
    """Split tokens of a form at separators, such as ports and namespaces.

    >>> str(path_form(Form(("a.org:81", "Talk:x", None), ("", "/", "/")))), len(path_form(Form(("a.org:81",), ("",))).tokens)
    ('http://a.org:81/Talk:x/*', 2)
    """
    tokens: list[Token] = []
    runs: list[str] = []
    after = ""
    for run, token in zip(form.runs, form.tokens, strict=True):
        text = token if isinstance(token, str) else token.text if isinstance(token, Template) else ""
        if not _SEPARATORS.search(text):
            tokens.append(token)
            runs.append(after + run)
            after = ""
            continue
        first, *rest = _SEPARATORS.split(text)
        parts = [("", first), *zip(rest[0::2], rest[1::2], strict=True)]
        for index, (separators, part) in enumerate(parts):
            after += run if index == 0 else separators
            if part:
                tokens.append(_read(part, token))
                runs.append(after)
                after = ""
    tail = canonical_tail(after + form.tail)
    return replace(form, tokens=tuple(tokens), runs=tuple(map(canonical_run, runs)), tail=tail)


def with_segments(form: Form, depth: int) -> Form:
    """Replace the path of a container by ``depth`` wildcards; unchanged if ``depth`` is 0.

    >>> str(with_segments(Form(("a.org", Path.ANY, "log"), ("", "/", "/")), 2))
    'http://a.org/*/*/log'
    """
    if not depth or form.tokens[1:2] != (Path.ANY,):
        return form
    runs = (form.runs[0], *form.runs[1:2] * depth, *form.runs[2:])
    return replace(form, tokens=(form.tokens[0], *[None] * depth, *form.tokens[2:]), runs=runs)


def _read(part: str, token: Token) -> Token:
    if not isinstance(token, Template):
        return part
    if part == "{text}":
        return None
    return Template(part) if len(Template(part).pieces) > 1 else part


def with_needs(form: Form, needs: tuple[tuple[str, str | None], ...]) -> Form:
    """The form with the parameters that its URLs must have.

    >>> str(with_needs(Form(("a.org", "x"), ("", "/")), (("do", "edit"), ("id", None), ("to", "/a"))))
    'http://a.org/x?do=edit&id=*&to=/a'
    """
    tokens, runs, tail = list(form.tokens), list(form.runs), form.tail
    for index, (name, value) in enumerate(needs):
        tokens.append(_coded(name, _PLAIN_NAME))
        runs.append("?" if index == 0 else "&")
        after, written = "=", "" if value is None else _coded(value, _PLAIN_VALUE)
        if value is None:
            tokens.append(None)
            runs.append("=")
            continue
        for piece in filter(None, _SEPARATORS.split(written)):
            if _SEPARATORS.fullmatch(piece):
                after += piece
            else:
                tokens.append(piece)
                runs.append(after)
                after = ""
        if not written and index == len(needs) - 1:
            tail = "="
    return replace(form, tokens=tuple(tokens), runs=tuple(runs), tail=tail, slash=form.slash and not needs)


def _coded(text: str, plain: str) -> str:
    """Percent-encode a name or value for a query, except letters of all scripts."""
    return "".join(
        letter if letter.isalnum() or letter in plain else "+" if letter == " " else quote(letter, safe="")
        for letter in text
    )

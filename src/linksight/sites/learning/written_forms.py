"""Learnt paths and parameters written as forms, whose tokens end at every separator."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote

from linksight.sites.learning.tokens import canonical_run, canonical_tail
from linksight.sites.patterns.pattern import Form
from linksight.sites.patterns.wildcards import Path, Template, Token

_SEPARATORS = re.compile(r"([/?#&=:]+)")
#: Characters that a name or value of a parameter may contain unescaped, as well as letters and digits.
_PLAIN_NAME, _PLAIN_VALUE = "[]!$'()*,@|~.-_{}", "[]!$'()*,@|~.-_{}/:"


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

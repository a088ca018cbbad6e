"""Patterns as a JSON file: versioned, digest-checked, and safe to read from untrusted sources.

A file holds tokens and separators, never regular expressions or code; expressions are derived from
the tokens after loading, so a hostile file can be refused but cannot be slow or run anything.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from linksight.errors import BadData, ModelFormatError
from linksight.sites.learning.tokens import MAX_RUN_CHARS, MAX_TOKENS, SEPARATORS
from linksight.sites.patterns.pattern import Form, Pattern, PatternSet
from linksight.sites.patterns.wildcards import AnySubdomain, Template, Token
from linksight.sites.patterns.wildcards import Path as AnyPath
from linksight.system.atomic_write import write_whole
from linksight.system.paths import path_text

FORMAT = "linksight-patterns"
VERSION = 1
MAX_FILE_BYTES = 256 * 2**20
MAX_TEXT_CHARS = 65_536


def save_patterns(patterns: PatternSet, path: str | os.PathLike[str]) -> None:
    """Write the file atomically."""
    write_whole(path, json.dumps(to_document(patterns), ensure_ascii=False, indent=1) + "\n")


def load_patterns(path: str | os.PathLike[str]) -> PatternSet:
    """Patterns saved with :meth:`PatternSet.save`; raises :class:`ModelFormatError` for anything else."""
    path = path_text(path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise BadData(f"{path}: {error.strerror or error}") from None
    if len(data) > MAX_FILE_BYTES:
        raise ModelFormatError(path, f"larger than {MAX_FILE_BYTES:,} bytes")
    try:
        document = json.loads(
            data
        )  # bytes, so that UTF-16 and a byte order mark, as PowerShell writes them, are accepted
    except (ValueError, RecursionError):
        raise ModelFormatError(path, "not a JSON file of patterns (damaged or cut off?)") from None
    try:
        return from_document(document)
    except ModelFormatError as error:
        raise ModelFormatError(path, error.reason) from None


def to_document(patterns: PatternSet) -> dict[str, Any]:
    """Plain values, with the digest that :func:`from_document` checks."""
    body = {
        "site": patterns.site,
        "learnt": dict(patterns.learnt),
        "patterns": [_plain_pattern(pattern) for pattern in patterns],
    }
    return {"format": FORMAT, "version": VERSION, "digest": _digest(body), **body}


def from_document(document: Any) -> PatternSet:
    """Validate and read patterns from untrusted plain values."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFormatError("patterns", "not a file of patterns")
    if document.get("version") != VERSION:
        raise ModelFormatError(
            "patterns", f"version {document.get('version')!r}; this linksight reads {VERSION}"
        )
    body = {key: document.get(key) for key in ("site", "learnt", "patterns")}
    if document.get("digest") != _digest(body):
        raise ModelFormatError("patterns", "the digest does not fit: damaged or changed by hand")
    _require(isinstance(body["learnt"], dict) and isinstance(body["patterns"], list), "wrong types")
    rows = [_read_pattern(row) for row in body["patterns"] or []]
    _require(len({pattern.id for pattern in rows}) == len(rows), "two patterns with one id")
    return PatternSet(tuple(rows), _text(body["site"]), body["learnt"] or {})


def _digest(body: dict[str, Any]) -> str:
    text = json.dumps(body, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _plain_pattern(pattern: Pattern) -> dict[str, Any]:
    return {
        "id": pattern.id,
        "name": pattern.name,
        "colour": pattern.colour,
        "pattern": pattern.text,  # for people; the forms count
        "forms": [_plain_form(form) for form in pattern.forms],
        "urls": pattern.n_urls,
        "hubs": pattern.n_hubs,
        "share": round(pattern.share, 6),
        "examples": list(pattern.examples),
    }


def _plain_form(form: Form) -> dict[str, Any]:
    return {
        "tokens": list(map(_plain_token, form.tokens)),
        "separators": list(form.runs),
        "tail": form.tail,
        "scheme": form.scheme,
        "slash": form.slash,
        **({"exact": True} if form.exact else {}),
    }


def _plain_token(token: Token) -> dict[str, str] | str | None:
    if isinstance(token, (Template, AnySubdomain)):
        return {"template" if isinstance(token, Template) else "under": token.text}
    if token is AnyPath.ANY:
        return {"path": "any"}
    return token


def _read_pattern(row: Any) -> Pattern:
    _require(isinstance(row, dict) and isinstance(row.get("forms"), list), "a pattern without forms")
    examples = row.get("examples", [])
    _require(isinstance(examples, list) and len(examples) <= 1000, "too many examples")
    forms = tuple(map(_read_form, row["forms"]))
    _require(bool(forms), "a pattern without forms")
    return Pattern(
        _count(row.get("id")),
        forms,
        _text(row.get("name", "")),
        _text(row.get("colour", "")),
        _count(row.get("urls", 0)),
        _count(row.get("hubs", 0)),
        _share(row.get("share", 0.0)),
        tuple(map(_text, examples)),
    )


def _read_form(form: Any) -> Form:
    _require(isinstance(form, dict), "a form that is not an object")
    tokens, runs = form.get("tokens"), form.get("separators")
    _require(isinstance(tokens, list) and isinstance(runs, list), "a form without tokens")
    _require(0 < len(tokens) == len(runs) <= MAX_TOKENS, "tokens and separators do not fit")
    tokens = list(map(_read_token, tokens))
    _require(not any(isinstance(token, AnySubdomain) for token in tokens[1:]), "a site that is not a host")
    for index, run in enumerate([*runs, form.get("tail", "")]):
        _require(len(_text(run)) <= MAX_RUN_CHARS and set(run) <= set(SEPARATORS), "a bad separator")
        _require(bool(run) == (index > 0) or index == len(runs), "a separator in the wrong place")
    scheme = form.get("scheme", "http")
    _require(scheme in ("http", "https"), "a bad scheme")
    marks = (form.get("slash") is True, form.get("exact") is True)
    return Form(tuple(tokens), tuple(runs), form.get("tail", ""), scheme, *marks)


def _read_token(token: Any) -> Token:
    if token is None:
        return None
    if token == {"path": "any"}:
        return AnyPath.ANY
    kind = "under" if isinstance(token, dict) and "under" in token else "template"
    text = _text(token.get(kind) if isinstance(token, dict) else token)
    _require(bool(text) and not set(text) & set(SEPARATORS), "a bad token")
    if not isinstance(token, dict):
        return text
    if kind == "under":
        return AnySubdomain(text)
    template = Template(text)
    _require(len(template.pieces) > 1 and min(map(ord, text)) >= 32, "a bad template")
    return template


def _require(fact: bool, reason: str) -> None:
    if not fact:
        raise ModelFormatError("patterns", reason)


def _text(value: Any) -> str:
    _require(
        isinstance(value, str) and len(value) <= MAX_TEXT_CHARS, "not a text, or a text that is too long"
    )
    text: str = value
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ModelFormatError("patterns", "a text that is not valid Unicode") from None
    return text


def _count(value: Any) -> int:
    _require(type(value) is int and 0 <= value < 2**53, "not a number, or out of range")
    number: int = value
    return number


def _share(value: Any) -> float:
    _require(type(value) in (int, float) and 0 <= value <= 1.000001, "not a share")
    return float(value)

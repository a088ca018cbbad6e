"""Fallback text of pages without running text: buttons, options, alt texts, metas, JSON data.

Beside running text these parts mislead: names of countries to choose from, labels of icons. A
picture in SVG, a form or a page that a script fills has no other text: the script's data are often
in the page (JSON-LD and the like), or in a template that the browser shows at once. Text for browsers
(``noscript``, ``template``) is skipped here too: it is in English in pages of any language. So is the
``noframes`` text, unless it is long: then it repeats the page.

>>> with_fallback_text(b'<svg><text x="1">Stadhuis</text></svg>')
b'<div><text x="1">Stadhuis</text></div>'
>>> with_fallback_text(b'<meta property="og:title" content="Nieuws"><img src="a.png" alt="De markt">')
b'<meta name="description" content="Nieuws"><br>De markt<br>'
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

_SILENT = re.compile(rb"(</?)(?:button|datalist|select|svg|textarea|xmp)(?=[\s>/])", re.IGNORECASE)
_SHARED = re.compile(
    rb"(?:property|name)\s{0,9}=\s{0,9}[\"']?(?:og|twitter):(?:title|description)[\"']?", re.IGNORECASE
)
_TAG = re.compile(rb"<(?:img|area|input)\s[^<>]{0,4000}>", re.IGNORECASE)
_INSTEAD = re.compile(rb"""\s(?:alt|placeholder)=(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_SHOWN = re.compile(rb"<template(?=\s[^<>]{0,400}shadowroot)", re.IGNORECASE)
_FILLED = re.compile(rb"<script\s[^<>]{0,400}\bapplication/(?:ld\+)?json\b[^<>]{0,400}>", re.IGNORECASE)
MAX_SCRIPTS, MAX_DATA_BYTES = 20, 1 << 18  #: scripts that are read as data, and bytes of each
MIN_SENTENCE_CHARACTERS = 20  #: characters of a text among data; shorter ones are names and codes
MIN_FRAME_TEXT_BYTES = 300  #: more bytes than the standard sentence of HTML editors


def with_fallback_text(page: bytes) -> bytes:
    """The page with its fallback text as running text."""
    page = _without_frames(page)
    texts = b"".join(f"<p>{text}</p>".encode("utf-8", "replace") for text in _texts_in_data(page))
    page = _SHOWN.sub(b"<div", page)
    page = _SILENT.sub(rb"\1div", page)
    page = _SHARED.sub(b'name="description"', page)
    return _TAG.sub(_alternative_text, page) + texts


def _alternative_text(tag: re.Match[bytes]) -> bytes:
    """The alternative text of a picture or the placeholder of a field."""
    found = _INSTEAD.search(tag[0])
    return b"<br>" + (found[1] or found[2] or b"") + b"<br>" if found else tag[0]


def _texts_in_data(page: bytes) -> Iterator[str]:
    """The texts among the data that a page has for its program or for search engines.

    >>> list(_texts_in_data(b'<script type="application/ld+json">{"@id": "a", "headline": "De markt is weer open"}</script>'))
    ['De markt is weer open']
    """
    for begun in islice(_FILLED.finditer(page), MAX_SCRIPTS):
        end = page.find(b"</script", begun.end(), begun.end() + MAX_DATA_BYTES)
        if end < 0:
            continue
        try:
            yield from _texts(json.loads(page[begun.end() : end]))
        except (ValueError, RecursionError):
            continue


def _texts(data: Any) -> Iterator[str]:
    """Sentences among the values, in order; field names are skipped, and addresses and codes, which have no spaces."""
    left = [data]
    while left:
        value = left.pop()
        if isinstance(value, dict | list):
            left += reversed(list(value.values()) if isinstance(value, dict) else value)
        elif (
            isinstance(value, str)
            and len(value) >= MIN_SENTENCE_CHARACTERS
            and (" " in value or not value.isascii())
        ):
            yield value


def _without_frames(page: bytes) -> bytes:
    """The page with its ``noframes`` text, if that is long.

    >>> _without_frames(b"<NOFRAMES><p>" + b"Nieuws " * 50 + b"</NOFRAMES>")[:16], _without_frames(b"<noframes>No frames")
    (b'<div><p>Nieuws N', b'<noframes>No frames')
    """
    lower = page.lower()
    begin = lower.find(b"<noframes")
    end = lower.find(b"</noframes", begin) if begin >= 0 else -1
    if end - begin < MIN_FRAME_TEXT_BYTES:
        return page
    return page[:begin] + b"<div" + page[begin + len(b"<noframes") : end] + page[end:]

"""The byte-level HTML parser: from the bytes of a page to the bytes of its text, without decoding.

It searches for the bytes of ``<``, ``>``, ``&`` and tag names, which every encoding of the web keeps except UTF-16
and 7-bit ones, so it needs no encoding. One pass, linear in the page: the end of a comment, script or quote that
never closes is searched once.

>>> page = b"<title>T&eacute;</title><p>Caf<b>\\xe9</b> au lait<script>if (a<b) c()</script>"
>>> [block.text for block in parse(page)]
[b'T&eacute;', b'Caf\\xe9 au lait']
>>> parse(page, entities=True)[0].text.decode()
'Té'
>>> [block.text for block in parse(b'<meta name=description content="About us"><p>Us', metas=True)]
[b'About us', b'Us']
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from linksight.native.pages import html_scanner
from linksight.native.pages.buffers import view
from linksight.pages.html import entities as character_references
from linksight.pages.html import html_tags

BODY, TITLE, META = 0, 1, 3  #: kinds of blocks
MAX_BLOCKS = 20_000  #: the parser stops after so many blocks


@dataclass(frozen=True, slots=True)
class Block:
    """Text between two tags that break the line."""

    text: bytes
    in_links: int  #: bytes of link text in it
    kind: int = BODY  #: ``BODY``, ``TITLE`` or ``META``


@cache
def tables() -> tuple[Any, ...]:
    """Tags and entities as arrays."""
    import numpy as np

    keys, points = character_references.table()
    numbers = (view(np.array(row, np.uint32)) for row in (keys, points))
    return (*html_tags.table(), html_tags.raw_names(), *numbers)


def run(body: bytes, *, entities: bool = False, metas: bool = False) -> tuple[bytes, list[int], int]:
    """The text of all blocks end to end, four numbers for each block, and the count of entities."""
    size = len(body) + len(body) // 2 + 16
    out = bytearray(size)
    marks = memoryview(bytearray(16 * min(MAX_BLOCKS, len(body) // 4 + 2))).cast("i")
    blocks, found, _, _ = html_scanner.scan(body, out, marks, entities, metas, size, tables())
    end = marks[4 * blocks - 3] if blocks else 0
    return bytes(view(out)[:end]), marks[: 4 * blocks].tolist(), found


def parse(body: bytes, *, entities: bool = False, metas: bool = False) -> list[Block]:
    """The blocks of text of a page, in order; with ``entities`` their entities as UTF-8 bytes.

    With ``metas`` also the page's description and keywords.
    """
    text, marks, _ = run(body, entities=entities, metas=metas)
    return [Block(text[marks[k] : marks[k + 1]], marks[k + 2], marks[k + 3]) for k in range(0, len(marks), 4)]

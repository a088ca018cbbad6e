"""The parts of markup that the parser steps over: tags, comments, scripts; and what a meta tag says.

All are kernels over the bytes of a page: ``body`` up to ``size``. None looks at a byte twice, except behind a quote or
comment that never ends.
"""

from __future__ import annotations

from typing import Any

from linksight.pages.html import html_tags
from linksight.pages.jit.byte_steps import seek
from linksight.pages.jit.compile_on_demand import Kernel

_NAME, _CONTENT = html_tags.number_of("name"), html_tags.number_of("content")
_DESCRIPTION, _KEYWORDS = html_tags.number_of("description"), html_tags.number_of("keywords")

seek_: Any = seek.plain


def _find(body: Any, at: int, size: int, action: Any, high: Any, low: Any) -> tuple[int, int]:
    """Where the tag's name that begins at ``at`` ends, and what to do at the tag."""
    value = 0
    j = at
    while j < size:
        d = body[j]
        if 65 <= d <= 90:
            d += 32
        elif not (97 <= d <= 122 or 48 <= d <= 57):
            break
        value = (value * 31 + d) & 0xFFFFFFF
        j += 1
    if j < size and body[j] > 32 and body[j] != 47 and body[j] != 60 and body[j] != 62:
        return j, 0  # the name goes on, as of a custom element
    place = value & 1023
    while action[place]:
        if high[place] == ((value >> 8) & 255) and low[place] == (value & 255):
            return j, int(action[place])
        place = (place + 1) & 1023
    return j, 0


def _skip(body: Any, i: int, size: int, comments: bool) -> tuple[int, bool]:
    """Behind the ``<!``, ``<?`` or ``</`` at ``i`` that begins no tag; ``i`` itself if it is none of them.

    Also whether comments are still to be looked for: not if this one never ends.
    """
    d = body[i + 1] if i + 1 < size else 0
    if d == 33:  # !
        if comments and i + 3 < size and body[i + 2] == 45 and body[i + 3] == 45:
            j = i + 4
            if j < size and body[j] == 62:
                return j + 1, comments
            j = seek_(body, j + 2, size, 62, 62)
            while j < size and not (body[j - 1] == 45 and body[j - 2] == 45):
                j = seek_(body, j + 1, size, 62, 62)
            if j < size:
                return j + 1, comments
            comments = False  # it never ends: read on behind its first bracket
        elif i + 8 < size and body[i + 2] == 91 and body[i + 3] == 67 and body[i + 8] == 91:  # <![CDATA[
            return i + 9, comments
    elif d != 63 and d != 47:  # ? /
        return i, comments
    return seek_(body, i + 2, size, 62, 62) + 1, comments


def _bracket(body: Any, begun: int, size: int, quotes: bool) -> tuple[int, bool]:
    """The bracket that ends the tag: not one inside a quoted value, unless ``quotes`` mean nothing any more."""
    j = begun
    while quotes and j < size and body[j] != 62:
        d = body[j]
        j += 1
        if d == 61:  # =
            while j < size and body[j] <= 32:
                j += 1
            if j < size and (body[j] == 34 or body[j] == 39):
                j = seek_(body, j + 1, size, body[j], body[j]) + 1
                quotes = j <= size  # if one is never closed, quotes mean nothing from here on
    if not quotes:
        j = seek_(body, begun, size, 62, 62)
    return j, quotes


def _raw_end(body: Any, i: int, size: int, names: Any, number: int) -> int:
    """Where the end tag of raw element ``number`` begins; -1 if there is none."""
    j: int = seek_(body, i, size, 60, 60)
    while j + 1 < size:
        if body[j + 1] == 47:
            k = 0
            while k < 8:
                want = names[8 * number + k]
                if want == 0:
                    break
                have = body[j + 2 + k] if j + 2 + k < size else 0
                if 65 <= have <= 90:
                    have += 32
                if have != want:
                    break
                k += 1
            if k == 8 or names[8 * number + k] == 0:
                after = body[j + 2 + k] if j + 2 + k < size else 0
                if after <= 32 or after == 47 or after == 62:  # a longer name is another element
                    return j
        j = seek_(body, j + 1, size, 60, 60)
    return -1


def _content(body: Any, begun: int, end: int) -> tuple[int, int]:
    """Begin and end of the content of a meta tag that is a description or keywords; both 0 of another one."""
    told = False
    first = last = 0
    j = begun
    while j < end:
        while j < end and (body[j] <= 32 or body[j] == 47):
            j += 1
        name = 0
        while j < end and body[j] > 32 and body[j] != 61:
            name = (name * 31 + (body[j] | 32)) & 0xFFFFFFF
            j += 1
        while j < end and body[j] <= 32:
            j += 1
        if j >= end or body[j] != 61:  # no value
            continue
        j += 1
        while j < end and body[j] <= 32:
            j += 1
        quote = 0
        if j < end and (body[j] == 34 or body[j] == 39):
            quote = body[j]
            j += 1
        begin = j
        value = 0
        while j < end and ((quote and body[j] != quote) or (not quote and body[j] > 32)):
            if name == _NAME:
                value = (value * 31 + (body[j] | 32)) & 0xFFFFFFF
            j += 1
        if name == _NAME and (value in (_DESCRIPTION, _KEYWORDS)):
            told = True
        elif name == _CONTENT:
            first, last = begin, j
        j += quote != 0
    return (first, last) if told else (0, 0)


find = Kernel(_find)
skip = Kernel(_skip, seek_=seek)
bracket = Kernel(_bracket, seek_=seek)
raw_end = Kernel(_raw_end, seek_=seek)
content = Kernel(_content)

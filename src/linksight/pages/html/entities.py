"""Character entities: named (the 252 of HTML 4 and all of HTML 5), decimal and hexadecimal.

The converter works on bytes and gives UTF-8 bytes, as a page's text is not decoded yet when it runs.

>>> convert(b"caf&eacute; &#x5E73;&#24179; &nosuch; &amp").decode()
'café 平平 &nosuch; &'
>>> convert(b"&alpha;&NotEqualTilde;", names="html4").decode()
'α&NotEqualTilde;'
"""

from __future__ import annotations

import re
from functools import cache
from html.entities import html5, name2codepoint
from typing import Any

from linksight.pages.jit.compile_on_demand import Kernel

NAME_BITS = 13  #: the parser's table of names has 2**13 places
PROBES = 24  #: and no name is further than this from its place

# What browsers read for the numbers 128 to 159, which are no characters: Windows' characters.
_WINDOWS = tuple(ord(bytes([byte]).decode("cp1252", "ignore") or chr(byte)) for byte in range(0x80, 0xA0))

_ENTITY = re.compile(rb"&(?:#([0-9]+);?|#[xX]([0-9a-fA-F]+);?|([A-Za-z][A-Za-z0-9]{1,31};?))")
_NAMED = {name.encode(): text.encode() for name, text in html5.items()}
_HTML4 = {f"{name};".encode(): chr(point).encode() for name, point in name2codepoint.items()}


def character(point: int) -> str:
    """The character of a numeric entity, as browsers read it.

    >>> character(0x96), character(0), character(0x110000)
    ('–', '�', '�')
    """
    if 0x80 <= point <= 0x9F:
        point = _WINDOWS[point - 0x80]
    if point == 0 or point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
        return "\ufffd"
    return chr(point)


def convert(text: bytes, names: str = "html5") -> bytes:
    """The text with its entities as UTF-8 bytes; ``names`` is ``html5`` or ``html4``."""
    if b"&" not in text:
        return text
    table = _NAMED if names == "html5" else _HTML4

    def replaced(match: re.Match[bytes]) -> bytes:
        decimal, hexadecimal, name = match.groups()
        if name is None:
            # Eight digits are beyond every character: longer numbers are not worth reading.
            digits = (decimal or hexadecimal).lstrip(b"0") or b"0"
            point = int(digits, 10 if decimal else 16) if len(digits) <= 8 else 0x110000
            return character(point).encode()
        if name in table:
            return table[name]
        # HTML 5 knows some names without a semicolon, also with letters right behind them.
        for length in range(min(len(name), 6), 1, -1):
            if name[:length] in table:
                return table[name[:length]] + name[length:]
        return match[0]

    return _ENTITY.sub(replaced, text)


def name_key(name: bytes) -> int:
    """The number that the parser knows a name by, semicolon included."""
    state = 0
    for byte in name:
        state = (state * 131 + byte) & 0x3FFFFFFF
    return state


def place_of(key: int) -> int:
    """Where the search for a name begins."""
    return (key * 40503 >> 8) & ((1 << NAME_BITS) - 1)


@cache
def table() -> tuple[list[int], list[int]]:
    """The parser's table: the key of the name at each place, and its one or two characters.

    Behind the characters stand the 32 of Windows.
    """
    size = 1 << NAME_BITS
    keys, points = [0] * size, [0] * (2 * size)
    for name, text in html5.items():
        key = name_key(name.encode())
        place = place_of(key)
        while keys[place]:
            place = (place + 1) % size
        keys[place] = key
        points[2 * place] = ord(text[0])
        points[2 * place + 1] = ord(text[1]) if len(text) > 1 else 0
    return keys, points + list(_WINDOWS)


def _number(body: Any, at: int, size: int) -> tuple[int, int]:
    """The number behind ``&#`` at ``at`` and where it ends; -1 if there is none."""
    base, j, value, digits = 10, at, 0, 0
    if j < size and (body[j] == 120 or body[j] == 88):  # x
        base, j = 16, j + 1
    while j < size:
        d = body[j]
        if 48 <= d <= 57:
            d -= 48
        elif base == 16 and 97 <= d <= 102:
            d -= 87
        elif base == 16 and 65 <= d <= 70:
            d -= 55
        else:
            break
        if value < 0x110000:
            value = value * base + d
        digits += 1
        j += 1
    if not digits:
        return -1, at
    return value, j + 1 if j < size and body[j] == 59 else j


def _place(body: Any, at: int, size: int, keys: Any) -> tuple[int, int]:
    """The place in the table of the longest name at ``at`` and where it ends; -1 if it is none."""
    h = 0
    best = -1
    end = at
    k = at
    while k < size and k - at < 32:
        d = body[k]
        if not (48 <= d <= 57 or 65 <= d <= 90 or 97 <= d <= 122 or d == 59):
            break
        h = (h * 131 + d) & 0x3FFFFFFF
        k += 1
        if d == 59 or k - at <= 6:  # no name without a semicolon is longer
            place = (h * 40503 >> 8) & 8191
            for _ in range(PROBES):
                if keys[place] == h:
                    best = place
                    end = k
                    break
                if keys[place] == 0:
                    break
                place = (place + 1) & 8191
        if d == 59:
            break
    return best, end


number_: Any = _number
place_: Any = _place


def _read(body: Any, at: int, size: int, keys: Any, points: Any) -> tuple[int, int, int]:
    """The one or two characters of the entity whose ``&`` is at ``at``, and where it ends; -1 if it is none."""
    if at + 1 < size and body[at + 1] == 35:  # #
        point, end = number_(body, at + 2, size)
        if 0x80 <= point <= 0x9F:  # what browsers read for Windows characters
            point = points[16384 + point - 0x80]
        if point == 0 or point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
            point = 0xFFFD
        return point, 0, end
    place, end = place_(body, at + 1, size, keys)
    if place < 0:
        return -1, 0, at
    return points[2 * place], points[2 * place + 1], end


def _put(out: Any, o: int, point: int) -> int:
    """Writes a character in UTF-8 and returns where the next one goes."""
    if point < 0x80:
        out[o] = point
        return o + 1
    if point < 0x800:
        out[o] = 0xC0 | (point >> 6)
        out[o + 1] = 0x80 | (point & 63)
        return o + 2
    if point < 0x10000:
        out[o] = 0xE0 | (point >> 12)
        out[o + 1] = 0x80 | ((point >> 6) & 63)
        out[o + 2] = 0x80 | (point & 63)
        return o + 3
    out[o] = 0xF0 | (point >> 18)
    out[o + 1] = 0x80 | ((point >> 12) & 63)
    out[o + 2] = 0x80 | ((point >> 6) & 63)
    out[o + 3] = 0x80 | (point & 63)
    return o + 4


read = Kernel(_read, number_=Kernel(_number), place_=Kernel(_place))
put = Kernel(_put)

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

NAME_BITS = 13  #: the parser's table of names has 2**13 places; no name is more than 24 from its own

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

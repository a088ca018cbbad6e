"""The scanner's table of character references: the names of HTML 5, among them the 252 of HTML 4.

>>> from linksight.pages.html import scanner
>>> scanner.parse(b"caf&eacute; &#x5E73;&#24179; &nosuch; &amp", entities=True)[0].text.decode()
'café 平平 &nosuch; &'
"""

from __future__ import annotations

from functools import cache
from html.entities import html5

NAME_BITS = 13  #: the parser's table of names has 2**13 places; no name is more than 24 from its own

# Browsers read the numbers 128 to 159, which are control characters, as windows-1252.
_WINDOWS = tuple(ord(bytes([byte]).decode("cp1252", "ignore") or chr(byte)) for byte in range(0x80, 0xA0))


def name_key(name: bytes) -> int:
    """The parser's hash of an entity name, semicolon included."""
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

    The 32 characters of windows-1252 follow at the end.
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

"""EUC-TW, which Python has no codec for: planes 1 and 2 of CNS 11643."""

from __future__ import annotations

import re
from functools import cache

from linksight.system.resources import bytes_of

_UNIT = re.compile(rb"([\x00-\x7f]+)|(\x8e[\xa1-\xb0])?([\xa1-\xfe])([\xa1-\xfe])|([\s\S])")
NONE = "\ufffd"


@cache
def _planes() -> list[str]:
    return bytes_of("cns11643.txt").decode().splitlines()


def decode(data: bytes, errors: str = "replace") -> str:
    """The text of EUC-TW bytes.

    >>> decode(b"a\\xc4\\xe3b")
    'a中b'
    """
    parts = []
    for match in _UNIT.finditer(data):
        plain, lead, row, cell, stray = match.groups()
        if plain:
            parts.append(plain.decode("ascii"))
            continue
        number = lead[1] - 0xA1 if lead else 0
        character = NONE
        if not stray and number < len(_planes()):
            character = _planes()[number][(row[0] - 0xA1) * 94 + cell[0] - 0xA1]
        if character == NONE and errors == "strict":
            raise UnicodeDecodeError("euc-tw", data, match.start(), match.end(), "no such character")
        if character != NONE or errors == "replace":
            parts.append(character)
    return "".join(parts)

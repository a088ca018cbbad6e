"""T.61 (teletex) codec, which Python lacks: a letter's accent is a separate byte before it.

>>> decode(b"Anta\\xc6u\\xc3ciuj")
'Antaŭĉiuj'
"""

from __future__ import annotations

import codecs
import re
import unicodedata

_ACCENTS = dict(
    zip(
        b"\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xca\xcb\xcd\xce\xcf",
        "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u0327\u030b\u0328\u030c",
        strict=True,
    )
)
_UPPER = (
    "\ufffd" * 32
    + "\xa0¡¢£$¥#§¤\ufffd\ufffd«\ufffd\ufffd\ufffd\ufffd°±²³×µ¶·÷\ufffd\ufffd»¼½¾¿"
    + "\ufffd" * 32
    + "ΩÆĐªĦ\ufffdĲĿŁØŒºÞŦŊŉĸæđðħıĳŀłøœßþŧŋ\ufffd"
)
_CHART = "".join(map(chr, range(128))) + _UPPER
_UNIT = re.compile(rb"([\xc1-\xc8\xca\xcb\xcd-\xcf])([A-Za-z ])|[^\xc1-\xcf]+|.", re.S)


def decode(data: bytes, errors: str = "replace") -> str:
    """The text of bytes in T.61."""
    parts = []
    for match in _UNIT.finditer(data):
        if match[1]:
            parts.append(unicodedata.normalize("NFC", match[2].decode() + _ACCENTS[match[1][0]]))
        else:
            parts.append(codecs.charmap_decode(match[0], errors, _CHART)[0])
    return "".join(parts)


def encode(text: str) -> bytes:
    """Encodes a text in T.61, for training; unsupported characters become question marks."""
    accents = {accent: bytes([byte]) for byte, accent in _ACCENTS.items()}
    single = {character: bytes([place]) for place, character in enumerate(_CHART) if character != "\ufffd"}
    parts = []
    for character in unicodedata.normalize("NFC", text):
        decomposed = unicodedata.normalize("NFD", character)
        base, marks = decomposed[0], decomposed[1:]
        if character in single:
            parts.append(single[character])
        elif len(marks) == 1 and base.isascii() and marks in accents:
            parts.append(accents[marks] + base.encode())
        else:
            parts.append(b"?")
    return b"".join(parts)

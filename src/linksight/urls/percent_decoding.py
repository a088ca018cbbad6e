"""Decode percent codes that are UTF-8, encoded once or twice."""

from __future__ import annotations

import re

_CODES = re.compile(r"(?:%[0-9a-f]{2})+", re.IGNORECASE)
# Codes of bytes beyond ASCII that were coded once more, then all other codes.
_TWICE_OR_ONCE = re.compile(
    r"((?:%25[89a-f][0-9a-f])+)|(?:%(?!25[89a-f][0-9a-f])[0-9a-f]{2})+", re.IGNORECASE
)


def decode_utf8(text: str) -> str:
    """Percent codes that are valid UTF-8 become characters; others stay as they are.

    >>> decode_utf8("caf%C3%A9-%E9-100%")
    'café-%E9-100%'
    """
    return _CODES.sub(lambda codes: _characters(_bytes_of(codes)), text) if "%" in text else text


def decode_percent(text: str) -> str:
    """The same for a path or query, where UTF-8 that was coded twice is decoded too.

    >>> decode_percent("caf%C3%A9-%E9-100%"), decode_percent("%25D1%258F-100%25")
    ('café-%E9-100%', 'я-100%')
    """
    if "%" not in text:
        return text
    return _TWICE_OR_ONCE.sub(
        lambda codes: _once_decoded(codes[1]) if codes[1] else _characters(_bytes_of(codes)), text
    )


def _bytes_of(codes: re.Match[str]) -> bytes:
    return bytes.fromhex(codes[0].replace("%", ""))


def _characters(data: bytes) -> str:
    try:
        if (plain := data.decode()).isprintable():
            return plain
        decoded = plain
    except UnicodeDecodeError:
        # Bytes that are not UTF-8 become surrogates, which are written as the codes they were.
        decoded = data.decode("utf-8", "surrogateescape")
    return "".join(
        f"%{ord(char) - 0xDC00:02X}" if 0xDC80 <= ord(char) <= 0xDCFF else char if char >= " " else " "
        for char in decoded
    )


def _once_decoded(codes: str) -> str:
    """Codes of codes: characters where they are UTF-8, else codes."""
    digits = codes.replace("%25", "")
    found, at = [], 0
    for char in bytes.fromhex(digits).decode("utf-8", "surrogateescape"):
        is_byte = 0xDC80 <= ord(char) <= 0xDCFF
        found.append(f"%{digits[at : at + 2]}" if is_byte else char)
        at += 2 if is_byte else 2 * len(char.encode())
    return "".join(found)

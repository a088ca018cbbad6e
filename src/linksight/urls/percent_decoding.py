"""Percent codes, turned into the characters that they stand for."""

from __future__ import annotations

import re

from linksight.urls.legacy_encodings import codepage_of

_CODES = re.compile(r"(?:%[0-9a-f]{2})+", re.IGNORECASE)
# Codes of bytes beyond ASCII that were coded once more, then all other codes.
_TWICE_OR_ONCE = re.compile(
    r"((?:%25[89a-f][0-9a-f])+)|(?:%(?!25[89a-f][0-9a-f])[0-9a-f]{2})+", re.IGNORECASE
)
_CONTINUED = bytes(range(0x80, 0xC0))


def decode_utf8(text: str) -> str:
    """Percent codes that are valid UTF-8 become characters; others stay as they are.

    >>> decode_utf8("caf%C3%A9-%E9-100%")
    'café-%E9-100%'
    """
    return _CODES.sub(lambda codes: _characters(_bytes_of(codes)), text) if "%" in text else text


def decode_percent(text: str) -> str:
    """The same for a path or query; UTF-8 that was coded twice and older encodings are read too.

    >>> decode_percent("caf%C3%A9-%E9-100%"), decode_percent("caf%E9"), decode_percent("%25D1%258F-100%25")
    ('café-%E9-100%', 'café', 'я-100%')
    >>> decode_percent("%CD%EE%E2%EE%F1%F2%E8"), decode_percent("%D6%D0%B9%FA"), decode_percent("W%B3ochy")
    ('Новости', '中国', 'Włochy')
    """
    if "%" not in text:
        return text
    older = _older_bytes(text)
    codepage = codepage_of(older) if older else None
    return _TWICE_OR_ONCE.sub(
        lambda codes: _once_decoded(codes[1]) if codes[1] else _characters(_bytes_of(codes), codepage), text
    )


def _bytes_of(codes: re.Match[str]) -> bytes:
    return bytes.fromhex(codes[0].replace("%", ""))


def _characters(data: bytes, codepage: str | None = None) -> str:
    try:
        if (plain := data.decode()).isprintable():
            return plain
        decoded = plain
    except UnicodeDecodeError:
        # What is no UTF-8 comes back as the surrogate of its byte; it is written as it was.
        decoded = data.decode(codepage) if codepage else data.decode("utf-8", "surrogateescape")
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


def _older_bytes(text: str) -> bytes | None:
    """The text with the bytes of its codes, where some are beyond ASCII and none of those are UTF-8."""
    pieces, at, older = [], 0, False
    for codes in _TWICE_OR_ONCE.finditer(text):
        data = b" " if codes[1] else _bytes_of(codes)
        if not data.isascii():
            if _is_utf8(data):
                return None
            older = True
        pieces += [text[at : codes.start()].encode("ascii", "replace"), data]
        at = codes.end()
    return b"".join([*pieces, text[at:].encode("ascii", "replace")]) if older else None


def _is_utf8(data: bytes) -> bool:
    """Whether this is UTF-8, perhaps but for the beginning of a character after others."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        whole, rest = data[: error.start], data[error.start :]
        is_cut = rest[0] >= 0xC0 and len(rest) < 4 and not rest[1:].strip(_CONTINUED)
        return is_cut and not whole.isascii()
    return True

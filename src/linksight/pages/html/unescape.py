"""Letters that data write with other signs: JSON in ASCII has them as numbers.

Their digits and letters would count as words of some language. The unescaped text is read like any other text.

>>> unescape_text(rb'{"title": "\\u0414\\u043e\\u043c"}').decode()
'{"title": "Дом"}'
"""

from __future__ import annotations

import re

MAX_BYTES = 1 << 18  #: bytes that are unescaped: far more than is read of a page
MIN_ESCAPES = 10  #: such letters that make the text of a program worth reading

_DATA = re.compile(rb"\s*(?:\{\s*\"|\[\s*[\[{\"])")
_TAGGED = re.compile(rb"\s*(?:<|\{\\rtf)")  # a page; or rich text, which has other numbers for its letters
_ENTITY = re.compile(rb"&amp;(#[0-9]{2,7};|#[xX][0-9A-Fa-f]{2,6};|[A-Za-z]{2,8};)")
_RUN = re.compile(rb"(?:\\u[0-9A-Fa-f]{4})+")
_SIGN = re.compile(rb"\\(.)", re.DOTALL)


def unescape_text(text: bytes) -> bytes:
    """The text of data, or of a program with many such letters, in UTF-8; any other text as it is."""
    is_data = _DATA.match(text)
    if (not is_data and _TAGGED.match(text)) or b"\\u" not in text[:MAX_BYTES]:
        return text
    if not is_data and sum(map(len, _RUN.findall(text, 0, MAX_BYTES))) < MIN_ESCAPES * len(rb"\u0434"):
        return text
    return _SIGN.sub(_plain, _RUN.sub(_letters, text[:MAX_BYTES]))


def unescape_once(page: bytes) -> bytes:
    """A page with its entities as they were before somebody escaped their ampersands.

    >>> unescape_once(b"<p>&amp;#1044;&amp;#1086;&amp;#1084;")
    b'<p>&#1044;&#1086;&#1084;'
    """
    return _ENTITY.sub(rb"&\1", page) if b"&amp;#" in page else page


def _letters(run: re.Match[bytes]) -> bytes:
    units = bytes.fromhex(run[0].replace(b"\\u", b"").decode())
    return units.decode("utf-16-be", "replace").encode()


def _plain(sign: re.Match[bytes]) -> bytes:
    return b" " if sign[1] in b"nrtbf" else sign[1]

"""Texts of others: files that a user names, and addresses that a terminal shows."""

from __future__ import annotations

import re
from typing import IO

from linksight.errors import BadData

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """A text that a terminal can show as it is: what would move, colour or turn other text is spelt out.

    >>> harmless("http://a.nl/\\x1b[31mred")
    'http://a.nl/\\\\x1b[31mred'
    """
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def text_of(file: IO[bytes]) -> str:
    """The text of a file that was opened as bytes; an error that names it where it is none.

    >>> import io
    >>> text_of(io.BytesIO(b"http://a.nl/"))
    'http://a.nl/'
    """
    try:
        return file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        name = getattr(file, "name", "-")
        raise BadData(f"{name}: not a text file in UTF-8; was another file meant?") from None

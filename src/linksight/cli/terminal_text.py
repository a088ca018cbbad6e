"""Escape control characters in text that a terminal shows."""

from __future__ import annotations

import re

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """Escape control and bidirectional characters, which can move, colour or reverse other text.

    >>> harmless("http://a.nl/\\x1b[31mred")
    'http://a.nl/\\\\x1b[31mred'
    """
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)

"""Visual Hebrew: text that is stored as it is seen, each line from its left end, as on the early web.

Five letters have another form at the end of a word, so their positions show the order.

>>> is_visual("םולש םלועל תיבה ךלהי םיכלוהה םירבדמהו")
True
>>> reverse_words("<b>םולש</b> abc")
'<b>שלום</b> abc'
"""

from __future__ import annotations

import re

_WORD = re.compile("[א-ת]{2,}")
_FINAL = frozenset("םןץףך")
MIN_WORDS = 3  #: words that must show it


def is_visual(text: str) -> bool:
    """Whether the Hebrew of a text is written from the left."""
    words = _WORD.findall(text[:40_000])
    first = sum(word[0] in _FINAL for word in words)
    last = sum(word[-1] in _FINAL for word in words)
    return first >= MIN_WORDS and first > 3 * last


def reverse_words(text: str) -> str:
    """The text with every Hebrew word the other way round; enough to read it, though words stay where they are."""
    return _WORD.sub(lambda match: match[0][::-1], text)

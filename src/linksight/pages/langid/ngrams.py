"""From text to features to scores: n-grams of characters, looked up in one hashed table.

Text is lower-cased. A word is a run of letters with an edge mark (``_``) on both sides;
its features are its 4-grams, the 3-grams at its edges, and the word. In scripts without spaces every
character and every pair is a feature. A feature is identified by 32 bits of hash: the high ``BITS`` select a
row of the table, the others check it. A row lists classes with
their weights; other classes have weight 0.

>>> len(keys_of("Le chat"))
9
>>> keys_of("chat") == keys_of("CHAT")
True
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

from linksight.native.pages import ngrams
from linksight.native.pages.buffers import zeros
from linksight.pages.langid import scripts

BITS = 20  #: the table has 2**BITS rows
WEIGHT_BITS = 6
ZERO = 8  #: the stored weight of zero: smaller ones are negative

# Kinds of characters.
BREAK, LETTER, SIGN = 0, 1, 2
_UNSPACED = ("Hani", "Hira", "Kana", "Bopo", "Thai", "Laoo", "Khmr", "Mymr", "Tibt", "Hang", "Yiii")


@cache
def kinds() -> bytes:
    """The kind of each character of the basic plane: not a letter, a letter, a sign of a script without spaces."""
    signs = {scripts.NAMES.index(name) for name in _UNSPACED}
    kind_of = bytes(BREAK if not number else SIGN if number in signs else LETTER for number in range(256))
    numbers = bytearray(scripts.table().translate(kind_of))
    for place, number in enumerate(numbers):
        # Punctuation and digits in a script's block end a word too.
        if number == LETTER and unicodedata.category(chr(place))[0] in "PNSZ":
            numbers[place] = BREAK
    for place in range(0x300, 0x370):  # combining accents belong to their letter
        numbers[place] = LETTER
    return bytes(numbers)


def points_of(text: str) -> Any:
    """The characters of a text as an array of code points."""
    return memoryview(text.encode("utf-32-le", "replace")).cast("I")


def keys_of(text: str) -> list[int]:
    """The keys of a text's features."""
    points = points_of(text.lower())
    keys = zeros("I", 4 * len(points) + 16)
    walk: Any = ngrams.walk
    found: list[int] = keys[: walk(points, 0, len(points), kinds(), keys)].tolist()
    return found

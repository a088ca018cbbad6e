"""Letters that were encoded twice: bytes that somebody took for a Western or Cyrillic text and put into UTF-8.

Such pages are valid UTF-8 and yet show ``Ã©`` for ``é`` and ``Ð”Ð¾Ð¼`` for ``Дом``; what is undone here is read like
any other text. A text is taken for one where most of its letters beyond ASCII are such pairs: in a proper text
hardly any is. Bytes of an older encoding show no such pairs; those are tried where a text makes no sense as it is.

>>> undo("Ð”Ð¾Ð¼ Ð½Ð° Ñ€ÐµÐºÐµ")
'Дом на реке'
>>> undo("Où est l'école ? À «l'Étoile»")
"Où est l'école ? À «l'Étoile»"
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from linksight.pages.charset import detector, labels

WESTERN, CYRILLIC = "windows-1252", "windows-1251"
MAX_ROUNDS = 3  #: that a text is undone
MIN_LETTERS = 3  #: such letters
MIN_SHARE = 0.5  #: of the characters beyond ASCII
MIN_DISTINCT_LETTERS = (
    12  #: letters that such a text has at least: fewer are a pattern, and fit some language by chance
)
MIN_FOREIGN_SHARE = 0.5  #: of the letters, beyond ASCII, of a text in which older encodings are looked for

# The first bytes of letters in UTF-8, as characters of the two encodings, with characters behind them that may be the next bytes.
_BEGUN = {
    WESTERN: re.compile("[\xc2-\xf4][\x80-\xbf\u0152-\u0192\u02c6-\u02dc\u2013-\u2122]"),
    CYRILLIC: re.compile("[\u0420-\u0422\u0430-\u0434][\x80-\xbf\u0401-\u040f\u0451-\u0491\u2013-\u2122]"),
}
_LETTER = re.compile("[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")


def undo(text: str, mistaken_for: str = WESTERN) -> str:
    """A text with its letters encoded once; any that has no such letters as it is."""
    for _ in range(MAX_ROUNDS):
        if not _BEGUN[mistaken_for].search(text):
            break
        letters = list(_LETTER.finditer(text.translate(_as_bytes(mistaken_for))))
        foreign = len(text) - len(text.encode("ascii", "ignore"))
        if len(letters) < MIN_LETTERS or sum(len(letter[0]) for letter in letters) < MIN_SHARE * foreign:
            break
        text = _once(text, letters)
    return text


def _once(text: str, letters: list[re.Match[str]]) -> str:
    """The text with each of those letters as what it was, and all other characters as they are."""
    parts: list[str] = []
    end = 0
    for letter in letters:
        parts += text[end : letter.start()], letter[0].encode("latin-1").decode("utf-8", "replace")
        end = letter.end()
    return "".join(parts) + text[end:]


def decode_again(text: str) -> Iterator[str]:
    """What a text that makes no sense may be in an older encoding.

    >>> next(decode_again("Âñå ëþäè ðîæäàþòñÿ ñâîáîäíûìè è ðàâíûìè"))
    'Все люди рождаются свободными и равными'
    """
    letters = [character for character in text if character.isalpha()]
    foreign = sum(not letter.isascii() for letter in letters)
    if foreign < MIN_FOREIGN_SHARE * len(letters) or len(set(letters)) < MIN_DISTINCT_LETTERS:
        return
    for name in (WESTERN, CYRILLIC):
        data = text.translate(_as_bytes(name)).encode("latin-1", "ignore")
        yield labels.decode(data, detector.guess(data))


@cache
def _as_bytes(name: str) -> dict[int, int | str]:
    """For each character of an encoding its byte, as a character of that number; for others that would be one, none."""
    table: dict[int, int | str] = dict.fromkeys(range(0xC0, 0x100), "\ufffd")
    for byte in range(0x80, 0x100):
        # The five bytes that windows-1252 has no character for stay what they are, as in browsers.
        table[ord(bytes([byte]).decode(name, "ignore") or chr(byte))] = byte
    return table

"""Undoes mojibake: UTF-8 bytes that were decoded as a Western or Cyrillic code page and encoded in UTF-8 again.

Such pages are valid UTF-8 and yet show ``Ã©`` for ``é`` and ``Ð”Ð¾Ð¼`` for ``Дом``; the repaired text is read like
any other text. A text is mojibake if most of its letters beyond ASCII are such pairs: in a proper text
hardly any is. Bytes of a legacy encoding have no such pairs; they are tried if the text fits no language.

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
MAX_ROUNDS = 3  #: of decoding a text
MIN_LETTERS = 3  #: such letters
MIN_SHARE = 0.5  #: of the characters beyond ASCII
MIN_DISTINCT_LETTERS = 12  #: a text with fewer fits some language by chance
MIN_FOREIGN_SHARE = 0.5  #: of the letters, beyond ASCII, for legacy encodings to be tried

# The first bytes of letters in UTF-8, as characters of the two encodings, with characters behind them that may be the next bytes.
_FIRST_BYTES = {
    WESTERN: re.compile("[\xc2-\xf4][\x80-\xbf\u0152-\u0192\u02c6-\u02dc\u2013-\u2122]"),
    CYRILLIC: re.compile("[\u0420-\u0422\u0430-\u0434][\x80-\xbf\u0401-\u040f\u0451-\u0491\u2013-\u2122]"),
}
_LETTER = re.compile("[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")


def undo(text: str, mistaken_for: str = WESTERN) -> str:
    """The text without double encoding; other text is unchanged."""
    for _ in range(MAX_ROUNDS):
        if not _FIRST_BYTES[mistaken_for].search(text):
            break
        letters = list(_LETTER.finditer(text.translate(_as_bytes(mistaken_for))))
        foreign = len(text) - len(text.encode("ascii", "ignore"))
        if len(letters) < MIN_LETTERS or sum(len(letter[0]) for letter in letters) < MIN_SHARE * foreign:
            break
        text = _once(text, letters)
    return text


def _once(text: str, letters: list[re.Match[str]]) -> str:
    """The text with each of those letters decoded, and all other characters unchanged."""
    parts: list[str] = []
    end = 0
    for letter in letters:
        parts += text[end : letter.start()], letter[0].encode("latin-1").decode("utf-8", "replace")
        end = letter.end()
    return "".join(parts) + text[end:]


def decode_again(text: str) -> Iterator[str]:
    """Candidate readings of a text that fits no language, in legacy encodings.

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
    """Maps each character of an encoding to its byte's code point, and other characters of that range to U+FFFD."""
    table: dict[int, int | str] = dict.fromkeys(range(0xC0, 0x100), "\ufffd")
    for byte in range(0x80, 0x100):
        # The five undefined bytes of windows-1252 map to themselves, as in browsers.
        table[ord(bytes([byte]).decode(name, "ignore") or chr(byte))] = byte
    return table

"""Detects other scripts in East Asian encodings: Russian in GB 2312, Hindi and Uyghur in GB 18030, half-width kana.

The byte bigrams of ``detector`` are trained on Chinese, Japanese and Korean. Letters of other scripts have separate
rows: the same lead byte comes before each of them, or digits between them. In the right encoding, and only there,
all of them are letters of one script.

>>> find_encoding("Все люди рождаются свободными".encode("gb2312")), find_encoding("सभी मनुष्यों को".encode("gb18030"))
('gb18030', 'gb18030')
>>> find_encoding("Все люди рождаются свободными".encode("windows-1251"))
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from linksight.pages.charset import labels
from linksight.pages.langid import scripts

#: For each encoding the bytes that other letters begin with.
ROWS = {
    "gb18030": b"\x81\x82\x83\x84\xa6\xa7\xa8",
    "euc-jp": b"\x8e\x8f\xa6\xa7",
    "shift_jis": b"\x83\x84",
    "euc-kr": b"\xa5\xa8\xa9\xac",
    "big5": b"\x88\xa3\xc7\xc8",
}
SAMPLE_BYTES = 480  #: bytes that are examined
MIN_LEAD_BYTE_SHARE = 0.2  #: of one lead byte among the bytes beyond ASCII
MIN_LETTERS, MIN_DISTINCT_LETTERS = 6, 3  #: letters that show it, and how many different ones
MIN_LETTERS_DECLARED = 2  #: the same where the page names the encoding
MIN_SCRIPT_SHARE = 0.85  #: of the letters that are of one script
MAX_SIGN_SHARE = 0.6  #: of the characters beyond ASCII that may be dashes, quotes and the like
MAX_DAMAGED_SHARE = 0.02  #: of the characters that mean nothing, as where a sample is cut

_ASCII = bytes(range(128))
_HALF = "half-width kana"
_EAST = {"Hira": "Hani", "Kana": "Hani", "Bopo": "Hani"}
#: The main scripts of these encodings, which the byte bigrams detect. Single bytes, as half-width kana
#: in Shift_JIS, look like letters of many other encodings.
_MAIN_SCRIPTS = {"euc-kr": ("Hani", "Hang"), "shift_jis": ("Hani", _HALF)}
_NOTHING = ("Cn", "Co", "Cs", "Cc")

#: Half-width kana as Shift_JIS has them, and those that a mark makes other sounds of.
_KANA, _LOW_KANA = bytes(range(0xA1, 0xE0)), bytes(range(0xB0, 0xC0))
_VOICED = re.compile(rb"[\xb3\xb6-\xc4\xca-\xce]\xde|[\xca-\xce]\xdf")
MIN_KANA_BYTES = 12  #: of half-width kana
MIN_LOW_SHARE = 0.2  #: of them that are of the first half of the alphabet: in Cyrillic code pages hardly a letter is there
MIN_VOICED_SHARE = 0.9  #: of the voicing marks that follow such a kana


def find_encoding(words: bytes, declared: str = "") -> str | None:
    """The encoding in which the words are letters of another script; ``declared`` is the page's declaration."""
    words = words[:SAMPLE_BYTES]
    if is_half_width(words):
        return "shift_jis"
    high = words.translate(None, _ASCII)
    least = max(1.0, MIN_LEAD_BYTE_SHARE * len(high))
    found = [name for name, row in ROWS.items() if max(high.count(byte) for byte in row) >= least]
    found.sort(key=lambda name: name != declared)
    return next((name for name in found if _is_foreign(words, name, name == declared)), None)


def is_half_width(words: bytes) -> bool:
    """Whether bytes are half-width kana of Shift_JIS and no letter of another alphabet.

    >>> is_half_width("ﾆｭｰｽ ﾗﾝｷﾝｸﾞ ｹﾞｰﾑ ﾌﾟﾛﾌｨｰﾙ".encode("shift_jis")), is_half_width("НОВОСТИ ЧЕРЕЗ МЕНЮ".encode("windows-1251"))
    (True, False)
    """
    high = words.translate(None, _ASCII)
    if len(high) < MIN_KANA_BYTES or high.translate(None, _KANA):
        return False
    marks = high.count(b"\xde") + high.count(b"\xdf")
    low = len(high) - len(high.translate(None, _LOW_KANA))
    return (
        marks > 1
        and len(_VOICED.findall(high)) >= MIN_VOICED_SHARE * marks
        and low >= MIN_LOW_SHARE * len(high)
    )


def _is_foreign(words: bytes, name: str, declared: bool) -> bool:
    """Whether words are letters of one script in an encoding, and not of one that it is mostly used for."""
    characters = [character for character in labels.decode(words, name) if character > "\x7f"]
    families = Counter(map(_family, characters))
    signs = families.pop(scripts.COMMON, 0)
    if not families or signs > MAX_SIGN_SHARE * len(characters):
        return False
    script, count = families.most_common(1)[0]
    if script in _MAIN_SCRIPTS.get(name, ("Hani",)) or count < MIN_SCRIPT_SHARE * families.total():
        return False
    if count < (MIN_LETTERS_DECLARED if declared else MIN_LETTERS) or not (
        declared or len(set(characters)) >= MIN_DISTINCT_LETTERS
    ):
        return False
    damaged = sum(unicodedata.category(character) in _NOTHING for character in characters)
    damaged += characters.count("\ufffd")
    return damaged <= MAX_DAMAGED_SHARE * len(characters)


def _family(character: str) -> str:
    """The script of a character; those that Chinese and Japanese mix are one, but for half-width kana."""
    if "\uff61" <= character <= "\uff9f":
        return _HALF
    script = scripts.script_of(character)
    return _EAST.get(script, script)

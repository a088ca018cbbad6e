"""Which script a character is of, by Unicode block: enough to name the script of a page.

>>> script_of("д"), script_of("ж"), script_of("7")
('Cyrl', 'Cyrl', 'Zyyy')
>>> script_of_text("Всеобщая декларация (UDHR)")
'Cyrl'
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import cache

COMMON = "Zyyy"  #: digits, punctuation, symbols: shared by all scripts
#: The scripts of characters that a text in one of these is written in.
PARTS = {"Jpan": ("Hira", "Kana", "Hani"), "Kore": ("Hang", "Hani"), "Hani": ("Hani", "Bopo")}

# First character, last character, ISO 15924 code; sorted; the gaps are common characters.
_RANGES: tuple[tuple[int, int, str], ...] = (
    (0x41, 0x5A, "Latn"), (0x61, 0x7A, "Latn"), (0xAA, 0xAA, "Latn"), (0xBA, 0xBA, "Latn"),
    (0xC0, 0xD6, "Latn"), (0xD8, 0xF6, "Latn"), (0xF8, 0x2B8, "Latn"), (0x370, 0x3E1, "Grek"),
    (0x3E2, 0x3EF, "Copt"), (0x3F0, 0x3FF, "Grek"), (0x400, 0x52F, "Cyrl"), (0x531, 0x58A, "Armn"),
    (0x591, 0x5F4, "Hebr"), (0x610, 0x61A, "Arab"), (0x620, 0x65F, "Arab"), (0x66E, 0x6FF, "Arab"),
    (0x700, 0x74F, "Syrc"), (0x750, 0x77F, "Arab"), (0x780, 0x7B1, "Thaa"), (0x7C0, 0x7FA, "Nkoo"),
    (0x800, 0x83E, "Samr"), (0x840, 0x85E, "Mand"), (0x860, 0x86A, "Syrc"), (0x8A0, 0x8FF, "Arab"),
    (0x900, 0x963, "Deva"), (0x966, 0x97F, "Deva"), (0x980, 0x9FE, "Beng"), (0xA01, 0xA76, "Guru"),
    (0xA81, 0xAFF, "Gujr"), (0xB01, 0xB77, "Orya"), (0xB82, 0xBFA, "Taml"), (0xC00, 0xC7F, "Telu"),
    (0xC80, 0xCF3, "Knda"), (0xD00, 0xD7F, "Mlym"), (0xD81, 0xDF4, "Sinh"), (0xE01, 0xE3A, "Thai"),
    (0xE40, 0xE5B, "Thai"), (0xE81, 0xEDF, "Laoo"), (0xF00, 0xFD4, "Tibt"), (0x1000, 0x109F, "Mymr"),
    (0x10A0, 0x10FF, "Geor"), (0x1100, 0x11FF, "Hang"), (0x1200, 0x139F, "Ethi"), (0x13A0, 0x13FD, "Cher"),
    (0x1400, 0x167F, "Cans"), (0x1680, 0x169C, "Ogam"), (0x16A0, 0x16F8, "Runr"), (0x1700, 0x171F, "Tglg"),
    (0x1780, 0x17F9, "Khmr"), (0x1800, 0x18AA, "Mong"), (0x18B0, 0x18F5, "Cans"), (0x1900, 0x194F, "Limb"),
    (0x1950, 0x1974, "Tale"), (0x1980, 0x19DF, "Talu"), (0x19E0, 0x19FF, "Khmr"), (0x1A00, 0x1A1F, "Bugi"),
    (0x1A20, 0x1AAD, "Lana"), (0x1B00, 0x1B7E, "Bali"), (0x1B80, 0x1BBF, "Sund"), (0x1BC0, 0x1BFF, "Batk"),
    (0x1C00, 0x1C4F, "Lepc"), (0x1C50, 0x1C7F, "Olck"), (0x1C80, 0x1C88, "Cyrl"), (0x1C90, 0x1CBF, "Geor"),
    (0x1D00, 0x1DBF, "Latn"), (0x1E00, 0x1EFF, "Latn"), (0x1F00, 0x1FFE, "Grek"), (0x2C60, 0x2C7F, "Latn"),
    (0x2C80, 0x2CFF, "Copt"), (0x2D00, 0x2D2D, "Geor"), (0x2D30, 0x2D7F, "Tfng"), (0x2D80, 0x2DDE, "Ethi"),
    (0x2DE0, 0x2DFF, "Cyrl"), (0x2E80, 0x2FD5, "Hani"), (0x3005, 0x3007, "Hani"), (0x3021, 0x3029, "Hani"),
    (0x3041, 0x309F, "Hira"), (0x30A1, 0x30FA, "Kana"), (0x30FD, 0x30FF, "Kana"), (0x3105, 0x312F, "Bopo"),
    (0x3131, 0x318E, "Hang"), (0x31A0, 0x31BF, "Bopo"), (0x31F0, 0x31FF, "Kana"), (0x3400, 0x4DBF, "Hani"),
    (0x4E00, 0x9FFF, "Hani"), (0xA000, 0xA4CF, "Yiii"), (0xA4D0, 0xA4FF, "Lisu"), (0xA500, 0xA62B, "Vaii"),
    (0xA640, 0xA69F, "Cyrl"), (0xA6A0, 0xA6F7, "Bamu"), (0xA722, 0xA7FF, "Latn"), (0xA800, 0xA82C, "Sylo"), (0xA840, 0xA877, "Phag"),
    (0xA8E0, 0xA8FF, "Deva"), (0xA900, 0xA92D, "Kali"), (0xA930, 0xA95F, "Rjng"), (0xA960, 0xA97C, "Hang"),
    (0xA980, 0xA9DF, "Java"), (0xA9E0, 0xA9FE, "Mymr"), (0xAA00, 0xAA5F, "Cham"), (0xAA60, 0xAA7F, "Mymr"),
    (0xAA80, 0xAADF, "Tavt"), (0xAAE0, 0xAAF6, "Mtei"), (0xAB00, 0xAB2E, "Ethi"), (0xAB30, 0xAB6B, "Latn"),
    (0xAB70, 0xABBF, "Cher"), (0xABC0, 0xABF9, "Mtei"), (0xAC00, 0xD7FB, "Hang"), (0xF900, 0xFAFF, "Hani"),
    (0xFB00, 0xFB06, "Latn"), (0xFB13, 0xFB17, "Armn"), (0xFB1D, 0xFB4F, "Hebr"), (0xFB50, 0xFDFF, "Arab"),
    (0xFE70, 0xFEFC, "Arab"), (0xFF21, 0xFF3A, "Latn"), (0xFF41, 0xFF5A, "Latn"), (0xFF66, 0xFF9D, "Kana"),
    (0xFFA0, 0xFFDC, "Hang"), (0x10330, 0x1034A, "Goth"), (0x10400, 0x1044F, "Dsrt"), (0x104B0, 0x104FF, "Osge"),
    (0x11000, 0x1107F, "Brah"), (0x11100, 0x11147, "Cakm"), (0x11300, 0x11374, "Gran"), (0x11400, 0x11461, "Newa"), (0x11480, 0x114D9, "Tirh"), (0x118A0, 0x118FF, "Wara"), (0x16A40, 0x16A6F, "Mroo"),
    (0x16F00, 0x16F9F, "Plrd"), (0x1E100, 0x1E14F, "Hmnp"), (0x1E2C0, 0x1E2FF, "Wcho"), (0x1E900, 0x1E95F, "Adlm"),
    (0x20000, 0x3FFFD, "Hani"),
)  # fmt: skip

_STARTS = [first for first, _, _ in _RANGES]
NAMES: tuple[str, ...] = (COMMON, *sorted({code for _, _, code in _RANGES}))
_NUMBER = {code: number for number, code in enumerate(NAMES)}


def script_of(character: str) -> str:
    """The ISO 15924 code of a character's script."""
    point = ord(character)
    place = bisect_right(_STARTS, point) - 1
    if place < 0 or point > _RANGES[place][1]:
        return COMMON
    return _RANGES[place][2]


@cache
def table(size: int = 0x10000) -> bytes:
    """The number of the script (its place in ``NAMES``) of each of the first ``size`` characters.

    >>> NAMES[table()[ord("я")]]
    'Cyrl'
    """
    numbers = bytearray(size)
    for first, last, code in _RANGES:
        if first < size:
            numbers[first : last + 1] = bytes([_NUMBER[code]]) * (min(last, size - 1) - first + 1)
    return bytes(numbers)


def name_of_counts(counts: dict[str, int]) -> str:
    """The script of a text from its letters by script: Japanese and Korean mix several.

    >>> name_of_counts({"Hani": 60, "Hira": 30, "Latn": 5}), name_of_counts({"Hani": 9, "Hang": 50})
    ('Jpan', 'Kore')
    """
    if len(counts) == 1 and "Latn" in counts:
        return "Latn"
    letters = {code: count for code, count in counts.items() if code != COMMON and count}
    if not letters:
        return COMMON
    kana = letters.get("Hira", 0) + letters.get("Kana", 0)
    east = kana + letters.get("Hani", 0) + letters.get("Hang", 0) + letters.get("Bopo", 0)
    best = max(letters, key=lambda code: letters[code])
    if east >= letters[best]:
        # Kana or Hangul in more than passing amount make the text Japanese or Korean.
        if kana * 20 >= east and kana >= letters.get("Hang", 0):
            return "Jpan"
        if letters.get("Hang", 0) * 20 >= east:
            return "Kore"
        return "Hani"
    return best


def script_of_text(text: str) -> str:
    """The script that most of a text is in; ``Zyyy`` when it has no letters.

    >>> script_of_text("日本語のテキスト"), script_of_text("12.50"), script_of_text("中国人民")
    ('Jpan', 'Zyyy', 'Hani')
    """
    return name_of_counts(Counter(script_of(character) for character in text))

"""Vietnamese encodings that Python has no codec for: VISCII, TCVN 5712, VPS, and VIQR in plain ASCII.

>>> decode(b"Qu\\xe2n", "viscii")
'Quân'
>>> decode_viqr(b"Ta^'t ca? mo.i ngu+o+`i sinh ra dde^`u ddu+o+.c tu+. do\\\\.")
'Tất cả mọi người sinh ra đều được tự do.'
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from functools import cache

# The upper halves (U+FFFD: undefined), and the letters in place of control characters.
_UPPER = {
    "viscii": "ẠẮẰẶẤẦẨẬẼẸẾỀỂỄỆỐỒỔỖỘỢỚỜỞỊỎỌỈỦŨỤỲÕắằặấầẩậẽẹếềểễệốồổỗỠƠộờởịỰỨỪỬơớƯÀÁÂÃẢĂẳẵÈÉÊẺÌÍĨỳĐứÒÓÔạỷừửÙÚỹỵÝỡưàáâãảăữẫèéêẻìíĩỉđựòóôõỏọụùúũủýợỮ",
    "tcvn": "ÀẢÃÁẠẶẬÈẺẼÉẸỆÌỈĨÍỊÒỎÕÓỌỘỜỞỠỚỢÙỦŨ\xa0ĂÂÊÔƠƯĐăâêôơưđẰ\u0300\u0309\u0303\u0301\u0323àảãáạẲằẳẵắẴẮẦẨẪẤỀặầẩẫấậèỂẻẽéẹềểễếệìỉỄẾỒĩíịòỔỏõóọồổỗốộờởỡớợùỖủũúụừửữứựỳỷỹýỵỐ",
    "vps": "ÀẢÃẤẦẨọỗĂếềểệẮẰẲẾ‘’ỀỂỄỐỒỔỖýỷỵỚỜỞ\xa0ắằẳẵặỠớÙờởỡŨỨợỪổỬỲỸÍÌộỈĨÓửữÒỎÕựầÁÂấẩẫậđẻÉÊẹỉễịỹƯỦồốÔỏơÈừứÚũưÝẺ\ufffdàáâãảạă\ufffdèéêẽìí\ufffdĩẴĐòóôõ\ufffdƠụùúủ\ufffdỶẼỳ",
}  # fmt: skip
_LOWER = {
    "viscii": {0x02: "Ẳ", 0x05: "Ẵ", 0x06: "Ẫ", 0x14: "Ỷ", 0x19: "Ỹ", 0x1E: "Ỵ"},
    "tcvn": {
        0x01: "Ú", 0x02: "Ụ", 0x04: "Ừ", 0x05: "Ử", 0x06: "Ữ", 0x11: "Ứ", 0x12: "Ự", 0x13: "Ỳ", 0x14: "Ỷ", 0x15: "Ỹ", 0x16: "Ý", 0x17: "Ỵ",
    },
    "vps": {
        0x02: "Ạ", 0x03: "Ậ", 0x04: "Ặ", 0x05: "Ẹ", 0x06: "Ệ", 0x10: "Ị", 0x11: "Ọ", 0x12: "Ộ", 0x13: "Ợ", 0x14: "Ụ", 0x15: "Ự", 0x19: "Ỵ", 0x1C: "Ẫ",
        0x1D: "Ữ",
    },
}  # fmt: skip
NAMES = tuple(_UPPER)


@cache
def chart(name: str) -> str:
    """The 256 characters of an encoding."""
    lower = [_LOWER[name].get(place, chr(place)) for place in range(128)]
    return "".join(lower) + _UPPER[name]


def decode(data: bytes, name: str, errors: str = "replace") -> str:
    """The text of bytes in one of ``NAMES``."""
    return codecs.charmap_decode(data, errors, chart(name))[0]


# ------------------------------------------------------------------ VIQR (RFC 1456)

_SHAPES = {"^": "\u0302", "(": "\u0306", "+": "\u031b", "*": "\u031b"}
_TONES = {"'": "\u0301", "`": "\u0300", "?": "\u0309", "~": "\u0303", ".": "\u0323"}
# A full stop or question mark after the last word of a sentence is not a tone, even if it is not escaped.
_SENTENCE_END = re.compile(r"(?<!\\)([?.])(?=\s*(?:$|<|\n)|\s+[A-Z])")
_SHAPED = re.compile(rb"(?<![A-Za-z])[A-Za-z]{0,3}(?:[aeo]\^|[ou]\+|a\(|dd[aeiouy])", re.I)
_WORD = re.compile(rb"[A-Za-z]+")
# A bracket inside would make of brackets that never close a search without end.
_TAG = re.compile(r"(<[^<>]*>)")


def is_viqr(text: bytes) -> bool:
    """Whether ASCII text without markup is Vietnamese in VIQR: its words show it by signs of several kinds.

    >>> is_viqr(b"Ta^'t ca? mo.i ngu+o+`i sinh ra dde^`u ddu+o+.c tu+. do va` bi`nh dda(?ng ve^` nha^n pha^?m")
    True
    >>> is_viqr(b"Who's that? I don't know. It is x^2 + y^2, is it?")
    False
    """
    sample = text[:20_000]
    shaped = _SHAPED.findall(sample)
    signs = {part[-1:].lower() if part[-1:] in b"^+(" else b"dd" for part in shaped}
    return len(shaped) >= 5 and len(signs) >= 2 and len(shaped) * 8 > len(_WORD.findall(sample))


def decode_viqr(data: bytes, errors: str = "replace") -> str:
    """The text of bytes in VIQR; tags stay as they are."""
    parts = _TAG.split(data.decode("ascii", errors))
    return "".join(part if part.startswith("<") else _composed(part) for part in parts)


def _composed(text: str) -> str:
    text = _SENTENCE_END.sub(r"\\\1", text)
    # First the shapes of vowels, then their tones, which follow; escaped signs must not be read again.
    text = re.sub(r"\\(.)", lambda m: chr(0xE000 + ord(m[1]) % 0x100), text)
    text = re.sub(r"([Dd])[Dd]", lambda m: "Đ" if m[1] == "D" else "đ", text)
    text = re.sub(r"([AEOUaeou])([\^(+*])", _shaped, text)
    text = re.sub(r"([AEIOUYaeiouyÂÊÔĂƠƯâêôăơư])(['`?~.])", _toned, text)
    return "".join(chr(ord(c) - 0xE000) if 0xE000 <= ord(c) < 0xE100 else c for c in text)


def _shaped(match: re.Match[str]) -> str:
    made = unicodedata.normalize("NFC", match[1] + _SHAPES[match[2]])
    return made if len(made) == 1 else match[0]


def _toned(match: re.Match[str]) -> str:
    made = unicodedata.normalize("NFC", match[1] + _TONES[match[2]])
    return made if len(made) == 1 else match[0]

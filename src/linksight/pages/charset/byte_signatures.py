"""Certain signatures of encodings: byte order marks, NUL bytes, escape sequences, valid UTF-8 sequences.

>>> by_mark(b"\\xff\\xfea\\0"), by_mark(b"<\\0p\\0>\\0h\\0i\\0"), by_mark(b"\\x1b$B$3\\x1b(B")
('utf-16', 'utf-16le', 'iso-2022-jp')
>>> by_seven_bits("Москва и Волга, Россия".encode("utf-7")), by_seven_bits(b"1+1, C++ and a+b-c")
('utf-7', 'ascii')
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter

from linksight.pages.charset.codecs import iso_2022_cn, vietnamese
from linksight.pages.langid import scripts

_ESCAPES = re.compile(rb"\x1b\$[B@]|\x1b\$\([CDO]|\x1b\([JI]")


#: Byte order marks; those of UTF-32 begin as those of UTF-16 do.
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_BEGINNINGS = tuple(_MARKS)


def by_mark(body: bytes) -> str | None:
    """The encoding that a byte order mark, NUL bytes or escape sequences show beyond doubt."""
    if body.startswith(_BEGINNINGS):
        return next(name for mark, name in _MARKS.items() if body.startswith(mark))
    head = body[:4096]
    if b"\0" in head:
        return _by_nuls(head)
    if b"\x1b" in head:
        if b"\x1b$)C" in head:
            return "iso-2022-kr"
        if iso_2022_cn.is_announced(head):
            return "iso-2022-cn"
        if _ESCAPES.search(head):
            return "iso-2022-jp"
    if b"~" in head and b"~{" in head and b"~}" in head and head.isascii() and _is_hz(head):
        return "hz"
    return None


_SHIFTED = re.compile(rb"\+([A-Za-z0-9+/]{2,})(-?)")
#: Signatures of UTF-7 and VIQR; they begin with one byte, which makes the search fast.
SHIFTS = re.compile(rb"\+(?:(?=[a-z]*[A-Z0-9/])[A-Za-z0-9+/]{3}|(?<=[ou]\+)[`'?~.a-z])")
#: Spaces, dashes and quotes in UTF-7, which occur in texts of any language.
_PUNCTUATION = frozenset(sign.encode("utf-7")[1:-1] for sign in "\xa0«»–—‘’“”„…€")
SAMPLE_BYTES = 40_000  #: bytes in which UTF-7 and VIQR show, if at all


def by_seven_bits(text: bytes, declared: bool = False) -> str:
    """The encoding of ASCII bytes without markup: UTF-7, VIQR or ASCII; a ``declared`` one needs less evidence."""
    if b"+" in text:
        if text.startswith((b"+/v8", b"+/v9", b"+/v+", b"+/v/")) or _is_utf7(text[:SAMPLE_BYTES], declared):
            return "utf-7"
        if vietnamese.is_viqr(text):
            return "viqr"
    return "ascii"


def _is_utf7(text: bytes, declared: bool) -> bool:
    """Whether nearly every plus precedes Base64 of letters beyond ASCII, of one script or two."""
    seen: set[bytes] = set()
    wrong = 0
    found: Counter[str] = Counter()
    for match in _SHIFTED.finditer(text):
        letters = _unshifted(match[1])
        if letters and not match[1].isdigit():
            seen.add(match[1])
            found.update({_family(letter) for letter in letters if letter.isalpha()})
        elif match[1] not in _PUNCTUATION:
            wrong += 1
    of_two = sum(count for _, count in found.most_common(2))
    # Three words, or a text of one of the scripts without spaces.
    enough = len(seen) >= (1 if declared else 3) or sum(map(len, seen)) > 120
    return enough and wrong * 8 <= len(seen) and of_two * 10 >= 9 * found.total()


def _family(letter: str) -> str:
    """The script of a letter; the three of Japanese are one."""
    script = scripts.script_of(letter)
    return "Hani" if script in ("Hira", "Kana") else script


def _unshifted(run: bytes) -> str:
    """The characters of a run of UTF-7, or an empty string if it is invalid."""
    if len(run) * 6 % 16 >= 6:
        return ""
    try:
        letters = (b"+" + run + b"-").decode("utf-7")
    except UnicodeDecodeError:
        return ""
    return letters if any(letter.isalpha() and letter > "\x7f" for letter in letters) else ""


def _by_nuls(head: bytes) -> str | None:
    """UTF-16 and UTF-32 without a byte order mark, by the positions of the NUL bytes.

    >>> _by_nuls("हम सब".encode("utf-32be") * 3), _by_nuls(("<p>字" + "漢字仮名交じり文" * 9).encode("utf-16le") * 4)
    ('utf-32be', 'utf-16le')
    """
    head = head[: len(head) // 4 * 4]
    if len(head) < 4:
        return None
    quarter = len(head) // 4
    nuls = [head[k::4].count(0) / quarter for k in range(4)]
    # The highest byte of four is never used, the next one hardly ever: whatever the script, these two are NUL.
    if nuls[3] > 0.98 and nuls[2] > 0.95 and nuls[0] < 0.3:
        return "utf-32le"
    if nuls[0] > 0.98 and nuls[1] > 0.95 and nuls[3] < 0.3:
        return "utf-32be"
    for low, high, name in ((0, 1, "utf-16le"), (1, 0, "utf-16be")):
        if nuls[low] + nuls[low + 2] > 0.1:
            continue
        if nuls[high] + nuls[high + 2] > 0.5:
            return name
        # Text of one script has two or three different high bytes and many low ones.
        common = sum(count for _, count in Counter(head[high::2]).most_common(2)) / (2 * quarter)
        if common > 0.85 and nuls[high] + nuls[high + 2] > 0.05 and len(set(head[low::2])) > 8:
            return name
        # Chinese, Japanese and Korean have many of both; their tags are in ASCII all the same.
        if head[high::2].count(0) >= MIN_ASCII_CHARACTERS and _is_east_asian(head.decode(name, "replace")):
            return name
    return None


MIN_ASCII_CHARACTERS = 8  #: characters of ASCII that a page in UTF-16 has at least
_EAST_ASIAN = re.compile("[\t\n\r -~\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef]")


def _is_east_asian(text: str) -> bool:
    return len(_EAST_ASIAN.findall(text)) > 0.95 * len(text)


def by_pairs(body: bytes) -> str | None:
    """UTF-16 without a mark and without tags: where bytes seem binary, but in pairs are letters of one script.

    >>> by_pairs("一九八四年四月四日，他们第一次见面。".encode("utf-16le")), by_pairs(bytes(range(30)))
    ('utf-16le', None)
    """
    head = body[:4096]
    # Nearly every page ends here, at little cost. Names and messages in a program are pairs of Chinese, too.
    if not is_binary(head[:512]) or len(head.translate(None, _LETTERS)) < 0.4 * len(head):
        return None
    head = head[: len(head) // 2 * 2]
    shares = {name: _of_one_script(head.decode(name, "replace")) for name in ("utf-16le", "utf-16be")}
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] > MIN_SCRIPT_SHARE else None


_LETTERS = bytes((*range(65, 91), *range(97, 123)))
MIN_SCRIPT_SHARE = 0.85  #: share of the letters of a text that are of its script, if it is a text
MIN_CHARACTERS = 12  #: minimum of characters without a mark


def _of_one_script(text: str) -> float:
    """The share of the letters of one script, 0 where there is more than letters, numbers and punctuation."""
    letters = [char for char in text if unicodedata.category(char)[0] in "LM"]
    others = sum(unicodedata.category(char)[0] in "NPZ" or char in "\t\n\r<=>|+" for char in text)
    if len(text) < MIN_CHARACTERS or not letters or len(letters) + others < 0.97 * len(text):
        return 0.0
    return Counter(map(_family, letters)).most_common(1)[0][1] / len(letters)


def _is_hz(head: bytes) -> bool:
    """Whether the bytes between ``~{`` and ``~}`` are pairs of the Chinese set."""
    parts = re.findall(rb"~\{([\x21-\x7e]*?)~\}", head)
    return bool(parts) and all(len(part) % 2 == 0 for part in parts) and sum(map(len, parts)) >= 8


_CONTROL = bytes(byte for byte in range(32) if byte not in b"\t\n\f\r\x1b")


def is_binary(body: bytes) -> bool:
    """Whether bytes have more control characters than any text has.

    >>> is_binary(bytes(range(256)) * 4), is_binary("Все люди рождаются".encode("koi8-r"))
    (True, False)
    """
    head = body[:4096]
    return len(head) - len(head.translate(None, _CONTROL)) > 0.04 * len(head) + 1


def is_utf8(body: bytes, declared: bool = False) -> bool:
    """Whether bytes are UTF-8, but for a cut at the end or a few damaged characters; a few more where it is ``declared``.

    A title in UTF-8 can precede a body in another encoding, so all bytes are checked.

    >>> is_utf8("naïve".encode()), is_utf8("naïve".encode("latin-1")), is_utf8("é".encode()[:1])
    (True, False, True)
    """
    proper = damaged = 0
    for start in range(0, len(body), CHUNK_BYTES):
        chunk = body[start : start + CHUNK_BYTES]
        if chunk.isascii():
            continue
        wrong, high = _damage(chunk)
        damaged += wrong
        proper += high - wrong
        if damaged > MIN_DAMAGED and damaged > PROPER * proper:
            return False
    return damaged == 0 or proper > (PROPER_DECLARED if declared else PROPER) * damaged


_RUN = re.compile(rb"(?:[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}){3}")


def without_utf8(data: bytes) -> bytes:
    """Text that is not UTF-8 without the words that are, where these are many: they show nothing of its encoding.

    >>> without_utf8("Газета города ".encode() * 2 + "Совет решил".encode("windows-1251")).decode("windows-1251")
    'Совет решил'
    """
    if not _RUN.search(data):
        return data
    left, size = [], 0
    for word in data.split():
        if not word.isascii():
            try:
                size += len(word) - len(word.decode("utf-8"))
                continue
            except UnicodeDecodeError:
                pass
        left.append(word)
    found = b" ".join(left)
    return data if size < MIN_UTF8_BYTES or found.isascii() else found


_ASCII = bytes(range(128))
CHUNK_BYTES = 4_096  #: bytes that are checked at a time
MIN_DAMAGED = 30  #: damaged characters that leave no doubt where hardly any is proper
PROPER, PROPER_DECLARED = 20, 5  #: bytes beyond ASCII as UTF-8 has them for each damaged character
MIN_UTF8_BYTES = 20  #: bytes of letters in UTF-8 that are no chance in a text in another encoding


def _damage(chunk: bytes) -> tuple[int, int]:
    """Characters of a chunk that are not UTF-8, and about how many bytes beyond ASCII there are.

    A character that is cut at an edge is not an error.
    """
    begin = 0
    if 0x80 <= chunk[0] < 0xC0:
        begin = next((k for k in range(min(3, len(chunk))) if not 0x80 <= chunk[k] < 0xC0), 0)
    try:
        return 0, len(chunk) - len(chunk[begin:].decode("utf-8")) - begin
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and begin + error.end >= len(chunk):
            return 0, begin + error.start - len(chunk[begin : begin + error.start].decode("utf-8"))
    wrong = chunk.decode("utf-8", "replace").count("\ufffd")
    return wrong, len(chunk.translate(None, _ASCII))

"""Encodings: their labels, and decoding, also where Python has no codec.

Names are those that Python knows where it knows one (``windows-1251``, ``gb18030``, ``mac-cyrillic``),
so that ``body.decode(label.encoding)`` works; ``viscii``, ``tcvn``, ``armscii-8``, ``geostd8`` and ``euc-tw``
are read by :func:`decode` alone.

>>> find("x-sjis"), find("latin1"), find("unicode-1-1-utf-8"), find("no-such")
('shift_jis', 'windows-1252', 'utf-8', None)
>>> decode(b"Qu\\xe2n", "viscii")
'Quân'
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from functools import cache

# Encoding -> the labels that the web uses for it (those of the WHATWG standard and older ones).
_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8 utf-8-sig utf-8-variant unicode-2-0-utf-8",
    "ibm866": "866 cp866 csibm866",
    "iso-8859-2": "csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso-8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i iso-ir-127 "
    "iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual "
    "csiso88598i iso-8859-8-i logical dos-862-i",
    "iso-8859-10": "csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso8859-13 iso885913",
    "iso-8859-14": "iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso8859-15 iso885915 iso_8859-15 l9 latin9 latin-9",
    "iso-8859-16": "iso8859-16 iso885916",
    "koi8-r": "cskoi8r koi koi8 koi8_r",
    "koi8-u": "koi8-ru",
    "macintosh": "csmacintosh mac x-mac-roman mac-roman macroman",
    "cp874": "windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 tis620",
    "windows-1250": "cp1250 x-cp1250",
    "windows-1251": "cp1251 x-cp1251 win-1251 windows-cyrillic",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 "
    "iso_8859-1:1987 l1 latin1 us-ascii x-cp1252 latin-1 ansi iso-8851-1 iso-latin-1",
    "windows-1253": "cp1253 x-cp1253",
    "windows-1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 x-cp1254",
    "windows-1255": "cp1255 x-cp1255",
    "windows-1256": "cp1256 x-cp1256",
    "windows-1257": "cp1257 x-cp1257",
    "windows-1258": "cp1258 x-cp1258",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian maccyrillic",
    "gbk": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk cp936 ms936 euc-cn",
    "gb18030": "gb18030-2000",
    "hz": "hz-gb-2312",
    "big5": "big5-hkscs cn-big5 csbig5 x-x-big5 big5hkscs big5-eten cp950",
    "euc-jp": "cseucpkdfmtjapanese x-euc-jp eucjp euc_jp x-euc",
    "iso-2022-jp": "csiso2022jp iso-2022-jp-1 iso-2022-jp-2 jis",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis cp932 x-ms-cp932",
    "euc-kr": "cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 cp949 uhc euckr",
    "iso-2022-kr": "csiso2022kr",
    "johab": "cp1361 ms1361",
    "utf-16be": "unicodefffe",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf16",
    "utf-16": "",  # with a byte order mark
    "utf-32le": "utf32 ucs-4 iso-10646-ucs-4",
    "utf-32": "",
    "utf-32be": "",
    "utf-7": "unicode-1-1-utf-7 utf7 csunicode11utf7",
    "ibm437": "cp437 437", "cp737": "ibm737 737", "ibm775": "cp775", "ibm850": "cp850 850", "ibm852": "cp852 852", "ibm855": "cp855 855",
    "ibm857": "cp857 857", "ibm862": "cp862 862 dos-862", "ibm864": "cp864", "ibm869": "cp869",
    "mac-greek": "x-mac-greek macgreek", "mac-turkish": "x-mac-turkish macturkish",
    "mac-latin2": "x-mac-ce x-mac-centraleurroman maccentraleurope mac-centraleurope x-mac-croatian", "ptcp154": "pt154 cyrillic-asian cp154",
    "kz1048": "kz-1048 strk1048-2002 rk1048", "koi8-t": "", "viscii": "csviscii x-viscii", "tcvn": "tcvn-5712 tcvn5712-1 tcvn5712 x-viet-tcvn5712",
    "armscii-8": "armscii8 armscii", "geostd8": "georgian-ps", "euc-tw": "x-euc-tw euctw cns11643",
}  # fmt: skip

_BY_LABEL = {label: name for name, labels in _LABELS.items() for label in (name, *labels.split())}

# Names of ours that Python spells otherwise, or reads too strictly: browsers take the larger encoding.
_CODEC = {
    "shift_jis": "cp932", "euc-kr": "cp949", "iso-2022-jp": "iso2022_jp_ext", "macintosh": "mac-roman",
    "big5": "big5hkscs", "gbk": "gb18030",
}  # fmt: skip

# The upper halves of what Python has no codec for; U+FFFD where there is nothing.
_UPPER = {
    "viscii": "ẠẮẰẶẤẦẨẬẼẸẾỀỂỄỆỐỒỔỖỘỢỚỜỞỊỎỌỈỦŨỤỲÕắằặấầẩậẽẹếềểễệốồổỗỠƠộờởịỰỨỪỬơớƯÀÁÂÃẢĂẳẵÈÉÊẺÌÍĨỳĐứÒÓÔạỷừửÙÚỹỵÝỡưàáâãảăữẫèéêẻìíĩỉđựòóôõỏọụùúũủýợỮ",
    "tcvn": "ÀẢÃÁẠẶẬÈẺẼÉẸỆÌỈĨÍỊÒỎÕÓỌỘỜỞỠỚỢÙỦŨ\xa0ĂÂÊÔƠƯĐăâêôơưđẰ\u0300\u0309\u0303\u0301\u0323àảãáạẲằẳẵắẴẮẦẨẪẤỀặầẩẫấậèỂẻẽéẹềểễếệìỉỄẾỒĩíịòỔỏõóọồổỗốộờởỡớợùỖủũúụừửữứựỳỷỹýỵỐ",
    "armscii-8": "\ufffd" * 32
    + "\xa0\ufffdև։)(»«—.՝,-֊…՜՛՞ԱաԲբԳգԴդԵեԶզԷէԸըԹթԺժԻիԼլԽխԾծԿկՀհՁձՂղՃճՄմՅյՆնՇշՈոՉչՊպՋջՌռՍսՎվՏտՐրՑցՒւՓփՔքՕօՖֆ՚\ufffd",
    "geostd8": "\ufffd\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffd\ufffd\ufffd\ufffd‘’“”•–—˜™š›œ\ufffd\ufffdŸ\xa0¡¢£¤¥¦§¨©ª«¬\xad®¯°±²³´µ¶·¸¹º»¼½¾¿"
    "აბგდევზჱთიკლმნჲოპჟრსტჳუფქღყშჩცძწჭხჴჯჰჵæçèéêëìíîïðñòóôõö÷øùúûüýþÿ",
}  # fmt: skip


def find(label: str) -> str | None:
    """The encoding that a label names, or None: labels on the web are often misspelt."""
    label = label.strip().strip("\"'").lower()
    return _BY_LABEL.get(label) or _BY_LABEL.get(label.replace("_", "-"))


def names() -> tuple[str, ...]:
    """All encodings that can be told, sorted."""
    return tuple(sorted(_LABELS))


def codec(name: str) -> str:
    """What Python calls the encoding, or a larger one that decodes it alike."""
    return _CODEC.get(name, name)


@cache
def _chart(name: str) -> str:
    upper = _UPPER[name]
    assert len(upper) == 128, (name, len(upper))
    return "".join(map(chr, range(128))) + upper


def decode(data: bytes, name: str, errors: str = "replace") -> str:
    """The text of bytes in an encoding of :func:`names`; raises LookupError for another one."""
    if name in _UPPER:
        text, _ = codecs.charmap_decode(data, errors, _chart(name))
        return text
    if name == "euc-tw":
        from linksight.pages.euctw import decode as decode_euctw

        return decode_euctw(data, errors)
    return data.decode(codec(name), errors)


_ESCAPES = re.compile(rb"\x1b\$[B@]|\x1b\$\([CDO]|\x1b\([JI]")


def by_mark(body: bytes) -> str | None:
    """The encoding that a byte order mark, NUL bytes or escape sequences show beyond doubt.

    >>> by_mark(b"\\xff\\xfea\\0"), by_mark(b"<\\0p\\0>\\0h\\0i\\0"), by_mark(b"\\x1b$B$3\\x1b(B")
    ('utf-16', 'utf-16le', 'iso-2022-jp')
    """
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if body.startswith(mark):
            return name
    head = body[:4096]
    if b"\0" in head:
        return _by_nuls(head)
    if b"\x1b" in head:
        if b"\x1b$)C" in head:
            return "iso-2022-kr"
        if _ESCAPES.search(head):
            return "iso-2022-jp"
    if b"~" in head and b"~{" in head and b"~}" in head and head.isascii() and _is_hz(head):
        return "hz"
    return None


def _by_nuls(head: bytes) -> str | None:
    """UTF-16 and UTF-32 without a mark: where the NUL bytes of ASCII characters stand."""
    head = head[: len(head) // 4 * 4]
    quarter = max(1, len(head) // 4)
    nuls = [head[k::4].count(0) / quarter for k in range(4)]
    if len(head) < 4:
        return None
    if min(nuls[1:]) > 0.7 and nuls[0] < 0.3:
        return "utf-32le"
    if min(nuls[:3]) > 0.7 and nuls[3] < 0.3:
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
    return None


def _is_hz(head: bytes) -> bool:
    """Whether what stands between ``~{`` and ``~}`` is pairs of bytes of the Chinese set."""
    parts = re.findall(rb"~\{([\x21-\x7e]*?)~\}", head)
    return bool(parts) and all(len(part) % 2 == 0 for part in parts) and sum(map(len, parts)) >= 8


def is_utf8(body: bytes) -> bool:
    """Whether bytes are UTF-8, but for a cut at the end or a few damaged characters.

    >>> is_utf8("naïve".encode()), is_utf8("naïve".encode("latin-1")), is_utf8("é".encode()[:1])
    (True, False, True)
    """
    proper = damaged = 0
    for start in range(0, len(body), CHUNK):
        chunk = body[start : start + CHUNK]
        if chunk.isascii():
            continue
        wrong, high = _damage(chunk)
        damaged += wrong
        proper += high - wrong
        if proper > SURE and not damaged:
            return True
    return proper > 20 * damaged or (damaged == 0)


_ASCII = bytes(range(128))
CHUNK = 4_096  #: bytes that are checked at a time
SURE = 30  #: bytes beyond ASCII, all as UTF-8 has them, that leave no doubt


def _damage(chunk: bytes) -> tuple[int, int]:
    """Characters of a chunk that are not UTF-8, and about how many bytes beyond ASCII there are.

    A character cut at an edge is no damage.
    """
    begin = next((k for k in range(min(3, len(chunk))) if not 0x80 <= chunk[k] < 0xC0), 0)
    try:
        return 0, len(chunk) - len(chunk[begin:].decode("utf-8")) - begin
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and begin + error.end >= len(chunk):
            return 0, begin + error.start - len(chunk[begin : begin + error.start].decode("utf-8"))
    wrong = chunk.decode("utf-8", "replace").count("\ufffd")
    return wrong, len(chunk.translate(None, _ASCII))

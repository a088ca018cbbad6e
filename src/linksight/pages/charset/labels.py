"""Encodings: their labels, and decoding, also where Python has no codec.

Names are Python's, if it has one (``windows-1251``, ``gb18030``, ``mac-cyrillic``),
so that ``body.decode(label.encoding)`` works; Python gets codecs for ``viscii``, ``tcvn``, ``vps``, ``viqr``,
``armscii-8``, ``geostd8``, ``euc-tw``, ``iso-2022-cn`` and ``t.61`` from here (:func:`codec_info`). Hebrew in visual order is
``iso-8859-8``, in logical order ``windows-1255``.

>>> find("x-sjis"), find("latin1"), find("unicode-1-1-utf-8"), find("no-such")
('shift_jis', 'windows-1252', 'utf-8', None)
>>> decode(b"Qu\\xe2n", "viscii")
'Quân'
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from functools import cache
from typing import Any

from linksight.pages.charset.codecs import euc_tw, iso_2022_cn, t61, vietnamese

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
    "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual",
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
    "windows-1255": "cp1255 x-cp1255 csiso88598i iso-8859-8-i logical",
    "windows-1256": "cp1256 x-cp1256",
    "windows-1257": "cp1257 x-cp1257",
    "windows-1258": "cp1258 x-cp1258",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian maccyrillic",
    "gbk": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk cp936 ms936 euc-cn",
    "gb18030": "gb18030-2000",
    "hz": "hz-gb-2312",
    "big5": "big5-hkscs cn-big5 csbig5 x-x-big5 big5hkscs big5-eten cp950",
    "euc-jp": "cseucpkdfmtjapanese x-euc-jp eucjp euc_jp x-euc",
    "iso-2022-jp": "csiso2022jp iso-2022-jp-1 iso-2022-jp-2 iso-2022-jp-ext jis",
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
    "ibm860": "cp860 860", "ibm861": "cp861 861 cp-is", "ibm863": "cp863 863", "ibm865": "cp865 865", "cp1125": "ibm1125 1125 cp866u ruscii",
    "mac-iceland": "maciceland x-mac-icelandic",
    "mac-greek": "x-mac-greek macgreek", "mac-turkish": "x-mac-turkish macturkish",
    "mac-latin2": "x-mac-ce x-mac-centraleurroman maccentraleurope mac-centraleurope", "mac-croatian": "x-mac-croatian maccroatian", "ptcp154": "pt154 cyrillic-asian cp154",
    "kz1048": "kz-1048 strk1048-2002 rk1048", "koi8-t": "", "viscii": "csviscii x-viscii", "tcvn": "tcvn-5712 tcvn5712-1 tcvn5712 x-viet-tcvn5712",
    "vps": "x-viet-vps", "viqr": "csviqr", "iso-2022-cn": "csiso2022cn iso2022cn iso-2022-cn-ext", "t.61": "t.61-8bit t61 iso-ir-103 csiso103t618bit",
    "x-user-defined": "", "replacement": "",
    "armscii-8": "armscii8 armscii", "geostd8": "georgian-ps", "euc-tw": "x-euc-tw euctw cns11643",
}  # fmt: skip

_BY_LABEL = {label: name for name, labels in _LABELS.items() for label in (name, *labels.split())}

# Names of ours that Python spells otherwise, or reads too strictly: browsers take the larger encoding.
_CODEC = {
    "shift_jis": "cp932", "euc-kr": "cp949", "iso-2022-jp": "iso-2022-jp-ext", "macintosh": "mac-roman",
    "big5": "big5-hkscs", "gbk": "gb18030",
}  # fmt: skip

# The upper halves of code pages without a Python codec; U+FFFD: undefined.
_UPPER = {
    "armscii-8": "\ufffd" * 32
    + "\xa0\ufffdև։)(»«—.՝,-֊…՜՛՞ԱաԲբԳգԴդԵեԶզԷէԸըԹթԺժԻիԼլԽխԾծԿկՀհՁձՂղՃճՄմՅյՆնՇշՈոՉչՊպՋջՌռՍսՎվՏտՐրՑցՒւՓփՔքՕօՖֆ՚\ufffd",
    "geostd8": "\ufffd\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffd\ufffd\ufffd\ufffd‘’“”•–—˜™š›œ\ufffd\ufffdŸ\xa0¡¢£¤¥¦§¨©ª«¬\xad®¯°±²³´µ¶·¸¹º»¼½¾¿"
    "აბგდევზჱთიკლმნჲოპჟრსტჳუფქღყშჩცძწჭხჴჯჰჵæçèéêëìíîïðñòóôõö÷øùúûüýþÿ",
}  # fmt: skip


def find(label: str) -> str | None:
    """The encoding of a label, or None for an unknown one; common misspellings are accepted."""
    label = label.strip().strip("\"'").lower()
    return _BY_LABEL.get(label) or _BY_LABEL.get(label.replace("_", "-"))


def names() -> tuple[str, ...]:
    """All encodings, sorted."""
    return tuple(sorted(_LABELS))


def codec(name: str) -> str:
    """Python's codec for the encoding: the larger variant that browsers use."""
    return _CODEC.get(name, name)


def decodable(name: str, data: bytes) -> str:
    """The encoding, or its larger variant where only that has all characters of ``data``, so that ``data.decode`` works.

    >>> decodable("shift_jis", "駅".encode("cp932")), decodable("shift_jis", "①番".encode("cp932"))
    ('shift_jis', 'cp932')
    """
    for variant in (name, _CODEC[name]) if name in _CODEC else ():
        try:
            codecs.getincrementaldecoder(variant)().decode(
                data
            )  # which allows a character that is cut off at the end
        except UnicodeDecodeError:
            continue
        return variant
    return name


def chart(name: str) -> str | None:
    """The 256 characters of an encoding that Python has no codec for, if it is as simple as that."""
    if name in vietnamese.NAMES:
        return vietnamese.chart(name)
    return "".join(map(chr, range(128))) + _UPPER[name] if name in _UPPER else None


def decode(data: bytes, name: str, errors: str = "replace") -> str:
    """The text of bytes in an encoding of :func:`names`; raises LookupError for another one.

    Visual Hebrew stays in the order that it is stored in.
    """
    if name in DECODERS:
        return DECODERS[name](data, errors)
    characters = chart(name)
    if characters:
        return codecs.charmap_decode(data, errors, characters)[0]
    return data.decode(codec(name), errors)


#: Codecs of Python that no text is in: they raise, or decode a page to noise.
_NOT_OF_TEXT = ("idna", "punycode", "undefined")


def as_utf8(data: bytes, name: str) -> bytes:
    """The same text in UTF-8, for readers that give up at the first byte that an encoding does not have.

    Undecodable bytes become U+FFFD; an unknown encoding is decoded as windows-1252.

    >>> as_utf8(b"caf\\xe9 \\x81 bar", "latin1").decode()
    'café \ufffd bar'
    """
    found = find(name) or name
    if found == "utf-8":
        return data
    try:
        text = decode(data, "windows-1252" if found.lower() in _NOT_OF_TEXT else found)
    except (LookupError, UnicodeError):
        text = decode(data, "windows-1252")
    return text.encode("utf-8", "replace")


def _user_defined(data: bytes, errors: str = "replace") -> str:
    """``x-user-defined`` as in browsers: bytes beyond ASCII map to the private use area."""
    return "".join(chr(byte if byte < 0x80 else 0xF700 + byte) for byte in data)


def _replacement(data: bytes, errors: str = "replace") -> str:
    return "\ufffd" if data else ""


#: Encodings that are more than a chart and that Python has no codec for.
DECODERS: dict[str, Callable[[bytes, str], str]] = {
    "viqr": vietnamese.decode_viqr, "euc-tw": euc_tw.decode, "iso-2022-cn": iso_2022_cn.decode, "t.61": t61.decode,
    "x-user-defined": _user_defined, "replacement": _replacement,
}  # fmt: skip


@cache
def _own() -> dict[str, str]:
    """The names that Python has no codec for, by how ``codecs`` spells them."""
    return {name.replace("-", "_"): name for name in (*_UPPER, *vietnamese.NAMES, *DECODERS)}


def codec_info(spelling: str) -> codecs.CodecInfo | None:
    """A codec for ``codecs.register``, if Python lacks it; only charts can also be encoded.

    >>> codecs.decode(b"Qu\\xe2n", "viscii"), "Quân".encode("viscii")
    ('Quân', b'Qu\\xe2n')
    """
    name = _own().get(spelling.replace("-", "_"))
    if name is None:
        return None

    def decoded(data: Any, errors: str = "strict") -> tuple[str, int]:
        return decode(bytes(data), name, errors), len(data)

    def encoded(text: str, errors: str = "strict") -> tuple[bytes, int]:
        characters = chart(name)
        if characters is None:
            raise UnicodeEncodeError(name, text, 0, len(text), "this encoding can only be read")
        return codecs.charmap_encode(text, errors, codecs.charmap_build(characters))

    class Decoder(codecs.BufferedIncrementalDecoder):
        """Waits for the last bytes: in some of these encodings a character depends on those before."""

        def _buffer_decode(self, data: Any, errors: str, final: bool) -> tuple[str, int]:
            return decoded(data, errors) if final else ("", 0)

    return codecs.CodecInfo(encoded, decoded, incrementaldecoder=Decoder, name=name)

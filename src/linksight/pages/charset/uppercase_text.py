"""Text in capitals: its lower-case bytes have the bigrams of the detector's training text.

Capitals of one code page are small letters of another (windows-1251 and KOI8-R), so this is one more hypothesis, which
must be likelier than all others.

>>> [(name, labels.decode(words, name)) for name, words in lowercase_readings("ВСЕ ЛЮДИ РОЖДАЮТСЯ".encode("koi8-r")) if name == "koi8-r"]
[('koi8-r', 'все люди рождаются')]
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from linksight.pages.charset import labels

#: Encodings of alphabets that have capitals, all of them beyond ASCII.
CASED = (
    "windows-1251", "koi8-r", "koi8-u", "iso-8859-5", "ibm866", "mac-cyrillic", "ibm855", "windows-1253", "iso-8859-7", "cp737",
)  # fmt: skip
MIN_BYTES = 16  #: bytes beyond ASCII that show it
MIN_UPPERCASE_SHARE = 0.9  #: of them that are capitals

_ASCII = bytes(range(128))


def lowercase_readings(words: bytes) -> Iterator[tuple[str, bytes]]:
    """The encodings in which words are capitals, with the words in small letters."""
    high = words.translate(None, _ASCII)
    if len(high) < MIN_BYTES:
        return
    for name in CASED:
        capitals, small = _tables(name)
        if len(high.translate(None, capitals)) <= (1 - MIN_UPPERCASE_SHARE) * len(high):
            yield name, words.translate(small)


@cache
def _tables(name: str) -> tuple[bytes, bytes]:
    """The capitals of an encoding, and for each byte that of its small letter."""
    small = bytearray(range(256))
    for byte in range(128, 256):
        lowercase_readings = labels.decode(bytes([byte]), name).lower().encode(labels.codec(name), "ignore")
        if len(lowercase_readings) == 1:
            small[byte] = lowercase_readings[0]
    return bytes(byte for byte in range(128, 256) if small[byte] != byte), bytes(small)

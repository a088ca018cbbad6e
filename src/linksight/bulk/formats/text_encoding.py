"""The bytes of a text in any encoding as UTF-8."""

from __future__ import annotations

import codecs
import io
from typing import Any

from linksight.errors import BadConfig

_SAMPLE_BYTES = 1 << 20
_BAD_PER_GOOD = 10  #: malformed per well-formed sequence of UTF-8, from which a text is in another encoding
_FALLBACK = "windows-1252"
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Utf8Text(io.RawIOBase):
    """A stream of text as UTF-8; bytes that its encoding lacks become U+FFFD.

    >>> list(Utf8Text(io.BytesIO("http://e.fr/café".encode("cp1252")), "cp1252"))
    [b'http://e.fr/caf\\xc3\\xa9']
    """

    def __init__(self, stream: Any, encoding: str | None = None) -> None:
        self._stream = stream
        self._sample = stream.read(_SAMPLE_BYTES)
        self.encoding = encoding or detect_encoding(self._sample)
        self._decoder = (
            None if self.encoding == "utf-8" else codecs.getincrementaldecoder(self.encoding)("replace")
        )
        self._half = b""  # a character that continues in the next piece
        self._ready = b""
        self.is_damaged = False  #: whether a byte was replaced so far

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        while not self._ready and (piece := self._sample or self._stream.read(size)):
            self._sample = b""
            self._decode(piece, last=False)
        if not self._ready:
            self._decode(b"", last=True)
        piece, self._ready = self._ready[:size], self._ready[size:]
        buffer[: len(piece)] = piece
        return len(piece)

    def _decode(self, data: bytes, *, last: bool) -> None:
        if self._decoder is not None:
            text = self._decoder.decode(data, last)
            self.is_damaged = self.is_damaged or "\ufffd" in text
            self._ready = text.encode()
            return
        data = self._half + data
        try:
            n = len(data) if data.isascii() else codecs.utf_8_decode(data, "strict", last)[1]
            self._ready, self._half = data[:n], data[n:]
        except UnicodeDecodeError:
            self.is_damaged = True
            text, n = codecs.utf_8_decode(data, "replace", last)
            self._ready, self._half = text.encode(), data[n:]


def detect_encoding(sample: bytes) -> str:
    """The encoding of a text from its first bytes: UTF-8 but for text with hardly any well-formed UTF-8.

    >>> detect_encoding("http://пример.рф/новости".encode("cp1251")), detect_encoding(b"http://a.nl/")
    ('windows-1251', 'utf-8')
    """
    if sample.startswith(UTF_16_MARKS):
        return "utf-16"
    text = codecs.utf_8_decode(sample, "replace", False)[0]
    n_bad = text.count("\ufffd") - sample.count("\ufffd".encode())
    n_good = sum(not character.isascii() for character in text) - n_bad if n_bad else 0
    if n_bad <= _BAD_PER_GOOD * n_good or b"\0" in sample:  # nor is a binary file in another encoding
        return "utf-8"
    from linksight.pages.charset.detector import guess

    found = guess(b"\n".join(line for line in sample.split(b"\n") if not line.isascii()))
    try:
        return known_encoding(found)
    except BadConfig:  # an encoding that Python lacks
        return _FALLBACK


def known_encoding(name: str) -> str:
    """The name of an encoding that Python can decode; UTF-8 under any of its names is ``utf-8``.

    >>> known_encoding("UTF8"), known_encoding("Latin-1")
    ('utf-8', 'Latin-1')
    """
    try:
        codec = codecs.lookup(name)
        "".encode(name)
    except (LookupError, ValueError):
        raise BadConfig(f"unknown encoding: {name!r}; use a name such as windows-1252 or utf-16") from None
    return "utf-8" if codec.name in ("utf-8", "utf-8-sig") else name

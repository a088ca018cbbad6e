"""Step 2 of the pipeline: the encodings of a page with their probabilities, and the page in UTF-8.

>>> decoded = decode("<p>Права человека и гражданина".encode("koi8-r"))
>>> decoded.encodings[0][0], decoded.text.decode()
('koi8-r', '<p>Права человека и гражданина')
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from linksight.pages.charset import byte_signatures, detector, labels, visual_hebrew
from linksight.pages.html import scanner

Encodings = tuple[tuple[str, float], ...]  #: with their probabilities, best first

#: Text in these can be stored in two orders.
HEBREW = frozenset(("windows-1255", "iso-8859-8", "ibm862"))


class Decoded(NamedTuple):
    """The encodings of a page, best first, and the page in UTF-8; binary data has no encoding."""

    encodings: Encodings
    text: bytes


def decode(body: bytes, declared: Sequence[str] = ()) -> Decoded:
    """Detect the encoding of a page and decode it; ``declared`` are the encodings that it declares, the strongest first."""
    encoding = byte_signatures.by_mark(body)
    if encoding == "utf-8":
        body = body[len(codecs.BOM_UTF8) :]
        if byte_signatures.is_utf8(body):
            return Decoded(_certain(encoding), body)
        encoding = byte_signatures.by_mark(body)  # the mark belongs to a file that the page includes
    encodings = _certain(encoding) if encoding else ()
    if encoding is None:
        if body.isascii():
            encoding = _seven_bit_encoding(body, declared)
            if encoding == "ascii" and (encoding := byte_signatures.by_pairs(body)) is None:
                return Decoded(_certain("ascii"), body)
            encodings = _certain(encoding)
        elif byte_signatures.is_utf8(body, declared=declared[:1] == ["utf-8"]):
            return Decoded(_certain("utf-8"), body)
        elif byte_signatures.is_binary(body):
            if (encoding := byte_signatures.by_pairs(body)) is None:
                return Decoded((), b"")
            encodings = _certain(encoding)
        else:
            data, _, _ = scanner.run(body)
            # All bytes beyond ASCII can be in scripts and attributes.
            data = byte_signatures.without_utf8(body if data.isascii() else data)
            encodings = detector.ranked(data, [name for name in declared if not name.startswith("utf-")])
    encoding = encodings[0][0]
    text = labels.decode(body, encoding).lstrip("\ufeff")
    if encoding in HEBREW:
        encoding, text = _logical_order(encoding, text)
    encodings = ((labels.decodable(encoding, body), encodings[0][1]), *encodings[1:])
    return Decoded(encodings, text.encode("utf-8", "replace"))


@cache
def _certain(encoding: str) -> Encodings:
    """An encoding that a signature or valid characters prove."""
    return ((encoding, 1.0),)


def _seven_bit_encoding(body: bytes, declared: Sequence[str]) -> str:
    """The encoding of ASCII bytes; the page is parsed only if it has a sequence of another 7-bit encoding."""
    head = body[: byte_signatures.SAMPLE_BYTES]
    if not byte_signatures.SHIFTS.search(head):
        return "ascii"
    text, places, _ = scanner.run(head)
    # A run of UTF-7 ends with its block, without a sign in the text.
    blocks = [text[begin:end] for begin, end in zip(places[::4], places[1::4], strict=True)]
    return byte_signatures.by_seven_bits(b"\n".join(blocks), declared="utf-7" in declared)


def _logical_order(encoding: str, text: str) -> tuple[str, str]:
    """Hebrew in reading order, with the encoding that names the order of the bytes."""
    if visual_hebrew.is_visual(text):
        return "iso-8859-8" if encoding == "windows-1255" else encoding, visual_hebrew.reverse_words(text)
    return "windows-1255" if encoding == "iso-8859-8" else encoding, text

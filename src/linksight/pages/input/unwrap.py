"""Step 1 of the pipeline: the page inside compression, mail, MHTML or an HTTP response; binary files are recognised.

>>> import gzip
>>> unwrap(gzip.compress(b"<p>Goede morgen")).body, unwrap(b"%PDF-1.4 ...").label.reason
(b'<p>Goede morgen', 'binary: PDF')
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

from linksight.errors import BadData
from linksight.pages.input import content_decoding, mime_unwrap
from linksight.results import UND, ZXX, PageLabel

MAX_PAGE_BYTES = 2 << 20  #: bytes of a page that are read
MAX_LAYERS = 3  #: of compression and messages
BINARY = "binary"  #: the encoding of data that is not text
NO_SCRIPT = "Zyyy"

_MAGIC = {
    b"%PDF-": "PDF", b"\x89PNG": "PNG image", b"\xff\xd8\xff": "JPEG image", b"GIF8": "GIF image", b"PK\x03\x04": "ZIP archive",
    b"\x7fELF": "program", b"MZ\x90": "program", b"RIFF": "media file", b"ID3": "audio", b"OggS": "media file", b"BZh": "bzip2 data",
    b"\xfd7zXZ": "xz data", b"\x28\xb5\x2f\xfd": "zstd data", b"wOFF": "font", b"wOF2": "font", b"\0\0\x01\0": "icon",
    b"\x1f\x9d": "compressed data", b"7z\xbc\xaf": "7z archive", b"Rar!": "RAR archive", b"\0asm": "program",
    b"%!PS": "PostScript", b"PAR1": "Parquet table",
}  # fmt: skip
_STARTS = tuple(_MAGIC)
#: A text can begin with these; in files of these types control characters follow.
_WORDS = (b"GIF8", b"RIFF", b"ID3", b"OggS", b"BZh", b"wOFF", b"wOF2", b"Rar!", b"PAR1")
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a]")
_BLANK = b"\0 \t\r\n"


class Unwrapped(NamedTuple):
    """A page and its content type, or the label of a file that is not a page."""

    body: bytes
    content_type: str | None = None
    label: PageLabel | None = None


def unwrap(body: bytes, content_type: str | None = None) -> Unwrapped:
    """The first bytes of the page that a file holds; raises BadData for other types than bytes."""
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise BadData(
            f"a page is bytes, not {type(body).__name__}; pass text.encode() for a text, Path(name).read_bytes() for a file"
        )
    if not isinstance(body, bytes) or len(body) > MAX_PAGE_BYTES:
        body = bytes(memoryview(body)[:MAX_PAGE_BYTES])
    for _ in range(MAX_LAYERS):
        try:
            inner = content_decoding.decompress(body, MAX_PAGE_BYTES)
        except zlib.error:
            return _not_a_page(ZXX, BINARY, "gzip data, damaged")
        inner, own_type = mime_unwrap.unwrap_message(inner)
        if inner is body:
            break
        body, content_type = inner, own_type or content_type
    if body.startswith(_STARTS) and not (body.startswith(_WORDS) and not _CONTROL.search(body, 0, 64)):
        kind = next(name for magic, name in _MAGIC.items() if body.startswith(magic))
        return _not_a_page(ZXX, BINARY, f"binary: {kind}")
    if not body[:256].strip(_BLANK) and not body.strip(_BLANK):  # the slice avoids a copy of most pages
        return _not_a_page(UND, "ascii", "empty")
    return Unwrapped(body, content_type)


def _not_a_page(language: str, encoding: str, reason: str) -> Unwrapped:
    return Unwrapped(b"", label=PageLabel(language, NO_SCRIPT, encoding, 0.0, reason=reason))

"""Encode international host names (IDNA) for DNS: ``xn--`` labels, as browsers do.

The rules are those of UTS 46 without transitional processing: ``ß``, ``ς`` and joiners are kept. Python's ``idna`` codec
(IDNA 2003) maps them to other letters and so to another host: strasse.de for straße.de.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from linksight.errors import BadUrl
from linksight.urls.percent_decoding import decode_utf8

# What nobody sees and is left out: hyphens for line ends, fillers, variants of emoji and of ideographs.
_LEFT_OUT = re.compile(
    "[\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2064\u206a-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0100-\U000e01ef]"
)
_KEPT = {letter: letter for letter in "ßς\u200c\u200d"} | {"ẞ": "ß"}
_ON_THE_WIRE = re.compile("[a-z0-9_-]{1,63}")
_COULD_BE_ONE = re.compile("[a-z0-9_\xa1-\ud7ff\ue000-\U0010ffff-]+")


@lru_cache(maxsize=4096)
def wire_host(host: str) -> str:
    """The name that is looked up for a host, or :class:`BadUrl`.

    >>> wire_host("Straße.de"), wire_host("пример.рф"), wire_host("a.nl")
    ('xn--strae-oqa.de', 'xn--e1afmkfd.xn--p1ai', 'a.nl')
    """
    name = decode_utf8(host)
    if not name.isascii():
        folded = (_KEPT.get(letter) or _folded(letter) for letter in _LEFT_OUT.sub("", name))
        name = unicodedata.normalize("NFC", "".join(folded)).replace("\u3002", ".")
    labels = [_wire_label(label) for label in name.lower().split(".")]
    wire = ".".join(labels)
    if not all(map(_ON_THE_WIRE.fullmatch, labels)) or len(wire) > 253:
        raise BadUrl(host, "bad host name")
    return wire


def _folded(letter: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", letter).casefold())


def _wire_label(label: str) -> str:
    """A label as ASCII; unchanged if it is ASCII or not a valid label."""
    if label.isascii() or not _COULD_BE_ONE.fullmatch(label):
        return label
    return f"xn--{label.encode('punycode').decode('ascii')}"

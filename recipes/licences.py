"""What the licence of a dependency asks of those who install it beside linksight, which is under Apache-2.0."""

from __future__ import annotations

import re

KINDS = ("permissive", "weak copyleft", "copyleft", "unknown")  # the more it asks, the later
PATTERNS = (
    (0, r"0?BSD|MIT|Apache|ISC|PSF|Python Software Foundation|ZPL|Zlib|CC0|CNRI|HPND"),
    (1, r"MPL|Mozilla Public License|LGPL|GNU Lesser"),
    (2, r"A?GPL|GNU (Affero )?General"),
)
#: Under a copyleft licence and still named in an extra, with why that harms nobody.
ACCEPTED = {"heliport": "only compared with, by those who install the extra peers; nothing of it is shipped"}


def kind(licence: str) -> str:
    """What a licence is: of alternatives the one that asks least, of several together the one that asks most.

    >>> [kind(text) for text in ("BSD License", "MPL-2.0 AND (Apache-2.0 OR MIT)", "GPL-2.0-only OR MIT", "UNKNOWN")]
    ['permissive', 'weak copyleft', 'permissive', 'unknown']
    """
    return KINDS[_rank(licence.strip())]


def fits(name: str, licence: str) -> bool:
    """Whether a package may be needed by linksight: its licence is known and does not reach the code beside it.

    >>> fits("psycopg", "LGPL-3.0-only"), fits("readline", "GPL-3.0-or-later"), fits("heliport", "GPLv3")
    (True, False, True)
    """
    found = kind(licence)
    return found in ("permissive", "weak copyleft") or (found == "copyleft" and name in ACCEPTED)


def _rank(text: str) -> int:
    for word, choose in ((" AND ", max), (" OR ", min)):
        parts = _split(text, word)
        if len(parts) > 1:
            return choose(_rank(part) for part in parts)
    if text.startswith("(") and text.endswith(")"):
        return _rank(text[1:-1].strip())
    return next(
        (rank for rank, pattern in PATTERNS if re.match(pattern, text, re.IGNORECASE)), len(KINDS) - 1
    )


def _split(text: str, word: str) -> list[str]:
    """The parts of an expression between a word that stands outside all brackets."""
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if not depth and text.startswith(word, place):
            parts.append(text[start:place])
            start = place + len(word)
    return [part.strip() for part in (*parts, text[start:])]

"""ISO-2022-CN (RFC 1922): Chinese in seven bits, simplified and traditional, which Python has no codec for.

>>> decode(b"\\x1b$)A\\x0eVPND\\x1b$)Gj=f{\\x0f, abc")
'中文網路, abc'
"""

from __future__ import annotations

import re

from linksight.pages.charset.codecs import euc_tw

GB, CNS = b"A", b"G"  #: the sets that a shift-out can lead to
# A designation, a shift, a character of the second plane (in single shift), or a run of anything else.
_PART = re.compile(rb"\x1b\$\)(?P<so>[AGE])|\x1b\$[*+](?P<ss>[H-M])|(?P<shift>[\x0e\x0f])|\x1bN(?P<two>..)|(?P<text>[^\x1b\x0e\x0f]+)|.", re.S)  # fmt: skip


def is_announced(head: bytes) -> bool:
    """Whether a page begins with an announcement of this encoding."""
    return (b"\x1b$)A" in head or b"\x1b$)G" in head or b"\x1b$*H" in head) and (
        b"\x0e" in head or b"\x1bN" in head
    )


def decode(data: bytes, errors: str = "replace") -> str:
    """The text of bytes in ISO-2022-CN; the sets of ISO-2022-CN-EXT beyond it become U+FFFD."""
    found: list[str] = []
    lines = data.split(b"\n")
    for number, line in enumerate(lines):
        found.append(_line(line, errors) + ("\n" if number + 1 < len(lines) else ""))
    return "".join(found)


def _line(line: bytes, errors: str) -> str:
    """One line: at its end all is as at the beginning."""
    chosen, shifted, found = b"", False, []
    for match in _PART.finditer(line):
        if match["so"]:
            chosen = match["so"]
        elif match["shift"]:
            shifted = match["shift"] == b"\x0e"
        elif match["two"]:
            found.append(_characters(match["two"], CNS, 1, errors))
        elif match["text"]:
            text = match["text"]
            found.append(_characters(text, chosen, 0, errors) if shifted else text.decode("ascii", errors))
    return "".join(found)


def _characters(pairs: bytes, chosen: bytes, plane: int, errors: str) -> str:
    high = bytes(byte | 0x80 for byte in pairs)
    if chosen == GB:
        return high.decode("gb2312", errors)
    if chosen == CNS:
        prefix = b"\x8e\xa2" if plane else b""
        both = b"".join(prefix + high[k : k + 2] for k in range(0, len(high), 2))
        return euc_tw.decode(both, errors)
    return "\ufffd" * ((len(pairs) + 1) // 2)

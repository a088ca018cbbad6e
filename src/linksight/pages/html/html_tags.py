"""Tags: a hash table from the name of a tag to the scanner's action."""

from __future__ import annotations

from functools import cache

#: Actions at a tag; ``RAW`` + n: skip to the end of the element, number n of ``RAW_NAMES``.
BLOCK, INLINE, ANCHOR, TITLE, PLAINTEXT, META, RAW = 0, 1, 2, 3, 4, 5, 8
BITS = 10  #: the table has 2**BITS places

RAW_NAMES = tuple(
    (
        "script style noscript select textarea template svg math iframe object applet noframes noembed xmp code samp "
        "kbd datalist canvas audio video button"
    ).split()
)
_INLINE = (
    "b i u s em strong span font small big sub sup abbr acronym cite mark q ins del wbr bdi bdo dfn tt label var nobr "
    "img strike time data ruby rb"
)


def number_of(name: str) -> int:
    """The parser's hash of a name."""
    state = 0
    for byte in name.encode("ascii"):
        state = (state * 31 + byte) & 0xFFFFFFF
    return state


def raw_names() -> bytes:
    """``RAW_NAMES`` in eight bytes each: where the name is longer, its first eight."""
    return b"".join(name.encode()[:8].ljust(8, b"\0") for name in RAW_NAMES)


@cache
def table() -> tuple[bytes, bytes, bytes]:
    """A hash table of tags in three planes: the action, and two bytes of the hash as a check."""
    size = 1 << BITS
    action, high, low = bytearray(size), bytearray(size), bytearray(size)
    actions = [(name, INLINE) for name in _INLINE.split()]
    actions += [(name, RAW + number) for number, name in enumerate(RAW_NAMES)]
    actions += [("a", ANCHOR), ("title", TITLE), ("plaintext", PLAINTEXT), ("meta", META)]
    for name, action_of in actions:
        value = number_of(name)
        place = value % size
        while action[place]:
            place = (place + 1) % size
        action[place], high[place], low[place] = action_of, (value >> 8) & 255, value & 255
    return bytes(action), bytes(high), bytes(low)

"""Characters of UTF-8: read, turned into lower case as ``str.lower`` does, and written."""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.native.jit import compiled

NO_CHARACTER = -1
# Lower case by code point. -1 where it takes more than the character to know: a sigma has two forms, and
# some characters become two. Above, the few blocks with capitals are left to Python.
LOWER = np.array(
    [ord(low) if len(low := chr(i).lower()) == 1 and i != 0x3A3 else NO_CHARACTER for i in range(0x2000)],
    dtype=np.int32,
)
CASED = np.array(
    [
        [0x2100, 0x218F], [0x24B0, 0x24FF], [0x2C00, 0x2DFF], [0xA640, 0xA7FF], [0xFF21, 0xFF3A],
        [0x10400, 0x105FF], [0x10C80, 0x10DFF], [0x11880, 0x118FF], [0x16E00, 0x16EFF], [0x1E900, 0x1E9FF],
    ],
    dtype=np.int64,
)  # fmt: skip


@compiled
def lower_point(point: Any) -> Any:
    """A character in lower case, or ``NO_CHARACTER`` where that is not known here."""
    if point < 0x2000:
        return np.int64(LOWER[point])
    for i in range(len(CASED)):
        if CASED[i, 0] <= point <= CASED[i, 1]:
            return np.int64(NO_CHARACTER)
    return np.int64(point)


@compiled
def read_point(data: Any, i: Any, stop: Any) -> tuple[Any, Any]:
    """How many bytes the character at ``i`` has, and its code point; 0 where this is no UTF-8."""
    first = np.int64(data[i])
    if first < 0x80:
        return 1, first
    size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if first < 0xC2 or first > 0xF4 or i + size > stop:
        return 0, np.int64(0)
    point = first & (0x7F >> size)
    for k in range(1, size):
        if (data[i + k] & 0xC0) != 0x80:
            return 0, np.int64(0)
        point = (point << 6) | (np.int64(data[i + k]) & 0x3F)
    # Longer than need be, half of a pair, or beyond the last character.
    if point < (0x80, 0x800, 0x10000)[size - 2] or 0xD800 <= point <= 0xDFFF or point > 0x10FFFF:
        return 0, np.int64(0)
    return size, point


@compiled
def write_point(point: Any, out: Any, n: Any) -> Any:
    """Appends a character; gives where the text ends now."""
    if point < 0x80:
        out[n] = point
        return n + 1
    if point < 0x800:
        out[n] = 0xC0 | (point >> 6)
    else:
        if point < 0x10000:
            out[n] = 0xE0 | (point >> 12)
        else:
            out[n] = 0xF0 | (point >> 18)
            n += 1
            out[n] = 0x80 | ((point >> 12) & 0x3F)
        n += 1
        out[n] = 0x80 | ((point >> 6) & 0x3F)
    out[n + 1] = 0x80 | (point & 0x3F)
    return n + 2

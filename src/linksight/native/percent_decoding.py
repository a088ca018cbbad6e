"""Percent codes read as bytes, as ``linksight.urls.percent_decoding`` does."""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.native.jit import compiled, inlined
from linksight.native.legacy_encodings import NO_CODEPAGE, codepage_in
from linksight.native.utf8 import read_point


@compiled
def read_codes(data: Any, i: Any, stop: Any, out: Any, n: Any) -> tuple[Any, Any]:
    """Writes the bytes of the codes at ``i`` to ``out`` from ``n`` on; gives how many, and where they end.

    Codes of bytes beyond ASCII that were coded once more, of five characters each, come apart from others.
    """
    start = n
    while _is_doubled(data, i, stop):
        out[n] = _digit(data[i + 3]) * 16 + _digit(data[i + 4])
        n += 1
        i += 5
    if n > start:
        return n - start, i
    while _is_code(data, i, stop) and not _is_doubled(data, i, stop):
        out[n] = _digit(data[i + 1]) * 16 + _digit(data[i + 2])
        n += 1
        i += 3
    return n - start, i


@compiled
def older_codepage(data: Any, start: Any, stop: Any, room: Any) -> Any:
    """The encoding of a path's or query's codes, none where some are UTF-8; ``room`` is for its bytes."""
    n, i = 0, start
    while i < stop:
        size, end = read_codes(data, i, stop, room, n)
        if size == 0:
            room[n] = data[i] if data[i] < 128 else 32
            n, i = n + 1, i + 1
        elif i + 5 * size == end:
            room[n] = 32
            n, i = n + 1, end
        elif _is_utf8(room, n, n + size):
            return NO_CODEPAGE
        else:
            n, i = n + size, end
    return codepage_in(room, n)


@compiled
def _is_utf8(data: Any, i: Any, stop: Any) -> Any:
    """Whether these bytes are UTF-8 beyond ASCII, perhaps but for the beginning of a character after others."""
    beyond = False
    while i < stop:
        width, _ = read_point(data, i, stop)
        if width == 0:
            break
        beyond |= width > 1
        i += width
    if not beyond or i == stop:
        return beyond
    for k in range(i + 1, stop):
        if not 0x80 <= data[k] < 0xC0:
            return False
    return data[i] >= 0xC0 and stop - i < 4


@inlined
def _is_code(data: Any, i: Any, stop: Any) -> Any:
    return i + 2 < stop and data[i] == 37 and _digit(data[i + 1]) >= 0 and _digit(data[i + 2]) >= 0


@inlined
def _is_doubled(data: Any, i: Any, stop: Any) -> Any:
    """Whether this is ``%25`` and then the code of a byte beyond ASCII."""
    return (
        i + 4 < stop
        and data[i + 2] == 53
        and data[i + 1] == 50
        and data[i] == 37
        and _digit(data[i + 3]) >= 8
        and _digit(data[i + 4]) >= 0
    )


@inlined
def _digit(byte: Any) -> Any:
    low = np.int64(byte) | 32
    if 48 <= byte <= 57:
        return np.int64(byte) - 48
    return low - 87 if 97 <= low <= 102 else np.int64(-1)

"""Older encodings of percent codes, as ``linksight.urls.legacy_encodings`` tells them apart, over bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linksight.native.jit import compiled, inlined
from linksight.urls.legacy_encodings import COMMON

#: The encodings by number; from ``_N_SINGLE`` on a character takes two bytes.
CODEPAGES = ("", "cp1252", "cp1250", "iso8859_2", "cp1251", *COMMON)
NO_CODEPAGE, _CP1252, _CP1250, _ISO8859_2, _CP1251, _N_SINGLE = range(6)
_SIZE = 94  #: rows of a table of pairs, and characters in a row
_LETTER, _HIGH, _INSIDE, _ISO, _WINDOWS, _EITHER, _TURKISH, _CAPITAL, _SMALL, _FREQUENT, _RARE = (
    1 << bit for bit in range(11)
)


def _kinds() -> NDArray[np.int64]:
    """What each byte may be."""
    kinds = np.zeros(256, np.int64)
    for kind, some in (
        (_LETTER, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
        (_HIGH, bytes(range(0x80, 0x100))),
        (_INSIDE, b"\x8d\x8f\x9d\x9f\xa1\xa3\xa5\xaf\xb3\xb5\xb9\xbe\xbf"),
        (_ISO, b"\xa6\xac\xb1\xb6\xbc"),
        (_WINDOWS, b"\x8a\x8c\x8d\x8e\x8f\x9a\x9c\x9d\x9e\x9f"),
        (_EITHER, b"\xa1\xa5\xa9\xaa\xae\xb5\xb9\xba\xbb\xbe"),
        (_TURKISH, b"\xd0\xdd\xde\xf0\xfd\xfe"),
        (_CAPITAL, b"\xa8\xaa\xaf\xb2" + bytes(range(0xC0, 0xE0))),
        (_SMALL, b"\xb3\xb8\xba\xbf" + bytes(range(0xE0, 0x100))),
        (_FREQUENT, "авиоыя".encode("cp1251")),
        (_RARE, "бзйфхчшщъ".encode("cp1251")),
    ):
        kinds[list(some)] |= kind
    return kinds


def _points() -> NDArray[np.int32]:
    """Code points by encoding and byte, or row and place in it; 0 where there is no character."""
    points = np.zeros((len(CODEPAGES), _SIZE * _SIZE), np.int32)
    for k, name in enumerate(CODEPAGES[1:], start=1):
        for i in range(128 if k < _N_SINGLE else _SIZE * _SIZE):
            data = bytes([128 + i]) if k < _N_SINGLE else bytes([0xA1 + i // _SIZE, 0xA1 + i % _SIZE])
            read = data.decode(name, "ignore")
            points[k, i] = ord(read) if len(read) == 1 else 0
    return points


def _commons() -> NDArray[np.bool_]:
    """Whether each pair is a common character of an encoding."""
    commons = np.zeros((len(COMMON), _SIZE * _SIZE), np.bool_)
    for k, (name, chars) in enumerate(COMMON.items()):
        for lead, trail in (char.encode(name) for char in chars):
            commons[k, (lead - 0xA1) * _SIZE + trail - 0xA1] = True
    return commons


_KINDS, _POINTS, _COMMONS = _kinds(), _points(), _commons()


@inlined
def _is(byte: Any, kind: Any) -> Any:
    return _KINDS[byte] & kind != 0


@compiled
def read_older(codepage: Any, data: Any, i: Any, stop: Any) -> tuple[Any, Any]:
    """How many bytes the character at ``i`` has in an encoding, and its code point; 0 where it is none."""
    byte = np.int64(data[i])
    if byte < 128:
        return 1, byte
    if codepage < _N_SINGLE:
        point = np.int64(_POINTS[codepage, byte - 128])
        return (1, point) if point else (0, np.int64(0))
    if i + 1 == stop or not 0xA1 <= byte < 0xFF or not 0xA1 <= data[i + 1] < 0xFF:
        return 0, np.int64(0)
    point = np.int64(_POINTS[codepage, (byte - 0xA1) * _SIZE + np.int64(data[i + 1]) - 0xA1])
    return (2, point) if point else (0, np.int64(0))


@compiled
def codepage_in(data: Any, size: Any) -> Any:
    """The encoding of the bytes beyond ASCII among others, or ``NO_CODEPAGE``."""
    n_high, n_letters, longest, mixed = _shape(data, size)
    if n_high == 0:
        return NO_CODEPAGE
    if longest < 3 and n_letters > n_high:
        found = _latin(data, size)
    elif _has_case(data, size):
        found = _cyrillic(data, size) if longest > 2 and not mixed else NO_CODEPAGE
    else:
        found = _pairs(data, size)
    i = 0
    while i < size and found != NO_CODEPAGE:
        width, _ = read_older(found, data, i, size)
        if width == 0:
            return NO_CODEPAGE
        i += width
    return found


@compiled
def _word_end(data: Any, i: Any, size: Any, kinds: Any) -> Any:
    while i < size and _is(data[i], kinds):
        i += 1
    return i


@compiled
def _shape(data: Any, size: Any) -> tuple[Any, Any, Any, Any]:
    """Bytes beyond ASCII, letters in the same words, the most in a row, and whether a word has both."""
    n_high = n_letters = longest = i = 0
    mixed = False
    while i < size:
        end = _word_end(data, i, size, _LETTER | _HIGH)
        high, row = 0, 0
        for k in range(i, end):
            row = row + 1 if data[k] > 127 else 0
            high += data[k] > 127
            longest = max(longest, row)
        if high:
            n_high += high
            n_letters += end - i - high
            mixed |= end - i > high
        i = end + 1
    return n_high, n_letters, longest, mixed


@compiled
def _latin(data: Any, size: Any) -> Any:
    """By the bytes of words that have letters of ASCII too."""
    seen, inside, i = 0, False, 0
    while i < size:
        end = _word_end(data, i, size, _LETTER | _HIGH)
        if _word_end(data, i, end, _HIGH) < end:
            for k in range(i, end):
                seen |= _KINDS[data[k]]
                inside |= k > i and _is(data[k], _INSIDE)
        i = end + 1
    iso, windows = seen & _ISO != 0, seen & _WINDOWS != 0
    if not iso and not inside:
        if not seen & _TURKISH:
            return _CP1252
        return _CP1250 if windows else NO_CODEPAGE
    if (iso and windows) or (not iso and not windows and seen & _EITHER):
        return NO_CODEPAGE
    return _CP1250 if windows else _ISO8859_2


@compiled
def _has_case(data: Any, size: Any) -> Any:
    """Whether all bytes beyond ASCII are letters of windows-1251, capitals first."""
    for i in range(size):
        if data[i] > 127:
            after_small = i > 0 and data[i - 1] > 127 and not _is(data[i - 1], _CAPITAL)
            if not _is(data[i], _CAPITAL | _SMALL) or (after_small and not _is(data[i], _SMALL)):
                return False
    return True


@compiled
def _cyrillic(data: Any, size: Any) -> Any:
    frequent = rare = 0
    lowest, highest = 255, 0
    for i in range(size):
        if data[i] > 127:
            frequent += _is(data[i], _FREQUENT)
            rare += _is(data[i], _RARE)
            lowest, highest = min(lowest, data[i]), max(highest, data[i])
    if highest < 0xE0:
        return NO_CODEPAGE
    if lowest >= 0xE0 and highest <= 0xFA:
        return _CP1251 if frequent > 2 * rare else NO_CODEPAGE
    return _CP1251 if 2 * frequent > rare else NO_CODEPAGE


@compiled
def _pairs(data: Any, size: Any) -> Any:
    """Two bytes a character."""
    best = _N_SINGLE
    n = most = 0
    is_tie = False
    for k in range(len(_COMMONS)):
        n, common = _count_common(data, size, k)
        is_tie = (is_tie and common <= most) or common == most
        if common > most:
            best, most = _N_SINGLE + k, common
    return NO_CODEPAGE if most < 2 or 3 * most < 2 * n or is_tie else best


@compiled
def _count_common(data: Any, size: Any, k: Any) -> tuple[Any, Any]:
    """How many pairs there are, and how many of them are common characters; none if there is no pair."""
    n = common = i = 0
    while i < size:
        if data[i] < 128:
            i += 1
            continue
        if i + 1 == size or data[i] < 0xA1 or data[i + 1] < 0xA1:
            return 0, 0
        if data[i] != 0xA1 and data[i] != 0xA3:
            n += 1
            at = (np.int64(data[i]) - 0xA1) * _SIZE + np.int64(data[i + 1]) - 0xA1
            common += data[i] < 255 and data[i + 1] < 255 and _COMMONS[k, at]
        i += 2
    return n, common

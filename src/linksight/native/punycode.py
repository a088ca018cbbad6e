"""Host labels that begin with ``xn--``, decoded as Python's ``punycode`` codec does (RFC 3492)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.native.jit import compiled
from linksight.native.utf8 import NO_CHARACTER, lower_point, write_point

MOST_POINTS = 256  #: characters of a label; a host has at most 253
_BASE, _FIRST, _LAST, _SKEW, _DAMP, _BIAS = 36, 1, 26, 38, 700, 72
_TOO_LARGE = 1 << 40  #: no delta of a real label; larger ones are errors whatever follows


@compiled
def write_label(data: Any, start: Any, stop: Any, points: Any, out: Any, n: Any) -> Any:
    """Appends what an ASCII label stands for in lower case; one that stands for nothing stays as it is.

    Gives where the text ends now, or -1 where the answer is not known here.
    """
    is_coded = stop - start >= 4 and data[start + 2] == 45 and data[start + 3] == 45
    is_coded = is_coded and (data[start] | 32) == 120 and (data[start + 1] | 32) == 110
    size = _decode(data, start + 4, stop, points) if is_coded else -1
    if size <= 0 or not _is_name(points, size):
        for i in range(start, stop):
            out[n] = lower_point(data[i])
            n += 1
        return n
    for i in range(size):
        point = lower_point(points[i])
        if point == NO_CHARACTER:
            return -1
        n = write_point(point, out, n)
    return n


@compiled
def _is_name(points: Any, size: Any) -> Any:
    """Whether there are letters beyond ASCII, and no controls or blanks."""
    beyond = False
    for i in range(size):
        if 0x7F <= points[i] <= 0xA0:
            return False
        beyond |= points[i] > 0x7F
    return beyond


@compiled
def _decode(data: Any, start: Any, stop: Any, points: Any) -> Any:
    """The characters of a coded label into ``points``; gives how many, or -1 where it is badly coded."""
    hyphen = stop - 1
    while hyphen >= start and data[hyphen] != 45:
        hyphen -= 1
    size = max(hyphen - start, 0)
    for i in range(size):
        points[i] = data[start + i]
    at = max(hyphen + 1, start)
    point, place, bias = np.int64(128), np.int64(-1), np.int64(_BIAS)
    is_first = True
    while at < stop:
        at, delta = _delta(data, at, stop, bias)
        if delta < 0:
            return -1
        place += delta + 1
        size += 1
        point += place // size
        place %= size
        if point > 0x10FFFF or 0xD800 <= point <= 0xDFFF or size > MOST_POINTS:
            return -1
        for i in range(size - 1, place, -1):
            points[i] = points[i - 1]
        points[place] = point
        bias = _adapted(delta, size, is_first)
        is_first = False
    return size


@compiled
def _delta(data: Any, at: Any, stop: Any, bias: Any) -> tuple[Any, Any]:
    """The number that is written from here on, and where it ends; -1 where there is none."""
    value, weight = np.int64(0), np.int64(1)
    step = _BASE
    while at < stop:
        byte = np.int64(data[at]) | 32
        if 97 <= byte <= 122:
            digit = byte - 97
        elif 48 <= np.int64(data[at]) <= 57:
            digit = np.int64(data[at]) - 22
        else:
            return at, np.int64(-1)
        at += 1
        value += digit * weight
        threshold = min(max(step - bias, _FIRST), _LAST)
        if digit < threshold:
            return at, value
        weight *= _BASE - threshold
        step += _BASE
        if weight > _TOO_LARGE or value > _TOO_LARGE:
            return at, np.int64(-1)
    return at, np.int64(-1)


@compiled
def _adapted(delta: Any, size: Any, is_first: Any) -> Any:
    delta = delta // _DAMP if is_first else delta // 2
    delta += delta // size
    steps = 0
    while delta > (_BASE - _FIRST) * _LAST // 2:
        delta //= _BASE - _FIRST
        steps += _BASE
    return steps + (_BASE - _FIRST + 1) * delta // (delta + _SKEW)

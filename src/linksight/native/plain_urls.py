"""Which addresses are plain: read where they lie, without a parser."""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.native.byte_masks import (
    SPAN,
    byte_bits,
    digit_bits,
    find_byte,
    first_bit,
    last_bit,
    letter_bits,
    low_bits,
    mark_bits,
)
from linksight.native.jit import compiled, compiled_step
from linksight.urls.parser import MAX_LENGTH

_ONE = np.uint64(1)
_QUESTION = np.uint8(63)
#: What a byte may be: part of a plain host name, a digit.
_HOST, _DIGIT = np.uint8(1), np.uint8(2)
_KINDS = np.zeros(256, np.uint8)
_KINDS[list(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")] |= _HOST
_KINDS[list(b"0123456789")] |= _DIGIT


@compiled_step
def _host_end(data: Any, start: Any, stop: Any) -> tuple[Any, Any]:
    """Where a plain host name that starts here has its last dot, and ends; -1 where it takes a parser."""
    dots, hyphens, digits = byte_bits(data, start, 46), byte_bits(data, start, 45), digit_bits(data, start)
    host = letter_bits(data, start) | digits | dots | hyphens | byte_bits(data, start, 95)
    size = min(first_bit(~host), stop - start)
    if size == SPAN:
        return _long_host_end(data, start, stop)
    inside = low_bits(size)
    dots, hyphens = dots & inside, hyphens & inside
    dot = last_bit(dots)
    ending = inside & ~low_bits(dot + 1)
    if dots == 0 or ending & ~digits == 0 or dots & ((dots << _ONE) | _ONE):
        return -1, -1  # no dot, a number at the end, an empty label
    if hyphens & (hyphens << _ONE):
        return _long_host_end(data, start, stop)  # perhaps xn--
    end = start + size
    if end < stop and data[end] != 47 and data[end] != 63 and data[end] != 35:
        return -1, -1
    return start + dot, end


@compiled
def _long_host_end(data: Any, start: Any, stop: Any) -> tuple[Any, Any]:
    """The same, byte by byte."""
    i = last = start
    dots = 0
    while i < stop and _KINDS[data[i]] & _HOST:
        if data[i] == 46:
            if i == last:
                return -1, -1  # an empty label
            dots += 1
            last = i + 1
        elif data[i] == 45 and i > start + 2 and data[i - 1] == 45 and (data[i - 2] | 32) == 110:
            return -1, -1  # xn--
        i += 1
    if i < stop and data[i] != 47 and data[i] != 63 and data[i] != 35:
        return -1, -1
    only_digits = True
    for k in range(last, i):
        only_digits = only_digits and _KINDS[data[k]] & _DIGIT != 0
    if dots == 0 or only_digits or i - start > 253:
        return -1, -1
    return last - 1, i


@compiled_step
def _path_end(data: Any, start: Any, stop: Any) -> Any:
    """Where a plain path and query that start here end: at a blank, ``#`` or what takes a parser."""
    for first in range(start, stop, SPAN):
        # A number sign, a percent sign, a backslash.
        others = byte_bits(data, first, 35) | byte_bits(data, first, 37) | byte_bits(data, first, 92)
        odd = (others | ~mark_bits(data, first)) & low_bits(stop - first)
        if odd:
            return first + first_bit(odd)
    return stop


@compiled_step
def plain_span(data: Any, start: Any, stop: Any) -> tuple[Any, Any, Any, Any]:
    """Where a plain http(s) address has its host, the host's last dot, its path, and its end.

    All are 0 where the address is not plain: an empty text.
    """
    if stop - start < 10 or stop - start > MAX_LENGTH:
        return 0, 0, 0, 0
    for i in range(4):
        if (data[start + i] | 32) != (104, 116, 116, 112)[i]:
            return 0, 0, 0, 0
    begin = start + 4
    begin += (data[begin] | 32) == 115
    if data[begin] != 58 or data[begin + 1] != 47 or data[begin + 2] != 47:
        return 0, 0, 0, 0
    begin += 3
    dot, i = _host_end(data, begin, stop)
    if i < 0:
        return 0, 0, 0, 0
    if stop - i < 2 and (i == stop or data[i] == 47):
        return begin, dot, i, stop  # a home page
    end = _path_end(data, i, stop)
    if end < stop and data[end] != 35:
        return 0, 0, 0, 0
    for k in range(end, stop):  # what follows "#" is not read, but blanks at its end would be stripped
        if data[k] < 0x21 or data[k] > 0x7E:
            return 0, 0, 0, 0
    question = find_byte(data, i, end, _QUESTION)
    if question == end - 1:
        end = question
    if i < end and data[i] == 63:
        return 0, 0, 0, 0  # host?query: the slash between them is missing
    return begin, dot, i, end

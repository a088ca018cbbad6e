"""Which addresses are plain: read where they lie, without a parser."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from linksight.urls import MAX_LENGTH


@njit(nogil=True, cache=True)
def _host_end(data: Any, start: Any, stop: Any) -> Any:
    """Where a plain host name that starts here ends, or -1 where it takes a parser to tell."""
    dots = 0
    i = start
    only_digits = True
    while i < stop:
        byte = data[i]
        if byte == 47 or byte == 63 or byte == 35:
            break
        if byte == 46:
            if i == start or data[i - 1] == 46:
                return -1
            dots += 1
            only_digits = True
        elif not ((97 <= byte | 32 <= 122 and byte < 128) or 48 <= byte <= 57 or byte == 45 or byte == 95):
            return -1
        else:
            only_digits = only_digits and 48 <= byte <= 57
            if byte == 45 and data[i - 1] == 45 and i > start + 2 and (data[i - 2] | 32) == 110:
                return -1  # xn--
        i += 1
    if dots == 0 or only_digits or data[i - 1] == 46 or i - start > 253:
        return -1
    return i


@njit(nogil=True, cache=True)
def plain_span(data: Any, start: Any, stop: Any) -> tuple[Any, Any]:
    """Where the text of a plain http(s) address begins and ends; -1 where it is not plain."""
    if stop - start < 10 or stop - start > MAX_LENGTH:
        return -1, -1
    for i in range(4):
        if (data[start + i] | 32) != (104, 116, 116, 112)[i]:
            return -1, -1
    begin = start + 4
    begin += (data[begin] | 32) == 115
    if data[begin] != 58 or data[begin + 1] != 47 or data[begin + 2] != 47:
        return -1, -1
    begin += 3
    i = _host_end(data, begin, stop)
    if i < 0:
        return -1, -1
    question = np.int64(-1)
    end = i
    while end < stop and data[end] != 35:
        byte = data[end]
        if byte < 0x21 or byte > 0x7E or byte == 37 or byte == 92:
            return -1, -1
        if byte == 63 and question < 0:
            question = end
        end += 1
    for k in range(end, stop):  # what follows "#" is not read, but blanks at its end would be stripped
        if data[k] < 0x21 or data[k] > 0x7E:
            return -1, -1
    if question == end - 1:
        end = question
    if i < end and data[i] == 63:
        return -1, -1  # host?query: the slash between them is missing
    return begin, end

"""The text of an address that is not plain: what ``Url.text`` gives, from bytes to bytes.

Userinfo and ports go, ``xn--`` labels and percent codes become letters, all in lower case. What is
rare stays with the parser: addresses without a scheme, IPv6, hosts beyond ASCII (they need the tables
of Unicode), tabs and line ends, and whatever is no address at all, since the parser knows why.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linksight.native.jit import compiled, inlined
from linksight.native.legacy_encodings import NO_CODEPAGE, read_older
from linksight.native.percent_decoding import older_codepage, read_codes
from linksight.native.punycode import write_label
from linksight.native.utf8 import NO_CHARACTER, lower_point, read_point, write_point
from linksight.urls.parser import UNSEEN

LONGEST = 8192  #: bytes of an address that is read here
ROOM = 2 * LONGEST + 64  #: bytes that its text may take: a capital of two bytes may become a letter of three
ROOM_OF_CODES = 2 * LONGEST  #: bytes for what percent codes stand for: a run of them, and a whole path
_PARSER = -1
_NO_UTF8 = -2
_NOT_ASKED = -3
# What is stripped from the ends of an address, beyond ASCII.
_UNSEEN = np.array([ord(char) for char in UNSEEN if char > "\x7f"], dtype=np.int64)
_HOST = np.zeros(256, np.bool_)  #: bytes that a host may have
_HOST[[byte for byte in range(0x21, 0x7F) if byte not in b'"#%/:<>?@[\\]^`{|}']] = True


@compiled
def write_text(data: Any, start: Any, stop: Any, points: Any, run: Any, out: Any) -> Any:
    """Writes the text of an address to ``out``; gives its size, or -1 where it takes the parser.

    ``points`` has room for a label, ``run`` for the bytes of percent codes, ``ROOM_OF_CODES``.
    """
    while start < stop and data[start] <= 32:
        start += 1
    while start < stop and data[stop - 1] <= 32:
        stop -= 1
    if start == stop or stop - start > LONGEST or _has_controls(data, start, stop):
        return _PARSER
    begin = _after_scheme(data, start, stop)
    if begin < 0:
        return _PARSER
    end = begin
    while end < stop and not _is_slash(data[end]) and data[end] != 63 and data[end] != 35:
        end += 1
    stop = _find(data, 35, end, stop)  # what follows "#" is not read
    question = _find(data, 63, end, stop)
    n = _write_host(data, begin, end, points, out)
    if n > 0 and question == end:
        out[n] = 47
        n += 1
    elif n > 0:
        n = _write_decoded(data, end, question, run, out, n)
    if n > 0 and question + 1 < stop:
        out[n] = 63
        n = _write_decoded(data, question + 1, stop, run, out, n + 1)
    return n


@compiled
def _find(data: Any, byte: Any, start: Any, stop: Any) -> Any:
    while start < stop and data[start] != byte:
        start += 1
    return start


@inlined
def _is_slash(byte: Any) -> Any:
    return byte == 47 or byte == 92


@compiled
def _has_controls(data: Any, start: Any, stop: Any) -> Any:
    """Whether there are control characters, or a blank beyond ASCII at the end."""
    for i in range(start, stop):
        if data[i] < 32 or data[i] == 127:
            return True
    last = stop - 1
    while last > start and (data[last] & 0xC0) == 0x80:
        last -= 1
    if data[last] > 127:
        _, point = read_point(data, last, stop)
        for blank in _UNSEEN:
            if point == blank:
                return True
    return False


@compiled
def _after_scheme(data: Any, start: Any, stop: Any) -> Any:
    """Where the authority of an http(s) address begins; -1 where it has another scheme or none."""
    if stop - start < 5:
        return -1
    for i in range(4):
        if (data[start + i] | 32) != (104, 116, 116, 112)[i]:
            return -1
    begin = start + 4
    begin += (data[begin] | 32) == 115
    if begin >= stop or data[begin] != 58:
        return -1
    begin += 1
    while begin < stop and _is_slash(data[begin]):
        begin += 1
    return begin


@compiled
def _write_host(data: Any, start: Any, stop: Any, points: Any, out: Any) -> Any:
    """Writes the host of an authority; gives its size, or -1."""
    for i in range(start, stop):
        if data[i] == 64:
            start = i + 1
    end = start
    while end < stop and data[end] != 58:
        end += 1
    if not _is_port(data, end + 1, stop) or (end + 1 == stop and end - start < 6):
        return _PARSER  # the second is perhaps http://http://
    while start < end and data[start] == 46:
        start += 1
    while start < end and data[end - 1] == 46:
        end -= 1
    if start == end or end - start > 253:
        return _PARSER
    if _ends_in_odd_number(data, start, end):
        return _PARSER
    n, label = 0, start
    for i in range(start, end + 1):
        if i < end and data[i] != 46:
            if not _HOST[data[i]]:
                return _PARSER
            continue
        if label == i:
            return _PARSER  # an empty label
        n = write_label(data, label, i, points, out, n)
        if n < 0:
            return _PARSER
        if i < end:
            out[n] = 46
            n += 1
        label = i + 1
    return n if n > 0 else _PARSER


@compiled
def _ends_in_odd_number(data: Any, start: Any, end: Any) -> Any:
    """Whether a host ends in a number, but is no IPv4 address as it is mostly written."""
    value, digits, n_numbers = np.int64(0), 0, 0
    odd = False
    for i in range(start, end):
        if data[i] == 46:
            odd |= digits == 0
            value, digits = np.int64(0), 0
        elif 48 <= data[i] <= 57:
            n_numbers += digits == 0
            odd |= digits > 0 and value == 0
            value = min(value * 10 + np.int64(data[i]) - 48, np.int64(999))
            odd |= value > 255
            digits += 1
        else:
            odd = True
    last = end
    while last > start and 48 <= data[last - 1] <= 57:
        last -= 1
    is_number = last < end and (last == start or data[last - 1] == 46)
    return is_number and (odd or n_numbers != 4)


@compiled
def _is_port(data: Any, start: Any, stop: Any) -> Any:
    """Whether this is a port or nothing."""
    value = np.int64(0)
    for i in range(start, stop):
        if not 48 <= data[i] <= 57:
            return False
        value = min(value * 10 + np.int64(data[i]) - 48, np.int64(99_999))
    return value <= 65_535


@compiled
def _write_decoded(data: Any, start: Any, stop: Any, run: Any, out: Any, n: Any) -> Any:
    """Appends a stretch with its percent codes decoded, in lower case; gives where the text ends, or -1."""
    codepage = _NOT_ASKED
    i = start
    while i < stop:
        size, end = read_codes(data, i, stop, run, 0) if data[i] == 37 else (0, i)
        if size:
            written = _write_run(run, size, i + 5 * size == end, NO_CODEPAGE, out, n)
            if written == _NO_UTF8:
                if codepage == _NOT_ASKED:
                    codepage = older_codepage(data, start, stop, run[LONGEST:])
                written = _write_run(run, size, True, codepage, out, n)
            n, i = written, end
        else:
            width, point = read_point(data, i, stop)
            point = lower_point(point) if width else np.int64(NO_CHARACTER)
            n = write_point(np.int64(47) if point == 92 else point, out, n) if point >= 0 else _PARSER
            i += width
        if n < 0:
            return _PARSER
    return n


@compiled
def _write_run(run: Any, size: Any, as_codes: Any, codepage: Any, out: Any, n: Any) -> Any:
    """Appends the bytes of percent codes as characters.

    Those that are none stay codes if they may (``as_codes``), or it gives ``_NO_UTF8``.
    """
    i = 0
    while i < size:
        if codepage == NO_CODEPAGE:
            width, point = read_point(run, i, size)
        else:
            width, point = read_older(codepage, run, i, size)
        if width == 0:
            if not as_codes:
                return _NO_UTF8
            out[n] = 37
            out[n + 1] = _letter(run[i] >> 4)
            out[n + 2] = _letter(run[i] & 15)
            n += 3
            i += 1
            continue
        point = lower_point(max(point, 32))  # a control character counts as a blank
        if point == NO_CHARACTER:
            return _PARSER
        n = write_point(point, out, n)
        i += width
    return n


@inlined
def _letter(value: Any) -> Any:
    """A digit of base 16."""
    return value + np.uint8(48) if value < 10 else value + np.uint8(87)

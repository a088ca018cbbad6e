"""Normalise URLs to the text that features are read from: what ``Url.text`` is, from bytes to bytes.

Scheme, userinfo, port and fragment go; ``xn--`` labels and percent codes become characters; all is lower case. Rare
forms are left to the parser: addresses without a scheme, IPv6, hosts beyond ASCII (which need Unicode tables), control
characters, and invalid addresses, since the parser knows the reason.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

#: Bytes that the text of a row may need beyond twice the row: a decoded host.
HOST_ROOM = 1100
_POINTS = cython.declare(cython.Py_ssize_t, 256)  # characters of a label; a host has at most 253
_LONGEST = cython.declare(cython.Py_ssize_t, 65_536)  # bytes of an address that is read here
_PARSER = cython.declare(cython.Py_ssize_t, -1)
_NOT_ONE_CASE = cython.declare(cython.int, -1)
_TOO_LARGE = cython.declare(cython.longlong, 0x10000000000)  # no delta of a real label
# Lower case by code point; -1 where it takes context (sigma has two forms) or several characters.
_LOWER = np.array(
    [ord(low) if len(low := chr(i).lower()) == 1 and i != 0x3A3 else -1 for i in range(0x2000)],
    dtype=np.int32,
)
# Blocks above with capitals: left to the parser.
_CASED = np.array(
    [
        0x2100, 0x218F, 0x24B0, 0x24FF, 0x2C00, 0x2DFF, 0xA640, 0xA7FF, 0xFF21, 0xFF3A,
        0x10400, 0x105FF, 0x10C80, 0x10DFF, 0x11880, 0x118FF, 0x16E00, 0x16EFF, 0x1E900, 0x1E9FF,
    ],
    dtype=np.int32,
)  # fmt: skip
_HOST_BYTES = bytes(
    0 if byte < 0x21 or byte > 0x7E or byte in b'"#%/:<>?@[\\]^`{|}' else ord(chr(byte).lower())
    for byte in range(256)
)
_PATH_BYTES = bytes(
    0 if byte < 0x20 or byte > 0x7E or byte in b"%\\" else ord(chr(byte).lower()) for byte in range(256)
)


@cython.final
@cython.cclass
class Normalizer:
    """Writes the texts of addresses one after another; one instance a thread."""

    data: cython.const[cython.uchar][::1]
    out: cython.uchar[::1]
    points: cython.int[::1]
    run: cython.uchar[::1]
    lower: cython.const[cython.int][::1]
    cased: cython.const[cython.int][::1]
    host_bytes: cython.const[cython.uchar][::1]
    path_bytes: cython.const[cython.uchar][::1]
    unseen: cython.const[cython.int][::1]
    at: cython.Py_ssize_t
    value: cython.longlong

    def __init__(self, unseen):
        """``unseen``: code points that the parser strips from the ends of an address."""
        self.points = memoryview(np.zeros(_POINTS, np.int32))
        self.run = memoryview(np.zeros(_LONGEST, np.uint8))
        self.lower, self.cased = memoryview(_LOWER), memoryview(_CASED)
        self.host_bytes, self.path_bytes = memoryview(_HOST_BYTES), memoryview(_PATH_BYTES)
        self.unseen = memoryview(np.array(sorted(unseen), np.int32))

    def write(
        self,
        data: cython.const[cython.uchar][::1],
        offsets: cython.const[cython.longlong][::1],
        out: cython.uchar[::1],
        spans: cython.longlong[:, ::1],
    ) -> tuple[int, int]:
        """Write the text of each row to ``out`` and its place to ``spans``; the end is -1 for rows left to the parser.

        ``out`` has room for twice the bytes of the rows and ``HOST_ROOM`` a row. Returns how much of it is used, and
        how many rows are left to the parser.
        """
        r: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        n_left: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t
        self.data, self.out = data, out
        with cython.nogil:
            for r in range(spans.shape[0]):
                end = self._text(offsets[r], offsets[r + 1], n)
                spans[r, 0], spans[r, 1] = n, end
                n_left += end < 0
                if end > n:
                    n = end
        return n, n_left

    @cython.cfunc
    @cython.nogil
    def _text(
        self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, n: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Write one text from ``n`` on; returns its end, or -1."""
        begin: cython.Py_ssize_t
        end: cython.Py_ssize_t
        question: cython.Py_ssize_t
        while start < stop and self.data[start] <= 32:
            start += 1
        while start < stop and self.data[stop - 1] <= 32:
            stop -= 1
        if stop - start < 5 or stop - start > _LONGEST or self._has_controls(start, stop):
            return _PARSER
        begin = self._after_scheme(start, stop)
        if begin < 0:
            return _PARSER
        end = begin
        while end < stop and not self._ends_authority(self.data[end]):
            end += 1
        stop = self._find(ord("#"), end, stop)
        question = self._find(ord("?"), end, stop)
        n = self._write_host(begin, end, n)
        if n < 0:
            return _PARSER
        if question == end:
            self.out[n] = ord("/")
            n += 1
        else:
            n = self._write_decoded(end, question, n)
        if n >= 0 and question + 1 < stop:
            self.out[n] = ord("?")
            n = self._write_decoded(question + 1, stop, n + 1)
        return n

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _ends_authority(self, byte: cython.uchar) -> cython.bint:
        return byte == ord("/") or byte == ord("\\") or byte == ord("?") or byte == ord("#")

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _find(
        self, byte: cython.uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        while start < stop and self.data[start] != byte:
            start += 1
        return start

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _has_controls(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Whether there are control characters, or an unseen character at the end."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        controls: cython.int = 0
        for i in range(start, stop):
            controls |= (self.data[i] < 32) | (self.data[i] == 127)
        if controls:
            return True
        i = stop - 1
        if self.data[i] < 128:
            return False
        while i > start and (self.data[i] & 0xC0) == 0x80:
            i -= 1
        self._read(self.data, i, stop)
        for k in range(self.unseen.shape[0]):
            if self.value == self.unseen[k]:
                return True
        return False

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _after_scheme(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where the authority of an http(s) address begins; -1 for another scheme or none."""
        if (
            (self.data[start] | 32) != ord("h")
            or (self.data[start + 1] | 32) != ord("t")
            or (self.data[start + 2] | 32) != ord("t")
            or (self.data[start + 3] | 32) != ord("p")
        ):
            return -1
        start += 4
        if (self.data[start] | 32) == ord("s"):
            start += 1
        if start >= stop or self.data[start] != ord(":"):
            return -1
        start += 1
        while start < stop and (self.data[start] == ord("/") or self.data[start] == ord("\\")):
            start += 1
        return start

    @cython.cfunc
    @cython.nogil
    def _write_host(
        self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, n: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Write the host of an authority; returns the end of the text, or -1."""
        i: cython.Py_ssize_t
        end: cython.Py_ssize_t
        label: cython.Py_ssize_t
        byte: cython.uchar
        for i in range(start, stop):
            if self.data[i] == ord("@"):
                start = i + 1
        end = self._find(ord(":"), start, stop)
        # The second is perhaps http://http://
        if not self._is_port(end + 1, stop) or (end + 1 == stop and end - start < 6):
            return _PARSER
        while start < end and self.data[start] == ord("."):
            start += 1
        while start < end and self.data[end - 1] == ord("."):
            end -= 1
        if start == end or end - start > 253 or self._ends_in_odd_number(start, end):
            return _PARSER
        label = start
        for i in range(start, end + 1):
            byte = self.data[i] if i < end else ord(".")
            if byte != ord("."):
                byte = self.host_bytes[byte]
                if not byte:
                    return _PARSER
                self.out[n] = byte
                n += 1
                continue
            if label == i:
                return _PARSER  # an empty label
            if i - label >= 4 and self.data[label + 2] == ord("-") and self.data[label + 3] == ord("-"):
                n = self._decode_label(label, i, n - (i - label))
                if n < 0:
                    return _PARSER
            if i < end:
                self.out[n] = ord(".")
                n += 1
            label = i + 1
        return n

    @cython.cfunc
    @cython.nogil
    def _ends_in_odd_number(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        """Whether a host ends in a number without being an IPv4 address in its usual form."""
        i: cython.Py_ssize_t
        value: cython.int = 0
        digits: cython.int = 0
        n_numbers: cython.int = 0
        odd: cython.bint = False
        if not ord("0") <= self.data[end - 1] <= ord("9"):
            return False
        for i in range(start, end):
            if self.data[i] == ord("."):
                odd |= digits == 0
                value = digits = 0
            elif ord("0") <= self.data[i] <= ord("9"):
                n_numbers += digits == 0
                odd |= digits > 0 and value == 0
                value = min(value * 10 + self.data[i] - 48, 999)
                odd |= value > 255
                digits += 1
            else:
                odd = True
        i = end
        while i > start and ord("0") <= self.data[i - 1] <= ord("9"):
            i -= 1
        return (i == start or self.data[i - 1] == ord(".")) and (odd or n_numbers != 4)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _is_port(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Whether this is a port or nothing."""
        i: cython.Py_ssize_t
        value: cython.int = 0
        for i in range(start, stop):
            if not ord("0") <= self.data[i] <= ord("9"):
                return False
            value = min(value * 10 + self.data[i] - 48, 99_999)
        return value <= 65_535

    # --- labels that begin with xn--: Punycode, RFC 3492 ----------------------------------------

    @cython.cfunc
    @cython.nogil
    def _decode_label(
        self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, n: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Write a label decoded over its coded form at ``n``; an invalid one stays coded. Returns the end, or -1."""
        i: cython.Py_ssize_t
        size: cython.Py_ssize_t
        point: cython.int
        beyond: cython.bint = False
        if (self.data[start] | 32) != ord("x") or (self.data[start + 1] | 32) != ord("n"):
            return n + stop - start
        size = self._punycode(start + 4, stop)
        for i in range(size):
            if 0x7F <= self.points[i] <= 0xA0:
                return n + stop - start  # a control character or blank
            beyond |= self.points[i] > 0x7F
        if not beyond:
            return n + stop - start
        for i in range(size):
            point = self._lower(self.points[i])
            if point < 0:
                return _PARSER
            n = self._write(point, n)
        return n

    @cython.cfunc
    @cython.nogil
    def _punycode(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Decode into ``points``; returns the number of characters, or -1 for an invalid label."""
        i: cython.Py_ssize_t
        hyphen: cython.Py_ssize_t = stop - 1
        size: cython.Py_ssize_t
        point: cython.longlong = 128
        place: cython.longlong = -1
        bias: cython.longlong = 72
        delta: cython.longlong
        steps: cython.longlong
        is_first: cython.bint = True
        while hyphen >= start and self.data[hyphen] != ord("-"):
            hyphen -= 1
        size = max(hyphen - start, 0)
        for i in range(size):
            self.points[i] = self.data[start + i]
        self.at = max(hyphen + 1, start)
        while self.at < stop:
            delta = self._delta(stop, bias)
            if delta < 0:
                return -1
            place += delta + 1
            size += 1
            if size > _POINTS:
                return -1
            point += place // size
            place %= size
            if point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
                return -1
            for i in range(size - 1, place, -1):
                self.points[i] = self.points[i - 1]
            self.points[place] = point
            delta = delta // 700 if is_first else delta // 2
            delta += delta // size
            steps = 0
            while delta > 455:
                delta //= 35
                steps += 36
            bias = steps + 36 * delta // (delta + 38)
            is_first = False
        return size

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _delta(self, stop: cython.Py_ssize_t, bias: cython.longlong) -> cython.longlong:
        """The variable-length number at ``at``; -1 if it is invalid."""
        value: cython.longlong = 0
        weight: cython.longlong = 1
        step: cython.longlong = 36
        digit: cython.longlong
        threshold: cython.longlong
        byte: cython.uchar
        while self.at < stop:
            byte = self.data[self.at]
            if ord("a") <= (byte | 32) <= ord("z"):
                digit = (byte | 32) - 97
            elif ord("0") <= byte <= ord("9"):
                digit = byte - 22
            else:
                return -1
            self.at += 1
            value += digit * weight
            threshold = min(max(step - bias, 1), 26)
            if digit < threshold:
                return value
            weight *= 36 - threshold
            step += 36
            if weight > _TOO_LARGE or value > _TOO_LARGE:
                return -1
        return -1

    # --- path and query -------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    def _write_decoded(
        self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, n: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Write a path or query with its percent codes decoded, in lower case; returns the end, or -1."""
        i: cython.Py_ssize_t = start
        width: cython.Py_ssize_t
        point: cython.int
        byte: cython.uchar
        while i < stop:
            byte = self.path_bytes[self.data[i]]
            if byte:
                self.out[n] = byte
                n += 1
                i += 1
                continue
            if self.data[i] == ord("%"):
                width = self._read_codes(i, stop)
                if width:
                    n = self._write_run(n)
                    i += width
                else:
                    self.out[n] = ord("%")
                    n += 1
                    i += 1
            elif self.data[i] == ord("\\"):
                self.out[n] = ord("/")
                n += 1
                i += 1
            else:
                width = self._read(self.data, i, stop)
                point = self._lower(cython.cast(cython.int, self.value)) if width else _NOT_ONE_CASE
                if point < 0:
                    return _PARSER
                n = self._write(point, n)
                i += width
            if n < 0:
                return _PARSER
        return n

    @cython.cfunc
    @cython.nogil
    def _read_codes(self, i: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read a run of percent codes into ``run``, its size into ``at``; returns the bytes read, 0 if it is not a code.

        Codes of bytes beyond ASCII that were coded twice (``%25D1``) are runs apart.
        """
        first: cython.Py_ssize_t = i
        n: cython.Py_ssize_t = 0
        while self._is_doubled(i, stop):
            self.run[n] = self._digit(self.data[i + 3]) * 16 + self._digit(self.data[i + 4])
            n += 1
            i += 5
        if not n:
            while self._is_code(i, stop) and not self._is_doubled(i, stop):
                self.run[n] = self._digit(self.data[i + 1]) * 16 + self._digit(self.data[i + 2])
                n += 1
                i += 3
        self.at = n
        return i - first

    @cython.cfunc
    @cython.nogil
    def _write_run(self, n: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write the bytes of ``run`` as characters; those that are not UTF-8 stay percent codes."""
        i: cython.Py_ssize_t = 0
        width: cython.Py_ssize_t
        point: cython.int
        while i < self.at:
            width = self._read(self.run, i, self.at)
            if width == 0:
                self.out[n] = ord("%")
                self.out[n + 1] = self._hex(self.run[i] >> 4)
                self.out[n + 2] = self._hex(self.run[i] & 15)
                n += 3
                i += 1
                continue
            # A control character counts as a blank.
            point = self._lower(cython.cast(cython.int, max(self.value, 32)))
            if point < 0:
                return _PARSER
            n = self._write(point, n)
            i += width
        return n

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _is_code(self, i: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        return (
            i + 2 < stop
            and self.data[i] == ord("%")
            and self._digit(self.data[i + 1]) >= 0
            and self._digit(self.data[i + 2]) >= 0
        )

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _is_doubled(self, i: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Whether this is ``%25`` and then the code of a byte beyond ASCII."""
        return (
            i + 4 < stop
            and self.data[i] == ord("%")
            and self.data[i + 1] == ord("2")
            and self.data[i + 2] == ord("5")
            and self._digit(self.data[i + 3]) >= 8
            and self._digit(self.data[i + 4]) >= 0
        )

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _digit(self, byte: cython.uchar) -> cython.int:
        if ord("0") <= byte <= ord("9"):
            return byte - 48
        byte |= 32
        return byte - 87 if ord("a") <= byte <= ord("f") else -1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _hex(self, value: cython.int) -> cython.uchar:
        return value + (48 if value < 10 else 87)

    # --- UTF-8 ----------------------------------------------------------------------------------

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _read(
        self, data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Read the character at ``i`` into ``value``; returns its width in bytes, 0 if it is not UTF-8."""
        first: cython.int = data[i]
        size: cython.Py_ssize_t
        k: cython.Py_ssize_t
        point: cython.int
        if first < 0x80:
            self.value = first
            return 1
        self.value = 0
        size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        if first < 0xC2 or first > 0xF4 or i + size > stop:
            return 0
        point = first & (0x7F >> size)
        for k in range(1, size):
            if (data[i + k] & 0xC0) != 0x80:
                return 0
            point = (point << 6) | (data[i + k] & 0x3F)
        # Longer than necessary, a surrogate, or beyond the last character.
        if point < (0x80 if size == 2 else 0x800 if size == 3 else 0x10000):
            return 0
        if 0xD800 <= point <= 0xDFFF or point > 0x10FFFF:
            return 0
        self.value = point
        return size

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _lower(self, point: cython.int) -> cython.int:
        """A character in lower case; -1 where that takes the parser."""
        i: cython.Py_ssize_t
        if point < 0x2000:
            return self.lower[point]
        for i in range(0, self.cased.shape[0], 2):
            if self.cased[i] <= point <= self.cased[i + 1]:
                return -1
        return point

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def _write(self, point: cython.int, n: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write a character as UTF-8; returns the end of the text."""
        if point < 0x80:
            self.out[n] = point
            return n + 1
        if point < 0x800:
            self.out[n] = 0xC0 | (point >> 6)
        else:
            if point < 0x10000:
                self.out[n] = 0xE0 | (point >> 12)
            else:
                self.out[n] = 0xF0 | (point >> 18)
                n += 1
                self.out[n] = 0x80 | ((point >> 12) & 0x3F)
            n += 1
            self.out[n] = 0x80 | ((point >> 6) & 0x3F)
        self.out[n + 1] = 0x80 | (point & 0x3F)
        return n + 2

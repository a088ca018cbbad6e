# cython: infer_types=True
"""Character references in the bytes of a page."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

#: Size of the hash table of names, and the furthest that a name lies from its place (see ``html.entities``).
_MASK = cython.declare(cython.int, 8191)
_PROBES = cython.declare(cython.int, 24)


@cython.cfunc
def _number(
    body: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> tuple[cython.int, cython.Py_ssize_t]:
    """The number behind ``&#`` at ``at`` and its end; -1 if there is none."""
    base: cython.int = 10
    value: cython.int = 0
    d: cython.int
    j = at
    if j < size and (body[j] == 120 or body[j] == 88):  # x
        base, j = 16, j + 1
    begun = j
    while j < size:
        d = body[j]
        if 48 <= d <= 57:
            d -= 48
        elif base == 16 and 97 <= d <= 102:
            d -= 87
        elif base == 16 and 65 <= d <= 70:
            d -= 55
        else:
            break
        if value < 0x110000:
            value = value * base + d
        j += 1
    if j == begun:
        return -1, at
    return value, j + 1 if j < size and body[j] == 59 else j


@cython.cfunc
def _place(
    body: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    keys: cython.const[cython.uint][::1],
) -> tuple[cython.int, cython.Py_ssize_t]:
    """The place in the table of the longest name at ``at`` and its end; -1 if there is none."""
    h: cython.uint = 0
    d: cython.int
    place: cython.int
    best: cython.int = -1
    end = at
    k = at
    while k < size and k - at < 32:
        d = body[k]
        if not (48 <= d <= 57 or 65 <= d <= 90 or 97 <= d <= 122 or d == 59):
            break
        h = (h * 131 + d) & 0x3FFFFFFF
        k += 1
        if d == 59 or k - at <= 6:  # no name without a semicolon is longer
            place = ((h * 40503 & 0xFFFFFFFF) >> 8) & _MASK
            for _ in range(_PROBES):
                if keys[place] == h:
                    best = place
                    end = k
                    break
                if keys[place] == 0:
                    break
                place = (place + 1) & _MASK
        if d == 59:
            break
    return best, end


def read(body, at, size, keys, points):
    """The one or two characters of the reference whose ``&`` is at ``at``, and its end; -1 if it is none."""
    point: cython.int
    place: cython.int
    end: cython.Py_ssize_t
    if at + 1 < size and body[at + 1] == 35:  # #
        point, end = _number(body, at + 2, size)
        if 0x80 <= point <= 0x9F:  # browsers read these as windows-1252
            point = points[2 * (_MASK + 1) + point - 0x80]
        if point == 0 or point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
            point = 0xFFFD
        return point, 0, end
    place, end = _place(body, at + 1, size, keys)
    if place < 0:
        return -1, 0, at
    return points[2 * place], points[2 * place + 1], end

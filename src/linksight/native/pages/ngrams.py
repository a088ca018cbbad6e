# cython: infer_types=True
"""From characters to hashed n-grams, and from these to weights; see ``langid.ngrams`` for the features."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

if cython.compiled:
    from cython.cimports.linksight.native.pages.byte_steps import prefetch_row, prefetch_slot
else:
    from linksight.native.pages.byte_steps import prefetch_row, prefetch_slot

_ZERO = cython.declare(cython.int, 8)  # the stored weight that stands for none


@cython.cfunc
@cython.inline
def _step(h: cython.uint, c: cython.uint) -> cython.uint:
    """FNV-1a in 32 bits, one character."""
    return ((h ^ c) * 16777619) & 0xFFFFFFFF


@cython.cfunc
@cython.inline
def _key(h: cython.uint) -> cython.uint:
    """The key of a feature from its hash: the high bits choose a row, the low ones check it."""
    g: cython.uint = ((h ^ (h >> 15)) * 739982445) & 0xFFFFFFFF
    return g ^ (g >> 13)


@cython.cfunc
@cython.inline
def _kind(c: cython.uint, letters: cython.const[cython.uchar][::1]) -> cython.int:
    """0: breaks words, 1: a letter, 2: a sign of a script without spaces."""
    if c < 65536:
        return letters[c]
    return 2 if c >= 0x20000 else 0


@cython.cfunc
def _address_end(
    points: cython.const[cython.uint][::1],
    i: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    letters: cython.const[cython.uchar][::1],
) -> cython.Py_ssize_t:
    """The end of an address: the next space, or sign of a script that has none."""
    while i < end and points[i] > 32 and not (points[i] < 65536 and letters[points[i]] == 2):
        i += 1
    return i


@cython.cfunc
def _is_glued(
    points: cython.const[cython.uint][::1],
    j: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    letters: cython.const[cython.uchar][::1],
) -> cython.bint:
    """Whether a word that ends at ``j`` goes on as name.example, a1@b.example or file_name do."""
    after: cython.uint
    if j + 1 < end and (points[j] == 46 or points[j] == 64 or points[j] == 95):
        after = points[j + 1]
        if after < 65536 and letters[after] == 1:
            return True
    k: cython.Py_ssize_t = j
    while k < end and 43 <= points[k] < 58 and k < j + 16:
        k += 1
    return k > j and k < end and points[k] == 64


@cython.cfunc
def _word_keys(
    points: cython.const[cython.uint][::1],
    i: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    word: cython.uint,
    keys: cython.uint[::1],
    count: cython.Py_ssize_t,
    most: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write the keys of a word of ``size`` letters at ``i`` whose hash is ``word``."""
    p: cython.Py_ssize_t = -1  # positions -1 and size are the edges
    q: cython.Py_ssize_t
    h: cython.uint
    while p + 2 <= size and count < most:
        h = 2166136261
        q = p
        while q <= size and q - p < 4:
            h = _step(h, points[i + q] if 0 <= q < size else 95)
            # Of three letters only at an edge: inside a word they are the same in too many languages.
            if q - p == 3 or (q - p == 2 and (p == -1 or q == size)):
                keys[count] = _key(h)
                count += 1
            q += 1
        p += 1
    if size > 2 and count < most:
        keys[count] = _key(word)
        count += 1
    return count


def walk(points, begin, end, letters, keys):
    """Write the keys of the features of ``points[begin:end]``; returns how many there are.

    A third repetition of a word is no feature, nor one of two or three words in turn: such are menus and lists of
    links ("Nieuws 1 | Nieuws 2 | Nieuws 3").
    """
    most: cython.Py_ssize_t = len(keys) - 8
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t = begin
    j: cython.Py_ssize_t
    q: cython.Py_ssize_t
    c: cython.uint
    d: cython.uint
    h: cython.uint
    kind: cython.int
    again: cython.bint
    first: cython.uint = 0  # the hashes of the words before, the nearest first
    second: cython.uint = 0
    third: cython.uint = 0
    fourth: cython.uint = 0
    fifth: cython.uint = 0
    while i < end and count < most:
        c = points[i]
        kind = _kind(c, letters)
        if kind == 0:
            # an address is no text
            if c == 64 or (c == 58 and i + 2 < end and points[i + 1] == 47 and points[i + 2] == 47):
                i = _address_end(points, i, end, letters)
            else:
                i += 1
            continue
        if kind == 2:  # a sign alone and with the one behind it
            h = _step(2166136261, c)
            keys[count] = _key(h)
            count += 1
            i += 1
            if i < end:
                d = points[i]
                if d > 32 and _kind(d, letters) == 2:
                    keys[count] = _key(_step(h, d))
                    count += 1
            continue
        j = i + 1
        while j < end and points[j] < 65536 and letters[points[j]] == 1:
            j += 1
        if j < end and points[j] > 32 and _is_glued(points, j, end, letters):
            i = _address_end(points, j, end, letters)
            continue
        if j - i <= 40:  # longer is no word: a base64 string or a chain of words without spaces
            h = 84696351
            for q in range(i, j):
                h = _step(h, points[q])
            again = h == first and h == second
            again = again or (h == second and first == third)
            again = again or (h == third and first == fourth and second == fifth)
            if not again:
                count = _word_keys(points, i, j - i, h, keys, count, most)
            first, second, third, fourth, fifth = h, first, second, third, fourth
        i = j
    return count


def add(keys, count, slots, pairs, scores):
    """Add the weights of ``keys[:count]``, which it overwrites, to ``scores``; returns how many keys are known.

    A slot is the place of the row's pairs and ten bits of check; before the pairs stands how many there are.
    """
    # First all slots, then all rows, prefetched: memory answers many requests as fast as one.
    k: cython.Py_ssize_t
    known: cython.Py_ssize_t = 0
    j: cython.uint
    last: cython.uint
    slot: cython.uint
    key: cython.uint
    pair: cython.uint
    for k in range(count):
        prefetch_slot(slots, keys[k] >> 12)
    for k in range(count):
        key = keys[k]
        slot = slots[key >> 12]
        prefetch_row(pairs, slot >> 10)
        keys[known] = slot >> 10
        known += slot != 0 and (slot & 1023) == (key & 1023)
    for k in range(known):
        j = keys[k]
        last = j + pairs[j]
        while j < last:
            j += 1
            pair = pairs[j]
            scores[pair >> 6] += cython.cast(cython.int, pair & 63) - _ZERO
    return known

# cython: infer_types=True
"""Pairs of bytes beyond ASCII, and their costs in encodings and languages: integers, see ``charset.byte_bigrams``."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

if cython.compiled:
    from cython.cimports.linksight.native.pages.byte_steps import seek
else:
    from linksight.native.pages.byte_steps import seek

_FINE = cython.declare(cython.int, 1_024)  # steps of a sixteenth of a natural logarithm
# A pair that comes again and again is a decoration, or a word that is no new evidence.
_FULL = cython.declare(cython.int, 4)  # times that a pair counts in full
_AGAIN = cython.declare(cython.int, 8)  # further times that count as one
_WORD = cython.declare(cython.int, 400)  # bytes of a word that are read


@cython.ccall
def gather(data: cython.const[cython.uchar][::1], most: cython.Py_ssize_t, out: cython.uchar[::1]):
    """Write the words of ``data`` with bytes beyond ASCII into ``out``, up to ``most`` bytes and a word; returns the size."""
    size: cython.Py_ssize_t = len(data)
    at: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    i: cython.Py_ssize_t
    while at <= most:
        end = seek(data, end, size, 128, 255)
        if end >= size:
            break
        begin = end
        while begin > 0 and not (data[begin - 1] == 32 or 9 <= data[begin - 1] <= 13):
            begin -= 1
        while end < size and not (data[end] == 32 or 9 <= data[end] <= 13):
            end += 1
        out[at] = 32
        at += 1
        for i in range(begin, min(end, begin + _WORD)):
            out[at] = data[i]
            at += 1
    out[at] = 32
    return at + 1


@cython.ccall
def count_pairs(
    text: cython.const[cython.uchar][::1],
    seen: cython.ushort[::1],
    distinct: cython.int[::1],
    weights: cython.int[::1],
    shares: cython.int[::1],
    places: cython.int[::1],
    words: cython.int[::1],
):
    """Count pairs; ``seen`` is zeros, one for each possible pair. Returns how many are distinct, and how many there are."""
    kinds: cython.int = 0
    n: cython.int = 0
    word: cython.int = -1
    pair: cython.int
    place: cython.int
    times: cython.int
    i: cython.Py_ssize_t
    spaced: cython.bint = True
    for i in range(len(text) - 1):
        if text[i] == 32:
            spaced = True
        if text[i] < 128 and text[i + 1] < 128:
            continue
        pair = text[i] * 256 + text[i + 1]
        if seen[pair] == 0:
            distinct[kinds] = pair
            weights[kinds] = 0
            kinds += 1
            seen[pair] = kinds
        place = seen[pair] - 1
        weights[place] += 1
        word += spaced
        spaced = False
        places[n] = place
        words[n] = word
        n += 1
    for place in range(kinds):
        times = weights[place]
        weights[place] = min(times, _FULL + times // _AGAIN)
        shares[place] = (_FINE * weights[place] + times // 2) // times
    return kinds, n


@cython.ccall
def add_costs(
    costs: cython.const[cython.uchar][::1],
    pairs: cython.const[cython.int][::1],
    weights: cython.const[cython.int][::1],
    sums: cython.int[::1],
):
    """Add the costs of pairs, each as often as it counts, for every model."""
    width: cython.Py_ssize_t = len(sums)
    n: cython.Py_ssize_t
    k: cython.Py_ssize_t
    row: cython.Py_ssize_t
    weight: cython.int
    for n in range(len(pairs)):
        row = pairs[n] * width
        weight = weights[n]
        for k in range(width):
            sums[k] += weight * costs[row + k]


@cython.ccall
def word_costs(
    costs: cython.const[cython.uchar][::1],
    models: cython.Py_ssize_t,
    columns: cython.const[cython.int][::1],
    pairs: cython.const[cython.int][::1],
    shares: cython.const[cython.int][::1],
    places: cython.const[cython.int][::1],
    words: cython.const[cython.int][::1],
    rows: cython.int[::1],
    table: cython.int[::1],
):
    """Add the cost of each word in each of ``columns`` to ``table``; ``rows`` takes the costs of each distinct pair."""
    width: cython.Py_ssize_t = len(columns)
    n: cython.Py_ssize_t
    k: cython.Py_ssize_t
    row: cython.Py_ssize_t
    word: cython.Py_ssize_t
    for n in range(len(pairs)):
        row = pairs[n] * models
        for k in range(width):
            rows[n * width + k] = costs[row + columns[k]] * shares[n]
    for n in range(len(places)):
        row = places[n] * width
        word = words[n] * width
        for k in range(width):
            table[word + k] += rows[row + k]


@cython.ccall
def cover(
    table: cython.const[cython.int][::1],
    width: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    most: cython.int,
    price: cython.longlong,
    own: cython.int[::1],
    sums: cython.longlong[::1],
):
    """The cost of the words in up to ``most`` of the columns from ``first`` to ``last``, and the main one of these.

    Each word counts as in the cheapest of the chosen columns, and every further column costs ``price``.
    """
    n_words: cython.Py_ssize_t = len(own)
    main: cython.Py_ssize_t = first
    best: cython.Py_ssize_t
    k: cython.Py_ssize_t
    word: cython.Py_ssize_t
    row: cython.Py_ssize_t
    limit: cython.int
    language: cython.int
    total: cython.longlong = 0
    for word in range(n_words):
        own[word] = 0x7FFFFFFF
    for language in range(most):
        for k in range(first, last):
            sums[k] = 0
        for word in range(n_words):
            row = word * width
            limit = own[word]
            for k in range(first, last):
                sums[k] += min(table[row + k], limit)
        best = first
        for k in range(first + 1, last):
            if sums[k] < sums[best]:
                best = k
        if language == 0:
            main = best
        elif sums[best] + language * price >= total:
            break
        total = sums[best] + language * price
        for word in range(n_words):
            own[word] = min(own[word], table[word * width + best])
    return total, main

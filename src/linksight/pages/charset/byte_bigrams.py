"""The pairs of bytes beyond ASCII that a page is made of, and what they cost in an encoding and its languages: the sums of ``guess``.

Each sum is here twice, for NumPy and as a kernel (``compiled``), with the same numbers: all of them are integers, sixteenths of
a natural logarithm or, where a pair that comes again and again counts less, ``FINE``-ths of these.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from linksight.pages.jit.byte_steps import seek
from linksight.pages.jit.compile_on_demand import Kernel

FINE = 1_024  #: steps of a sixteenth
# A pair that comes again and again is a decoration, or a word that says nothing new.
SAID = 4  #: times that a pair counts in full
AGAIN = 8  #: of its times one more counts
WORD = 400  #: bytes of a word that are looked at
_TABLE = 65_536  #: pairs that there are
LARGEST = (1 << 31) - 1

seek_: Any = seek.plain


class Pairs(NamedTuple):
    """The pairs of a text in which at least one byte is beyond ASCII."""

    distinct: Any  #: the pairs that occur
    weights: Any  #: how often each counts
    shares: Any  #: and what that is for every time that it occurs, in ``FINE``-ths
    places: Any  #: of each pair of the text its place among the distinct ones
    words: Any  #: and the number of the word that it is in; words without such a pair have none


def _gather(data: Any, size: int, most: int, out: Any) -> int:
    """Writes the words of ``data`` with bytes beyond ASCII into ``out``, up to ``most`` bytes and a word; returns the size."""
    at = end = 0
    while at <= most:
        high = seek_(data, end, size, 128, 255)
        if high >= size:
            break
        begin = high
        while begin > end and not (data[begin - 1] == 32 or 9 <= data[begin - 1] <= 13):
            begin -= 1
        end = high
        while end < size and not (data[end] == 32 or 9 <= data[end] <= 13):
            end += 1
        out[at] = 32
        at += 1
        for i in range(begin, min(end, begin + WORD)):
            out[at] = data[i]
            at += 1
    out[at] = 32
    return at + 1


gather = Kernel(_gather, seek_=seek)


def high_words(data: bytes, most: int, *, compiled: bool = False) -> bytes:
    r"""The words of ``data`` that have bytes beyond ASCII, up to ``most`` bytes and a word.

    >>> high_words("Où est la forêt ?".encode("latin-1"), 100)
    b' O\xf9 for\xeat '
    """
    if compiled:
        import numpy as np

        out = np.empty(most + WORD + 3, np.uint8)
        size = gather.compiled(np.frombuffer(data, np.uint8), len(data), most, out)
        return out[:size].tobytes()
    words, size = [], 0
    for word in data.split():
        if not word.isascii():
            words.append(word[:WORD])
            size += len(words[-1]) + 1
            if size > most:
                break
    return b" ".join([b"", *words, b""]) if words else b" "


def _count(
    text: Any, size: int, seen: Any, distinct: Any, weights: Any, shares: Any, places: Any, words: Any
) -> tuple[int, int]:
    """Counts pairs; ``seen`` is zeros, one for each pair that there is. Returns how many are distinct, and how many there are."""
    kinds = n = 0
    word = -1
    spaced = True
    for i in range(size - 1):
        spaced |= text[i] == 32
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
        weights[place] = min(times, SAID + times // AGAIN)
        shares[place] = (FINE * weights[place] + times // 2) // times
    return kinds, n


count = Kernel(_count)


def pairs_of(text: bytes, *, compiled: bool = False) -> Pairs:
    """The pairs of a text in which words stand between single spaces."""
    import numpy as np

    byte = np.frombuffer(text, np.uint8)
    if compiled:
        size = len(text)
        distinct, weights, shares, places, words = np.empty((5, size), np.int32)
        seen = np.zeros(_TABLE, np.uint16)
        kinds, n = count.compiled(byte, size, seen, distinct, weights, shares, places, words)
        return Pairs(distinct[:kinds], weights[:kinds], shares[:kinds], places[:n], words[:n])
    high = (byte[:-1] > 127) | (byte[1:] > 127)
    every = byte[:-1].astype(np.int32) * 256 + byte[1:]
    distinct, places, times = np.unique(every[high], return_inverse=True, return_counts=True)
    times = times.astype(np.int32)
    weights = np.minimum(times, SAID + times // AGAIN)
    spaces = np.cumsum(byte[:-1] == 32)[high]
    words = np.cumsum(np.diff(spaces, prepend=spaces[:1]) > 0)
    return Pairs(distinct, weights, (FINE * weights + times // 2) // times, places, words)


def _add(costs: Any, pairs: Any, weights: Any, sums: Any) -> None:
    """Adds the costs of pairs, each as often as it counts, for every model."""
    for n in range(len(pairs)):
        row = costs[pairs[n]]
        weight = weights[n]
        for k in range(len(sums)):
            sums[k] += weight * row[k]


add = Kernel(_add)


def costs_of(costs: Any, pairs: Pairs, *, compiled: bool = False) -> Any:
    """What pairs cost in each model, in sixteenths."""
    import numpy as np

    if not compiled:
        # Floats, which NumPy multiplies much sooner; sums of so few bytes are exact in them.
        return pairs.weights.astype(np.float32) @ costs[pairs.distinct].astype(np.float32)
    sums = np.zeros(costs.shape[1], np.int32)
    add.compiled(costs, pairs.distinct, pairs.weights, sums)
    return sums


def _spread(
    costs: Any, columns: Any, pairs: Any, shares: Any, places: Any, words: Any, rows: Any, table: Any
) -> None:
    """Writes what each word costs in each of ``columns`` into ``table``; ``rows`` takes the same for each distinct pair."""
    width = len(columns)
    for n in range(len(pairs)):
        row = costs[pairs[n]]
        for k in range(width):
            rows[n, k] = row[columns[k]] * shares[n]
    for i in range(len(places)):
        row = rows[places[i]]
        word = table[words[i]]
        for k in range(width):
            word[k] += row[k]


def _cover(table: Any, first: int, last: int, most: int, price: int, own: Any, sums: Any) -> tuple[int, int]:
    """What the words cost in up to ``most`` of the columns from ``first`` to ``last``, and which is the main one."""
    n_words = len(table)
    main = first
    total = 0
    for language in range(most):
        for k in range(first, last):
            sums[k] = 0
        for word in range(n_words):
            row = table[word]
            limit = own[word] if language else LARGEST
            for k in range(first, last):
                sums[k] += min(row[k], limit)
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
            own[word] = min(own[word], table[word, best]) if language else table[word, best]
    return total, main


cover_: Any = _cover


def _explain(
    table: Any, ends: Any, most: int, price: int, own: Any, sums: Any, totals: Any, mains: Any
) -> None:
    """Writes for each encoding what its languages make of the words; ``ends`` says where its columns end."""
    first = 0
    for n in range(len(ends)):
        totals[n], mains[n] = cover_(table, first, ends[n], most, price, own, sums)
        mains[n] -= first
        first = ends[n]


spread = Kernel(_spread)
explain = Kernel(_explain, cover_=Kernel(_cover))


def explained(
    costs: Any, columns: list[list[int]], pairs: Pairs, most: int, price: int, *, compiled: bool = False
) -> list[tuple[int, int]]:  # fmt: skip
    """For each list of columns what the text costs in them, and the place of the one that fits best.

    A text in two languages fits no single one: each word counts as in the column that it is likeliest in, of up to ``most`` columns, and
    every column more than one must be worth its ``price``.
    """
    import numpy as np

    every = np.array([column for own in columns for column in own])
    ends = np.cumsum([len(own) for own in columns])
    n_words = int(pairs.words[-1]) + 1 if len(pairs.words) else 0
    if not compiled:
        rows = costs[pairs.distinct][:, every].astype(np.int32) * pairs.shares[:, None]
        begins = np.flatnonzero(np.diff(pairs.words, prepend=-1))
        table = np.add.reduceat(rows[pairs.places], begins) if n_words else rows
        return [_covered(part, most, price) for part in np.split(table, ends[:-1], axis=1)]
    rows = np.empty((len(pairs.distinct), len(every)), np.int32)
    table = np.zeros((n_words, len(every)), np.int32)
    spread.compiled(costs, every, pairs.distinct, pairs.shares, pairs.places, pairs.words, rows, table)
    totals, mains = np.empty((2, len(ends)), np.int32)
    own, sums = np.empty(n_words, np.int32), np.empty(len(every), np.int32)
    explain.compiled(table, ends, most, price, own, sums, totals, mains)
    return list(zip(totals.tolist(), mains.tolist(), strict=True))


def _covered(words: Any, most: int, price: int) -> tuple[int, int]:
    """The same as ``_cover``."""
    import numpy as np

    sums = words.sum(axis=0)
    main = int(sums.argmin())
    own, total = words[:, main], int(sums[main])
    for language in range(1, most):
        both = np.minimum(own[:, None], words)
        sums = both.sum(axis=0)
        best = int(sums.argmin())
        if int(sums[best]) + language * price >= total:
            break
        own, total = both[:, best], int(sums[best]) + language * price
    return total, main

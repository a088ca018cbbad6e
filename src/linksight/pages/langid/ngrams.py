"""From text to features to scores: n-grams of characters, looked up in one hashed table.

A text is lower-cased characters. A word is a run of letters; it is read with an edge mark (``_``) on both sides
and gives its runs of four characters, those of three at its edges, and itself. In scripts without spaces every
character and every pair is a feature. A feature is known by 32 bits of hash: the high ``BITS`` choose a
row of the table, the others check it. A row lists the classes that the feature speaks for with
a weight each; a class that is not listed has weight 0.

>>> len(keys_of("Le chat"))
9
>>> keys_of("chat") == keys_of("CHAT")
True
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

from linksight.pages.jit.byte_steps import ask, index
from linksight.pages.jit.compile_on_demand import Kernel
from linksight.pages.langid import scripts

BITS = 20  #: the table has 2**BITS rows
WEIGHT_BITS = 6
ZERO = 8  #: the stored weight that stands for none: smaller ones speak against a class

# What a character is to the walker.
BREAK, LETTER, SIGN = 0, 1, 2
_UNSPACED = ("Hani", "Hira", "Kana", "Bopo", "Thai", "Laoo", "Khmr", "Mymr", "Tibt", "Hang", "Yiii")


@cache
def kinds() -> bytes:
    """What each character of the basic plane is: no letter, a letter, a sign of a script without spaces."""
    signs = {scripts.NAMES.index(name) for name in _UNSPACED}
    kind_of = bytes(BREAK if not number else SIGN if number in signs else LETTER for number in range(256))
    numbers = bytearray(scripts.table().translate(kind_of))
    for place, number in enumerate(numbers):
        # Stops and digits of a script stand in its block: they end a word as ours do.
        if number == LETTER and unicodedata.category(chr(place))[0] in "PNSZ":
            numbers[place] = BREAK
    for place in range(0x300, 0x370):  # accents that stand alone belong to their letter
        numbers[place] = LETTER
    return bytes(numbers)


def _gap(points: Any, i: int, end: int, letters: Any) -> int:
    """The end of an address: the next space, or sign of a script that has none."""
    while i < end and points[i] > 32 and not (points[i] < 65536 and letters[points[i]] == 2):
        i += 1
    return i


def _word_end(points: Any, i: int, end: int, letters: Any) -> int:
    while i < end and points[i] < 65536 and letters[points[i]] == 1:
        i += 1
    return i


def _is_glued(points: Any, end_of_word: int, end: int, letters: Any) -> bool:
    """Whether a word goes on as name.example or a1@b.example or file_name do: no text, up to the next space."""
    j = end_of_word
    if j + 1 < end and (points[j] == 46 or points[j] == 64 or points[j] == 95):
        after = points[j + 1]
        if after < 65536 and letters[after] == 1:
            return True
    k = j
    while k < end and 43 <= points[k] < 58 and k < j + 16:
        k += 1
    return bool(k > j and k < end and points[k] == 64)


def _sign_keys(points: Any, i: int, end: int, letters: Any, keys: Any, count: int) -> int:
    """Writes the keys of a sign alone and with the sign behind it."""
    h = ((2166136261 ^ points[i]) * 16777619) & 0xFFFFFFFF
    g = (((h ^ (h >> 15)) & 0xFFFFFFFF) * 739982445) & 0xFFFFFFFF
    keys[count] = g ^ (g >> 13)
    count += 1
    if i + 1 < end:
        d = points[i + 1]
        if d > 32 and (d >= 0x20000 or (d < 65536 and letters[d] == 2)):
            h = ((h ^ d) * 16777619) & 0xFFFFFFFF
            g = (((h ^ (h >> 15)) & 0xFFFFFFFF) * 739982445) & 0xFFFFFFFF
            keys[count] = g ^ (g >> 13)
            count += 1
    return count


def _word_hash(points: Any, begin: int, end: int) -> int:
    h = 84696351
    for q in range(begin, end):
        h = ((h ^ points[q]) * 16777619) & 0xFFFFFFFF
    return h


def _word_keys(points: Any, i: int, size: int, word: int, keys: Any, count: int) -> int:
    """Writes the keys of a word of ``size`` letters, which begins at ``i`` and has the hash ``word``."""
    most = len(keys) - 8
    p = -1  # positions -1 and size are the edges
    while p + 2 <= size and count < most:
        h = 2166136261
        q = p
        while q <= size and q - p < 4:
            c = points[i + q] if 0 <= q < size else 95
            h = ((h ^ c) * 16777619) & 0xFFFFFFFF
            # Of three letters only at an edge: inside a word they are the same in too many languages.
            if q - p == 3 or (q - p == 2 and (p == -1 or q == size)):
                g = (((h ^ (h >> 15)) & 0xFFFFFFFF) * 739982445) & 0xFFFFFFFF
                keys[count] = g ^ (g >> 13)
                count += 1
            q += 1
        p += 1
    if size > 2 and count < most:
        g = (((word ^ (word >> 15)) & 0xFFFFFFFF) * 739982445) & 0xFFFFFFFF
        keys[count] = g ^ (g >> 13)
        count += 1
    return count


gap_: Any = _gap
word_end_: Any = _word_end
is_glued_: Any = _is_glued
sign_keys_: Any = _sign_keys
word_hash_: Any = _word_hash
word_keys_: Any = _word_keys


def _walk(points: Any, begin: int, end: int, letters: Any, keys: Any) -> int:
    """Writes the keys of the features of ``points[begin:end]`` and returns how many there are.

    A word that stands there a third time in a row tells nothing new, nor does one of two or three words that
    take turns: such are menus and lists of links ("Nieuws 1 | Nieuws 2 | Nieuws 3").
    """
    count = 0
    most = len(keys) - 8
    i = begin
    first = second = third = fourth = fifth = 0  # the words before, the nearest first
    while i < end and count < most:
        c = points[i]
        kind = letters[c] if c < 65536 else 0
        if c >= 0x20000:
            kind = 2
        if kind == 0:
            # an address is no text
            if c == 64 or (c == 58 and i + 2 < end and points[i + 1] == 47 and points[i + 2] == 47):
                i = gap_(points, i, end, letters)
            else:
                i += 1
            continue
        if kind == 2:
            count = sign_keys_(points, i, end, letters, keys, count)
            i += 1
            continue
        j = word_end_(points, i + 1, end, letters)
        if j < end and points[j] > 32 and is_glued_(points, j, end, letters):
            i = gap_(points, j, end, letters)
            continue
        if j - i <= 40:  # longer is no word: a base64 string or a chain of words without spaces
            word = word_hash_(points, i, j)
            again = word == first and word == second
            again = again or (word == second and first == third)
            again = again or (word == third and first == fourth and second == fifth)
            if not again:
                count = word_keys_(points, i, j - i, word, keys, count)
            first, second, third, fourth, fifth = word, first, second, third, fourth
        i = j
    return count


index_: Any = index.plain
ask_: Any = ask.plain


def _add(keys: Any, begin: int, end: int, slots: Any, pairs: Any, scores: Any) -> int:
    """Adds the weights of ``keys[begin:end]``, which it overwrites, to ``scores``.

    Returns how many of the keys the table knows.
    A slot is the place of the row's pairs and ten bits of check; before the pairs stands how many there are.
    """
    # First the slots, all at once, then the rows: memory answers many questions as fast as one. Where a row has weights
    # for many classes its end cannot be foreseen, so the rows are asked for ahead: the longest is on three cache lines.
    one, six, line = index_(1), index_(6), index_(32)
    for k in range(begin, end):
        ask_(slots, index_(keys[k] >> 12))
    known = begin
    for k in range(begin, end):
        key = keys[k]
        slot = slots[key >> 12]
        row = index_(slot >> 10)
        ask_(pairs, row)
        ask_(pairs, row + line)
        ask_(pairs, row + line + line)
        keys[known] = slot >> 10
        known += slot != 0 and (slot & 1023) == (key & 1023)
    for k in range(begin, known):
        j = index_(keys[k])
        end = j + index_(pairs[j])
        while j < end:
            j += one
            pair = pairs[j]
            scores[index_(pair) >> six] += (pair & 63) - ZERO
    return known - begin


def _add_rows(keys: Any, begin: int, end: int, slots: Any, pairs: Any, scores: Any) -> int:
    """What ``_add`` does, by operations on whole arrays: where numpy is loaded but nothing compiled, many times as fast."""
    import numpy as np

    asked = np.array(keys[begin:end], np.int64)
    found = slots[asked >> 12].astype(np.int64)
    rows = found[(found != 0) & ((found & 1023) == (asked & 1023))] >> 10
    sizes = pairs[rows].astype(np.int64)
    ends = np.cumsum(sizes)
    places = np.repeat(rows + 1 + sizes - ends, sizes) + np.arange(sizes.sum())
    own = pairs[places].astype(np.int64)
    scores += np.bincount(own >> 6, (own & 63) - ZERO, len(scores)).astype(scores.dtype)
    return len(rows)


# What ``_score`` calls: these, or the compiled selves of ``_walk`` and ``_add``.
walk_ = _walk
add_: Any = _add_rows


def _score(
    points: Any,
    keys: Any,
    sizes: Any,
    letters: Any,
    slots: Any,
    pairs: Any,
    scores: Any,
    classes: int,
    most: int,
) -> tuple[int, int]:
    """Scores the lines of a text, each into its row; ``sizes`` takes the features of each line.

    Returns how many features the table knows and how many lines there are.
    """
    size = len(points)
    known = 0
    line = 0
    begin = 0
    while begin < size or line == 0:
        end = begin
        if line < most - 1:
            while end < size and points[end] != 10:
                end += 1
        else:
            end = size
        count = walk_(points, begin, end, letters, keys)
        if count or line == 0:
            known += add_(keys, 0, count, slots, pairs, scores[line * classes : (line + 1) * classes])
            sizes[line] = count
            line += 1
        begin = end + 1
    return known, line


walk = Kernel(
    _walk, gap_=Kernel(_gap), word_end_=Kernel(_word_end), is_glued_=Kernel(_is_glued),
    sign_keys_=Kernel(_sign_keys), word_hash_=Kernel(_word_hash), word_keys_=Kernel(_word_keys),
)  # fmt: skip
add = Kernel(_add, index_=index, ask_=ask)
score = Kernel(_score, walk_=walk, add_=add)


@cache
def letters_array() -> Any:
    """``kinds()`` for compiled code."""
    import numpy as np

    return np.frombuffer(kinds(), np.uint8)


def points_of(text: str) -> Any:
    """The characters of a text as compiled code wants them."""
    import numpy as np

    return np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)


def keys_of(text: str) -> list[int]:
    """The keys of a text's features, in plain Python: what the compiled walker must give."""
    points = [ord(character) for character in text.lower()]
    keys = [0] * (4 * len(points) + 16)
    return keys[: _walk(points, 0, len(points), kinds(), keys)]

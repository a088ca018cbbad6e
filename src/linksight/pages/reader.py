"""From the bytes of a page in UTF-8 to scores of classes, in one compiled pass.

Parse, choose the text that tells most, lower its letters, look its n-grams up, weigh the lines. It stops reading
when one language is far ahead: the first kilobytes settle most pages. Everything that it is made of
is also plain Python, see ``compiled``.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from typing import Any

from linksight.pages import markup, ngrams, scripts
from linksight.pages.compiled import Kernel
from linksight.pages.model import PageModel

ENOUGH = 3_000  #: bytes of text that are read at most
LINES = 96  #: lines that are judged apart
TOP = 8  #: classes that are handed back, the best first
PARSED = (
    1_500,
    6_000,
)  #: bytes of running text after which parsing stops: at first, and if that settled nothing
FIRST, LEAD = 400, 30.0  #: features that must be read, and the lead that a language must have, to stop early
BOILERPLATE = 0.15  #: what a feature costs that is left to English on a page in another language
SHARE_LATIN, SHARE_OTHER = 0.2, 0.06  #: of the features that another language must explain, by its script
GAIN = 12.0  #: and by how much in all, in natural logarithms
RULED_OUT = -5e5  #: what has less before it is read is in another script
SCRIPT_SHARE = 0.08  #: of the letters, that the script of a class must have

LATIN_LINE, OTHER_LINE = 10, 11  #: the characters that end a line, by its letters

strip_: Any = markup.strip.plain
walk_: Any = ngrams.walk.plain
add_: Any = ngrams.add.plain


def _choose(
    out: Any, marks: Any, blocks: int, enough: int, lower: Any, script_of: Any, points: Any, tally: Any
) -> tuple[int, int]:
    """Writes the text that tells most into ``points``, lower-cased, a line a block, and counts letters by script.

    First the title, then the largest block, then running text from all over the page, then the rest. Returns how
    many characters were written, and whether accents stand alone.
    """
    largest = -1
    largest_size = 0
    good = 0
    titled = False
    spare = enough
    for b in range(blocks):
        start, end = marks[4 * b], marks[4 * b + 1]
        own = end - start - marks[4 * b + 2]
        spare -= min(300, end - start)
        if marks[4 * b + 3] == 1:
            if titled:  # a feed has a title for every entry
                marks[4 * b + 3] = 0
            titled = True
        if marks[4 * b + 3] == 0 and own >= 60 and own * 2 > end - start:
            spaced = False
            for i in range(start, min(end, start + 240)):
                if out[i] == 32 or out[i] > 127:
                    spaced = True
                    break
            if spaced:
                marks[4 * b + 3] = 2
                marks[4 * b + 2] = good
                good += 1
                if own > largest_size:
                    largest, largest_size = b, own
    count = 0
    used = 0
    loose = 0
    short = 0
    last = LATIN_LINE
    latin_script = script_of[97]
    for phase in range(11):
        # Residues of eight in an order that soon has seen all parts of the page.
        residue = (0, 0, 0, 4, 2, 6, 1, 5, 3, 7, 0)[phase]
        for b in range(blocks):
            kind = marks[4 * b + 3]
            most = 300
            if phase == 0:
                if kind != 1:
                    continue
            elif phase == 1:
                if b != largest:
                    continue
                most = 300 + max(0, spare)
            elif phase == 10:
                if kind != 0:
                    continue
                most = 200
            elif kind != 2 or b == largest or marks[4 * b + 2] % 8 != residue:
                continue
            i = marks[4 * b]
            end = marks[4 * b + 1]
            if end - i > most:
                end = i + most
            used += end - i + 1
            begun = count
            own_latin = 0
            own_other = 0
            while i < end:
                c = out[i]
                i += 1
                if c == 58 and i + 1 < end and out[i] == 47 and out[i + 1] == 47:  # an address is no text
                    while i < end and out[i] > 32:
                        i += 1
                    continue
                if c >= 0x80:
                    if c >= 0xF0:
                        if i + 2 >= end:
                            break
                        c = (
                            ((c & 7) << 18)
                            | ((out[i] & 63) << 12)
                            | ((out[i + 1] & 63) << 6)
                            | (out[i + 2] & 63)
                        )
                        i += 3
                    elif c >= 0xE0:
                        if i + 1 >= end:
                            break
                        c = ((c & 15) << 12) | ((out[i] & 63) << 6) | (out[i + 1] & 63)
                        i += 2
                    elif c >= 0xC0:
                        if i >= end:
                            break
                        c = ((c & 31) << 6) | (out[i] & 63)
                        i += 1
                    else:
                        continue
                    if 0x300 <= c < 0x370:
                        loose = 1
                    elif 0x591 <= c <= 0x652 and (c <= 0x5C7 or c >= 0x64B or c == 0x640) and c != 0x5BE:
                        continue  # vowel signs of Hebrew and Arabic, which most writers leave out
                if c < 65536:
                    script = script_of[c]
                    tally[script] += 1
                    own_latin += script == latin_script
                    own_other += script != latin_script and script != 0
                    c = lower[c]
                elif c >= 0x20000:
                    tally[script_of[0x4E00]] += 1
                    own_other += 1
                points[count] = c
                count += 1
            # Short blocks share a line, too little each to be judged alone, if all are in Latin letters or none is.
            mark = LATIN_LINE if own_latin > 2 * own_other else OTHER_LINE
            if short and mark != last:
                points[begun - 1] = last
                short = 0
            short += end - marks[4 * b]
            last = mark
            if phase == 10 and short < 80:
                points[count] = 32
            else:
                points[count] = mark
                short = 0
            count += 1
            if used >= enough:
                return count, loose
    return count, loose


def _weigh(
    lines: Any, sizes: Any, count: int, classes: int, english: int, latin: Any, latin_lines: Any, favour: Any, plain: Any, mixed: Any
) -> int:  # fmt: skip
    """What each class has in all, into ``mixed``; returns 1 if that counts, 0 if ``plain``, the simple sum, does.

    A page in any language can have lines in English that no person wrote: licences, menus, names of software.
    So in ``mixed`` a class has, in each line, its own score or what English leaves after a cost.
    """
    if english < 0 or count < 2:
        return 0
    total = 0
    for k in range(classes):
        mixed[k] = favour[k]
    for line in range(count):
        at = line * classes
        total += sizes[line]
        spare = lines[at + english] - sizes[line] * BOILERPLATE
        for k in range(classes):
            mixed[k] += max(lines[at + k], spare)
    mixed[english] = plain[english]
    best = english
    for k in range(classes):
        if mixed[k] > mixed[best]:
            best = k
    if best == english:
        return 1
    own = 0
    for line in range(count):
        at = line * classes
        if not latin[best] and latin_lines[line]:
            continue
        if lines[at + best] >= lines[at + english] - sizes[line] * BOILERPLATE:
            own += sizes[line]
    needed = SHARE_LATIN if latin[best] else SHARE_OTHER
    if own < needed * total or mixed[best] - plain[english] < GAIN:
        return 0
    return 1


def _page(
    body: Any, size: int, out: Any, marks: Any, most_blocks: int, parsed: int, tags_action: Any, tags_high: Any, tags_low: Any,
    raw_names: Any, names_key: Any, names_at: Any, lower: Any, script_of: Any, letters: Any, slots: Any, pairs: Any, classes: int,
    language_of: Any, step: float, bias: Any, english: int, latin: Any, parts: Any, favour: Any, enough: int, points: Any, tally: Any,
    keys: Any, scores: Any, lines: Any, sizes: Any, latin_lines: Any, ruled: Any, plain: Any, mixed: Any, top: Any, values: Any, info: Any,
) -> int:  # fmt: skip
    """Reads a page; ``top`` and ``values`` take the best classes, ``tally`` letters by script, ``info`` the counts.

    ``info``: characters, letters, features, known features, lines, loose accents, blocks, entities, escaped tags, bytes of text,
    features of lines that are in another language than the best, characters that were read before it stopped,
    and whether it stopped because one language was far ahead.
    """
    blocks, found, escaped = strip_(
        body,
        size,
        out,
        marks,
        most_blocks,
        True,
        parsed,
        tags_action,
        tags_high,
        tags_low,
        raw_names,
        names_key,
        names_at,
    )
    info[6], info[7], info[8] = blocks, found, escaped
    running = 0
    for b in range(blocks):
        running += marks[4 * b + 1] - marks[4 * b] - marks[4 * b + 2]
    info[13] = running
    info[9] = marks[4 * blocks - 3] if blocks else 0
    for k in range(len(tally)):
        tally[k] = 0
    length, loose = choose_(out, marks, blocks, enough, lower, script_of, points, tally)
    tally[0] = 0
    whole = 0
    for k in range(len(tally)):
        whole += tally[k]
    for k in range(classes):
        own = tally[parts[3 * k]] + tally[parts[3 * k + 1]] + tally[parts[3 * k + 2]]
        ruled[k] = favour[k] if own > SCRIPT_SHARE * whole else favour[k] + 2 * RULED_OUT
        plain[k] = ruled[k]
    info[0], info[1], info[5] = length, whole, loose
    known = 0
    features = 0
    looked = FIRST
    settled = 0
    line = 0
    begin = 0
    while begin < length and line < LINES:
        end = begin
        while end < length and points[end] != LATIN_LINE and points[end] != OTHER_LINE:
            end += 1
        if line == LINES - 1:
            end = length
        count = walk_(points, begin, end, letters, keys)
        is_latin = end >= length or points[end] == LATIN_LINE
        begin = end + 1
        if count == 0:
            continue
        for k in range(classes):
            scores[k] = 0
        known += add_(keys, 0, count, slots, pairs, scores, 0)
        sizes[line] = count
        latin_lines[line] = is_latin
        features += count
        at = line * classes
        line += 1
        for k in range(classes):
            lines[at + k] = scores[k] * step + count * bias[k]
        if is_latin and english >= 0:
            # Names in Latin letters say nothing for or against a language in another script.
            spare = lines[at + english] - count * BOILERPLATE
            for k in range(classes):
                lines[at + k] = lines[at + k] if latin[k] else spare
        for k in range(classes):
            plain[k] += lines[at + k]
        if features >= looked:
            looked = features + 250
            best = 0
            for k in range(classes):
                if plain[k] > plain[best]:
                    best = k
            top_language = language_of[best]
            second = -1e30
            for k in range(classes):
                if plain[k] > second and language_of[k] != top_language:
                    second = plain[k]
            if plain[best] - second > LEAD and best != english:
                settled = 1
                break
    info[2], info[3], info[4], info[11], info[12] = features, known, line, min(begin, length), settled
    which = weigh_(lines, sizes, line, classes, english, latin, latin_lines, ruled, plain, mixed)
    final = mixed if which else plain
    for t in range(len(top)):
        best = 0
        for k in range(classes):
            if final[k] > final[best]:
                best = k
        top[t] = best
        values[t] = final[best]
        final[best] = -2e30
    # lines that another language than the best explains much better
    other = 0
    for number in range(line):
        at = number * classes
        best = top[0]
        for k in range(classes):
            if lines[at + k] > lines[at + best] and ruled[k] > RULED_OUT:
                best = k
        if language_of[best] != language_of[top[0]] and lines[at + best] - lines[at + top[0]] > 15.0:
            other += sizes[number]
    info[10] = other
    return int(which)


choose_: Any = _choose
weigh_: Any = _weigh

choose = Kernel(_choose)
weigh = Kernel(_weigh)
page = Kernel(_page, strip_=markup.strip, choose_=choose, walk_=ngrams.walk, add_=ngrams.add, weigh_=weigh)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a page says: classes with their totals, the best first, and what was counted on the way."""

    best: list[tuple[int, float]]  #: number of the class, natural logarithms
    letters: dict[str, int]  #: by script
    characters: int  #: letters, signs and spaces
    read: int  #: how many of them it took
    features: int
    known: int  #: features that the model knows
    settled: bool  #: it stopped because one language was far ahead
    elsewhere: int  #: features of lines that are in another language
    escaped: int  #: tags that were written as entities
    loose: bool  #: accents stand apart from their letters
    text: bytes = b""  #: the text, only where tags were written as entities


@cache
def lower_table() -> list[int]:
    """The small letter of each character of the basic plane, always one character."""
    table = [ord(small) if len(small := chr(point).lower()) == 1 else point for point in range(0x10000)]
    table[0x130] = ord("i")  # İ, which Python lowers to two characters
    return table


class _Room(threading.local):
    """Memory that a thread uses for page after page."""

    def __init__(self) -> None:
        self.size, self.classes, self.compiled = 0, 0, False
        self.arrays: tuple[Any, ...] = ()

    def get(self, size: int, classes: int, compiled: bool) -> tuple[Any, ...]:
        """out, marks, points, tally, keys, scores, lines, sizes, latin_lines, ruled, plain, mixed, top, values, info."""
        if self.size < size or self.classes != classes or self.compiled != compiled:
            self.size, self.classes, self.compiled = max(size, 1 << 17 if compiled else 0), classes, compiled
            self.arrays = self._made()
        return self.arrays

    def _made(self) -> tuple[Any, ...]:
        room = self.size + self.size // 2 + 16
        counts = {
            "uint8": (room,),
            "int64": (4 * markup.MOST_BLOCKS, 2 * ENOUGH + 2_000, len(scripts.NAMES), 8 * ENOUGH + 8_000),
            "int32": (self.classes,),
            "float32 ": (LINES * self.classes,),
            "int64 ": (LINES, LINES),
            "float32": (self.classes,) * 3,
            "int64  ": (TOP,),
            "float64 ": (TOP,),
            "int64   ": (14,),
        }
        if not self.compiled:
            return tuple(
                bytearray(n) if kind == "uint8" else [0] * n for kind, sizes in counts.items() for n in sizes
            )
        import numpy as np

        return tuple(np.zeros(n, kind.strip()) for kind, sizes in counts.items() for n in sizes)


_ROOM = _Room()


@cache
def _tables(model: PageModel, compiled: bool) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """What a pass needs to know of markup and characters, and of the model."""
    numbers = {code: number for number, code in enumerate(dict.fromkeys(model.codes))}
    language_of = [numbers[code] for code in model.codes]
    groups = {"Jpan": ("Hira", "Kana", "Hani"), "Kore": ("Hang", "Hani"), "Hani": ("Hani", "Bopo")}
    parts = []
    for name in model.scripts:
        own = [scripts.NAMES.index(part) for part in groups.get(name, (name,)) if part in scripts.NAMES]
        parts += [*own, 0, 0, 0][:3]
    latin = [int(name == "Latn") for name in model.scripts]
    english = -1 if model.english is None else model.english
    plain = (lower_table(), scripts.table(), ngrams.kinds())
    if not compiled:
        slots, pairs = model.plain
        known: tuple[Any, ...] = (
            slots,
            pairs,
            len(model.classes),
            language_of,
            model.step,
            model.bias.tolist(),
            english,
            latin,
            parts,
        )
        return (*markup.tables(False), *plain), known
    import numpy as np

    arrays = (
        np.array(plain[0], np.uint16),
        np.frombuffer(plain[1], np.uint8),
        np.frombuffer(plain[2], np.uint8),
    )
    bias = model.bias.astype(np.float32)
    rows = tuple(np.array(row, np.int64) for row in (language_of, latin, parts))
    known = (
        model.slots,
        model.pairs,
        len(model.classes),
        rows[0],
        np.float32(model.step),
        bias,
        english,
        rows[1],
        rows[2],
    )
    return (*markup.tables(True), *arrays), known


def read(body: bytes, model: PageModel, favour: Any = None, *, compiled: bool = False) -> Reading:
    """Reads a page in UTF-8; ``favour`` is what each class has before anything is read."""
    (
        out,
        marks,
        points,
        tally,
        keys,
        scores,
        lines,
        sizes,
        latin_lines,
        ruled,
        plain,
        mixed,
        top,
        values,
        info,
    ) = _ROOM.get(len(body), len(model.classes), compiled)
    marked, known = _tables(model, compiled)
    head: Any = body
    before = model.prior if favour is None else favour
    if compiled:
        import numpy as np

        head = np.frombuffer(body, np.uint8)
        before = before.astype(np.float32)
    else:
        before = before.tolist()
    run = page.compiled if compiled else page.plain
    for parsed in PARSED:
        run(
            head, len(body), out, marks, markup.MOST_BLOCKS, parsed, *marked, *known, before, ENOUGH, points, tally, keys, scores, lines, sizes,
            latin_lines, ruled, plain, mixed, top, values, info,
        )  # fmt: skip
        # Settled, or the whole page was read.
        if info[12] or info[13] <= parsed:
            break
    numbers = list(info) if not compiled else info.tolist()
    text = b""
    if numbers[8] > 2:
        text = b"<br>".join(bytes(out[marks[4 * b] : marks[4 * b + 1]]) for b in range(numbers[6]))
    if compiled:
        letters = {scripts.NAMES[k]: int(tally[k]) for k in tally.nonzero()[0].tolist()}
        best = list(zip(top.tolist(), values.tolist(), strict=True))
    else:
        letters = {scripts.NAMES[k]: count for k, count in enumerate(tally) if count}
        best = list(zip(top, values, strict=True))
    return Reading(
        best=best,
        letters=letters,
        characters=numbers[0],
        read=numbers[11],
        features=numbers[2],
        known=numbers[3],
        settled=bool(numbers[12]),
        elsewhere=numbers[10],
        escaped=numbers[8],
        loose=bool(numbers[5]),
        text=text,
    )

"""The byte-level HTML parser: from the bytes of a page to the bytes of its text, never decoding.

It looks for the bytes of ``<``, ``>``, ``&`` and tag names, which every encoding of the web that is not
UTF-16 or a 7-bit one leaves alone, so it needs no encoding and cannot be misled by a wrong one. One pass,
linear in the page: a comment, script or quote that never ends is looked for once.

>>> page = b"<title>T&eacute;</title><p>Caf<b>\\xe9</b> au lait<script>if (a<b) c()</script>"
>>> [block.text for block in parse(page)]
[b'T&eacute;', b'Caf\\xe9 au lait']
>>> parse(page, entities=True)[0].text.decode()
'Té'
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from linksight.pages import entities as entity
from linksight.pages.compiled import Kernel

BODY, TITLE = 0, 1

_RAW = "script style noscript select textarea template svg math iframe object applet noframes noembed xmp code samp kbd datalist canvas audio video button"
_INLINE = (
    "a b i u s em strong span font small big sub sup abbr acronym cite mark q ins del wbr bdi bdo dfn tt label var nobr img "
    "strike time data ruby rb"
)


def name_hash(name: str) -> int:
    """The number that the parser knows a tag by."""
    state = 0
    for byte in name.encode("ascii"):
        state = (state * 31 + byte) & 0xFFFFFFF
    return state


RAW_NAMES: tuple[bytes, ...] = tuple(name.encode("ascii") for name in _RAW.split())
_RAW_FLAT = b"".join(name.ljust(8, b"\0") for name in RAW_NAMES)
TAG_BITS = 10


def _tag_table() -> tuple[bytes, ...]:
    """A hash table of tags: two bytes of check and one of what to do, in three planes.

    What to do: 0 block, 1 inline, 2 anchor, 3 title, 4 plaintext, 8 + n raw text number n.
    """
    size = 1 << TAG_BITS
    action, high, low = bytearray(size), bytearray(size), bytearray(size)
    todo = [(name, 1) for name in _INLINE.split() if name != "a"]
    todo += [(name.decode(), 8 + number) for number, name in enumerate(RAW_NAMES)]
    todo += [("a", 2), ("title", 3), ("plaintext", 4)]
    for name, what in todo:
        value = name_hash(name)
        place = value % size
        while action[place]:
            place = (place + 1) % size
        action[place], high[place], low[place] = what, (value >> 8) & 255, value & 255
    return bytes(action), bytes(high), bytes(low)


def _strip(
    body: Any,
    size: int,
    out: Any,
    marks: Any,
    most_blocks: int,
    entities: bool,
    enough: int,
    tags_action: Any,
    tags_high: Any,
    tags_low: Any,
    raw_names: Any,
    names_key: Any,
    names_at: Any,
) -> tuple[int, int, int]:
    """Writes the text into ``out`` and (start, end, bytes in links, kind) of each block into ``marks``.

    Stops when it has ``enough`` bytes of text outside links. Returns the number of blocks, how many entities
    were converted and how many of them begin a tag. ``out`` must be half as long again as ``body``, as a short
    entity can stand for a longer character.
    """
    i = 0
    o = 0
    start = 0
    blocks = 0
    found = 0
    escaped = 0
    running = 0
    in_link = 0
    link_from = 0
    link_bytes = 0
    kind = 0
    dead = 0  # raw elements that are known never to be closed again
    quotes = True
    comments = True
    while i < size and blocks < most_blocks:
        c = body[i]
        if c > 62 or (c < 60 and c != 38 and c > 32):
            while c > 62 or (c < 60 and c != 38 and c > 32):
                out[o] = c
                o += 1
                i += 1
                if i >= size:
                    break
                c = body[i]
            continue
        if c <= 32:
            if o > start and out[o - 1] != 32:
                out[o] = 32
                o += 1
            i += 1
            continue
        if c == 38:  # &
            if entities:
                j = i + 1
                point = -1
                second = 0
                if j < size and body[j] == 35:  # #
                    j += 1
                    value = 0
                    digits = 0
                    if j < size and (body[j] == 120 or body[j] == 88):
                        j += 1
                        while j < size:
                            d = body[j]
                            if 48 <= d <= 57:
                                d -= 48
                            elif 97 <= d <= 102:
                                d -= 87
                            elif 65 <= d <= 70:
                                d -= 55
                            else:
                                break
                            value = value * 16 + d if value < 0x110000 else value
                            digits += 1
                            j += 1
                    else:
                        while j < size and 48 <= body[j] <= 57:
                            value = value * 10 + (body[j] - 48) if value < 0x110000 else value
                            digits += 1
                            j += 1
                    if digits:
                        if j < size and body[j] == 59:
                            j += 1
                        point = value
                        if 0x80 <= point <= 0x9F:  # what browsers read for Windows characters
                            point = names_at[16384 + point - 0x80]
                        if point == 0 or point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
                            point = 0xFFFD
                else:
                    h = 0
                    best = -1
                    end = j
                    k = j
                    while k < size and k - j < 32:
                        d = body[k]
                        if not (48 <= d <= 57 or 65 <= d <= 90 or 97 <= d <= 122 or d == 59):
                            break
                        h = (h * 131 + d) & 0x3FFFFFFF
                        k += 1
                        if d == 59 or k - j <= 6:
                            place = (h * 40503 >> 8) & 8191
                            for _ in range(24):
                                if names_key[place] == h:
                                    best = place
                                    end = k
                                    break
                                if names_key[place] == 0:
                                    break
                                place = (place + 1) & 8191
                        if d == 59:
                            break
                    if best >= 0:
                        point = names_at[2 * best]
                        second = names_at[2 * best + 1]
                        j = end
                if point >= 0:
                    found += 1
                    if point == 60 and j < size and (97 <= body[j] <= 122 or body[j] == 47):
                        escaped += 1
                    if point == 0xA0 or point <= 32:
                        if o > start and out[o - 1] != 32:
                            out[o] = 32
                            o += 1
                        i = j
                        continue
                    for _ in range(2):
                        if point < 0x80:
                            out[o] = point
                            o += 1
                        elif point < 0x800:
                            out[o] = 0xC0 | (point >> 6)
                            out[o + 1] = 0x80 | (point & 63)
                            o += 2
                        elif point < 0x10000:
                            out[o] = 0xE0 | (point >> 12)
                            out[o + 1] = 0x80 | ((point >> 6) & 63)
                            out[o + 2] = 0x80 | (point & 63)
                            o += 3
                        else:
                            out[o] = 0xF0 | (point >> 18)
                            out[o + 1] = 0x80 | ((point >> 12) & 63)
                            out[o + 2] = 0x80 | ((point >> 6) & 63)
                            out[o + 3] = 0x80 | (point & 63)
                            o += 4
                        if second == 0:
                            break
                        point = second
                        second = 0
                    i = j
                    continue
            out[o] = 38
            o += 1
            i += 1
            continue
        # < or > or =
        if c != 60:
            out[o] = c
            o += 1
            i += 1
            continue
        d = body[i + 1] if i + 1 < size else 0
        closing = d == 47
        at = i + 2 if closing else i + 1
        first = body[at] if at < size else 0
        if not (97 <= first <= 122 or 65 <= first <= 90):
            if d == 33:  # <!
                if comments and i + 3 < size and body[i + 2] == 45 and body[i + 3] == 45:
                    j = i + 4
                    if j < size and body[j] == 62:
                        i = j + 1
                        continue
                    while j + 2 < size and not (body[j + 2] == 62 and body[j + 1] == 45 and body[j] == 45):
                        j += 1
                    if j + 2 < size:
                        i = j + 3
                        continue
                    comments = False  # it never ends: read on behind its first bracket
                elif (
                    i + 8 < size and body[i + 2] == 91 and body[i + 3] == 67 and body[i + 8] == 91
                ):  # <![CDATA[
                    i += 9
                    continue
                j = i + 2
                while j < size and body[j] != 62:
                    j += 1
                i = j + 1
                continue
            if d == 63 or closing:  # <? and </ before no letter
                j = i + 2
                while j < size and body[j] != 62:
                    j += 1
                i = j + 1
                continue
            out[o] = 60
            o += 1
            i += 1
            continue
        value = 0
        j = at
        while j < size:
            d = body[j]
            if 65 <= d <= 90:
                d += 32
            elif not (97 <= d <= 122 or 48 <= d <= 57):
                break
            value = (value * 31 + d) & 0xFFFFFFF
            j += 1
        # to the end of the tag; a > inside a quoted value does not end it
        begun = j
        if quotes:
            while j < size and body[j] != 62:
                d = body[j]
                j += 1
                if d == 61:  # =
                    while j < size and body[j] <= 32:
                        j += 1
                    if j < size and (body[j] == 34 or body[j] == 39):
                        q = body[j]
                        j += 1
                        while j < size and body[j] != q:
                            j += 1
                        if j >= size:  # the quote is never closed: from here on quotes mean nothing
                            quotes = False
                            break
                        j += 1
            if not quotes:
                j = begun
        if not quotes:
            while j < size and body[j] != 62:
                j += 1
        i = j + 1
        place = value & 1023
        action = 0
        while tags_action[place]:
            if tags_high[place] == ((value >> 8) & 255) and tags_low[place] == (value & 255):
                action = tags_action[place]
                break
            place = (place + 1) & 1023
        if action == 1:
            continue
        if action == 2:
            if in_link:
                link_bytes += o - link_from
            in_link = 0 if closing else 1
            link_from = o
            continue
        # a block ends here
        if o > start and out[o - 1] == 32:
            o -= 1
        if in_link:
            link_bytes += max(0, o - link_from)
            link_from = o
        if o > start:
            marks[4 * blocks] = start
            marks[4 * blocks + 1] = o
            marks[4 * blocks + 2] = link_bytes
            marks[4 * blocks + 3] = kind
            blocks += 1
            running += o - start - link_bytes
            start = o
            if running > enough:
                return blocks, found, escaped
        link_bytes = 0
        kind = 0
        if closing:
            continue
        if action == 3:
            kind = 1
        elif action == 4:  # plaintext: all that follows is text
            while i < size:
                c = body[i]
                if c <= 32:
                    c = 32
                if c != 32 or (o > start and out[o - 1] != 32):
                    out[o] = c
                    o += 1
                i += 1
        elif action >= 8 and not (dead >> (action - 8)) & 1:
            number = action - 8
            j = i
            done = False
            while j + 1 < size:
                if body[j] == 60 and body[j + 1] == 47:
                    k = 0
                    while k < 8:
                        want = raw_names[8 * number + k]
                        if want == 0:
                            break
                        have = body[j + 2 + k] if j + 2 + k < size else 0
                        if 65 <= have <= 90:
                            have += 32
                        if have != want:
                            break
                        k += 1
                    if k == 8 or raw_names[8 * number + k] == 0:
                        done = True
                        break
                j += 1
            if done:
                i = j
            else:
                dead |= 1 << number
    if o > start and out[o - 1] == 32:
        o -= 1
    if in_link:
        link_bytes += max(0, o - link_from)
    if o > start and blocks < most_blocks:
        marks[4 * blocks] = start
        marks[4 * blocks + 1] = o
        marks[4 * blocks + 2] = link_bytes
        marks[4 * blocks + 3] = kind
        blocks += 1
    return blocks, found, escaped


strip = Kernel(_strip)


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text between two tags that break the line."""

    text: bytes
    in_links: int  #: how many of its bytes are the text of links
    kind: int = BODY  #: ``BODY`` or ``TITLE``


MOST_BLOCKS = 20_000  #: what comes behind so many blocks is not read


@cache
def tables(compiled: bool) -> tuple[Any, ...]:
    """What the parser knows of tags and entities, as plain sequences or as arrays."""
    planes = (*_tag_table(), _RAW_FLAT)
    keys, points = entity.table()
    if not compiled:
        return (*planes, keys, points)
    import numpy as np

    arrays = tuple(np.frombuffer(plane, np.uint8) for plane in planes)
    return (*arrays, np.array(keys, np.int64), np.array(points, np.int64))


def run(body: bytes, *, entities: bool = False, compiled: bool = False) -> tuple[bytes, list[int], int]:
    """The text of all blocks end to end, four numbers for each block, and the count of entities."""
    room = len(body) + len(body) // 2 + 16
    most = min(MOST_BLOCKS, len(body) // 4 + 2)
    if compiled:
        import numpy as np

        out = np.empty(room, np.uint8)
        marks = np.empty(4 * most, np.int64)
        page = np.frombuffer(body, np.uint8)
        blocks, found, _ = strip.compiled(page, len(body), out, marks, most, entities, room, *tables(True))
        end = int(marks[4 * blocks - 3]) if blocks else 0
        return out[:end].tobytes(), marks[: 4 * blocks].tolist(), found
    text = bytearray(room)
    numbers = [0] * (4 * most)
    blocks, found, _ = strip.plain(body, len(body), text, numbers, most, entities, room, *tables(False))
    end = numbers[4 * blocks - 3] if blocks else 0
    return bytes(text[:end]), numbers[: 4 * blocks], found


def parse(body: bytes, *, entities: bool = False, compiled: bool = False) -> list[Block]:
    """The blocks of text of a page, in order; with ``entities`` their entities as UTF-8 bytes."""
    text, marks, _ = run(body, entities=entities, compiled=compiled)
    return [Block(text[marks[k] : marks[k + 1]], marks[k + 2], marks[k + 3]) for k in range(0, len(marks), 4)]

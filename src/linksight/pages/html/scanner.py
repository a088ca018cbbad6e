"""The byte-level HTML parser: from the bytes of a page to the bytes of its text, never decoding.

It looks for the bytes of ``<``, ``>``, ``&`` and tag names, which every encoding of the web that is not
UTF-16 or a 7-bit one leaves alone, so it needs no encoding and cannot be misled by a wrong one. One pass,
linear in the page: a comment, script or quote that never ends is looked for once.

>>> page = b"<title>T&eacute;</title><p>Caf<b>\\xe9</b> au lait<script>if (a<b) c()</script>"
>>> [block.text for block in parse(page)]
[b'T&eacute;', b'Caf\\xe9 au lait']
>>> parse(page, entities=True)[0].text.decode()
'Té'
>>> [block.text for block in parse(b'<meta name=description content="About us"><p>Us', metas=True)]
[b'About us', b'Us']
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from linksight.pages.html import entities as entity
from linksight.pages.html import html_tags, skipped_markup
from linksight.pages.jit.byte_steps import copy, seek
from linksight.pages.jit.compile_on_demand import Kernel

BODY, TITLE, META = 0, 1, 3  #: kinds of blocks
MOST_BLOCKS = 20_000  #: what comes behind so many blocks is not read

read_: Any = entity.read.plain
put_: Any = entity.put.plain
find_: Any = skipped_markup.find.plain
skip_: Any = skipped_markup.skip.plain
bracket_: Any = skipped_markup.bracket.plain
raw_end_: Any = skipped_markup.raw_end.plain
content_: Any = skipped_markup.content.plain
copy_: Any = copy.plain
seek_: Any = seek.plain


def _close(marks: Any, blocks: int, start: int, end: int, in_links: int, kind: int) -> int:
    """Writes down a block, if there is one, and returns how many there are."""
    if end <= start:
        return blocks
    marks[4 * blocks] = start
    marks[4 * blocks + 1] = end
    marks[4 * blocks + 2] = in_links
    marks[4 * blocks + 3] = kind
    return blocks + 1


def _space(out: Any, o: int, start: int) -> int:
    """Writes a space, unless one is there or the block begins, and returns where to go on."""
    if o > start and out[o - 1] != 32:
        out[o] = 32
        o += 1
    return o


space_: Any = _space


def _text(
    body: Any, i: int, stop: int, size: int, out: Any, o: int, start: int, entities: bool, names_key: Any, names_at: Any
) -> tuple[int, int, int, int]:  # fmt: skip
    """Copies text up to the next ``<`` or to ``stop``; spaces become one, entities characters.

    Returns where it read to and wrote to, how many entities were converted and how many of them begin a tag.
    """
    found = escaped = 0
    while i < stop:
        c = body[i]
        if c > 62 or (c < 60 and c != 38 and c > 32):
            out[o] = c
            i, o = copy_(body, i + 1, stop, out, o + 1)
            continue
        if c <= 32:
            o = space_(out, o, start)
            i = seek_(body, i + 1, stop, 33, 255)
            continue
        if c == 60:
            break
        if c == 38 and entities:  # &
            point, second, end = read_(body, i, size, names_key, names_at)
            if point >= 0:
                found += 1
                escaped += point == 60 and end < size and (97 <= body[end] <= 122 or body[end] == 47)
                i = end
                if point == 0xA0 or point <= 32:
                    o = space_(out, o, start)
                    continue
                o = put_(out, o, point)
                if second:
                    o = put_(out, o, second)
                continue
        out[o] = c  # & or > or =
        o += 1
        i += 1
    return i, o, found, escaped


def _rest(body: Any, i: int, size: int, out: Any, o: int, start: int) -> int:
    """Copies all that follows, as it is but for spaces: it is no markup any more."""
    while i < size:
        if body[i] > 32:
            out[o] = body[i]
            o += 1
        else:
            o = space_(out, o, start)
        i += 1
    return o


def _no_tag(body: Any, i: int, size: int, out: Any, o: int, comments: bool) -> tuple[int, int, bool]:
    """Goes over a ``<`` without a name: a comment and the like, or a bracket that begins nothing and is text."""
    end, comments = skip_(body, i, size, comments)
    if end == i:
        out[o] = 60
        return i + 1, o + 1, comments
    return end, o, comments


def _raw(body: Any, i: int, size: int, raw_names: Any, number: int, dead: int) -> tuple[int, int]:
    """Goes over what a raw element holds; ``dead`` are those that are known never to be closed again."""
    if (dead >> number) & 1:
        return i, dead
    end = raw_end_(body, i, size, raw_names, number)
    return (i, dead | 1 << number) if end < 0 else (end, dead)


close_: Any = _close
text_: Any = _text
rest_: Any = _rest
no_tag_: Any = _no_tag
raw_: Any = _raw


def _strip(
    body: Any, size: int, out: Any, marks: Any, most_blocks: int, entities: bool, metas: bool, enough: int,
    tags_action: Any, tags_high: Any, tags_low: Any, raw_names: Any, names_key: Any, names_at: Any,
) -> tuple[int, int, int]:  # fmt: skip
    """Writes the text into ``out`` and (start, end, bytes in links, kind) of each block into ``marks``.

    Stops when it has ``enough`` bytes of text outside links. Returns the number of blocks, how many entities
    were converted and how many of them begin a tag. ``out`` must be half as long again as ``body``, as a short
    entity can stand for a longer character.
    """
    i = o = start = 0  # where it reads, where it writes, where the block began
    blocks = found = escaped = running = in_link = link_from = link_bytes = dead = 0
    kind = BODY
    quotes = comments = True  # until one is found that never ends
    # The end of what is read as text, and where to go on behind it: in a meta tag, its content and the tag's end.
    stop = behind = size
    while blocks < most_blocks:
        if i >= stop:
            if stop == size:
                break
            i, stop = max(i, behind), size
            o -= o > start and out[o - 1] == 32
            blocks, start = close_(marks, blocks, start, o, 0, META), o
            continue
        i, o, own, own_escaped = text_(body, i, stop, size, out, o, start, entities, names_key, names_at)
        found, escaped = found + own, escaped + own_escaped
        if i >= stop:
            continue
        closing = i + 1 < size and body[i + 1] == 47
        at = i + 2 if closing else i + 1
        if not (at < size and (97 <= body[at] <= 122 or 65 <= body[at] <= 90)):
            i, o, comments = no_tag_(body, i, size, out, o, comments)
            continue
        begun, action = find_(body, at, size, tags_action, tags_high, tags_low)
        i, quotes = bracket_(body, begun, size, quotes)
        i += 1
        if action == html_tags.INLINE:
            continue
        if action == html_tags.ANCHOR:
            link_bytes += o - link_from if in_link else 0
            in_link, link_from = 0 if closing else 1, o
            continue
        # A block ends here, and what the tag begins comes next.
        o -= o > start and out[o - 1] == 32
        if in_link:
            link_bytes, link_from = link_bytes + max(0, o - link_from), o
        if o > start:
            blocks = close_(marks, blocks, start, o, link_bytes, kind)
            running += o - start - link_bytes
            start = o
            if running > enough:
                return blocks, found, escaped
        link_bytes, kind = 0, TITLE if action == html_tags.TITLE and not closing else BODY
        if closing:
            continue
        if action == html_tags.META and metas and stop == size:
            at, end = content_(body, begun, i - 1)
            if end > at:
                behind, i, stop = i, at, end
        elif action == html_tags.PLAINTEXT:
            i, o = size, rest_(body, i, size, out, o, start)
        elif action >= html_tags.RAW:
            i, dead = raw_(body, i, size, raw_names, action - html_tags.RAW, dead)
    if blocks < most_blocks:
        o -= o > start and out[o - 1] == 32
        link_bytes += max(0, o - link_from) if in_link else 0
        blocks = close_(marks, blocks, start, o, link_bytes, kind)
    return blocks, found, escaped


_SPACE = Kernel(_space)
_TEXT = Kernel(_text, read_=entity.read, put_=entity.put, copy_=copy, seek_=seek, space_=_SPACE)
strip = Kernel(
    _strip, find_=skipped_markup.find, bracket_=skipped_markup.bracket, content_=skipped_markup.content, close_=Kernel(_close), text_=_TEXT,
    rest_=Kernel(_rest, space_=_SPACE), no_tag_=Kernel(_no_tag, skip_=skipped_markup.skip), raw_=Kernel(_raw, raw_end_=skipped_markup.raw_end),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text between two tags that break the line."""

    text: bytes
    in_links: int  #: how many of its bytes are the text of links
    kind: int = BODY  #: ``BODY``, ``TITLE`` or ``META``


@cache
def tables(compiled: bool) -> tuple[Any, ...]:
    """What the parser knows of tags and entities, as plain sequences or as arrays."""
    planes = (*html_tags.table(), html_tags.raw_names())
    keys, points = entity.table()
    if not compiled:
        return (*planes, keys, points)
    import numpy as np

    arrays = tuple(np.frombuffer(plane, np.uint8) for plane in planes)
    return (*arrays, np.array(keys, np.int64), np.array(points, np.int64))


def run(
    body: bytes, *, entities: bool = False, metas: bool = False, compiled: bool = False
) -> tuple[bytes, list[int], int]:
    """The text of all blocks end to end, four numbers for each block, and the count of entities."""
    room = len(body) + len(body) // 2 + 16
    most = min(MOST_BLOCKS, len(body) // 4 + 2)
    options = (most, entities, metas, room)
    if compiled:
        import numpy as np

        out = np.empty(room, np.uint8)
        marks = np.empty(4 * most, np.int64)
        page = np.frombuffer(body, np.uint8)
        blocks, found, _ = strip.compiled(page, len(body), out, marks, *options, *tables(True))
        end = int(marks[4 * blocks - 3]) if blocks else 0
        return out[:end].tobytes(), marks[: 4 * blocks].tolist(), found
    text = bytearray(room)
    numbers = [0] * (4 * most)
    blocks, found, _ = strip.plain(body, len(body), text, numbers, *options, *tables(False))
    end = numbers[4 * blocks - 3] if blocks else 0
    return bytes(text[:end]), numbers[: 4 * blocks], found


def parse(body: bytes, *, entities: bool = False, metas: bool = False, compiled: bool = False) -> list[Block]:
    """The blocks of text of a page, in order; with ``entities`` their entities as UTF-8 bytes.

    With ``metas`` also what the page says of itself as its description and keywords.
    """
    text, marks, _ = run(body, entities=entities, metas=metas, compiled=compiled)
    return [Block(text[marks[k] : marks[k + 1]], marks[k + 2], marks[k + 3]) for k in range(0, len(marks), 4)]

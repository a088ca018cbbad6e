# cython: infer_types=True
"""The HTML parser over bytes: one pass, linear in the page, without decoding it."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

if cython.compiled:
    from cython.cimports.linksight.native.pages.byte_steps import copy, seek
    from cython.cimports.linksight.native.pages.entities import read
else:
    from linksight.native.pages.byte_steps import copy, seek
    from linksight.native.pages.entities import read

# Kinds of blocks, and what the parser does at a tag (see ``html.html_tags``).
_TITLE_BLOCK = cython.declare(cython.int, 1)
_META_BLOCK = cython.declare(cython.int, 3)
_INLINE = cython.declare(cython.int, 1)
_ANCHOR = cython.declare(cython.int, 2)
_TITLE = cython.declare(cython.int, 3)
_PLAINTEXT = cython.declare(cython.int, 4)
_META = cython.declare(cython.int, 5)
_RAW = cython.declare(cython.int, 8)
_STYLE = cython.declare(cython.int, 1)  # the numbers of script and style among raw elements are 0 and 1
# Hashes of attribute names and values, by ``html_tags.number_of``.
_NAME = cython.declare(cython.uint, 3373707)
_CONTENT = cython.declare(cython.uint, 146224249)
_DESCRIPTION = cython.declare(cython.uint, 154502140)
_KEYWORDS = cython.declare(cython.uint, 254713770)


@cython.cfunc
def _tag_action(
    body: cython.const[cython.uchar][::1],
    at: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    action: cython.const[cython.uchar][::1],
    high: cython.const[cython.uchar][::1],
    low: cython.const[cython.uchar][::1],
) -> tuple[cython.Py_ssize_t, cython.int]:
    """The end of the tag name that begins at ``at``, and the action for the tag."""
    value: cython.uint = 0
    d: cython.int
    place: cython.int
    j = at
    while j < size:
        d = body[j]
        if 65 <= d <= 90:
            d += 32
        elif not (97 <= d <= 122 or 48 <= d <= 57):
            break
        value = (value * 31 + d) & 0xFFFFFFF
        j += 1
    if j < size and body[j] > 32 and body[j] != 47 and body[j] != 60 and body[j] != 62:
        return j, 0  # a longer name, as of a custom element
    place = value & 1023
    while action[place]:
        if high[place] == ((value >> 8) & 255) and low[place] == (value & 255):
            return j, action[place]
        place = (place + 1) & 1023
    return j, 0


@cython.cfunc
def _skip_declaration(
    body: cython.const[cython.uchar][::1],
    i: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    comments: cython.bint,
) -> tuple[cython.Py_ssize_t, cython.bint]:
    """The end of the ``<!``, ``<?`` or ``</`` at ``i``; ``i`` itself if there is none.

    Also whether to look for further comments: not if this one never ends.
    """
    d: cython.int = 0
    if i + 1 < size:
        d = body[i + 1]
    if d == 33:  # !
        if comments and i + 3 < size and body[i + 2] == 45 and body[i + 3] == 45:
            j = i + 4
            if j < size and body[j] == 62:
                return j + 1, comments
            j = seek(body, j + 2, size, 62, 62)
            while j < size and not (body[j - 1] == 45 and body[j - 2] == 45):
                j = seek(body, j + 1, size, 62, 62)
            if j < size:
                return j + 1, comments
            comments = False  # it never ends: read on behind its first bracket
        elif i + 8 < size and body[i + 2] == 91 and body[i + 3] == 67 and body[i + 8] == 91:  # <![CDATA[
            return i + 9, comments
    elif d != 63 and d != 47:  # ? /
        return i, comments
    return seek(body, i + 2, size, 62, 62) + 1, comments


@cython.cfunc
def _bracket(
    body: cython.const[cython.uchar][::1],
    begun: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    quotes: cython.bint,
) -> tuple[cython.Py_ssize_t, cython.bint]:
    """The bracket that ends the tag: outside quoted values, as long as ``quotes`` are closed."""
    j = begun
    d: cython.int
    while quotes and j < size and body[j] != 62:
        d = body[j]
        j += 1
        if d == 61:  # =
            while j < size and body[j] <= 32:
                j += 1
            if j < size and (body[j] == 34 or body[j] == 39):
                j = seek(body, j + 1, size, body[j], body[j]) + 1
                quotes = j <= size  # after a quote that never closes, quotes have no meaning
    if not quotes:
        j = seek(body, begun, size, 62, 62)
    return j, quotes


@cython.cfunc
def _raw_end(
    body: cython.const[cython.uchar][::1],
    i: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    names: cython.const[cython.uchar][::1],
    number: cython.int,
) -> cython.Py_ssize_t:
    """The start of the end tag of raw element ``number``; -1 if there is none."""
    want: cython.int
    have: cython.int
    after: cython.int
    k: cython.int
    j = seek(body, i, size, 60, 60)
    while j + 1 < size:
        if body[j + 1] == 47:
            k = 0
            while k < 8:
                want = names[8 * number + k]
                if want == 0:
                    break
                have = 0
                if j + 2 + k < size:
                    have = body[j + 2 + k]
                if 65 <= have <= 90:
                    have += 32
                if have != want:
                    break
                k += 1
            if k == 8 or names[8 * number + k] == 0:
                after = 0
                if j + 2 + k < size:
                    after = body[j + 2 + k]
                if after <= 32 or after == 47 or after == 62:  # a longer name is another element
                    return j
        j = seek(body, j + 1, size, 60, 60)
    return -1


@cython.cfunc
def _next_tag(
    body: cython.const[cython.uchar][::1],
    begin: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    behind_tags: cython.bint,
) -> cython.Py_ssize_t:
    """The next ``<`` at ``begin``, at the start of a line or, with ``behind_tags``, behind a tag.

    Elsewhere in a program it is a comparison or in a string, and in a style sheet a picture.
    """
    i = seek(body, begin, size, 60, 60)
    while i < size and i > begin and body[i - 1] != 10 and body[i - 1] != 13:
        if behind_tags and body[i - 1] == 62:
            break
        i = seek(body, i + 1, size, 60, 60)
    return i


@cython.cfunc
def _meta_content(
    body: cython.const[cython.uchar][::1], begun: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> tuple[cython.Py_ssize_t, cython.Py_ssize_t]:
    """Start and end of the content of a meta tag that is a description or keywords; both 0 for another one."""
    is_text: cython.bint = False
    first: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = 0
    name: cython.uint
    value: cython.uint
    quote: cython.int
    j = begun
    while j < end:
        while j < end and (body[j] <= 32 or body[j] == 47):
            j += 1
        name = 0
        while j < end and body[j] > 32 and body[j] != 61:
            name = (name * 31 + (body[j] | 32)) & 0xFFFFFFF
            j += 1
        while j < end and body[j] <= 32:
            j += 1
        if j >= end or body[j] != 61:  # no value
            continue
        j += 1
        while j < end and body[j] <= 32:
            j += 1
        quote = 0
        if j < end and (body[j] == 34 or body[j] == 39):
            quote = body[j]
            j += 1
        begin = j
        value = 0
        while j < end and ((quote and body[j] != quote) or (not quote and body[j] > 32)):
            if name == _NAME:
                value = (value * 31 + (body[j] | 32)) & 0xFFFFFFF
            j += 1
        if name == _NAME and value in (_DESCRIPTION, _KEYWORDS):
            is_text = True
        elif name == _CONTENT:
            first, last = begin, j
        if quote:
            j += 1
    if is_text:
        return first, last
    return 0, 0


@cython.cfunc
@cython.inline
def _add_block(
    marks: cython.int[::1],
    blocks: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    in_links: cython.Py_ssize_t,
    kind: cython.int,
) -> cython.Py_ssize_t:
    """Record a block, if it has text; returns the number of blocks."""
    if end <= start:
        return blocks
    marks[4 * blocks] = start
    marks[4 * blocks + 1] = end
    marks[4 * blocks + 2] = in_links
    marks[4 * blocks + 3] = kind
    return blocks + 1


@cython.cfunc
@cython.inline
def _put_space(out: cython.uchar[::1], o: cython.Py_ssize_t, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Write a space, except at the start of a block and behind another one; returns the next place."""
    if o > start and out[o - 1] != 32:
        out[o] = 32
        return o + 1
    return o


@cython.cfunc
@cython.inline
def _put(out: cython.uchar[::1], o: cython.Py_ssize_t, point: cython.int) -> cython.Py_ssize_t:
    """Write a character in UTF-8; returns the next place."""
    if point < 0x80:
        out[o] = point
        return o + 1
    if point < 0x800:
        out[o] = 0xC0 | (point >> 6)
        out[o + 1] = 0x80 | (point & 63)
        return o + 2
    if point < 0x10000:
        out[o] = 0xE0 | (point >> 12)
        out[o + 1] = 0x80 | ((point >> 6) & 63)
        out[o + 2] = 0x80 | (point & 63)
        return o + 3
    out[o] = 0xF0 | (point >> 18)
    out[o + 1] = 0x80 | ((point >> 12) & 63)
    out[o + 2] = 0x80 | ((point >> 6) & 63)
    out[o + 3] = 0x80 | (point & 63)
    return o + 4


@cython.ccall
def scan(
    body: cython.const[cython.uchar][::1],
    out: cython.uchar[::1],
    marks: cython.int[::1],
    entities: cython.bint,
    metas: cython.bint,
    enough: cython.Py_ssize_t,
    tables,
):
    """Write the text into ``out`` and (start, end, bytes in links, kind) of each block into ``marks``.

    The scan stops after ``enough`` bytes of text outside links, or when ``marks`` is full. Returns the number of
    blocks, of converted entities, and of those that begin a tag; and the bytes of text outside links and metas.
    ``out`` must be half as long again as ``body``, as a short entity can stand for a longer character.
    """
    action: cython.const[cython.uchar][::1] = tables[0]
    high: cython.const[cython.uchar][::1] = tables[1]
    low: cython.const[cython.uchar][::1] = tables[2]
    raw_names: cython.const[cython.uchar][::1] = tables[3]
    keys: cython.const[cython.uint][::1] = tables[4]
    points: cython.const[cython.uint][::1] = tables[5]
    size: cython.Py_ssize_t = len(body)
    most_blocks: cython.Py_ssize_t = len(marks) // 4
    i: cython.Py_ssize_t = 0  # the next byte to read
    o: cython.Py_ssize_t = 0  # the next byte to write
    start: cython.Py_ssize_t = 0  # of the block in ``out``
    at: cython.Py_ssize_t
    end: cython.Py_ssize_t
    begun: cython.Py_ssize_t
    blocks: cython.Py_ssize_t = 0
    found: cython.Py_ssize_t = 0
    escaped: cython.Py_ssize_t = 0
    running: cython.Py_ssize_t = 0
    link_from: cython.Py_ssize_t = 0
    link_bytes: cython.Py_ssize_t = 0
    in_link: cython.bint = False
    closing: cython.bint
    dead: cython.uint = 0  # raw elements that are never closed again
    kind: cython.int = 0
    what: cython.int
    number: cython.int
    c: cython.int
    point: cython.int
    second: cython.int
    quotes: cython.bint = True
    comments: cython.bint = True
    # The end of the text, and where the scan goes on behind it: in a meta tag, its content and the tag's end.
    stop: cython.Py_ssize_t = size
    behind: cython.Py_ssize_t = size
    while blocks < most_blocks:
        if i >= stop:
            if stop == size:
                break
            i, stop = max(i, behind), size
            if o > start and out[o - 1] == 32:
                o -= 1
            blocks = _add_block(marks, blocks, start, o, 0, _META_BLOCK)
            start = o
            continue
        # Text up to the next ``<`` or ``stop``; white space becomes one space, entities characters.
        while i < stop:
            c = body[i]
            if c > 62 or (c < 60 and c != 38 and c > 32):
                out[o] = c
                at = copy(body, i + 1, stop, out, o + 1)
                i, o = i + 1 + at, o + 1 + at
                continue
            if c <= 32:
                o = _put_space(out, o, start)
                i = seek(body, i + 1, stop, 33, 255)
                continue
            if c == 60:
                break
            if c == 38 and entities:
                point, second, end = read(body, i, size, keys, points)
                if point >= 0:
                    found += 1
                    if point == 60 and end < size and (97 <= body[end] <= 122 or body[end] == 47):
                        escaped += 1
                    i = end
                    if point == 0xA0 or point <= 32:
                        o = _put_space(out, o, start)
                        continue
                    o = _put(out, o, point)
                    if second:
                        o = _put(out, o, second)
                    continue
            out[o] = c  # & or > or =
            o += 1
            i += 1
        if i >= stop:
            continue
        closing = i + 1 < size and body[i + 1] == 47
        at = i + 2 if closing else i + 1
        if not (at < size and (97 <= body[at] <= 122 or 65 <= body[at] <= 90)):
            end, comments = _skip_declaration(body, i, size, comments)
            if end == i:  # a bracket that begins nothing is text
                out[o] = 60
                end, o = i + 1, o + 1
            i = end
            continue
        begun, what = _tag_action(body, at, size, action, high, low)
        i, quotes = _bracket(body, begun, size, quotes)
        i += 1
        if what == _INLINE:
            continue
        if what == _ANCHOR:
            if in_link:
                link_bytes += o - link_from
            in_link, link_from = not closing, o
            continue
        # The tag ends a block.
        if o > start and out[o - 1] == 32:
            o -= 1
        if in_link:
            link_bytes, link_from = link_bytes + max(0, o - link_from), o
        if o > start:
            blocks = _add_block(marks, blocks, start, o, link_bytes, kind)
            running += o - start - link_bytes
            start = o
            if running > enough:
                return blocks, found, escaped, running
        link_bytes = 0
        kind = _TITLE_BLOCK if what == _TITLE and not closing else 0
        if closing:
            continue
        if what == _META and metas and stop == size:
            at, end = _meta_content(body, begun, i - 1)
            if end > at:
                behind, i, stop = i, at, end
        elif what == _PLAINTEXT:  # the rest is text
            while i < size:
                if body[i] > 32:
                    out[o] = body[i]
                    o += 1
                else:
                    o = _put_space(out, o, start)
                i += 1
        elif what >= _RAW:
            number = what - _RAW
            end = -1
            if not (dead >> number) & 1:
                end = _raw_end(body, i, size, raw_names, number)
            if end >= 0:
                i = end
            else:
                dead |= 1 << number
                if number <= _STYLE:  # a page that was cut inside a program
                    i = _next_tag(body, i, size, number < _STYLE)
    if blocks < most_blocks:
        if o > start and out[o - 1] == 32:
            o -= 1
        if in_link:
            link_bytes += max(0, o - link_from)
        if o > start:
            running += o - start - link_bytes
        blocks = _add_block(marks, blocks, start, o, link_bytes, kind)
    return blocks, found, escaped, running

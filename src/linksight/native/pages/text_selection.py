# cython: infer_types=True
"""The text of a page that is read, and in which order; see ``html.text_selection`` for the phases."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from linksight.native import cython_shim as cython

# Kinds of blocks, characters that end a line, and phases of reading.
_BODY = cython.declare(cython.int, 0)
_TITLE = cython.declare(cython.int, 1)
_RUNNING = cython.declare(cython.int, 2)
_META = cython.declare(cython.int, 3)
_LATIN_LINE = cython.declare(cython.int, 10)
_OTHER_LINE = cython.declare(cython.int, 11)
_FIRST = cython.declare(cython.int, 0)
_LARGEST = cython.declare(cython.int, 1)
_SPREAD = cython.declare(cython.int, 2)  # of running text: blocks all over the page, more of them, the rest
_METAS = cython.declare(cython.int, 5)
_LAST = cython.declare(cython.int, 6)
_PHASES = cython.declare(cython.int, 7)
_CODE = cython.declare(cython.int, 8)  # of blocks that are left out
_COARSE = cython.declare(cython.int, 8)  # blocks of the first of these, and of the first two
_FINE = cython.declare(cython.int, 32)
# Sizes in bytes: of a line, of a menu block, of the part searched for cookies.
_PART = cython.declare(cython.int, 300)
_SHORT = cython.declare(cython.int, 200)
_CHUNK = cython.declare(cython.int, 400)  # of menu blocks that are read or left out together
_BANNER = cython.declare(cython.int, 400)
_SIGNS_OF_CODE = cython.declare(cython.int, 20)  # one sign in so many bytes makes a block code
_PROSE = cython.declare(cython.int, 200)  # bytes of prose beside which code is left out
_NEAR = cython.declare(cython.int, 12)  # blocks searched for a repetition
_FEW = cython.declare(cython.int, 100)  # characters; a page with no more is read with its repetitions


@cython.cfunc
def _is_banner(out: cython.uchar[::1], start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether a block is about cookies: such banners are in the language of the visitor or the server."""
    i: cython.Py_ssize_t
    for i in range(start + 2, min(end, start + _BANNER) - 1):
        if out[i] == 107 and out[i + 1] == 105 and out[i - 1] == 111 and out[i - 2] == 111:  # ooki
            return True
    return False


@cython.cfunc
def _spread_phase(number: cython.int, running: cython.int) -> cython.int:
    """The phase of one of so many blocks of running text: all parts of the page are read, whatever its order."""
    coarse: cython.int = max(1, running // _COARSE)
    fine: cython.int = max(1, running // _FINE)
    if number % coarse == coarse // 2:
        return _SPREAD
    return _SPREAD + 1 if number % fine == fine // 2 else _SPREAD + 2


@cython.cfunc
def _is_filler(out: cython.uchar[::1], start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether a block is "Lorem ipsum dolor sit amet", which stands where a text is still to be written."""
    i: cython.Py_ssize_t
    for i in range(start, min(end, start + _BANNER) - 8):
        if out[i] == 115 and out[i + 1] == 105 and out[i + 2] == 116 and out[i + 3] == 32:  # sit amet
            if out[i + 4] == 97 and out[i + 5] == 109 and out[i + 6] == 101 and out[i + 7] == 116:
                return True
    return False


@cython.cfunc
def _is_code(out: cython.uchar[::1], start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether a block has the signs of a program or of data: more braces, quotes and the like than prose has."""
    signs: cython.int = 0
    i: cython.Py_ssize_t
    last: cython.Py_ssize_t = min(end, start + _BANNER)
    for i in range(start, last):
        # " ; = [ \ ] _ { | }
        if (
            out[i] == 34
            or out[i] == 59
            or out[i] == 61
            or (out[i] >= 91 and out[i] <= 95 and out[i] != 94)
            or (out[i] >= 123 and out[i] <= 125)
        ):
            signs += 1
    return signs * _SIGNS_OF_CODE > last - start and signs > 3


@cython.cfunc
def _is_running(
    out: cython.uchar[::1], start: cython.Py_ssize_t, end: cython.Py_ssize_t, in_links: cython.Py_ssize_t
) -> cython.bint:
    """Whether a block is running text: long, hardly links, with spaces or not in Latin letters."""
    i: cython.Py_ssize_t
    own: cython.Py_ssize_t = end - start - in_links
    if own < 60 or own * 2 <= end - start or _is_banner(out, start, end):
        return False
    for i in range(start, min(end, start + 240)):
        if out[i] == 32 or out[i] > 127:
            return True
    return False


@cython.cfunc
def _assign_phases(
    out: cython.uchar[::1], marks: cython.int[::1], blocks: cython.Py_ssize_t, enough: cython.Py_ssize_t
) -> tuple[cython.Py_ssize_t, cython.Py_ssize_t]:
    """Tell running text from menus; write the phase of each block over its bytes in links.

    Returns how many further bytes of the largest block there is room for, and the bytes of the menus.
    """
    largest: cython.Py_ssize_t = -1
    largest_size: cython.Py_ssize_t = 0
    running: cython.int = 0
    number: cython.int = 0
    kind: cython.int
    titled: cython.bint = False
    spare: cython.Py_ssize_t = enough
    menus: cython.Py_ssize_t = 0
    prose: cython.Py_ssize_t = 0
    b: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    own: cython.Py_ssize_t
    for b in range(blocks):
        start, end = marks[4 * b], marks[4 * b + 1]
        own = end - start - marks[4 * b + 2]
        kind = marks[4 * b + 3]
        spare -= min(_PART, end - start)
        if kind == _TITLE and titled:  # a feed has a title for every entry
            marks[4 * b + 3] = kind = _BODY
        titled = titled or kind == _TITLE
        if kind == _BODY and (_is_code(out, start, end) or _is_filler(out, start, end)):
            marks[4 * b + 2] = _CODE
            continue
        prose += end - start
        if kind == _BODY and _is_running(out, start, end, marks[4 * b + 2]):
            marks[4 * b + 3] = kind = _RUNNING
            running += 1
            if own > largest_size:
                largest, largest_size = b, own
        marks[4 * b + 2] = _FIRST if kind == _TITLE else _METAS if kind == _META else _LAST
        if kind == _BODY:
            menus += min(_SHORT, end - start) + 1
    for b in range(blocks):
        if marks[4 * b + 2] == _CODE and prose < _PROSE and marks[4 * b + 3] == _BODY:
            marks[4 * b + 2] = _LAST
            menus += min(_SHORT, marks[4 * b + 1] - marks[4 * b]) + 1
        if marks[4 * b + 3] == _RUNNING:
            marks[4 * b + 2] = _LARGEST if b == largest else _spread_phase(number, running)
            number += 1
    return max(0, spare), menus


@cython.cfunc
@cython.inline
def _is_invisible(c: cython.uint, joins: cython.bint) -> cython.bint:
    """Whether a character has no width: soft hyphens, zero-width spaces, marks of direction, byte order marks.

    Behind letters from Hebrew on (``joins``) the two joiners are spelling.
    """
    if c < 0x2000:
        return c == 0xAD or c == 0x180E
    if 0x200B <= c < 0x2010:
        return not (joins and (c == 0x200C or c == 0x200D))
    return 0x202A <= c < 0x202F or 0x2060 <= c < 0x2070 or c == 0xFEFF


@cython.cfunc
def _copy_lower(
    out: cython.uchar[::1],
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    lower: cython.const[cython.ushort][::1],
    script_of: cython.const[cython.uchar][::1],
    points: cython.uint[::1],
    at: cython.Py_ssize_t,
    tally: cython.int[::1],
    words: cython.int[::1],
) -> tuple[cython.Py_ssize_t, cython.bint, cython.bint]:
    """Write the characters of ``out[begin:end]`` in lower case; count letters by script, words and capitals.

    Returns the next place, whether most letters are Latin, and whether decomposed or compatibility forms occur.
    """
    latin_script: cython.int = script_of[97]
    # Local counts: letters of one script follow one another.
    latin: cython.int = 0
    other: cython.int = 0
    run: cython.int = 0
    run_script: cython.int = 0
    capitals: cython.int = 0
    begun: cython.int = 0
    letter: cython.bint
    begins: cython.bint
    script: cython.int
    c: cython.uint
    small: cython.uint
    loose: cython.bint = False
    inside: cython.bint = False
    first: cython.Py_ssize_t = at
    i: cython.Py_ssize_t = begin
    while i < end:
        c = out[i]
        i += 1
        if c == 58 and i + 1 < end and out[i] == 47 and out[i + 1] == 47:  # an address is no text
            while at > first and 97 <= points[at - 1] <= 122:
                at -= 1
                latin -= 1
            # Dashes, quotes and East Asian characters end it.
            while i < end and 32 < out[i] < 0xE2:
                i += 1
            continue
        if c < 0x80:  # without a branch: no processor predicts where words begin
            letter = script_of[c] == latin_script
            begins = letter & (not inside)
            begun += begins
            capitals += begins & (c < 97)
            latin += letter
            inside = letter
            points[at] = lower[c]
            at += 1
            continue
        if c >= 0xF0:
            if i + 2 >= end:
                break
            c = ((c & 7) << 18) | ((out[i] & 63) << 12) | ((out[i + 1] & 63) << 6) | (out[i + 2] & 63)
            if c >= 0x110000:  # damaged bytes
                c = 0xFFFD
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
        # Accents, parts of Korean syllables, presentation forms, full-width and mathematical letters.
        if (
            0x300 <= c < 0x370
            or 0x1100 <= c < 0x1200
            or 0xFB50 <= c < 0xFC00
            or 0xFE70 <= c < 0xFEFF
            or 0xFF21 <= c < 0xFF3B
            or 0xFF41 <= c < 0xFF5B
            or 0xFF66 <= c < 0xFFA0
            or 0x1D400 <= c < 0x1D800
        ):
            loose = True
        elif 0x591 <= c <= 0x652 and (c <= 0x5C7 or c >= 0x64B or c == 0x640) and c != 0x5BE:
            continue  # vowel signs of Hebrew and Arabic, which most writers leave out
        elif _is_invisible(c, at > first and points[at - 1] >= 0x590):
            continue
        if c < 65536:
            script = script_of[c]
            small = lower[c]
            if script == 0:
                inside = False
            else:
                if not inside:
                    begun += 1
                    capitals += small != c
                    inside = True
                if script == latin_script:
                    latin += 1
                else:
                    if script != run_script:
                        tally[run_script] += run
                        other += run
                        run_script, run = script, 0
                    run += 1
            c = small
        elif c >= 0x20000:
            tally[script_of[0x4E00]] += 1
            other += 1
        points[at] = c
        at += 1
    tally[latin_script] += latin
    tally[run_script] += run
    words[0] += begun
    words[1] += capitals
    return at, latin > 2 * (other + run), loose


@cython.cfunc
def _line_end(out: cython.uchar[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The end of a line that begins at ``begin``: not inside a character or, where there are spaces, a word."""
    if end - begin <= _PART + _PART // 2:
        return end
    stop: cython.Py_ssize_t = begin + _PART
    i: cython.Py_ssize_t
    for i in range(stop, stop + 40):
        if out[i] == 32:
            return i
    while out[stop] & 0xC0 == 0x80:
        stop += 1
    return stop


@cython.cfunc
def _is_repetition(out: cython.uchar[::1], marks: cython.int[::1], b: cython.Py_ssize_t) -> cython.bint:
    """Whether a short block has the letters of a recent one: the same button under every article of a list.

    Overwrites the phase of the block, which is not needed again, with a hash of its letters.
    """
    own: cython.uint = 17
    i: cython.Py_ssize_t
    before: cython.Py_ssize_t
    for i in range(marks[4 * b], min(marks[4 * b + 1], marks[4 * b] + _SHORT)):
        if out[i] > 64:
            own = (own * 31 + out[i]) & 0xFFFFFF
    marks[4 * b + 2] = own
    for before in range(max(0, b - _NEAR), b):
        if marks[4 * before + 3] == _BODY and marks[4 * before + 2] == own:
            return True
    return False


@cython.ccall
def select(
    out: cython.uchar[::1],
    marks: cython.int[::1],
    blocks: cython.Py_ssize_t,
    enough: cython.Py_ssize_t,
    lower: cython.const[cython.ushort][::1],
    script_of: cython.const[cython.uchar][::1],
    points: cython.uint[::1],
    tally: cython.int[::1],
    words: cython.int[::1],
):
    """Write the most telling text into ``points``, lower-cased, in lines, and count letters and words.

    Returns the number of characters, of those in title and running text, which come first, and whether decomposed
    or compatibility forms occur.
    """
    words[0] = words[1] = 0
    k: cython.Py_ssize_t
    for k in range(len(tally)):
        tally[k] = 0
    spare: cython.Py_ssize_t
    menus: cython.Py_ssize_t
    spare, menus = _assign_phases(out, marks, blocks, enough)
    # Of long menus every so many bytes are read, from all parts of the page.
    passed: cython.Py_ssize_t = 0
    every: cython.Py_ssize_t = 1
    count: cython.Py_ssize_t = 0
    used: cython.Py_ssize_t = 0
    short: cython.Py_ssize_t = 0
    begun: cython.Py_ssize_t
    first: cython.Py_ssize_t
    i: cython.Py_ssize_t
    b: cython.Py_ssize_t
    end: cython.Py_ssize_t
    most: cython.Py_ssize_t
    phase: cython.int
    mark: cython.int
    last: cython.int = _LATIN_LINE
    loose: cython.bint = False
    own_loose: cython.bint
    is_latin: cython.bint
    prose: cython.Py_ssize_t = -1
    for phase in range(_PHASES):
        if phase == _METAS:
            prose = count
        if phase == _LAST:
            every = 1 + menus // (enough - used + 1)
        most = _PART + spare if phase == _LARGEST else _SHORT if phase == _LAST else _PART
        for b in range(blocks):
            if marks[4 * b + 2] != phase:
                continue
            if phase == _LAST and _is_repetition(out, marks, b) and count > _FEW:
                continue
            i = marks[4 * b]
            end = min(marks[4 * b + 1], i + most)
            if phase == _LAST:
                passed += end - i + 1
                if (passed // _CHUNK) % every:
                    continue
            while i < end:
                begun = i
                i = _line_end(out, begun, end)
                used += i - begun + 1
                first = count
                count, is_latin, own_loose = _copy_lower(
                    out, begun, i, lower, script_of, points, count, tally, words
                )
                loose = loose or own_loose
                # Short blocks share a line, too little each to be judged alone, if all are in Latin letters or none is.
                mark = _LATIN_LINE if is_latin else _OTHER_LINE
                if short and mark != last:
                    points[first - 1] = last
                    short = 0
                short += i - begun
                last = mark
                if phase == _LAST and short < 80:
                    points[count] = 32
                else:
                    points[count] = mark
                    short = 0
                count += 1
                if used >= enough:
                    if short:
                        points[count - 1] = last
                    return count, prose if prose >= 0 else count, loose
    if short:  # the last line ends like the others, with the mark of its script
        points[count - 1] = last
    return count, prose, loose

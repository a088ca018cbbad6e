"""Which text of a page is read, and in which order: what tells most comes first.

The title, the largest block, running text from all over the page, what the page says of itself in its meta tags, and
then the rest. A kernel, see ``compiled``.
"""

from __future__ import annotations

from typing import Any

from linksight.pages.html.scanner import BODY, META, TITLE
from linksight.pages.jit.compile_on_demand import Kernel

RUNNING = 2  #: the kind of a block that is long enough and hardly links
PART = 300  #: bytes of a block that are read at first, and of a line
LATIN_LINE, OTHER_LINE = 10, 11  #: the characters that end a line, by its letters
SHORT = 200  #: bytes of a block of a menu that are read
BANNER = 400  #: bytes of a block in which cookies are looked for
NEAR = 12  #: blocks back to which the same one is looked for
FEW = 100  #: characters; a page with no more than these is read with all its repetitions
#: Phases of reading: the title, the largest block, eight of running text, meta tags, and the rest.
FIRST, LARGEST, METAS, LAST = 0, 1, 10, 11
PHASES = LAST + 1
#: The phase of a block of running text by its number: so that all parts of the page are soon seen.
_IN_TURN = (2, 6, 4, 8, 3, 7, 5, 9)


def _is_banner(out: Any, start: int, end: int) -> bool:
    """Whether a block speaks of cookies: what is laid over pages is in the language of whoever asks, or of the server."""
    for i in range(start + 2, min(end, start + BANNER) - 1):
        if out[i] == 107 and out[i + 1] == 105 and out[i - 1] == 111 and out[i - 2] == 111:  # ooki
            return True
    return False


is_banner_: Any = _is_banner


def _sort(out: Any, marks: Any, blocks: int, enough: int) -> int:
    """Tells running text from menus, and writes down in which phase each block is read.

    In ``marks`` that takes the place of the bytes in links. Returns how many bytes more of the largest block there is room for.
    """
    largest = -1
    largest_size = 0
    running = 0
    titled = False
    spare = enough
    for b in range(blocks):
        start, end = marks[4 * b], marks[4 * b + 1]
        own = end - start - marks[4 * b + 2]
        kind = marks[4 * b + 3]
        spare -= min(PART, end - start)
        if kind == TITLE and titled:  # a feed has a title for every entry
            marks[4 * b + 3] = kind = BODY
        titled = titled or kind == TITLE
        marks[4 * b + 2] = FIRST if kind == TITLE else METAS if kind == META else LAST
        if kind == BODY and own >= 60 and own * 2 > end - start and not is_banner_(out, start, end):
            spaced = False
            for i in range(start, min(end, start + 240)):
                if out[i] == 32 or out[i] > 127:
                    spaced = True
                    break
            if spaced:
                marks[4 * b + 3] = RUNNING
                marks[4 * b + 2] = _IN_TURN[running % 8]
                running += 1
                if own > largest_size:
                    largest, largest_size = b, own
    if largest >= 0:
        marks[4 * largest + 2] = LARGEST
    return max(0, spare)


def _copy(
    out: Any, begin: int, end: int, lower: Any, script_of: Any, points: Any, at: int, tally: Any, words: Any
) -> tuple[int, bool, bool]:
    """Writes the characters of ``out[begin:end]`` in lower case and counts letters by script.

    ``words`` takes how many words there are, and how many of them begin with a capital.
    Returns where the next character goes, whether its letters are Latin, and whether accents stand alone or the like.
    """
    latin_script = script_of[97]
    # Counted here and not in the arrays: letters of one script follow one another, and memory would wait for each.
    latin = other = run = capitals = begun = 0
    run_script = 0
    loose = inside = False
    first = at
    i = begin
    while i < end:
        c = out[i]
        i += 1
        if c == 58 and i + 1 < end and out[i] == 47 and out[i + 1] == 47:  # an address is no text
            while at > first and 97 <= points[at - 1] <= 122:
                at -= 1
                latin -= 1
            # Beyond are dashes and quotes, and Chinese, Japanese, Korean.
            while i < end and 32 < out[i] < 0xE2:
                i += 1
            continue
        if c < 0x80:  # without a branch, as no processor foresees where words begin
            letter = script_of[c] == latin_script
            begins = letter & (not inside)
            begun += begins
            capitals += begins & (c < 97)
            latin += letter
            inside = letter
            points[at] = lower[c]
            at += 1
            continue
        if c >= 0x80:
            if c >= 0xF0:
                if i + 2 >= end:
                    break
                c = ((c & 7) << 18) | ((out[i] & 63) << 12) | ((out[i + 1] & 63) << 6) | (out[i + 2] & 63)
                c = c if c < 0x110000 else 0xFFFD  # beyond the last character: damaged bytes
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
            # Accents, the parts of Korean syllables, Arabic letters by their shapes, as converters of PDF leave them, and
            # half-width kana, as early telephones showed them.
            if (
                0x300 <= c < 0x370
                or 0x1100 <= c < 0x1200
                or 0xFB50 <= c < 0xFC00
                or 0xFE70 <= c < 0xFEFF
                or 0xFF66 <= c < 0xFFA0
            ):
                loose = True
            elif 0x591 <= c <= 0x652 and (c <= 0x5C7 or c >= 0x64B or c == 0x640) and c != 0x5BE:
                continue  # vowel signs of Hebrew and Arabic, which most writers leave out
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


def _part_end(out: Any, begin: int, end: int) -> int:
    """Where a line ends that begins at ``begin``: not inside a character or, where there are spaces, a word."""
    if end - begin <= PART + PART // 2:
        return end
    stop = begin + PART
    for i in range(stop, stop + 40):
        if out[i] == 32:
            return i
    while out[stop] & 0xC0 == 0x80:
        stop += 1
    return stop


def _is_again(out: Any, marks: Any, b: int) -> bool:
    """Whether a short block has the letters of one just before: the same button under every article of a list.

    In ``marks`` of the block a sum of its letters takes the place of its phase, which nobody asks for any more.
    """
    own = 17
    for i in range(marks[4 * b], min(marks[4 * b + 1], marks[4 * b] + SHORT)):
        if out[i] > 64:
            own = (own * 31 + out[i]) & 0xFFFFFF
    marks[4 * b + 2] = own
    for before in range(max(0, b - NEAR), b):
        if marks[4 * before + 3] == BODY and marks[4 * before + 2] == own:
            return True
    return False


sort_: Any = _sort
is_again_: Any = _is_again
copy_: Any = _copy
part_end_: Any = _part_end


def _choose(
    out: Any, marks: Any, blocks: int, enough: int, lower: Any, script_of: Any, points: Any, tally: Any, words: Any, ends: Any
) -> tuple[int, bool]:  # fmt: skip
    """Writes the text that tells most into ``points``, lower-cased, in lines, and counts letters and words.

    ``ends`` takes where each phase ended. Returns how many characters were written, and whether accents stand alone.
    """
    words[0] = words[1] = 0
    spare = sort_(out, marks, blocks, enough)
    count = used = short = 0
    loose = False
    last = LATIN_LINE
    for phase in range(PHASES):
        most = PART + spare if phase == LARGEST else SHORT if phase == LAST else PART
        for b in range(blocks):
            if marks[4 * b + 2] != phase or (phase == LAST and is_again_(out, marks, b) and count > FEW):
                continue
            i = marks[4 * b]
            end = min(marks[4 * b + 1], i + most)
            while i < end:
                begun = i
                i = part_end_(out, begun, end)
                used += i - begun + 1
                first = count
                count, is_latin, own_loose = copy_(
                    out, begun, i, lower, script_of, points, count, tally, words
                )
                loose |= own_loose
                # Short blocks share a line, too little each to be judged alone, if all are in Latin letters or none is.
                mark = LATIN_LINE if is_latin else OTHER_LINE
                if short and mark != last:
                    points[first - 1] = last
                    short = 0
                short += i - begun
                last = mark
                if phase == LAST and short < 80:
                    points[count] = 32
                else:
                    points[count] = mark
                    short = 0
                count += 1
                if used >= enough:
                    for left in range(phase, PHASES):
                        ends[left] = count
                    if short:
                        points[count - 1] = last
                    return count, loose
        ends[phase] = count
    if short:  # the last line ends like the others, or nobody would know its letters
        points[count - 1] = last
    return count, loose


choose = Kernel(
    _choose,
    sort_=Kernel(_sort, is_banner_=Kernel(_is_banner)),
    is_again_=Kernel(_is_again),
    copy_=Kernel(_copy),
    part_end_=Kernel(_part_end),
)

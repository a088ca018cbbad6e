"""From the bytes of a page in UTF-8 to scores of classes, in one compiled pass.

Parse, choose the text that tells most, lower its letters, look its n-grams up, weigh the lines. It stops reading
when one language is far ahead: the first kilobytes settle most pages. Everything that it is made of
is also plain Python, see ``compiled``.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any, NamedTuple

from linksight.pages import choice, markup, neighbours, ngrams, scripts, weighing
from linksight.pages.compiled import Kernel
from linksight.pages.model import PageModel
from linksight.pages.weighing import Emphasis

ENOUGH = 3_000  #: bytes of text that are read at most
TOP = 8  #: classes that are handed back, the best first
#: Bytes of running text after which parsing stops: at first, and if that settled nothing.
PARSED = (1_500, 6_000)
ENGLISH_LEAD = 200.0  #: natural logarithms by which English must be ahead for the first of these to do

EVEN = Emphasis()

strip_: Any = markup.strip.plain
choose_: Any = choice.choose.plain
rule_: Any = weighing.rule.plain
score_: Any = weighing.score.plain
weigh_: Any = weighing.weigh.plain
emphasise_: Any = weighing.emphasise.plain
best_: Any = weighing.best.plain
elsewhere_: Any = weighing.elsewhere.plain


def _page(
    body: Any, size: int, out: Any, marks: Any, most_blocks: int, parsed: int, tags_action: Any, tags_high: Any, tags_low: Any,
    raw_names: Any, names_key: Any, names_at: Any, lower: Any, script_of: Any, letters: Any, slots: Any, pairs: Any, classes: int,
    language_of: Any, step: float, bias: Any, english: int, latin: Any, parts: Any, favour: Any, enough: int, metas: bool,
    title: float, hard: float, points: Any, tally: Any, keys: Any, scores: Any, lines: Any, sizes: Any, latin_lines: Any, begins: Any, ends: Any, words: Any, ruled: Any, plain: Any,
    mixed: Any, top: Any, values: Any, info: Any,
) -> None:  # fmt: skip
    """Reads a page; ``top`` and ``values`` take the best classes, ``tally`` letters by script, ``info`` the counts.

    ``info``: characters, letters, features, known features, lines, loose accents, blocks, entities, escaped tags,
    bytes of running text, features of lines in another language than the best, characters that were read before
    it stopped, and whether it stopped because one language was far ahead.
    """
    blocks, found, escaped = strip_(
        body, size, out, marks, most_blocks, True, metas, parsed, tags_action, tags_high, tags_low, raw_names, names_key, names_at
    )  # fmt: skip
    running = 0
    for b in range(blocks):
        if marks[4 * b + 3] != markup.META:
            running += marks[4 * b + 1] - marks[4 * b] - marks[4 * b + 2]
    for k in range(len(tally)):
        tally[k] = 0
    length, loose = choose_(out, marks, blocks, enough, lower, script_of, points, tally, words, ends)
    whole = rule_(tally, parts, favour, ruled, plain)
    line, features, known, stopped, settled = score_(
        points, length, letters, slots, pairs, classes, language_of, step, bias, english, latin, keys, scores, lines,
        sizes, latin_lines, plain, begins, ends, title,
    )  # fmt: skip
    if weigh_(lines, sizes, line, classes, english, latin, latin_lines, ruled, plain, mixed):
        emphasise_(mixed, lines, line, classes, language_of, begins, ends, hard)
        best_(mixed, classes, top, values)
    else:
        emphasise_(plain, lines, line, classes, language_of, begins, ends, hard)
        best_(plain, classes, top, values)
    info[0], info[1], info[2], info[3], info[4] = length, whole, features, known, line
    info[5], info[6], info[7], info[8], info[9] = loose, blocks, found, escaped, running
    info[10] = elsewhere_(lines, sizes, line, classes, language_of, ruled, top[0])
    info[11], info[12] = stopped, settled


page = Kernel(
    _page, strip_=markup.strip, choose_=choice.choose, rule_=weighing.rule, score_=weighing.score, weigh_=weighing.weigh,
    emphasise_=weighing.emphasise, best_=weighing.best, elsewhere_=weighing.elsewhere,
)  # fmt: skip


class Reading(NamedTuple):  # quicker to make than a dataclass, once a page
    """What a page says: classes with their totals, the best first, and what was counted on the way."""

    best: list[tuple[int, float]]  #: number of the class, natural logarithms
    letters: dict[str, int]  #: by script
    characters: int  #: letters, signs and spaces
    read: int  #: how many of them it took
    features: int
    known: int  #: features that the model knows
    words: int
    capitals: int  #: words that begin with a capital
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
        """out, marks, then what ``_page`` takes from points to info."""
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
            "float32 ": (weighing.LINES * self.classes,),
            "int64 ": (weighing.LINES, weighing.LINES, weighing.LINES, choice.PHASES, 2),
            "float32": (self.classes,) * 3,
            "int64  ": (TOP,),
            "float64 ": (TOP,),
            "int64   ": (13,),
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
    language_of = list(model.language_numbers)
    parts = []
    for name in model.scripts:
        own = [
            scripts.NAMES.index(part) for part in scripts.PARTS.get(name, (name,)) if part in scripts.NAMES
        ]
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
    rows = tuple(np.array(row, np.int32) for row in (language_of, latin, parts))
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


def _is_english(top: Any, values: Any, model: PageModel) -> bool:
    """Whether English is so far ahead that a page is not likely to go on in another language."""
    lead = next((values[0] - values[t] for t in range(1, TOP) if model.codes[top[t]] != "en"), 0.0)
    return model.codes[top[0]] == "en" and bool(lead > ENGLISH_LEAD)


def _run(
    body: bytes, model: PageModel, favour: Any, compiled: bool, emphasis: Emphasis, arrays: tuple[Any, ...]
) -> list[int]:
    """Reads into ``arrays`` until it settles something or the page is at its end; returns what ``info`` has."""
    top, values, info = arrays[-3:]
    head: Any = body
    before = favour
    if compiled:
        import numpy as np

        head = np.frombuffer(body, np.uint8)
        before = before.astype(np.float32, copy=False)
    else:
        before = before.tolist()
    kernel = page.compiled if compiled else page.plain
    marked, known = _tables(model, compiled)
    given = (*marked, *known, before, ENOUGH, emphasis.metas, float(emphasis.title), float(emphasis.hard))
    numbers: list[int] = []
    for parsed in PARSED:
        kernel(head, len(body), *arrays[:2], markup.MOST_BLOCKS, parsed, *given, *arrays[2:])
        numbers = _listed(info)
        # Settled, or the whole page was read, or all that was read is English by far.
        if numbers[12] or numbers[9] <= parsed or (not numbers[10] and _is_english(top, values, model)):
            break
    return numbers


def _listed(numbers: Any) -> list[Any]:
    """Numbers of an array or a list as a list: one by one an array gives them slowly."""
    return list(numbers) if isinstance(numbers, list) else numbers.tolist()


def _by_script(tally: Any) -> dict[str, int]:
    """Letters by script, of the few that occur."""
    if isinstance(tally, list):
        return {scripts.NAMES[k]: count for k, count in enumerate(tally) if count}
    return {scripts.NAMES[k]: int(tally[k]) for k in tally.nonzero()[0].tolist()}


def read(
    body: bytes, model: PageModel, favour: Any = None, *, compiled: bool = False, emphasis: Emphasis = EVEN
) -> Reading:
    """Reads a page in UTF-8; ``favour`` is what each class has before anything is read."""
    arrays = _ROOM.get(len(body), len(model.classes), compiled)
    numbers = _run(body, model, model.prior if favour is None else favour, compiled, emphasis, arrays)
    out, marks, points, tally = arrays[:4]
    words, top, values = arrays[-7], arrays[-3], arrays[-2]
    text = b""
    if numbers[8] > 2:
        text = b"<br>".join(bytes(out[marks[4 * b] : marks[4 * b + 1]]) for b in range(numbers[6]))
    best = list(zip(_listed(top), _listed(values), strict=True))
    if neighbours.is_close(best, numbers[2], model):
        best = neighbours.settle(best, "".join(map(chr, _listed(points[: numbers[11]]))), model)
    n_words, n_capitals = _listed(words)
    return Reading(
        best=best,
        letters=_by_script(tally),
        characters=numbers[0],
        read=numbers[11],
        features=numbers[2],
        known=numbers[3],
        words=n_words,
        capitals=n_capitals,
        settled=bool(numbers[12]),
        elsewhere=numbers[10],
        escaped=numbers[8],
        loose=bool(numbers[5]),
        text=text,
    )

"""From the bytes of a page in UTF-8 to scores of classes: scan, select text, look n-grams up, weigh lines.

Reading stops when one language is far ahead: the first kilobytes settle most pages.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any, NamedTuple

from linksight.native.pages import html_scanner, line_scores, text_selection
from linksight.native.pages.buffers import view, zeros
from linksight.pages.html import scanner
from linksight.pages.langid import confusable_languages, scripts
from linksight.pages.langid.model import PageModel

MAX_SCANNED_BYTES = 200_000  #: bytes of running text that are scanned
RULED_OUT = -5e5  #: a class with less is in another script, or not requested
MAX_READ_BYTES = 3_000  #: bytes of text that are read
MAX_LINES = 96  #: lines that are scored apart
N_BEST = 8  #: classes that are returned, the best first


class Reading(NamedTuple):  # quicker to make than a dataclass, once a page
    """Totals of classes, and counts of the text."""

    best: list[tuple[int, float]]  #: number of the class, natural logarithms
    letters: dict[str, int]  #: by script
    characters: int  #: letters, signs and spaces
    read: int  #: how many of them were read
    features: int
    known: int  #: features that are in the model
    words: int
    capitals: int  #: words that begin with a capital
    settled: bool  #: whether reading stopped early
    elsewhere: int  #: features of lines in another language
    escaped: int  #: tags that were written as entities
    loose: bool  #: whether there are decomposed or compatibility forms
    text: bytes = b""  #: the text, where tags were written as entities


class _Buffers(threading.local):
    """Memory of a thread, allocated again for a larger page or another model only."""

    def __init__(self) -> None:
        self.size, self.classes = -1, -1

    def fit(self, size: int, classes: int) -> None:
        """Make room for a page of ``size`` bytes and a model of ``classes``."""
        if self.size < size:
            self.size = max(size, 1 << 17)
            self.out = memoryview(bytearray(self.size + self.size // 2 + 16))
        if self.classes != classes:
            self.classes = classes
            self.marks = zeros("i", 4 * scanner.MAX_BLOCKS)
            self.points = zeros("I", 2 * MAX_READ_BYTES + 2_000)
            self.tally = zeros("i", len(scripts.NAMES))
            self.words = zeros("i", 2)
            self.keys = zeros("I", 8 * MAX_READ_BYTES + 8_000)
            self.scores = zeros("i", classes)
            self.lines = zeros("f", MAX_LINES * classes)
            self.sizes, self.latin_lines = zeros("i", MAX_LINES), zeros("i", MAX_LINES)
            self.ruled, self.plain, self.mixed = (zeros("f", classes) for _ in range(3))
            self.top, self.values = zeros("i", N_BEST), zeros("f", N_BEST)


_BUFFERS = _Buffers()


@cache
def lower_table() -> Any:
    """The small letter of each character of the basic plane, always one character."""
    import numpy as np

    plane = "".join(map(chr, range(0x10000)))
    # Before and behind İ, which Python lowers to two characters.
    before, after = plane[:0x130].lower(), plane[0x131:].lower()
    return view(np.array([*map(ord, before), ord("i"), *map(ord, after)], np.uint16))


def read(body: bytes, model: PageModel, log_prior: Any = None) -> Reading:
    """Score a page in UTF-8; ``log_prior`` is the log prior of each class."""
    room = _BUFFERS
    room.fit(len(body), len(model.classes))
    prior = view(model.prior if log_prior is None else log_prior)
    lower, script_of = lower_table(), scripts.table()
    blocks, _, escaped, _ = html_scanner.scan(
        body, room.out, room.marks, True, True, MAX_SCANNED_BYTES, scanner.tables()
    )
    text = b""
    if escaped > 2:
        marks = room.marks
        text = b"<br>".join(bytes(room.out[marks[4 * b] : marks[4 * b + 1]]) for b in range(blocks))
    characters, prose, loose = text_selection.select(
        room.out, room.marks, blocks, MAX_READ_BYTES, lower, script_of, room.points, room.tally, room.words
    )
    reading = _scored(characters, prose, model, prior)
    return reading._replace(escaped=escaped, loose=bool(loose), text=text)


def _scored(characters: int, prose: int, model: PageModel, prior: Any) -> Reading:
    """The totals of the text in the buffers."""
    room, arrays = _BUFFERS, model.arrays
    line_scores.rule_out(room.tally, arrays.parts, prior, room.ruled)
    room.plain[:] = room.ruled
    count, features, known, stop, prose_lines, settled = line_scores.score_lines(
        room.points, characters, arrays, room.keys, room.scores, room.lines, room.sizes, room.latin_lines, room.plain, True, prose
    )  # fmt: skip
    english = model.english
    declared = english is not None and prior[english] > model.prior[english]
    by_lines = line_scores.with_english_lines(
        room.lines,
        room.sizes,
        count,
        arrays,
        room.latin_lines,
        room.ruled,
        room.plain,
        room.mixed,
        declared,
        prose_lines,
    )
    line_scores.take_best(room.mixed if by_lines else room.plain, room.top, room.values)
    elsewhere = line_scores.features_elsewhere(room.lines, room.sizes, count, arrays, room.ruled, room.top[0])
    best = list(zip(room.top.tolist(), room.values.tolist(), strict=True))
    if confusable_languages.is_close(best, features, model):
        best = confusable_languages.settle(best, "".join(map(chr, room.points[:stop].tolist())), model)
    words, capitals = room.words
    letters = {scripts.NAMES[k]: n for k, n in enumerate(room.tally.tolist()) if n}
    return Reading(
        best, letters, characters, stop, features, known, words, capitals, bool(settled), elsewhere, 0, False
    )

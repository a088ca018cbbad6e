"""Memory for the reading of a page, kept by each thread for page after page.

The order of the fields is that of the kernel's parameters (``reader``): arrays are handed to it one by one, and by
name they are known here only.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from linksight.pages.html import scanner, text_selection
from linksight.pages.langid import scoring, scripts

ENOUGH = 3_000  #: bytes of text that are read at most
TOP = 8  #: classes that are handed back, the best first


class Counts(NamedTuple):
    """What is counted on the way."""

    characters: int  #: letters, signs and spaces
    letters: int
    features: int
    known: int  #: features that the model knows
    lines: int
    loose: int  #: whether accents stand apart from their letters
    blocks: int
    entities: int
    escaped: int  #: tags that were written as entities
    running: int  #: bytes of running text
    elsewhere: int  #: features of lines that are in another language than the best
    read: int  #: characters, before it stopped
    settled: int  #: whether it stopped because one language was far ahead


class Arrays(NamedTuple):
    """What is written to."""

    out: Any  #: the text of the page in UTF-8
    marks: Any  #: four numbers a block
    points: Any  #: the characters that were chosen, in lower case
    tally: Any  #: letters by script
    keys: Any  #: the n-grams of a line
    scores: Any  #: the sums of a line, by class
    lines: Any  #: what each line says, by class
    sizes: Any  #: features of each line
    latin_lines: Any  #: whether its letters are Latin
    begins: Any  #: where it begins
    ends: Any  #: where each phase of the choice ends
    words: Any  #: how many, and how many of them begin with a capital
    ruled: Any  #: what each class has before anything is read; little where its script does not occur
    plain: Any  #: totals of classes
    mixed: Any  #: the same where lines of English boilerplate are allowed for
    top: Any  #: the best classes
    values: Any  #: and their totals
    info: Any  #: the ``Counts``


class Room(threading.local):
    """The arrays of a thread: made anew only for a larger page or another model."""

    arrays: Arrays

    def __init__(self) -> None:
        self.size, self.classes, self.compiled = 0, 0, False

    def get(self, size: int, classes: int, compiled: bool) -> Arrays:
        """Arrays for a page of ``size`` bytes; what stands in them is of the page before."""
        if self.size < size or self.classes != classes or self.compiled != compiled:
            self.size, self.classes, self.compiled = max(size, 1 << 17 if compiled else 0), classes, compiled
            self.arrays = _made(self.size, classes, _numpy_zeros if compiled else _plain_zeros)
        return self.arrays


def _made(size: int, classes: int, zeros: Callable[[str, int], Any]) -> Arrays:
    return Arrays(
        out=zeros("uint8", size + size // 2 + 16),
        marks=zeros("int64", 4 * scanner.MOST_BLOCKS),
        points=zeros("int64", 2 * ENOUGH + 2_000),
        tally=zeros("int64", len(scripts.NAMES)),
        keys=zeros("int64", 8 * ENOUGH + 8_000),
        scores=zeros("int32", classes),
        lines=zeros("float32", scoring.LINES * classes),
        sizes=zeros("int64", scoring.LINES),
        latin_lines=zeros("int64", scoring.LINES),
        begins=zeros("int64", scoring.LINES),
        ends=zeros("int64", text_selection.PHASES),
        words=zeros("int64", 2),
        ruled=zeros("float32", classes),
        plain=zeros("float32", classes),
        mixed=zeros("float32", classes),
        top=zeros("int64", TOP),
        values=zeros("float64", TOP),
        info=zeros("int64", len(Counts._fields)),
    )


def _plain_zeros(kind: str, n: int) -> Any:
    return bytearray(n) if kind == "uint8" else [0] * n


def _numpy_zeros(kind: str, n: int) -> Any:
    import numpy as np

    return np.zeros(n, kind)

"""Scores of each line of a text for each class, and the classes that its letters allow: for ``spans``.

>>> found = read("Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.\\nTous les hommes naissent libres.")
>>> [found.model.codes[number] for number in found.lines.argmax(axis=1)]
['nl', 'fr']
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any

from linksight.native.pages import line_scores
from linksight.native.pages.buffers import view
from linksight.pages.langid import ngrams, scripts
from linksight.pages.langid.model import PageModel, load

MAX_LINES = 64  #: lines that are scored apart; the rest is one more
MAX_CHARACTERS = 20_000
MIN_SCRIPT_SHARE = 0.08  #: of the letters of a line, that must be of a class's scripts
#: Vowel signs of Hebrew and Arabic, which most writers leave out, and characters without width.
_UNREAD = re.compile("[\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u0652\xad\u200b\u200e\u200f\u2060\ufeff]")
_OUT = -1e6


@dataclass(frozen=True, slots=True)
class SegmentScores:
    """Scores of the lines of a text, in natural logarithms."""

    model: PageModel
    lines: Any  #: float32 (lines, classes)
    sizes: Any  #: features in each line


def normal(text: str) -> str:
    """Text as features are taken from it: composed and in lower case."""
    if not text.isascii():
        text = _UNREAD.sub("", text)
        if not unicodedata.is_normalized("NFC", text):
            text = unicodedata.normalize("NFC", text)
    return text.lower()


def read(text: str, model: PageModel | None = None, *, most: int = MAX_LINES) -> SegmentScores:
    """The scores of up to ``most`` lines of a text."""
    import numpy as np

    model = model or load()
    classes = len(model.classes)
    # The mark of a line that is not in Latin letters: each class gets its own score.
    points = ngrams.points_of(normal(text[:MAX_CHARACTERS]).replace("\n", "\v") + "\v")
    keys, scores = np.empty(4 * len(points) + 16, np.uint32), np.empty(classes, np.int32)
    lines, totals = np.zeros((most, classes), np.float32), np.zeros(classes, np.float32)
    sizes, latin = np.zeros(most, np.int32), np.empty(most, np.int32)
    buffers = (view(array) for array in (keys, scores, lines.reshape(-1), sizes, latin, totals))
    count, *_ = line_scores.score_lines(points, len(points), model.arrays, *buffers, False, 0)
    return SegmentScores(model, lines[: max(1, count)], sizes[: max(1, count)].astype(np.float32))


def scripts_of(text: str) -> Any:
    """The number of the script of each character, its place in ``scripts.NAMES``; 0 for other characters.

    >>> [scripts.NAMES[k] for k in scripts_of("aя1")]
    ['Latn', 'Cyrl', 'Zyyy']
    """
    import numpy as np

    points = np.asarray(ngrams.points_of(text))
    numbers = np.frombuffer(scripts.table(), np.uint8)
    return np.where(points >= 0x20000, numbers[0x4E00], numbers[np.minimum(points, 0xFFFF)])


def allowed(counts: Any, model: PageModel) -> Any:
    """A penalty for classes whose script hardly occurs, for each row of ``counts`` of letters by script."""
    import numpy as np

    counts = counts.copy()
    counts[:, 0] = 0
    letters = counts.sum(axis=1, keepdims=True)
    present = np.flatnonzero(counts.any(axis=0))
    own = counts[:, present] @ _members(model)[present]
    return np.where(own > MIN_SCRIPT_SHARE * letters, np.float32(0), np.float32(_OUT))


@cache
def _members(model: PageModel) -> Any:
    """The scripts that each class is written in: a row for a script, a column for a class."""
    import numpy as np

    members = np.zeros((len(scripts.NAMES), len(model.classes)), np.float32)
    for script, classes in model.by_script.items():
        for part in scripts.PARTS.get(script, (script,)):
            if part in scripts.NAMES:
                members[scripts.NAMES.index(part), classes] = 1
    return members

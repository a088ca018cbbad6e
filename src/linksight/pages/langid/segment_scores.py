"""What each line of a text says for each class: the model's scores, and the classes that its letters allow.

Pages as wholes are judged by ``reader``; here stretches of them are told apart, for ``spans``.

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

from linksight.pages.langid import ngrams, scripts
from linksight.pages.langid.model import PageModel, load

LINES = 64  #: lines that are judged apart; what follows is one more
LEAST_LETTERS = 0.08  #: of a line, that must be of a class's scripts
_VOWELS = re.compile("[\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u0652]")  # most writers leave them out
_OUT = -1e6


@dataclass(frozen=True, slots=True)
class Evidence:
    """Scores of the lines of a text, in natural logarithms."""

    model: PageModel
    lines: Any  #: float32 (lines, classes)
    sizes: Any  #: features in each line


def normal(text: str) -> str:
    """Text as features are taken from it: composed and in lower case."""
    if not text.isascii():
        text = _VOWELS.sub("", text)
        if not unicodedata.is_normalized("NFC", text):
            text = unicodedata.normalize("NFC", text)
    return text.lower()


def read(text: str, model: PageModel | None = None, *, compiled: bool = False, most: int = LINES) -> Evidence:
    """The evidence of a text, its lines apart up to ``most``; beyond 20,000 characters it reads no further."""
    import numpy as np

    model = model or load()
    text = normal(text[:20_000])
    classes = len(model.classes)
    scores = np.zeros(most * classes, np.int32)
    if compiled:
        points: Any = ngrams.points_of(text)
        keys: Any = np.empty(4 * len(points) + 16, np.int64)
        ends: Any = np.empty(most, np.int64)
        _, n_lines = ngrams.score.compiled(
            points, keys, ends, ngrams.letters_array(), model.slots, model.pairs, scores, classes, most
        )
    else:
        points, ends = list(map(ord, text)), [0] * most
        keys = [0] * (4 * len(points) + 16)
        _, n_lines = ngrams.score.plain(
            points, keys, ends, ngrams.kinds(), model.slots, model.pairs, scores, classes, most
        )
    sizes = np.array(ends[:n_lines], np.float32)
    lines = scores[: n_lines * classes].reshape(n_lines, classes) * np.float32(model.step)
    lines += sizes[:, None] * model.bias
    return Evidence(model, lines, sizes)


def scripts_of(text: str) -> Any:
    """The number of the script of each character, its place in ``scripts.NAMES``; 0 for what is no letter.

    >>> [scripts.NAMES[k] for k in scripts_of("aя1")]
    ['Latn', 'Cyrl', 'Zyyy']
    """
    import numpy as np

    points = ngrams.points_of(text)
    return np.where(
        points >= 0x20000, _script_numbers()[0x4E00], _script_numbers()[np.minimum(points, 0xFFFF)]
    )


def allowed(counts: Any, model: PageModel) -> Any:
    """What rules out classes whose script hardly occurs, for each row of ``counts`` of letters by script."""
    import numpy as np

    counts = counts.copy()
    counts[:, 0] = 0
    whole = counts.sum(axis=1, keepdims=True)
    present = np.flatnonzero(counts.any(axis=0))
    own = counts[:, present] @ _members(model)[present]
    return np.where(own > LEAST_LETTERS * whole, np.float32(0), np.float32(_OUT))


@cache
def _members(model: PageModel) -> Any:
    """Which scripts each class is written in: a row for a script, a column for a class."""
    import numpy as np

    members = np.zeros((len(scripts.NAMES), len(model.classes)), np.float32)
    for script, classes in model.by_script.items():
        for part in scripts.PARTS.get(script, (script,)):
            if part in scripts.NAMES:
                members[scripts.NAMES.index(part), classes] = 1
    return members


@cache
def _script_numbers() -> Any:
    import numpy as np

    return np.frombuffer(scripts.table(), np.uint8)

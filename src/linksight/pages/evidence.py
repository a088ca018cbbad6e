"""What a text says for each language: the model's scores, line by line, and what they add up to.

A page in any language can have lines in English that no person wrote: licences, menus, names of software.
So a class is judged by all lines that it explains better than English does, and English by all lines.

>>> read("Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.").ranked()[0][0]
'nl'
>>> read("Alle mensen zijn gelijk.\\nThis work is licensed under a Creative Commons license.").ranked()[0][0]
'nl'
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from dataclasses import dataclass
from functools import cache
from typing import Any

from linksight.pages import ngrams, scripts
from linksight.pages.model import PageModel, load

LINES = 64  #: lines that are judged apart; what follows is one more
BOILERPLATE = 0.15  #: what a feature costs that is left to English on a page in another language
SHARE = 0.2  #: of the features, that another language must explain on a page with English
OTHER_SCRIPT = 0.06  #: the same for one in another script, which no English page has by chance
GAIN = 12.0  #: and by how much in all, in natural logarithms
_VOWELS = re.compile("[\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u0652]")  # most writers leave them out
_PARTS = {"Jpan": ("Hira", "Kana", "Hani"), "Kore": ("Hang", "Hani"), "Hani": ("Hani", "Bopo")}
_OUT = -1e6


@dataclass(frozen=True, slots=True)
class Evidence:
    """Scores of the lines of a text, in natural logarithms."""

    model: PageModel
    lines: Any  #: float32 (lines, classes)
    sizes: Any  #: features in each line
    known: int  #: features that the model knows, of all lines

    @property
    def features(self) -> int:
        """How many features were read."""
        return int(self.sizes.sum())

    def totals(self, favour: Any = None) -> Any:
        """What each class has in all; English only as much as no other language explains."""
        lines, english = self.lines, self.model.english
        plain = lines.sum(axis=0)
        if favour is not None:
            plain = plain + favour
        if english is None or len(lines) < 2:
            return plain
        # max(own, english - cost) in each line, less what is own already: what English takes over
        spare = lines[:, english] - BOILERPLATE * self.sizes
        taken = (spare[:, None] - lines).clip(min=0.0)
        totals = plain + taken.sum(axis=0)
        totals[english] = plain[english]
        best = int((totals + (plain - totals) * 1e-6).argmax())
        if best != english:
            own = taken[:, best] == 0
            gain = float(totals[best] - plain[english])
            share = SHARE if self.model.scripts[best] == "Latn" else OTHER_SCRIPT
            if self.sizes[own].sum() < share * self.sizes.sum() or gain < GAIN:
                return plain
        return totals

    def ranked(self, favour: Any = None, most: int = 12) -> list[tuple[str, float, str]]:
        """(language, total, class) of the best languages, best first, each once."""
        import numpy as np

        totals = self.totals(favour)
        most = min(most, len(totals))
        top = np.argpartition(-totals, most - 1)[:most]
        best: dict[str, tuple[str, float, str]] = {}
        for number in top[np.argsort(-totals[top])].tolist():
            code = self.model.codes[number]
            if code not in best:
                best[code] = (code, float(totals[number]), self.model.classes[number])
        return list(best.values())


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
    if compiled:
        points: Any = ngrams.points_of(text)
        keys: Any = np.empty(4 * len(points) + 16, np.int64)
        ends: Any = np.empty(most, np.int64)
        scores: Any = np.zeros(most * classes, np.int32)
        known, sizes = ngrams.score.compiled(
            points, keys, ends, ngrams.letters_array(), model.slots, model.pairs, scores, classes, most
        )
        counted = np.array(ends[:sizes], np.float32)
    else:
        points, ends = list(map(ord, text)), [0] * most
        scores, keys = memoryview(array("i", bytes(4 * most * classes))), [0] * (4 * len(points) + 16)
        slots, pairs = model.plain
        known, sizes = ngrams.score.plain(
            points, keys, ends, ngrams.kinds(), slots, pairs, scores, classes, most
        )
        counted, scores = np.array(ends[:sizes], np.float32), np.array(scores, np.int32)
    lines = scores[: sizes * classes].reshape(sizes, classes) * np.float32(model.step)
    lines += counted[:, None] * model.bias
    return Evidence(model, lines, counted, known)


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
    return np.where(own > 0.08 * whole, np.float32(0), np.float32(_OUT))


@cache
def _members(model: PageModel) -> Any:
    """Which scripts each class is written in: a row for a script, a column for a class."""
    import numpy as np

    members = np.zeros((len(scripts.NAMES), len(model.classes)), np.float32)
    for script, classes in model.by_script.items():
        for part in _PARTS.get(script, (script,)):
            if part in scripts.NAMES:
                members[scripts.NAMES.index(part), classes] = 1
    return members


@cache
def _script_numbers() -> Any:
    import numpy as np

    return np.frombuffer(scripts.table(), np.uint8)

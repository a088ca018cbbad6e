"""Which stretches of a page are in which language.

Each block of text is judged on its own where it is long enough; short ones go with what stands around them.
Places are characters of the page's text as :func:`text_of` gives it.
"""

from __future__ import annotations

from typing import Any

from linksight.pages import evidence, markup
from linksight.pages.model import PageModel
from linksight.records import Span

LEAST = 40  #: letters that a block needs to be judged on its own
MOST = 20_000  #: characters of a page that are looked at
SHARE = 0.08  #: of a page, that must be in a language for it to have spans
SWITCH = 12.0  #: what a change of language costs, in natural logarithms


def text_of(page: bytes, *, compiled: bool = False) -> str:
    """The text of a page in UTF-8, a line for each block.

    >>> text_of("<title>Één</title><p>twee <b>drie</b></p>".encode())
    'Één\\ntwee drie'
    """
    blocks = markup.parse(page, entities=True, compiled=compiled)
    return b"\n".join(block.text for block in blocks).decode("utf-8", "replace")


def find(page: bytes, model: PageModel, *, compiled: bool = False) -> tuple[Span, ...]:
    """The spans of a page in several languages; none if all of it is in one."""
    import numpy as np

    text = text_of(page, compiled=compiled)[:MOST]
    groups = _groups(text)
    if len(groups) < 2:
        return ()
    lines = "\n".join(text[start:end].replace("\n", " ") for start, end in groups)
    found = evidence.read(lines, model, compiled=compiled, most=len(groups))
    if len(found.lines) != len(groups):  # a group without a word: numbers only
        return ()
    table = found.lines + np.array([_allowed(text[start:end], model) for start, end in groups])
    table = _likely(table, found.sizes, model)
    path = _best_path(table)
    spans: list[Span] = []
    codes = np.array(model.codes)
    for (start, end), number, row in zip(groups, path, table, strict=True):
        code = model.codes[number]
        others = row[codes != code].max()
        sure = round(float(1 / (1 + np.exp(-np.clip((row[number] - others) / 20, -30, 30)))), 4)
        if spans and spans[-1].language == code:
            spans[-1] = Span(spans[-1].start, end, code, max(sure, spans[-1].confidence))
        else:
            spans.append(Span(start, end, code, sure))
    return tuple(spans) if len({span.language for span in spans}) > 1 else ()


def _allowed(text: str, model: PageModel) -> Any:
    return evidence.allowed(evidence.letters_by_script(text), model)


def _likely(table: Any, sizes: Any, model: PageModel) -> Any:
    """The table without the languages that are best only here and there: by chance, in names and numbers."""
    import numpy as np

    best = table.argmax(axis=1)
    support: dict[str, float] = {}
    for number, size in zip(best.tolist(), sizes.tolist(), strict=True):
        support[model.codes[number]] = support.get(model.codes[number], 0.0) + size
    needed = SHARE * float(sizes.sum())
    kept = {code for code, size in support.items() if size >= needed} | {
        max(support, key=lambda code: support[code])
    }
    return table + np.array([0.0 if code in kept else -1e7 for code in model.codes])


def _groups(text: str) -> list[tuple[int, int]]:
    """Stretches of one or more lines with enough letters to be judged."""
    groups, start, letters, place = [], 0, 0, 0
    for line in text.split("\n"):
        own = sum(map(str.isalpha, line))
        letters += own
        place += len(line) + 1
        if letters >= LEAST:
            groups.append((start, place - 1))
            start, letters = place, 0
    if letters and groups:
        groups[-1] = (groups[-1][0], min(place - 1, len(text)))
    elif letters:
        groups.append((0, len(text)))
    return groups


def _best_path(table: Any) -> list[int]:
    """The classes of the groups that explain them best, where every change of class costs something."""
    import numpy as np

    total = table[0].copy()
    back = []
    for row in table[1:]:
        best = int(total.argmax())
        stay = total >= total[best] - SWITCH
        back.append(np.where(stay, np.arange(len(total)), best))
        total = np.where(stay, total, total[best] - SWITCH) + row
    number = int(total.argmax())
    path = [number]
    for step in reversed(back):
        number = int(step[number])
        path.append(number)
    return path[::-1]

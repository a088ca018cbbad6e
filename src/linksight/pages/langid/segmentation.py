"""Which stretches of a page are in which language.

Each block of text is scored separately if it is long enough; short ones are merged with their neighbours.
Places are characters of the page's text as :func:`text_of` gives it.
"""

from __future__ import annotations

from typing import Any

from linksight.pages.html import scanner
from linksight.pages.langid import scripts, segment_scores
from linksight.pages.langid.model import PageModel
from linksight.results import Span

MIN_LETTERS = 40  #: letters that a block needs to be scored separately
MAX_CHARACTERS = 20_000  #: characters of a page that are looked at
MIN_SHARE = 0.08  #: minimum share of a page in a language that gets spans
SWITCH_COST = 12.0  #: cost of a change of language, in natural logarithms


def text_of(page: bytes) -> str:
    """The text of a page in UTF-8, a line for each block.

    >>> text_of("<title>Één</title><p>twee <b>drie</b></p>".encode())
    'Één\\ntwee drie'
    """
    blocks = scanner.parse(page, entities=True)
    return b"\n".join(block.text for block in blocks).decode("utf-8", "replace")


def find(page: bytes, model: PageModel) -> tuple[Span, ...]:
    """The spans of a page in several languages; empty if all of it is in one."""
    import numpy as np

    text = text_of(page)[:MAX_CHARACTERS]
    numbers = segment_scores.scripts_of(text)
    groups = _groups(text, np.append(0, np.cumsum(numbers > 0)).tolist())
    if len(groups) < 2:
        return ()
    lines = "\n".join(text[start:end].replace("\n", " ") for start, end in groups)
    found = segment_scores.read(lines, model, most=len(groups))
    if len(found.lines) != len(groups):  # a group without a word: numbers only
        return ()
    counts = np.array(
        [np.bincount(numbers[start:end], minlength=len(scripts.NAMES)) for start, end in groups], np.float32
    )
    table = found.lines + segment_scores.allowed(counts, model)
    likely = _likely(table, found.sizes, model)
    codes = [model.codes[k] for k in likely]
    if len(set(codes)) < 2:
        return ()
    table = table[:, likely]
    path = _best_path(table)
    surely = _confidences(table, path, np.array([model.language_numbers[k] for k in likely]))
    spans: list[Span] = []
    for (start, end), number, sure in zip(groups, path, surely, strict=True):
        code = codes[number]
        if spans and spans[-1].language == code:
            spans[-1] = Span(spans[-1].start, end, code, max(sure, spans[-1].confidence))
        else:
            spans.append(Span(start, end, code, sure))
    return tuple(spans) if len({span.language for span in spans}) > 1 else ()


def _groups(text: str, letters: list[int]) -> list[tuple[int, int]]:
    """Stretches of one or more lines with enough letters to be judged; ``letters`` counts those before each place."""
    groups: list[tuple[int, int]] = []
    start = place = 0
    while place <= len(text):
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        if letters[end] - letters[start] >= MIN_LETTERS:
            groups.append((start, end))
            start = end + 1
        place = end + 1
    if start < len(text) and letters[-1] > letters[start]:
        if groups:
            groups[-1] = (groups[-1][0], len(text))
        else:
            groups.append((0, len(text)))
    return groups


def _likely(table: Any, sizes: Any, model: PageModel) -> list[int]:
    """The classes of the languages that are best in more than a few places: the others are by chance, in names and numbers."""
    support: dict[str, float] = {}
    for number, size in zip(table.argmax(axis=1).tolist(), sizes.tolist(), strict=True):
        support[model.codes[number]] = support.get(model.codes[number], 0.0) + size
    needed = MIN_SHARE * float(sizes.sum())
    codes = {code for code, size in support.items() if size >= needed}
    codes.add(max(support, key=lambda code: support[code]))
    return [number for number, code in enumerate(model.codes) if code in codes]


def _confidences(table: Any, path: list[int], language_of: Any) -> list[float]:
    """How sure each group is: by how much its language is ahead of the best of the others."""
    import numpy as np

    same = language_of[None, :] == language_of[path][:, None]
    others = np.where(same, -np.inf, table).max(axis=1)
    lead = np.clip((table[np.arange(len(path)), path] - others) / 20, -30, 30)
    return [round(float(sure), 4) for sure in 1 / (1 + np.exp(-lead))]


def _best_path(table: Any) -> list[int]:
    """The classes of the groups that explain them best, where every change of class costs something."""
    import numpy as np

    total = table[0].copy()
    back = []
    for row in table[1:]:
        best = int(total.argmax())
        stay = total >= total[best] - SWITCH_COST
        back.append(np.where(stay, np.arange(len(total)), best))
        total = np.where(stay, total, total[best] - SWITCH_COST) + row
    number = int(total.argmax())
    path = [number]
    for step in reversed(back):
        number = int(step[number])
        path.append(number)
    return path[::-1]

"""From the bytes of a page in UTF-8 to scores of classes, in one compiled pass.

Parse, choose the text that tells most, lower its letters, look its n-grams up, weigh the lines. It stops reading
when one language is far ahead: the first kilobytes settle most pages. Everything that it is made of
is also plain Python, see ``compiled``.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from linksight.pages.html import scanner, text_selection
from linksight.pages.jit.compile_on_demand import Kernel
from linksight.pages.langid import confusable_languages, ngrams, scoring, scripts
from linksight.pages.langid.buffers import ENOUGH, TOP, Arrays, Counts, Room
from linksight.pages.langid.model import PageModel
from linksight.pages.langid.scoring import Emphasis

#: Bytes of running text after which parsing stops: at first, and if that settled nothing.
PARSED = (1_500, 6_000)
ENGLISH_LEAD = 200.0  #: natural logarithms by which English must be ahead for the first of these to do

EVEN = Emphasis()

strip_: Any = scanner.strip.plain
choose_: Any = text_selection.choose.plain
rule_: Any = scoring.rule.plain
score_: Any = scoring.score.plain
weigh_: Any = scoring.weigh.plain
emphasise_: Any = scoring.emphasise.plain
best_: Any = scoring.best.plain
elsewhere_: Any = scoring.elsewhere.plain


def _page(
    body: Any, size: int, out: Any, marks: Any, most_blocks: int, parsed: int, tags_action: Any, tags_high: Any, tags_low: Any,
    raw_names: Any, names_key: Any, names_at: Any, lower: Any, script_of: Any, letters: Any, slots: Any, pairs: Any, classes: int,
    language_of: Any, step: float, bias: Any, english: int, latin: Any, parts: Any, favour: Any, enough: int, metas: bool,
    title: float, hard: float, points: Any, tally: Any, keys: Any, scores: Any, lines: Any, sizes: Any, latin_lines: Any, begins: Any, ends: Any, words: Any, ruled: Any, plain: Any,
    mixed: Any, top: Any, values: Any, info: Any,
) -> None:  # fmt: skip
    """Reads a page; what the arrays take is told in ``room``."""
    blocks, found, escaped = strip_(
        body, size, out, marks, most_blocks, True, metas, parsed, tags_action, tags_high, tags_low, raw_names, names_key, names_at
    )  # fmt: skip
    running = 0
    for b in range(blocks):
        if marks[4 * b + 3] != scanner.META:
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
    _page, strip_=scanner.strip, choose_=text_selection.choose, rule_=scoring.rule, score_=scoring.score, weigh_=scoring.weigh,
    emphasise_=scoring.emphasise, best_=scoring.best, elsewhere_=scoring.elsewhere,
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
    plane = "".join(map(chr, range(0x10000)))
    # Before and behind İ, which Python lowers to two characters.
    before, after = plane[:0x130].lower(), plane[0x131:].lower()
    return [*map(ord, before), ord("i"), *map(ord, after)]


_ROOM = Room()


@cache
def _tables(model: PageModel, compiled: bool) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """What a pass needs to know of markup and characters, and of the model."""
    letters: tuple[Any, ...] = (lower_table(), scripts.table(), ngrams.kinds())
    rows: list[Any] = [
        list(model.language_numbers),
        [int(name == "Latn") for name in model.scripts],
        _script_parts(model),
    ]
    step: Any = model.step
    (slots, pairs), bias = model.plain, model.bias.tolist()
    if compiled:
        import numpy as np

        small, script_of, kinds = letters
        letters = (
            np.array(small, np.uint16),
            np.frombuffer(script_of, np.uint8),
            np.frombuffer(kinds, np.uint8),
        )
        rows = [np.array(row, np.int32) for row in rows]
        slots, pairs = _in_large_pages(model.slots), _in_large_pages(model.pairs)
        step, bias = np.float32(step), model.bias.astype(np.float32)
    languages, latin, parts = rows
    english = -1 if model.english is None else model.english
    known = (slots, pairs, len(model.classes), languages, step, bias, english, latin, parts)
    return (*scanner.tables(compiled), *letters), known


def _in_large_pages(numbers: Any) -> Any:
    """A copy of a table that is read all over: in small pages of memory each place would cost a look-up of its page."""
    from linksight.native.aligned_arrays import zeros

    copy = zeros(numbers.shape, numbers.dtype.type)
    copy[:] = numbers
    return copy


def _script_parts(model: PageModel) -> list[int]:
    """For each class the numbers of the three scripts at most that it is written in; 0 for none."""
    found = []
    for name in model.scripts:
        own = [
            scripts.NAMES.index(part) for part in scripts.PARTS.get(name, (name,)) if part in scripts.NAMES
        ]
        found += [*own, 0, 0, 0][:3]
    return found


def _is_english(arrays: Arrays, model: PageModel) -> bool:
    """Whether English is so far ahead that a page is not likely to go on in another language."""
    top, values = arrays.top, arrays.values
    lead = next((values[0] - values[t] for t in range(1, TOP) if model.codes[top[t]] != "en"), 0.0)
    return model.codes[top[0]] == "en" and bool(lead > ENGLISH_LEAD)


def _run(
    body: bytes, model: PageModel, favour: Any, compiled: bool, emphasis: Emphasis, arrays: Arrays
) -> Counts:
    """Reads into ``arrays`` until it settles something or the page is at its end; returns what was counted."""
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
    out, marks, *rest = arrays
    for parsed in PARSED:
        kernel(head, len(body), out, marks, scanner.MOST_BLOCKS, parsed, *given, *rest)
        counts = Counts(*_listed(arrays.info))
        # Settled, or the whole page was read, or all that was read is English by far.
        whole = counts.running <= parsed
        if counts.settled or whole or (not counts.elsewhere and _is_english(arrays, model)):
            break
    return counts


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
    counts = _run(body, model, model.prior if favour is None else favour, compiled, emphasis, arrays)
    text = b""
    if counts.escaped > 2:
        out, marks = arrays.out, arrays.marks
        text = b"<br>".join(bytes(out[marks[4 * b] : marks[4 * b + 1]]) for b in range(counts.blocks))
    best = list(zip(_listed(arrays.top), _listed(arrays.values), strict=True))
    if confusable_languages.is_close(best, counts.features, model):
        best = confusable_languages.settle(
            best, "".join(map(chr, _listed(arrays.points[: counts.read]))), model
        )
    n_words, n_capitals = _listed(arrays.words)
    return Reading(
        best=best,
        letters=_by_script(arrays.tally),
        characters=counts.characters,
        read=counts.read,
        features=counts.features,
        known=counts.known,
        words=n_words,
        capitals=n_capitals,
        settled=bool(counts.settled),
        elsewhere=counts.elsewhere,
        escaped=counts.escaped,
        loose=bool(counts.loose),
        text=text,
    )

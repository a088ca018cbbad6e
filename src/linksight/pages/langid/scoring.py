"""From the lines of a page to totals of classes: what each line says, when that is enough, and what it amounts to.

Lines are judged apart, because a page in any language can have lines in English that no person wrote. Kernels, see
``compiled``; scores are natural logarithms, ``lines`` has a row of them for each line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linksight.pages.html.text_selection import LATIN_LINE, OTHER_LINE
from linksight.pages.jit.compile_on_demand import Kernel
from linksight.pages.langid import ngrams

LINES = 96  #: lines that are judged apart
FIRST, LEAD = 250, 90.0  #: features that must be read, and the lead that a language must have, to stop early
BOILERPLATE = 0.15  #: what a feature costs that is left to English on a page in another language
SHARE_LATIN, SHARE_OTHER = 0.2, 0.06  #: of the features that another language must explain, by its script
GAIN = 12.0  #: and by how much in all
RULED_OUT = -5e5  #: what has less before it is read is in another script
SCRIPT_SHARE = 0.08  #: of the letters, that the script of a class must have
ELSEWHERE = 15.0  #: by how much a line must be likelier in another language to be counted as in it


@dataclass(frozen=True, slots=True)
class Emphasis:
    """What parts of a page count, after Martins and Silva; the defaults are what serves best on pages/dev.parquet.

    ``python benchmarks/pages_ideas.py`` measures the others.
    """

    metas: bool = True  #: description and keywords are read
    title: float = 1.0  #: what a line of the title counts
    hard: float = 0.0  #: where the best language leads by less, the largest block counts three times


walk_: Any = ngrams.walk.plain
add_: Any = ngrams.add.plain


def _rule(tally: Any, parts: Any, favour: Any, ruled: Any, plain: Any) -> int:
    """What each class begins with: those whose script hardly occurs are out; returns the number of letters."""
    tally[0] = 0
    whole = 0
    for k in range(len(tally)):
        whole += tally[k]
    for k in range(len(ruled)):
        own = tally[parts[3 * k]] + tally[parts[3 * k + 1]] + tally[parts[3 * k + 2]]
        ruled[k] = favour[k] if own > SCRIPT_SHARE * whole else favour[k] + 2 * RULED_OUT
        plain[k] = ruled[k]
    return whole


def _is_far_ahead(plain: Any, classes: int, language_of: Any, english: int) -> bool:
    """Whether one language leads so far that no more need be read; English never: more of the page may be in another."""
    best = 0
    for k in range(classes):
        if plain[k] > plain[best]:
            best = k
    if best == english:
        return False
    second = -1e30
    for k in range(classes):
        if plain[k] > second and language_of[k] != language_of[best]:
            second = plain[k]
    return bool(plain[best] - second > LEAD)


is_far_ahead_: Any = _is_far_ahead


def _score(
    points: Any, length: int, letters: Any, slots: Any, pairs: Any, classes: int, language_of: Any, step: float, bias: Any,
    english: int, latin: Any, keys: Any, scores: Any, lines: Any, sizes: Any, latin_lines: Any, plain: Any, begins: Any, ends: Any, title: float,
) -> tuple[int, int, int, int, int]:  # fmt: skip
    """Scores line after line into ``lines`` and adds them up in ``plain``, until one language is far ahead.

    Returns the lines, features and known features read, where it stopped, and whether that was early.
    """
    known = features = line = begin = 0
    for k in range(classes):
        scores[k] = 0
    while begin < length and line < LINES:
        end = begin
        while end < length and points[end] != LATIN_LINE and points[end] != OTHER_LINE:
            end += 1
        if line == LINES - 1:
            end = length
        count = walk_(points, begin, end, letters, keys)
        is_latin = end >= length or points[end] == LATIN_LINE
        begins[line] = begin
        begin = end + 1
        if count == 0:
            continue
        known += add_(keys, 0, count, slots, pairs, scores)
        sizes[line] = count
        latin_lines[line] = is_latin
        features += count
        at = line * classes
        weight = title if begins[line] < ends[0] else 1.0
        line += 1
        names_only = is_latin and english >= 0
        spare = 0.0
        if names_only:
            # Names in Latin letters say nothing for or against a language in another script.
            spare = (scores[english] * step + count * bias[english]) * weight - count * BOILERPLATE
        for k in range(classes):
            value = (scores[k] * step + count * bias[k]) * weight
            if names_only and not latin[k]:
                value = spare
            lines[at + k] = value
            plain[k] += value
            scores[k] = 0
        if features >= FIRST and is_far_ahead_(plain, classes, language_of, english):
            return line, features, known, min(begin, length), 1
    return line, features, known, min(begin, length), 0


def _weigh(
    lines: Any, sizes: Any, count: int, classes: int, english: int, latin: Any, latin_lines: Any, favour: Any, plain: Any, mixed: Any
) -> int:  # fmt: skip
    """What each class has in all, into ``mixed``; returns 1 if that counts, 0 if ``plain``, the simple sum, does.

    A page in any language can have lines in English that no person wrote: licences, menus, names of software.
    So in ``mixed`` a class has, in each line, its own score or what English leaves after a cost.
    """
    if english < 0 or count < 2:
        return 0
    total = 0
    for k in range(classes):
        mixed[k] = favour[k]
    for line in range(count):
        at = line * classes
        total += sizes[line]
        spare = lines[at + english] - sizes[line] * BOILERPLATE
        for k in range(classes):
            mixed[k] += max(lines[at + k], spare)
    mixed[english] = plain[english]
    best = english
    for k in range(classes):
        if mixed[k] > mixed[best]:
            best = k
    if best == english:
        return 1
    own = 0
    for line in range(count):
        at = line * classes
        if not latin[best] and latin_lines[line]:
            continue
        if lines[at + best] >= lines[at + english] - sizes[line] * BOILERPLATE:
            own += sizes[line]
    needed = SHARE_LATIN if latin[best] else SHARE_OTHER
    if own < needed * total or mixed[best] - plain[english] < GAIN:
        return 0
    return 1


def _emphasise(
    totals: Any, lines: Any, count: int, classes: int, language_of: Any, begins: Any, ends: Any, hard: float
) -> None:
    """Where no language is clearly ahead, the largest block counts three times."""
    if hard <= 0.0:
        return
    best = 0
    for k in range(classes):
        if totals[k] > totals[best]:
            best = k
    second = -1e30
    for k in range(classes):
        if totals[k] > second and language_of[k] != language_of[best]:
            second = totals[k]
    if totals[best] - second >= hard:
        return
    for line in range(count):
        if ends[0] <= begins[line] < ends[1]:
            for k in range(classes):
                totals[k] += 2 * lines[line * classes + k]


def _best(totals: Any, classes: int, top: Any, values: Any) -> None:
    """The best classes and what they have, into ``top`` and ``values``; takes them out of ``totals``."""
    for t in range(len(top)):
        best = 0
        for k in range(classes):
            if totals[k] > totals[best]:
                best = k
        top[t] = best
        values[t] = totals[best]
        totals[best] = -2e30


def _elsewhere(
    lines: Any, sizes: Any, count: int, classes: int, language_of: Any, ruled: Any, winner: int
) -> int:
    """Features of the lines that another language than the winner's explains much better."""
    other = 0
    for line in range(count):
        at = line * classes
        best = winner
        for k in range(classes):
            if lines[at + k] > lines[at + best] and ruled[k] > RULED_OUT:
                best = k
        if language_of[best] != language_of[winner] and lines[at + best] - lines[at + winner] > ELSEWHERE:
            other += sizes[line]
    return other


rule = Kernel(_rule)
score = Kernel(_score, walk_=ngrams.walk, add_=ngrams.add, is_far_ahead_=Kernel(_is_far_ahead))
weigh = Kernel(_weigh)
emphasise = Kernel(_emphasise)
best = Kernel(_best)
elsewhere = Kernel(_elsewhere)

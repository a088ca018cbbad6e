"""Kinds of pages that are marked inside a segment: ``/t123-x.html``, ``/blue-hat-p-9.html``, ``/Talk:x``, ``/issue17``.

A *mark* is the fixed part of a token: letters before its first number, a namespace before a colon, or letters before a
number at the end. A site has few marks, and many segments have each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from linksight.languages.registry import code_of, scripts
from linksight.sites.learning.hub_arrays import Ints, distinct
from linksight.sites.learning.literal_tokens import (
    MIN_LANGUAGE_OVERLAP,
    MIN_MARKED_URLS,
    MIN_SUPPORT,
    Evidence,
    Flags,
    Siblings,
    overlap,
)

MAX_MARKS = 8  #: with more in one place, these are names with numbers, not kinds
MAX_DEEP_MARKS = 4  #: the same behind the first segment
N_SAMPLE_SEGMENTS = 1_000  #: sampled segments of a place
MIN_SHARED_NAME_SHARE = 0.4  #: of the URLs below languages, those with a name shared by several languages
MIN_MARK_SHARE = 0.03  #: of the URLs of a place, those with a mark
_NAMESPACE = re.compile(r"([A-Za-z][A-Za-z_]{1,20}):(.+)")
_END = re.compile(r"(.+)([-_.][A-Za-z]{1,8}[-_]?)([0-9]+)([-_][0-9]+)?(\.[A-Za-z]{2,5})?")
_START = re.compile(r"([A-Za-z]{1,12}-?)([0-9]+)(?:([A-Za-z]?)([0-9]*)([^A-Za-z0-9.].*?))?(\.[A-Za-z]{2,5})?")
_SHORT = re.compile(r"[A-Za-z]{1,6}0|[-_.][A-Za-z]{1,3}[-_]?0")
_WORD_AND_NUMBER = re.compile(r"([A-Za-z]{1,12}[-_]?)[0-9]+")
_LANGUAGE = re.compile(r"([A-Za-z]{2})(?:[-_][A-Za-z]{2,4})?")


def template_of(token: str) -> tuple[str, str] | None:
    """The template of a token and its mark; None for a token without a mark.

    >>> template_of("t123-a-topic.html"), template_of("issue17")
    (('t{number}-{text}.html', 't0.html'), ('issue{number}', 'issue0'))
    >>> template_of("blue-hat-p-9.html"), template_of("Talk:A_page"), template_of("blue-hat")
    (('{text}-p-{number}.html', '-p-0.html'), ('Talk:{text}', 'Talk:'), None)
    """
    if found := _NAMESPACE.fullmatch(token):
        return f"{found[1]}:{{text}}", f"{found[1]}:"
    if found := _START.fullmatch(token):
        mark, _, letter, number, rest, ending = found.groups()
        middle = (letter or "") + ("{number}" if number else "")
        free = f"{middle}{rest[0]}{{text}}" if rest and len(rest) > 1 else (rest or "")
        return f"{mark}{{number}}{free}{ending or ''}", f"{mark}0{letter or ''}{ending or ''}"
    if found := _END.fullmatch(token):
        _, mark, _, more, ending = found.groups()
        second = f"{more[0]}{{number}}" if more else ""
        return f"{{text}}{mark}{{number}}{second}{ending or ''}", f"{mark}0{ending or ''}"
    return None


def templates(evidence: Evidence, siblings: Siblings, rest: Flags) -> Iterator[tuple[str, Flags]]:
    """Templates for siblings that would join the wildcard but form separate kinds."""
    yield from _languages(evidence, siblings, rest)
    yield from _reused_numbers(evidence, siblings, rest)
    if rest.sum() < 2 * MIN_SUPPORT:
        return
    indices = np.flatnonzero(rest)
    if len(indices) > 2 * N_SAMPLE_SEGMENTS:  # a sample shows that most places have no marks
        few = _members(evidence, siblings, indices[:: len(indices) // N_SAMPLE_SEGMENTS])
        if (
            max((sum(map(len, by_text.values())) for by_text in few.values()), default=0)
            < MIN_MARK_SHARE * N_SAMPLE_SEGMENTS / 2
        ):
            return
    members = _members(evidence, siblings, indices)
    support = np.bincount(siblings.which, minlength=len(rest))
    min_urls = max(MIN_SUPPORT, MIN_MARK_SHARE * support[rest].sum())
    sizes = {mark: sum(map(len, by_text.values())) for mark, by_text in members.items()}
    found_marks = {
        mark: by_text for mark, by_text in members.items()
        if sizes[mark] >= MIN_SUPPORT and sum(int(support[m].sum()) for m in by_text.values()) >= min_urls
    }  # fmt: skip
    if not _are_kinds(evidence, siblings, rest, sizes, set(found_marks)):
        return
    for _, by_text in sorted(found_marks.items()):
        for text, chosen in sorted(by_text.items()):
            flags = np.zeros(len(rest), dtype=np.bool_)
            flags[chosen] = True
            yield text, flags


def _reused_numbers(evidence: Evidence, siblings: Siblings, rest: Flags) -> Iterator[tuple[str, Flags]]:
    """Words with a number that follow many different values, whatever the number: ``/threads/*/page-2``."""
    if siblings.depth < 2 or siblings.prefix[-1] >= 0:
        return
    words = evidence.corpus.vocabulary
    members: dict[str, list[int]] = {}
    for index, token in enumerate(siblings.tokens.tolist()):
        if found := _WORD_AND_NUMBER.fullmatch(words[token]):
            members.setdefault(found[1], []).append(index)
    before = evidence.corpus.tokens[evidence.corpus.starts[siblings.rows] + siblings.depth - 1]
    for word, indices in sorted(members.items()):
        flags = np.zeros(len(rest), dtype=np.bool_)
        flags[indices] = True
        several = 1 < len(indices) < len(rest)
        if several and len(distinct(before[flags[siblings.which]])) >= MIN_SUPPORT:
            rest &= ~flags
            yield f"{word}{{number}}", flags


def _members(evidence: Evidence, siblings: Siblings, indices: Ints) -> dict[str, dict[str, list[int]]]:
    """The siblings with each mark, by template."""
    words = evidence.corpus.vocabulary
    members: dict[str, dict[str, list[int]]] = {}
    for index, token in zip(indices.tolist(), siblings.tokens[indices].tolist(), strict=True):
        if found := template_of(words[token]):
            members.setdefault(found[1], {}).setdefault(found[0], []).append(index)
    return members


def _are_kinds(
    evidence: Evidence, siblings: Siblings, rest: Flags, sizes: dict[str, int], found: set[str]
) -> bool:
    """Whether marks are kinds: they are few, cover most marked siblings, and are several or nearly universal."""
    if not found or len(found) > MAX_MARKS:
        return False
    covered = sum(sizes[mark] for mark in found)
    namespaces = all(mark.endswith(":") for mark in found)
    if covered * 2 < sum(sizes.values()) and not namespaces:
        return False
    others = int(rest.sum()) - covered >= MIN_SUPPORT
    if evidence.place(siblings.rows, siblings.depth) == "first":
        return len(found) + others >= 2 or covered >= max(MIN_MARKED_URLS, 0.95 * rest.sum())
    # Deeper down, names with numbers behind them (/author/yu-li-2) are far more common than kinds.
    short = all(_SHORT.match(mark) for mark in found)
    return namespaces or (2 <= len(found) <= MAX_DEEP_MARKS and short and not others)


@lru_cache(maxsize=10_000)
def is_language(token: str) -> bool:
    """Whether a segment is the code of a language with pages on the web, with or without a region."""
    found = _LANGUAGE.fullmatch(token)
    code = code_of(found[1].lower()) if found else None
    return bool(code and scripts(code))


def _languages(evidence: Evidence, siblings: Siblings, rest: Flags) -> Iterator[tuple[str, Flags]]:
    """Codes of languages with the same kinds of pages below them, as one variable."""
    words = evidence.corpus.vocabulary
    codes: Flags = np.array([is_language(words[token]) for token in siblings.tokens.tolist()], dtype=np.bool_)
    if siblings.depth == 0 or codes.sum() < 2:
        return
    support = np.bincount(siblings.which, minlength=len(codes))
    codes &= (overlap(evidence, siblings, codes, codes) >= MIN_LANGUAGE_OVERLAP) | (support < MIN_SUPPORT)
    if codes.sum() >= 2 and support[codes].sum() >= MIN_SUPPORT and _same_below(evidence, siblings, codes):
        rest &= ~codes
        yield "{language}", codes


def separate_languages(evidence: Evidence, siblings: Siblings) -> Flags:
    """Codes of languages with different names below them: ``/nl/boek/*`` and ``/en/book/*``."""
    words = evidence.corpus.vocabulary
    codes: Flags = np.array([is_language(words[token]) for token in siblings.tokens.tolist()], dtype=np.bool_)
    codes &= np.bincount(siblings.which, minlength=len(codes)) >= MIN_SUPPORT
    if siblings.depth != 1 or codes.sum() < 2 or _same_below(evidence, siblings, codes):
        codes[:] = False
    return codes


def _same_below(evidence: Evidence, siblings: Siblings, codes: Flags) -> bool:
    """Whether several names follow more than one of the languages: not ``/nl/boek/*`` and ``/en/book/*``."""
    corpus = evidence.corpus
    inside = codes[siblings.which] & (corpus.lengths[siblings.rows] > siblings.depth + 1)
    rows, which = siblings.rows[inside], siblings.which[inside]
    if not len(rows):
        return False
    names, child = np.unique(corpus.tokens[corpus.starts[rows] + siblings.depth + 1], return_inverse=True)
    pairs = distinct(which * len(names) + child)
    shared = np.bincount(pairs % len(names), minlength=len(names)) >= 2
    return bool(shared.sum() >= 2 and shared[child].mean() >= MIN_SHARED_NAME_SHARE)

"""The words of a page, and the rarest of them, which are submitted to a search form."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from functools import cache
from typing import Any

MAX_WORD_LETTERS = 30  #: longer runs, in scripts without spaces, are cut into pieces
_DENSE = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_HIDDEN = frozenset(("script", "style", "noscript", "template", "svg", "head", "option", "textarea"))


@cache
def _word_pattern() -> re.Pattern[str]:
    """A run of letters in any script with the marks on them; digits and signs divide words.

    Python does not count marks as letters, but most vowels of Hindi, Tamil and Thai are marks, and words contain joiners.
    """
    marks = "".join(char for char in map(chr, range(0x300, 0x1F000)) if unicodedata.category(char)[0] == "M")
    return re.compile(rf"[^\W\d_]+(?:[{marks}\u200c\u200d][^\W\d_]*)*")


def words_of(text: str) -> list[str]:
    """The words of a text, two letters or marks at least.

    >>> words_of("News-7, x, \u0938\u092e\u093e\u091a\u093e\u0930 2024") == ["News", "\u0938\u092e\u093e\u091a\u093e\u0930"]
    True
    """
    return [word for word in _word_pattern().findall(text) if len(word) > 1]


def text_of(tree: Any) -> str:
    """The visible text of a page."""
    parts: list[str] = []
    skipped: set[Any] = set()
    for element in tree.iter():
        parent = element.getparent()
        hidden = not isinstance(element.tag, str) or element.tag in _HIDDEN or parent in skipped
        if hidden:
            skipped.add(element)
        elif element.text:
            parts.append(element.text)
        if element.tail and parent is not None and parent not in skipped:
            parts.append(element.tail)
    return " ".join(parts)


def rarest_words(text: str, n: int = 20) -> list[str]:
    """The ``n`` words with the lowest counts, three letters or more (two where a letter is a word).

    Equally rare words are ordered by a hash. In page order the words of the navigation would always come
    first.

    >>> rarest_words("blue shoes and blue hats and 3 coats", n=3)
    ['hats', 'shoes', 'coats']
    """
    counts = Counter(
        word[start : start + MAX_WORD_LETTERS].casefold()
        for word in words_of(text)
        for start in range(0, len(word), MAX_WORD_LETTERS)
    )
    usable = [word for word in counts if len(word) > 2 or _DENSE.search(word)]
    return sorted(usable, key=lambda word: (counts[word], zlib.crc32(word.encode("utf-8", "replace"))))[:n]

"""The words of a page, and the rarest of them: what a search form is asked for."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from typing import Any

# Runs of letters in any script; digits and signs divide them.
_WORD = re.compile(r"[^\W\d_]{2,30}")
_DENSE = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_HIDDEN = frozenset(("script", "style", "noscript", "template", "svg", "head", "option", "textarea"))


def text_of(tree: Any) -> str:
    """What a reader sees of a page."""
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
    """The ``n`` words that are seen least often, three letters or more (two where a letter is a word).

    Words that are equally rare come in an order that is fixed but has nothing to do with their place
    on the page, or the words of the navigation would always come first.

    >>> rarest_words("blue shoes and blue hats and 3 coats", n=3)
    ['hats', 'shoes', 'coats']
    """
    counts = Counter(word.casefold() for word in _WORD.findall(text))
    usable = [word for word in counts if len(word) > 2 or _DENSE.search(word)]
    return sorted(usable, key=lambda word: (counts[word], zlib.crc32(word.encode("utf-8", "replace"))))[:n]

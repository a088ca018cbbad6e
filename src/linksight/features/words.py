"""Words, and the top-level domain, as features.

Each class here is one part of a feature set: a frozen value with its ``spec`` (how people write it),
``names`` (the specification, in plain Python) and ``plan`` (the same for the compiled extraction).
"""

from __future__ import annotations

from dataclasses import dataclass

from linksight.urls.parser import Url

# What a row of a plan begins with; ``extraction``, the compiled one, switches on it.
WORDS, WORD_NGRAMS, URL_NGRAMS, TLD, WORD_CONTEXTS, URL_CONTEXTS = range(6)


@dataclass(frozen=True, slots=True)
class Words:
    """Every word of the address, as often as it occurs.

    >>> Words().names(Url.parse("http://vldb.org/vldb_journal/"))
    ['w:vldb', 'w:org', 'w:vldb', 'w:journal']
    """

    @property
    def spec(self) -> str:
        return "words"

    @property
    def plan(self) -> tuple[int, int, int]:
        return WORDS, 0, 0

    def names(self, url: Url) -> list[str]:
        return [f"w:{word}" for word in url.words()]


@dataclass(frozen=True, slots=True)
class Tld:
    """The top-level domain: the one feature of the ccTLD algorithms.

    >>> Tld().names(Url.parse("http://www.hi-fly.de")), Tld().names(Url.parse("http://127.0.0.1/"))
    (['t:de'], [])
    """

    @property
    def spec(self) -> str:
        return "tld"

    @property
    def plan(self) -> tuple[int, int, int]:
        return TLD, 0, 0

    def names(self, url: Url) -> list[str]:
        # No top-level domain is a number: "http://0/" has none.
        return [f"t:{url.tld}"] if url.tld.strip("0123456789") else []

"""Words that separate near languages: Croatian, Bosnian and Serbian; Indonesian and Malay; Zulu and its neighbours.

The page model has room for the n-grams of most text. Near languages differ in words: *hleb* and *kruh*, *vreme* and *vrijeme*,
*hiljada* and *tisuća*. A table has these words and the beginnings of longer ones, with a cost for each language of a group.
It re-ranks the languages of a group if the best two are of that group and close.

>>> from linksight.pages.langid.model import load as load_pages
>>> pages = load_pages()
>>> croatian, serbian = pages.classes.index("hr"), pages.classes.index("sr-Latn")
>>> best = [(croatian, -50.0), (serbian, -50.5)]
>>> [pages.classes[number] for number, _ in settle(best, "hiljade mesta u pozorištu tokom nedelje", pages)]
['sr-Latn', 'hr']
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache

from linksight.errors import ModelFormatError
from linksight.pages.langid import array_file
from linksight.pages.langid.model import PageModel
from linksight.system.resources import bytes_of

FORMAT = "linksight-neighbours 1"
STEP = 0.04  #: natural logarithm that one unit of cost is worth
#: Tempered natural logarithms: with a larger lead the words are not compared.
MAX_GAP = 6.0
WORD_WEIGHT = 3.0  #: weight of a word, beside n-grams
MAX_COST = 8.0  #: of one word
PREFIX_LETTERS = 5  #: prefix of a longer word that is an extra feature, shared with its inflected forms
_WORD = re.compile(r"[^\W\d_]{2,24}")


@dataclass(frozen=True, slots=True)
class Group:
    """Languages that are easily confused, and the cost of each word for each of them."""

    classes: tuple[str, ...]
    costs: dict[int, tuple[float, ...]]  #: natural logarithms, 0 for the class that the word favours


def word_key(word: str) -> int:
    """32 bits of a word in small letters.

    >>> word_key("hleb")
    4182521201
    """
    value = 2166136261
    for character in word:
        value = ((value ^ ord(character)) * 16777619) & 0xFFFFFFFF
    return value ^ (value >> 15)


def words_of(text: str) -> set[str]:
    """The set of words of a lower-case text and the prefixes of longer ones.

    >>> sorted(words_of("hiljade i hiljade"))
    ['hilja-', 'hiljade']
    """
    words = set(_WORD.findall(text))
    return words | {word[:PREFIX_LETTERS] + "-" for word in words if len(word) > PREFIX_LETTERS}


def unpack(data: bytes, origin: object = "neighbours.model") -> dict[str, Group]:
    """For each class its group; raises ModelFormatError on anything that is not as written."""
    header, arrays = array_file.unpack(FORMAT, data, origin)
    try:
        groups = [tuple(map(str, group)) for group in header["groups"]]
        sizes = [int(size) for size in header["sizes"]]
        keys, costs = arrays["keys"].tolist(), arrays["costs"].tolist()
        n_costs = sum(size * len(group) for size, group in zip(sizes, groups, strict=True))
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFormatError(origin, f"damaged: {error}") from None
    if min(sizes, default=0) < 0 or sum(sizes) != len(keys) or n_costs != len(costs):
        raise ModelFormatError(origin, "the arrays do not fit together")
    found: dict[str, Group] = {}
    first = place = 0
    for group, size in zip(groups, sizes, strict=True):
        width = len(group)
        rows = {}
        for key in keys[first : first + size]:
            rows[key] = tuple(min(MAX_COST, STEP * cost) for cost in costs[place : place + width])
            place += width
        first += size
        found |= dict.fromkeys(group, Group(group, rows))
    return found


@cache
def load() -> dict[str, Group]:
    """For each class that has near neighbours its group, from the bundled table; read once."""
    return unpack(bytes_of("neighbours.model"))


def is_close(best: list[tuple[int, float]], features: int, model: PageModel) -> bool:
    """Whether the best class leads one of its neighbours by little."""
    group = load().get(model.classes[best[0][0]])
    if group is None:
        return False
    least = best[0][1] - MAX_GAP * (1.0 + features / 30)
    return any(total > least and model.classes[number] in group.classes for number, total in best[1:])


def settle(best: list[tuple[int, float]], text: str, model: PageModel) -> list[tuple[int, float]]:
    """The classes re-ranked, the best first, by the words of the text for those of the group."""
    group = load()[model.classes[best[0][0]]]
    rows = [group.costs[key] for word in words_of(text) if (key := word_key(word)) in group.costs]
    # Exact sums: a set has another order in every run.
    own = {name: -WORD_WEIGHT * math.fsum(row[k] for row in rows) for k, name in enumerate(group.classes)}
    found = [(number, total + own.get(model.classes[number], 0.0)) for number, total in best]
    # Words only rank the group: against languages outside it, the group's best score is unchanged.
    first = max(total for number, total in found if model.classes[number] in own)
    lost = best[0][1] - first
    found = [(number, total + lost * (model.classes[number] in own)) for number, total in found]
    return sorted(found, key=lambda pair: -pair[1])

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
#: Tempered natural logarithms by which the best must lead for its neighbours not to be asked about.
MAX_GAP = 6.0
WORD_WEIGHT = 3.0  #: weight of a word, beside n-grams
MAX_COST = 8.0  #: of one word
PREFIX_LETTERS = 5  #: letters of a longer word that are a feature beside it: they stand for its other forms
_WORD = re.compile(r"[^\W\d_]{2,24}")


@dataclass(frozen=True, slots=True)
class Group:
    """Languages that are easily taken for one another, and the cost of each word for each of them."""

    classes: tuple[str, ...]
    costs: dict[int, tuple[float, ...]]  #: natural logarithms, 0 for the class that the word speaks for


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
    """The words of a text in small letters and the beginnings of longer ones; a word that comes again says nothing new.

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
        whole = sum(size * len(group) for size, group in zip(sizes, groups, strict=True))
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFormatError(origin, f"damaged: {error}") from None
    if min(sizes, default=0) < 0 or sum(sizes) != len(keys) or whole != len(costs):
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
    """Whether the best class leads a neighbour of its own by little."""
    group = load().get(model.classes[best[0][0]])
    if group is None:
        return False
    least = best[0][1] - MAX_GAP * (1.0 + features / 30)
    return any(total > least and model.classes[number] in group.classes for number, total in best[1:])


def settle(best: list[tuple[int, float]], text: str, model: PageModel) -> list[tuple[int, float]]:
    """The classes again, the best first, after what the words of the text say for those of the group."""
    group = load()[model.classes[best[0][0]]]
    rows = [group.costs[key] for word in words_of(text) if (key := word_key(word)) in group.costs]
    # Exact sums: a set has another order in every run.
    own = {name: -WORD_WEIGHT * math.fsum(row[k] for row in rows) for k, name in enumerate(group.classes)}
    found = [(number, total + own.get(model.classes[number], 0.0)) for number, total in best]
    # Words only say which of the group it is: against the languages outside, the group stays where it was.
    first = max(total for number, total in found if model.classes[number] in own)
    lost = best[0][1] - first
    found = [(number, total + lost * (model.classes[number] in own)) for number, total in found]
    return sorted(found, key=lambda pair: -pair[1])

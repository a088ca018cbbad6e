"""Sets of features: parts such as words or n-grams, joined and written as people write them.

>>> features = parse_features("words+3-grams-from-word")
>>> features.spec
'words+3-grams-from-word'
>>> features.names(Url.parse("http://hi-fly.de"))
['w:hi', 'w:fly', 'w:de', 'g:_hi', 'g:hi_', 'g:_fl', 'g:fly', 'g:ly_', 'g:_de', 'g:de_']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol, runtime_checkable

from linksight.errors import BadConfig
from linksight.features.ngrams import ALLGRAMS, Ngrams
from linksight.features.words import Tld, Words
from linksight.urls.parser import Url

__all__ = ["EXAMPLES", "FeatureSet", "LearningPart", "Part", "parse_features"]

#: How people write the feature sets of the papers; any N from 1 to 7 and any range will do.
EXAMPLES = (
    "words", "3-grams-from-word", "4-grams-from-word", "5-grams-from-word", "3-5-grams-from-word",
    "allgrams-from-word", "3-grams-from-url", "4-grams-from-url", "5-grams-from-url", "3-5-grams-from-url",
    "allgrams-from-url", "custom", "custom-2008", "tld",
)  # fmt: skip


class Part(Protocol):
    """One kind of feature: what a feature set is made of."""

    @property
    def spec(self) -> str:
        """How people write it."""

    @property
    def plan(self) -> tuple[int, int, int] | None:
        """Kind and sizes for the compiled extraction; None where only plain Python will do."""

    def names(self, url: Url) -> list[str]:
        """The names of the address's features, each as often as it occurs."""


@runtime_checkable
class LearningPart(Part, Protocol):
    """A part that learns from labelled URLs before it can name features."""

    def learnt(self, urls: list[Any], labels: list[str], languages: tuple[str, ...]) -> Part:
        """The part with what it learnt."""

    def prepare(self, urls: Sequence[Any]) -> None:
        """Look up the values of a batch together."""

    def state(self) -> dict[str, Any]:
        """What it learnt, as plain values."""

    def restored(self, state: dict[str, Any]) -> Part:
        """The part with what :meth:`state` gave."""


_NGRAMS = re.compile(r"(all|\d+(?:-\d+)*-)((?:grams|contexts)-from-(?:word|url))")


@dataclass(frozen=True)
class FeatureSet:
    """Parts joined with ``+``; equal when written alike."""

    parts: tuple[Part, ...]

    @property
    def spec(self) -> str:
        """The set as people write it; ``parse_features`` reads it back."""
        return "+".join(part.spec for part in self.parts)

    def names(self, url: Url) -> list[str]:
        """The names of the address's features, each as often as it occurs: the specification."""
        return [name for part in self.parts for name in part.names(url)]

    @property
    def is_hashed(self) -> bool:
        """Whether the spec alone defines the features, without dictionaries."""
        return all(part.plan is not None for part in self.parts)

    def learnt(self, urls: list[Any], labels: list[str], languages: tuple[str, ...]) -> FeatureSet:
        """The set with what it must learn from labelled URLs first: the trained dictionaries."""
        if self.is_hashed:
            return self
        return self._with(lambda part: part.learnt(urls, labels, languages))

    def state(self) -> dict[str, Any]:
        """What the parts learnt, as plain values by their specs; :meth:`restored` takes it back."""
        return {part.spec: part.state() for part in self.parts if isinstance(part, LearningPart)}

    def restored(self, learnt: dict[str, Any]) -> FeatureSet:
        """The set with what its parts once learnt, by their specs."""
        return self._with(lambda part: part.restored(learnt[part.spec]))

    def _with(self, change: Callable[[LearningPart], Part]) -> FeatureSet:
        parts = (change(part) if isinstance(part, LearningPart) else part for part in self.parts)
        return FeatureSet(tuple(parts))

    def __str__(self) -> str:
        return self.spec


def parse_features(spec: str | FeatureSet) -> FeatureSet:
    """The feature set that a spec such as ``words+3-5-grams-from-url`` names.

    >>> parse_features("allgrams-from-word").spec
    'allgrams-from-word'
    >>> parse_features("3-garms-from-word")
    Traceback (most recent call last):
    linksight.errors.BadConfig: unknown features '3-garms-from-word', did you mean '3-grams-from-word'?
    """
    if isinstance(spec, FeatureSet):
        return spec
    if not isinstance(spec, str) or not spec.strip():
        raise BadConfig(f"no features given; known: {', '.join(EXAMPLES)}")
    parts = tuple(dict.fromkeys(_parse_part(word.strip().lower()) for word in spec.split("+")))
    return FeatureSet(parts)


def _parse_part(word: str) -> Part:
    if word == "words":
        return Words()
    if word == "tld":
        return Tld()
    if word in ("custom", "custom-2008"):
        from linksight.features.custom import CustomFeatures

        return CustomFeatures(year=2008 if word.endswith("2008") else 2013)
    if found := _NGRAMS.fullmatch(word):
        low, high = _sizes_of(word, found[1])
        return Ngrams(found[2], low, high)
    near = get_close_matches(word, EXAMPLES, n=1)
    hint = f", did you mean {near[0]!r}?" if near else f"; known: {', '.join(EXAMPLES)}"
    raise BadConfig(f"unknown features {word!r}{hint}")


def _sizes_of(word: str, sizes: str) -> tuple[int, int]:
    if sizes == "all":
        return ALLGRAMS
    numbers = [int(size) for size in sizes.rstrip("-").split("-")]
    if numbers != sorted(set(numbers)) or not 1 <= numbers[0] <= numbers[-1] <= 7:
        raise BadConfig(f"{word!r}: n-grams have 1 to 7 letters, and a range goes up")
    # The paper writes 3-4-5-grams where we write 3-5-grams: a list must leave no size out.
    if len(numbers) > 2 and numbers != list(range(numbers[0], numbers[-1] + 1)):
        raise BadConfig(f"{word!r}: a list of sizes must have no gap; join sets with +")
    return numbers[0], numbers[-1]

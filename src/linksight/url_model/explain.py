"""Why a URL looks like a language: exact contributions, and the URL coloured by them.

Every feature's contributions and the base add up to the calibrated score; its softmax is the
probability, but for the small share of surprise in ``Calibration``. A character's colour is the sum
over the features that cover it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.features.url_features import LONGEST, MAX_LETTERS, MAX_WORDS, SHORTEST, own_names
from linksight.url_model.calibration import is_page
from linksight.url_model.embeddings import HashedTable
from linksight.url_model.feature_labels import kind_of, value_of
from linksight.urls.parser import Url, letter_places, word_spans

if TYPE_CHECKING:
    from linksight.url_model.model import Scorer

Floats = NDArray[np.float32]

#: Where a feature's value is looked for, by its mark (see ``reason_words.KINDS``): host, path and query, file name.
_OF_HOST, _OF_REST, _OF_FILE = "tsbn", "crqle", "f"
_LAST = "tsf"  #: of these the last place counts: they are what something ends with
_BEFORE = {"c": "/", "l": "="}  #: and before these stands a sign: the de of ?lang=de is not that of index


@dataclass(frozen=True)
class Contribution:
    """One feature: where it stands in the text (or nowhere) and what it adds to each language."""

    feature: str
    start: int
    end: int
    weights: Floats = field(repr=False)
    #: Whether a model of the papers says so: they tell no words of the host from those of the path.
    of_papers: bool = field(default=False, repr=False)

    @property
    def kind(self) -> str:
        """What sort of evidence this is, in words."""
        return kind_of(self.feature, self.of_papers)

    @property
    def value(self) -> str:
        """What it says, in words."""
        return value_of(self.feature)


@dataclass(frozen=True)
class Explanation:
    """A URL's text, the languages considered, and all that was added up."""

    url: str
    text: str
    languages: tuple[str, ...]
    contributions: tuple[Contribution, ...]
    base: Floats
    scores: Floats
    probabilities: Floats

    @classmethod
    def of(cls, scorer: Scorer, url: Url, chosen: list[int] | None) -> Explanation:
        """Explain one URL among some of the model's languages, or all."""
        text = url.text
        columns = list(range(len(scorer.languages))) if chosen is None else chosen
        names, weights = scorer.table.contributions(url)
        of_papers = isinstance(scorer.table, HashedTable)
        page = np.array([is_page(text)])
        base = scorer.calibrated(scorer.table.bias[None], page)[0]
        slope = scorer.calibration.slopes[int(page[0])]
        weights = weights * slope
        if weights.shape[1] == 1:
            weights = np.concatenate([weights, np.zeros_like(weights)], axis=1)
        scores = weights.sum(axis=0) + base
        said, heard = scorer.said(text, scores)
        if heard.any():
            names, weights, scores = (
                [*names, f"a:{said}"],
                np.concatenate([weights, heard[None]]),
                scores + heard,
            )
        chances = scorer.calibration.probabilities(scores[None], chosen)[0]
        places = dict(_paper_places(text, names) if of_papers else _places(text, names))
        parts = tuple(
            Contribution(name, *places.get(i, (0, 0)), weights[i][columns], of_papers)
            for i, name in enumerate(names)
        )
        languages = tuple(scorer.languages[k] for k in columns)
        return cls(url.raw, text, languages, parts, base[columns], scores[columns], chances[columns])

    def __repr__(self) -> str:
        """The outcome and what spoke most for it; all the numbers are in the fields."""
        likely = ", ".join(f"{self.languages[k]} {self.probabilities[k]:.3f}" for k in self.order[:3])
        margin = self.margin()
        first = sorted(range(len(margin)), key=lambda i: -abs(margin[i]))[:3]
        spoke = ", ".join(
            f"{self.contributions[i].kind} {self.contributions[i].value} {margin[i]:+.2f}" for i in first
        )
        return f"<Explanation of {self.url!r}: {likely}; {spoke or 'nothing spoke for any'}>"

    @property
    def order(self) -> list[int]:
        """Positions of the languages, likeliest first, as the candidates are; by score where the chances are alike."""
        return [int(k) for k in np.lexsort((-self.scores, -self.probabilities))]

    def margin(self) -> Floats:
        """What each feature adds to the likeliest language over the next one."""
        first, *others = self.order[:2]
        values = [
            part.weights[first] - sum(part.weights[other] for other in others) for part in self.contributions
        ]
        return np.array(values, np.float32)

    def reasons(self, most: int = 12) -> tuple[tuple[str, str, float], ...]:
        """The strongest contributions: (feature, language, weight), for the top three languages."""
        top = self.order[:3]
        found = [
            (part.feature, self.languages[k], float(part.weights[k]))
            for part in self.contributions
            for k in top
        ]
        return tuple(sorted(found, key=lambda reason: -abs(reason[2]))[:most])

    def characters(self) -> Floats:
        """For each character of the text, how much it speaks for the likeliest language."""
        colours = np.zeros(len(self.text), np.float32)
        for part, weight in zip(self.contributions, self.margin(), strict=True):
            if part.end > part.start:
                colours[part.start : part.end] += weight / (part.end - part.start)
        return colours

    def as_dict(self) -> dict[str, Any]:
        """The five likeliest languages and all that spoke for or against them, as plain values for JSON.

        Lists of one number a language are in the order of ``languages``; ``characters`` has one a character.
        """
        keep = self.order[:5]
        return {
            "url": self.url,
            "text": self.text,
            "languages": [self.languages[k] for k in keep],
            "probabilities": [float(self.probabilities[k]) for k in keep],
            "scores": [float(self.scores[k]) for k in keep],
            "base": [float(self.base[k]) for k in keep],
            "contributions": [
                {"feature": part.feature, "kind": part.kind, "start": part.start, "end": part.end,
                 "weights": [float(part.weights[k]) for k in keep]}
                for part in self.contributions
            ],
            "characters": [round(float(value), 4) for value in self.characters()],
        }  # fmt: skip


def _places(text: str, names: list[str]) -> Iterator[tuple[int, tuple[int, int]]]:
    """Where each feature stands; features that stand nowhere (shapes, lengths) are left out."""
    start = 4 if text.startswith("www.") else 0
    slash = _find(text, "/", 0)
    body = max(text.rfind(".", start, slash), start)
    body = start + len(own_names(text[start:body]))
    host, file, rest = (start, slash), (slash + 1, _find(text, "?", slash)), (slash + 1, len(text))
    regions = dict.fromkeys(_OF_HOST, host) | dict.fromkeys(_OF_REST, rest) | dict.fromkeys(_OF_FILE, file)
    grams = _gram_places(text, start, body, "w:", "g:") | _gram_places(text, *rest, "v:", "p:")
    for i, name in enumerate(names):
        mark, value = name[0], name[2:]
        if places := grams.get(name):
            yield i, places.pop(0) if len(places) > 1 else places[0]
        elif value and mark in regions:
            first, last = regions[mark]
            before = _BEFORE.get(mark, "")
            at = (text.rfind if mark in _LAST else text.find)(before + value, first - len(before), last)
            if at >= 0:
                yield i, (at + len(before), at + len(before) + len(value))
        elif mark == "a":  # all names together
            yield i, (start, body)
        elif mark == "d":  # the top-level domain, with what it says of the path behind it
            yield i, (text.rfind(".", *host) + 1, slash)


def _paper_places(text: str, names: list[str]) -> Iterator[tuple[int, tuple[int, int]]]:
    """The same for the papers' features: of words, wherever they stand, and of all letters run together."""
    slash = _find(text, "/", 0)
    places: dict[str, list[tuple[int, int]]] = {name: [] for name in names}
    longest = max((len(name) for name in names if not name.startswith("w:")), default=0)
    for name, place in chain(
        ((f"w:{text[first:last]}", (first, last)) for first, last in word_spans(text)),
        chain.from_iterable(_of_word(text, *span, longest) for span in word_spans(text)),
        _of_letters(text, letter_places(text) if {"u", "y"} & {name[0] for name in names} else [], longest),
        [(f"t:{text[text.rfind('.', 0, slash) + 1 : slash]}", (text.rfind(".", 0, slash) + 1, slash))],
    ):
        if name in places:
            places[name].append(place)
    left = {name: iter(found) for name, found in places.items()}
    for i, name in enumerate(names):
        if found := places[name]:
            yield i, next(left[name], found[-1])


def _of_word(text: str, first: int, last: int, longest: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """N-grams and contexts of a word, whose edges take no room."""
    marked = f"_{text[first:last]}_"
    for i in range(len(marked)):
        for j in range(i + 1, min(i + longest, len(marked)) + 1):
            span = (min(max(first + i - 1, first), last), min(first + j - 1, last))
            yield f"g:{marked[i:j]}", span
            yield f"x{j - i + 1}:{marked[i:j]}", span


def _of_letters(text: str, places: list[int], longest: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """N-grams and contexts of all letters, across whatever stands between them."""
    letters = "".join(text[place] for place in places)
    for i in range(len(letters)):
        for j in range(i + 1, min(i + longest, len(letters)) + 1):
            span = (places[i], places[j - 1] + 1)
            yield f"u:{letters[i:j]}", span
            yield f"y{j - i + 1}:{letters[i:j]}", span


def _find(text: str, sign: str, start: int) -> int:
    """Where a sign stands first; the end of the text where there is none."""
    at = text.find(sign, start)
    return at if at >= 0 else len(text)


def _gram_places(
    text: str, start: int, end: int, word_mark: str, gram_mark: str
) -> dict[str, list[tuple[int, int]]]:
    """Where each word and n-gram between two places stands, in the order of ``evidence``."""
    places: dict[str, list[tuple[int, int]]] = {}
    for first, last in word_spans(text[start:end])[:MAX_WORDS]:
        first, last = first + start, min(last, first + MAX_LETTERS) + start
        places.setdefault(word_mark + text[first:last], []).append((first, last))
        marked = f"_{text[first:last]}_"
        for i in range(len(marked) - 1):
            for j in range(i + SHORTEST, min(i + LONGEST, len(marked)) + 1):
                span = (max(first + i - 1, first), min(first + j - 1, last))
                places.setdefault(gram_mark + marked[i:j], []).append(span)
    return places

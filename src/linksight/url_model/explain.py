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

from linksight.url_model.calibration import is_page
from linksight.url_model.embeddings import EvidenceTable, HashedTable
from linksight.url_model.feature_labels import kind_of, value_of
from linksight.urls.parser import Url, letter_places, word_spans

if TYPE_CHECKING:
    from linksight.url_model.model import Scorer

Floats = NDArray[np.float32]


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
        columns = list(range(len(scorer.languages))) if chosen is None else chosen
        of_papers = isinstance(scorer.table, HashedTable)
        table = scorer.table
        names, weights, places = (
            _of_papers(table, url) if isinstance(table, HashedTable) else _of_evidence(table, url)
        )
        page = np.array([is_page(url.text)])
        base = scorer.calibrated(scorer.table.bias[None], page)[0]
        weights = weights * scorer.calibration.slopes[int(page[0])]
        if weights.shape[1] == 1:
            weights = np.concatenate([weights, np.zeros_like(weights)], axis=1)
        scores = weights.sum(axis=0) + base
        words, added = scorer.segment(url.text, scores)
        if added.any():
            names, places = [*names, f"a:{words}"], [*places, _names_span(url.text)]
            weights, scores = np.concatenate([weights, added[None]]), scores + added
        chances = scorer.calibration.probabilities(scores[None], chosen)[0]
        parts = tuple(
            Contribution(name, *place, row[columns], of_papers)
            for name, place, row in zip(names, places, weights, strict=True)
        )
        languages = tuple(scorer.languages[k] for k in columns)
        return cls(url.raw, url.text, languages, parts, base[columns], scores[columns], chances[columns])

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


def _of_evidence(table: EvidenceTable, url: Url) -> tuple[list[str], Floats, list[tuple[int, int]]]:
    """Known features of the bundled model: names, what each adds to each language, and where each one stands."""
    groups = table.features(url.text)
    names = [name for group in groups for name in group.names]
    spans = [span for group in groups for span in group.spans]
    if not url.text.isascii():
        data = url.text.encode("utf-8", "replace")
        sizes = np.cumsum([0, *((byte & 0xC0) != 0x80 for byte in data)])  # characters before each byte
        spans = [(int(sizes[start]), int(sizes[end])) for start, end in spans]
    parts = [table.numbers(np.array(group.rows) - 1) * group.worth for group in groups if group.rows]
    embeddings = np.concatenate(parts) if parts else np.zeros((0, table.dim), np.float32)
    return names, (embeddings @ table.output).astype(np.float32), spans


def _of_papers(table: HashedTable, url: Url) -> tuple[list[str], Floats, list[tuple[int, int]]]:
    """The same of a model of the papers; features that stand nowhere have an empty span."""
    names, weights = table.contributions(url)
    places = dict(_paper_places(url.text, names))
    return names, weights, [places.get(i, (0, 0)) for i in range(len(names))]


def _names_span(text: str) -> tuple[int, int]:
    """Where the host but for its top-level domain stands."""
    start = 4 if text.startswith("www.") else 0
    return start, max(text.rfind(".", start, _find(text, "/", 0)), start)


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

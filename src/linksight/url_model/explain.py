"""Explain predictions by exact feature contributions, and highlight the URL's characters by them.

The contributions and the base add up to the calibrated score. The probability is the softmax of the scores, apart from
the small share of ``Calibration.label_noise``. A character's value is the sum over the features that cover it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linksight.url_model.calibration import is_page
from linksight.url_model.embeddings import HashedWeights, QuantizedEmbeddings
from linksight.url_model.feature_labels import kind_of, value_of
from linksight.urls.parser import Url, letter_places, word_spans

if TYPE_CHECKING:
    from linksight.url_model.model import UrlLanguageModel

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Contribution:
    """A feature, its span in the text (empty for features without one) and its weight for each language."""

    feature: str
    start: int
    end: int
    weights: Floats = field(repr=False)
    #: Whether it comes from a classifier of the papers, whose features do not separate host and path.
    of_papers: bool = field(default=False, repr=False)

    @property
    def kind(self) -> str:
        """The kind of feature, in words."""
        return kind_of(self.feature, self.of_papers)

    @property
    def value(self) -> str:
        """The value of the feature, in words."""
        return value_of(self.feature)


@dataclass(frozen=True)
class Explanation:
    """The score of a URL for each language, as a base and contributions of features."""

    url: str
    text: str
    languages: tuple[str, ...]
    contributions: tuple[Contribution, ...]
    base: Floats
    scores: Floats
    probabilities: Floats

    @classmethod
    def of(cls, model: UrlLanguageModel, url: Url, chosen: list[int] | None) -> Explanation:
        """Explain one URL among some of the model's languages, or all."""
        columns = list(range(len(model.languages))) if chosen is None else chosen
        of_papers = isinstance(model.table, HashedWeights)
        table = model.table
        names, weights, places = (
            _hashed_contributions(table, url)
            if isinstance(table, HashedWeights)
            else _embedding_contributions(table, url)
        )
        page = np.array([is_page(url.text)])
        base = model.calibrated(model.table.bias[None], page)[0]
        weights = weights * model.calibration.slopes[int(page[0])]
        if weights.shape[1] == 1:
            weights = np.concatenate([weights, np.zeros_like(weights)], axis=1)
        scores = weights.sum(axis=0) + base
        words, added = model.segment(url.text, scores)
        if added.any():
            names, places = [*names, f"a:{words}"], [*places, _names_span(url.text)]
            weights, scores = np.concatenate([weights, added[None]]), scores + added
        probabilities = model.calibration.probabilities(scores[None], chosen)[0]
        parts = tuple(
            Contribution(name, *place, row[columns], of_papers)
            for name, place, row in zip(names, places, weights, strict=True)
        )
        languages = tuple(model.languages[k] for k in columns)
        return cls(
            url=url.raw,
            text=url.text,
            languages=languages,
            contributions=parts,
            base=base[columns],
            scores=scores[columns],
            probabilities=probabilities[columns],
        )

    def __repr__(self) -> str:
        """The top three languages and the three largest contributions; the fields have all numbers."""
        likely = ", ".join(f"{self.languages[k]} {self.probabilities[k]:.3f}" for k in self.order[:3])
        margin = self.margin()
        first = sorted(range(len(margin)), key=lambda i: -abs(margin[i]))[:3]
        largest = ", ".join(
            f"{self.contributions[i].kind} {self.contributions[i].value} {margin[i]:+.2f}" for i in first
        )
        return f"<Explanation of {self.url!r}: {likely}; {largest or 'no known feature'}>"

    @property
    def order(self) -> list[int]:
        """Positions of the languages by falling probability, then by falling score."""
        return [int(k) for k in np.lexsort((-self.scores, -self.probabilities))]

    def margin(self) -> Floats:
        """The weight of each feature for the most probable language, less that for the second."""
        first, *others = self.order[:2]
        values = [
            part.weights[first] - sum(part.weights[other] for other in others) for part in self.contributions
        ]
        return np.array(values, np.float32)

    def reasons(self, n_reasons: int = 12) -> tuple[tuple[str, str, float], ...]:
        """The strongest contributions: (feature, language, weight), for the top three languages."""
        top = self.order[:3]
        found = [
            (part.feature, self.languages[k], float(part.weights[k]))
            for part in self.contributions
            for k in top
        ]
        return tuple(sorted(found, key=lambda reason: -abs(reason[2]))[:n_reasons])

    def characters(self) -> Floats:
        """The share of each character of the text in the margin of the most probable language."""
        values = np.zeros(len(self.text), np.float32)
        for part, weight in zip(self.contributions, self.margin(), strict=True):
            if part.end > part.start:
                values[part.start : part.end] += weight / (part.end - part.start)
        return values

    def as_dict(self) -> dict[str, Any]:
        """The five most probable languages and all contributions to them, as plain values for JSON.

        Lists with one number per language are in the order of ``languages``.
        """
        top = self.order[:5]
        return {
            "url": self.url,
            "text": self.text,
            "languages": [self.languages[k] for k in top],
            "probabilities": [float(self.probabilities[k]) for k in top],
            "scores": [float(self.scores[k]) for k in top],
            "base": [float(self.base[k]) for k in top],
            "contributions": [
                {"feature": part.feature, "kind": part.kind, "start": part.start, "end": part.end,
                 "weights": [float(part.weights[k]) for k in top]}
                for part in self.contributions
            ],
            "characters": [round(float(value), 4) for value in self.characters()],
        }  # fmt: skip


def _embedding_contributions(
    table: QuantizedEmbeddings, url: Url
) -> tuple[list[str], Floats, list[tuple[int, int]]]:
    """Known features of the bundled model: names, weights for each language, and spans in the text."""
    groups = table.features(url.text)
    names = [name for group in groups for name in group.names]
    spans = [span for group in groups for span in group.spans]
    if not url.text.isascii():
        data = url.text.encode("utf-8", "replace")
        sizes = np.cumsum([0, *((byte & 0xC0) != 0x80 for byte in data)])  # characters before each byte
        spans = [(int(sizes[start]), int(sizes[end])) for start, end in spans]
    parts = [table.numbers(np.array(group.rows) - 1) * group.scale for group in groups if group.rows]
    embeddings = np.concatenate(parts) if parts else np.zeros((0, table.dim), np.float32)
    return names, (embeddings @ table.output).astype(np.float32), spans


def _hashed_contributions(table: HashedWeights, url: Url) -> tuple[list[str], Floats, list[tuple[int, int]]]:
    """Features of a model of hashed weights: names, weights for each language, and spans in the text."""
    names, weights = table.contributions(url)
    places = dict(_paper_places(url.text, names))
    return names, weights, [places.get(i, (0, 0)) for i in range(len(names))]


def _names_span(text: str) -> tuple[int, int]:
    """The span of the host without ``www.`` and the top-level domain."""
    start = 4 if text.startswith("www.") else 0
    return start, max(text.rfind(".", start, _find(text, "/", 0)), start)


def _paper_places(text: str, names: list[str]) -> Iterator[tuple[int, tuple[int, int]]]:
    """Spans of the papers' features: of words, of their n-grams, and of n-grams of all letters run together."""
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
    """N-grams and contexts of a word; the marks at its edges have no width."""
    marked = f"_{text[first:last]}_"
    for i in range(len(marked)):
        for j in range(i + 1, min(i + longest, len(marked)) + 1):
            span = (min(max(first + i - 1, first), last), min(first + j - 1, last))
            yield f"g:{marked[i:j]}", span
            yield f"x{j - i + 1}:{marked[i:j]}", span


def _of_letters(text: str, places: list[int], longest: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """N-grams and contexts of all letters, across other characters."""
    letters = "".join(text[place] for place in places)
    for i in range(len(letters)):
        for j in range(i + 1, min(i + longest, len(letters)) + 1):
            span = (places[i], places[j - 1] + 1)
            yield f"u:{letters[i:j]}", span
            yield f"y{j - i + 1}:{letters[i:j]}", span


def _find(text: str, sign: str, start: int) -> int:
    """The first position of a sign, or the end of the text."""
    at = text.find(sign, start)
    return at if at >= 0 else len(text)

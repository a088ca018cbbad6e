"""A URL's characters coloured by their weights, and the reasons in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linksight.url_model.explain import Explanation

STEPS = 5


@dataclass(frozen=True)
class Stretch:
    """Characters of one colour: ``for-5`` counts limit for the language, ``against-5`` limit against it."""

    text: str
    colour: str
    weight: float


@dataclass(frozen=True)
class Reason:
    """The weights of one part of the URL for the best language and its rivals."""

    what: str
    kind: str
    weights: tuple[float, ...]
    width: float  #: of its bar, from 0 to 1


def coloured(explanation: Explanation) -> list[Stretch]:
    """The text in runs of one colour each."""
    values = [float(value) for value in explanation.characters()]
    # A strong ending (.nl) would make the rest pale: the scale ends at the 90th percentile.
    strong = sorted(abs(value) for value in values)
    scale = max(strong[int(len(strong) * 0.9)] if strong else 0.0, 0.02)
    found: list[Stretch] = []
    for letter, value in zip(explanation.text, values, strict=True):
        colour = colour_of(value / scale)
        if found and found[-1].colour == colour:
            found[-1] = Stretch(found[-1].text + letter, colour, found[-1].weight + value)
        else:
            found.append(Stretch(letter, colour, value))
    return found


def colour_of(share: float) -> str:
    """The class of a colour, for a share from -1 to 1.

    >>> colour_of(0.05), colour_of(1.0), colour_of(-0.5)
    ('quiet', 'for-5', 'against-3')
    """
    step = min(STEPS, int(abs(share) * STEPS + 0.5))
    return "quiet" if not step else f"{'for' if share > 0 else 'against'}-{step}"


def reasons(explanation: Explanation, limit: int = 14) -> list[Reason]:
    """The parts that weigh most between the best language and the next."""
    top, margin = explanation.order[:3], explanation.margin()
    order = sorted(range(len(margin)), key=lambda k: -abs(margin[k]))[:limit]
    widest = max((abs(float(margin[k])) for k in order), default=1.0) or 1.0
    found = []
    for k in order:
        part = explanation.contributions[k]
        weights = tuple(round(float(part.weights[n]), 2) + 0.0 for n in top)  # no -0.00
        found.append(Reason(part.value, part.kind, weights, float(margin[k]) / widest))
    return found

"""Result types: immutable values that the public functions return."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

UND = "und"  #: undetermined: no language is probable enough
RELIABLE = 0.95  #: the calibrated confidence from which a page label is reliable
ZXX = "zxx"  #: no linguistic content: numbers, code, lists of names


@dataclass(frozen=True, slots=True)
class Detection:
    """Predicted language of the page behind a URL.

    >>> Detection("https://a.nl/", "nl", 0.97, (("nl", 0.97), ("en", 0.02))).language
    'nl'
    """

    url: str  #: the URL as given
    language: str  #: shortest BCP 47 code, or ``und``
    probability: float  #: calibrated probability of the best language, also when ``language`` is ``und``
    candidates: tuple[tuple[str, float], ...] = ()  #: (language, probability), best first
    reasons: tuple[tuple[str, str, float], ...] = ()  #: (feature, language, weight)
    problem: str | None = None  #: reason why the URL is unusable (batches)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self) | {
            "probability": shortest(self.probability),
            "candidates": [[language, shortest(probability)] for language, probability in self.candidates],
        }


def shortest(probability: float) -> float:
    """A probability of single precision with the fewest digits that determine it, as in the tables of files.

    >>> shortest(0.9788244962692261)
    0.9788245
    """
    import numpy as np

    return float(str(np.float32(probability)))


@dataclass(frozen=True, slots=True)
class Span:
    """A span of a page in one language: characters ``start`` to ``end`` of its text."""

    start: int  #: index of the first character
    end: int  #: index after the last character
    language: str  #: its language
    confidence: float  #: from 0 to 1


@dataclass(frozen=True, slots=True)
class Declaration:
    """A language or encoding that the page or its HTTP header declares, and whether the detector agrees."""

    source: str  #: ``http``, ``bom``, ``xml``, ``meta``, ``lang``, ``hreflang``
    kind: str  #: ``language`` or ``encoding``
    value: str  #: declared value, verbatim
    agrees: bool | None = None  #: whether the detector agrees; None if unknown


@dataclass(frozen=True, slots=True)
class PageLabel:
    """Language, script and encoding of a page, from its bytes."""

    language: str  #: shortest BCP 47 code, ``und`` or ``zxx``
    script: str  #: ISO 15924, such as ``Latn``
    encoding: str  #: such as ``utf-8``, ``ascii`` or ``windows-1251``
    confidence: float  #: from 0 to 1
    candidates: tuple[tuple[str, float], ...] = ()  #: (language, probability), best first
    spans: tuple[Span, ...] = ()  #: spans of a page in several languages
    declared: tuple[Declaration, ...] = ()  #: declarations of the page and its HTTP header
    reason: str | None = None  #: why the language is ``und`` or ``zxx``
    encoding_candidates: tuple[tuple[str, float], ...] = ()  #: (encoding, probability), best first

    @property
    def encoding_confidence(self) -> float:
        """The calibrated probability that ``encoding`` decodes the letters, from 0 to 1; 0 where it was not estimated."""
        return self.encoding_candidates[0][1] if self.encoding_candidates else 0.0

    @property
    def reliable(self) -> bool:
        """Whether a language is named and is right in at least 95 of 100 cases."""
        return self.language not in (UND, ZXX) and self.confidence >= RELIABLE

    @property
    def language_shares(self) -> dict[str, float]:
        """The share of the text in each language, by characters of ``spans``; the largest first.

        >>> spans = (Span(0, 30, "nl", 1.0), Span(30, 40, "fr", 1.0))
        >>> PageLabel("nl", "Latn", "utf-8", 1.0, spans=spans).language_shares
        {'nl': 0.75, 'fr': 0.25}
        """
        if not self.spans:
            return {} if self.language in (UND, ZXX) else {self.language: 1.0}
        sizes: dict[str, int] = {}
        for span in self.spans:
            sizes[span.language] = sizes.get(span.language, 0) + span.end - span.start
        total = sum(sizes.values())
        return {
            code: round(size / total, 4) for code, size in sorted(sizes.items(), key=lambda pair: -pair[1])
        }

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self) | {"reliable": self.reliable, "encoding_confidence": self.encoding_confidence}


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to fetch a URL, how eagerly, and why (a slug that is counted)."""

    fetch: bool  #: whether it is fetched at all
    priority: float  #: the higher, the sooner
    reason: str  #: a slug that is counted, see the reasons
    evidence: dict[str, float] = field(default_factory=dict)  #: each source of evidence, in log-odds
